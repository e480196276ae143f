// SPDX-License-Identifier: Apache-2.0
//! By how much the recorder and lost processors made a region longer.
//!
//! A thread that is disturbed, that is, works for the recorder or has no processor, makes a region
//! longer only if the others do not go on meanwhile. If they wait for it, the region is longer by
//! the whole disturbance; if they take over its work, by their share of it. Without records of who
//! waited for whom, this is decided by sums: if each worker was disturbed, or waited, for some
//! time, the region is longer by that time. But it is never longer than by the disturbance of one
//! worker, because the others' may have been at the same time, and never by less than by the mean
//! of all workers.

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

/// Of one region, or of the time outside of regions.
#[derive(Clone, Copy, Default, Debug)]
pub struct HeldUp {
    /// The disturbance of the worker that had most of it.
    most: Ticks,
    /// What each of the workers was disturbed or waited. None: there are no workers yet.
    each: Option<Ticks>,
}

impl HeldUp {
    /// Adds a worker by its sums in the region. One that has none was elsewhere.
    pub(crate) fn add(&mut self, worker: &Sums) {
        if worker.sum() == Ticks::ZERO {
            return;
        }
        let disturbed = disturbed(worker);
        let waits: Ticks = WAITS.iter().map(|&class| worker.of(class)).sum();
        self.most = self.most.max(disturbed);
        self.each = Some(self.each.map_or(disturbed + waits, |each| each.min(disturbed + waits)));
    }

    /// `all`: the sums of all workers in the region, of the `workers` of the run.
    pub(crate) fn longer(&self, all: &Sums, workers: u32) -> Ticks {
        let mean = mean(all, workers);
        self.each.unwrap_or_default().min(self.most).max(mean)
    }
}

/// The mean disturbance of a run's workers.
pub(crate) fn mean(all: &Sums, workers: u32) -> Ticks {
    Ticks(disturbed(all).0 / u64::from(workers.max(1)))
}

fn disturbed(sums: &Sums) -> Ticks {
    sums.of(Class::Recorder) + sums.of(Class::Descheduled)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each worker: its work, waits, and time without a processor.
    fn longer(workers: &[[u64; 3]]) -> u64 {
        let (mut held_up, mut all) = (HeldUp::default(), Sums::default());
        for &[work, waits, off] in workers {
            let mut sums = Sums::default();
            sums.add(Class::Work, Ticks(work));
            sums.add(Class::Imbalance, Ticks(waits));
            sums.add(Class::Descheduled, Ticks(off));
            held_up.add(&sums);
            all.add_all(&sums);
        }
        held_up.longer(&all, workers.len() as u32).0
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
