// SPDX-License-Identifier: Apache-2.0
//! One run of a program, and the contents of its recording.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use grains::units;
use grains::Places;
use recordings::{not_recorded, Destination};
use symbols::{Kept, Program};
use terminal::{say, Result};
use trace::{Record, Recording};

use super::topology;
use crate::args::RecordArgs;
use crate::unreached::Unreached;
use crate::{child, events};

/// Runs the program once. As long as the destination is held, no other process records there.
pub fn run(
    args: &RecordArgs,
    mut command: Command,
    destination: &Destination,
    threads: Option<OsString>,
    caught: &mut child::Caught,
) -> Result<ExitStatus> {
    command.env("TEFF_TRACE", destination.directory());
    command.env("TEFF_TRACE_SESSION", destination.session()?);
    if let Some(depth) = args.call_paths {
        command.env("TEFF_TRACE_CALL_PATHS", depth.to_string());
    }
    if let Some(rate) = args.sample.or(args.sample_stacks.then_some(USUAL_RATE)) {
        command.env("TEFF_TRACE_SAMPLES", rate.to_string());
    }
    if args.sample_stacks {
        command.env("TEFF_TRACE_STACKS", "true");
    }
    if !args.counters.is_empty() {
        let events: Vec<_> =
            events::of_fragments(&args.counters)?.iter().map(events::Event::named_pair).collect();
        command.env("TEFF_TRACE_COUNTERS", events.join(","));
    }
    part_of_run(args, &mut command);
    if let Some(threads) = threads {
        command.env("OMP_NUM_THREADS", threads);
    }
    caught.run_to_end(&args.command[0], &mut command)
}

/// The samples of `--sample` in a second.
const USUAL_RATE: u32 = 997;

/// Tells the runtime which part of the run to record.
fn part_of_run(args: &RecordArgs, command: &mut Command) {
    if let Some(delay) = args.delay {
        command.env("TEFF_TRACE_DELAY", delay.as_millis().to_string());
    }
    if let Some(duration) = args.duration {
        command.env("TEFF_TRACE_DURATION", duration.as_millis().to_string());
    }
    if let Some(every) = args.every {
        command.env("TEFF_TRACE_EVERY", every.to_string());
    }
    if let Some(last) = args.last {
        command.env("TEFF_TRACE_LAST", last.div_ceil(1 << 20).to_string());
    }
}

/// Why there is no recording of a program that has ended.
pub fn nothing_recorded(program: &OsStr, directory: &Path, status: ExitStatus) -> String {
    if let Some(signal) = status.signal() {
        return format!("nothing recorded: signal {signal} ended the program before it used OpenMP.");
    }
    let code = status.code().unwrap_or(1);
    format!(
        "nothing to record: there is no {}, and the program's exit status is {code}. {}",
        directory.display(),
        Unreached::of(program).words(program)
    )
}

/// The contents of a recording, in words. This also stores the symbols in the recording, while the
/// program's files are still the same, and the topology of the machine.
pub fn summary(directory: &Path, kept: &mut Kept) -> Result<String> {
    let (mut grains, mut incomplete) = (0, 0);
    let found = trace::processes(directory)?;
    let topology = topology::here();
    for process in &found.readable {
        if let Some(topology) = &topology {
            let _ = topology.write(&process.directory); // without it, processors have only numbers
        }
        let recording = Recording::open(&process.directory)?;
        let places = Places::read(&recording, |record| {
            grains += u64::from(matches!(record, Record::Create(_) | Record::Chunk(_)));
        })?;
        let program = Program { places: &places, meta: &recording.meta };
        symbols::keep(&process.directory, program, kept);
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
