// SPDX-License-Identifier: Apache-2.0
//! The size of the records of one type.

use std::fmt;

use crate::layout::ALIGNMENT;

const TAIL: u8 = 128;

/// The size of the records of one type, as a chunk's header has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size(u8);

impl Size {
    /// There are no such records.
    pub const NONE: Self = Self(0);

    /// `bytes` is a multiple of 16, and below 2048.
    pub const fn fixed(bytes: usize) -> Self {
        Self((bytes / ALIGNMENT) as u8 & !TAIL)
    }

    /// The u32 at byte 12 says how many bytes follow the fixed part.
    pub const fn with_tail(bytes: usize) -> Self {
        Self(Self::fixed(bytes).0 | TAIL)
    }

    /// As a chunk's header has it.
    pub(crate) const fn of_byte(byte: u8) -> Self {
        Self(byte)
    }

    pub(crate) const fn to_byte(self) -> u8 {
        self.0
    }

    pub const fn fixed_bytes(self) -> usize {
        (self.0 & !TAIL) as usize * ALIGNMENT
    }

    pub const fn has_tail(self) -> bool {
        self.0 & TAIL != 0
    }

    /// Whether a reader that needs `least` can read such records.
    pub(crate) const fn holds(self, least: Self) -> bool {
        self.fixed_bytes() >= least.fixed_bytes() && self.has_tail() == least.has_tail()
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tail = if self.has_tail() { " and a tail" } else { "" };
        match *self {
            Self::NONE => f.write_str("no size"),
            _ => write!(f, "{} bytes{tail}", self.fixed_bytes()),
        }
    }
}
