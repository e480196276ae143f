// SPDX-License-Identifier: Apache-2.0
//! What each grain of a profile has executed and accessed, if its program counted that.

use super::{Count, Counts};
use crate::tables::{GrainRow, Grains};
use crate::{Column, Profile};

pub struct GrainCounts {
    counts: Column<Grains, Option<Count>>,
    pub line_bytes: u64,
    /// The counts of which the recording has no grain.
    pub unmatched: usize,
}

impl GrainCounts {
    /// `None`: there are no counts of grains.
    pub fn of(profile: &Profile, counts: &Counts) -> Option<Self> {
        let counts = counts.of_grains();
        if counts.rows.is_empty() {
            return None;
        }
        let mut of_grain = Column::filled(None, profile.grains.len());
        let mut unmatched = 0;
        for (count, grain) in counts.rows.iter().zip(counts.grains(profile)) {
            match grain {
                Some(grain) => of_grain[grain] = Some(*count),
                None => unmatched += 1,
            }
        }
        Some(Self { counts: of_grain, line_bytes: counts.line_bytes, unmatched })
    }

    pub fn of_grain(&self, row: GrainRow) -> Option<&Count> {
        self.counts[row].as_ref()
    }

    pub fn instructions(&self, row: GrainRow) -> Option<u64> {
        self.of_grain(row).map(|count| count.instructions)
    }
}

impl Count {
    /// Computational intensity (grains thesis, chapter 4): instructions for each access to memory
    /// outside of the stack; NaN: there was none.
    pub fn intensity(&self) -> f64 {
        match self.reads.saturating_add(self.writes) {
            0 => f64::NAN,
            accesses => self.instructions as f64 / accesses as f64,
        }
    }
}
