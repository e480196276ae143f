// SPDX-License-Identifier: Apache-2.0
//! Orders many rows by their times.
//!
//! The rows are dealt into buckets, which are equal stretches of time, and each bucket is sorted by
//! itself, several at once. This takes 4 bytes for each row, and time linear in the number of rows
//! as long as they are spread over the recording. Keys are computed a few times for each row,
//! however many comparisons there are.

use std::ops::Range;

use rayon::prelude::*;

use crate::ticks::Ticks;

/// The average number of rows in a bucket.
const BUCKET: usize = 256;

/// The number of rows that [`for_each`] sorts at once. Each further part goes over all rows once
/// more, to find those of its stretch of time.
const PART: usize = 1 << 23;

/// The rows in the order of their keys, which begin with a time; then of their numbers.
pub(crate) fn sorted<K: Ord + Send>(
    rows: impl Iterator<Item = u32> + Clone,
    key: impl Fn(u32) -> (Ticks, K) + Sync,
) -> Vec<u32> {
    let buckets = Buckets::of(rows.clone(), |row| key(row).0);
    buckets.sorted(0..buckets.rows.len(), rows, &key)
}

/// Calls `each` with the rows in the same order, and takes little memory for it.
pub(crate) fn for_each<K: Ord + Send>(
    rows: &(impl Iterator<Item = u32> + Clone),
    key: impl Fn(u32) -> (Ticks, K) + Sync,
    each: impl FnMut(u32),
) {
    for_each_by_parts(rows, key, PART, each);
}

fn for_each_by_parts<K: Ord + Send>(
    rows: &(impl Iterator<Item = u32> + Clone),
    key: impl Fn(u32) -> (Ticks, K) + Sync,
    part: usize,
    mut each: impl FnMut(u32),
) {
    let buckets = Buckets::of(rows.clone(), |row| key(row).0);
    let mut begin = 0;
    while begin < buckets.rows.len() {
        let end = buckets.end_of_part(begin, part);
        buckets.sorted(begin..end, rows.clone(), &key).into_iter().for_each(&mut each);
        begin = end;
    }
}

/// Equal stretches of time, with the number of rows in each.
struct Buckets {
    shift: u32,
    rows: Vec<u32>,
}

impl Buckets {
    fn of(rows: impl Iterator<Item = u32> + Clone, time: impl Fn(u32) -> Ticks) -> Self {
        let (mut count, mut last) = (0usize, 0);
        for row in rows.clone() {
            count += 1;
            last = last.max(time(row).0);
        }
        let buckets = (count / BUCKET).next_power_of_two();
        let shift = (u64::BITS - last.leading_zeros()).saturating_sub(buckets.trailing_zeros());
        let mut this = Self { shift, rows: vec![0; buckets] };
        for row in rows {
            let bucket = this.bucket(time(row));
            this.rows[bucket] += 1;
        }
        this
    }

    fn bucket(&self, time: Ticks) -> usize {
        time.0.checked_shr(self.shift).unwrap_or(0) as usize
    }

    /// The end of the buckets from `begin` on that have so many rows together.
    fn end_of_part(&self, begin: usize, part: usize) -> usize {
        let mut rows = 0;
        let is_full = |&count: &u32| {
            rows += count as usize;
            rows >= part
        };
        self.rows[begin..].iter().position(is_full).map_or(self.rows.len(), |last| begin + last + 1)
    }

    /// The rows of these buckets, in order.
    fn sorted<K: Ord + Send>(
        &self,
        buckets: Range<usize>,
        rows: impl Iterator<Item = u32>,
        key: &(impl Fn(u32) -> (Ticks, K) + Sync),
    ) -> Vec<u32> {
        // Where the next row of each bucket goes; at the end, where the bucket ends.
        let mut count = 0;
        let begins = self.rows[buckets.clone()].iter().map(|&rows| {
            count += rows;
            count - rows
        });
        let mut next: Vec<u32> = begins.collect();
        let mut dealt = vec![0u32; count as usize];
        for row in rows {
            let bucket = self.bucket(key(row).0);
            if buckets.contains(&bucket) {
                let next = &mut next[bucket - buckets.start];
                dealt[*next as usize] = row;
                *next += 1;
            }
        }
        parts(&mut dealt, &next).into_par_iter().for_each_init(Vec::new, |keys, part| {
            keys.extend(part.iter().map(|&row| (key(row), row)));
            keys.sort_unstable();
            part.iter_mut().zip(keys.drain(..)).for_each(|(place, (_, row))| *place = row);
        });
        dealt
    }
}

/// The parts that end there; those without rows are left out.
fn parts<'a>(mut rest: &'a mut [u32], ends: &[u32]) -> Vec<&'a mut [u32]> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for &end in ends {
        let (part, behind) = rest.split_at_mut((end - begin) as usize);
        (begin, rest) = (end, behind);
        if !part.is_empty() {
            parts.push(part);
        }
    }
    parts
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
        for part in [1, 300, 5000, 9000] {
            let mut each = Vec::new();
            let key = |row: u32| (Ticks(times[row as usize]), then(row));
            for_each_by_parts(&(0..5000), key, part, |row| each.push(row));
            assert_eq!(each, expected, "by parts of {part}");
        }
    }

    #[test]
    fn times_may_be_all_the_same_or_as_large_as_can_be() {
        let of = |times: &[u64]| sorted(0..times.len() as u32, |row| (Ticks(times[row as usize]), ()));
        assert_eq!(of(&[]), [0; 0]);
        assert_eq!(of(&[5; 600]), (0..600).collect::<Vec<_>>());
        assert_eq!(of(&[u64::MAX, 0, u64::MAX - 1]), [1, 2, 0]);
    }
}
