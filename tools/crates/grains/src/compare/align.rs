// SPDX-License-Identifier: Apache-2.0
//! Which constructs of a function are the same before and after a change of its source.
//!
//! Both lists are in the order of their lines, and so are those that are the same. Of all ways to
//! pair them so, the best has most pairs; then those whose lines have moved by as much as those of
//! the pair before, and that made numbers of grains of like size.

/// Beyond so many possible pairs the search takes too long: pairs are then made in order.
const MOST_PAIRS: usize = 4_000;

const PAIR: f64 = 3.0;
/// What it costs that lines between this pair and the one before have come or gone.
const MOVED: f64 = 1.0;
/// Lines rather come where constructs come, and go where constructs go.
const MOVED_BACK: f64 = 0.1;
/// Decides where as much speaks for a line that stayed as for one that moved.
const STAYED: f64 = 0.05;
/// At most, what it costs that the numbers of grains differ.
const UNLIKE: f64 = 1.5;

/// (line, number of grains) of each, in order; the pairs of rows.
pub fn align(before: &[(u32, u64)], after: &[(u32, u64)]) -> Vec<(usize, usize)> {
    let (rows, columns) = (before.len(), after.len());
    if rows * columns > MOST_PAIRS {
        return (0..rows.min(columns)).map(|at| (at, at)).collect();
    }
    // Of each pair: the best chain of pairs that ends with it, and the pair before it there.
    let mut best: Vec<(f64, Option<usize>)> = vec![(0.0, None); rows * columns];
    let moved = |pair: usize| i64::from(after[pair % columns].0) - i64::from(before[pair / columns].0);
    let grows = (columns as i64 - rows as i64).signum();
    for pair in 0..rows * columns {
        let (row, column) = (pair / columns, pair % columns);
        let stayed = if moved(pair) == 0 { STAYED } else { 0.0 };
        let own = PAIR + stayed - unlike(before[row].1, after[column].1);
        let step = |from: i64| match moved(pair) - from {
            0 => 0.0,
            by if by.signum() == grows => MOVED,
            _ => MOVED + MOVED_BACK,
        };
        let alone = (own - step(0), None);
        let earlier = (0..row).flat_map(|row| (0..column).map(move |column| row * columns + column));
        let chains = earlier.map(|last| (best[last].0 + own - step(moved(last)), Some(last)));
        best[pair] = chains.fold(alone, |best, chain| if chain.0 > best.0 { chain } else { best });
    }
    let last = (0..best.len()).max_by(|&a, &b| best[a].0.total_cmp(&best[b].0));
    let chain = std::iter::successors(last, |&pair| best[pair].1);
    let mut pairs: Vec<_> = chain.map(|pair| (pair / columns, pair % columns)).collect();
    pairs.reverse();
    pairs
}

fn unlike(before: u64, after: u64) -> f64 {
    let ratio = (after.max(1) as f64 / before.max(1) as f64).ln().abs();
    (ratio / 2.0).min(UNLIKE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[u32]) -> Vec<(u32, u64)> {
        lines.iter().map(|&line| (line, 100)).collect()
    }

    #[test]
    fn what_moved_alike_belongs_together() {
        assert_eq!(align(&of(&[10, 20, 30]), &of(&[15, 25, 35])), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(align(&of(&[10, 20, 30]), &of(&[10, 15, 23, 33])), [(0, 0), (1, 2), (2, 3)]);
        assert_eq!(align(&of(&[10, 13, 20]), &of(&[10, 17])), [(0, 0), (2, 1)]);
        assert_eq!(align(&of(&[10, 12]), &of(&[10, 11, 13])), [(0, 0), (1, 2)]);
        assert_eq!(align(&of(&[10]), &of(&[10, 40])), [(0, 0)]);
        assert!(align(&of(&[]), &of(&[1])).is_empty());
    }

    #[test]
    fn numbers_of_grains_decide_between_equals() {
        let after = [(11, 3), (12, 100)];
        assert_eq!(align(&of(&[10]), &after), [(0, 1)]);
    }

    #[test]
    fn long_lists_are_paired_in_order() {
        let lines: Vec<u32> = (0..100).collect();
        assert_eq!(align(&of(&lines), &of(&lines[..90])).len(), 90);
    }
}
