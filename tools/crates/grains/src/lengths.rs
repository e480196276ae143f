// SPDX-License-Identifier: Apache-2.0
//! Lengths of time, one for each row of a table, in four bytes.
//!
//! Nearly all grains are shorter than 2^32 ticks, which is more than a second. The others, such as
//! the initial task, have their lengths in a map beside the column.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::row::Row;
use crate::ticks::Ticks;
use crate::Column;

/// In the column: the length is in the map.
const LONG: u32 = u32::MAX;

pub struct Lengths<T> {
    short: Column<T, u32>,
    long: HashMap<Row<T>, Ticks>,
}

impl<T> Lengths<T> {
    /// No time for each row of a table of this length.
    pub fn zero(rows: usize) -> Self {
        Self { short: Column::filled(0, rows), long: HashMap::new() }
    }

    #[inline]
    pub fn of(&self, row: Row<T>) -> Ticks {
        match self.short[row] {
            LONG => self.long.get(&row).copied().unwrap_or_default(),
            short => Ticks(u64::from(short)),
        }
    }

    pub fn set(&mut self, row: Row<T>, ticks: Ticks) {
        self.short[row] = self.short_of(row, ticks);
    }

    pub fn push(&mut self, ticks: Ticks) {
        let row = Row::new(self.short.len());
        let short = self.short_of(row, ticks);
        self.short.push(short);
    }

    pub fn add(&mut self, row: Row<T>, ticks: Ticks) {
        self.set(row, self.of(row) + ticks);
    }

    /// Takes at most so much off the length of the row. Returns how much that is.
    pub fn take(&mut self, row: Row<T>, ticks: Ticks) -> Ticks {
        let length = self.of(row);
        let taken = ticks.min(length);
        self.set(row, length - taken);
        taken
    }

    pub fn len(&self) -> usize {
        self.short.len()
    }

    pub fn is_empty(&self) -> bool {
        self.short.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Ticks> + '_ {
        self.entries().map(|(_, ticks)| ticks)
    }

    pub fn entries(&self) -> impl Iterator<Item = (Row<T>, Ticks)> + '_ {
        self.short.rows().map(|row| (row, self.of(row)))
    }

    /// The column's value for a length, whose row has no entry in the map if it is short.
    fn short_of(&mut self, row: Row<T>, ticks: Ticks) -> u32 {
        if let Some(short) = u32::try_from(ticks.0).ok().filter(|&short| short != LONG) {
            return short; // an old entry in the map is not looked at any more
        }
        self.long.insert(row, ticks);
        LONG
    }
}

/// Lengths that several threads set, each row only one of them. No other thread reads the row
/// before all have ended.
pub(crate) struct SharedLengths<T> {
    short: Column<T, AtomicU32>,
    long: Mutex<HashMap<Row<T>, Ticks>>,
}

impl<T> SharedLengths<T> {
    pub fn zero(rows: usize) -> Self {
        Self { short: (0..rows).map(|_| AtomicU32::new(0)).collect(), long: Mutex::default() }
    }

    pub fn set(&self, row: Row<T>, ticks: Ticks) {
        let short = u32::try_from(ticks.0).unwrap_or(LONG);
        if short == LONG {
            self.long.lock().unwrap_or_else(PoisonError::into_inner).insert(row, ticks);
        }
        self.short[row].store(short, Ordering::Relaxed);
    }

    /// Only one thread adds to a row.
    pub fn add(&self, row: Row<T>, ticks: Ticks) {
        let before = match self.short[row].load(Ordering::Relaxed) {
            LONG => {
                let long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
                long.get(&row).copied().unwrap_or_default()
            }
            short => Ticks(u64::from(short)),
        };
        self.set(row, before + ticks);
    }

    pub fn into_lengths(self) -> Lengths<T> {
        let short = self.short.into_iter().map(AtomicU32::into_inner).collect();
        Lengths { short, long: self.long.into_inner().unwrap_or_else(PoisonError::into_inner) }
    }
}

impl<T> Default for Lengths<T> {
    fn default() -> Self {
        Self { short: Column::default(), long: HashMap::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_comes_back_whichever_size_it_has() {
        let all = [0, 1, u64::from(LONG) - 1, u64::from(LONG), u64::from(LONG) + 1, u64::MAX].map(Ticks);
        let mut lengths = Lengths::<()>::default();
        for ticks in all {
            lengths.push(ticks);
        }
        assert!(lengths.iter().eq(all));
        for &ticks in &all {
            lengths.set(Row::new(0), ticks);
            assert_eq!(lengths.of(Row::new(0)), ticks);
        }
    }

    #[test]
    fn what_several_threads_have_set_is_there() {
        let all = [7, 0, u64::from(LONG), u64::MAX].map(Ticks);
        let shared = SharedLengths::<()>::zero(all.len() + 1);
        for (row, &ticks) in all.iter().enumerate() {
            shared.set(Row::new(row), ticks);
        }
        let last = Row::new(all.len());
        for more in [3, u64::from(LONG), 4].map(Ticks) {
            shared.add(last, more);
        }
        assert!(shared.into_lengths().iter().eq(all.into_iter().chain([Ticks(u64::from(LONG) + 7)])));
    }

    #[test]
    fn a_row_grows_beyond_four_bytes_and_shrinks_again() {
        let mut lengths = Lengths::<()>::zero(2);
        let row = Row::new(1);
        for _ in 0..3 {
            lengths.add(row, Ticks(2_000_000_000));
        }
        assert_eq!(lengths.of(row), Ticks(6_000_000_000));
        assert_eq!(lengths.take(row, Ticks(5_999_999_999)), Ticks(5_999_999_999));
        assert_eq!(lengths.take(row, Ticks(2)), Ticks(1));
        assert!(lengths.iter().all(|ticks| ticks == Ticks::ZERO));
    }
}
