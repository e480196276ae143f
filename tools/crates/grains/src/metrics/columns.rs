// SPDX-License-Identifier: Apache-2.0
//! Computes all metrics of all grains at once, and decides which values are problems.

use crate::metrics::{by_intervals, exact, slack, Deviation, Interval, Overlap, Parallelism, Siblings};
use crate::tables::{GrainRow, Grains};
use crate::ticks::Ticks;
use crate::{Column, GrainKind, Profile};

/// By grain row.
pub struct Columns<'a> {
    profile: &'a Profile,
    pub load_balance: Column<Grains, f32>,
    pub scatter: Column<Grains, f32>,
    pub slack: Column<Grains, Option<Ticks>>,
    /// Where there is a baseline.
    pub deviation: Option<Deviation>,
    pub exact: Parallelism,
    pub optimistic: Column<Grains, f32>,
    pub conservative: Column<Grains, f32>,
}

/// What makes a value a problem; docs/formats/metrics.md defines them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thresholds {
    /// By the time lost to it.
    Teff,
    /// The values of the grains thesis.
    Thesis,
    /// Those of its code.
    Published,
}

/// The thesis flags a load balance above 1. Two times that are measured are never equal, so values
/// above 1 by less than this say nothing.
const NEARLY_BALANCED: f32 = 1.01;

/// The metrics that can be a problem, in the order of bits of [`Columns::problems`].
pub const PROBLEMS: [&str; 5] =
    ["parallel_benefit", "load_balance", "work_deviation", "instantaneous_parallelism", "scatter"];

impl<'a> Columns<'a> {
    pub fn of(profile: &'a Profile, deviation: Option<Deviation>) -> Self {
        let siblings = Siblings::of(profile);
        let by_intervals = |overlap| by_intervals(profile, Interval::MedianGrain, overlap);
        Self {
            profile,
            load_balance: siblings.load_balance(profile),
            scatter: siblings.scatter(profile),
            slack: slack(profile),
            deviation,
            exact: exact(profile),
            optimistic: by_intervals(Overlap::Optimistic),
            conservative: by_intervals(Overlap::Conservative),
        }
    }

    /// NaN where it is not known.
    pub fn deviation(&self, row: GrainRow) -> f32 {
        self.deviation.as_ref().map_or(f32::NAN, |deviation| deviation.ratio[row])
    }

    /// Which of [`PROBLEMS`] the grain has.
    pub fn problems(&self, row: GrainRow, thresholds: Thresholds) -> [bool; PROBLEMS.len()] {
        match thresholds {
            Thresholds::Teff => self.by_time_lost(row),
            Thresholds::Thesis => self.by_value(row, NEARLY_BALANCED, f32::INFINITY),
            Thresholds::Published => self.by_value(row, 2.0, self.profile.workers as f32 / 4.0),
        }
    }

    /// NaN is no problem.
    fn by_value(&self, row: GrainRow, balance: f32, scatter: f32) -> [bool; PROBLEMS.len()] {
        [
            self.profile.grains.benefit[row] < 1.0,
            self.load_balance[row] > balance,
            self.deviation(row) > 2.0,
            self.optimistic[row] < self.profile.workers as f32,
            self.scatter[row] > scatter,
        ]
    }

    /// A grain that loses a thousandth of workers x wall to it has the problem.
    fn by_time_lost(&self, row: GrainRow) -> [bool; PROBLEMS.len()] {
        let profile = self.profile;
        let least = 1e-3 * profile.wall.0 as f64 * f64::from(profile.workers);
        let work = profile.grains.work[row].0 as f64;
        let is_alone = matches!(profile.grains.kind[row], GrainKind::Initial);
        let benefit = f64::from(profile.grains.benefit[row]);
        let beyond = |ratio: f32| work * (1.0 - 1.0 / f64::from(ratio)); // more than 1 / ratio of it
        let free = f64::from(profile.workers.min(profile.meta.processors.max(1)));
        let idle = free / f64::from(self.exact.mean[row]) - 1.0;
        [
            work / benefit - work,
            if is_alone { 0.0 } else { beyond(self.load_balance[row]) },
            beyond(self.deviation(row)),
            work * idle,
            0.0,
        ]
        .map(|lost| lost >= least)
    }
}
