// SPDX-License-Identifier: Apache-2.0
//! What is known of each grain beside its times: the metrics of the grains thesis, which of them
//! are problems, and what was counted in it. docs/formats/metrics.md defines the metrics.

use grains::metrics::{is_problem_below, Columns, Deviation, Limits, PROBLEMS};
use grains::{Column, GrainRow, Grains, Profile};
use reports::report::{problems, Problem};

/// The metrics that the page has of each grain: the last ones of [`PROBLEMS`]. Of the first one,
/// parallel benefit, every model has a column.
pub const METRICS: usize = PROBLEMS.len() - 1;
const FIRST: usize = 1;

pub struct Measures {
    /// By the order of [`PROBLEMS`], as the report has them.
    pub facts: Vec<Problem>,
    values: Column<Grains, [f32; METRICS]>,
    /// One bit for each of [`PROBLEMS`].
    problems: Column<Grains, u8>,
}

impl Measures {
    pub fn of(profile: &Profile, deviation: Option<Deviation>, limits: &Limits) -> Self {
        let columns = Columns::of(profile, deviation);
        let bits = |row: GrainRow| {
            let has = columns.problems(row, limits);
            has.iter().enumerate().fold(0, |bits, (at, &has)| bits | u8::from(has) << at)
        };
        let rows = || profile.grains.rows();
        let values = |row| std::array::from_fn(|at| columns.values(row, limits)[FIRST + at]);
        Self {
            facts: problems(profile, &columns, limits),
            values: rows().map(values).collect(),
            problems: rows().map(bits).collect(),
        }
    }

    pub fn values(&self, row: GrainRow) -> [f32; METRICS] {
        self.values[row]
    }

    pub fn problems(&self, row: GrainRow) -> u8 {
        self.problems[row]
    }
}

/// Of two values of a metric, the one that is farther on the problem's side; NaN is not known.
pub fn worse(metric: usize, a: f32, b: f32) -> f32 {
    if is_problem_below(FIRST + metric) {
        a.min(b) // of a number and NaN: the number
    } else {
        a.max(b)
    }
}
