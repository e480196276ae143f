// SPDX-License-Identifier: Apache-2.0
//! Finds which constructs of a function are the same before and after a change of its source.
//!
//! Both lists are in the order of their lines, and the pairs keep this order. Of all pairings that
//! keep this order, the one with the best score is chosen. The number of pairs counts most. A
//! pairing is also better if all its lines have moved by the same distance, and if the two
//! constructs of each pair created similar numbers of grains.

use std::collections::HashMap;

/// Beyond this number of possible pairs, not all chains are examined, but only those that continue
/// as before, and the best so far.
const MOST_PAIRS: usize = 4_000;
/// Beyond this number of possible pairs there is no search: only equal lines are pairs.
const MOST_SEARCHED: usize = 1_000_000;

const PAIR: f64 = 3.0;
/// The penalty if lines were added or removed between this pair and the previous pair.
const MOVED: f64 = 1.0;
/// Lines are more likely to be added where constructs are added, and removed where constructs are
/// removed.
const MOVED_BACK: f64 = 0.1;
/// A bonus for a line that did not move, which decides between otherwise equal pairings.
const STAYED: f64 = 0.05;
/// The largest penalty for different numbers of grains.
const UNLIKE: f64 = 1.5;

/// Takes the (line, number of grains) of each construct, in order. Returns the pairs of rows. The
/// constructs of one line are matched together. If the line has another number of constructs
/// afterwards, only those that made an equal number of grains are matched.
pub fn align(before: &[(u32, u64)], after: &[(u32, u64)]) -> Vec<(usize, usize)> {
    let (here, there) = (lines(before), lines(after));
    let sums = |lines: &[&[(u32, u64)]]| -> Vec<(u32, u64)> {
        let sum = |line: &&[(u32, u64)]| line.iter().map(|each| each.1).sum();
        lines.iter().map(|line| (line[0].0, sum(line))).collect()
    };
    let starts = |lines: &[&[(u32, u64)]]| -> Vec<usize> {
        let next = |at: &mut usize, line: &&[(u32, u64)]| Some(std::mem::replace(at, *at + line.len()));
        lines.iter().scan(0, next).collect()
    };
    let (first, last) = (starts(&here), starts(&there));
    let in_line = |(a, b): (usize, usize)| {
        let (from, to) = (first[a], last[b]);
        same_in_line(here[a], there[b]).into_iter().map(move |(a, b)| (from + a, to + b))
    };
    align_lines(&sums(&here), &sums(&there)).into_iter().flat_map(in_line).collect()
}

/// A construct without a line is a group of its own.
fn lines(list: &[(u32, u64)]) -> Vec<&[(u32, u64)]> {
    list.chunk_by(|a, b| a.0 == b.0 && a.0 != 0).collect()
}

fn same_in_line(before: &[(u32, u64)], after: &[(u32, u64)]) -> Vec<(usize, usize)> {
    if before.len() == after.len() {
        return (0..before.len()).map(|at| (at, at)).collect();
    }
    let only = |list: &[(u32, u64)], count: u64| {
        let mut rows = list.iter().enumerate().filter(|(_, each)| each.1 == count).map(|(row, _)| row);
        rows.next().filter(|_| rows.next().is_none())
    };
    let pair = |&(_, count): &(u32, u64)| Some((only(before, count)?, only(after, count)?));
    before.iter().filter_map(pair).collect()
}

fn align_lines(before: &[(u32, u64)], after: &[(u32, u64)]) -> Vec<(usize, usize)> {
    if before.len() * after.len() > MOST_SEARCHED {
        return equal_lines(before, after);
    }
    let mut search = Search { before, after, best: Vec::with_capacity(before.len() * after.len()) };
    if before.len() * after.len() <= MOST_PAIRS {
        search.all_chains();
    } else {
        search.likely_chains();
    }
    search.pairs()
}

/// A chain: what it is worth, and the pair before its last one.
type Chain = (f64, Option<usize>);

/// A pair is row x columns + column.
struct Search<'a> {
    before: &'a [(u32, u64)],
    after: &'a [(u32, u64)],
    /// For each examined pair: the best chain that ends with it.
    best: Vec<Chain>,
}

impl Search<'_> {
    fn moved(&self, pair: usize) -> i64 {
        let (row, column) = (pair / self.after.len(), pair % self.after.len());
        i64::from(self.after[column].0) - i64::from(self.before[row].0)
    }

    /// Adds the next pair, as the last one of the best of these chains.
    fn add(&mut self, earlier: impl Iterator<Item = usize>) {
        let pair = self.best.len();
        let (row, column) = (pair / self.after.len(), pair % self.after.len());
        let moved = self.moved(pair);
        let stayed = if moved == 0 { STAYED } else { 0.0 };
        let own = PAIR + stayed - unlike(self.before[row].1, self.after[column].1);
        let grows = (self.after.len() as i64 - self.before.len() as i64).signum();
        let step = |from: i64| match moved - from {
            0 => 0.0,
            by if by.signum() == grows => MOVED,
            _ => MOVED + MOVED_BACK,
        };
        let alone: Chain = (own - step(0), None);
        let chains = earlier.map(|last| (self.best[last].0 + own - step(self.moved(last)), Some(last)));
        let longer = chains.fold(alone, |best, chain| if chain.0 > best.0 { chain } else { best });
        self.best.push(longer);
    }

    fn all_chains(&mut self) {
        let columns = self.after.len();
        for pair in 0..self.before.len() * columns {
            let rows = 0..pair / columns;
            self.add(rows.flat_map(|row| (0..pair % columns).map(move |column| row * columns + column)));
        }
    }

    fn likely_chains(&mut self) {
        let columns = self.after.len();
        // The last pair whose lines have moved by this distance.
        let mut alike: HashMap<i64, usize> = HashMap::new();
        // For each column: the best pair in this column or to its left, in the rows above.
        let mut above: Vec<Option<usize>> = vec![None; columns];
        for row in 0..self.before.len() {
            for column in 0..columns {
                let on = alike.get(&self.moved(row * columns + column)).copied();
                let on = on.filter(|last| last / columns < row && last % columns < column);
                let left = column.checked_sub(1).and_then(|column| above[column]);
                self.add(on.into_iter().chain(left));
            }
            let mut so_far = None;
            for (column, above) in above.iter_mut().enumerate() {
                let pair = row * columns + column;
                alike.insert(self.moved(pair), pair);
                so_far = self.best_of([*above, Some(pair), so_far].into_iter().flatten());
                *above = so_far;
            }
        }
    }

    fn best_of(&self, pairs: impl Iterator<Item = usize>) -> Option<usize> {
        pairs.max_by(|&a, &b| self.best[a].0.total_cmp(&self.best[b].0))
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        let chain = std::iter::successors(self.best_of(0..self.best.len()), |&pair| self.best[pair].1);
        let columns = self.after.len();
        let mut pairs: Vec<_> = chain.map(|pair| (pair / columns, pair % columns)).collect();
        pairs.reverse();
        pairs
    }
}

fn equal_lines(before: &[(u32, u64)], after: &[(u32, u64)]) -> Vec<(usize, usize)> {
    let known: HashMap<u32, usize> = before.iter().enumerate().map(|(row, each)| (each.0, row)).collect();
    let pair = |(row, each): (usize, &(u32, u64))| known.get(&each.0).map(|&of| (of, row));
    after.iter().enumerate().filter(|(_, each)| each.0 != 0).filter_map(pair).collect()
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
    fn in_long_lists_lines_that_are_the_same_join() {
        let before: Vec<u32> = (0..64).map(|at| 100 + 2 * at).collect();
        let front: Vec<u32> = [50].into_iter().chain(before.iter().copied()).collect();
        let wanted: Vec<_> = (0..64).map(|at| (at, at + 1)).collect();
        assert_eq!(align(&of(&before), &of(&front)), wanted);
        let moved: Vec<u32> = front.iter().map(|line| line + 7).collect();
        assert_eq!(align(&of(&before), &of(&moved)), wanted);
        let many: Vec<u32> = (1..1_100).collect();
        let more: Vec<u32> = (0..1_100).map(|at| at + 2).collect();
        let found = align(&of(&many), &of(&more));
        assert!(found.len() == 1_098 && found.iter().all(|&(a, b)| many[a] == more[b]));
    }

    #[test]
    fn what_stands_in_one_line_joins_as_a_whole_or_by_its_number() {
        assert_eq!(align(&of(&[4, 4]), &of(&[9, 9])), [(0, 0), (1, 1)]);
        assert!(align(&of(&[4, 4]), &of(&[4, 4, 4])).is_empty(), "any of them may be new");
        assert_eq!(
            align(&[(3, 1), (4, 10), (4, 7)], &[(3, 1), (4, 2), (4, 10), (4, 7)]),
            [(0, 0), (1, 2), (2, 3)]
        );
        assert_eq!(align(&[(0, 5)], &[(0, 90), (0, 5)]), [(0, 1)], "without lines the numbers decide");
    }
}
