// SPDX-License-Identifier: Apache-2.0
//! Whether tasks of higher priority ran earlier: how long tasks of each priority were ready before
//! they ran, and until they ended; and how often they were suspended, were preempted, and preempted
//! other tasks.

use std::collections::{BTreeMap, BTreeSet};

use trace::{RequestEnd, WaitKind};

use crate::overtaken::overtaken;
use crate::preemptions::{preemptions, Preemption};
use crate::ready_since::{Finished, ReadySince};
use crate::tables::{flag, GrainKind, GrainRow, Grains};
use crate::ticks::Ticks;
use crate::Profile;

/// Durations in increasing order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times(pub Vec<Ticks>);

impl Times {
    pub fn sum(&self) -> Ticks {
        self.0.iter().copied().sum()
    }

    pub fn mean(&self) -> Ticks {
        Ticks(self.sum().0 / (self.0.len() as u64).max(1))
    }

    /// The shortest duration that `percent` percent of the durations do not exceed. For 100, this
    /// is the longest duration.
    pub fn percentile(&self, percent: usize) -> Ticks {
        let rank = (self.0.len() * percent).div_ceil(100);
        self.0.get(rank.max(1) - 1).copied().unwrap_or_default()
    }
}

/// The explicit tasks of one priority.
#[derive(Clone, Debug, Default)]
pub struct Priority {
    pub priority: i32,
    /// The time from ready to running, for each task that ran. A task is ready when it has been
    /// created and its predecessors have finished: they have ended, and their events are fulfilled.
    /// Tasks that their creator waits for (undeferred, included) are left out.
    pub delays: Times,
    /// For the same tasks, the time from ready until the task had ended and its event was
    /// fulfilled.
    pub turnarounds: Times,
    /// How many of these tasks were overtaken: a task of lower priority started although this one
    /// was ready ([`crate::overtaken`] has the exact conditions).
    pub overtaken: u64,
    /// How often tasks of this priority left their stack to other tasks during a wait. Yields do
    /// not count.
    pub suspended: u64,
    /// How many tasks of this priority were preempted, and how long each preemption lasted.
    pub preempted_tasks: u64,
    pub away: Times,
    /// How many tasks of this priority preempted other tasks, and how often.
    pub preempting_tasks: u64,
    pub preempting: u64,
    /// For these preemptions: the time from the request until the other task left its worker, where
    /// it is known; and how long the other task had the worker afterwards ([`Preemption::rest`]).
    pub to_switch: Times,
    pub gained: Times,
    /// How often workers were asked to leave their task for a task of this priority; and how many
    /// of these requests were useless: no task gave way, or the task that gave way had less to do
    /// than a preemption costs.
    pub requests: u64,
    pub not_worth: u64,
}

/// One row for each priority, in falling order. Empty if all explicit tasks had the same priority.
pub fn priorities(profile: &Profile) -> Vec<Priority> {
    let grains = &profile.grains;
    let explicit = grains.priority.rows().filter(|&row| grains.kind[row] == GrainKind::Task);
    let mut values = explicit.map(|row| grains.priority[row]);
    let first = values.next();
    if values.all(|priority| Some(priority) == first) {
        return Vec::new();
    }
    let mut table = Table::default();
    table.add_tasks(profile);
    table.add_suspensions(profile);
    let preemptions = preemptions(profile);
    table.add_preemptions(grains, &preemptions);
    table.add_requests(profile, &preemptions);
    table.finish()
}

#[derive(Default)]
struct Table(BTreeMap<i32, Priority>);

impl Table {
    fn row(&mut self, priority: i32) -> &mut Priority {
        self.0.entry(priority).or_insert_with(|| Priority { priority, ..Priority::default() })
    }

    fn of(&mut self, grains: &Grains, task: GrainRow) -> &mut Priority {
        self.row(grains.priority_of(task))
    }

    fn add_tasks(&mut self, profile: &Profile) {
        let grains = &profile.grains;
        let finished = Finished::of(profile);
        let ready_since = ReadySince::of(profile);
        let overtaken = overtaken(profile, &ready_since);
        for row in grains.task_rows() {
            let ran = !grains.has(row, flag::INLINE | flag::UNFINISHED | flag::CANCELLED);
            if grains.kind[row] == GrainKind::Task && ran {
                let ready = ready_since.of_task(row);
                let of_row = self.of(grains, row);
                of_row.delays.0.push(grains.start.of(row) - ready);
                of_row.turnarounds.0.push(finished.of_task(row) - ready);
                of_row.overtaken += u64::from(overtaken[row]);
            }
        }
    }

    fn add_suspensions(&mut self, profile: &Profile) {
        let grains = &profile.grains;
        for wait in profile.waits.iter().filter(|wait| grains.kind[wait.task] == GrainKind::Task) {
            if !matches!(wait.kind, WaitKind::Preempted | WaitKind::Taskyield) {
                self.of(grains, wait.task).suspended += u64::from(wait.departures);
            }
        }
    }

    fn add_preemptions(&mut self, grains: &Grains, preemptions: &[Preemption]) {
        let (mut preempted, mut preempting) = (BTreeSet::new(), BTreeSet::new());
        for one in preemptions {
            let row = self.of(grains, one.preempted);
            row.preempted_tasks += u64::from(preempted.insert(one.preempted));
            row.away.0.push(one.back - one.left);
            let Some(by) = one.by else { continue };
            let row = self.of(grains, by);
            row.preempting_tasks += u64::from(preempting.insert(by));
            row.preempting += 1;
            row.to_switch.0.extend(one.to_switch);
            row.gained.0.push(one.rest);
        }
    }

    fn add_requests(&mut self, profile: &Profile, preemptions: &[Preemption]) {
        for request in &profile.requests {
            let row = self.row(request.priority);
            row.requests += 1;
            row.not_worth += u64::from(request.end != RequestEnd::Preempted);
        }
        let mut costs = Times(preemptions.iter().map(Preemption::cost).collect());
        costs.0.sort_unstable();
        let usual = costs.percentile(50);
        for one in preemptions.iter().filter(|one| one.to_switch.is_some() && one.rest < usual) {
            let Some(by) = one.by else { continue };
            self.of(&profile.grains, by).not_worth += 1;
        }
    }

    fn finish(self) -> Vec<Priority> {
        let mut rows: Vec<_> = self.0.into_values().rev().collect();
        for row in &mut rows {
            for times in
                [&mut row.delays, &mut row.turnarounds, &mut row.away, &mut row.to_switch, &mut row.gained]
            {
                times.0.sort_unstable();
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let of = |times: Vec<u64>| Times(times.into_iter().map(Ticks).collect());
        let ten = of((1..=10).collect());
        assert_eq!([50, 90, 99].map(|percent| ten.percentile(percent).0), [5, 9, 10]);
        assert_eq!([50, 99].map(|percent| of(vec![7]).percentile(percent).0), [7, 7]);
        assert_eq!((of(vec![]).percentile(50).0, of(vec![]).mean().0), (0, 0));
        assert_eq!((of(vec![1, 2, 6]).mean().0, ten.percentile(100).0), (3, 10));
    }
}
