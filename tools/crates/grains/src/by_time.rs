// SPDX-License-Identifier: Apache-2.0
//! Orders many rows by their times.
//!
//! The rows are dealt into buckets, which are equal stretches of time, and each bucket is sorted by
//! itself, several at once. This takes 4 bytes for each row, and time linear in the number of rows
//! as long as they are spread over the recording. Keys are computed a few times for each row,
//! however many comparisons there are.

use rayon::prelude::*;

use crate::ticks::Ticks;

/// The average number of rows in a bucket.
const BUCKET: usize = 256;

/// The rows in the order of their keys, which begin with a time; then of their numbers.
pub(crate) fn sorted<K: Ord + Send>(
    rows: impl Iterator<Item = u32> + Clone,
    key: impl Fn(u32) -> (Ticks, K) + Sync,
) -> Vec<u32> {
    let (mut dealt, ends) = deal(rows, |row| key(row).0);
    buckets(&mut dealt, &ends).into_par_iter().for_each_init(Vec::new, |keys, bucket| {
        keys.extend(bucket.iter().map(|&row| (key(row), row)));
        keys.sort_unstable();
        bucket.iter_mut().zip(keys.drain(..)).for_each(|(place, (_, row))| *place = row);
    });
    dealt
}

/// The rows by stretch of time, and where each stretch ends among them.
fn deal(rows: impl Iterator<Item = u32> + Clone, time: impl Fn(u32) -> Ticks) -> (Vec<u32>, Vec<u32>) {
    let (mut count, mut last) = (0usize, 0);
    for row in rows.clone() {
        count += 1;
        last = last.max(time(row).0);
    }
    let buckets = (count / BUCKET).next_power_of_two();
    let shift = (u64::BITS - last.leading_zeros()).saturating_sub(buckets.trailing_zeros());
    let of = |row: u32| time(row).0.checked_shr(shift).unwrap_or(0) as usize;
    let mut next = vec![0u32; buckets + 2];
    for row in rows.clone() {
        next[of(row) + 1] += 1;
    }
    for bucket in 0..=buckets {
        next[bucket + 1] += next[bucket];
    }
    // `next[b]` is where the next one of bucket b goes; at the end that is where b ends.
    let mut dealt = vec![0u32; count];
    for row in rows {
        let next = &mut next[of(row)];
        dealt[*next as usize] = row;
        *next += 1;
    }
    (dealt, next)
}

/// The parts that end there; those without rows are left out.
fn buckets<'a>(mut rest: &'a mut [u32], ends: &[u32]) -> Vec<&'a mut [u32]> {
    let mut buckets = Vec::new();
    let mut begin = 0;
    for &end in ends {
        let (bucket, behind) = rest.split_at_mut((end - begin) as usize);
        (begin, rest) = (end, behind);
        if !bucket.is_empty() {
            buckets.push(bucket);
        }
    }
    buckets
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
