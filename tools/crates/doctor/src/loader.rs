// SPDX-License-Identifier: Apache-2.0
//! Which libraries the loader would load with a program, and from where, by its own rules
//! (ld.so(8)): the paths that are built in, LD_LIBRARY_PATH, the loader's cache, and the usual
//! directories.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use launch::elf::Elf;

use crate::cache;
use crate::system::System;

/// More than any program needs. The limit exists because a hostile file could
/// name any number of libraries.
const MOST_LIBRARIES: usize = 4096;

/// A library that something needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Needed {
    /// The name by which a file asks for it.
    pub name: String,
    /// `None`: the loader would not find it.
    pub file: Option<PathBuf>,
    /// The first file that asks for it.
    pub by: PathBuf,
}

/// The directories that the loader searches in addition to those that files name themselves.
pub struct Loader<'a> {
    system: &'a System,
    /// LD_LIBRARY_PATH.
    first: Vec<String>,
    cached: Vec<(String, String)>,
}

impl<'a> Loader<'a> {
    pub fn of(system: &'a System, library_path: Option<&str>) -> Self {
        let split = |list: &str| list.split([':', ';']).map(str::to_owned).collect();
        Self { system, first: library_path.map_or_else(Vec::new, split), cached: cache::read(system) }
    }

    /// Returns the needed libraries of a program, or of a library that a program loads later,
    /// breadth first, in the loader's order.
    pub fn needed(&self, file: &Path) -> Vec<Needed> {
        let Some(elf) = Elf::read(file) else { return Vec::new() };
        let machine = elf.machine;
        let mut needed = Vec::new();
        let mut known = HashSet::new();
        let mut open = VecDeque::from([(file.to_owned(), elf, Vec::new())]);
        while let Some((by, elf, above)) = open.pop_front() {
            let Paths { before, after } = Paths::of(self.system, &by, &elf, &above);
            for name in &elf.needed {
                if needed.len() == MOST_LIBRARIES || !known.insert(name.clone()) {
                    continue;
                }
                let found = self.find(name, machine, &before, &after);
                needed.push(Needed {
                    name: name.clone(),
                    file: found.as_ref().map(|(file, _)| file.clone()),
                    by: by.clone(),
                });
                open.extend(found.map(|(file, elf)| (file, elf, before.clone())));
            }
        }
        needed
    }

    fn find(
        &self,
        name: &str,
        machine: u16,
        before: &[PathBuf],
        after: &[PathBuf],
    ) -> Option<(PathBuf, Elf)> {
        let fits = |file: PathBuf| {
            let elf = Elf::read(&file).filter(|elf| elf.machine == machine)?;
            Some((file, elf))
        };
        if name.contains('/') {
            return fits(self.system.path(name));
        }
        let given = self.first.iter().filter(|directory| !directory.is_empty());
        let given: Vec<_> = given.map(|directory| self.system.path(directory)).collect();
        let mut directories = before.iter().chain(&given).chain(after);
        if let Some(found) = directories.find_map(|directory| fits(directory.join(name))) {
            return Some(found);
        }
        let mut cached = self.cached.iter().filter(|(key, _)| key == name);
        cached.find_map(|(_, file)| fits(self.system.path(file))).or_else(|| {
            let usual = ["/lib64", "/usr/lib64", "/lib", "/usr/lib"].iter();
            usual.map(|directory| self.system.path(directory).join(name)).find_map(fits)
        })
    }
}

/// The directories that are built into a file.
struct Paths {
    /// Searched before LD_LIBRARY_PATH: its DT_RPATH, and the DT_RPATH of the files that led to it.
    before: Vec<PathBuf>,
    /// Searched after LD_LIBRARY_PATH: its DT_RUNPATH, which replaces all DT_RPATH.
    after: Vec<PathBuf>,
}

impl Paths {
    fn of(system: &System, file: &Path, elf: &Elf, above: &[PathBuf]) -> Self {
        let split = |list: &Option<String>| -> Vec<PathBuf> {
            let parts = list.iter().flat_map(|list| list.split(':')).filter(|part| !part.is_empty());
            parts.map(|part| directory(system, file, part)).collect()
        };
        if elf.runpath.is_some() {
            return Self { before: Vec::new(), after: split(&elf.runpath) };
        }
        let mut before = split(&elf.rpath);
        before.extend_from_slice(above);
        Self { before, after: Vec::new() }
    }
}

/// `$ORIGIN` is the directory of the file in which it stands.
fn directory(system: &System, file: &Path, part: &str) -> PathBuf {
    for origin in ["$ORIGIN", "${ORIGIN}"] {
        if let Some(rest) = part.strip_prefix(origin) {
            let parent = file.parent().unwrap_or(Path::new("/"));
            return parent.join(rest.trim_start_matches('/'));
        }
    }
    system.path(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up_elf::{library, Says};
    use crate::system::made_up::{put, system};

    fn names(needed: &[Needed]) -> Vec<(&str, bool)> {
        needed.iter().map(|needed| (&*needed.name, needed.file.is_some())).collect()
    }

    #[test]
    fn libraries_are_found_as_the_loader_finds_them() {
        let here = system(&[]);
        let put = |path: &str, says: Says| put(&here.system, path, &library(&says));
        put(
            "/app/prog",
            Says { needed: &["liba.so", "libm.so.6"], runpath: Some("$ORIGIN/lib"), ..Says::default() },
        );
        put("/app/lib/liba.so", Says { needed: &["libgomp.so.1", "libabsent.so"], ..Says::default() });
        put("/usr/lib/libm.so.6", Says::default());
        put("/usr/lib/libgomp.so.1", Says::default());
        put("/mine/libgomp.so.1", Says::default());
        let program = here.system.path("/app/prog");
        let needed = Loader::of(&here.system, None).needed(&program);
        let expected =
            [("liba.so", true), ("libm.so.6", true), ("libgomp.so.1", true), ("libabsent.so", false)];
        assert_eq!(names(&needed), expected);
        assert_eq!(needed[2].file, Some(here.system.path("/usr/lib/libgomp.so.1")));
        assert_eq!(needed[2].by, here.system.path("/app/lib/liba.so"));
        let needed = Loader::of(&here.system, Some("/absent:/mine")).needed(&program);
        assert_eq!(needed[2].file, Some(here.system.path("/mine/libgomp.so.1")));
    }

    #[test]
    fn a_path_that_is_built_in_may_come_before_the_users() {
        let here = system(&[]);
        let put = |path: &str, says: Says| put(&here.system, path, &library(&says));
        put("/app/prog", Says { needed: &["libgomp.so.1"], rpath: Some("/own"), ..Says::default() });
        put("/own/libgomp.so.1", Says { needed: &["libdeep.so"], ..Says::default() });
        put("/own/libdeep.so", Says::default());
        put("/mine/libgomp.so.1", Says::default());
        let needed = Loader::of(&here.system, Some("/mine")).needed(&here.system.path("/app/prog"));
        assert_eq!(needed[0].file, Some(here.system.path("/own/libgomp.so.1")));
        assert_eq!(needed[1].file, Some(here.system.path("/own/libdeep.so")), "by the path of who led to it");
    }

    #[test]
    fn libraries_of_another_machine_are_passed_over() {
        let here = system(&[]);
        put(&here.system, "/prog", &library(&Says { needed: &["liba.so"], ..Says::default() }));
        put(&here.system, "/lib64/liba.so", &library(&Says { machine: 183, ..Says::default() }));
        put(&here.system, "/usr/lib/liba.so", &library(&Says::default()));
        let needed = Loader::of(&here.system, None).needed(&here.system.path("/prog"));
        assert_eq!(needed[0].file, Some(here.system.path("/usr/lib/liba.so")));
    }
}
