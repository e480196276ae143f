// SPDX-License-Identifier: Apache-2.0
//! Starts a program on Teff's libgomp.so.1.
//!
//! The library's directory goes first in LD_LIBRARY_PATH. This is not enough for programs and
//! libraries with a built-in library path, nor for runtimes with other names (`auditor`).

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use terminal::{inherited, Failure, Result};

use crate::{auditor, library_path};

pub const LIBRARY: &str = "libgomp.so.1";
/// Where the runtime is, below the directory that has bin/ with this command. An installed tree has
/// a separate folder for it, because on some systems /usr/lib holds the system's libgomp.so.1.
const INSTALLED: &str = "lib/teff";
const BUILT: &str = "lib";
/// This file lies beside Teff's libgomp.so.1, and beside no other libgomp.so.1.
const OURS: &str = "libteff.so";

/// The program on Teff, ready to be started.
pub fn command(words: &[OsString]) -> Result<Command> {
    command_on(&find_library()?, words)
}

pub fn command_on(library: &Path, words: &[OsString]) -> Result<Command> {
    check_path(library)?;
    let directory = library.parent().unwrap_or(Path::new("/"));
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command.env("LD_LIBRARY_PATH", put_first(directory.as_os_str(), env::var_os("LD_LIBRARY_PATH")));
    if let Some(auditor) = auditor::beside(library) {
        command.env("LD_AUDIT", put_first(auditor.as_os_str(), env::var_os("LD_AUDIT")));
    } else if library_path::comes_before_ours(&words[0]) {
        command.env("LD_PRELOAD", put_first(library.as_os_str(), env::var_os("LD_PRELOAD")));
    }
    command.env_remove("TEFF_LIB"); // ours; the runtime warns of variables that it does not know
    inherited::pass_on(&mut command);
    Ok(command)
}

pub fn cannot_start(program: &OsStr, error: std::io::Error) -> Failure {
    let program = program.to_string_lossy();
    let advice = match error.kind() {
        _ if program.is_empty() => "The name is empty.".to_owned(),
        _ if Path::new(&*program).is_dir() => "It is a directory.".to_owned(),
        ErrorKind::NotFound if !program.contains('/') => {
            format!("A program in this directory is named as ./{program}.")
        }
        ErrorKind::PermissionDenied => {
            format!("If it is a program, make it executable with chmod +x {program}.")
        }
        ErrorKind::ArgumentListTooLong => {
            "Teff adds some variables to the environment; make the arguments or the environment shorter."
                .to_owned()
        }
        _ => "Check its path, and that it is a program for this machine.".to_owned(),
    };
    Failure::Cannot { what: format!("start {program}"), error: error.into(), remedy: Some(advice) }
}

/// Checks whether the loader can load the runtime from this path. The loader splits its lists of
/// objects and directories at certain characters, which cannot be escaped in a name.
pub fn check_path(library: &Path) -> Result<()> {
    let name = library.as_os_str().as_encoded_bytes();
    if !name.iter().any(|byte| b" :;".contains(byte)) {
        return Ok(());
    }
    Err(Failure::Missing(format!(
        "the loader cannot load the runtime {}: for the loader, a name ends at a blank, colon or semicolon. Make a \
         link to the runtime's directory whose path has none of these, and set TEFF_LIB to the link; or move Teff.",
        library.display()
    )))
}

/// What the program will find in its environment.
pub fn variable(command: &Command, name: &str) -> Option<OsString> {
    let set = command.get_envs().find(|(set, _)| *set == name);
    set.map_or_else(|| env::var_os(name), |(_, value)| value.map(OsStr::to_owned))
}

/// Returns a list for the loader that begins with `first`, even if the list contained it before.
pub fn put_first(first: &OsStr, rest: Option<OsString>) -> OsString {
    let mut list = first.to_owned();
    let is_first = |list: &OsStr| {
        list.as_encoded_bytes().split(|&byte| byte == b':').next() == Some(first.as_encoded_bytes())
    };
    if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
        if is_first(&rest) {
            return rest;
        }
        list.push(":");
        list.push(rest);
    }
    list
}

/// The directory of all libraries that are loaded into programs.
pub fn library_directory() -> Result<PathBuf> {
    let library = find_library()?;
    Ok(library.parent().unwrap_or(Path::new("/")).to_owned())
}

pub fn find_library() -> Result<PathBuf> {
    if let Some(place) = env::var_os("TEFF_LIB").filter(|place| !place.is_empty()) {
        return library_at(Path::new(&place)).ok_or_else(|| {
            Failure::Missing(format!(
                "TEFF_LIB is {}, but there is no {LIBRARY}. Set TEFF_LIB to the directory that contains the runtime, \
                 or to the file itself.",
                Path::new(&place).display()
            ))
        });
    }
    let executable = env::current_exe().map_err(|_| {
        Failure::Missing(format!(
            "{LIBRARY} is looked for beside this command, but /proc does not tell where that is. Mount /proc, or set \
             TEFF_LIB to the directory that contains the runtime."
        ))
    })?;
    let prefix = executable.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let (installed, built) = (prefix.join(INSTALLED), prefix.join(BUILT));
    let in_build_tree = || library_at(&built).filter(|_| built.join(OURS).is_file());
    library_at(&installed).or_else(in_build_tree).ok_or_else(|| {
        Failure::Missing(format!(
            "the runtime {} is missing. Build or install it there, or set TEFF_LIB to the directory that holds it.",
            installed.join(LIBRARY).display()
        ))
    })
}

/// `place` is the library or its directory.
fn library_at(place: &Path) -> Option<PathBuf> {
    let file = if place.is_dir() { place.join(LIBRARY) } else { place.to_owned() };
    let file = std::path::absolute(file).ok()?;
    file.is_file().then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_entry_comes_first() {
        let first = OsStr::new("/teff/lib");
        assert_eq!(put_first(first, None), "/teff/lib");
        assert_eq!(put_first(first, Some("".into())), "/teff/lib");
        assert_eq!(put_first(first, Some("/a:/b".into())), "/teff/lib:/a:/b");
        assert_eq!(put_first(first, Some("/teff/lib:/a".into())), "/teff/lib:/a", "teff under teff");
        assert_eq!(put_first(first, Some("/teff/library".into())), "/teff/lib:/teff/library");
    }
}
