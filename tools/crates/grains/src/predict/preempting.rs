// SPDX-License-Identifier: Apache-2.0
//! How a worker of the virtual machine leaves a strand in the middle of an item. The scheduler
//! decides whether it does (`scheduler`).

use std::cmp::Reverse;

use crate::predict::machine::{Machine, State};
use crate::predict::scheduler::{Event, Running, Scheduler};
use crate::predict::strand::Busy;
use crate::tables::{GrainKind, Item};

impl<S: Scheduler> Machine<'_, S> {
    /// The strand is ready for any worker: one may have to give way.
    pub fn ask(&mut self, by: u32, strand: u32) {
        let Some(priority) = self.scheduler.asks_for(&self.strands[strand as usize]) else { return };
        let all = self.running();
        let event = self.scheduler.ask(self.now, by, priority, &all);
        self.events.extend(event.map(Reverse));
    }

    /// The strand is ready for this worker alone.
    pub fn ask_home(&mut self, home: u32, strand: u32) {
        let Some(priority) = self.scheduler.asks_for(&self.strands[strand as usize]) else { return };
        let all = self.running();
        let at = self.scheduler.ask_home(self.now, home, priority, &all);
        self.events.extend(at.map(|at| Reverse((at, home, Event::Look))));
    }

    pub fn watch(&mut self, worker: u32) {
        let all = self.running();
        let event = self.scheduler.watched(self.now, worker, &all);
        self.events.extend(event.map(Reverse));
    }

    /// A worker that is in the runtime, or whose task holds a lock, looks again later (`step`).
    pub fn look(&mut self, at: u32) {
        self.scheduler.is_asked(at);
        let worker = &self.workers[at as usize];
        let State::Busy { until, busy: Busy::Work, .. } = worker.state else { return };
        let this = &mut self.strands[worker.strand as usize];
        if !self.scheduler.gives_way(at, this) {
            return;
        }
        let rest = until - self.now;
        this.depth -= rest;
        this.ran -= rest;
        this.owe(rest, Busy::Work);
        self.account.work -= rest;
        self.cancelled.push((until, at));
        self.step(at);
    }

    /// Whether the end of what the worker was busy with was put off.
    pub fn is_cancelled(&mut self, at: u64, worker: u32) -> bool {
        let found = self.cancelled.iter().position(|&one| one == (at, worker));
        found.map(|row| self.cancelled.swap_remove(row)).is_some()
    }

    fn running(&self) -> Vec<Running> {
        let grains = &self.graph.profile.grains;
        let of = |(at, worker): (u32, &super::machine::Worker)| {
            let strand = self.strands.get(worker.strand as usize);
            let is_explicit = |task| grains.kind[task] == GrainKind::Task;
            let task = strand.filter(|strand| strand.task.is_some_and(is_explicit));
            let rest = match worker.state {
                State::Busy { until, busy: Busy::Work | Busy::Creation, .. } => until - self.now,
                _ => 0,
            };
            Running {
                task: task.map(|strand| (strand.task_number(), strand.ran.saturating_sub(rest))),
                idle: self.idle.has(at),
            }
        };
        (0..).zip(&self.workers).map(of).collect()
    }

    /// The strand goes on behind the wait that it is at, which is over. A wait for nothing, as in
    /// a taskyield, does not count.
    pub fn pass_wait(&mut self, strand: u32) {
        let (graph, this) = (self.graph, &self.strands[strand as usize]);
        if let Item::Join(wait) = graph.profile.items.at(this.at as usize) {
            if graph.expected[graph.join_of_wait(wait) as usize] > 0 {
                let recorded = graph.profile.waits[wait].end.0;
                self.scheduler.continues(self.now, this.task_number(), recorded);
            }
        }
    }
}
