// SPDX-License-Identifier: Apache-2.0
//! `teff record`: makes the directory of the recording, runs the program, and reports the result;
//! once (`run`), or for a set (`set`).

mod run;
mod set;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use symbols::Kept;
use terminal::signals::end_by_signals_again;
use terminal::{say, shell_word, Result};

use crate::args::RecordArgs;
use crate::unreached::Unreached;
use crate::{child, privileges};
use run::{nothing_recorded, run, summary};

pub fn record(args: &RecordArgs) -> Result<ExitCode> {
    let program = &args.command[0];
    privileges::refuse(program, "recorded")?;
    let output = args.output.clone().unwrap_or_else(|| default_name(program));
    if args.repeat.is_some() || !args.threads.is_empty() {
        return set::record(args, &output);
    }
    let (destination, status) = run(args, &output, None, &mut child::Caught::new()?)?;
    end_by_signals_again();
    if !trace::is_recording(destination.directory()) {
        say(nothing_recorded(program, destination.directory(), status));
        return Ok(Unreached::of(program).exit_code(status));
    }
    say_what_came_of_it(destination.directory());
    Ok(child::exit_code(status))
}

fn default_name(program: &OsStr) -> PathBuf {
    let mut name = Path::new(program).file_name().unwrap_or(program).to_owned();
    name.push(".teff");
    PathBuf::from(name)
}

fn say_what_came_of_it(directory: &Path) {
    match summary(directory, &mut Kept::default()) {
        Ok(summary) => say(format!("{summary}. Go on with: teff report {}", shell_word(directory))),
        Err(failure) => say(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_name_is_the_programs() {
        assert_eq!(default_name(OsStr::new("../bin/sort")), Path::new("sort.teff"));
    }
}
