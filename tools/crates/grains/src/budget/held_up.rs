// SPDX-License-Identifier: Apache-2.0
//! By how much the recorder and lost processors made a region longer.
//!
//! A thread that is disturbed, that is, works for the recorder or has no processor, makes a region
//! longer only if the others do not go on meanwhile. If they wait for it, the region is longer by
//! the whole disturbance; if they take over its work, by their share of it. Without records of who
//! waited for whom, this is decided by sums: if each worker was disturbed, or waited, for some
//! time, the region is longer by that time. But it is never longer than by the disturbance of one
//! worker, because the others' may have been at the same time, and never by less than by the mean
//! of all workers. How much of it was the recorder's work is known from the same worker: others
//! that wait for a thread that sleeps may work for the recorder meanwhile.

use crate::budget::sums::{Class, Sums};
use crate::ticks::Ticks;

/// Time in which a worker may have waited for another one.
const WAITS: [Class; 7] = [
    Class::Imbalance,
    Class::NothingReady,
    Class::ReadyWaiting,
    Class::Scheduling,
    Class::Locks,
    Class::Serial,
    Class::OutsideTeam,
];

/// What a worker did for the recorder, and for how long it had no processor or slept.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Disturbed {
    pub recorder: Ticks,
    pub off: Ticks,
}

impl Disturbed {
    fn of(sums: &Sums) -> Self {
        Self { recorder: sums.of(Class::Recorder), off: sums.of(Class::Descheduled) }
    }

    fn whole(self) -> Ticks {
        self.recorder + self.off
    }

    /// The same mix, `whole` long.
    fn scaled_to(self, whole: Ticks) -> Self {
        let part = |ticks: Ticks| {
            Ticks((u128::from(ticks.0) * u128::from(whole.0) / u128::from(self.whole().0.max(1))) as u64)
        };
        Self { recorder: part(self.recorder), off: part(self.off) }
    }
}

/// Of one region, or of the time outside of regions.
#[derive(Clone, Copy, Default, Debug)]
pub struct HeldUp {
    /// The disturbance of the worker that had most of it.
    most: Disturbed,
    /// What each of the workers was disturbed or waited. None: there are no workers yet.
    each: Option<Ticks>,
}

impl HeldUp {
    /// Adds a worker by its sums in the region. One that has none was elsewhere.
    pub(crate) fn add(&mut self, worker: &Sums) {
        if worker.sum() == Ticks::ZERO {
            return;
        }
        let disturbed = Disturbed::of(worker);
        let waits: Ticks = WAITS.iter().map(|&class| worker.of(class)).sum();
        if disturbed.whole() > self.most.whole() {
            self.most = disturbed;
        }
        let all = disturbed.whole() + waits;
        self.each = Some(self.each.map_or(all, |each| each.min(all)));
    }

    /// `all`: the sums of all workers in the region, of the `workers` of the run.
    pub(crate) fn longer(&self, all: &Sums, workers: u32) -> Disturbed {
        let mean = mean(all, workers);
        let of_most = self.each.unwrap_or_default().min(self.most.whole());
        if of_most > mean.whole() {
            self.most.scaled_to(of_most)
        } else {
            mean
        }
    }
}

/// The mean disturbance of a run's workers.
pub(crate) fn mean(all: &Sums, workers: u32) -> Disturbed {
    let all = Disturbed::of(all);
    all.scaled_to(Ticks(all.whole().0 / u64::from(workers.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each worker: its work, waits, time without a processor, and work for the recorder.
    fn mix(workers: &[[u64; 4]]) -> Disturbed {
        let (mut held_up, mut all) = (HeldUp::default(), Sums::default());
        for &[work, waits, off, recorder] in workers {
            let mut sums = Sums::default();
            sums.add(Class::Work, Ticks(work));
            sums.add(Class::Imbalance, Ticks(waits));
            sums.add(Class::Descheduled, Ticks(off));
            sums.add(Class::Recorder, Ticks(recorder));
            held_up.add(&sums);
            all.add_all(&sums);
        }
        held_up.longer(&all, workers.len() as u32)
    }

    /// Each worker: its work, waits, and time without a processor.
    fn longer(workers: &[[u64; 3]]) -> u64 {
        let with_recorder = |&[work, waits, off]: &[u64; 3]| [work, waits, off, 0];
        mix(&workers.iter().map(with_recorder).collect::<Vec<_>>()).whole().0
    }

    #[test]
    fn a_recorder_beside_a_thread_that_sleeps_makes_nothing_longer() {
        let disturbed = |recorder, off| Disturbed { recorder: Ticks(recorder), off: Ticks(off) };
        assert_eq!(mix(&[[4, 0, 100, 20], [0, 104, 0, 20]]), disturbed(20, 100));
        assert_eq!(mix(&[[10, 0, 3, 3], [10, 0, 3, 3]]), disturbed(3, 3));
    }

    #[test]
    fn others_wait_for_a_thread_without_a_processor() {
        assert_eq!(longer(&[[10, 0, 6], [10, 6, 0]]), 6);
        assert_eq!(longer(&[[10, 0, 6], [10, 2, 4], [10, 6, 0]]), 6);
    }

    #[test]
    fn others_take_over_its_work() {
        assert_eq!(longer(&[[7, 0, 6], [13, 0, 0]]), 3);
    }

    #[test]
    fn disturbances_may_have_been_at_the_same_time() {
        assert_eq!(longer(&[[4, 5, 6], [4, 5, 6]]), 6);
    }

    #[test]
    fn who_was_elsewhere_does_not_count() {
        assert_eq!(longer(&[[10, 0, 6], [10, 6, 0], [0, 0, 0]]), 6);
        assert_eq!(longer(&[[10, 0, 0]]), 0);
    }
}
