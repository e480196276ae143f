// SPDX-License-Identifier: Apache-2.0
//! Decides which worker runs which ready strand. Each worker has a deque. The owner takes the
//! newest strand, a thief the oldest; a thief tries the other workers in order, starting behind
//! itself. Strands that must stay on a worker are in a list of its own and go first.

use std::collections::VecDeque;

/// Strands by their numbers.
pub(super) struct Deques {
    shared: Vec<VecDeque<u32>>,
    pinned: Vec<Vec<u32>>,
    /// A bit for each worker with something to steal.
    filled: Bits,
    pub idle: Bits,
}

impl Deques {
    pub fn new(workers: usize) -> Self {
        Self {
            shared: vec![VecDeque::new(); workers],
            pinned: vec![Vec::new(); workers],
            filled: Bits::new(workers),
            idle: Bits::new(workers),
        }
    }

    pub fn push(&mut self, worker: u32, strand: u32) {
        self.shared[worker as usize].push_back(strand);
        self.filled.set(worker, true);
    }

    pub fn pin(&mut self, worker: u32, strand: u32) {
        self.pinned[worker as usize].push(strand);
    }

    pub fn own(&mut self, worker: u32) -> Option<u32> {
        if let Some(strand) = self.pinned[worker as usize].pop() {
            return Some(strand);
        }
        let taken = self.shared[worker as usize].pop_back();
        self.note(worker);
        taken
    }

    pub fn steal(&mut self, thief: u32) -> Option<u32> {
        let victim = self.filled.next_from(thief)?;
        let taken = self.shared[victim as usize].pop_front();
        self.note(victim);
        taken
    }

    fn note(&mut self, worker: u32) {
        self.filled.set(worker, !self.shared[worker as usize].is_empty());
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

    /// The first set bit from `bit` on, around.
    pub fn next_from(&self, bit: u32) -> Option<u32> {
        if self.number == 0 {
            return None;
        }
        let (first, words) = (bit as usize / 64, self.words.len());
        let from = self.words[first] & (u64::MAX << (bit % 64));
        if from != 0 {
            return Some(first as u32 * 64 + from.trailing_zeros());
        }
        let others = (1..=words).map(|step| (first + step) % words);
        let mut filled = others.filter(|&word| self.words[word] != 0);
        filled.next().map(|word| word as u32 * 64 + self.words[word].trailing_zeros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_take_the_newest_and_thieves_the_oldest() {
        let mut deques = Deques::new(70);
        (0..4).for_each(|strand| deques.push(66, strand));
        deques.push(2, 9);
        assert_eq!(
            (deques.own(66), deques.steal(3), deques.steal(67), deques.steal(67)),
            (Some(3), Some(0), Some(9), Some(1))
        );
        assert_eq!((deques.own(66), deques.own(66), deques.steal(0)), (Some(2), None, None));
    }
}
