// SPDX-License-Identifier: Apache-2.0
//! Whether tasks of higher priority ran earlier: how long tasks of each priority were ready before
//! they ran, and what kept them from running afterwards.

use std::collections::BTreeMap;

use trace::WaitKind;

use crate::tables::{flag, GrainKind, Grains};
use crate::ticks::Ticks;
use crate::Profile;

/// The explicit tasks of one priority.
#[derive(Clone, Debug, Default)]
pub struct Priority {
    pub priority: i32,
    /// From ready to running, of each task that ran, in increasing order. A task is ready when it
    /// has been created and what it depends on has finished: its predecessors have ended, and their
    /// events are fulfilled. Tasks that their creator waits for (undeferred, included) have none.
    pub delays: Vec<Ticks>,
    /// How often such tasks were preempted.
    pub preempted: u64,
    /// How often they left their stack to others in a wait. A yield is none.
    pub suspended: u64,
}

impl Priority {
    pub fn mean(&self) -> Ticks {
        let sum: Ticks = self.delays.iter().copied().sum();
        Ticks(sum.0 / (self.delays.len() as u64).max(1))
    }

    /// The shortest delay that `percent` percent of the tasks do not exceed.
    pub fn percentile(&self, percent: usize) -> Ticks {
        let rank = (self.delays.len() * percent).div_ceil(100);
        self.delays.get(rank.max(1) - 1).copied().unwrap_or_default()
    }
}

/// By falling priority. Empty if priorities did not matter: no task had one above 0, and none was
/// preempted.
pub fn priorities(profile: &Profile) -> Vec<Priority> {
    let matter = profile.grains.priority.iter().any(|&priority| priority > 0)
        || profile.waits.iter().any(|wait| wait.kind == WaitKind::Preempted);
    if !matter {
        return Vec::new();
    }
    let mut table = Table::default();
    table.add_delays(profile);
    table.add_waits(profile);
    table.finish()
}

#[derive(Default)]
struct Table(BTreeMap<i32, Priority>);

impl Table {
    fn of(&mut self, grains: &Grains, task: u32) -> &mut Priority {
        let priority = grains.priority_of(task);
        self.0.entry(priority).or_insert_with(|| Priority { priority, ..Priority::default() })
    }

    fn add_delays(&mut self, profile: &Profile) {
        let grains = &profile.grains;
        for (row, ready) in (0u32..).zip(ready(profile)) {
            let ran = !grains.has(row, flag::INLINE | flag::UNFINISHED | flag::CANCELLED);
            if grains.kind[row as usize] == GrainKind::Task && ran {
                self.of(grains, row).delays.push(grains.start[row as usize] - ready);
            }
        }
    }

    fn add_waits(&mut self, profile: &Profile) {
        for wait in &profile.waits {
            if profile.grains.kind[wait.task as usize] != GrainKind::Task {
                continue;
            }
            let priority = self.of(&profile.grains, wait.task);
            match wait.kind {
                WaitKind::Preempted => priority.preempted += 1,
                WaitKind::Taskyield => {}
                _ => priority.suspended += u64::from(wait.departures),
            }
        }
    }

    fn finish(self) -> Vec<Priority> {
        let mut rows: Vec<_> = self.0.into_values().rev().collect();
        for row in &mut rows {
            row.delays.sort_unstable();
        }
        rows
    }
}

/// When each task was ready.
pub(crate) fn ready(profile: &Profile) -> Vec<Ticks> {
    let grains = &profile.grains;
    let mut finished = grains.end[..grains.tasks].to_vec();
    for fulfil in profile.fulfils.iter().filter(|fulfil| fulfil.late) {
        finished[fulfil.task as usize] = finished[fulfil.task as usize].max(fulfil.when);
    }
    let mut ready: Vec<_> = (0..grains.tasks).map(|row| grains.create[row] + grains.creation[row]).collect();
    for &(predecessor, successor) in &profile.edges {
        ready[successor as usize] = ready[successor as usize].max(finished[predecessor as usize]);
    }
    ready
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let of = |delays: Vec<u64>| Priority {
            delays: delays.into_iter().map(Ticks).collect(),
            ..Priority::default()
        };
        let ten = of((1..=10).collect());
        assert_eq!([50, 90, 99].map(|percent| ten.percentile(percent).0), [5, 9, 10]);
        assert_eq!([50, 99].map(|percent| of(vec![7]).percentile(percent).0), [7, 7]);
        assert_eq!((of(vec![]).percentile(50).0, of(vec![]).mean().0), (0, 0));
        assert_eq!(of(vec![1, 2, 6]).mean().0, 3);
    }
}
