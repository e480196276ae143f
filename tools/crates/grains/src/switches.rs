// SPDX-License-Identifier: Apache-2.0
//! When a thread was off its processor, where the kernel has told.
//!
//! A sample of a thread may say that OFF records tell each time that the thread was off its
//! processor since the sample before. Such stretches between two samples are *told*. Of these, no
//! estimate is made (`descheduled`). OFF records outside of told stretches are left out, because
//! the estimate has what they say.

use crate::cpu_sample::Sample;
use crate::ticks::Ticks;

/// One interval in which a thread was off its processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Off {
    pub begin: Ticks,
    pub end: Ticks,
    /// It could have gone on; else it slept.
    pub preempted: bool,
}

impl Off {
    /// The length of the part between two instants.
    pub fn within(&self, begin: Ticks, end: Ticks) -> Ticks {
        self.end.min(end) - self.begin.max(begin)
    }
}

/// What the kernel has told of one stream's threads.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Switches {
    /// In order; they do not overlap.
    offs: Vec<Off>,
    /// For how long tasks ran, or the recorder worked, in the told stretches.
    pub told: Ticks,
    /// ... and in the others between samples.
    pub untold: Ticks,
}

impl Switches {
    pub(crate) fn of(samples: &[Sample], offs: &[Off]) -> Self {
        let mut this = Self::default();
        let mut stretches: Vec<(Ticks, Ticks)> = Vec::new();
        for pair in samples.windows(2).filter(|pair| !pair[1].begins) {
            let worked = (pair[1].ran - pair[0].ran) + (pair[1].stalled - pair[0].stalled);
            if is_told(&pair[0], &pair[1]) {
                this.told += worked;
                stretches.push((pair[0].at, pair[1].at));
            } else {
                this.untold += worked;
            }
        }
        join(&mut stretches);
        let mut offs = offs.to_vec();
        offs.sort_by_key(|off| off.begin);
        this.offs = clip(&offs, &stretches);
        this
    }

    pub(crate) fn len(&self) -> usize {
        self.offs.len()
    }

    pub(crate) fn all(&self) -> &[Off] {
        &self.offs
    }

    /// Those that have a part between two instants.
    pub fn between(&self, begin: Ticks, end: Ticks) -> &[Off] {
        let first = self.offs.partition_point(|off| off.end <= begin);
        let after = self.offs.partition_point(|off| off.begin < end);
        self.offs.get(first..after).unwrap_or_default()
    }

    /// Until when the thread kept the processor that it got at about this instant; `None`: it got
    /// none then.
    pub(crate) fn stay_from(&self, at: Ticks, about: Ticks) -> Option<Ticks> {
        let before = self.offs.partition_point(|off| off.end + about < at);
        self.offs.get(before).filter(|off| off.end <= at + about)?;
        Some(self.offs.get(before + 1).map_or(Ticks(u64::MAX), |next| next.begin))
    }

    /// For how long the thread was without its processor between two instants, although it could
    /// have gone on.
    pub fn preempted(&self, begin: Ticks, end: Ticks) -> Ticks {
        let offs = self.between(begin, end).iter().filter(|off| off.preempted);
        offs.map(|off| off.within(begin, end)).sum()
    }

    /// The intervals without what lies in `stretches`, which are in order of their begins.
    pub(crate) fn outside(&self, stretches: impl Iterator<Item = (Ticks, Ticks)>) -> Self {
        let mut offs = Vec::with_capacity(self.offs.len());
        let mut stretches = stretches.peekable();
        let mut passed = Ticks::ZERO; // up to here a stretch reaches
        for off in &self.offs {
            let mut begin = off.begin.max(passed);
            while let Some((from, until)) = stretches.next_if(|stretch| stretch.0 < off.end) {
                if begin < from {
                    offs.push(Off { begin, end: from, ..*off });
                }
                begin = begin.max(until);
                passed = passed.max(until);
            }
            if begin < off.end {
                offs.push(Off { begin, ..*off });
            }
        }
        Self { offs, ..*self }
    }
}

/// What the time is based on that threads were off their processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// The kernel has told each interval.
    Told,
    /// It has told some.
    Partly,
    /// It has told none.
    Estimated,
}

impl Basis {
    /// The part of that time of which the kernel may tell nothing.
    const NEGLIGIBLE: f64 = 0.01;

    pub const fn name(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::Partly => "partly",
            Self::Estimated => "estimated",
        }
    }

    pub(crate) fn of(switches: &[Switches]) -> Self {
        let told: Ticks = switches.iter().map(|switches| switches.told).sum();
        let untold: Ticks = switches.iter().map(|switches| switches.untold).sum();
        if told == Ticks::ZERO {
            Self::Estimated
        } else if untold.0 as f64 <= Self::NEGLIGIBLE * (told + untold).0 as f64 {
            Self::Told
        } else {
            Self::Partly
        }
    }
}

/// Whether the kernel has told of the stretch between two samples of one thread.
pub(crate) fn is_told(a: &Sample, b: &Sample) -> bool {
    b.told && !b.begins && a.at < b.at
}

/// Puts stretches in order. Those that meet, or overlap in a damaged recording, become one.
pub(crate) fn join(stretches: &mut Vec<(Ticks, Ticks)>) {
    stretches.sort_unstable();
    stretches.dedup_by(|later, first| {
        let meet = later.0 <= first.1;
        if meet {
            first.1 = first.1.max(later.1);
        }
        meet
    });
}

/// The parts of the intervals in the stretches. Both are in order; intervals that overlap, in a
/// damaged recording, count once.
fn clip(offs: &[Off], stretches: &[(Ticks, Ticks)]) -> Vec<Off> {
    let mut parts = Vec::with_capacity(offs.len());
    let mut passed = Ticks::ZERO;
    for off in offs {
        let begin = off.begin.max(passed);
        let first = stretches.partition_point(|stretch| stretch.1 <= begin);
        for stretch in stretches[first..].iter().take_while(|stretch| stretch.0 < off.end) {
            let (from, until) = (begin.max(stretch.0), off.end.min(stretch.1));
            if from < until {
                parts.push(Off { begin: from, end: until, preempted: off.preempted });
            }
        }
        passed = passed.max(off.end);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: u64, told: bool, begins: bool) -> Sample {
        Sample {
            at: Ticks(at),
            cpu_ns: 0,
            ran: Ticks(at),
            stalled: Ticks::ZERO,
            switches: None,
            sleeps: 0,
            begins,
            thread: 0,
            told,
        }
    }

    fn off(at: u64, ticks: u64, preempted: bool) -> Off {
        Off { begin: Ticks(at), end: Ticks(at + ticks), preempted }
    }

    fn intervals(switches: &Switches) -> Vec<(u64, u64, bool)> {
        switches.offs.iter().map(|off| (off.begin.0, off.end.0, off.preempted)).collect()
    }

    #[test]
    fn only_what_lies_in_told_stretches_counts() {
        let samples = [
            sample(10, true, true), // a thread begins: nothing is told of before
            sample(20, true, false),
            sample(30, true, false),
            sample(40, false, false),
            sample(50, true, false),
        ];
        let offs = [off(45, 9, false), off(2, 3, true), off(18, 4, true), off(28, 14, true)];
        let switches = Switches::of(&samples, &offs);
        assert_eq!(intervals(&switches), [(18, 22, true), (28, 30, true), (40, 42, true), (45, 50, false)]);
        assert_eq!((switches.told, switches.untold), (Ticks(30), Ticks(10)));
        assert_eq!(switches.preempted(Ticks(20), Ticks(46)), Ticks(2 + 2 + 2));
        assert_eq!(switches.between(Ticks(22), Ticks(28)), []);
    }

    #[test]
    fn intervals_that_overlap_count_once() {
        let samples = [sample(0, false, true), sample(100, true, false)];
        let offs = [off(10, 50, true), off(20, 10, false), off(30, 1 << 47, false)];
        assert_eq!(intervals(&Switches::of(&samples, &offs)), [(10, 60, true), (60, 100, false)]);
    }

    #[test]
    fn samples_out_of_order_tell_nothing_twice() {
        let samples = [sample(50, false, true), sample(90, true, false), sample(60, true, false)];
        let switches = Switches::of(&samples, &[off(55, 10, true)]);
        assert_eq!((intervals(&switches), switches.told), (vec![(55, 65, true)], Ticks(40)));
        let samples = [
            sample(50, false, true),
            sample(90, true, false),
            sample(60, false, true),
            sample(80, true, false),
        ];
        let switches = Switches::of(&samples, &[off(55, 20, true)]);
        assert_eq!(switches.preempted(Ticks(0), Ticks(100)), Ticks(20));
    }

    #[test]
    fn what_lies_in_other_stretches_is_left_out() {
        let samples = [sample(0, false, true), sample(100, true, false)];
        let offs = [off(10, 20, true), off(40, 20, false), off(70, 10, true)];
        let switches = Switches::of(&samples, &offs);
        let stretches = [(5, 12), (14, 16), (15, 18), (28, 45), (72, 90)];
        let outside = switches.outside(stretches.into_iter().map(|(a, b)| (Ticks(a), Ticks(b))));
        let expected = [(12, 14, true), (18, 28, true), (45, 60, false), (70, 72, true)];
        assert_eq!(intervals(&outside), expected);
    }
}
