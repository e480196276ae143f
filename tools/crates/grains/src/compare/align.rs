// SPDX-License-Identifier: Apache-2.0
//! Finds which constructs of a function are the same before and after a change of its source.
//!
//! Both lists are in the order of their lines, and the pairs keep this order. Of all pairings that
//! keep this order, the one with the best score is chosen. The number of pairs counts most. A
//! pairing is also better if all its lines have moved by the same distance, and if the two
//! constructs of each pair created similar numbers of grains, with similar work each.

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
/// The largest penalty for different numbers of grains, and for different work of each.
const UNLIKE: f64 = 1.5;
/// Grains with less work are alike: such times are mostly noise.
const LEAST_WORK_NS: f64 = 10_000.0;

/// A construct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Each {
    pub line: u32,
    pub grains: u64,
    /// The mean work of a grain; 0: it has none, or it is not known.
    pub work_ns: f64,
}

/// Takes the constructs in order. Returns the pairs of rows. The constructs of one line are matched
/// together. If the line has another number of constructs afterwards, only those that made an equal
/// number of grains are matched.
pub fn align(before: &[Each], after: &[Each]) -> Vec<(usize, usize)> {
    let (here, there) = (lines(before), lines(after));
    let sums = |lines: &[&[Each]]| -> Vec<Each> { lines.iter().map(|line| sum(line)).collect() };
    let starts = |lines: &[&[Each]]| -> Vec<usize> {
        let next = |at: &mut usize, line: &&[Each]| Some(std::mem::replace(at, *at + line.len()));
        lines.iter().scan(0, next).collect()
    };
    let (first, last) = (starts(&here), starts(&there));
    let in_line = |(a, b): (usize, usize)| {
        let (from, to) = (first[a], last[b]);
        same_in_line(here[a], there[b]).into_iter().map(move |(a, b)| (from + a, to + b))
    };
    align_lines(&sums(&here), &sums(&there)).into_iter().flat_map(in_line).collect()
}

/// The constructs of one line.
fn sum(line: &[Each]) -> Each {
    let grains = line.iter().map(|each| each.grains).sum();
    let work_ns: f64 = line.iter().map(|each| each.work_ns * each.grains as f64).sum();
    Each { line: line[0].line, grains, work_ns: work_ns / grains.max(1) as f64 }
}

/// A construct without a line is a group of its own.
fn lines(list: &[Each]) -> Vec<&[Each]> {
    list.chunk_by(|a, b| a.line == b.line && a.line != 0).collect()
}

fn same_in_line(before: &[Each], after: &[Each]) -> Vec<(usize, usize)> {
    if before.len() == after.len() {
        return (0..before.len()).map(|at| (at, at)).collect();
    }
    let only = |list: &[Each], grains: u64| {
        let mut rows = list.iter().enumerate().filter(|(_, each)| each.grains == grains).map(|(row, _)| row);
        rows.next().filter(|_| rows.next().is_none())
    };
    let pair = |each: &Each| Some((only(before, each.grains)?, only(after, each.grains)?));
    before.iter().filter_map(pair).collect()
}

fn align_lines(before: &[Each], after: &[Each]) -> Vec<(usize, usize)> {
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
    before: &'a [Each],
    after: &'a [Each],
    /// For each examined pair: the best chain that ends with it.
    best: Vec<Chain>,
}

impl Search<'_> {
    fn moved(&self, pair: usize) -> i64 {
        let (row, column) = (pair / self.after.len(), pair % self.after.len());
        i64::from(self.after[column].line) - i64::from(self.before[row].line)
    }

    /// Adds the next pair, as the last one of the best of these chains.
    fn add(&mut self, earlier: impl Iterator<Item = usize>) {
        let pair = self.best.len();
        let (row, column) = (pair / self.after.len(), pair % self.after.len());
        let moved = self.moved(pair);
        let stayed = if moved == 0 { STAYED } else { 0.0 };
        let own = PAIR + stayed - unlike(self.before[row], self.after[column]);
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

fn equal_lines(before: &[Each], after: &[Each]) -> Vec<(usize, usize)> {
    let known: HashMap<u32, usize> = before.iter().enumerate().map(|(row, each)| (each.line, row)).collect();
    let pair = |(row, each): (usize, &Each)| known.get(&each.line).map(|&of| (of, row));
    after.iter().enumerate().filter(|(_, each)| each.line != 0).filter_map(pair).collect()
}

fn unlike(before: Each, after: Each) -> f64 {
    let times = |before: f64, after: f64| (after / before).ln().abs();
    let grains = times(before.grains.max(1) as f64, after.grains.max(1) as f64) / 2.0;
    let both = before.work_ns > 0.0 && after.work_ns > 0.0;
    let work = times(before.work_ns.max(LEAST_WORK_NS), after.work_ns.max(LEAST_WORK_NS));
    let work = if both { work } else { 0.0 };
    grains.min(UNLIKE) + work.min(UNLIKE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[u32]) -> Vec<Each> {
        lines.iter().map(|&line| Each { line, grains: 100, work_ns: 0.0 }).collect()
    }

    fn with_grains(list: &[(u32, u64)]) -> Vec<Each> {
        list.iter().map(|&(line, grains)| Each { line, grains, work_ns: 0.0 }).collect()
    }

    fn with_work(list: &[(u32, f64)]) -> Vec<Each> {
        list.iter().map(|&(line, work_ns)| Each { line, grains: 8, work_ns }).collect()
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
        let after = with_grains(&[(11, 3), (12, 100)]);
        assert_eq!(align(&of(&[10]), &after), [(0, 1)]);
    }

    #[test]
    fn the_work_of_a_grain_tells_where_a_construct_was_added() {
        let before = [(8, 1e6), (10, 3e6), (12, 5e6)];
        let in_front = with_work(&[(8, 2e6), (10, 1e6), (12, 3e6), (14, 5e6)]);
        assert_eq!(align(&with_work(&before), &in_front), [(0, 1), (1, 2), (2, 3)]);
        let behind = with_work(&[(8, 1e6), (10, 3e6), (12, 9e6), (14, 2e6)]);
        assert_eq!(align(&with_work(&before), &behind), [(0, 0), (1, 1), (2, 2)]);
        let all_slower = with_work(&[(8, 2e6), (10, 6e6), (12, 10e6)]);
        assert_eq!(align(&with_work(&before), &all_slower), [(0, 0), (1, 1), (2, 2)]);
        let noise = before.map(|(line, ns)| (line, ns / 1e4));
        let noisy = with_work(&[(8, 900.0), (10, 50.0), (12, 300.0), (14, 500.0)]);
        assert_eq!(align(&with_work(&noise), &noisy), [(0, 0), (1, 1), (2, 2)]);
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
        let of = with_grains;
        assert_eq!(
            align(&of(&[(3, 1), (4, 10), (4, 7)]), &of(&[(3, 1), (4, 2), (4, 10), (4, 7)])),
            [(0, 0), (1, 2), (2, 3)]
        );
        assert_eq!(
            align(&of(&[(0, 5)]), &of(&[(0, 90), (0, 5)])),
            [(0, 1)],
            "without lines the numbers decide"
        );
    }
}
