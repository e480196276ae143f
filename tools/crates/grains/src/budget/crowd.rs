// SPDX-License-Identifier: Apache-2.0
//! Finds which of the workers that were due to run had no processor, where there are more workers
//! than processors.
//!
//! At each instant some workers run, by their records, and some are *due*: they do not run yet
//! although the event that they wait for has happened or their team has begun. All of these workers
//! need a processor, and those for which no processor is left are descheduled. Due workers count as
//! descheduled first, because they have not returned from their sleep. Which of the due workers had
//! no processor is not known, so they share the loss. The samples of CPU time show how long running
//! workers were descheduled (`descheduled`).

use crate::ticks::Ticks;
use crate::Profile;

/// Why a worker needs a processor: it runs, or it is due to run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Want {
    Runs,
    Due,
}

/// The stretches of time in which one worker needs a processor.
pub(crate) struct Wants {
    /// A worker that is due for less than this time is about to run, and counts as running.
    shortest: Ticks,
    found: Vec<(Ticks, Ticks, Want)>,
}

impl Wants {
    pub fn new(profile: &Profile) -> Self {
        Self { shortest: Ticks(profile.meta.ticks_per_second / 1_000_000), found: Vec::new() }
    }

    /// Called in the order of time.
    pub fn add(&mut self, begin: Ticks, end: Ticks, want: Want) {
        let want = if end - begin < self.shortest { Want::Runs } else { want };
        match self.found.last_mut() {
            Some(last) if last.1 == begin && last.2 == want => last.1 = end,
            _ if begin < end => self.found.push((begin, end, want)),
            _ => {}
        }
    }
}

/// For each instant: the share of the instant in which a due worker has no processor.
pub(crate) struct Crowd {
    /// The times from which a new share applies.
    at: Vec<Ticks>,
    share: Vec<f32>,
    /// The time that a worker which is always due has lost by then.
    before: Vec<f64>,
}

impl Crowd {
    pub fn of(processors: u32, wants: impl Iterator<Item = Wants>) -> Self {
        let mut steps: Vec<(Ticks, Want, i8)> = Vec::new();
        for (begin, end, want) in wants.flat_map(|wants| wants.found) {
            steps.extend([(begin, want, 1), (end, want, -1)]);
        }
        steps.sort_unstable();
        let mut this = Self { at: Vec::new(), share: Vec::new(), before: Vec::new() };
        let mut open = [0i64; 2];
        for (row, &(at, want, step)) in steps.iter().enumerate() {
            open[want as usize] += i64::from(step);
            if steps.get(row + 1).is_none_or(|next| next.0 > at) {
                let [runs, due] = open;
                let off = (runs + due - i64::from(processors)).clamp(0, due);
                this.push(at, if off > 0 { (off as f64 / due as f64) as f32 } else { 0.0 });
            }
        }
        this
    }

    fn push(&mut self, at: Ticks, share: f32) {
        if self.share.last().is_none_or(|&last| last != share) {
            self.before.push(self.lost_by(at));
            self.at.push(at);
            self.share.push(share);
        }
    }

    fn lost_by(&self, at: Ticks) -> f64 {
        let passed = self.at.partition_point(|&step| step <= at);
        passed.checked_sub(1).map_or(0.0, |last| {
            self.before[last] + (at - self.at[last]).0 as f64 * f64::from(self.share[last])
        })
    }

    /// How long a worker that is due from `begin` to `end` has no processor.
    pub fn descheduled(&self, begin: Ticks, end: Ticks) -> Ticks {
        Ticks((self.lost_by(end) - self.lost_by(begin)) as u64).min(end - begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_due_shares_what_no_processor_is_left_for() {
        use Want::{Due, Runs};
        let wants = |found: &[(u64, u64, Want)]| {
            let mut wants = Wants { shortest: Ticks(3), found: Vec::new() };
            for &(begin, end, want) in found {
                wants.add(Ticks(begin), Ticks(end), want);
            }
            wants
        };
        let workers = [
            wants(&[(0, 100, Runs)]),
            wants(&[(0, 20, Due), (20, 22, Due), (22, 60, Runs)]),
            wants(&[(0, 40, Due), (40, 60, Runs)]),
            wants(&[(10, 60, Due)]),
        ];
        let crowd = Crowd::of(2, workers.into_iter());
        let lost = |begin, end| crowd.descheduled(Ticks(begin), Ticks(end)).0;
        assert_eq!(lost(0, 10), 5); // one of two
        assert_eq!(lost(10, 16), 4); // two of three
        assert_eq!(lost(20, 40), 20); // both
        assert_eq!(lost(40, 60), 20); // three run, so the samples tell of one more
        assert_eq!(lost(60, 100), 0);
        assert_eq!(lost(16, 30), 2 + 10);
    }
}
