// SPDX-License-Identifier: Apache-2.0
//! All metrics of all grains, with their problems, for the formats that have them.

use grains::metrics::{Baseline, Columns, Deviation, Identities, Limits, PROBLEMS};
use grains::{GrainRow, Profile};
use recordings::say_matched;

pub struct Metrics<'a> {
    pub profile: &'a Profile,
    pub identities: Identities,
    pub columns: Columns<'a>,
    pub limits: &'a Limits,
    /// The names of each set of problems; bit N of the index is `PROBLEMS[N]`.
    sets: Vec<String>,
}

impl<'a> Metrics<'a> {
    /// Says how many grains the baseline has.
    pub fn of(profile: &'a Profile, baseline: Option<&Baseline>, limits: &'a Limits) -> Self {
        let deviation = baseline.map(|baseline| Deviation::of(profile, baseline));
        deviation.iter().for_each(say_matched);
        let names = |set: usize| {
            let has = PROBLEMS.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
            has.map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
        };
        Self {
            profile,
            identities: Identities::of(profile),
            columns: Columns::of(profile, deviation),
            limits,
            sets: (0..1 << PROBLEMS.len()).map(names).collect(),
        }
    }

    /// The names of the grain's problems, with spaces between them.
    pub fn problems(&self, row: GrainRow) -> &str {
        let has = self.columns.problems(row, self.limits);
        &self.sets[has.iter().rev().fold(0, |set, &has| set << 1 | usize::from(has))]
    }
}
