// SPDX-License-Identifier: Apache-2.0
//! Orders many rows by their times.
//!
//! The rows are dealt into buckets, which are equal stretches of time, and each bucket is sorted by
//! itself. This takes 4 bytes for each row, and time linear in the number of rows as long as they
//! are spread over the recording. The keys are computed twice for each row, however many
//! comparisons there are.

use std::ops::Range;

use crate::ticks::Ticks;

/// The average number of rows in a bucket.
const BUCKET: usize = 256;

/// The rows in each stretch of time.
pub(crate) struct Buckets {
    start: Vec<u32>,
    rows: Vec<u32>,
}

impl Buckets {
    pub fn deal(rows: impl Iterator<Item = u32> + Clone, time: impl Fn(u32) -> Ticks) -> Self {
        let (mut count, mut last) = (0usize, 0);
        for row in rows.clone() {
            count += 1;
            last = last.max(time(row).0);
        }
        let buckets = (count / BUCKET).next_power_of_two();
        let shift = (u64::BITS - last.leading_zeros()).saturating_sub(buckets.trailing_zeros());
        let of = |row: u32| time(row).0.checked_shr(shift).unwrap_or(0) as usize;
        let mut start = vec![0u32; buckets + 2];
        for row in rows.clone() {
            start[of(row) + 2] += 1;
        }
        for bucket in 0..=buckets {
            start[bucket + 1] += start[bucket];
        }
        // `start[b + 1]` is where the next one of bucket b goes; at the end that is where b ends.
        let mut dealt = vec![0u32; count];
        for row in rows {
            let next = &mut start[of(row) + 1];
            dealt[*next as usize] = row;
            *next += 1;
        }
        start.pop();
        Self { start, rows: dealt }
    }

    /// Calls `each` with all rows, in the order of their keys. The keys of a bucket must not be
    /// above those of a later one, and no two keys are the same.
    pub fn in_order<K: Ord>(&self, key: impl Fn(u32) -> K, mut each: impl FnMut(u32)) {
        let mut keys: Vec<(K, u32)> = Vec::new();
        for bucket in self.ranges() {
            keys.extend(self.rows[bucket].iter().map(|&row| (key(row), row)));
            keys.sort_unstable();
            keys.drain(..).for_each(|(_, row)| each(row));
        }
    }

    fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.start.windows(2).map(|bounds| bounds[0] as usize..bounds[1] as usize)
    }
}

/// The rows in the order of their keys, which begin with a time; then of their numbers.
pub(crate) fn sorted<K: Ord>(
    rows: impl Iterator<Item = u32> + Clone,
    key: impl Fn(u32) -> (Ticks, K),
) -> Vec<u32> {
    let mut buckets = Buckets::deal(rows, |row| key(row).0);
    let ranges: Vec<_> = buckets.ranges().collect();
    let mut keys = Vec::new();
    for bucket in ranges {
        let rows = &mut buckets.rows[bucket];
        keys.extend(rows.iter().map(|&row| (key(row), row)));
        keys.sort_unstable();
        rows.iter_mut().zip(keys.drain(..)).for_each(|(place, (_, row))| *place = row);
    }
    buckets.rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_time_then_by_what_else_is_asked() {
        let times: Vec<u64> = (0..5000).map(|row| row * 7919 % 1009 * 3).collect();
        let then = |row: u32| row % 2;
        let sorted = sorted(0..5000, |row| (Ticks(times[row as usize]), then(row)));
        let mut expected: Vec<u32> = (0..5000).collect();
        expected.sort_by_key(|&row| (times[row as usize], then(row), row));
        assert_eq!(sorted, expected);
    }

    #[test]
    fn times_may_be_all_the_same_or_as_large_as_can_be() {
        let of = |times: &[u64]| sorted(0..times.len() as u32, |row| (Ticks(times[row as usize]), ()));
        assert_eq!(of(&[]), [0; 0]);
        assert_eq!(of(&[5; 600]), (0..600).collect::<Vec<_>>());
        assert_eq!(of(&[u64::MAX, 0, u64::MAX - 1]), [1, 2, 0]);
    }
}
