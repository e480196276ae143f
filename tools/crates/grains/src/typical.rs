// SPDX-License-Identifier: Apache-2.0
//! The typical time of a very frequent action: its mean without the longest ones.
//!
//! Occasionally a creation, the book-keeping of a chunk, or a fork takes a hundred times as long,
//! because the machine interrupted it or the recorder disturbed it. A cure of the program does not
//! gain this time.

/// Share of the longest ones that are left out.
const RARE: f64 = 0.05;
/// Lengths in one bucket are the same to an eighth.
const OF_OCTAVE: f64 = 8.0;

/// Lengths by size, in ns or ticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Typical {
    /// Number and sum.
    buckets: Vec<(f64, f64)>,
    pub number: f64,
    pub sum: f64,
}

impl Typical {
    pub fn add(&mut self, ns: f64) {
        let at = (ns.max(1.0).log2() * OF_OCTAVE) as usize;
        if self.buckets.len() <= at {
            self.buckets.resize(at + 1, (0.0, 0.0));
        }
        let bucket = &mut self.buckets[at];
        *bucket = (bucket.0 + 1.0, bucket.1 + ns);
        self.number += 1.0;
        self.sum += ns;
    }

    pub fn mean(&self) -> f64 {
        self.mean_without(RARE)
    }

    /// Without this share of them, the longest.
    pub fn mean_without(&self, rare: f64) -> f64 {
        let kept = self.number - (self.number * rare).floor();
        let (mut left, mut sum) = (kept, 0.0);
        for &(number, of_bucket) in self.buckets.iter().filter(|bucket| bucket.0 > 0.0) {
            let taken = f64::min(left, number);
            sum += of_bucket * taken / number;
            left -= taken;
        }
        sum / kept.max(1.0)
    }

    /// A quarter of them is not longer, to an eighth; 0 of none.
    pub fn quartile(&self) -> f64 {
        let mut passed = 0.0;
        let found = self.buckets.iter().find(|bucket| {
            passed += bucket.0;
            bucket.0 > 0.0 && passed * 4.0 >= self.number
        });
        found.map_or(0.0, |&(number, sum)| sum / number)
    }

    /// As long as if all were typical.
    pub fn all(&self) -> f64 {
        self.number * self.mean()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lengths: impl Iterator<Item = f64>) -> Typical {
        let mut typical = Typical::default();
        lengths.for_each(|length| typical.add(length));
        typical
    }

    #[test]
    fn a_few_long_ones_do_not_count() {
        let typical = of((0..100).map(|at| if at % 25 == 0 { 1e6 } else { 30.0 }));
        assert_eq!((typical.mean(), typical.all(), typical.quartile()), (30.0, 3000.0, 30.0));
    }

    #[test]
    fn what_happens_often_counts() {
        let typical = of((0..100).map(|at| if at % 4 == 0 { 3000.0 } else { 30.0 }));
        assert!((typical.mean() - (20.0 * 3000.0 + 75.0 * 30.0) / 95.0).abs() < 1e-6, "{}", typical.mean());
        assert_eq!(of([7.0, 9.0].into_iter()).mean(), 8.0);
        assert_eq!(
            (of([7.0, 9.0].into_iter()).quartile(), of([5.0, 9.0, 9.0, 9.0, 9.0].into_iter()).quartile()),
            (7.0, 9.0)
        );
        assert_eq!((of(std::iter::empty()).mean(), of(std::iter::empty()).quartile()), (0.0, 0.0));
    }
}
