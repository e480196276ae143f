// SPDX-License-Identifier: Apache-2.0
//! Reads numbers from the bytes of a board. A number beyond the end of these bytes is 0.

pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn u32(&self, at: usize) -> u32 {
        self.0.get(at..at + 4).map_or(0, |bytes| u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }
    pub fn u64(&self, at: usize) -> u64 {
        self.0.get(at..at + 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }
}
