// SPDX-License-Identifier: Apache-2.0
//! `teff record`: makes room for the recording, runs the program, passes signals on, and says what
//! came of it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};

use nix::sys::signal::{kill, SigHandler, SigSet, SigmaskHow, Signal};
use nix::unistd::{getpgid, getpgrp, Pid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::SignalsInfo;
use signal_hook::low_level::siginfo::{Cause, Origin};
use trace::{Record, Recording};

use crate::args::RecordArgs;
use crate::console::{say, shell_word};
use crate::failure::{Failure, Result};
use crate::inherited::without_ignored;
use crate::open::not_recorded;
use crate::room::Room;
use crate::{launch, privileges, units};

pub fn record(args: &RecordArgs) -> Result<ExitCode> {
    let program = &args.command[0];
    refuse_raised_privileges(program, "recorded")?;
    let mut command = launch::command(&args.command)?;
    let output = args.output.clone().unwrap_or_else(|| default_name(program));
    let room = Room::make(&output)?;
    command.env("TEFF_TRACE", room.directory());
    command.env("TEFF_TRACE_SESSION", room.session()?);
    if let Some(depth) = args.call_paths {
        command.env("TEFF_TRACE_CALL_PATHS", depth.to_string());
    }
    let status = run_to_end(program, &mut command)?;
    end_by_signals_again();
    say_what_came_of_it(room.directory(), status);
    Ok(exit_code(status))
}

/// Starts the program, passes signals on, and waits for its end.
pub fn run_to_end(program: &OsStr, command: &mut Command) -> Result<ExitStatus> {
    // Caught before the program starts, so that none is missed; the program gets its own default
    // actions back.
    let signals = signals().map_err(|error| Failure::new(format!("cannot catch signals: {error}.")))?;
    let child = spawn(command).map_err(|error| launch::cannot_start(program, &error))?;
    wait(child, signals)
}

/// The program's, or 128 + n if signal n ended it.
pub fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(code as u8)
}

/// It would run without the runtime, and leave nothing.
pub fn refuse_raised_privileges(program: &OsStr, done: &str) -> Result<()> {
    let Some(how) = privileges::raised_by(program) else { return Ok(()) };
    Err(Failure::new(format!(
        "{} runs with raised privileges, by {how}: the loader keeps such programs from the runtime, so nothing can \
         be {done}. Take a copy of it, which has no such rights, or become the user whose rights it takes.",
        Path::new(program).display()
    )))
}

fn default_name(program: &OsStr) -> PathBuf {
    let mut name = Path::new(program).file_name().unwrap_or(program).to_owned();
    name.push(".teff");
    PathBuf::from(name)
}

/// Those that are passed on, and the one that tells of the program's end.
fn signals() -> io::Result<SignalsInfo<WithOrigin>> {
    let passed_on = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
    SignalsInfo::new(without_ignored(&passed_on).chain([SIGCHLD]))
}

/// Starts the program with signals held back: one that comes before the program has its own actions
/// would go to ours, in the new process, and be lost.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let child = command.spawn();
    before.thread_set_mask()?;
    child
}

/// Waits for the program while signals sent to us go on to it.
fn wait(mut child: Child, mut signals: SignalsInfo<WithOrigin>) -> Result<ExitStatus> {
    let fail = |error| Failure::new(format!("cannot wait for the program: {error}."));
    let pid = Pid::from_raw(child.id() as i32);
    loop {
        if let Some(status) = child.try_wait().map_err(fail)? {
            return Ok(status);
        }
        for info in signals.wait() {
            pass_on(&info, pid);
        }
    }
}

/// What is left is ours alone: to count what was recorded may take a while, and can be broken off.
pub fn end_by_signals_again() {
    for number in without_ignored(&[SIGHUP, SIGINT, SIGQUIT, SIGTERM]) {
        if let Ok(signal) = Signal::try_from(number) {
            // SAFETY: the default action runs no code of ours.
            let _ = unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) };
        }
    }
}

fn pass_on(info: &Origin, pid: Pid) {
    // What the terminal sends (Ctrl-C) goes to the whole foreground group: the program has it
    // already, unless it has made a group of its own, as `timeout` does.
    let has_it = info.cause == Cause::Kernel && getpgid(Some(pid)) == Ok(getpgrp());
    if info.signal == SIGCHLD || has_it {
        return;
    }
    if let Ok(signal) = Signal::try_from(info.signal) {
        let _ = kill(pid, signal); // the program may just have ended
    }
}

fn say_what_came_of_it(directory: &Path, status: ExitStatus) {
    let shown = directory.display();
    if !trace::is_recording(directory) {
        if let Some(signal) = status.signal() {
            return say(format!(
                "nothing recorded: signal {signal} ended the program before it used OpenMP."
            ));
        }
        let code = status.code().unwrap_or(1);
        return say(format!(
            "nothing to record: there is no {shown}. If the runtime did not say why, the program (exit status {code}) \
             did not use OpenMP through libgomp.so.1. If it should have, see what `ldd` says of it: libgomp.so.1 must \
             be there (not libomp.so, and not linked statically)."
        ));
    }
    match summary(directory) {
        Ok(summary) => say(format!("{summary}. Go on with: teff report {}", shell_word(directory))),
        Err(failure) => say(failure),
    }
}

fn summary(directory: &Path) -> Result<String> {
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
