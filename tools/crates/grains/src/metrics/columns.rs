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

    /// The grain's values of [`PROBLEMS`]; NaN where a value is not known.
    pub fn values(&self, row: GrainRow) -> [f32; PROBLEMS.len()] {
        [
            self.profile.grains.benefit[row],
            self.load_balance[row],
            self.deviation(row),
            self.exact.least[row],
            self.scatter[row],
        ]
    }

    /// Which of [`PROBLEMS`] the grain has. A number is compared with the column of its name; the
    /// presets compare optimistic parallelism with theirs.
    pub fn problems(&self, row: GrainRow, limits: &Limits) -> [bool; PROBLEMS.len()] {
        let mut has = match limits.preset {
            Thresholds::Teff => self.by_time_lost(row),
            Thresholds::Thesis | Thresholds::Published => {
                let mut values = self.values(row);
                values[PARALLELISM] = self.optimistic[row];
                std::array::from_fn(|problem| {
                    let limit = limits.value(problem, self.machine);
                    limit.is_some_and(|limit| is_beyond(problem, values[problem], limit))
                })
            }
        };
        let values = self.values(row);
        for (problem, has) in has.iter_mut().enumerate() {
            if let Some(limit) = limits.own(problem) {
                *has = is_beyond(problem, values[problem], limit);
            }
        }
        has
    }

    /// A grain that loses a thousandth of workers x wall to it has the problem.
    fn by_time_lost(&self, row: GrainRow) -> [bool; PROBLEMS.len()] {
        let profile = self.profile;
        let least = 1e-3 * profile.wall.0 as f64 * f64::from(profile.workers);
        let work = profile.grains.work.of(row).0 as f64;
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

/// NaN is no problem.
fn is_beyond(problem: usize, value: f32, limit: f32) -> bool {
    if is_problem_below(problem) {
        value < limit
    } else {
        value > limit
    }
}
