// SPDX-License-Identifier: Apache-2.0
//! Which workers run what, if several threads of the program have regions of their own.
//!
//! Each initial thread has a *crew*: the workers of its regions. A thread that opens regions has as
//! many workers as the prediction is for, and a thread that opens none has one. A crew that is no
//! longer needed serves the next thread. Work stays in its crew.
//!
//! An initial thread that sleeps until another one ends has waited for it, as in pthread_join. Such
//! a sleep takes as long as the other one's work does in the prediction.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use crate::tables::{GrainKind, GrainRow, ItemKind};
use crate::ticks::Ticks;
use crate::Profile;

/// More threads than that are not simulated.
pub const MOST_THREADS: u32 = 65_536;

/// The workers of a prediction: those of the large crews, then those of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// Workers of each large crew.
    pub threads: u32,
    pub large: u32,
    /// Crews of one worker.
    pub small: u32,
}

impl Layout {
    /// One crew for all.
    pub fn one(threads: u32) -> Self {
        Self { threads, large: 1, small: 0 }
    }

    pub fn workers(self) -> u32 {
        self.large * self.threads + self.small
    }

    pub fn is_large(self, worker: u32) -> bool {
        worker < self.large * self.threads
    }

    pub fn crew(self, worker: u32) -> Range<u32> {
        if !self.is_large(worker) {
            return worker..worker + 1;
        }
        let first = worker / self.threads * self.threads;
        first..first + self.threads
    }
}

/// A wait of an initial thread for the ends of others, in one fragment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ends {
    /// What of the fragment's work comes before it.
    pub before: u64,
    /// How long it slept for that.
    pub slept: u64,
    pub tasks: Vec<GrainRow>,
}

/// Of more threads that end during one sleep, the last ones count.
const MOST_ENDS: usize = 64;

#[derive(Default)]
pub(super) struct Crews {
    /// For each initial task: whether its crew is large, and the number of the crew.
    of: HashMap<GrainRow, (bool, u32)>,
    large: u32,
    small: u32,
    /// By the row of the fragment.
    ends: HashMap<u32, Ends>,
}

impl Crews {
    pub fn of(profile: &Profile) -> Self {
        let grains = &profile.grains;
        let initial = grains.task_rows().filter(|&task| grains.kind[task] == GrainKind::Initial);
        let mut initial: Vec<GrainRow> = initial.collect();
        initial.sort_by_key(|&task| (grains.start.of(task), task));
        let opens = |&task: &GrainRow| {
            let items = profile.items.of(task);
            profile.items.kind[items].contains(&ItemKind::Region)
        };
        let (large, small): (Vec<_>, Vec<_>) = initial.iter().copied().partition(opens);
        let mut this = Self::default();
        this.large = this.deal(profile, &large, true).max(1);
        this.small = this.deal(profile, &small, false);
        if large.is_empty() && this.small > 0 {
            // Somebody needs the workers that the prediction is for.
            this.of.retain(|_, crew| crew.1 > 0);
            this.of.values_mut().for_each(|crew| crew.1 -= 1);
            this.small -= 1;
        }
        if initial.len() > 1 {
            this.find_ends(profile, &initial);
        }
        this
    }

    /// `tasks` are in the order in which they begin. Returns the number of crews.
    fn deal(&mut self, profile: &Profile, tasks: &[GrainRow], is_large: bool) -> u32 {
        let mut crews = 0;
        let mut busy: BinaryHeap<Reverse<(Ticks, u32)>> = BinaryHeap::new();
        for &task in tasks {
            let free = busy.peek().filter(|first| first.0 .0 <= profile.grains.start.of(task));
            let crew = if let Some(crew) = free.map(|first| first.0 .1) {
                busy.pop();
                crew
            } else {
                crews += 1;
                crews - 1
            };
            busy.push(Reverse((profile.grains.end.of(task), crew)));
            self.of.insert(task, (is_large, crew));
        }
        crews
    }

    fn find_ends(&mut self, profile: &Profile, initial: &[GrainRow]) {
        let (grains, fragments) = (&profile.grains, &profile.fragments);
        let mut by_end = initial.to_vec();
        by_end.sort_by_key(|&task| (grains.end.of(task), task));
        let ended = |begin: Ticks, end: Ticks| {
            let first = by_end.partition_point(|&task| grains.end.of(task) < begin);
            let after = by_end.partition_point(|&task| grains.end.of(task) <= end);
            let last = first.max(after.saturating_sub(MOST_ENDS));
            by_end.get(last..after).unwrap_or_default().iter().copied()
        };
        for (row, &grain) in (0..).zip(&fragments.grain) {
            if fragments.slept(row) == Ticks::ZERO || grains.kind[grain] != GrainKind::Initial {
                continue;
            }
            let Some(switches) = profile.switches.get(grains.worker[grain] as usize) else { continue };
            let (begin, end) = (fragments.start(row), fragments.end(row));
            let mut ends = Ends::default();
            for off in switches.between(begin, end).iter().filter(|off| !off.preempted) {
                let mut tasks: Vec<_> =
                    ended(off.begin, off.end.min(end)).filter(|&task| task != grain).collect();
                if tasks.is_empty() {
                    continue;
                }
                if ends.tasks.is_empty() {
                    ends.before = (off.begin.max(begin) - begin).0.min(fragments.net(row).0);
                }
                ends.slept += off.within(begin, end).0;
                ends.tasks.append(&mut tasks);
            }
            if !ends.tasks.is_empty() {
                ends.slept = ends.slept.min(fragments.slept(row).0);
                self.ends.insert(row, ends);
            }
        }
    }

    /// In a damaged recording nearly all threads may seem to be there at once: then some share a
    /// crew.
    pub fn layout(&self, threads: u32) -> Layout {
        let large = self.large.min((MOST_THREADS / threads).max(1));
        Layout { threads, large, small: self.small.min(MOST_THREADS) }
    }

    /// The worker at which an initial task, or one that nothing creates, begins.
    pub fn home(&self, task: GrainRow, layout: Layout) -> u32 {
        match self.of.get(&task) {
            Some(&(true, crew)) if layout.large > 1 || self.large == 1 => {
                crew % layout.large * layout.threads
            }
            Some(&(false, crew)) if layout.small > 0 => layout.large * layout.threads + crew % layout.small,
            _ => task.number() % layout.threads,
        }
    }

    /// Whose ends a fragment waits for, if it does.
    pub fn ends(&self, fragment: u32) -> Option<&Ends> {
        self.ends.get(&fragment)
    }

    /// The number of threads that had regions of their own at the same time.
    pub fn large(&self) -> u32 {
        self.large
    }

    pub fn is_initial(&self, task: GrainRow) -> bool {
        self.of.contains_key(&task)
    }
}
