// SPDX-License-Identifier: Apache-2.0
//! Finds when each task was claimed: the instant from which the worker that ran the task was free
//! and the task was ready. From then until the task ran, its worker was busy getting the task.
//! Before then, the task was ready and no worker took it.
//!
//! The workers are swept beside each other. Each task has one worker that stores its time, and each
//! wait has one that adds to what it lost, so the order of these stores does not matter.

use rayon::prelude::*;

use crate::budget::facts::Facts;
use crate::budget::sweep::{Pieces, State, Workers};
use crate::lengths::{Lengths, SharedLengths};
use crate::tables::{Grains, WaitInfo};
use crate::ticks::Ticks;

/// The results of the sweep.
pub(crate) struct Claimed {
    /// For each task, by row: the time from its claim until it ran.
    pub taken_after: Lengths<Grains>,
    /// For each wait: how long its worker ran no task, including the recorder's work.
    pub gross: Lengths<WaitInfo>,
}

pub(crate) fn claims(facts: &Facts, workers: &Workers) -> Claimed {
    let taken_after = SharedLengths::zero(facts.profile.grains.tasks);
    let gross = SharedLengths::zero(facts.profile.waits.len());
    (0..workers.len()).into_par_iter().for_each(|worker| {
        let mut claims = Claims { facts, free_since: None, taken_after: &taken_after, gross: &gross };
        workers.sweep(worker, &mut claims);
    });
    Claimed { taken_after: taken_after.into_lengths(), gross: gross.into_lengths() }
}

struct Claims<'a> {
    facts: &'a Facts<'a>,
    /// The worker runs nothing since.
    free_since: Option<Ticks>,
    taken_after: &'a SharedLengths<Grains>,
    gross: &'a SharedLengths<WaitInfo>,
}

impl Pieces for Claims<'_> {
    fn piece(&mut self, begin: Ticks, end: Ticks, state: State) {
        match state {
            State::Wait(wait) => {
                self.gross.add(wait, end - begin);
                self.free_since.get_or_insert(begin);
            }
            State::Team(_) | State::Outside | State::Recorder(_) | State::Lock(_) | State::Sink(_) => {
                self.free_since.get_or_insert(begin);
            }
            State::Work(fragment) => {
                let free = self.free_since.take();
                if let Some((free, task)) = free.zip(self.facts.taken(fragment, begin)) {
                    let time = begin - free.max(self.facts.ready.of_task(task));
                    self.taken_after.set(task, time);
                }
            }
            State::Creation(_) | State::Books(_) | State::Call(_) => self.free_since = None,
        }
    }

    fn conflict(&mut self, _time: Ticks) {}
}
