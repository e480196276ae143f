// SPDX-License-Identifier: Apache-2.0
//! What is known of a recording before it is read: the sums that the recorder has kept beside the
//! records (`trace::StreamSums`, decision 0054).
//!
//! The sums know lengths, and nothing of what happened at the same time. So the time budget has
//! three parts, which make up all of the workers' time: the program's code, the creation of tasks
//! and what loops take beside their chunks, and the rest. Counts are exact. A time has an error,
//! which `error_ns` limits: what the report takes away because single records tell it where.

use std::collections::BTreeMap;

use serde::Serialize;
use trace::{Process, Recording, StreamSums, Sums};

use crate::args::RecordingArgs;

/// Smaller recordings are read about as fast as their sums are printed.
const WORTHWHILE_BYTES: u64 = 32 << 20;

/// Of one process. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct FirstFacts {
    /// As in `ProcessFacts`.
    pub process: String,
    pub command: String,
    /// Of the files of its streams.
    pub bytes: u64,
    pub workers: u64,
    /// Usable by the process.
    pub processors: u32,
    /// `null`: the program has not ended in order, so this is not known yet.
    pub wall_ns: Option<f64>,
    pub cpu_ns: Option<f64>,
    /// `null`: an earlier runtime wrote the recording.
    pub counts: Option<FirstCounts>,
    /// `null`: for the reason that `without_times` gives.
    pub times: Option<FirstTimes>,
    /// A sentence; empty if there are times.
    pub without_times: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FirstCounts {
    /// Explicit tasks.
    pub tasks: u64,
    /// Implicit and initial tasks.
    pub implicit: u64,
    pub chunks: u64,
    pub regions: u64,
    pub loops: u64,
    pub waits: u64,
    pub dependences: u64,
}

/// Parts of the time of all workers (`wall_ns` x `workers`).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FirstTimes {
    pub whole_ns: f64,
    /// In the program's code: tasks, chunks, and serial parts.
    pub work_ns: f64,
    /// Creating tasks, and what loops take beside their chunks.
    pub creation_ns: f64,
    /// Waiting, or without a task.
    pub rest_ns: f64,
    /// Of the rest: asleep.
    pub asleep_ns: f64,
    /// By so much each of these may differ from the report's.
    pub error_ns: f64,
}

/// The processes that are going to be read, if the recording is so large that this takes a while.
/// Empty: it is not, or only a part of it is asked for. What is wrong with a recording is the
/// matter of who reads it.
pub fn first(args: &RecordingArgs) -> Vec<FirstFacts> {
    if !args.part.selection().is_all() || trace::is_set(&args.directory) {
        return Vec::new();
    }
    let Ok(found) = trace::processes(&args.directory) else { return Vec::new() };
    let wanted = |process: &&Process| args.process.as_ref().is_none_or(|name| *name == process.label);
    let wanted: Vec<_> = found.readable.iter().filter(wanted).collect();
    let bytes = wanted.iter().filter_map(|process| trace::stream_bytes(&process.directory).ok());
    if bytes.sum::<u64>() < WORTHWHILE_BYTES {
        return Vec::new();
    }
    wanted.into_iter().filter_map(|process| of_process(process).ok()).collect()
}

fn of_process(process: &Process) -> Result<FirstFacts, trace::Error> {
    let recording = Recording::open(&process.directory)?;
    let streams = recording.streams.iter().map(StreamSums::of).collect::<Result<Vec<_>, _>>()?;
    Ok(FirstFacts::of(process, &recording, &streams))
}

impl FirstFacts {
    fn of(process: &Process, recording: &Recording, streams: &[Option<StreamSums>]) -> Self {
        let (meta, end) = (&process.meta, recording.end.as_ref());
        let ns_per_tick = ns_per_tick(recording);
        let known: Option<Vec<StreamSums>> = streams.iter().copied().collect();
        let counts = known.as_deref().map(FirstCounts::of);
        let times = match &known {
            None => Err("An earlier version of Teff recorded this, without sums.".to_owned()),
            Some(known) => FirstTimes::of(recording, known, ns_per_tick),
        };
        let workers = recording.streams.len().max(1) as f64;
        let wall_ns = times.as_ref().ok().map(|times| times.whole_ns / workers);
        let (times, without_times) = match times.and_then(FirstTimes::if_telling) {
            Ok(times) => (Some(times), String::new()),
            Err(why) => (None, why),
        };
        Self {
            process: process.label.clone(),
            command: meta.command.to_string(),
            bytes: recording.bytes(),
            workers: recording.streams.len() as u64,
            processors: meta.processors,
            wall_ns,
            cpu_ns: end.map(|end| end.cpu_ns as f64).filter(|&ns| ns > 0.0),
            counts,
            times,
            without_times,
        }
    }
}

/// Between the start of the recording and its end, as the report has it where both are known.
fn ns_per_tick(recording: &Recording) -> f64 {
    trace::Clock::of(&recording.meta, recording.end.as_ref(), []).ns(trace::Ticks(1))
}

impl FirstCounts {
    fn of(streams: &[StreamSums]) -> Self {
        let sums = all(streams);
        Self {
            tasks: sums.tasks,
            implicit: sums.implicit_tasks,
            chunks: sums.chunks,
            regions: sums.regions,
            loops: sums.loops,
            waits: sums.waits,
            dependences: sums.dependences,
        }
    }
}

fn all(streams: &[StreamSums]) -> Sums {
    streams.iter().fold(Sums::default(), |sums, stream| sums.plus(stream.sums))
}

/// The error, as a part of the workers' time, beyond which the parts tell nothing.
const LARGEST_ERROR: f64 = 0.5;

impl FirstTimes {
    fn if_telling(self) -> Result<Self, String> {
        if self.error_ns <= LARGEST_ERROR * self.whole_ns {
            return Ok(self);
        }
        Err("Recording, and time without a processor, took so much of the run that its parts follow."
            .to_owned())
    }

    /// Why there are none, else.
    fn of(recording: &Recording, streams: &[StreamSums], ns_per_tick: f64) -> Result<Self, String> {
        let Some(end) = &recording.end else {
            return Err("The program did not end in order, so the times follow from what it left.".to_owned());
        };
        let sums = all(streams);
        let lost = streams.iter().any(|stream| stream.lost_records > 0) || end.lost_records > 0;
        if sums.windows > 0 || end.every > 0 {
            return Err("Only parts of the run were recorded: the times of these parts follow.".to_owned());
        }
        if lost || streams.iter().any(|stream| stream.lacks_first) {
            return Err("Only a part of the records is there: the times follow.".to_owned());
        }
        let (start, end_at) = (recording.meta.start_ticks, end.end_ticks);
        let since = |ticks: u64| ticks as i64 as f64; // a difference
        let open = |count: u64| (count as i64).wrapping_mul(end_at as i64) as u64;
        let initial = open(sums.open_initial_tasks).wrapping_sub(sums.initial_tasks_began);
        // The program's serial part before its first construct.
        let before = match sums.first_initial_task {
            0 => 0,
            first => first.saturating_sub(start),
        };
        let regions = sums.in_regions.wrapping_add(open(sums.open_regions));
        let beside = since(sums.creation) + since(sums.beside_chunks).max(0.0);
        let in_tasks = since(sums.in_tasks.wrapping_add(initial).wrapping_add(before).wrapping_sub(regions));
        let whole = end_at.saturating_sub(start) as f64 * streams.len() as f64;
        let work = (in_tasks - beside).clamp(0.0, whole);
        let rest = (whole - work - beside).max(0.0);
        let ns = |ticks: f64| ticks * ns_per_tick;
        Ok(Self {
            whole_ns: ns(whole),
            work_ns: ns(work),
            creation_ns: ns(beside),
            rest_ns: ns(rest),
            asleep_ns: ns(since(sums.idle)),
            error_ns: ns(error(recording, streams, (end_at, ns_per_tick))),
        })
    }
}

/// In ticks: what the report takes out of the parts. That is what recording has cost, up to the end
/// of the recording, and the time in which threads had no processor.
fn error(recording: &Recording, streams: &[StreamSums], (end, ns_per_tick): (u64, f64)) -> f64 {
    let (meta, sums) = (&recording.meta, all(streams));
    let cost = |name: &str, count: u64| {
        let of = |costs: &BTreeMap<String, f64>| costs.get(name).copied().unwrap_or_default().max(0.0);
        (of(&meta.record_cost_ticks) + of(&meta.record_cost_within_ticks)) * count as f64
    };
    let tasks = sums.tasks.saturating_add(sums.implicit_tasks);
    let records = cost("create", tasks)
        + cost("run", tasks)
        + cost("wait", sums.waits)
        + cost("dep", sums.dependences)
        + cost("chunk", sums.chunks)
        + cost("loop", sums.loops)
        + cost("region", sums.regions)
        + cost("region_end", sums.regions);
    let whole = end.saturating_sub(meta.start_ticks) as f64;
    let off = streams.iter().map(|stream| {
        if stream.tells_off {
            return stream.sums.off as f64;
        }
        // At most all the time in which the thread neither ran nor slept for want of a task.
        (whole - stream.cpu_ns as f64 / ns_per_tick - stream.sums.idle as f64).max(0.0)
    });
    let recorder = streams.iter().map(|stream| stream.recorder as f64);
    let last = streams.iter().map(|stream| stream.last.0).max().unwrap_or(end);
    records + off.sum::<f64>() + recorder.sum::<f64>() + end.saturating_sub(last) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_a_large_error_are_not_shown() {
        let times = FirstTimes {
            whole_ns: 100.0,
            work_ns: 50.0,
            creation_ns: 0.0,
            rest_ns: 50.0,
            asleep_ns: 0.0,
            error_ns: 50.0,
        };
        assert!(times.if_telling().is_ok());
        assert!(FirstTimes { error_ns: 51.0, ..times }
            .if_telling()
            .is_err_and(|why| why.contains("took so much")));
    }
}
