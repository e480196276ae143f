// SPDX-License-Identifier: Apache-2.0
//! The program to check.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use launch::{library_path, privileges};
use terminal::{Failure, Result};

use crate::finding::Finding;

/// The kernel reads no longer first line.
const MOST_LINE_BYTES: u64 = 256;

/// Its file; of a script, that of its interpreter.
pub fn find(name: &OsStr) -> Result<PathBuf> {
    let file = library_path::found(name);
    if !file.is_file() {
        let shown = Path::new(name).display();
        return Err(Failure::Program(format!("there is no program {shown}. Check its name and its path.")));
    }
    Ok(interpreter(&file).unwrap_or(file))
}

/// `None`: it is no script, or that of an interpreter that is not there.
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

/// The loader keeps programs with raised rights from Teff.
pub fn rights(name: &OsStr) -> Option<Finding> {
    let how = privileges::raised_by(name)?;
    Some(Finding::problem(
        "privileges",
        format!(
            "the program runs with raised privileges, by {how}: the loader gives it the system's libgomp."
        ),
        "Use a copy of the program, which has no such privileges, or run it as the user whose privileges it takes.",
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_script_is_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let of = |text: &str| {
            fs::write(&file, text).unwrap();
            find(file.as_os_str()).unwrap()
        };
        assert_eq!(of("#!/bin/sh -e\n"), Path::new("/bin/sh"));
        assert_eq!(of("#! /usr/bin/env -S A=1 sh\n").file_name().unwrap(), "sh");
        assert_eq!(of("#!/absent/interpreter\n"), file);
        assert_eq!(of("\x7fELF"), file);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let message = find("./absent-program".as_ref()).unwrap_err().to_string();
        assert!(message.contains("no program ./absent-program"), "{message}");
    }
}
