// SPDX-License-Identifier: Apache-2.0
//! `teff record`: makes the directory of the recording (`place`, `name`), runs the program, and
//! reports the result. It does this once (`run`), or several times for a set (`set`).

mod name;
mod place;
mod run;
mod set;
mod topology;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

use symbols::Kept;
use terminal::signals::end_by_signals_again;
use terminal::{say, shell_word, Failure, Result};

use crate::args::RecordArgs;
use crate::unreached::Unreached;
use crate::{child, events, launch, privileges};
use place::{OfRank, Place};
use run::run;
pub use run::{nothing_recorded, summary};

pub fn record(args: &RecordArgs) -> Result<ExitCode> {
    if let Some(pid) = args.pid {
        return Err(cannot_attach(pid));
    }
    let program = &args.command[0];
    privileges::refuse(program, "recorded")?;
    events::of_fragments(&args.counters)?;
    let mut place = Place::of(args)?;
    if args.repeat.is_some() || !args.threads.is_empty() {
        return set::record(args, &place.begin()?);
    }
    let command = launch::command(&args.command)?;
    let destination = place.begin()?;
    let status = match run(args, command, &destination, None, &mut child::Caught::new()?) {
        Ok(status) => status,
        Err(failure) => {
            drop(destination);
            place.withdraw();
            return Err(failure);
        }
    };
    end_by_signals_again();
    let directory = destination.directory().to_owned();
    let recorded = trace::is_recording(&directory);
    drop(destination);
    place.end(status, recorded)?;
    match &place.of_rank {
        Some(rank) => say_of_rank(rank, program, &directory, status),
        None if recorded => {
            say_what_came_of_it(&directory, &format!("teff report {}", shell_word(&directory)));
        }
        None => {
            say(nothing_recorded(program, &directory, status));
            return Ok(Unreached::of(program).exit_code(status));
        }
    }
    Ok(child::exit_code(status))
}

/// The runtime records itself; and a runtime cannot be exchanged under a program whose threads are
/// in it.
fn cannot_attach(pid: u32) -> Failure {
    Failure::Usage(format!(
        "process {pid} cannot be recorded, as it runs already: the OpenMP runtime that it has loaded cannot be \
         replaced by Teff while its threads use it. Start the program with `teff record --delay TIME` instead, \
         which costs nothing until TIME is over, or with `--last SIZE`, which keeps the newest records of a run of \
         any length; or let the program call teff_record_start (teff.h) where it gets interesting."
    ))
}

/// Only the first rank prints the message for all ranks. Another rank prints one if something is
/// wrong with its recording.
fn say_of_rank(rank: &OfRank, program: &OsStr, directory: &Path, status: ExitStatus) {
    match (rank.is_first(), trace::is_recording(directory)) {
        (true, true) => {
            let report = format!("teff report {}, when all ranks have ended", shell_word(&rank.all));
            say_what_came_of_it(directory, &report);
        }
        (false, true) => match summary(directory, &mut Kept::default()) {
            Ok(_) => {}
            Err(failure) => say(failure),
        },
        (true, false) => say(nothing_recorded(program, directory, status)),
        (false, false) => {}
    }
}

fn say_what_came_of_it(directory: &Path, go_on: &str) {
    match summary(directory, &mut Kept::default()) {
        Ok(summary) => say(format!("{summary}. Go on with: {go_on}")),
        Err(failure) => say(failure),
    }
}
