// SPDX-License-Identifier: Apache-2.0
//! A column of yes or no that takes one bit for each row.

const WORD: usize = u64::BITS as usize;

#[derive(Clone, Default)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Beyond the rows that were set, the answer is no.
    pub fn has(&self, row: usize) -> bool {
        self.words.get(row / WORD).is_some_and(|word| word >> (row % WORD) & 1 == 1)
    }

    pub fn set(&mut self, row: usize) {
        let at = row / WORD;
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (row % WORD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_that_were_set_are_set() {
        let mut bits = Bits::default();
        let rows = [0, 63, 64, 200];
        for row in rows {
            bits.set(row);
        }
        assert!((0..1000).filter(|&row| bits.has(row)).eq(rows));
    }
}
