// SPDX-License-Identifier: Apache-2.0
//! How long workers had a task to run, and another worker of the same process had their processor:
//! the system had put both on one.
//!
//! The kernel tells when a thread lost its processor, and not to whom. A worker counts as having
//! the processor at an instant if it was on this processor (`Cores`), was not off it (`Switches`),
//! and was not idle.

use crate::cores::Cores;
use crate::switches::{Off, Switches};
use crate::tables::{Fragments, Grains, Idle};
use crate::ticks::Ticks;

/// What is known of the workers, by number.
pub(crate) struct Workers<'a> {
    switches: &'a [Switches],
    cores: &'a Cores,
    /// In the order of each worker's time.
    idles: Vec<Vec<Off>>,
    /// The fragments: when the worker had something to run.
    ran: Vec<Vec<(Ticks, Ticks)>>,
}

impl<'a> Workers<'a> {
    pub fn of(
        (switches, cores): (&'a [Switches], &'a Cores),
        (grains, fragments): (&Grains, &Fragments),
        idles: &[Idle],
    ) -> Self {
        let mut this = Self { switches, cores, idles: Vec::new(), ran: Vec::new() };
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

    /// The part of the workers' lost time in which another of them had the processor.
    pub fn shared(&self) -> Ticks {
        (0..self.ran.len()).map(|worker| self.shared_by(worker)).sum()
    }

    fn shared_by(&self, worker: usize) -> Ticks {
        let lost = self.ran[worker].iter().flat_map(|&(begin, end)| {
            let offs = self.switches[worker].between(begin, end).iter().filter(|off| off.preempted);
            offs.map(move |off| (off.begin.max(begin), off.end.min(end)))
        });
        lost.map(|(begin, end)| {
            let Some(processor) = self.cores.at(worker as u16, begin) else { return Ticks::ZERO };
            let others = (0..self.ran.len()).filter(|&other| other != worker);
            let had: Ticks = others.map(|other| self.had(other, processor, begin, end)).sum();
            had.min(end - begin)
        })
        .sum()
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
