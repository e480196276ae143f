// SPDX-License-Identifier: Apache-2.0
//! A set of rows.

pub struct Bits(Vec<u64>);

impl Bits {
    pub fn of(rows: usize, members: impl Iterator<Item = u32>) -> Self {
        let mut bits = vec![0; rows.div_ceil(64)];
        members.for_each(|row| bits[row as usize / 64] |= 1 << (row % 64));
        Self(bits)
    }

    pub fn has(&self, row: u32) -> bool {
        self.0[row as usize / 64] & 1 << (row % 64) != 0
    }
}
