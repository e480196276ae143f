// SPDX-License-Identifier: Apache-2.0
//! Which OpenMP runtimes a program would load, and which of them Teff replaces.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::finding::Finding;
use crate::kind::{Kept, Kind, Replaced};
use crate::loader::{Loader, Needed};
use crate::objects;
use crate::python;
use crate::system::System;

/// A runtime, and how it comes into the process.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Runtime {
    pub kind: Kind,
    pub replaced: Replaced,
    /// `None`: the loader would not find it.
    pub file: Option<PathBuf>,
    /// The file that asks for it.
    pub by: PathBuf,
    /// Loaded only if the program imports the package that contains it.
    pub on_import: bool,
    #[serde(skip)]
    pub kept: Option<Kept>,
}

impl Runtime {
    fn new(kind: Kind, file: Option<PathBuf>, by: PathBuf, on_import: bool) -> Self {
        Self { kind, replaced: kind.replaced(), file, by, on_import, kept: None }
    }

    fn keep(&mut self, why: Kept) {
        if self.replaced != Replaced::No {
            self.replaced = Replaced::No;
            self.kept = Some(why);
        }
    }

    fn words(&self) -> String {
        let name = self.kind.name();
        self.kept.as_ref().map_or_else(
            || format!("{name}: {}", self.kind.words()),
            |kept| format!("{name}: {}", kept.words()),
        )
    }

    /// `teff` is Teff's library.
    fn remedy(&self, teff: &Path) -> Option<String> {
        self.kept.as_ref().map_or_else(|| self.kind.remedy(teff), |kept| Some(kept.remedy().to_owned()))
    }
}

/// Returns the runtimes of a program's file, and for an interpreter of Python also those of its
/// packages. The loader ignores the library path in a program with raised privileges.
pub fn of_program(
    system: &System,
    program: &Path,
    library_path: Option<&str>,
    is_privileged: bool,
) -> Vec<Runtime> {
    let needed = Loader::of(system, library_path.filter(|_| !is_privileged)).needed(program);
    let for_devices = needed.iter().find(|needed| file_name(&needed.name).starts_with("libomptarget"));
    let for_devices = for_devices.map(|needed| needed.by.clone());
    let mut found: Vec<Runtime> = needed.into_iter().filter_map(of_needed).collect();
    if objects::defines(program, "GOMP_parallel") {
        let (file, by) = (Some(program.to_owned()), program.to_owned());
        found.push(Runtime::new(Kind::LibgompStatic, file, by, false));
    }
    found.extend(python::libraries(system, program).into_iter().filter_map(of_package));
    for runtime in &mut found {
        match &for_devices {
            _ if is_privileged => runtime.keep(Kept::Privileges),
            Some(by) if !runtime.on_import && runtime.kind.is_for_devices() => {
                runtime.keep(Kept::Devices(by.clone()));
            }
            _ => {}
        }
    }
    found
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn of_needed(needed: Needed) -> Option<Runtime> {
    let kind = Kind::of(file_name(&needed.name))?;
    Some(Runtime::new(kind, needed.file, needed.by, false))
}

fn of_package(library: python::Library) -> Option<Runtime> {
    let kind = Kind::of(library.file.file_name()?.to_str()?)?;
    Some(Runtime::new(kind, Some(library.file), library.package, true))
}

/// `teff` is Teff's library.
pub fn findings(program: &Path, runtimes: &[Runtime], teff: &Path) -> Vec<Finding> {
    let mut by_kind: BTreeMap<(bool, Kind), Vec<&Runtime>> = BTreeMap::new();
    for runtime in runtimes {
        by_kind.entry((runtime.on_import, runtime.kind)).or_default().push(runtime);
    }
    let mut found: Vec<_> = by_kind.values().map(|all| of_kind(all, teff)).collect();
    if by_kind.is_empty() {
        found.push(Finding::note(
            "runtime",
            format!("{} loads no OpenMP runtime when it starts.", program.display()),
            "It may load one later (dlopen), or be built without -fopenmp: then Teff has nothing to do.",
        ));
    }
    found.extend(several(runtimes));
    found
}

/// `all` are of one kind.
fn of_kind(all: &[&Runtime], teff: &Path) -> Finding {
    let name = "runtime";
    let first = all[0];
    let file = first.file.as_ref().map_or("not found".to_owned(), |file| file.display().to_string());
    let more = match all.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let when = if first.on_import {
        format!(", if the program imports {}", first.by.display())
    } else {
        format!(", for {}", first.by.display())
    };
    let says = format!("{}. It is {file}{more}{when}.", first.words());
    match (first.remedy(teff), first.replaced) {
        (None, _) if first.file.is_none() => {
            Finding::note(name, says, "teff run finds it all the same: it brings its own.")
        }
        (None, _) => Finding::ok(name, says),
        (Some(remedy), Replaced::No) if !first.on_import => Finding::problem(name, says, remedy),
        (Some(remedy), _) => Finding::note(name, says, remedy),
    }
}

/// Two runtimes in a process each have their own team, and neither takes the other's threads into
/// account.
fn several(runtimes: &[Runtime]) -> Option<Finding> {
    let mut kinds: Vec<Kind> = runtimes.iter().map(|runtime| runtime.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let is_kept = runtimes.iter().any(|runtime| runtime.replaced == Replaced::No);
    (kinds.len() > 1 && is_kept).then(|| {
        Finding::note(
            "several runtimes",
            "more than one OpenMP runtime may be in the process: each makes a team for all processors.",
            "Threads then outnumber processors. Use packages of one build (all of conda-forge, say), or set \
             OMP_NUM_THREADS to a part of the processors.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::State;
    use crate::made_up_elf::{library, Says};
    use crate::system::made_up::{put, system};

    const TEFF: &str = "/usr/lib/teff/libgomp.so.1";

    #[test]
    fn a_wheels_copy_is_replaced_by_the_library_that_is_named() {
        let here = system(&[
            ("/venv/pyvenv.cfg", ""),
            ("/venv/lib/python3.11/site-packages/scikit_learn.libs/libgomp-a34b3233.so.1.0.0", ""),
        ]);
        put(&here.system, "/venv/bin/python3", &library(&Says::default()));
        let program = here.system.path("/venv/bin/python3");
        let found = findings(&program, &of_program(&here.system, &program, None, false), Path::new(TEFF));
        assert_eq!((found.len(), found[0].state), (1, State::Note));
        let remedy = found[0].remedy.as_ref().unwrap();
        assert!(remedy.contains(&format!("LD_PRELOAD={TEFF} teff record")), "{remedy}");
        assert!(remedy.contains("python -m teff record"), "{remedy}");
    }

    #[test]
    fn a_program_of_gcc_is_fine() {
        let here = system(&[]);
        put(&here.system, "/prog", &library(&Says { needed: &["libgomp.so.1"], ..Says::default() }));
        put(&here.system, "/usr/lib/libgomp.so.1", &library(&Says::default()));
        let program = here.system.path("/prog");
        let runtimes = of_program(&here.system, &program, None, false);
        assert_eq!(runtimes.len(), 1);
        assert_eq!((runtimes[0].kind, runtimes[0].replaced), (Kind::Libgomp, Replaced::Yes));
        let found = findings(&program, &runtimes, Path::new(TEFF));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].state, State::Ok);
        assert!(found[0].says.contains("Teff replaces it"), "{found:?}");
    }

    #[test]
    fn a_libgomp_that_is_not_installed_does_not_matter() {
        let here = system(&[]);
        put(&here.system, "/prog", &library(&Says { needed: &["libgomp.so.1"], ..Says::default() }));
        let program = here.system.path("/prog");
        let found = findings(&program, &of_program(&here.system, &program, None, false), Path::new(TEFF));
        assert_eq!(found[0].state, State::Note);
        assert!(found[0].says.contains("It is not found, for "), "{found:?}");
    }

    #[test]
    fn a_runtime_that_is_not_replaced_is_one_too_many() {
        let here = system(&[]);
        let put = |path: &str, needed: &[&str]| {
            put(&here.system, path, &library(&Says { needed, ..Says::default() }));
        };
        put("/prog", &["libnvomp.so", "libblas.so"]);
        put("/usr/lib/libnvomp.so", &[]);
        put("/usr/lib/libblas.so", &["libgomp.so.1", "libomp.so.5"]);
        put("/usr/lib/libgomp.so.1", &[]);
        put("/usr/lib/libomp.so.5", &[]);
        let program = here.system.path("/prog");
        let found = findings(&program, &of_program(&here.system, &program, None, false), Path::new(TEFF));
        let states: Vec<_> = found.iter().map(|finding| finding.state).collect();
        assert_eq!(states, [State::Ok, State::Note, State::Problem, State::Note]);
        assert!(found[1].says.contains("libomp: teff run, stat and record replace it"), "{found:?}");
        assert!(found[2].says.contains("libnvomp: Teff does not replace it"), "{found:?}");
        assert_eq!(found[3].name, "several runtimes");
    }

    #[test]
    fn a_program_with_other_devices_keeps_its_libomp() {
        let here = system(&[]);
        let put = |path: &str, needed: &[&str]| {
            put(&here.system, path, &library(&Says { needed, ..Says::default() }));
        };
        put("/prog", &["libomp.so.5", "libomptarget.so.19.1", "libgomp.so.1"]);
        put("/usr/lib/libomp.so.5", &[]);
        put("/usr/lib/libgomp.so.1", &[]);
        put("/usr/lib/libomptarget.so.19.1", &["libomp.so.5"]);
        let program = here.system.path("/prog");
        let runtimes = of_program(&here.system, &program, None, false);
        let replaced: Vec<_> = runtimes.iter().map(|runtime| (runtime.kind, runtime.replaced)).collect();
        assert_eq!(replaced, [(Kind::Libomp, Replaced::No), (Kind::Libgomp, Replaced::Yes)]);
        let found = findings(&program, &runtimes, Path::new(TEFF));
        let states: Vec<_> = found.iter().map(|finding| finding.state).collect();
        assert_eq!(states, [State::Ok, State::Problem, State::Note]);
        assert!(found[1].says.contains("/prog needs libomptarget"), "{found:?}");
        assert!(found[1].remedy.as_ref().unwrap().contains("without -fopenmp-targets"), "{found:?}");
        assert_eq!(found[2].name, "several runtimes");
    }

    #[test]
    fn a_program_with_raised_privileges_keeps_all_runtimes() {
        let here = system(&[]);
        put(&here.system, "/prog", &library(&Says { needed: &["libgomp.so.1"], ..Says::default() }));
        put(&here.system, "/usr/lib/libgomp.so.1", &library(&Says::default()));
        put(&here.system, "/mine/libgomp.so.1", &library(&Says::default()));
        let program = here.system.path("/prog");
        let runtimes = of_program(&here.system, &program, Some("/mine"), true);
        assert_eq!(runtimes[0].replaced, Replaced::No);
        assert!(runtimes[0].file.as_ref().unwrap().ends_with("usr/lib/libgomp.so.1"), "{runtimes:?}");
        let found = findings(&program, &runtimes, Path::new(TEFF));
        assert_eq!((found.len(), found[0].state), (1, State::Problem));
        assert!(found[0].says.contains("raised privileges"), "{found:?}");
        assert!(!found[0].says.contains("Teff replaces"), "{found:?}");
    }

    #[test]
    fn a_program_without_openmp_is_told() {
        let here = system(&[]);
        put(&here.system, "/prog", &library(&Says::default()));
        let program = here.system.path("/prog");
        let found = findings(&program, &of_program(&here.system, &program, None, false), Path::new(TEFF));
        assert_eq!(found.len(), 1);
        assert!(found[0].says.contains("loads no OpenMP runtime"), "{found:?}");
    }
}
