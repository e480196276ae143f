// SPDX-License-Identifier: Apache-2.0
//! Groups of row numbers: for each key the rows that belong to it, in one array (compressed sparse
//! rows).

use std::ops::Range;

pub(crate) struct Groups {
    start: Vec<u32>,
    rows: Vec<u32>,
}

impl Groups {
    /// Counting sort: row `r` goes to group `keys[r]`; a key outside of `0..groups` leaves its row
    /// out. Rows keep their order within a group.
    pub fn new(groups: usize, keys: impl Iterator<Item = u32> + Clone) -> Self {
        if !keys.clone().any(|key| (key as usize) < groups) {
            return Self { start: Vec::new(), rows: Vec::new() }; // as often, and of many groups
        }
        let mut start = vec![0u32; groups + 1];
        for key in keys.clone().filter(|&key| (key as usize) < groups) {
            start[key as usize + 1] += 1;
        }
        for group in 0..groups {
            start[group + 1] += start[group];
        }
        let mut next = start.clone();
        let mut rows = vec![0u32; start[groups] as usize];
        for (row, key) in keys.enumerate() {
            if (key as usize) < groups {
                rows[next[key as usize] as usize] = row as u32;
                next[key as usize] += 1;
            }
        }
        Self { start, rows }
    }

    fn range(&self, group: u32) -> Range<usize> {
        if self.start.is_empty() {
            return 0..0;
        }
        self.start[group as usize] as usize..self.start[group as usize + 1] as usize
    }

    pub fn of(&self, group: u32) -> &[u32] {
        &self.rows[self.range(group)]
    }

    /// The same groups of other numbers.
    pub fn map(mut self, other: impl Fn(u32) -> u32) -> Self {
        self.rows.iter_mut().for_each(|row| *row = other(*row));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NONE;

    #[test]
    fn rows_are_grouped_in_order_and_strangers_left_out() {
        let groups = Groups::new(3, [2, 0, NONE, 2, 7].into_iter());
        assert_eq!(groups.of(0), [1]);
        assert!(groups.of(1).is_empty());
        assert_eq!(groups.of(2), [0, 3]);
    }
}
