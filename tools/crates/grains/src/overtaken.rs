// SPDX-License-Identifier: Apache-2.0
//! Which tasks were overtaken: a task of lower priority started although this one was ready.
//!
//! A worker chooses its next task between the end of the fragment that it ran before and the start
//! of the task. If the fragment was preempted, the worker chooses before the fragment ends, and
//! certainly after it began. The choice is not recorded. So a task counts as overtaken only if it
//! was ready before the earliest time of the choice, and if the worker that ran it later was still
//! busy when the other task started. Otherwise one of the two workers may have chosen just before
//! the other. For the same reason, a task counts as ready only when its creator has continued: the
//! creator may have lost its processor before it queued the task.

use std::collections::HashSet;

use trace::WaitKind;

use crate::ready_since::ReadySince;
use crate::tables::{flag, GrainKind, GrainRow, Grains};
use crate::ticks::Ticks;
use crate::{Column, Profile};

/// A task that a worker chose.
struct Start {
    task: GrainRow,
    priority: i32,
    at: Ticks,
    /// The earliest time at which the worker may have chosen the task.
    free: Ticks,
}

/// For each task, whether it was overtaken. `ready` has the time at which each task was ready.
/// Tasks that their creator waits for (undeferred, included) neither overtake nor are overtaken.
pub(crate) fn overtaken(profile: &Profile, ready: &ReadySince) -> Column<Grains, bool> {
    let continued = continued(profile);
    let mut starts = starts(profile);
    starts.sort_unstable_by_key(|start| start.priority);
    let mut frees: Vec<_> = starts.iter().map(|start| start.free).collect();
    frees.sort_unstable();
    let mut lower = EarliestAfter::new(frees);
    let mut found = Column::filled(false, profile.grains.tasks);
    for level in starts.chunk_by(|a, b| a.priority == b.priority) {
        for start in level {
            let task = start.task;
            found[task] =
                lower.earliest(ready.of_task(task).max(continued[task])).is_some_and(|at| at <= start.free);
        }
        for start in level {
            lower.insert(start.free, start.at);
        }
    }
    found
}

/// For each task, when its creator continued after the creation, or if it never did, when it ended.
fn continued(profile: &Profile) -> Column<Grains, Ticks> {
    let (grains, fragments) = (&profile.grains, &profile.fragments);
    let mut starts: Vec<_> =
        (0..).zip(&fragments.grain).map(|(row, &grain)| (grain, fragments.start(row))).collect();
    starts.sort_unstable();
    let after = |parent: GrainRow, create: Ticks| {
        let next = starts.partition_point(|&start| start <= (parent, create));
        starts.get(next).filter(|start| start.0 == parent).map_or(grains.end.of(parent), |start| start.1)
    };
    let tasks = grains.task_rows().map(|task| (grains.parent[task], grains.create(task)));
    tasks.map(|(parent, create)| parent.map_or(create, |parent| after(parent, create))).collect()
}

/// The starts of all explicit tasks. Contexts stay on their worker, so the worker that ended a task
/// also started it.
fn starts(profile: &Profile) -> Vec<Start> {
    let (grains, fragments) = (&profile.grains, &profile.fragments);
    let worker_of = |row: usize| grains.worker[fragments.grain[row]];
    let mut order: Vec<_> = (0..fragments.grain.len()).collect();
    order.sort_unstable_by_key(|&row| (worker_of(row), fragments.start(row as u32)));
    let chosen = |task: GrainRow| {
        grains.kind[task] == GrainKind::Task
            && !grains.has(task, flag::INLINE | flag::UNFINISHED | flag::CANCELLED)
    };
    let preempted: HashSet<_> = profile
        .waits
        .iter()
        .filter(|wait| wait.kind == WaitKind::Preempted)
        .map(|wait| (wait.task, wait.begin))
        .collect();
    let is_preempted = |row: usize| preempted.contains(&(fragments.grain[row], fragments.end(row as u32)));
    let earliest_choice =
        |row: usize| if is_preempted(row) { fragments.start(row as u32) } else { fragments.end(row as u32) };
    let mut starts = Vec::new();
    let mut begun: Column<Grains, bool> = Column::filled(false, grains.len());
    for pair in order.windows(2) {
        let task = fragments.grain[pair[1]];
        let is_first = !std::mem::replace(&mut begun[task], true);
        if is_first && chosen(task) {
            let same = worker_of(pair[0]) == worker_of(pair[1]);
            let at = fragments.start(pair[1] as u32);
            let free = if same { earliest_choice(pair[0]).min(at) } else { Ticks(0) };
            starts.push(Start { task, priority: grains.priority_of(task), at, free });
        }
    }
    starts
}

/// The earliest start among those whose worker became free after a given time: a Fenwick tree of
/// minima over the times at which workers became free, in falling order.
struct EarliestAfter {
    frees: Vec<Ticks>,
    least: Vec<Option<Ticks>>,
}

impl EarliestAfter {
    fn new(frees: Vec<Ticks>) -> Self {
        let least = vec![None; frees.len() + 1];
        Self { frees, least }
    }

    /// How many times are later than `time`.
    fn later(&self, time: Ticks) -> usize {
        self.frees.len() - self.frees.partition_point(|&free| free <= time)
    }

    fn insert(&mut self, free: Ticks, at: Ticks) {
        let mut node = self.later(free) + 1;
        while let Some(least) = self.least.get_mut(node) {
            *least = Some(least.map_or(at, |old| old.min(at)));
            node += node & node.wrapping_neg();
        }
    }

    fn earliest(&self, after: Ticks) -> Option<Ticks> {
        let mut node = self.later(after);
        let mut found = None;
        while node > 0 {
            found = self.least[node].into_iter().chain(found).min();
            node &= node - 1;
        }
        found
    }
}
