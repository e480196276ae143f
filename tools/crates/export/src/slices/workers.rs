// SPDX-License-Identifier: Apache-2.0
//! Which worker ran a grain, and when.
//!
//! A grain names the worker on which it ended. A task that was suspended in a wait continues after
//! the wait. If the task is untied, it may continue on another worker, so each wait of a task names
//! the worker on which the task continued. The part of a task before its first wait is assumed to
//! have run on the worker where that wait ended, because no record says more.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use grains::{GrainRow, Profile, Ticks};

use super::bits::Bits;

/// A time for which the task left its worker, and the worker on which it continued.
struct Break {
    begin: Ticks,
    end: Ticks,
    worker: u16,
}

pub struct Workers {
    /// The breaks of the tasks that have any, in order.
    breaks: HashMap<GrainRow, Vec<Break>>,
    /// The tasks that have breaks.
    broken: Bits,
}

impl Workers {
    pub fn of(profile: &Profile) -> Self {
        let grains = &profile.grains;
        let breaking = || {
            let leaves = |task: GrainRow, worker| worker != grains.worker[task];
            profile.waits.iter().filter(move |wait| wait.departures > 0 || leaves(wait.task, wait.worker))
        };
        let broken = Bits::of(grains.len(), breaking().map(|wait| wait.task.number()));
        let mut breaks: HashMap<GrainRow, Vec<Break>> = HashMap::new();
        for wait in profile.waits.iter().filter(|wait| broken.has(wait.task.number())) {
            let of_task = breaks.entry(wait.task).or_default();
            let is_stay = wait.departures == 0;
            let begin = if is_stay { wait.end } else { wait.begin };
            of_task.push(Break { begin, end: wait.end, worker: wait.worker });
        }
        for of_task in breaks.values_mut() {
            of_task.sort_unstable_by_key(|one| (one.end, one.begin));
        }
        Self { breaks, broken }
    }

    fn of_task(&self, grain: GrainRow) -> &[Break] {
        if self.broken.has(grain.number()) {
            self.breaks.get(&grain).map_or(&[], Vec::as_slice)
        } else {
            &[]
        }
    }

    /// A cheap test: for most grains only one worker is possible.
    pub fn may_have_run(&self, profile: &Profile, workers: &RangeInclusive<u16>, grain: GrainRow) -> bool {
        workers.contains(&profile.grains.worker[grain]) || self.broken.has(grain.number())
    }

    /// The worker that ran the grain at that time.
    pub fn at(&self, profile: &Profile, grain: GrainRow, at: Ticks) -> u16 {
        let breaks = self.of_task(grain);
        let behind = breaks.partition_point(|one| one.end <= at);
        let last = breaks.get(behind.saturating_sub(1));
        last.map_or(profile.grains.worker[grain], |one| one.worker)
    }

    /// Calls `put` with each worker of the grain, and with the begin and the end of the grain's
    /// time there.
    pub fn stays(&self, profile: &Profile, grain: GrainRow, mut put: impl FnMut(u16, Ticks, Ticks)) {
        let (mut begin, end) = (profile.grains.start.of(grain), profile.grains.end.of(grain));
        let mut worker = self.at(profile, grain, begin);
        for one in self.of_task(grain) {
            let is_within = begin <= one.begin && one.end <= end;
            if is_within && (one.begin < one.end || one.worker != worker) {
                put(worker, begin, one.begin);
                (begin, worker) = (one.end, one.worker);
            }
        }
        put(worker, begin, end);
    }
}
