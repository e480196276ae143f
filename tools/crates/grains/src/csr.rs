// SPDX-License-Identifier: Apache-2.0
//! Groups of rows: for each key the rows that belong to it, in one array (compressed sparse rows).
//!
//! Keys and rows are rows of tables, or numbers.

use std::marker::PhantomData;
use std::ops::Range;

use crate::row::Row;

/// What has a number, and can be made of it.
pub(crate) trait Numbered: Copy {
    fn of_number(number: u32) -> Self;
    fn number(self) -> u32;
}

impl Numbered for u32 {
    fn of_number(number: u32) -> Self {
        number
    }

    fn number(self) -> u32 {
        self
    }
}

impl<T> Numbered for Row<T> {
    fn of_number(number: u32) -> Self {
        Self::of_number(number)
    }

    fn number(self) -> u32 {
        Self::number(self)
    }
}

pub(crate) struct Groups<K, V> {
    start: Vec<u32>,
    rows: Vec<V>,
    keys: PhantomData<fn(K)>,
}

impl<K: Numbered, V: Numbered> Groups<K, V> {
    /// Counting sort: row `r` goes to group `keys[r]`; a key outside of `0..groups`, or none,
    /// leaves its row out. Rows keep their order within a group.
    pub fn new(groups: usize, keys: impl Iterator<Item = impl Into<Option<K>>> + Clone) -> Self {
        let group = |key: Option<K>| key.map(|key| key.number() as usize).filter(|&key| key < groups);
        let keys = keys.map(|key| group(key.into()));
        if keys.clone().all(|key| key.is_none()) {
            // as often, and of many groups
            return Self { start: Vec::new(), rows: Vec::new(), keys: PhantomData };
        }
        let mut start = vec![0u32; groups + 1];
        for key in keys.clone().flatten() {
            start[key + 1] += 1;
        }
        for group in 0..groups {
            start[group + 1] += start[group];
        }
        let mut next = start.clone();
        let mut rows = vec![V::of_number(0); start[groups] as usize];
        for (row, key) in (0..).zip(keys) {
            if let Some(key) = key {
                rows[next[key] as usize] = V::of_number(row);
                next[key] += 1;
            }
        }
        Self { start, rows, keys: PhantomData }
    }

    fn range(&self, group: K) -> Range<usize> {
        if self.start.is_empty() {
            return 0..0;
        }
        let group = group.number() as usize;
        self.start[group] as usize..self.start[group + 1] as usize
    }

    pub fn of(&self, group: K) -> &[V] {
        &self.rows[self.range(group)]
    }

    /// The same groups of other rows.
    pub fn map(mut self, other: impl Fn(V) -> V) -> Self {
        self.rows.iter_mut().for_each(|row| *row = other(*row));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_grouped_in_order_and_strangers_left_out() {
        let groups = Groups::<u32, u32>::new(3, [Some(2), Some(0), None, Some(2), Some(7)].into_iter());
        assert_eq!(groups.of(0), [1]);
        assert!(groups.of(1).is_empty());
        assert_eq!(groups.of(2), [0, 3]);
    }
}
