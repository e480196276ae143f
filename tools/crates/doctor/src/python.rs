// SPDX-License-Identifier: Apache-2.0
//! The OpenMP runtimes in Python's packages: a wheel may contain an OpenMP
//! runtime.

use std::fs;
use std::path::{Path, PathBuf};

use crate::kind::Kind;
use crate::system::System;

/// The largest number of directory entries that are examined, over all packages. Examining them
/// takes a tenth of a second.
const MOST_ENTRIES: usize = 100_000;

pub struct Library {
    pub file: PathBuf,
    /// The folder of the package that contains it.
    pub package: PathBuf,
}

/// Judged by the name of its file.
pub fn is_python(program: &Path) -> bool {
    program.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"python"))
}

/// Returns the libraries of an interpreter of Python, and none for any other program.
pub fn libraries(system: &System, program: &Path) -> Vec<Library> {
    if !is_python(program) {
        return Vec::new();
    }
    let mut left = MOST_ENTRIES;
    let mut found = Vec::new();
    for folder in packages(system, program) {
        for package in entries(&folder, &mut left) {
            look_into(&package, &mut left, &mut found);
        }
    }
    found
}

/// Wheels have their libraries in PACKAGE.libs, PACKAGE/lib, PACKAGE/.libs and similar folders, at
/// most one level down.
fn look_into(package: &Path, left: &mut usize, found: &mut Vec<Library>) {
    let is_library = |file: &Path| file.file_name().and_then(|name| Kind::of(name.to_str()?)).is_some();
    for entry in entries(package, left) {
        if is_library(&entry) {
            found.push(Library { file: entry, package: package.to_owned() });
        } else if entry.file_name().is_some_and(|name| {
            name.as_encoded_bytes().ends_with(b"lib") || name.as_encoded_bytes().ends_with(b"libs")
        }) {
            let inside = entries(&entry, left).into_iter().filter(|file| is_library(file));
            found.extend(inside.map(|file| Library { file, package: package.to_owned() }));
        }
    }
}

/// The entries, sorted; empty if `folder` is no directory.
fn entries(folder: &Path, left: &mut usize) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten().take(*left);
    let mut found: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    *left -= found.len();
    found.sort_unstable();
    found
}

/// The folders of packages: those of the interpreter's virtual environment or, without one, those
/// of the system.
fn packages(system: &System, program: &Path) -> Vec<PathBuf> {
    let prefix = program.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let mut roots = vec![prefix.to_owned()];
    if !prefix.join("pyvenv.cfg").is_file() {
        roots.push(system.path("/usr/local"));
    }
    roots.dedup();
    let mut folders = Vec::new();
    for root in roots {
        for version in entries(&root.join("lib"), &mut 10_000) {
            let is_python =
                version.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"python3"));
            if is_python {
                folders.extend(["site-packages", "dist-packages"].map(|name| version.join(name)));
            }
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::made_up::system;

    const LIBRARIES: [(&str, &str); 5] = [
        ("/venv/lib/python3.11/site-packages/scikit_learn.libs/libgomp-a34b3233.so.1.0.0", ""),
        ("/venv/lib/python3.11/site-packages/torch/lib/libgomp-d22c30c5.so.1", ""),
        ("/venv/lib/python3.11/site-packages/torch/lib/libtorch.so", ""),
        ("/venv/lib/python3.11/site-packages/mkl/deep/lib/libiomp5.so", ""),
        ("/usr/local/lib/python3.11/dist-packages/xgboost.libs/libgomp-x.so.1", ""),
    ];

    fn found(more: (&str, &str), program: &str) -> Vec<String> {
        let here = system(&[&LIBRARIES[..], &[more]].concat());
        let found = libraries(&here.system, &here.system.path(program));
        let name = |library: Library| library.file.file_name().unwrap().to_string_lossy().into_owned();
        found.into_iter().map(name).collect()
    }

    #[test]
    fn an_environment_has_its_packages_alone() {
        let of_venv = found(("/venv/pyvenv.cfg", ""), "/venv/bin/python3");
        assert_eq!(of_venv, ["libgomp-a34b3233.so.1.0.0", "libgomp-d22c30c5.so.1"]);
        assert!(found(("/venv/pyvenv.cfg", ""), "/venv/bin/prog").is_empty());
    }

    #[test]
    fn the_systems_python_has_those_of_the_system() {
        assert_eq!(found(("/usr/bin/python3", ""), "/usr/bin/python3"), ["libgomp-x.so.1"]);
    }
}
