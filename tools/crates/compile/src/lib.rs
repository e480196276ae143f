// SPDX-License-Identifier: Apache-2.0
//! `teff cc`: replaces this process by a compiler, to which it passes a plugin.
//!
//! [`gcc`] finds out about the compiler, and [`plugin`] builds the plugin for it, whose source is
//! plugin/static_loops.cpp.

mod args;
mod gcc;
mod plugin;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use terminal::Result;

pub use args::CcArgs;
use gcc::Gcc;

pub fn cc(args: &CcArgs) -> Result<ExitCode> {
    let (compiler, rest) = split(&args.command);
    let mut command = Command::new(&compiler[0]);
    command.args(&compiler[1..]);
    if rest.iter().any(|word| may_ask_for_openmp(word)) {
        let gcc = Gcc::ask(&compiler[compiler.len() - 1])?;
        let mut option = OsString::from("-fplugin=");
        option.push(plugin::built_for(&gcc)?);
        command.arg(option);
    }
    let error = command.args(rest).exec(); // returns only when it fails
    Err(gcc::cannot_run(&compiler[0], &error))
}

/// Splits the command into the compiler, with a program before it that passes the compiler's
/// command on, and the compiler's arguments.
fn split(command: &[OsString]) -> (&[OsString], &[OsString]) {
    const PASS_ON: [&str; 4] = ["ccache", "distcc", "icecc", "sccache"];
    let name = std::path::Path::new(&command[0]).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_passed_on = PASS_ON.contains(&name) && command.len() > 1;
    command.split_at(1 + usize::from(is_passed_on))
}

/// Without OpenMP there is nothing to do: so projects can be configured, and linked, where no
/// plugin can be built. A file of arguments (@FILE) may have the option.
fn may_ask_for_openmp(word: &OsStr) -> bool {
    let word = word.as_encoded_bytes();
    word == b"-fopenmp" || word.starts_with(b"@")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_program_before_the_compiler_belongs_to_it() {
        let lengths = ["gcc -c x.c", "/usr/bin/ccache gcc -c x.c", "ccache", "mpicc -fopenmp"]
            .map(|text| split(&words(text)).0.len());
        assert_eq!(lengths, [1, 2, 1, 1]);
    }

    #[test]
    fn openmp_is_asked_for_by_its_option_or_perhaps_in_a_file() {
        let asked = ["-fopenmp", "@flags", "-fopenmp-simd", "-lgomp", "openmp.c"]
            .map(|word| may_ask_for_openmp(OsStr::new(word)));
        assert_eq!(asked, [true, true, false, false, false]);
    }
}
