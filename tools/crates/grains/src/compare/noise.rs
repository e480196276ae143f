// SPDX-License-Identifier: Apache-2.0
//! Decides whether a change is more than noise, from several runs before and after it.
//!
//! The test makes no assumption about the distribution of times. It only assumes that without a
//! change the runs before and after are exchangeable: then every division of all runs into two
//! groups of these sizes is as likely as the observed one. The statistic of a division is the
//! difference of its means in units of their standard error (Welch), and p is the share of
//! divisions whose statistic is at least as large as that of the observed division (a permutation
//! test).
//!
//! Of many comparisons, some differ much by chance. So each is compared with the largest statistic
//! of *all* comparisons in each division (maxT of Westfall and Young, 1993): the probability that
//! any of the reported changes is not a change is at most p. Runs are exchanged as a whole, which
//! keeps the correlations within a run.
//!
//! Runs are not exchangeable if the machine changes while they are recorded, because the runs of a
//! side follow one another. So a difference must also be [`BEYOND_DRIFT`] times as large as any
//! difference between the first and the last runs of either side.
//!
//! A single run may be far off, as on a machine that did something else for a second. Its distance
//! must hide no change: for the statistic, the largest and the smallest of all values count as the
//! next ones to them, whichever side they are of, and a drift is one of the other runs.
//!
//! A difference whose confidence interval contains the ratio 1 is not called a change either. The
//! interval is that of Hodges and Lehmann: of the ratios of all pairs of runs, those whose ranks
//! the test of Mann and Whitney does not rule out.

/// Below this p, a change counts as more than noise.
pub const LEVEL: f64 = 0.05;
/// If there are fewer divisions than this, all are examined; otherwise this number of random
/// divisions.
const MOST_DIVISIONS: u64 = 20_000;
/// A change by less than this part of the mean does not matter, however similar the runs are.
const LEAST_CHANGE: f64 = 0.005;
/// The same in absolute terms: clocks and interrupts have steps of this size.
const LEAST_CHANGE_NS: f64 = 1_000.0;

/// How much larger than the drift within a side a change must be: the sides are twice as far apart
/// in time as the halves of one of them.
const BEYOND_DRIFT: f64 = 2.0;

/// The verdict on a change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// p, adjusted for the number of comparisons.
    Change(f64),
    Noise(f64),
    /// More than noise, but the machine was not equally busy. `verdicts` does not give this one: it
    /// knows nothing of the machine.
    OfMachine(f64),
    /// There are too few runs to tell any change from noise.
    TooFewRuns,
}

impl Verdict {
    pub fn p(self) -> Option<f64> {
        match self {
            Self::Change(p) | Self::Noise(p) | Self::OfMachine(p) => Some(p),
            Self::TooFewRuns => None,
        }
    }
}

/// The values of one comparison: a value for each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    pub before: Vec<f64>,
    pub after: Vec<f64>,
}

/// Whether these numbers of runs can tell a change from noise at all.
pub fn can_tell(before: usize, after: usize) -> bool {
    let least = if before == after { 2.0 } else { 1.0 }; // the swapped division is as far apart
    before > 1 && after > 1 && least / divisions(before, after) <= LEVEL
}

/// Judges comparisons that all have values of the same runs, in the same order: that in which the
/// runs were recorded.
pub fn verdicts(comparisons: &[Samples]) -> Vec<Verdict> {
    let Some(first) = comparisons.first() else { return Vec::new() };
    let (before, after) = (first.before.len(), first.after.len());
    if !can_tell(before, after) {
        return vec![Verdict::TooFewRuns; comparisons.len()];
    }
    let rows: Vec<Row> = comparisons.iter().map(Row::of).collect();
    let was: Vec<bool> = (0..before + after).map(|run| run < before).collect();
    let observed: Vec<f64> = rows.iter().map(|row| row.distance(&was)).collect();
    let mut as_far = vec![0_u64; rows.len()];
    let mut looked_at = 0_u64;
    each_division(&was, rows.len(), |division| {
        let farthest = rows.iter().map(|row| row.distance(division)).fold(0.0, f64::max);
        for (count, &distance) in as_far.iter_mut().zip(&observed) {
            *count += u64::from(farthest >= distance * (1.0 - 1e-9));
        }
        looked_at += 1;
    });
    let verdict = |((&count, row), samples): ((&u64, &Row), &Samples)| {
        let p = count as f64 / looked_at as f64;
        // A single outlier can change a mean, but not the ranks.
        let stands = interval(samples).is_none_or(|(low, high)| low > 1.0 || high < 1.0);
        if p <= LEVEL && stands && row.is_worth_a_word(&was) && exceeds_drift(samples) {
            Verdict::Change(p)
        } else {
            Verdict::Noise(p)
        }
    };
    as_far.iter().zip(&rows).zip(comparisons).map(verdict).collect()
}

fn exceeds_drift(Samples { before, after }: &Samples) -> bool {
    let [before, after] = [before, after].map(|runs| without_outlier(runs));
    (mean(&after) - mean(&before)).abs() >= BEYOND_DRIFT * drift(&before).max(drift(&after))
}

/// Leaves out the run that is farther from the others than three times what lies between them. Of
/// fewer than five runs, one may be half of a drift.
fn without_outlier(runs: &[f64]) -> Vec<f64> {
    const FAR: f64 = 3.0;
    let others = |left_out: usize| -> Vec<f64> {
        let others = runs.iter().enumerate().filter(|(at, _)| *at != left_out);
        others.map(|(_, &run)| run).collect()
    };
    let is_far = |&at: &usize| {
        let others = others(at);
        let least = others.iter().copied().fold(f64::INFINITY, f64::min);
        let most = others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (runs[at] - most).max(least - runs[at]) > FAR * (most - least)
    };
    match (0..runs.len()).find(is_far) {
        Some(at) if runs.len() >= 5 => others(at),
        _ => runs.to_vec(),
    }
}

/// The largest difference between the first and the last runs of a side, of at least two each.
fn drift(runs: &[f64]) -> f64 {
    let splits = (2..runs.len().saturating_sub(1)).map(|at| runs.split_at(at));
    splits.map(|(first, last)| (mean(last) - mean(first)).abs()).fold(0.0, f64::max)
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

struct Row {
    values: Vec<f64>,
    /// Added to the standard error. Without it, a tiny change would look significant if the runs
    /// happen to be alike.
    least_error: f64,
}

impl Row {
    fn of(samples: &Samples) -> Self {
        let mut values: Vec<f64> = samples.before.iter().chain(&samples.after).copied().collect();
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        if let [_, least, .., most, _] = sorted[..] {
            for value in &mut values {
                *value = value.clamp(least, most);
            }
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self { values, least_error: LEAST_CHANGE * mean.abs() + LEAST_CHANGE_NS }
    }

    /// The difference of the means of the two groups, in standard errors.
    fn distance(&self, is_before: &[bool]) -> f64 {
        let [(before, error_before), (after, error_after)] =
            [true, false].map(|is| self.group(is_before, is));
        (after - before).abs() / ((error_before + error_after).sqrt() + self.least_error)
    }

    fn is_worth_a_word(&self, is_before: &[bool]) -> bool {
        let [(before, _), (after, _)] = [true, false].map(|is| self.group(is_before, is));
        (after - before).abs() > self.least_error
    }

    /// Mean of a group, and the square of its standard error.
    fn group(&self, is_before: &[bool], wanted: bool) -> (f64, f64) {
        let values =
            || self.values.iter().zip(is_before).filter(|(_, is)| **is == wanted).map(|(value, _)| value);
        let number = values().count() as f64;
        let mean = values().sum::<f64>() / number;
        let squares: f64 = values().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / (number - 1.0) / number)
    }
}

/// The number of ways to divide runs into two groups of these sizes.
fn divisions(before: usize, after: usize) -> f64 {
    (1..=before.min(after)).map(|at| (before.max(after) + at) as f64 / at as f64).product()
}

/// Calls `look` with all divisions, or with many of them, including the actual one.
fn each_division(was: &[bool], comparisons: usize, mut look: impl FnMut(&[bool])) {
    let before = was.iter().filter(|is| **is).count();
    if divisions(before, was.len() - before) <= MOST_DIVISIONS as f64 {
        let mut division = was.to_vec();
        loop {
            look(&division);
            if !next_division(&mut division) {
                return;
            }
        }
    }
    // With this limit, many runs and comparisons take a second, not an hour.
    let each = (was.len() * comparisons) as u64;
    let number = (200_000_000 / each.max(1)).clamp(1_000, MOST_DIVISIONS);
    let mut random = 1;
    let mut division = was.to_vec();
    look(&division);
    for _ in 1..number {
        for at in (1..division.len()).rev() {
            division.swap(at, (next_random(&mut random) % (at as u64 + 1)) as usize);
        }
        look(&division);
    }
}

/// Makes the next division in lexical order. Returns false after the last.
fn next_division(division: &mut [bool]) -> bool {
    // From [true.., false..] on: the last true that a false follows moves up.
    let Some(at) = (1..division.len()).rev().find(|&at| division[at - 1] && !division[at]) else {
        return false;
    };
    division.swap(at - 1, at);
    let behind = division[at + 1..].iter().filter(|is| **is).count();
    for (number, is) in division[at + 1..].iter_mut().enumerate() {
        *is = number < behind;
    }
    true
}

/// SplitMix64: the same recordings give the same verdicts.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The interval in which after / before lies, with 95 % confidence. `None` if there are too few
/// runs for an interval, or if there are values of 0.
pub fn interval(samples: &Samples) -> Option<(f64, f64)> {
    let (before, after) = (&samples.before, &samples.after);
    let pairs = before.iter().flat_map(|&before| after.iter().map(move |&after| after / before));
    let mut ratios: Vec<f64> = pairs.filter(|ratio| ratio.is_finite()).collect();
    if ratios.is_empty() || ratios.len() < before.len() * after.len() {
        return None;
    }
    ratios.sort_unstable_by(f64::total_cmp);
    let rank = rank_of_bound(before.len(), after.len())?;
    Some((ratios[rank], ratios[ratios.len() - 1 - rank]))
}

/// The rank of the lower bound among the pairs, from 0, so that 95 % lie between it and the upper
/// bound.
fn rank_of_bound(before: usize, after: usize) -> Option<usize> {
    const EXACT: usize = 60; // runs; with more the normal distribution is near enough
    let tail = (1.0 - 0.95) / 2.0;
    if before + after > EXACT {
        let (n, m) = (before as f64, after as f64);
        let deviation = (n * m * (n + m + 1.0) / 12.0).sqrt();
        return Some(((n * m / 2.0 - 1.96 * deviation - 0.5).floor().max(0.0)) as usize);
    }
    let counts = rank_sums(before, after);
    let all = divisions(before, after);
    let mut below = 0.0;
    let fits = counts.iter().take_while(|&&count| {
        below += count;
        below / all <= tail
    });
    fits.count().checked_sub(1)
}

/// For each number of pairs in which the run before is the larger one: the number of divisions that
/// have this number of such pairs. These are the coefficients of Gauss's binomial.
fn rank_sums(before: usize, after: usize) -> Vec<f64> {
    let most = before * after;
    let mut counts = vec![0.0; most + 1];
    counts[0] = 1.0;
    for at in 1..=before {
        for sum in (after + at..=most).rev() {
            counts[sum] -= counts[sum - after - at];
        }
        for sum in at..=most {
            counts[sum] += counts[sum - at];
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(before: &[f64], after: &[f64]) -> Samples {
        let ns = |values: &[f64]| values.iter().map(|value| value * 1e6).collect();
        Samples { before: ns(before), after: ns(after) }
    }

    #[test]
    fn all_divisions_are_looked_at_once() {
        let mut seen = std::collections::HashSet::new();
        each_division(&[true, true, false, false, false], 1, |division| {
            assert_eq!(division.iter().filter(|is| **is).count(), 2);
            assert!(seen.insert(division.to_vec()));
        });
        assert_eq!((seen.len(), divisions(2, 3), divisions(5, 5)), (10, 10.0, 252.0));
    }

    #[test]
    fn a_change_is_told_from_noise_beside_many_that_are_none() {
        let mut random = 7;
        let mut noisy = |mean: f64| -> Vec<f64> {
            (0..5).map(|_| mean * (0.95 + (next_random(&mut random) % 1000) as f64 / 1e4)).collect()
        };
        let mut all: Vec<Samples> = (0..30).map(|_| samples(&noisy(10.0), &noisy(10.0))).collect();
        all[11] = samples(&noisy(10.0), &noisy(20.0));
        let found = verdicts(&all);
        assert_eq!(found[11], Verdict::Change(2.0 / 252.0));
        let changes = found.iter().filter(|verdict| matches!(verdict, Verdict::Change(_))).count();
        assert_eq!(changes, 1, "{found:?}");
    }

    #[test]
    fn false_alarms_are_as_rare_as_said() {
        let mut random = 1;
        let mut noisy = || -> Vec<f64> {
            (0..4).map(|_| 10.0 + (next_random(&mut random) % 1000) as f64 / 100.0).collect()
        };
        let mut alarms = 0;
        for _ in 0..300 {
            let all: Vec<Samples> = (0..12).map(|_| samples(&noisy(), &noisy())).collect();
            alarms += i32::from(verdicts(&all).iter().any(|verdict| matches!(verdict, Verdict::Change(_))));
        }
        // 4 against 4 can give p = 2/70 or 4/70: the expected rate is 0.029.
        assert!((1..=18).contains(&alarms), "{alarms} of 300");
    }

    #[test]
    fn too_few_runs_tell_nothing() {
        let three = samples(&[1.0, 1.0, 1.0], &[9.0, 9.0, 9.0]);
        assert_eq!(verdicts(std::slice::from_ref(&three)), [Verdict::TooFewRuns]);
        assert_eq!(interval(&three), None);
        assert_eq!(
            [can_tell(1, 1), can_tell(1, 40), can_tell(4, 4), can_tell(3, 4)],
            [false, false, true, true]
        );
        assert!(verdicts(&[]).is_empty());
    }

    #[test]
    fn a_change_that_nobody_would_notice_is_none() {
        let found = verdicts(&[samples(&[10.0; 5], &[10.01; 5]), samples(&[10.0; 5], &[10.3; 5])]);
        assert!(matches!(found[..], [Verdict::Noise(_), Verdict::Change(_)]), "{found:?}");
    }

    #[test]
    fn a_machine_that_changes_is_no_change_of_the_program() {
        let found = verdicts(&[samples(&[10.0, 10.2, 11.0, 11.1, 11.2], &[12.0, 12.1, 12.2, 12.1, 12.0])]);
        assert!(matches!(found[..], [Verdict::Noise(p)] if p <= LEVEL), "{found:?}");
        let found = verdicts(&[samples(&[10.0, 10.2, 11.0, 11.1, 11.2], &[14.0, 14.1, 14.2, 14.1, 14.0])]);
        assert!(matches!(found[..], [Verdict::Change(_)]), "{found:?}");
    }

    #[test]
    fn one_odd_run_is_no_change() {
        let before = [10.0, 10.1, 10.2, 10.3, 10.4];
        let found = verdicts(&[samples(&before, &[8.0, 8.1, 8.0, 8.1, 10.3])]);
        assert!(matches!(found[..], [Verdict::Noise(p)] if p <= LEVEL), "{found:?}");
    }

    #[test]
    fn one_run_that_is_far_off_hides_no_change() {
        let (before, after) = ([44.0, 44.1, 44.2, 44.0, 44.1], [88.0, 88.1, 88.0, 88.2, 88.1]);
        for at in 0..5 {
            for far in [5.0, 300.0] {
                let (mut odd_before, mut odd_after) = (before, after);
                (odd_before[at], odd_after[at]) = (far, far);
                for all in [samples(&odd_before, &after), samples(&before, &odd_after)] {
                    let found = verdicts(std::slice::from_ref(&all));
                    let stands = interval(&all).is_some_and(|(low, high)| low > 1.0 || high < 1.0);
                    assert_eq!(matches!(found[..], [Verdict::Change(_)]), stands, "{all:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn many_runs_are_sampled() {
        let run = |at: usize| 10.0 + (at % 7) as f64 / 10.0;
        let before: Vec<f64> = (0..30).map(run).collect();
        let after: Vec<f64> = (0..30).map(|at| run(at) + 3.0).collect();
        let found = verdicts(&[samples(&before, &after)]);
        assert!(matches!(found[0], Verdict::Change(p) if p < 0.001), "{found:?}");
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Critical values of Mann and Whitney, two-sided 5 %: 4/4: 0, 5/5: 2, 8/8: 13, 5/9: 7.
        let found = [(4, 4), (5, 5), (8, 8), (5, 9), (3, 3)].map(|(n, m)| rank_of_bound(n, m));
        assert_eq!(found, [Some(0), Some(2), Some(13), Some(7), None]);
        assert_eq!(rank_sums(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0]);
        let found = interval(&samples(&[1.0; 5], &[1.1, 1.2, 1.3, 1.4, 1.5]));
        assert_eq!(found.map(|(low, high)| (low < 1.15, high > 1.45)), Some((true, true)));
        assert_eq!(interval(&samples(&[0.0; 5], &[0.0; 5])), None);
    }
}
