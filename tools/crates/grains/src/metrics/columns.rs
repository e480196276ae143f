// SPDX-License-Identifier: Apache-2.0
//! Computes all metrics of all grains at once, and decides which values are problems.

use super::thresholds::{is_problem_below, Limits, Machine, Thresholds, PARALLELISM, PROBLEMS};
use crate::metrics::{
    by_intervals, exact, slack, Deviation, Interval, Overlap, Parallelism, Positions, Siblings, Unit,
};
use crate::tables::{GrainRow, Grains};
use crate::ticks::Ticks;
use crate::{Column, GrainKind, Profile};

/// By grain row.
pub struct Columns<'a> {
    profile: &'a Profile,
    pub load_balance: Column<Grains, f32>,
    pub scatter: Column<Grains, f32>,
    /// What scatter is a distance between.
    pub scatter_unit: Unit,
    pub machine: Machine,
    pub slack: Column<Grains, Option<Ticks>>,
    /// Where there is a baseline.
    pub deviation: Option<Deviation>,
    pub exact: Parallelism,
    pub optimistic: Column<Grains, f32>,
    pub conservative: Column<Grains, f32>,
}

impl<'a> Columns<'a> {
    pub fn of(profile: &'a Profile, deviation: Option<Deviation>) -> Self {
        let siblings = Siblings::of(profile);
        let positions = Positions::of(profile);
        let by_intervals = |overlap| by_intervals(profile, Interval::MedianGrain, overlap);
        Self {
            profile,
            load_balance: siblings.load_balance(profile),
            scatter: siblings.scatter(profile, &positions),
            scatter_unit: positions.unit,
            machine: Machine { workers: profile.workers, cores_of_a_package: positions.cores_of_a_package },
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

    /// The grain's values of [`PROBLEMS`], as they are judged; NaN where a value is not known. Of
    /// parallelism, a limit is compared with the optimistic one, which pauses of a microsecond
    /// between two grains leave alone; the time lost follows from the mean.
    pub fn values(&self, row: GrainRow, limits: &Limits) -> [f32; PROBLEMS.len()] {
        let has_limit = limits.value(PARALLELISM, self.machine).is_some();
        [
            self.profile.grains.benefit[row],
            self.load_balance[row],
            self.deviation(row),
            if has_limit { self.optimistic[row] } else { self.exact.mean[row] },
            self.scatter[row],
        ]
    }

    /// Which of [`PROBLEMS`] the grain has.
    pub fn problems(&self, row: GrainRow, limits: &Limits) -> [bool; PROBLEMS.len()] {
        let values = self.values(row, limits);
        let lost = match limits.preset {
            Thresholds::Teff => self.by_time_lost(row),
            Thresholds::Thesis | Thresholds::Published => [false; PROBLEMS.len()],
        };
        std::array::from_fn(|problem| match limits.value(problem, self.machine) {
            Some(limit) => is_beyond(problem, values[problem], limit),
            None => lost[problem],
        })
    }

    /// A grain that loses a thousandth of workers x wall to it has the problem. A low benefit has a
    /// limit instead, and the loss by scatter is not known. Siblings of different lengths lose
    /// nothing while all processors work: no more is lost to load balance than processors were idle
    /// while the grain ran.
    fn by_time_lost(&self, row: GrainRow) -> [bool; PROBLEMS.len()] {
        let profile = self.profile;
        let least = 1e-3 * profile.wall.0 as f64 * f64::from(profile.workers);
        let work = profile.grains.work.of(row).0 as f64;
        let is_alone = matches!(profile.grains.kind[row], GrainKind::Initial);
        let beyond = |ratio: f32| work * (1.0 - 1.0 / f64::from(ratio)); // more than 1 / ratio of it
        let free = f64::from(profile.workers.min(profile.meta.processors.max(1)));
        let idle = work * (free / f64::from(self.exact.mean[row]) - 1.0);
        [
            0.0,
            if is_alone { 0.0 } else { beyond(self.load_balance[row]).min(idle) },
            beyond(self.deviation(row)),
            idle,
            0.0,
        ]
        .map(|lost| lost > 0.0 && lost >= least)
    }
}

/// NaN is no problem.
fn is_beyond(problem: usize, value: f32, limit: f32) -> bool {
    if is_problem_below(problem) {
        value < limit
    } else {
        value > limit
    }
}
