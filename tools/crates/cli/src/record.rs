// SPDX-License-Identifier: Apache-2.0
//! `teff record`: makes room for the recording, runs the program, and says what came of it.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};

use trace::{Record, Recording};

use crate::args::RecordArgs;
use crate::console::{say, shell_word};
use crate::failure::Result;
use crate::open::not_recorded;
use crate::room::Room;
use crate::{child, launch, privileges, record_set, units};

pub fn record(args: &RecordArgs) -> Result<ExitCode> {
    let program = &args.command[0];
    privileges::refuse(program, "recorded")?;
    let output = args.output.clone().unwrap_or_else(|| default_name(program));
    if args.repeat.is_some() || !args.threads.is_empty() {
        return record_set::record(args, &output);
    }
    let (room, status) = run(args, &output, None, &mut child::Caught::new()?)?;
    child::end_by_signals_again();
    say_what_came_of_it(room.directory(), status);
    Ok(child::exit_code(status))
}

/// Runs the program once. As long as the room lives, nobody else records there.
pub fn run(
    args: &RecordArgs,
    output: &Path,
    threads: Option<OsString>,
    caught: &mut child::Caught,
) -> Result<(Room, ExitStatus)> {
    let mut command = launch::command(&args.command)?;
    let room = Room::make(output)?;
    command.env("TEFF_TRACE", room.directory());
    command.env("TEFF_TRACE_SESSION", room.session()?);
    if let Some(depth) = args.call_paths {
        command.env("TEFF_TRACE_CALL_PATHS", depth.to_string());
    }
    if let Some(threads) = threads {
        command.env("OMP_NUM_THREADS", threads);
    }
    let status = caught.run_to_end(&args.command[0], &mut command)?;
    Ok((room, status))
}

fn default_name(program: &OsStr) -> PathBuf {
    let mut name = Path::new(program).file_name().unwrap_or(program).to_owned();
    name.push(".teff");
    PathBuf::from(name)
}

fn say_what_came_of_it(directory: &Path, status: ExitStatus) {
    if !trace::is_recording(directory) {
        return say(nothing_recorded(directory, status));
    }
    match summary(directory) {
        Ok(summary) => say(format!("{summary}. Go on with: teff report {}", shell_word(directory))),
        Err(failure) => say(failure),
    }
}

/// Why there is no recording of a program that has ended.
pub fn nothing_recorded(directory: &Path, status: ExitStatus) -> String {
    let shown = directory.display();
    if let Some(signal) = status.signal() {
        return format!("nothing recorded: signal {signal} ended the program before it used OpenMP.");
    }
    let code = status.code().unwrap_or(1);
    format!(
        "nothing to record: there is no {shown}. If the runtime did not say why, the program (exit status {code}) did \
         not use OpenMP through libgomp.so.1. If it should have, see what `ldd` says of it: libgomp.so.1 must be \
         there (not libomp.so, and not linked statically)."
    )
}

/// What a recording holds, in words.
pub fn summary(directory: &Path) -> Result<String> {
    let (mut grains, mut incomplete) = (0, 0);
    let found = trace::processes(directory)?;
    for process in &found.readable {
        let recording = Recording::open(&process.directory)?;
        grains += count_grains(&recording)?;
        incomplete += u64::from(recording.end.is_none());
    }
    for error in &found.damaged {
        say(format!("a process is left out: {error}"));
    }
    if let Some(note) = not_recorded(directory) {
        say(note);
    }
    let grains = units::count(grains);
    let of = match (found.readable.len(), incomplete) {
        (0 | 1, 0) => String::new(),
        (0 | 1, _) => " (incomplete)".to_owned(),
        (several, 0) => format!(" ({several} processes)"),
        (several, some) => format!(" ({several} processes, {some} of them incomplete)"),
    };
    Ok(format!("{grains} grains in {}{of}", directory.display()))
}

fn count_grains(recording: &Recording) -> Result<u64> {
    let mut grains = 0;
    for stream in &recording.streams {
        for entry in stream.reader() {
            grains += u64::from(matches!(entry?.record, Record::Create(_) | Record::Chunk(_)));
        }
    }
    Ok(grains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_name_is_the_programs() {
        assert_eq!(default_name(OsStr::new("../bin/sort")), Path::new("sort.teff"));
    }
}
