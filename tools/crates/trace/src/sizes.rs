// SPDX-License-Identifier: Apache-2.0
//! The sizes of the records of a stream: those that the header of each chunk gives, and those that
//! this reader needs of the types that it knows.

use crate::error::Problem;
use crate::layout::kind;
use crate::size::Size;

/// By type byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sizes([Size; 256]);

impl Sizes {
    /// The size that this reader knows. It needs this many bytes of each record, and skips the
    /// rest.
    pub const KNOWN: Self = Self::up_to(kind::EXCHANGE);
    /// What is written now: with the fields that older recordings lack, and that the reader does
    /// not need.
    pub const WRITTEN: Self = Self::KNOWN.with(kind::DEVICE, Size::fixed(96));
    /// Those of a stream of version 1.
    pub const VERSION_1: Self = Self::up_to(kind::GROUP_BEGIN);

    pub const fn of(&self, kind_byte: u8) -> Size {
        self.0[kind_byte as usize]
    }

    #[must_use]
    pub const fn with(mut self, kind_byte: u8, size: Size) -> Self {
        self.0[kind_byte as usize] = size;
        self
    }

    /// The table as the header has it.
    pub fn to_bytes(self) -> [u8; 256] {
        self.0.map(Size::to_byte)
    }

    const fn up_to(last: u8) -> Self {
        let mut sizes = Self([Size::NONE; 256]);
        let mut kind_byte = kind::SITE;
        while kind_byte <= last {
            sizes = sizes.with(kind_byte, known(kind_byte));
            kind_byte += 1;
        }
        sizes
    }

    /// `table` has 256 bytes. Refuses sizes that this reader cannot do with.
    pub(crate) fn read(table: &[u8]) -> Result<Self, Problem> {
        let mut sizes = Self([Size::NONE; 256]);
        for (kind_byte, &byte) in (0u8..=255).zip(table) {
            let (found, expected) = (Size::of_byte(byte), Self::KNOWN.of(kind_byte));
            let is_none = found == Size::NONE;
            let is_endless = found.fixed_bytes() == 0; // with a tail
            let is_too_short = expected != Size::NONE && !found.holds(expected);
            if !is_none && (is_endless || is_too_short || kind_byte == kind::NONE) {
                return Err(Problem::WrongSize { kind: kind_byte, found, expected });
            }
            sizes.0[usize::from(kind_byte)] = found;
        }
        Ok(sizes)
    }

    /// Refuses sizes that differ from those that the stream had so far.
    pub(crate) fn check_same(&self, so_far: &Self) -> Result<(), Problem> {
        match (0u8..=255).find(|&kind_byte| self.of(kind_byte) != so_far.of(kind_byte)) {
            None => Ok(()),
            Some(kind) => Err(Problem::WrongSize { kind, found: self.of(kind), expected: so_far.of(kind) }),
        }
    }
}

const fn known(kind_byte: u8) -> Size {
    match kind_byte {
        kind::DEVICE => Size::fixed(80),
        kind::LOOP => Size::fixed(64),
        kind::SUMS => Size::fixed(160),
        kind::REGION | kind::CHUNK | kind::LOCK | kind::MEMORY | kind::PROCESSOR | kind::DOACROSS => {
            Size::fixed(48)
        }
        kind::MODULE
        | kind::COUNTER
        | kind::COUNTS
        | kind::CALL_PATH
        | kind::NAME
        | kind::STACK
        | kind::CODE => Size::with_tail(32),
        kind::SHORT_CREATE
        | kind::SHORT_RUN
        | kind::SHORT_DEP
        | kind::SHORT_WAIT
        | kind::SHORT_CHUNK
        | kind::SHORT_TASK => Size::fixed(16),
        _ => Size::fixed(32),
    }
}
