// SPDX-License-Identifier: Apache-2.0
//! A value for each row of a table, where rows that stand beside each other mostly have the same
//! one.
//!
//! Rows are kept in blocks. A block in which all rows have the same value takes little memory.

use std::ops::Index;

use crate::row::{Column, Row};

const BLOCK: usize = 256;

pub struct Sparse<T, V> {
    rows: usize,
    blocks: Vec<Block<V>>,
    table: std::marker::PhantomData<fn() -> T>,
}

#[derive(Clone)]
struct Block<V> {
    /// The value of all rows, if `each` is empty.
    common: V,
    each: Vec<V>,
}

impl<T, V: Copy + PartialEq> Sparse<T, V> {
    /// The same value for each row of a table of this length.
    pub fn filled(common: V, rows: usize) -> Self {
        let blocks = vec![Block { common, each: Vec::new() }; rows.div_ceil(BLOCK)];
        Self { rows, blocks, table: std::marker::PhantomData }
    }

    /// The values of a column.
    pub fn of_column(column: &Column<T, V>) -> Self {
        let block = |values: &[V]| {
            let common = values[0];
            let is_common = values.iter().all(|&value| value == common);
            Block { common, each: if is_common { Vec::new() } else { values.to_vec() } }
        };
        let blocks = column.chunks(BLOCK).map(block).collect();
        Self { rows: column.len(), blocks, table: std::marker::PhantomData }
    }

    pub fn set(&mut self, row: Row<T>, value: V) {
        let block = &mut self.blocks[row.at() / BLOCK];
        if block.each.is_empty() {
            if block.common == value {
                return;
            }
            block.each = vec![block.common; BLOCK];
        }
        block.each[row.at() % BLOCK] = value;
    }
}

impl<T, V> Sparse<T, V> {
    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The value of the row; `None` if there is no row, or if the row is beyond the end.
    pub fn of(&self, row: Option<Row<T>>) -> Option<&V> {
        row.filter(|row| row.at() < self.rows).map(|row| &self[row])
    }

    pub fn iter(&self) -> impl Iterator<Item = &V> + Clone {
        self.entries().map(|(_, value)| value)
    }

    pub fn entries(&self) -> impl Iterator<Item = (Row<T>, &V)> + Clone {
        (0..self.rows).map(|at| (Row::new(at), &self[Row::new(at)]))
    }
}

impl<T, V> Index<Row<T>> for Sparse<T, V> {
    type Output = V;

    #[inline]
    fn index(&self, row: Row<T>) -> &V {
        let block = &self.blocks[row.at() / BLOCK];
        block.each.get(row.at() % BLOCK).unwrap_or(&block.common)
    }
}

impl<T, V: Default + Copy + PartialEq> Default for Sparse<T, V> {
    fn default() -> Self {
        Self::filled(V::default(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(sparse: &Sparse<(), char>) -> Vec<usize> {
        sparse.blocks.iter().map(|block| block.each.len()).collect()
    }

    #[test]
    fn only_blocks_with_other_values_take_memory() {
        let mut sparse = Sparse::<(), char>::filled('a', 2 * BLOCK + 1);
        for (row, value) in [(BLOCK, 'b'), (2 * BLOCK - 1, 'c')] {
            sparse.set(Row::new(row), value);
        }
        assert_eq!(lengths(&sparse), [0, BLOCK, 0]);
        let others: Vec<_> = sparse.entries().filter(|(_, &value)| value != 'a').collect();
        assert_eq!(others, [(Row::new(BLOCK), &'b'), (Row::new(2 * BLOCK - 1), &'c')]);
        assert_eq!((sparse.iter().count(), sparse.len()), (2 * BLOCK + 1, 2 * BLOCK + 1));
        assert_eq!(sparse.of(Some(Row::new(2 * BLOCK))), Some(&'a'));
        assert_eq!((sparse.of(Some(Row::new(2 * BLOCK + 1))), sparse.of(None)), (None, None));
    }

    #[test]
    fn a_block_of_a_column_whose_rows_are_all_alike_takes_no_memory_for_each() {
        let values = ['a'; BLOCK].into_iter().chain(['b'; BLOCK]).chain(['b', 'c']);
        let column: Column<(), char> = values.collect();
        let mut sparse = Sparse::of_column(&column);
        assert_eq!(lengths(&sparse), [0, 0, 2]);
        assert!(sparse.iter().eq(column.iter()));
        sparse.set(Row::new(0), 'a');
        assert_eq!(lengths(&sparse), [0, 0, 2], "it has this value");
    }
}
