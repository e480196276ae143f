// SPDX-License-Identifier: Apache-2.0
//! The input of the rules, with intermediate results that several rules need.

use crate::budget::{Budget, Class, Sums};
use crate::findings::disturbance::{Disturbance, Walls};
use crate::findings::groups::{groups, Group};
use crate::findings::task_sites::{task_sites, TaskSite};
use crate::tables::RegionInfo;
use crate::ticks::Ticks;
use crate::{Column, PlaceRow, Profile};

/// What the user calls things.
pub trait Names {
    /// A place.
    fn place(&self, row: Option<PlaceRow>) -> String;

    /// The variable that an address of the program's memory lies in, with where in it; `None`: none
    /// that has a name.
    fn variable(&self, _address: u64) -> Option<String> {
        None
    }

    /// The function that a place is in; `None`: it is not known.
    fn function(&self, _row: PlaceRow) -> Option<String> {
        None
    }
}

impl<F: Fn(Option<PlaceRow>) -> String> Names for F {
    fn place(&self, row: Option<PlaceRow>) -> String {
        self(row)
    }
}

pub(crate) struct Subject<'a> {
    pub profile: &'a Profile,
    pub budget: &'a Budget,
    pub names: &'a dyn Names,
    /// The wall time of the run without what disturbed it, in ns.
    pub wall: f64,
    pub walls: Walls,
    /// In ns: what of the wall time other processes took.
    pub others: f64,
    /// Regions by their place.
    pub groups: Vec<Group>,
    /// For each region: its row in `groups`.
    pub group_of: Column<RegionInfo, u32>,
    pub task_sites: Vec<TaskSite>,
}

impl<'a> Subject<'a> {
    pub fn of(profile: &'a Profile, budget: &'a Budget, names: &'a dyn Names) -> Self {
        let (groups, group_of) = groups(profile, budget);
        let task_sites = task_sites(profile, budget, &group_of);
        let disturbance = Disturbance::of(profile, budget);
        let walls = disturbance.walls(profile, budget);
        let wall = walls.undisturbed;
        let [_, others] = disturbance.of_wall(profile, budget);
        let others = others * (1.0 - disturbance.shared_ns / disturbance.others_ns.max(f64::MIN_POSITIVE));
        Self { profile, budget, names, wall, walls, others, groups, group_of, task_sites }
    }

    pub fn ns(&self, time: Ticks) -> f64 {
        self.profile.ns(time)
    }

    pub fn class(&self, sums: &Sums, class: Class) -> f64 {
        self.ns(sums.of(class))
    }

    /// No change that leaves the work as it is gains more: the work takes its time.
    pub fn most(&self) -> f64 {
        let work = self.class(&self.budget.total, Class::Work);
        (self.wall - work / self.at_once(f64::from(self.budget.workers))).max(0.0)
    }

    /// How many threads can run at once: never more than the process has processors.
    pub fn at_once(&self, threads: f64) -> f64 {
        self.profile.at_once(threads)
    }
}
