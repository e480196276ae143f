// SPDX-License-Identifier: Apache-2.0
//! Decides which worker runs which ready strand. Each worker has a deque. The owner takes the
//! newest strand, a thief the oldest; a thief tries the other workers in order, starting behind
//! itself. Strands that must stay on a worker are in a list of its own and go first.

use std::collections::VecDeque;
use std::ops::Range;

use crate::predict::crews::Layout;
use crate::predict::scheduler::{Scheduler, Taken};
use crate::predict::strand::Strand;
use crate::tables::some_row;

/// Strands by their numbers.
pub(super) struct Deques {
    layout: Layout,
    /// The cost of a steal.
    cost: u64,
    shared: Vec<VecDeque<u32>>,
    pinned: Vec<Vec<u32>>,
    /// A bit for each worker with something to steal.
    filled: Bits,
}

impl Deques {
    pub fn new(layout: Layout, cost: u64) -> Self {
        let workers = layout.workers() as usize;
        Self {
            layout,
            cost,
            shared: vec![VecDeque::new(); workers],
            pinned: vec![Vec::new(); workers],
            filled: Bits::new(workers),
        }
    }

    fn note(&mut self, worker: u32) {
        self.filled.set(worker, !self.shared[worker as usize].is_empty());
    }
}

impl Scheduler for Deques {
    fn push(&mut self, _now: u64, worker: u32, strand: u32, _what: &Strand) {
        self.shared[worker as usize].push_back(strand);
        self.filled.set(worker, true);
    }

    fn pin(&mut self, worker: u32, strand: u32, _what: &Strand) {
        self.pinned[worker as usize].push(strand);
    }

    fn stays_on(&self, what: &Strand) -> Option<u32> {
        some_row(what.pinned)
    }

    fn own(&mut self, worker: u32) -> Option<Taken> {
        if let Some(strand) = self.pinned[worker as usize].pop() {
            return Some(Taken { strand, owes: 0 });
        }
        let taken = self.shared[worker as usize].pop_back();
        self.note(worker);
        taken.map(|strand| Taken { strand, owes: 0 })
    }

    fn steal(&mut self, thief: u32) -> Option<Taken> {
        let victim = self.filled.next_from(thief, self.layout.crew(thief))?;
        let taken = self.shared[victim as usize].pop_front();
        self.note(victim);
        taken.map(|strand| Taken { strand, owes: self.cost })
    }
}

pub(super) struct Bits {
    words: Vec<u64>,
    pub number: u32,
}

impl Bits {
    pub fn new(bits: usize) -> Self {
        Self { words: vec![0; bits.div_ceil(64)], number: 0 }
    }

    pub fn has(&self, bit: u32) -> bool {
        self.words[bit as usize / 64] >> (bit % 64) & 1 != 0
    }

    pub fn set(&mut self, bit: u32, value: bool) {
        if self.has(bit) != value {
            self.words[bit as usize / 64] ^= 1 << (bit % 64);
            self.number = if value { self.number + 1 } else { self.number - 1 };
        }
    }

    /// The first set bit in `within` from `bit` on, around.
    pub fn next_from(&self, bit: u32, within: Range<u32>) -> Option<u32> {
        if self.number == 0 {
            return None;
        }
        self.first_in(bit..within.end).or_else(|| self.first_in(within.start..bit))
    }

    fn first_in(&self, range: Range<u32>) -> Option<u32> {
        let (first, end) = (range.start / 64, range.end.div_ceil(64));
        let mut words = (first..end).zip(self.words.get(first as usize..end as usize)?);
        let of =
            |word: u32, bits: u64| if word == first { bits & u64::MAX << (range.start % 64) } else { bits };
        let found = words.find_map(|(word, &bits)| Some((word, of(word, bits))).filter(|found| found.1 != 0));
        found.map(|(word, bits)| word * 64 + bits.trailing_zeros()).filter(|bit| range.contains(bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_take_the_newest_and_thieves_the_oldest() {
        let mut deques = Deques::new(Layout::one(70), 5);
        let what = Strand::new(None, 0..0, 0);
        (0..4).for_each(|strand| deques.push(0, 66, strand, &what));
        deques.push(0, 2, 9, &what);
        let (own, stolen) =
            (|strand| Some(Taken { strand, owes: 0 }), |strand| Some(Taken { strand, owes: 5 }));
        assert_eq!(
            (deques.own(66), deques.steal(3), deques.steal(67), deques.steal(67)),
            (own(3), stolen(0), stolen(9), stolen(1))
        );
        assert_eq!((deques.own(66), deques.own(66), deques.steal(0)), (own(2), None, None));
    }
    #[test]
    fn nobody_steals_from_another_crew() {
        // Of 0 to 39, 40 to 79 and 80.
        let mut deques = Deques::new(Layout { threads: 40, large: 2, small: 1 }, 5);
        let what = Strand::new(None, 0..0, 0);
        deques.push(0, 79, 1, &what);
        deques.push(0, 80, 2, &what);
        assert_eq!(
            [0, 39, 81 - 1].map(|thief| deques.steal(thief).map(|taken| taken.strand)),
            [None, None, Some(2)]
        );
        assert_eq!(deques.steal(40).map(|taken| taken.strand), Some(1));
    }
}
