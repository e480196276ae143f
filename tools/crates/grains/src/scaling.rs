// SPDX-License-Identifier: Apache-2.0
//! Explains why the speed-up of a run is smaller than its number of workers: its efficiency as a
//! product of factors.
//!
//! Efficiency is the whole time of the reference / the whole time of this run, where whole is
//! workers x wall. With a reference on one worker, this is speed-up / workers. Each factor is the
//! share of the time that is left when one kind of loss is subtracted, in the order of [`FACTORS`].
//! So the product of a run's factors is work / whole, which is the parallel efficiency of POP
//! (Performance Optimisation and Productivity, <https://pop-coe.eu/node/69>). POP's computation
//! scaling is the work of the reference / the work of this run. The reference's own loss is the
//! last factor. So
//!
//! ```text
//! efficiency = factors x computation scaling x (whole / work of the reference)
//! ```
//!
//! is exact. docs/formats/report.md defines each factor.

use crate::budget::{Budget, Class};
use crate::Profile;

/// A kind of loss: its name, and the classes of the budget that it has.
pub struct Factor {
    pub name: &'static str,
    pub classes: &'static [Class],
}

/// From what the program has no say in, to what its work costs where it runs. The last one has what
/// no class has.
pub const FACTORS: [Factor; 8] = [
    Factor { name: "recorder", classes: &[Class::Recorder] },
    Factor { name: "processors", classes: &[Class::Descheduled] },
    Factor { name: "serial", classes: &[Class::Serial] },
    Factor { name: "balance", classes: &[Class::Imbalance, Class::OutsideTeam] },
    Factor { name: "ready", classes: &[Class::NothingReady] },
    Factor { name: "locks", classes: &[Class::Locks] },
    Factor { name: "runtime", classes: &[Class::Creation, Class::Scheduling, Class::ReadyWaiting] },
    Factor { name: "unexplained", classes: &[] },
];

/// What of a run's budget the factors need. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Account {
    pub workers: u32,
    pub wall_ns: f64,
    /// Workers x wall.
    pub whole_ns: f64,
    pub work_ns: f64,
    /// Lost, by the order of [`FACTORS`].
    pub lost_ns: [f64; FACTORS.len()],
}

/// Ratios; NaN where there was no time, or no work.
#[derive(Clone, Debug, PartialEq)]
pub struct Efficiency {
    pub speedup: f64,
    pub efficiency: f64,
    /// By the order of [`FACTORS`].
    pub factors: [f64; FACTORS.len()],
    /// The product of the factors: POP's parallel efficiency.
    pub parallel: f64,
    /// Work of the reference / work here: POP's computation scaling.
    pub work: f64,
    /// Whole / work of the reference: 1 or more.
    pub reference: f64,
}

impl Account {
    pub fn of(profile: &Profile, budget: &Budget) -> Self {
        let ns = |class: &Class| profile.ns(budget.total.of(*class));
        let work_ns = ns(&Class::Work) + ns(&Class::Inflation);
        let whole_ns = profile.ns(budget.whole());
        let mut lost_ns = FACTORS.each_ref().map(|factor| factor.classes.iter().map(ns).sum::<f64>());
        // Below 0 where two records claim the same time.
        lost_ns[FACTORS.len() - 1] = whole_ns - work_ns - lost_ns.iter().sum::<f64>();
        Self { workers: budget.workers, wall_ns: profile.ns(profile.wall), whole_ns, work_ns, lost_ns }
    }

    pub fn against(&self, reference: &Self) -> Efficiency {
        let mut left = self.whole_ns;
        let factors = self.lost_ns.map(|lost| {
            let before = left;
            left -= lost;
            left / before
        });
        Efficiency {
            speedup: reference.wall_ns / self.wall_ns,
            efficiency: reference.whole_ns / self.whole_ns,
            factors,
            parallel: self.work_ns / self.whole_ns,
            work: reference.work_ns / self.work_ns,
            reference: reference.whole_ns / reference.work_ns,
        }
    }
}

impl Efficiency {
    /// What the efficiency is made of.
    pub fn product(&self) -> f64 {
        self.factors.iter().product::<f64>() * self.work * self.reference
    }
}

/// The row of the median, of an even number the lower one of the middle two: a run that was, so
/// that all its figures belong together. `None`: there are none.
pub fn median_row(values: &[f64]) -> Option<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(workers: u32, wall_ns: f64, work_ns: f64, lost: [f64; FACTORS.len() - 1]) -> Account {
        let whole_ns = f64::from(workers) * wall_ns;
        let mut lost_ns = [0.0; FACTORS.len()];
        lost_ns[..lost.len()].copy_from_slice(&lost);
        lost_ns[lost.len()] = whole_ns - work_ns - lost.iter().sum::<f64>();
        Account { workers, wall_ns, whole_ns, work_ns, lost_ns }
    }

    #[test]
    fn factors_multiply_to_the_efficiency() {
        let one = account(1, 1000.0, 900.0, [10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 80.0]);
        let four = account(4, 400.0, 1000.0, [20.0, 30.0, 200.0, 100.0, 50.0, 40.0, 130.0]);
        let found = four.against(&one);
        assert_eq!((found.speedup, found.efficiency), (2.5, 0.625));
        assert!((found.product() - found.efficiency).abs() < 1e-12, "{found:?}");
        assert!((found.factors.iter().product::<f64>() - found.parallel).abs() < 1e-12);
        assert_eq!((found.work, found.factors[0]), (0.9, 1580.0 / 1600.0));
        assert_eq!(found.factors[2], 1350.0 / 1550.0, "of what the losses before have left");
        let itself = one.against(&one);
        assert!((itself.product() - 1.0).abs() < 1e-12 && itself.speedup == 1.0);
    }

    #[test]
    fn the_median_is_a_run_that_was() {
        assert_eq!(median_row(&[3.0, 1.0, 2.0]), Some(2));
        assert_eq!(median_row(&[4.0, 1.0, 3.0, 2.0]), Some(3));
        assert_eq!(median_row(&[]), None);
    }
}
