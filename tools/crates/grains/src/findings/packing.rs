// SPDX-License-Identifier: Apache-2.0
//! Computes how long pieces of work take on several threads when each thread takes the next piece
//! as soon as it is free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When the last piece ends, if they are taken in this order. In ns.
pub(crate) fn makespan(pieces: impl Iterator<Item = f64>, threads: usize) -> f64 {
    let mut free: BinaryHeap<Reverse<u64>> = (0..threads.max(1)).map(|_| Reverse(0)).collect();
    let mut end = 0;
    for piece in pieces {
        let Some(Reverse(at)) = free.pop() else { break };
        let done = at.saturating_add(piece.max(0.0) as u64);
        end = end.max(done);
        free.push(Reverse(done));
    }
    end as f64
}

/// The pieces, with the longest first.
pub(crate) fn longest_first(mut pieces: Vec<f64>) -> Vec<f64> {
    pieces.sort_unstable_by(|a, b| b.total_cmp(a));
    pieces
}

/// The smallest number of threads whose makespan, for pieces in this order with a sum of `total`,
/// exceeds `limit` by less than a hundredth.
pub(crate) fn fewest_threads(pieces: &[f64], total: f64, limit: f64, most: usize) -> usize {
    let least = (total / limit.max(1.0)).floor().max(1.0) as usize;
    let end = |threads| makespan(pieces.iter().copied(), threads);
    (least..most).find(|&threads| end(threads) <= 1.01 * limit).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_piece_goes_to_who_is_free_first() {
        assert_eq!(makespan([30.0, 10.0, 10.0, 10.0].into_iter(), 2), 30.0);
        assert_eq!(makespan([10.0, 10.0, 10.0, 30.0].into_iter(), 2), 40.0);
        assert_eq!(makespan(longest_first(vec![10.0, 10.0, 10.0, 30.0]).into_iter(), 2), 30.0);
        assert_eq!(makespan(std::iter::empty(), 4), 0.0);
    }

    #[test]
    fn threads_that_only_wait_are_not_needed() {
        // One piece of 100 hides four of 25 each.
        let pieces = [100.0, 25.0, 25.0, 25.0, 25.0];
        assert_eq!(fewest_threads(&pieces, 200.0, 100.0, 8), 2);
        assert_eq!(fewest_threads(&pieces, 200.0, 50.0, 8), 8);
    }
}
