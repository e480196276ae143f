// SPDX-License-Identifier: Apache-2.0
//! How long workers had a task to run, and another thread of the same process had their processor:
//! another worker, because the system had put both on one, or a thread of the recorder's.
//!
//! The kernel tells when a thread lost its processor, and not to whom. There are two ways to know:
//!
//! - By time: another worker got a processor at the instant at which this one lost its own.
//! - By place: another worker was on this processor (`Cores`), was not off it (`Switches`), and was
//!   not idle. The runtime learns of a move late, and the kernel does not tell when an idle worker
//!   slept. A worker that had something to run there also had the processor for a while before and
//!   after, while it woke up and until it slept again.
//!
//! The larger of the two counts. A thread of the recorder's is known by both ways, too.

use crate::cores::Cores;
use crate::switches::{Off, Switches};
use crate::tables::{Fragments, Grains, Idle};
use crate::ticks::{Ticks, MOST_SKEW};

/// A thread of the recorder's takes less time to start or to end (it does this in 10 to 50 us).
const START_OR_END: Ticks = Ticks(1 << 18);
/// A worker takes less time to wake up, and then to find nothing to run and to sleep.
const WAKE_AND_SLEEP: Ticks = Ticks(1 << 16);

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
    /// Each worker's first and last fragment: between them it may have had a processor.
    ran: Vec<Option<[(Ticks, Ticks); 2]>>,
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
        this.ran.resize(switches.len(), None);
        for idle in idles {
            if let Some(idles) = this.idles.get_mut(usize::from(idle.worker)) {
                idles.push(Off { begin: idle.start, end: idle.end, preempted: false });
            }
        }
        for (row, &grain) in fragments.grain.iter().enumerate() {
            if let Some(ran) = this.ran.get_mut(usize::from(grains.worker[grain])) {
                let fragment = (fragments.start(row as u32), fragments.end(row as u32));
                let [first, last] = ran.unwrap_or([fragment; 2]);
                *ran = Some([first.min(fragment), last.max(fragment)]);
            }
        }
        this.idles.iter_mut().for_each(|idles| idles.sort_unstable_by_key(|idle| idle.begin));
        this
    }

    /// The parts of the workers' lost time in which another of them had the processor, and in which
    /// the recorder had it.
    pub fn shared(&self) -> (Ticks, Ticks) {
        let mut sums = (Ticks::ZERO, Ticks::ZERO);
        for worker in 0..self.ran.len() {
            for off in self.lost(worker) {
                let processor = self.cores.at(worker as u16, off.begin);
                let whole = off.end - off.begin;
                let by_place =
                    processor.map_or(Ticks::ZERO, |processor| self.had_here(worker, processor, off));
                let had = by_place.max(self.had_in_turn(worker, off)).min(whole);
                sums.0 += had;
                sums.1 += self.recorder_had(processor, off).min(whole - had);
            }
        }
        sums
    }

    /// When the worker was not idle and without its processor.
    fn lost(&self, worker: usize) -> Vec<Off> {
        let idle = self.idles[worker].iter().map(|idle| (idle.begin, idle.end));
        self.switches[worker].outside(idle).all().iter().copied().filter(|off| off.preempted).collect()
    }

    /// By time: for how long other workers had the processor, each from the instant at which the
    /// one before it was switched out.
    fn had_in_turn(&self, worker: usize, off: Off) -> Ticks {
        let mut at = off.begin;
        while at < off.end {
            let others = (0..self.switches.len()).filter(|&other| other != worker);
            let stays = others.filter_map(|other| self.switches[other].stay_from(at, MOST_SKEW));
            match stays.max().filter(|&until| until > at) {
                Some(until) => at = until.min(off.end),
                None => break,
            }
        }
        at - off.begin
    }

    /// By place: the same.
    fn had_here(&self, worker: usize, processor: u16, off: Off) -> Ticks {
        let others = (0..self.ran.len()).filter(|&other| other != worker);
        others.map(|other| self.had(other, processor, off.begin, off.end)).sum()
    }

    fn recorder_had(&self, processor: Option<u16>, off: Off) -> Ticks {
        let Off { begin, end, .. } = off;
        let first = self.prepared.partition_point(|one| one.begin + self.longest <= begin);
        let near = || self.prepared[first..].iter().take_while(|one| one.begin < end);
        let fills = |one: &Prepared| {
            begin <= one.begin
                && one.begin <= begin + START_OR_END
                && one.end <= end
                && end <= one.end + START_OR_END
        };
        if near().any(fills) {
            return end - begin;
        }
        let here = near().filter(|one| Some(one.processor) == processor);
        here.map(|one| one.end.min(end) - one.begin.max(begin)).sum()
    }

    /// For how long the worker had this processor between two instants.
    fn had(&self, worker: usize, processor: u16, begin: Ticks, end: Ticks) -> Ticks {
        let Some([first, last]) = self.ran[worker] else { return Ticks::ZERO };
        let (begin, end) = (begin.max(first.0), end.min(last.1));
        self.cores
            .stays(worker as u16, processor, begin, end)
            .map(|(begin, end)| self.awake(worker, begin, end))
            .sum()
    }

    fn awake(&self, worker: usize, begin: Ticks, end: Ticks) -> Ticks {
        let first = self.idles[worker].partition_point(|idle| idle.end <= begin);
        let idles = self.idles[worker][first..].iter().take_while(|idle| idle.begin < end);
        let offs = self.switches[worker].between(begin, end).iter();
        let idle: Ticks = idles.map(|idle| idle.within(begin, end)).sum();
        let off: Ticks = offs.map(|off| off.within(begin, end)).sum();
        match (end - begin) - off - idle {
            Ticks::ZERO => Ticks::ZERO,
            ran => ran + idle.min(WAKE_AND_SLEEP),
        }
    }
}
