// SPDX-License-Identifier: Apache-2.0
//! Instants, one for each row of a table, in little more than four bytes.
//!
//! Rows that stand beside each other mostly are of about the same time. So each block of rows has a
//! base, and each row its distance from the base. Instants that are too far from their base are in
//! a map beside the column. If these are many, as where tasks run in an order of their own, all
//! instants are kept in full.

use std::collections::HashMap;

use crate::row::Row;
use crate::ticks::Ticks;
use crate::Column;

const BLOCK: usize = 256;
/// The base lies so far before the first instant of its block that is known.
const BEFORE: u64 = 1 << 31;
/// Instead of a distance: the instant is not known.
const UNSET: u32 = u32::MAX;
/// ... it is in the map.
const FAR: u32 = u32::MAX - 1;

pub struct Instants<T>(Kept<T>);

enum Kept<T> {
    Near {
        /// By block. [`Instants::UNKNOWN`]: no instant of it is known.
        bases: Vec<u64>,
        distances: Column<T, u32>,
        far: HashMap<Row<T>, Ticks>,
    },
    Full(Column<T, Ticks>),
}

impl<T> Instants<T> {
    /// Stands for an instant that is not known.
    pub const UNKNOWN: Ticks = Ticks(u64::MAX);

    /// An instant that is not known for each row of a table of this length.
    pub(crate) fn unknown(rows: usize) -> Self {
        let bases = vec![Self::UNKNOWN.0; rows.div_ceil(BLOCK)];
        Self(Kept::Near { bases, distances: Column::filled(UNSET, rows), far: HashMap::new() })
    }

    #[inline]
    pub fn of(&self, row: Row<T>) -> Ticks {
        match &self.0 {
            Kept::Near { bases, distances, far } => match distances[row] {
                distance if distance < FAR => Ticks(bases[row.at() / BLOCK] + u64::from(distance)),
                FAR => far.get(&row).copied().unwrap_or_default(),
                _ => Self::UNKNOWN,
            },
            Kept::Full(instants) => instants[row],
        }
    }

    pub fn set(&mut self, row: Row<T>, at: Ticks) {
        match &mut self.0 {
            Kept::Near { bases, distances, far } => {
                let distance = distance(bases, far, row, at);
                distances[row] = distance;
                if distance == FAR {
                    self.keep_in_full_if_many_are_far();
                }
            }
            Kept::Full(instants) => instants[row] = at,
        }
    }

    pub fn push(&mut self, at: Ticks) {
        match &mut self.0 {
            Kept::Near { bases, distances, far } => {
                let row = Row::new(distances.len());
                if row.at() % BLOCK == 0 {
                    bases.push(Self::UNKNOWN.0);
                }
                let distance = distance(bases, far, row, at);
                distances.push(distance);
                if distance == FAR {
                    self.keep_in_full_if_many_are_far();
                }
            }
            Kept::Full(instants) => instants.push(at),
        }
    }

    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Near { distances, .. } => distances.len(),
            Kept::Full(instants) => instants.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn iter(&self) -> impl Iterator<Item = Ticks> + Clone + '_ {
        (0..self.len()).map(|row| self.of(Row::new(row)))
    }

    fn keep_in_full_if_many_are_far(&mut self) {
        let Kept::Near { distances, far, .. } = &self.0 else { return };
        // An entry of the map takes several times as much as an instant.
        if far.len() > BLOCK + distances.len() / 16 {
            self.0 = Kept::Full(self.iter().collect());
        }
    }
}

/// The column's value for an instant.
fn distance<T>(bases: &mut [u64], far: &mut HashMap<Row<T>, Ticks>, row: Row<T>, at: Ticks) -> u32 {
    if at == Instants::<T>::UNKNOWN {
        return UNSET;
    }
    let base = &mut bases[row.at() / BLOCK];
    if *base == Instants::<T>::UNKNOWN.0 {
        *base = at.0.saturating_sub(BEFORE);
    }
    let near = at.0.checked_sub(*base).and_then(|distance| u32::try_from(distance).ok());
    if let Some(near) = near.filter(|&near| near < FAR) {
        return near; // an old entry in the map is not looked at any more
    }
    far.insert(row, at);
    FAR
}

impl<T> Default for Instants<T> {
    fn default() -> Self {
        Self(Kept::Near { bases: Vec::new(), distances: Column::default(), far: HashMap::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: &[u64]) -> Instants<()> {
        let mut instants = Instants::default();
        for &at in all {
            instants.push(Ticks(at));
        }
        instants
    }

    #[test]
    fn every_instant_comes_back_near_or_far() {
        let far = 1 << 40;
        let mut all = vec![far, far + 1, far - BEFORE, far - BEFORE - 1, 0, 1, u64::MAX, u64::MAX - 1];
        all.extend([far + BEFORE - 3, far + BEFORE - 2, far + BEFORE, far * 2]);
        let mut instants = of(&all);
        assert!(instants.iter().map(|at| at.0).eq(all.iter().copied()));
        for &at in &all {
            instants.set(Row::new(3), Ticks(at));
            assert_eq!(instants.of(Row::new(3)), Ticks(at));
            assert_eq!((instants.of(Row::new(2)).0, instants.of(Row::new(4)).0), (all[2], all[4]));
        }
    }

    #[test]
    fn a_block_that_was_not_known_gets_its_base_later() {
        base_comes_later(of(&[u64::MAX; 2 * BLOCK]));
        base_comes_later(Instants::unknown(2 * BLOCK));
    }

    fn base_comes_later(mut instants: Instants<()>) {
        instants.set(Row::new(BLOCK), Ticks(1 << 50));
        instants.set(Row::new(BLOCK + 1), Ticks((1 << 50) + 7));
        assert!(matches!(&instants.0, Kept::Near { far, .. } if far.is_empty()));
        assert_eq!(instants.of(Row::new(BLOCK + 1)).0, (1 << 50) + 7);
        assert_eq!(instants.of(Row::new(0)), Instants::<()>::UNKNOWN);
    }

    #[test]
    fn instants_in_no_order_are_kept_in_full() {
        let all: Vec<u64> = (0..5000u64).map(|row| row.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let instants = of(&all);
        assert!(matches!(instants.0, Kept::Full(_)));
        assert!(instants.iter().map(|at| at.0).eq(all));
    }
}
