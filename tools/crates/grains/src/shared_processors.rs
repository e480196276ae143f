// SPDX-License-Identifier: Apache-2.0
//! How long workers had a task to run, and another thread of the same process had their processor:
//! another worker, because the system had put both on one, or a thread of the recorder's.
//!
//! The kernel tells when a thread lost its processor, and not to whom. A worker counts as having
//! the processor at an instant if it was on this processor (`Cores`), was not off it (`Switches`),
//! and was not idle.

use crate::cores::Cores;
use crate::switches::{Off, Switches};
use crate::tables::{Fragments, Grains, Idle};
use crate::ticks::Ticks;

/// A thread of the recorder's prepared a part of its files.
#[derive(Clone, Copy)]
pub(crate) struct Prepared {
    pub begin: Ticks,
    pub end: Ticks,
    /// Where it began.
    pub processor: u16,
}

/// What is known of the workers, by number.
pub(crate) struct Workers<'a> {
    switches: &'a [Switches],
    cores: &'a Cores,
    /// In the order of each worker's time.
    idles: Vec<Vec<Off>>,
    /// The fragments: when the worker had something to run.
    ran: Vec<Vec<(Ticks, Ticks)>>,
    /// In the order of time.
    prepared: Vec<Prepared>,
    /// How long the longest took.
    longest: Ticks,
}

impl<'a> Workers<'a> {
    pub fn of(
        (switches, cores): (&'a [Switches], &'a Cores),
        (grains, fragments): (&Grains, &Fragments),
        (idles, prepared): (&[Idle], &[Prepared]),
    ) -> Self {
        let mut this = Self {
            switches,
            cores,
            idles: Vec::new(),
            ran: Vec::new(),
            prepared: prepared.to_vec(),
            longest: prepared.iter().map(|one| one.end - one.begin).max().unwrap_or(Ticks::ZERO),
        };
        this.prepared.sort_unstable_by_key(|one| one.begin);
        this.idles.resize_with(switches.len(), Vec::new);
        this.ran.resize_with(switches.len(), Vec::new);
        for idle in idles {
            if let Some(idles) = this.idles.get_mut(usize::from(idle.worker)) {
                idles.push(Off { begin: idle.start, end: idle.end, preempted: false });
            }
        }
        for (row, &grain) in fragments.grain.iter().enumerate() {
            if let Some(ran) = this.ran.get_mut(usize::from(grains.worker[grain])) {
                ran.push((fragments.start[row], fragments.end[row]));
            }
        }
        this.idles.iter_mut().for_each(|idles| idles.sort_unstable_by_key(|idle| idle.begin));
        this.ran.iter_mut().for_each(|ran| ran.sort_unstable());
        this
    }

    /// The parts of the workers' lost time in which another of them had the processor, and in which
    /// the recorder had it.
    pub fn shared(&self) -> (Ticks, Ticks) {
        let mut sums = (Ticks::ZERO, Ticks::ZERO);
        for worker in 0..self.ran.len() {
            for (begin, end) in self.lost(worker) {
                let Some(processor) = self.cores.at(worker as u16, begin) else { continue };
                let others = (0..self.ran.len()).filter(|&other| other != worker);
                let had: Ticks = others.map(|other| self.had(other, processor, begin, end)).sum();
                let had = had.min(end - begin);
                sums.0 += had;
                sums.1 += self.recorder_had(processor, begin, end).min((end - begin) - had);
            }
        }
        sums
    }

    fn lost(&self, worker: usize) -> impl Iterator<Item = (Ticks, Ticks)> + '_ {
        self.ran[worker].iter().flat_map(move |&(begin, end)| {
            let offs = self.switches[worker].between(begin, end).iter().filter(|off| off.preempted);
            offs.map(move |off| (off.begin.max(begin), off.end.min(end)))
        })
    }

    fn recorder_had(&self, processor: u16, begin: Ticks, end: Ticks) -> Ticks {
        let first = self.prepared.partition_point(|one| one.begin + self.longest <= begin);
        let near = self.prepared[first..].iter().take_while(|one| one.begin < end);
        let here = near.filter(|one| one.processor == processor);
        here.map(|one| one.end.min(end) - one.begin.max(begin)).sum()
    }

    /// For how long the worker had this processor between two instants.
    fn had(&self, worker: usize, processor: u16, begin: Ticks, end: Ticks) -> Ticks {
        let (Some(first), Some(last)) = (self.ran[worker].first(), self.ran[worker].last()) else {
            return Ticks::ZERO;
        };
        let (begin, end) = (begin.max(first.0), end.min(last.1));
        self.cores
            .stays(worker as u16, processor, begin, end)
            .map(|(begin, end)| self.awake(worker, begin, end))
            .sum()
    }

    fn awake(&self, worker: usize, begin: Ticks, end: Ticks) -> Ticks {
        let offs = self.switches[worker].between(begin, end);
        let idles = &self.idles[worker];
        let first = idles.partition_point(|idle| idle.end <= begin);
        let idles = idles[first..].iter().take_while(|idle| idle.begin < end);
        let off: Ticks = offs.iter().chain(idles).map(|off| off.within(begin, end)).sum();
        (end - begin) - off
    }
}
