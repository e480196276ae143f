// SPDX-License-Identifier: Apache-2.0
//! Reads the profile of one process of a recording, by the recording's name.
//!
//! A recording of several processes is read process by process, with at most two in memory: the
//! present one, and the best one so far. Unless the user chooses, the host of devices is preferred,
//! and then the process with the most work.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

use grains::{Profile, Selection};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use terminal::progress::Progress;
use terminal::{say, Failure, Result};
use trace::{ClockFacts, DeviceClock, Meta, Process, Recording};

use crate::args::RecordingArgs;
use crate::device_clocks::device_clocks;
use crate::memory::{self, Purpose};
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
    /// Of a device whose clock was compared with the host's: its times here are the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockFacts>,
    pub wall_ns: f64,
    pub work_ns: f64,
    pub grains: u64,
    pub complete: bool,
    /// Whether the report is about this process.
    pub shown: bool,
}

/// A process of a recording, read or not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedProcess {
    /// Its name for `--process`.
    pub process: String,
    pub command: String,
}

pub struct Opened {
    pub profile: Profile,
    /// All processes of the recording whose names and commands can be read, also those that were
    /// not chosen, in the order in which they began.
    pub named: Vec<NamedProcess>,
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
pub fn open(args: &RecordingArgs, purpose: Purpose) -> Result<Profile> {
    Ok(open_watched(args, purpose, &Watch::default())?.profile)
}

/// The same with what is known of the processes; `watch` can be asked meanwhile.
pub fn open_watched(args: &RecordingArgs, purpose: Purpose, watch: &Watch) -> Result<Opened> {
    let opened = read_processes(args, purpose, watch)?;
    watch.end();
    opened.note_missing_part();
    if let Some(line) = opened.profile.wholeness.line() {
        say(line);
    }
    for why in opened.unreadable.iter().chain(&opened.own_clock()) {
        say(why);
    }
    if let [_, _, ..] = *opened.processes {
        let name = opened.shown();
        let count = opened.processes.len();
        let why = if is_host(&opened.profile) { "is the host of the devices" } else { "has the most work" };
        say(format!(
            "{count} processes were recorded; this is {name}, which {why}. --process chooses another process, and \
             `teff report` lists them."
        ));
    }
    Ok(opened)
}

pub fn open_with_processes(args: &RecordingArgs, purpose: Purpose) -> Result<Opened> {
    read_processes(args, purpose, &Watch::default())
}

fn read_processes(args: &RecordingArgs, purpose: Purpose, watch: &Watch) -> Result<Opened> {
    let directory = one_recording(&args.directory, Wanted::MostThreads)?;
    let args = &RecordingArgs { directory, part: args.part.clone(), process: args.process.clone(), ..*args };
    let mut best: Option<(usize, Profile)> = None;
    let (mut facts, mut damages) = (Vec::new(), Vec::new());
    let Chosen { processes, named, clocks, mut unreadable } = chosen(args)?;
    let alone = processes.len() == 1 && unreadable.is_empty();
    for process in processes {
        let profile = match read(args, &process, &clocks, purpose, watch) {
            Err(failure) if !alone => {
                unreadable.push(format!("process {} is left out: {failure}", process.label));
                continue;
            }
            read => read?,
        };
        facts.push(ProcessFacts::of(&process, &profile));
        damages.push(profile.wholeness.damage());
        let rank = |profile: &Profile| (is_host(profile), profile.work);
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
    if args.process.is_none() {
        unreadable.extend(missing_host(&profile));
        unreadable.extend(missing_devices(&profile, &facts).filter(|_| facts.len() > 1));
    }
    Ok(Opened { profile, named, processes: facts, unreadable })
}

/// Also if it was killed before a construct on a device had ended.
pub(crate) fn is_host(profile: &Profile) -> bool {
    let Meta { devices, device, .. } = profile.meta;
    devices.is_some() && device.is_none() || !profile.device_constructs.is_empty()
}

/// Over sockets, the host and its devices are processes of one recording. If a device is shown,
/// none of them is the host.
fn missing_host(shown: &Profile) -> Option<String> {
    let Meta { device, device_transport, .. } = &shown.meta;
    device.filter(|_| device_transport.as_deref() == Some("sockets")).map(|device| {
        format!("the host's part of this recording is missing: this is device {device}, and nothing says what it was for.")
    })
}

/// The devices that ran regions of the shown process and have no recording among the processes.
fn missing_devices(host: &Profile, processes: &[ProcessFacts]) -> Option<String> {
    let of_regions = host.device_constructs.iter().filter(|construct| construct.ran());
    let used: BTreeSet<u32> = of_regions.map(|construct| construct.device).collect();
    let is_there = |device: &u32| processes.iter().any(|process| process.device == Some(*device));
    let missing: Vec<_> =
        used.into_iter().filter(|device| !is_there(device)).map(|device| device.to_string()).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "{} {} ran regions and left no recording that can be read: what went on inside them is missing, and what the \
             host has recorded of them is there.",
            if missing.len() == 1 { "device" } else { "devices" },
            missing.join(", ")
        )
    })
}

impl Opened {
    /// The name of the process that the profile is about.
    pub fn shown(&self) -> &str {
        self.processes.iter().find(|process| process.shown).map_or("", |process| &process.process)
    }

    /// A line for a device whose times cannot be shown by the host's clock.
    pub fn own_clock(&self) -> Option<String> {
        let device = self.profile.meta.device.filter(|_| self.profile.clocks.of_host.is_none())?;
        Some(format!(
            "the times of device {device} count from its own start, by its own clock: nothing here compares it with the \
             host's."
        ))
    }

    /// Notes for the exit status if a part of what the figures rest on is missing.
    pub fn note_missing_part(&self) {
        if !self.unreadable.is_empty() || !self.profile.wholeness.is_whole() {
            partial::note_missing_part();
        }
    }
}

struct Chosen {
    processes: Vec<Process>,
    named: Vec<NamedProcess>,
    /// By number of device.
    clocks: BTreeMap<u32, DeviceClock>,
    unreadable: Vec<String>,
}

fn chosen(args: &RecordingArgs) -> Result<Chosen> {
    let found = trace::processes(&args.directory)?;
    let unreadable = found.damaged.iter().map(|error| format!("a process is left out: {error}")).collect();
    let mut processes = found.readable;
    let named = processes.iter().map(NamedProcess::of).collect();
    let clocks = readers(processes.len())?.install(|| device_clocks(&processes));
    let Some(wanted) = &args.process else { return Ok(Chosen { processes, named, clocks, unreadable }) };
    let labels: Vec<_> = processes.iter().map(|process| process.label.clone()).collect();
    processes.retain(|process| process.label == *wanted);
    if processes.is_empty() {
        return Err(Failure::Usage(format!(
            "{} has no process {wanted}. It has {}.",
            args.directory.display(),
            labels.join(", ")
        )));
    }
    Ok(Chosen { processes, named, clocks, unreadable: Vec::new() })
}

impl NamedProcess {
    fn of(process: &Process) -> Self {
        Self { process: process.label.clone(), command: process.meta.command.to_string() }
    }
}

impl ProcessFacts {
    fn of(process: &Process, profile: &Profile) -> Self {
        Self {
            process: process.label.clone(),
            command: process.meta.command.to_string(),
            devices: process.meta.devices,
            device: process.meta.device,
            clock: profile.clocks.of_host.map(|clock| clock.facts),
            wall_ns: profile.ns(profile.wall),
            work_ns: profile.ns(profile.work),
            grains: profile.grains.len() as u64,
            complete: profile.complete,
            shown: false,
        }
    }
}

fn read(
    args: &RecordingArgs,
    process: &Process,
    clocks: &BTreeMap<u32, DeviceClock>,
    purpose: Purpose,
    watch: &Watch,
) -> Result<Profile> {
    let mut recording = Recording::open(&process.directory)?;
    match (process.meta.devices, process.meta.device) {
        (_, Some(number)) => recording.clocks.of_host = clocks.get(&number).copied(),
        (Some(_), None) => recording.clocks.of_devices.clone_from(clocks),
        (None, None) => {}
    }
    if !args.any_size {
        memory::check_room(&process.directory, &recording, purpose)?;
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
