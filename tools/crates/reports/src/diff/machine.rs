// SPDX-License-Identifier: Apache-2.0
//! What a machine that was not equally busy on both sides explains.
//!
//! Repeats of one side tell of the noise while they were recorded, and not that other programs took
//! more of the processors during one of the sides. The recordings know for how long threads waited
//! for processors. If the machine was equally busy, that time changes as the work does. What it has
//! changed beyond that is the machine's. Threads wait for one that lost its processor, so a change
//! of waits that is not much larger may be the machine's, too. Work has no such waits in it, but
//! caches are colder after each: a part of it changes by no larger share than the waits are of all
//! work. In a program with more threads than processors, the threads take the processors from each
//! other, and nothing is known of the machine.

use grains::compare::noise::{mean, Samples, Verdict};
use grains::units::time;

use super::change::Change;

/// The share of a change of waits above which the machine is the likely cause.
const MUCH: f64 = 0.25;

pub struct Machine {
    /// How much longer the threads waited for processors after the change, beyond what their work
    /// explains.
    longer_ns: f64,
    /// As a share of the work.
    of_work: f64,
    workers: f64,
}

/// What a figure measures.
#[derive(Clone, Copy)]
pub enum Figure {
    Wall,
    /// What threads did, without what they waited: a sum over all workers.
    Done,
    /// What threads waited: a sum over all workers.
    Waited,
}

impl Machine {
    pub fn of(work: &Samples, waited: &Samples, (workers, processors): (u32, u32)) -> Self {
        let grown = mean(&work.after) / mean(&work.before);
        let expected = mean(&waited.before) * if grown.is_finite() { grown } else { 1.0 };
        let is_crowded = workers > processors;
        let longer_ns = if is_crowded { 0.0 } else { mean(&waited.after) - expected };
        let of_work = longer_ns / f64::midpoint(mean(&work.before), mean(&work.after));
        Self { longer_ns, of_work, workers: f64::from(workers) }
    }

    pub fn judge(&self, figure: Figure, verdict: Verdict, samples: &Samples) -> Verdict {
        match verdict {
            Verdict::Change(p) if self.explains(figure, samples) => Verdict::OfMachine(p),
            verdict => verdict,
        }
    }

    fn explains(&self, figure: Figure, samples: &Samples) -> bool {
        let (before, after) = (mean(&samples.before), mean(&samples.after));
        let change = after - before;
        match figure {
            // Waiting longer explains no shorter wall time.
            Figure::Wall => change.signum() == self.longer_ns.signum() && self.is_much(change * self.workers),
            Figure::Done => change.abs() <= self.of_work.abs() * f64::midpoint(before, after),
            Figure::Waited => self.is_much(change),
        }
    }

    fn is_much(&self, change_ns: f64) -> bool {
        self.longer_ns.abs() >= MUCH * change_ns.abs()
    }

    /// If something was not called a change for this reason.
    pub fn note<'a>(&self, mut changes: impl Iterator<Item = &'a Change>) -> Option<String> {
        changes.any(|change| change.may_be_of_machine).then(|| {
            format!(
                "Threads waited {} {} for processors than before: the machine was not equally busy. What may come from \
                 that is not called a change. Record both sets again on a quiet machine.",
                time(self.longer_ns.abs()),
                if self.longer_ns > 0.0 { "longer" } else { "less" }
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(before: f64, after: f64) -> Samples {
        Samples { before: vec![before * 1e6; 5], after: vec![after * 1e6; 5] }
    }

    const CHANGE: Verdict = Verdict::Change(0.01);
    const OF_MACHINE: Verdict = Verdict::OfMachine(0.01);

    fn machine(work: (f64, f64), waited: (f64, f64), workers: u32) -> Machine {
        Machine::of(&samples(work.0, work.1), &samples(waited.0, waited.1), (workers, 2))
    }

    #[test]
    fn a_change_near_what_the_machine_took_is_not_called_one() {
        let busier = machine((10.0, 10.0), (0.0, 8.0), 2);
        let judge = |figure, before, after| busier.judge(figure, CHANGE, &samples(before, after));
        assert_eq!(judge(Figure::Waited, 4.0, 2.0), OF_MACHINE);
        assert_eq!(judge(Figure::Waited, 0.0, 8.0), OF_MACHINE);
        assert_eq!(judge(Figure::Waited, 0.0, 40.0), CHANGE);
        assert_eq!(judge(Figure::Wall, 10.0, 14.0), OF_MACHINE);
        assert_eq!(judge(Figure::Wall, 14.0, 10.0), CHANGE, "it explains nothing");
        assert_eq!(judge(Figure::Wall, 10.0, 30.0), CHANGE);
        let noise = Verdict::Noise(0.5);
        assert_eq!(busier.judge(Figure::Waited, noise, &samples(4.0, 2.0)), noise);
    }

    #[test]
    fn work_changes_by_no_larger_share_than_the_waits_are_of_it() {
        let busier = machine((10.0, 10.0), (0.0, 2.0), 2);
        let judge = |before, after| busier.judge(Figure::Done, CHANGE, &samples(before, after));
        assert_eq!([judge(10.0, 12.0), judge(1.0, 1.2), judge(1.2, 1.0)], [OF_MACHINE; 3]);
        assert_eq!([judge(10.0, 13.0), judge(1.0, 1.3), judge(1.3, 1.0)], [CHANGE; 3]);
    }

    #[test]
    fn a_machine_that_is_equally_busy_takes_as_much_as_there_is_work() {
        let same = machine((10.0, 30.0), (20.0, 60.0), 2);
        assert_eq!(same.judge(Figure::Done, CHANGE, &samples(10.0, 30.0)), CHANGE);
        assert_eq!(same.judge(Figure::Waited, CHANGE, &samples(20.0, 60.0)), CHANGE);
    }

    #[test]
    fn threads_that_take_the_processors_from_each_other_say_nothing_of_the_machine() {
        let crowded = machine((10.0, 10.0), (0.0, 8.0), 4);
        assert_eq!(crowded.judge(Figure::Waited, CHANGE, &samples(0.0, 8.0)), CHANGE);
    }

    #[test]
    fn a_note_says_why() {
        let busier = machine((10.0, 10.0), (0.0, 8.0), 2);
        let change = |verdict| Change::of(&samples(4.0, 2.0), Some(verdict));
        assert!(busier.note([change(OF_MACHINE)].iter()).unwrap().contains("8.00 ms longer"));
        assert_eq!(busier.note([change(CHANGE), change(Verdict::Noise(0.5))].iter()), None);
    }
}
