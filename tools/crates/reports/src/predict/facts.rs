// SPDX-License-Identifier: Apache-2.0
//! All results of a prediction, as data. The JSON form prints this; the text form is made from it.

use std::collections::{BTreeMap, HashSet};

use grains::predict::{Cause, Changes, Limit, Point, Predictor};
use grains::units::{percent, time};
use grains::{FulfilInfo, GrainKind, LoopRow, PlaceRow, Profile, Ticks};
use serde::Serialize;
use symbols::{Symbol, Symbols};
use terminal::{Failure, Result};

use super::devices::DevicesFacts;
use super::options::{short, WhatIf};
use super::priorities::PrioritiesFacts;
use super::runs::Asked;
use crate::report::{PartFacts, WholenessFacts};

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct Facts {
    pub schema: &'static str,
    pub version: u32,
    pub command: String,
    pub complete: bool,
    pub lost_records: u64,
    pub wholeness: WholenessFacts,
    /// The part of the run that was recorded, and that is predicted.
    #[serde(flatten)]
    pub part: PartFacts,
    pub replay: Replay,
    pub points: Vec<PointFacts>,
    pub what_if: Vec<ChangeFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_priority: Option<PrioritiesFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<DevicesFacts>,
    pub notes: Vec<String>,
}

/// The result of running the same grains on a modelled machine.
#[derive(Serialize)]
pub struct MachineFacts {
    pub name: String,
    pub cores: u32,
    pub clock_mhz: u32,
    /// The clock of the machine on which the grains are assumed to be recorded; 0: they take as
    /// long as recorded.
    pub work_clock_mhz: u32,
    pub schedule: String,
    pub seed: u64,
    pub points: Vec<MachinePoint>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedFacts>,
}

/// What the machine cannot predict.
#[derive(Serialize)]
pub struct RefusedFacts {
    /// Empty: none.
    pub change: String,
    pub threads: u32,
    pub why: String,
}

#[derive(Serialize)]
pub struct MachinePoint {
    pub threads: u32,
    pub time_ns: f64,
    /// Against one thread of this machine, without changes; none where that cannot be predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
    pub work_ns: f64,
    pub creation_ns: f64,
    /// Tasks that another core ran than the one that created them.
    pub moved: u64,
    /// The number of moves of the runtime's own cache lines between cores.
    pub transfers: u64,
}

/// The recorded set-up, executed by the model, beside what was measured.
#[derive(Serialize)]
pub struct Replay {
    pub threads: u32,
    pub predicted_ns: f64,
    /// Wall time of what was recorded.
    pub measured_ns: f64,
    /// The approximate part of it that was the recorder's work, or passed without a processor. The
    /// model has neither. It has the sleeps of the program that are known as such.
    pub disturbed_ns: f64,
    /// predicted / measured - 1
    pub error: f64,
    /// predicted / (measured - disturbed) - 1
    pub error_undisturbed: f64,
}

#[derive(Serialize)]
pub struct PointFacts {
    pub threads: u32,
    pub workers: u32,
    pub time_ns: f64,
    /// The part of it in which a parallel region was open.
    pub in_parallel_ns: f64,
    /// Against the plain prediction for one thread.
    pub speedup: f64,
    pub work_ns: f64,
    pub creation_ns: f64,
    pub scheduling_ns: f64,
    pub slept_ns: f64,
    /// The bounds: T1 / P, the longest path, and their sum.
    pub work_law_ns: f64,
    pub span_ns: f64,
    pub greedy_bound_ns: f64,
    pub limit: LimitFacts,
    pub lost: Vec<LostFacts>,
}

#[derive(Serialize)]
pub struct LimitFacts {
    pub kind: &'static str,
    #[serde(flatten)]
    pub place: Symbol,
}

#[derive(Serialize)]
pub struct LostFacts {
    pub cause: &'static str,
    #[serde(flatten)]
    pub place: Symbol,
    pub ns: f64,
}

#[derive(Serialize)]
pub struct ChangeFacts {
    pub change: String,
    pub points: Vec<PointFacts>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machine_points: Vec<MachinePoint>,
}

/// An error of the replay above which no other time is trusted.
const MISSED: f64 = 0.25;
/// The part of the work below which an obstacle to prediction does not matter.
const LEAST: f64 = 0.01;

impl Facts {
    pub fn of(
        profile: &Profile,
        predictor: &Predictor,
        symbols: &Symbols,
        threads: &[u32],
        what_ifs: &[WhatIf],
    ) -> Result<Self> {
        let plain = Changes::default();
        let failed = |stuck: grains::predict::Stuck| Failure::Recording(format!("cannot predict: {stuck}"));
        let recorded = predictor.recorded_threads();
        let asked = Asked::of(&[recorded, 1], threads, &plain, what_ifs);
        let points = asked.run(|threads, changes| predictor.point(threads, changes)).map_err(failed)?;
        let alone = points.of(1, &plain).time;
        let one = |threads: u32, changes: &Changes| {
            point_facts(profile, symbols, points.of(threads, changes), alone)
        };
        let curve = |changes: &Changes| -> Vec<PointFacts> {
            threads.iter().map(|&threads| one(threads, changes)).collect()
        };
        let changed = |what: &WhatIf| ChangeFacts {
            change: what.words.clone(),
            points: curve(&what.changes),
            machine_points: Vec::new(),
        };
        let replay = replay(profile, points.of(recorded, &plain));
        // Without a curve, nothing follows from the replay.
        let missed = missed(&replay).filter(|_| !threads.is_empty()).into_iter();
        Ok(Self {
            schema: "teff-predict",
            version: 1,
            command: profile.meta.command.to_string(),
            complete: profile.complete,
            lost_records: profile.lost_records,
            wholeness: WholenessFacts::of(&profile.wholeness),
            part: PartFacts::of(profile),
            replay,
            points: curve(&plain),
            what_if: what_ifs.iter().map(changed).collect(),
            machine: None,
            by_priority: None,
            devices: None,
            notes: missed.chain(notes(profile, predictor, symbols)).collect(),
        })
    }
}

fn replay(profile: &Profile, recorded: &Point) -> Replay {
    let (predicted_ns, measured_ns) = (profile.ns(recorded.time), profile.ns(profile.wall));
    let alone: Ticks = profile.recorder.before.iter().map(|&(begin, end)| end - begin).sum();
    let shared = profile.recorder.total - alone + without_processor(profile);
    let disturbed = profile.ns(alone) + profile.ns(shared) / f64::from(profile.workers.max(1));
    let disturbed_ns = disturbed.min(measured_ns);
    let error = |of: f64| if of > 0.0 { predicted_ns / of - 1.0 } else { 0.0 };
    Replay {
        threads: recorded.threads,
        predicted_ns,
        measured_ns,
        disturbed_ns,
        error: error(measured_ns),
        error_undisturbed: error(measured_ns - disturbed_ns),
    }
}

/// For how long workers with a task to run had no processor, as far as that was not the program's
/// own sleep.
fn without_processor(profile: &Profile) -> Ticks {
    profile.descheduled.total - profile.fragments.all_slept()
}

/// The model knows the wall time of the recorded run: if it does not find it, it finds no other.
fn missed(replay: &Replay) -> Option<String> {
    let error = replay.error_undisturbed;
    (error.abs() > MISSED).then(|| {
        format!(
            "The replay of the recorded run is {} off the time that was measured, so the other times are as \
             uncertain: do not rely on them. Most often other programs kept the threads from running when it was \
             recorded. Record again on a quiet machine.",
            percent(error.abs(), 1.0)
        )
    })
}

fn point_facts(profile: &Profile, symbols: &Symbols, point: &Point, alone: Ticks) -> PointFacts {
    let ns = |ticks| profile.ns(ticks);
    let lost = point.lost.iter().map(|&(cause, row, ticks)| LostFacts {
        cause: cause_name(cause),
        place: symbols.of(row),
        ns: ns(ticks),
    });
    PointFacts {
        threads: point.threads,
        workers: point.workers,
        time_ns: ns(point.time),
        in_parallel_ns: ns(point.in_parallel),
        speedup: if point.time == Ticks::ZERO { 1.0 } else { alone.0 as f64 / point.time.0 as f64 },
        work_ns: ns(point.work),
        creation_ns: ns(point.creation),
        scheduling_ns: ns(point.scheduling),
        slept_ns: ns(point.slept),
        work_law_ns: ns(point.work_law()),
        span_ns: ns(point.span),
        greedy_bound_ns: ns(point.greedy_bound()),
        limit: limit_facts(symbols, point),
        lost: lost.collect(),
    }
}

pub(super) fn limit_facts(symbols: &Symbols, point: &Point) -> LimitFacts {
    let (kind, row) = match point.limit() {
        Limit::Work => ("work", None),
        Limit::Sleep => ("sleep", None),
        Limit::Span => ("span", None),
        Limit::Runtime => ("runtime", None),
        Limit::Lost(cause, row) => (cause_name(cause), row),
    };
    LimitFacts { kind, place: symbols.of(row) }
}

fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Devices => "devices",
        Cause::Serial => "serial",
        Cause::Lock => "lock",
        Cause::Producer => "producer",
        Cause::Region => "region",
    }
}

fn notes(profile: &Profile, predictor: &Predictor, symbols: &Symbols) -> Vec<String> {
    let mut notes = symbols.notes(profile);
    notes.extend(disturbed(profile));
    notes.extend(asleep(profile));
    notes.extend(teams_at_once(predictor));
    notes.extend(undivided(profile, predictor, symbols));
    notes.extend(trust(profile));
    notes
}

/// For each such loop of the program, however often it was met.
fn undivided(profile: &Profile, predictor: &Predictor, symbols: &Symbols) -> Vec<String> {
    let mut work = BTreeMap::<(bool, Option<PlaceRow>), Ticks>::new();
    let undivided: HashSet<LoopRow> = predictor.undivided_loops().into_iter().collect();
    for (row, chunk) in profile.chunks.entries() {
        if undivided.contains(&chunk.loop_row) {
            let place = profile.loops[chunk.loop_row].place;
            *work.entry((place.is_none(), place)).or_default() +=
                profile.grains.work.of(profile.grains.of_chunk(row));
        }
    }
    let whole = profile.work.0 as f64;
    work.retain(|_, work| work.0 as f64 > LEAST * whole);
    let note = |((_, place), work): ((bool, Option<PlaceRow>), Ticks)| {
        format!(
            "The loop at {} has {} of the work. It was recorded on one thread, as one chunk whose iterations take \
             turns, wait for each other, create tasks or hold locks. So in the prediction one thread does all of the \
             loop, on any number of threads, and the real program may be much faster. Record on 2 threads or more \
             (OMP_NUM_THREADS=2): then the loop has at least one chunk for each thread.",
            short(&symbols.of(place)),
            percent(work.0 as f64, whole)
        )
    };
    work.into_iter().map(note).collect()
}

/// The page of `teff view` has the report's own words for it.
fn disturbed(profile: &Profile) -> Option<String> {
    let without = profile.ns(without_processor(profile));
    let undecided = profile.ns(profile.descheduled.undecided).min(without);
    let whole = profile.ns(profile.wall) * f64::from(profile.workers);
    (without > LEAST * whole).then(|| {
        let mut text = format!(
            "When it was recorded, workers with a task to run were without a processor for {}, {} of their time. This \
             time is subtracted from each grain as far as it is known, but all figures are less certain. Record on a \
             quiet machine, with no more threads than processors.",
            time(without),
            percent(without, whole)
        );
        if undecided > LEAST * whole {
            text.push_str(&format!(
                " For {} of it, the recording does not say whether the program slept or lost its processors: if it \
                 slept, all predicted times are too short.",
                time(undecided)
            ));
        }
        text
    })
}

/// The model has the sleeps, but not what they were for.
fn asleep(profile: &Profile) -> Option<String> {
    let slept = profile.ns(profile.fragments.all_slept());
    let whole = profile.ns(profile.wall) * f64::from(profile.workers);
    (slept > LEAST * whole).then(|| {
        format!(
            "The program slept for {} in its own code, {} of its threads' time: in a system call, or for a lock that is \
             not OpenMP's. In the prediction each sleep takes as long as recorded, on any number of threads, and its \
             thread does nothing else. The real program differs if one of its threads waits for another there.",
            time(slept),
            percent(slept, whole)
        )
    })
}

fn teams_at_once(predictor: &Predictor) -> Option<String> {
    let teams = predictor.teams_at_once();
    (teams > 1).then(|| {
        format!(
            "{teams} threads of the program had regions of their own at the same time. In the prediction each of them has \
             a team of the number of threads given above, and a processor for each thread of each team. With fewer \
             processors the real program is slower. Threads of the program begin when they began in the recording.",
        )
    })
}

/// The parts of the program about which the model knows little.
pub fn trust(profile: &Profile) -> Vec<String> {
    let mut notes = Vec::new();
    let grains = &profile.grains;
    let implicit = grains.task_rows().filter(|&row| grains.kind[row] == GrainKind::Implicit);
    let of_threads: Ticks = implicit.map(|row| grains.work.of(row)).sum();
    let shares: Ticks = profile.shares.iter().map(|share| share.divided(&profile.fragments)).sum();
    let own = of_threads - shares;
    let whole = profile.work.0 as f64;
    if own.0 as f64 > LEAST * whole {
        notes.push(format!(
            "{} of the work is done by the regions' threads outside of tasks and chunks: before they ask for the size \
             of their team, alone, or with a lock. This work keeps the number of threads that it had.",
            percent(own.0 as f64, whole)
        ));
    }
    if shares.0 as f64 > LEAST * whole {
        notes.push(format!(
            "{} of the work is what threads do after asking for the size of their team or for their part of a loop, as \
             in loops with schedule(static) that the compiler has divided. The prediction divides this work evenly \
             among any number of threads. The real program is slower than the prediction, and than the span, if the \
             iterations are few or differ, if each thread does all of the work, or if the region depends on its number \
             of threads.",
            percent(shares.0 as f64, whole)
        ));
    }
    let on_devices = profile.device_constructs.iter().filter(|construct| construct.is_deferred);
    let on_devices: HashSet<_> = on_devices.filter_map(|construct| construct.task).collect();
    let is_unknown = |fulfil: &FulfilInfo| fulfil.by.is_none() && !on_devices.contains(&fulfil.task);
    if profile.fulfils.iter().any(|fulfil| is_unknown(fulfil) && fulfil.late) {
        notes.push(
            "Events that no task fulfilled are treated as fulfilled at the end of the detachable task's body.".to_owned(),
        );
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_that_is_far_off_is_not_trusted() {
        let replay = |error_undisturbed| Replay {
            threads: 2,
            predicted_ns: 551e6,
            measured_ns: 3.7e9,
            disturbed_ns: 0.0,
            error: -0.85,
            error_undisturbed,
        };
        assert_eq!(missed(&replay(-0.04)), None);
        assert!(missed(&replay(-0.85)).unwrap().starts_with("The replay of the recorded run is 85 % off"));
        assert!(missed(&replay(0.5)).is_some());
    }
}
