// SPDX-License-Identifier: Apache-2.0
//! Reads the profile of one process of a recording, by the recording's name.
//!
//! A recording of several processes is read process by process, with at most two in memory: the
//! present one, and the best one so far. Unless the user chooses, a process that has used devices
//! is preferred, and then the one with the most work.

use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

use grains::{Profile, Selection};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use terminal::progress::Progress;
use terminal::{say, Failure, Result};
use trace::{Process, Recording};

use crate::args::RecordingArgs;
use crate::memory;
use crate::partial;
use crate::set_runs::{one_recording, Wanted};
use crate::watch::Watch;

/// One process of a recording. Times are in nanoseconds.
#[derive(Clone, Serialize)]
pub struct ProcessFacts {
    /// Its name for `--process`: its number, followed by `-2` and so on if the number has occurred
    /// before.
    pub process: String,
    pub command: String,
    /// The devices of the run, if it has devices or is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<u32>,
    /// It is this one of them; else their host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    pub wall_ns: f64,
    pub work_ns: f64,
    pub grains: u64,
    pub complete: bool,
    /// Whether the report is about this process.
    pub shown: bool,
}

pub struct Opened {
    pub profile: Profile,
    /// The processes that were read: all processes, or the chosen process.
    pub processes: Vec<ProcessFacts>,
    /// Why each of the other processes could not be read, or what of it is gone, and whether there
    /// were further processes.
    pub unreadable: Vec<String>,
}

/// A note if processes began that are not in the recording.
pub fn not_recorded(directory: &Path) -> Option<&'static str> {
    trace::are_some_not_recorded(directory).then_some(
        "processes that began later are not recorded: the limit was reached (TEFF_TRACE_LIMIT, or the free space of \
         the disk).",
    )
}

/// Opens the process for output about one process. Says which process it is, if there are several
/// and the user has not chosen.
pub fn open(args: &RecordingArgs) -> Result<Profile> {
    open_watched(args, &Watch::default())
}

/// The same; `watch` can be asked meanwhile.
pub fn open_watched(args: &RecordingArgs, watch: &Watch) -> Result<Profile> {
    let opened = read_processes(args, watch)?;
    watch.end();
    opened.note_missing_part();
    if let Some(line) = opened.profile.wholeness.line() {
        say(line);
    }
    for why in &opened.unreadable {
        say(why);
    }
    if let [_, _, ..] = *opened.processes {
        let shown = opened.processes.iter().find(|process| process.shown);
        let name = shown.map_or("", |process| &process.process);
        let count = opened.processes.len();
        let why = if opened.profile.device_constructs.is_empty() {
            "has the most work"
        } else {
            "has used devices"
        };
        say(format!(
            "{count} processes were recorded; this is {name}, which {why}. --process chooses another process, and \
             `teff report` lists them."
        ));
    }
    Ok(opened.profile)
}

pub fn open_with_processes(args: &RecordingArgs) -> Result<Opened> {
    read_processes(args, &Watch::default())
}

fn read_processes(args: &RecordingArgs, watch: &Watch) -> Result<Opened> {
    let directory = one_recording(&args.directory, Wanted::MostThreads)?;
    let args = &RecordingArgs { directory, part: args.part.clone(), process: args.process.clone(), ..*args };
    let mut best: Option<(usize, Profile)> = None;
    let (mut facts, mut damages) = (Vec::new(), Vec::new());
    let Chosen { processes, mut unreadable } = chosen(args)?;
    let alone = processes.len() == 1 && unreadable.is_empty();
    for process in processes {
        let profile = match read(args, &process, watch) {
            Err(failure) if !alone => {
                unreadable.push(format!("process {} is left out: {failure}", process.label));
                continue;
            }
            read => read?,
        };
        facts.push(ProcessFacts::of(&process, &profile));
        damages.push(profile.wholeness.damage());
        let rank = |profile: &Profile| (!profile.device_constructs.is_empty(), profile.work);
        if best.as_ref().is_none_or(|(_, best)| rank(&profile) > rank(best)) {
            best = Some((facts.len() - 1, profile));
        }
    }
    let Some((shown, profile)) = best else {
        unreadable.insert(0, format!("{} holds no process that can be read.", args.directory.display()));
        return Err(Failure::Recording(unreadable.join(" ")));
    };
    facts[shown].shown = true;
    for (of_process, damage) in facts.iter().zip(damages).filter(|(process, _)| !process.shown) {
        unreadable.extend(damage.map(|what| format!("process {} is damaged: {what}.", of_process.process)));
    }
    unreadable.extend(not_recorded(&args.directory).map(str::to_owned));
    Ok(Opened { profile, processes: facts, unreadable })
}

impl Opened {
    /// Notes for the exit status if a part of what the figures rest on is missing.
    pub fn note_missing_part(&self) {
        if !self.unreadable.is_empty() || !self.profile.wholeness.is_whole() {
            partial::note_missing_part();
        }
    }
}

struct Chosen {
    processes: Vec<Process>,
    unreadable: Vec<String>,
}

fn chosen(args: &RecordingArgs) -> Result<Chosen> {
    let found = trace::processes(&args.directory)?;
    let unreadable = found.damaged.iter().map(|error| format!("a process is left out: {error}")).collect();
    let mut processes = found.readable;
    let Some(wanted) = &args.process else { return Ok(Chosen { processes, unreadable }) };
    let labels: Vec<_> = processes.iter().map(|process| process.label.clone()).collect();
    processes.retain(|process| process.label == *wanted);
    if processes.is_empty() {
        return Err(Failure::Usage(format!(
            "{} has no process {wanted}. It has {}.",
            args.directory.display(),
            labels.join(", ")
        )));
    }
    Ok(Chosen { processes, unreadable: Vec::new() })
}

impl ProcessFacts {
    fn of(process: &Process, profile: &Profile) -> Self {
        Self {
            process: process.label.clone(),
            command: process.meta.command.to_string(),
            devices: process.meta.devices,
            device: process.meta.device,
            wall_ns: profile.ns(profile.wall),
            work_ns: profile.ns(profile.work),
            grains: profile.grains.len() as u64,
            complete: profile.complete,
            shown: false,
        }
    }
}

fn read(args: &RecordingArgs, process: &Process, watch: &Watch) -> Result<Profile> {
    let recording = Recording::open(&process.directory)?;
    if !args.any_size {
        memory::check_room(&process.directory, &recording)?;
    }
    let progress = Progress::new(recording.bytes());
    watch.begin(recording.bytes());
    let note = |step| {
        progress.step(step);
        watch.note(step);
    };
    let readers = readers(recording.streams.len())?;
    let selection = args.part.selection();
    let profile = readers.install(|| Profile::of_part(recording, &selection, &note))?;
    check_part(&selection, &profile)?;
    Ok(profile)
}

fn is_backward(selection: &Selection) -> bool {
    selection.from_ns.zip(selection.to_ns).is_some_and(|(from, to)| from >= to)
}

/// Refuses a part in which nothing was recorded.
fn check_part(selection: &Selection, profile: &Profile) -> Result<()> {
    if selection.is_all() || !profile.chosen.is_empty() {
        return Ok(());
    }
    let of_span = |name: &String| !profile.span_names.contains(name);
    let why = match selection.span.as_ref().filter(|name| of_span(name)) {
        Some(name) if profile.span_names.is_empty() => {
            format!("there is no span {name}: the recording has no spans (teff_span_begin in teff.h).")
        }
        Some(name) => format!("there is no span {name}. There are {}.", profile.span_names.join(", ")),
        None if is_backward(selection) => "--from is not before --to.".to_owned(),
        None => "nothing was recorded in this part of the run.".to_owned(),
    };
    Err(Failure::Usage(why))
}

/// A pool with one thread for each stream that can be read at the same time, or only this thread if
/// no other can be created.
pub fn readers(streams: usize) -> Result<ThreadPool> {
    let processors = available_parallelism().map_or(1, NonZero::get);
    let several = ThreadPoolBuilder::new().num_threads(streams.clamp(1, processors)).build();
    let pool = several.or_else(|_| ThreadPoolBuilder::new().num_threads(1).use_current_thread().build());
    pool.map_err(|error| Failure::cannot("read the recording", error))
}
