// SPDX-License-Identifier: Apache-2.0
//! Ends the implicit tasks that were at work when a window ended: recording ends in the middle of
//! regions, so nothing tells how far these tasks came.
//!
//! Of the implicit tasks that a thread began in a window, only the last one can have been at work
//! at the window's end. It was, unless the thread's last record of another task is later than its
//! own last record: then it was waiting, and ran other tasks meanwhile. A wait that goes on when a
//! window ends has a record until then. It has none if the program ended before the wait did, or if
//! it was a creator's for a task that it ran at once: then the time since the task's last record
//! counts as work.

use std::collections::{BTreeMap, HashMap, HashSet};

use trace::layout::UNKNOWN_CPU;
use trace::{RegionId, Run, TaskId};

use crate::load::{At, StreamEvents};
use crate::ticks::Ticks;
use crate::windows::Windows;

/// An implicit task that has no end, the last one that its thread began in some window.
struct Still {
    task: TaskId,
    region: RegionId,
    begin: Ticks,
    end: Ticks,
    /// Where the last record of its own ends, and where the last run of another task does.
    own: Ticks,
    other: Ticks,
}

/// All times of `streams` are times in windows already.
pub(crate) fn end_at_windows(streams: &mut [StreamEvents], windows: &Windows) {
    let ends: Vec<Ticks> = windows.parts().map(|part| windows.until(part.to)).collect();
    let ran: HashSet<TaskId> =
        streams.iter().flat_map(|stream| &stream.runs).map(|run| run.record.task).collect();
    for stream in streams {
        let mut last = last_begun(stream, &ends);
        last.retain(|_, still| !ran.contains(&still.task));
        look_at_others(stream, &ends, &mut last);
        look_at_own(stream, &mut last);
        let at_work = last.into_values().filter(|still| still.other <= still.own.max(still.begin));
        stream.runs.extend(at_work.map(|still| {
            let Still { task, region, begin, end, .. } = still;
            let run = Run { task, ticks: (end - begin).0, region, cpu: UNKNOWN_CPU, ..Run::default() };
            At { at: begin, record: run }
        }));
    }
}

/// The row of the window, by the ends of all windows.
fn row(ends: &[Ticks], at: Ticks) -> usize {
    ends.partition_point(|&end| end <= at)
}

fn last_begun(stream: &StreamEvents, ends: &[Ticks]) -> BTreeMap<usize, Still> {
    let mut last: BTreeMap<usize, Still> = BTreeMap::new();
    for &At { at, record: (task, region) } in &stream.starts {
        let row = row(ends, at);
        let Some(&end) = ends.get(row).filter(|_| !region.is_none()) else { continue };
        if last.get(&row).is_none_or(|still| still.begin <= at) {
            let (own, other) = (Ticks::ZERO, Ticks::ZERO);
            last.insert(row, Still { task, region, begin: at, end, own, other });
        }
    }
    last
}

fn look_at_others(stream: &StreamEvents, ends: &[Ticks], last: &mut BTreeMap<usize, Still>) {
    for At { at, record } in &stream.runs {
        let Some(still) = last.get_mut(&row(ends, *at)) else { continue };
        if *at >= still.begin {
            still.other = still.other.max(*at + Ticks(record.ticks));
        }
    }
}

fn look_at_own(stream: &StreamEvents, last: &mut BTreeMap<usize, Still>) {
    let mut own: HashMap<TaskId, &mut Ticks> =
        last.values_mut().map(|still| (still.task, &mut still.own)).collect();
    let mut note = |task: TaskId, until: Ticks| {
        if let Some(own) = own.get_mut(&task) {
            **own = (**own).max(until);
        }
    };
    for At { at, record } in &stream.waits {
        note(record.wait.task, *at + Ticks(record.wait.ticks));
    }
    for At { at, record } in &stream.chunks {
        note(record.task, *at + Ticks(record.ticks));
    }
    for At { at, record } in &stream.locks {
        note(record.task, *at + Ticks(record.held));
    }
    for At { at, record } in &stream.creates {
        note(record.parent, *at);
    }
    let parents: HashMap<RegionId, TaskId> =
        stream.regions.iter().map(|region| (region.record.region, region.record.parent)).collect();
    for At { at, record } in &stream.region_ends {
        note(parents.get(record).copied().unwrap_or_default(), *at);
    }
}
