// SPDX-License-Identifier: Apache-2.0
//! The program to check.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use launch::elf::Elf;
use launch::{library_path, privileges};
use nix::unistd::{access, AccessFlags};
use terminal::{Failure, Result};

use crate::finding::Finding;
use crate::python;

/// The kernel reads at most this number of bytes of a script's first line.
const MOST_LINE_BYTES: u64 = 256;

/// The files to which a program's name leads.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// The file of this name.
    pub file: PathBuf,
    /// The file that the loader starts: if `file` is a script, its interpreter.
    pub program: PathBuf,
}

pub fn find(name: &OsStr) -> Result<Found> {
    let file = library_path::found(name);
    if !file.is_file() {
        let shown = Path::new(name).display();
        return Err(Failure::Program(format!("there is no program {shown}. Check its name and its path.")));
    }
    let program = interpreter(&file).unwrap_or_else(|| file.clone());
    Ok(Found { file, program })
}

/// Findings about the form of the file: why the system cannot start it, why the loader cannot load
/// Teff into it, or why this command cannot know what it will load.
pub fn form(file: &Path, program: &Path) -> Vec<Finding> {
    let name = "program";
    let shown = file.display();
    let mut found = Vec::new();
    if access(file, AccessFlags::X_OK).is_err() {
        found.push(Finding::problem(
            name,
            format!("{shown} is not executable."),
            format!("If it is a program, chmod +x {shown}; for a script, name its interpreter, too."),
        ));
    }
    match Elf::read(program) {
        None => found.push(Finding::problem(
            name,
            format!(
                "{} is neither a program of 64 bits nor a script with an interpreter.",
                program.display()
            ),
            "Name the program that reads it, as in teff doctor -- python3 train.py.",
        )),
        Some(elf) if elf.interpreter.is_none() && elf.needed.is_empty() => found.push(Finding::problem(
            name,
            format!("{} is linked statically: it loads no libraries, Teff's neither.", program.display()),
            "Link the program without -static.",
        )),
        Some(_) if file != program && !python::is_python(program) => found.push(Finding::note(
            name,
            format!("{shown} is a script. The programs that it starts are not checked."),
            "Check each of them with teff doctor -- PROGRAM. teff run replaces their libgomp, too.",
        )),
        Some(_) => {}
    }
    found
}

/// `None`: the file is no script, or its interpreter does not exist.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut line = Vec::new();
    BufReader::new(File::open(script).ok()?.take(MOST_LINE_BYTES)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8(line).ok()?;
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let first = Path::new(words.next()?);
    let found = match first.file_name()?.to_str()? {
        "env" => {
            library_path::found(words.find(|word| !word.starts_with('-') && !word.contains('='))?.as_ref())
        }
        _ => first.to_owned(),
    };
    found.is_file().then_some(found)
}

/// The loader does not load Teff into programs with raised privileges.
pub fn rights(name: &OsStr) -> Option<Finding> {
    let how = privileges::raised_by(name)?;
    let otherwise = match how {
        privileges::SET_USER_BIT => "run it as the user who owns it",
        privileges::SET_GROUP_BIT => "run it under the group of its file (sg)",
        _ => "run it as root",
    };
    Some(Finding::problem(
        "privileges",
        format!(
            "the program runs with raised privileges, by {how}: the loader does not load Teff into it, so it keeps its \
             own OpenMP runtime."
        ),
        format!("Use a copy of the program, which has no such privileges, or {otherwise}."),
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::finding::State;
    use crate::made_up_elf::{library, Says};
    use crate::system::made_up::{put, system};

    #[test]
    fn a_script_is_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let of = |text: &str| {
            fs::write(&file, text).unwrap();
            find(file.as_os_str()).unwrap().program
        };
        assert_eq!(of("#!/bin/sh -e\n"), Path::new("/bin/sh"));
        assert_eq!(of("#! /usr/bin/env -S A=1 sh\n").file_name().unwrap(), "sh");
        assert_eq!(of("#!/absent/interpreter\n"), file);
        assert_eq!(of("\x7fELF"), file);
    }

    #[test]
    fn what_cannot_be_started_or_replaced_is_told() {
        let here = system(&[("/text", "import numpy\n"), ("/script", "#!/bin/sh\n")]);
        let with_libc = Says { needed: &["libc.so.6"], ..Says::default() };
        put(&here.system, "/static", &library(&Says::default()));
        put(&here.system, "/dynamic", &library(&with_libc));
        put(&here.system, "/python3", &library(&with_libc));
        let of = |file: &str, program: &str| {
            let file = here.system.path(file);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            form(&file, &here.system.path(program))
        };
        assert!(of("/text", "/text")[0].says.contains("neither a program"));
        assert!(of("/static", "/static")[0].says.contains("linked statically"));
        assert_eq!(of("/dynamic", "/dynamic"), []);
        assert_eq!(of("/script", "/dynamic")[0].state, State::Note);
        assert_eq!(of("/script", "/python3"), []);
        let file = here.system.path("/dynamic");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let found = form(&file, &file);
        assert!(found.len() == 1 && found[0].says.ends_with("is not executable."), "{found:?}");
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let message = find("./absent-program".as_ref()).unwrap_err().to_string();
        assert!(message.contains("no program ./absent-program"), "{message}");
    }
}
