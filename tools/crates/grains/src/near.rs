// SPDX-License-Identifier: Apache-2.0
//! Finds places in a sorted list, each near the one that was found before: whoever asks in about
//! the order of the list pays a few comparisons for each question, however long the list is.

use std::cell::Cell;

/// The place that was found last.
#[derive(Default)]
pub(crate) struct Near(Cell<usize>);

impl Near {
    /// The first of `len` places for which `is_before` does not hold, as `partition_point` has it.
    /// The steps away from the last place double until they have passed the place.
    pub fn find(&self, len: usize, is_before: impl Fn(usize) -> bool) -> usize {
        let last = self.0.get().min(len);
        let mut step = 1;
        // All places below `low` are before; none from `high` on is.
        let (mut low, mut high) = (last, last);
        if last < len && is_before(last) {
            low += 1;
            high = len;
            while low < len && step < len - low {
                let at = low + step - 1;
                if !is_before(at) {
                    high = at;
                    break;
                }
                (low, step) = (at + 1, step * 2);
            }
        } else {
            low = 0;
            while high > 0 {
                let at = high.saturating_sub(step);
                if is_before(at) {
                    low = at + 1;
                    break;
                }
                (high, step) = (at, step * 2);
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.0.set(low);
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_found_from_each_other() {
        for len in [0, 1, 2, 3, 7, 20] {
            for (from, to) in (0..=len).flat_map(|from| (0..=len).map(move |to| (from, to))) {
                let near = Near::default();
                assert_eq!(near.find(len, |at| at < from), from);
                assert_eq!(near.find(len, |at| at < to), to, "from {from} of {len}");
            }
        }
    }

    #[test]
    fn a_walk_through_the_list_compares_a_few_times_at_each_step() {
        const LEN: usize = 1 << 16;
        let (near, compared) = (Near::default(), Cell::new(0));
        for to in 0..LEN {
            let is_before = |at| {
                compared.set(compared.get() + 1);
                at < to
            };
            assert_eq!(near.find(LEN, is_before), to);
        }
        assert!(compared.get() <= 4 * LEN, "{} comparisons", compared.get());
    }
}
