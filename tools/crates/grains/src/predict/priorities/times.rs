// SPDX-License-Identifier: Apache-2.0
//! When each task was ready, ran and had ended in a modelled run; and the same by priority, as the
//! report has it of a recorded run ([`crate::priorities`]).

use std::collections::BTreeMap;

use crate::priorities::{Priority, Times};
use crate::tables::{flag, GrainKind, Grains};
use crate::ticks::Ticks;

/// The explicit tasks of one priority. The fields are those of [`Priority`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriorityTimes {
    pub priority: i32,
    pub delays: Times,
    pub turnarounds: Times,
    /// How often tasks of this priority were preempted, and preempted other tasks.
    pub preempted: u64,
    pub preempting: u64,
}

impl PriorityTimes {
    pub fn recorded(row: &Priority) -> Self {
        Self {
            priority: row.priority,
            delays: row.delays.clone(),
            turnarounds: row.turnarounds.clone(),
            preempted: row.away.0.len() as u64,
            preempting: row.preempting,
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Life {
    ready: u64,
    start: u64,
    end: u64,
}

#[derive(Default)]
pub(crate) struct TaskTimes {
    lives: Vec<Life>,
    preempted: BTreeMap<i32, u64>,
    preempting: BTreeMap<i32, u64>,
}

impl TaskTimes {
    pub fn new(tasks: usize) -> Self {
        Self { lives: vec![Life::default(); tasks], ..Self::default() }
    }

    pub fn ready(&mut self, task: u32, now: u64) {
        self.lives[task as usize].ready = now;
    }

    pub fn starts(&mut self, task: u32, at: u64) {
        self.lives[task as usize].start = at;
    }

    pub fn finished(&mut self, task: u32, now: u64) {
        self.lives[task as usize].end = now;
    }

    pub fn preempted(&mut self, priority: i32) {
        *self.preempted.entry(priority).or_default() += 1;
    }

    pub fn preempts(&mut self, priority: i32) {
        *self.preempting.entry(priority).or_default() += 1;
    }

    /// One row for each priority, in falling order.
    pub fn by_priority(&self, grains: &Grains) -> Vec<PriorityTimes> {
        let mut rows = BTreeMap::<i32, PriorityTimes>::new();
        for (task, life) in grains.task_rows().zip(&self.lives) {
            let ran = !grains.has(task, flag::INLINE | flag::UNFINISHED | flag::CANCELLED);
            if grains.kind[task] == GrainKind::Task && ran {
                let row = rows.entry(grains.priority_of(task)).or_default();
                row.delays.0.push(Ticks(life.start) - Ticks(life.ready));
                row.turnarounds.0.push(Ticks(life.end) - Ticks(life.ready));
            }
        }
        for (&priority, row) in &mut rows {
            row.priority = priority;
            row.preempted = self.preempted.get(&priority).copied().unwrap_or(0);
            row.preempting = self.preempting.get(&priority).copied().unwrap_or(0);
            row.delays.0.sort_unstable();
            row.turnarounds.0.sort_unstable();
        }
        rows.into_values().rev().collect()
    }
}
