// SPDX-License-Identifier: Apache-2.0
//! Finds what the program did while a worker was in none of its own records.
//!
//! The records of other workers show why a worker had no task, wait or team: a region was open
//! whose team did not have the worker; or no region was open, and the recorder or an initial task
//! was at work; or the thread that worked for the recorder was off its processor. If none of these
//! holds, no record explains the time, and the time belongs to the budget's rest. In a recording
//! that has lost records, so does time that only the lack of a record would explain.

use crate::budget::sums::Class;
use crate::tables::GrainKind;
use crate::ticks::Ticks;
use crate::Profile;

/// In order of precedence.
const REASONS: [Class; 4] = [Class::OutsideTeam, Class::Recorder, Class::Serial, Class::Descheduled];

/// When each reason held, and none of those before it.
pub(crate) struct Outside {
    stretches: [Stretches; REASONS.len()],
}

impl Outside {
    pub fn of(profile: &Profile) -> Self {
        let regions = profile.regions.iter().map(|region| (region.begin, region.end));
        let apart = &profile.recorder.apart;
        let recorder = apart.iter().map(|apart| (apart.begin, apart.begin + apart.own));
        let recorder = recorder.chain(profile.recorder.before.iter().copied());
        let off = apart.iter().map(|apart| (apart.begin + apart.own, apart.end())).collect();
        let grains = &profile.grains;
        let initial = grains.task_rows().filter(|&row| grains.kind[row] == GrainKind::Initial);
        let initial = initial.map(|row| (grains.start.of(row), grains.end.of(row)));
        if profile.has_gaps() {
            return Self::by([Vec::new(), recorder.collect(), Vec::new(), off]);
        }
        Self::by([regions.collect(), recorder.collect(), initial.collect(), off])
    }

    fn by(intervals: [Vec<(Ticks, Ticks)>; REASONS.len()]) -> Self {
        let mut steps: Vec<(Ticks, u8, i8)> = Vec::new();
        for (reason, intervals) in intervals.into_iter().enumerate() {
            for (begin, end) in intervals.into_iter().filter(|(begin, end)| begin < end) {
                steps.extend([(begin, reason as u8, 1), (end, reason as u8, -1)]);
            }
        }
        steps.sort_unstable();
        let mut this = Self { stretches: Default::default() };
        let (mut open, mut since) = ([0i64; REASONS.len()], Ticks::ZERO);
        for (at, reason, step) in steps {
            if let Some(holds) = open.iter().position(|&open| open > 0) {
                this.stretches[holds].push(since, at);
            }
            since = at;
            open[usize::from(reason)] += i64::from(step);
        }
        this
    }

    /// By how much of the time from `begin` to `end` which reason held.
    pub fn reasons(&self, begin: Ticks, end: Ticks) -> impl Iterator<Item = (Class, Ticks)> + '_ {
        let within = move |stretches: &Stretches| stretches.until(end) - stretches.until(begin);
        REASONS.into_iter().zip(self.stretches.iter().map(within))
    }

    /// Which reason held from when to when between `begin` and `end`, in order of time.
    pub fn stretches(&self, begin: Ticks, end: Ticks) -> Vec<(Ticks, Ticks, Class)> {
        let mut out = Vec::new();
        for (class, stretches) in REASONS.into_iter().zip(&self.stretches) {
            let first = stretches.end.partition_point(|&other| other <= begin);
            let last = stretches.begin.partition_point(|&other| other < end);
            for at in first..last.max(first) {
                out.push((stretches.begin[at].max(begin), stretches.end[at].min(end), class));
            }
        }
        out.sort_unstable_by_key(|&(begin, ..)| begin);
        out
    }
}

/// Stretches of time that do not overlap, in order.
#[derive(Default)]
struct Stretches {
    begin: Vec<Ticks>,
    end: Vec<Ticks>,
    /// Length of the stretches before this one.
    before: Vec<Ticks>,
}

impl Stretches {
    fn push(&mut self, begin: Ticks, end: Ticks) {
        match self.end.last_mut() {
            Some(last) if *last == begin => *last = end,
            _ if begin < end => {
                self.before.push(self.until(begin));
                self.begin.push(begin);
                self.end.push(end);
            }
            _ => {}
        }
    }

    /// How much of them lies before `at`.
    fn until(&self, at: Ticks) -> Ticks {
        let passed = self.begin.partition_point(|&begin| begin < at);
        passed
            .checked_sub(1)
            .map_or(Ticks::ZERO, |last| self.before[last] + (at.min(self.end[last]) - self.begin[last]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_instant_has_the_first_reason_that_holds() {
        let at = |begin, end| (Ticks(begin), Ticks(end));
        let regions = vec![at(20, 40), at(30, 50), at(70, 70)];
        let recorder = vec![at(5, 8), at(45, 55)];
        let outside = Outside::by([regions, recorder, vec![at(0, 60), at(58, 65)], vec![at(64, 69)]]);
        let within = |begin, end| {
            outside.reasons(Ticks(begin), Ticks(end)).map(|(_, ticks)| ticks.0).collect::<Vec<_>>()
        };
        assert_eq!(within(0, 100), [30, 3 + 5, 5 + 12 + 10, 4]);
        assert_eq!(within(6, 22), [2, 2, 12, 0]);
        assert_eq!(within(65, 100), [0, 0, 0, 4]);
        let stretches: Vec<_> =
            outside.stretches(Ticks(6), Ticks(22)).iter().map(|s| (s.0 .0, s.1 .0, s.2)).collect();
        assert_eq!(
            stretches,
            [(6, 8, Class::Recorder), (8, 20, Class::Serial), (20, 22, Class::OutsideTeam)]
        );
    }
}
