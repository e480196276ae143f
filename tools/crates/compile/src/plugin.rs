// SPDX-License-Identifier: Apache-2.0
//! The plugin as a file: it is built once for each version of GCC, and kept in the user's cache.
//!
//! Several compilers may run at the same time, as make starts them. Each builds the plugin into a
//! file of its own and then gives it the common name. So a file with that name is always complete.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use terminal::{Failure, Result};

use crate::gcc::{run, Gcc};

const SOURCE: &str = include_str!("../plugin/static_loops.cpp");

/// The plugin's file. It is built now if it has not been built for this GCC.
pub fn built_for(gcc: &Gcc) -> Result<PathBuf> {
    let cache = cache_directory()?;
    let file = cache.join(file_name(gcc));
    if !file.is_file() {
        fs::create_dir_all(&cache).map_err(|error| Failure::io("create", &cache, error))?;
        build(gcc, &cache, &file)?;
    }
    Ok(file)
}

/// $XDG_CACHE_HOME/teff or ~/.cache/teff.
fn cache_directory() -> Result<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    let no_place = "there is no place for the compiler's plugin: set HOME or XDG_CACHE_HOME to a directory.";
    Ok(cache.ok_or_else(|| Failure::Missing(no_place.to_owned()))?.join("teff"))
}

/// Another GCC, or another version of Teff, has another name.
fn file_name(gcc: &Gcc) -> String {
    let mut hasher = DefaultHasher::new();
    (SOURCE, &gcc.headers, &gcc.identity).hash(&mut hasher);
    format!("static-loops-{:016x}.so", hasher.finish())
}

fn build(gcc: &Gcc, cache: &Path, file: &Path) -> Result<()> {
    let with = |suffix| tempfile::Builder::new().prefix("static-loops-").suffix(suffix).tempfile_in(cache);
    let cannot_write = |error| Failure::io("write into", cache, error);
    let mut source = with(".cpp").map_err(cannot_write)?;
    source.write_all(SOURCE.as_bytes()).map_err(cannot_write)?;
    let object = with(".so").map_err(cannot_write)?;
    compile(gcc, source.path(), object.path())?;
    object.persist(file).map_err(|error| Failure::io("write", file, error.error))?;
    Ok(())
}

/// The compiler itself also compiles C++, whichever language it is for. The plugin needs no
/// library, also where the compiler is a script that adds some.
fn compile(gcc: &Gcc, source: &Path, object: &Path) -> Result<()> {
    let mut command = Command::new(&gcc.compiler);
    command.args([
        "-std=gnu++17",
        "-O1",
        "-fPIC",
        "-shared",
        "-fno-rtti",
        "-fno-exceptions",
        "-w",
        "-Wl,--as-needed",
    ]);
    command.arg("-I").arg(&gcc.headers).args(["-x", "c++"]).arg(source).arg("-o").arg(object);
    let done = run(&mut command, &gcc.compiler)?;
    if done.status.success() {
        return Ok(());
    }
    let compiler = Path::new(&gcc.compiler).display();
    Err(Failure::Program(format!(
        "{compiler} cannot build the plugin, which is tested with GCC 12 and needs its C++ compiler (g++). It said:\n{}",
        String::from_utf8_lossy(&done.stderr).trim_end()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gcc_has_a_plugin_of_its_own() {
        let gcc = |headers: &str, identity: &str| Gcc {
            compiler: "gcc".into(),
            headers: headers.into(),
            identity: identity.into(),
        };
        let names = [("/a", "12.2"), ("/a", "12.3"), ("/b", "12.2")].map(|(a, b)| file_name(&gcc(a, b)));
        assert_eq!(names[0], file_name(&gcc("/a", "12.2")));
        assert_ne!(names[0], names[1]);
        assert_ne!(names[0], names[2]);
    }
}
