// SPDX-License-Identifier: Apache-2.0
//! Finds when each task was claimed: the instant from which the worker that ran the task was free
//! and the task was ready. From then until the task ran, its worker was busy getting the task.
//! Before then, the task was ready and no worker took it.

use rayon::prelude::*;

use crate::budget::facts::Facts;
use crate::budget::net::Net;
use crate::budget::sweep::{Pieces, State, Workers};
use crate::row::Column;
use crate::tables::{GrainRow, Grains, WaitRow};
use crate::ticks::Ticks;

/// For each task, by row: the time from its claim until it ran. Reports the losses of waits to
/// `net`.
pub(crate) fn claims(facts: &Facts, workers: &Workers, net: &mut Net) -> Column<Grains, Ticks> {
    let of_worker = |worker| {
        let mut claims = Claims { facts, free_since: None, claims: Vec::new(), lost: Vec::new() };
        workers.sweep(worker, &mut claims);
        (claims.claims, claims.lost)
    };
    let parts: Vec<(Vec<_>, Vec<_>)> = (0..workers.len()).into_par_iter().map(of_worker).collect();
    let mut taken_after = Column::filled(Ticks::ZERO, facts.profile.grains.tasks);
    for (claims, lost) in parts {
        for (task, time) in claims {
            taken_after[task] = time;
        }
        for (wait, time) in lost {
            net.lost(wait, time);
        }
    }
    taken_after
}

struct Claims<'a> {
    facts: &'a Facts<'a>,
    /// The worker runs nothing since.
    free_since: Option<Ticks>,
    claims: Vec<(GrainRow, Ticks)>,
    /// Pieces of waits.
    lost: Vec<(WaitRow, Ticks)>,
}

impl Pieces for Claims<'_> {
    fn piece(&mut self, begin: Ticks, end: Ticks, state: State) {
        match state {
            State::Wait(wait) => {
                self.lost.push((wait, end - begin));
                self.free_since.get_or_insert(begin);
            }
            State::Team(_) | State::Outside | State::Recorder(_) | State::Lock(_) | State::Sink(_) => {
                self.free_since.get_or_insert(begin);
            }
            State::Work(fragment) => {
                let free = self.free_since.take();
                if let Some((free, task)) = free.zip(self.facts.taken(fragment, begin)) {
                    self.claims.push((task, begin - free.max(self.facts.ready[task])));
                }
            }
            State::Creation(_) | State::Books(_) | State::Call(_) => self.free_since = None,
        }
    }

    fn conflict(&mut self, _time: Ticks) {}
}
