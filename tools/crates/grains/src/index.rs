// SPDX-License-Identifier: Apache-2.0
//! Converts ids to rows without a hash map.
//!
//! A worker assigns its ordinals in order, so the ordinals of one stream are a dense run and the
//! row is found by a subtraction. Where records are missing, the ordinals have gaps, and the row is
//! found by bisection.

use std::marker::PhantomData;

use crate::row::Row;

/// Ids of one stream, in increasing order.
struct Run {
    first_row: u32,
    first_id: u64,
    len: u32,
    /// Empty when the ids are dense.
    sparse: Vec<u64>,
}

impl Run {
    fn new(first_row: u32, ids: &[u64]) -> Self {
        let first_id = ids.first().copied().unwrap_or(0);
        let dense = ids.last().is_none_or(|last| last - first_id == ids.len() as u64 - 1);
        Self {
            first_row,
            first_id,
            len: ids.len() as u32,
            sparse: if dense { Vec::new() } else { ids.to_vec() },
        }
    }

    fn row(&self, id: u64) -> Option<u32> {
        let at = if self.sparse.is_empty() {
            id.checked_sub(self.first_id).filter(|&at| at < u64::from(self.len))? as u32
        } else {
            self.sparse.binary_search(&id).ok()? as u32
        };
        Some(self.first_row + at)
    }
}

/// Rows of ids of the form `stream << 48 | ordinal` in the table of `T`s.
pub(crate) struct Index<T> {
    /// By stream number.
    runs: Vec<Option<Run>>,
    rows: u32,
    table: PhantomData<fn() -> T>,
}

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self { runs: Vec::new(), rows: 0, table: PhantomData }
    }
}

impl<T> Index<T> {
    /// The next `ids.len()` rows are those of `ids`: increasing, all of stream `stream`.
    pub fn add_stream(&mut self, stream: u16, ids: &[u64]) {
        let at = usize::from(stream);
        if self.runs.len() <= at {
            self.runs.resize_with(at + 1, || None);
        }
        self.runs[at] = Some(Run::new(self.rows, ids));
        self.rows += ids.len() as u32;
    }

    pub fn row(&self, id: u64) -> Option<Row<T>> {
        self.runs.get((id >> 48) as usize)?.as_ref()?.row(id).map(|row| Row::new(row as usize))
    }
}

/// Sorts `items` by id where needed and drops repeated ids. Returns how many were dropped.
pub(crate) fn order_by_id<T>(items: &mut Vec<T>, id: impl Fn(&T) -> u64) -> usize {
    let before = items.len();
    if !items.is_sorted_by(|a, b| id(a) < id(b)) {
        items.sort_by_key(&id);
        items.dedup_by_key(|item| id(item));
    }
    before - items.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_streams_find_their_rows() {
        let id = |stream: u64, ordinal: u64| stream << 48 | ordinal;
        let mut index = Index::<()>::default();
        index.add_stream(0, &[id(0, 1), id(0, 2), id(0, 3)]);
        index.add_stream(2, &[id(2, 5), id(2, 900)]);
        assert_eq!(index.row(id(0, 2)), Some(Row::new(1)));
        assert_eq!(index.row(id(2, 5)), Some(Row::new(3)));
        assert_eq!(index.row(id(2, 900)), Some(Row::new(4)));
        for stranger in [0, id(0, 4), id(1, 1), id(2, 6), id(3, 1), u64::MAX] {
            assert_eq!(index.row(stranger), None);
        }
    }

    #[test]
    fn repeated_ids_are_dropped() {
        let mut ids = vec![3, 1, 3, 2];
        assert_eq!(order_by_id(&mut ids, |&id| id), 1);
        assert_eq!(ids, [1, 2, 3]);
    }
}
