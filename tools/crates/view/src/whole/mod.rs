// SPDX-License-Identifier: Apache-2.0
//! The data of the page's views about all grains, including those that the model folds: sums by
//! site, path of creation, loop, dependence and line. Their size depends on these and not on the
//! number of grains.

mod dependences;
mod devices;
mod flame;
pub mod lanes;
mod locks;
mod loops;
pub mod outline;
mod sites;
mod sources;
mod stacks;
mod strip;
#[cfg(test)]
mod whole_test;

use grains::budget::{Budget, OverTime};
use serde::Serialize;
use symbols::functions::Functions;
use symbols::Symbols;

use super::kept::Kept;
use outline::plan::Plan;

#[derive(Serialize)]
pub struct Whole {
    strip: strip::Strip,
    /// By the rows of the model's `sites`.
    sites: Vec<sites::More>,
    outline: outline::Outline,
    lanes: lanes::Lanes,
    #[serde(skip_serializing_if = "Option::is_none")]
    devices: Option<devices::Devices>,
    flame: flame::Flame,
    stacks: stacks::Stacks,
    loops: Vec<loops::Instance>,
    /// The number of loop instances that are left out because they have less work.
    more_loops: usize,
    dependences: dependences::Dependences,
    locks: Vec<locks::Line>,
    sources: Vec<sources::Source>,
}

impl Whole {
    /// `texts`: whether to read the files of the source, and not only to name them.
    pub fn of(
        kept: &Kept,
        (budget, time, plan): (&Budget, &OverTime, &Plan),
        symbols: &Symbols,
        functions: Option<&Functions>,
        texts: bool,
    ) -> Self {
        let Kept { profile, sites, tree, .. } = kept;
        let (loops, more_loops) = loops::of(profile, sites);
        let locks = locks::of(profile, symbols);
        Self {
            strip: strip::of(profile, &time.lanes),
            sites: sites::of(profile, sites),
            outline: outline::of(profile, sites, &budget.region_of, plan, time),
            lanes: lanes::of(profile, &time.lanes),
            devices: devices::of(profile, symbols),
            flame: flame::of(profile, tree, sites),
            stacks: stacks::of(profile, sites, functions),
            loops,
            more_loops,
            dependences: dependences::of(profile, sites),
            sources: if texts { sources::of(profile, sites, &locks) } else { Vec::new() },
            locks,
        }
    }
}
