// SPDX-License-Identifier: Apache-2.0
//! What each grain of a profile has executed and accessed, if its program counted that.

use super::{Count, Counts};
use crate::tables::{GrainRow, Grains};
use crate::{counters, Column, Profile};

pub struct GrainCounts {
    counts: Column<Grains, Option<Count>>,
    pub line_bytes: u64,
    /// In no grain.
    outside: Count,
    /// The counts of which the recording has no grain.
    pub unmatched: usize,
}

impl GrainCounts {
    /// `None`: there are no counts of grains.
    pub fn of(profile: &Profile, counts: &Counts) -> Option<Self> {
        let is_outside = |count: &&Count| count.kind == Count::OUTSIDE;
        let mut outside = Count::default();
        counts.rows.iter().filter(is_outside).for_each(|count| outside.add(count));
        let counts = counts.of_grains();
        if counts.rows.is_empty() {
            return None;
        }
        let mut of_grain = Column::filled(None, profile.grains.len());
        let mut unmatched = 0;
        for (count, grain) in counts.rows.iter().zip(counts.grains(profile)) {
            if let Some(grain) = grain {
                of_grain[grain] = Some(*count);
            } else {
                outside.add(count);
                unmatched += 1;
            }
        }
        Some(Self { counts: of_grain, line_bytes: counts.line_bytes, outside, unmatched })
    }

    pub fn of_grain(&self, row: GrainRow) -> Option<&Count> {
        self.counts[row].as_ref()
    }

    /// Adds instructions and accesses to memory outside of the stack to the recording's counters.
    pub fn add_to(&self, profile: &mut Profile) {
        type Of = fn(&Count) -> u64;
        let columns: [Of; 3] = [|count| count.instructions, |count| count.reads, |count| count.writes];
        for (name, of) in counters::PROGRAM.into_iter().zip(columns) {
            let values = profile.grains.rows().map(|row| self.of_grain(row).map(of)).collect();
            profile.counters.add(name, values, of(&self.outside));
        }
    }

    pub fn instructions(&self, row: GrainRow) -> Option<u64> {
        self.of_grain(row).map(|count| count.instructions)
    }
}

impl Count {
    fn add(&mut self, more: &Self) {
        self.instructions = self.instructions.saturating_add(more.instructions);
        self.reads = self.reads.saturating_add(more.reads);
        self.writes = self.writes.saturating_add(more.writes);
    }

    /// Computational intensity (grains thesis, chapter 4): instructions for each access to memory
    /// outside of the stack; NaN: there was none.
    pub fn intensity(&self) -> f64 {
        match self.reads.saturating_add(self.writes) {
            0 => f64::NAN,
            accesses => self.instructions as f64 / accesses as f64,
        }
    }
}
