// SPDX-License-Identifier: Apache-2.0
//! What has to be known of a compiler to build a plugin for it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use terminal::{Failure, Result};

/// A GCC for which plugins can be built.
pub struct Gcc {
    /// The command that runs it.
    pub compiler: OsString,
    /// Where the headers of its plugins are.
    pub headers: PathBuf,
    /// The version and the configuration of this GCC, as C source. It loads no other's plugins.
    pub identity: Vec<u8>,
}

impl Gcc {
    pub fn ask(compiler: &OsStr) -> Result<Self> {
        let answer = run(Command::new(compiler).arg("-print-file-name=plugin"), compiler)?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let directory = Path::new(text.trim_end());
        // A compiler that knows no such directory prints the bare name.
        if !answer.status.success() || !directory.is_absolute() {
            return Err(Failure::Program(no_plugins(compiler)));
        }
        let headers = directory.join("include");
        match std::fs::read(headers.join("plugin-version.h")) {
            Ok(identity) => Ok(Self { compiler: compiler.to_owned(), headers, identity }),
            Err(_) => Err(Failure::Missing(no_headers(compiler, directory))),
        }
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command, compiler: &OsStr) -> Result<Output> {
    command.output().map_err(|error| cannot_run(compiler, &error))
}

pub fn cannot_run(compiler: &OsStr, error: &io::Error) -> Failure {
    let name = Path::new(compiler).display();
    if error.kind() == io::ErrorKind::NotFound {
        return Failure::Program(format!("there is no compiler {name}. Check the name and PATH."));
    }
    Failure::Program(format!("cannot run the compiler {name}: {error}."))
}

fn no_plugins(compiler: &OsStr) -> String {
    format!(
        "{} knows no directory of plugins, so it is no GCC, or one that was built without plugins. `teff cc` works with \
         GCC only; compile without it.",
        Path::new(compiler).display()
    )
}

/// `directory` ends in the version and `plugin`.
fn no_headers(compiler: &OsStr, directory: &Path) -> String {
    let version = directory.parent().and_then(Path::file_name).unwrap_or_default();
    let major = version.to_string_lossy();
    let major = major.split('.').next().unwrap_or_default();
    format!(
        "the headers for plugins of {} are not installed: there is no {}/include/plugin-version.h. Install \
         gcc-{major}-plugin-dev (Debian, Ubuntu) or gcc-plugin-devel (Fedora), or compile without `teff cc`.",
        Path::new(compiler).display(),
        directory.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_headers_are_named_with_their_package() {
        for (directory, package) in [
            ("/usr/lib/gcc/x86_64-linux-gnu/12/plugin", "gcc-12-plugin-dev"),
            ("/opt/gcc/lib/gcc/x86_64-pc-linux-gnu/14.2.0/plugin", "gcc-14-plugin-dev"),
        ] {
            let message = no_headers(OsStr::new("gcc"), Path::new(directory));
            assert!(message.contains(package), "{message}");
            assert!(message.contains(directory), "{message}");
        }
    }

    #[test]
    fn what_is_no_gcc_is_refused() {
        // `true` prints nothing, and `echo` prints the bare option.
        for (program, part) in
            [("true", "no directory of plugins"), ("echo", "no directory of plugins"), ("/no/gcc", "/no/gcc")]
        {
            let failure = Gcc::ask(OsStr::new(program)).err().expect("a failure").to_string();
            assert!(failure.contains(part), "{failure}");
        }
    }
}
