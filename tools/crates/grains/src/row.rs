// SPDX-License-Identifier: Apache-2.0
//! Rows of tables. Each table has its own type of row, so that the compiler rejects a row of
//! another table.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// The number that means "none", for rows without a type and in files.
pub const NONE: u32 = u32::MAX;

/// A row of the table of `T`s. `Option<Row<T>>` has four bytes, as `Row<T>` has.
pub struct Row<T> {
    /// The row's number plus 1.
    next: NonZeroU32,
    table: PhantomData<fn() -> T>,
}

impl<T> Row<T> {
    /// `at` must be below `u32::MAX`; no table has more rows.
    pub const fn new(at: usize) -> Self {
        Self { next: NonZeroU32::MIN.saturating_add(at as u32), table: PhantomData }
    }

    pub const fn of_number(number: u32) -> Self {
        Self::new(number as usize)
    }

    /// The index of the row in its table.
    pub const fn at(self) -> usize {
        self.next.get() as usize - 1
    }

    pub const fn number(self) -> u32 {
        self.next.get() - 1
    }
}

/// The number of the row; [`NONE`] stands for none.
pub fn number_or_none<T>(row: Option<Row<T>>) -> u32 {
    row.map_or(NONE, Row::number)
}

/// A key that sorts rows by number, and `None` after all rows.
pub(crate) fn none_last<T>(row: Option<Row<T>>) -> (bool, Option<Row<T>>) {
    (row.is_none(), row)
}

impl<T> Clone for Row<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Row<T> {}

impl<T> PartialEq for Row<T> {
    fn eq(&self, other: &Self) -> bool {
        self.next == other.next
    }
}

impl<T> Eq for Row<T> {}

impl<T> PartialOrd for Row<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Row<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.next.cmp(&other.next)
    }
}

impl<T> Hash for Row<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.next.hash(state);
    }
}

impl<T> fmt::Debug for Row<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at().fmt(f)
    }
}

/// A value for each row of the table of `T`s; by default the `T`s themselves.
pub struct Column<T, V = T> {
    values: Vec<V>,
    table: PhantomData<fn() -> T>,
}

impl<T, V> Column<T, V> {
    /// Adds a row, and returns it.
    pub fn add(&mut self, value: V) -> Row<T> {
        self.values.push(value);
        Row::new(self.values.len() - 1)
    }

    pub fn rows(&self) -> impl DoubleEndedIterator<Item = Row<T>> + Clone {
        (0..self.values.len()).map(Row::new)
    }

    pub fn entries(&self) -> impl Iterator<Item = (Row<T>, &V)> + Clone {
        self.rows().zip(&self.values)
    }

    /// The value of the row; `None` if there is no row, or if the row is beyond the end.
    pub fn of(&self, row: Option<Row<T>>) -> Option<&V> {
        self.values.get(row?.at())
    }

    pub fn of_mut(&mut self, row: Option<Row<T>>) -> Option<&mut V> {
        self.values.get_mut(row?.at())
    }

    /// The same value for each row of a table of this length.
    pub fn filled(value: V, rows: usize) -> Self
    where
        V: Clone,
    {
        vec![value; rows].into()
    }
}

impl<T, V> Index<Row<T>> for Column<T, V> {
    type Output = V;
    fn index(&self, row: Row<T>) -> &V {
        &self.values[row.at()]
    }
}

impl<T, V> IndexMut<Row<T>> for Column<T, V> {
    fn index_mut(&mut self, row: Row<T>) -> &mut V {
        &mut self.values[row.at()]
    }
}

impl<T, V> Deref for Column<T, V> {
    type Target = Vec<V>;
    fn deref(&self) -> &Vec<V> {
        &self.values
    }
}

impl<T, V> DerefMut for Column<T, V> {
    fn deref_mut(&mut self) -> &mut Vec<V> {
        &mut self.values
    }
}

impl<T, V> From<Vec<V>> for Column<T, V> {
    fn from(values: Vec<V>) -> Self {
        Self { values, table: PhantomData }
    }
}

impl<T, V> FromIterator<V> for Column<T, V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

impl<T, V> Default for Column<T, V> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T, V: PartialEq> PartialEq for Column<T, V> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<T, V: Clone> Clone for Column<T, V> {
    fn clone(&self) -> Self {
        self.values.clone().into()
    }
}

impl<T, V: fmt::Debug> fmt::Debug for Column<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<'a, T, V> IntoIterator for &'a Column<T, V> {
    type Item = &'a V;
    type IntoIter = std::slice::Iter<'a, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<T, V> IntoIterator for Column<T, V> {
    type Item = V;
    type IntoIter = std::vec::IntoIter<V>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing;

    #[test]
    fn a_row_that_may_be_none_has_four_bytes() {
        assert_eq!(size_of::<Option<Row<Thing>>>(), 4);
        assert_eq!([0, 1, 7].map(|at| Row::<Thing>::new(at).at()), [0, 1, 7]);
        let rows = [Some(Row::<Thing>::new(7)), None, Some(Row::new(2))];
        assert_eq!(rows.into_iter().max_by_key(|&row| none_last(row)), Some(None));
        assert!(Row::<Thing>::new(1) < Row::new(2));
    }

    #[test]
    fn a_column_is_read_by_its_rows() {
        let mut column: Column<Thing, char> = "ab".chars().collect();
        let third = column.add('c');
        assert_eq!((column[third], third.at()), ('c', 2));
        assert_eq!((column.of(Some(Row::new(1))), column.of(None)), (Some(&'b'), None));
        assert_eq!(column.of_mut(Some(Row::new(3))), None, "beyond the end");
        assert!(column.entries().map(|(row, _)| row).eq(column.rows()));
    }
}
