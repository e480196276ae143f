// SPDX-License-Identifier: Apache-2.0
//! The explicit tasks of each construct, by the region that they ran in.

use std::collections::HashMap;

use trace::layout::kind;

use crate::budget::Budget;
use crate::costs::Costs;
use crate::ready_since::ReadySince;
use crate::tables::{flag, GrainKind, GrainRow, Grains, RegionInfo};
use crate::timeline::joins;
use crate::typical::Typical;
use crate::Column;
use crate::{PlaceRow, Profile, NONE};

/// Times are in ns.
#[derive(Clone, Debug)]
pub(crate) struct TaskSite {
    pub group: u32,
    pub place: Option<PlaceRow>,
    pub tasks: f64,
    /// The number of undeferred or included tasks among them.
    pub inline: f64,
    pub work: f64,
    pub creation: Typical,
    /// The time to take a task that was ready before its worker was free. Other tasks are left out,
    /// because for these the worker had to be found or woken.
    pub taking: Typical,
    /// The part of that time that storing the record of the previous task cost.
    stored: f64,
    /// Tasks that an explicit task of an explicit task has created.
    pub recursive: f64,
    /// The largest number of nested explicit tasks.
    pub depth: u32,
}

impl TaskSite {
    pub fn mean(&self) -> f64 {
        self.work / self.tasks.max(1.0)
    }

    /// What one task costs beside its work.
    pub fn cost(&self) -> f64 {
        self.creation.mean() + self.fetch()
    }

    /// The part of the cost after the creation. Only tasks that were taken in this way have it.
    pub fn fetch(&self) -> f64 {
        self.taking.number * (self.taking.mean() - self.stored).max(0.0) / self.tasks.max(1.0)
    }

    /// What all of them cost beyond what is typical.
    pub fn beyond(&self) -> f64 {
        (self.creation.sum - self.creation.all() + self.taking.sum - self.taking.all()).max(0.0)
    }
}

pub(crate) fn task_sites(
    profile: &Profile,
    budget: &Budget,
    group_of: &Column<RegionInfo, u32>,
) -> Vec<TaskSite> {
    let grains = &profile.grains;
    let mut sites: Vec<TaskSite> = Vec::new();
    let mut rows: HashMap<(u32, Option<PlaceRow>), usize> = HashMap::new();
    let mut last: Option<((u32, Option<PlaceRow>), usize)> = None;
    let depths = depths(profile);
    let ready = ReadySince::of(profile);
    for row in explicit(grains) {
        let group = group_of.of(budget.region_of[row]).copied().unwrap_or(NONE);
        let key = (group, grains.place[row]);
        let known = last.filter(|(key_before, _)| *key_before == key).map(|(_, at)| at);
        let at = known.unwrap_or_else(|| {
            *rows.entry(key).or_insert_with(|| {
                sites.push(TaskSite::new(group, key.1));
                sites.len() - 1
            })
        });
        last = Some((key, at));
        let site = &mut sites[at];
        site.tasks += 1.0;
        site.inline += f64::from(u8::from(grains.has(row, flag::INLINE)));
        site.work += profile.ns(grains.work.of(row));
        site.creation.add(profile.ns(grains.creation.of(row)));
        let taken_after = budget.taken_after.of(row);
        if grains.start.of(row) - taken_after > ready.of_task(row) {
            site.taking.add(profile.ns(taken_after));
        }
        site.recursive += f64::from(u8::from(depths[row] > 2));
        site.depth = site.depth.max(u32::from(depths[row]));
    }
    let stored = stored(profile, &sites);
    for site in &mut sites {
        site.stored = stored;
    }
    sites
}

/// What a worker takes first in a wait has the wait's reading of the clock before it, what it takes
/// next has the record of the task before it.
fn stored(profile: &Profile, sites: &[TaskSite]) -> f64 {
    let taken: f64 = sites.iter().map(|site| site.taking.number).sum();
    let first = profile.waits.iter().filter(|wait| joins(wait.kind)).count() as f64;
    let costs = Costs::of(&profile.meta);
    let share = (first / taken.max(1.0)).min(1.0);
    profile.ns(costs.within(kind::WAIT)) * share + profile.ns(costs.after(kind::RUN)) * (1.0 - share)
}

/// Rows of the explicit tasks that ran.
pub(crate) fn explicit(grains: &Grains) -> impl Iterator<Item = GrainRow> + '_ {
    let ran = |&row: &GrainRow| grains.kind[row] == GrainKind::Task && !grains.has(row, flag::CANCELLED);
    grains.task_rows().filter(ran)
}

impl TaskSite {
    fn new(group: u32, place: Option<PlaceRow>) -> Self {
        Self {
            group,
            place,
            tasks: 0.0,
            inline: 0.0,
            work: 0.0,
            creation: Typical::default(),
            taking: Typical::default(),
            stored: 0.0,
            recursive: 0.0,
            depth: 0,
        }
    }
}

/// For each explicit task: its depth of nesting among explicit tasks, itself included.
fn depths(profile: &Profile) -> Column<Grains, u16> {
    let grains = &profile.grains;
    let mut depths = Column::filled(0u16, grains.tasks);
    let mut path = Vec::new();
    for row in grains.task_rows() {
        let mut next = Some(row);
        let mut depth = loop {
            match next.and_then(|at| Some((at, *depths.of(next)?))) {
                Some((at, 0)) if grains.kind[at] == GrainKind::Task => {
                    depths[at] = 1; // also the end of a circle, in a damaged trace
                    path.push(at);
                    next = grains.parent[at];
                }
                Some((_, known)) => break known,
                None => break 0,
            }
        };
        while let Some(task) = path.pop() {
            depth = depth.saturating_add(1);
            depths[task] = depth;
        }
    }
    depths
}
