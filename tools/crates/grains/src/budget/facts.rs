// SPDX-License-Identifier: Apache-2.0
//! The facts, beside the profile, from which the classes are derived.

use std::collections::HashSet;

use trace::WaitKind;

use crate::budget::outside::Outside;
use crate::budget::preparing::Preparing;
use crate::csr::Groups;
use crate::instants::Instants;
use crate::ready_since::{Finished, ReadySince};
use crate::row::Column;
use crate::sparse::Sparse;
use crate::tables::{flag, Barrier, GrainKind, GrainRow, Grains, RegionInfo, RegionRow, WaitInfo, WaitRow};
use crate::ticks::Ticks;
use crate::Profile;

pub(crate) struct Facts<'a> {
    pub profile: &'a Profile,
    pub region_of: Sparse<Grains, Option<RegionRow>>,
    /// When each task was ready.
    pub ready: ReadySince<'a>,
    /// For each wait: when what it waits for was done.
    pub released: Instants<WaitInfo>,
    /// For each region: when the last thread had arrived at its end.
    pub arrived: Column<RegionInfo, Ticks>,
    ends: Ends,
    pub outside: Outside,
    pub preparing: Preparing,
}

impl<'a> Facts<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let region_of = regions_of_tasks(profile);
        let ends = Ends::of(profile, &region_of);
        let arrived = arrived(profile);
        let released = released(profile, &region_of, &ends, &arrived);
        let (ready, outside) = (ReadySince::of(profile), Outside::of(profile));
        let preparing = Preparing::of(profile);
        Self { profile, region_of, ready, released, arrived, ends, outside, preparing }
    }

    /// The task that a worker takes by beginning this fragment.
    pub fn taken(&self, fragment: u32, at: Ticks) -> Option<GrainRow> {
        let grain = self.profile.fragments.grain[fragment as usize];
        let grains = &self.profile.grains;
        let begins = grains.is_task(grain) && grains.start.of(grain) == at;
        (begins && is_taken(grains, grain)).then_some(grain)
    }

    /// When the last explicit task of the region ended, of those that had ended by `at`, which is
    /// the end of the region or of a wait at one of its barriers; 0: none had.
    pub fn last_ended(&self, region: Option<RegionRow>, at: Ticks) -> Ticks {
        self.ends.last_by(region, at)
    }

    /// The region of a grain.
    pub fn region(&self, grain: GrainRow) -> Option<RegionRow> {
        self.region_of.of(self.profile.grains.task_of(grain)).copied().flatten()
    }
}

/// When the last explicit task of a region had ended, at the instants at which that is asked for:
/// the ends of the regions and of the waits at their barriers. These are far fewer than the tasks.
struct Ends {
    /// The region and the instant, in order, each once.
    asked: Vec<(RegionRow, Ticks)>,
    /// For each: when the last one ended of those that had ended by then; 0: none had.
    last: Vec<Ticks>,
}

impl Ends {
    fn of(profile: &Profile, region_of: &Sparse<Grains, Option<RegionRow>>) -> Self {
        let (grains, finished) = (&profile.grains, Finished::of(profile));
        let barriers = profile.waits.iter().filter(|wait| wait.kind.is_barrier());
        let barriers = barriers.filter_map(|wait| Some((region_of[wait.task]?, wait.end)));
        let regions = profile.regions.entries().map(|(region, info)| (region, info.end));
        let mut asked: Vec<_> = barriers.chain(regions).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut last = vec![Ticks::ZERO; asked.len()];
        let is_explicit =
            |row: &GrainRow| grains.kind[*row] == GrainKind::Task && !grains.has(*row, flag::CANCELLED);
        for task in grains.task_rows().filter(is_explicit) {
            let Some(region) = region_of[task] else { continue };
            let end = finished.of_task(task);
            let at = asked.partition_point(|&asked| asked < (region, end));
            if asked.get(at).is_some_and(|asked| asked.0 == region) {
                last[at] = end.max(last[at]);
            }
        }
        for at in 1..asked.len() {
            if asked[at].0 == asked[at - 1].0 {
                last[at] = last[at].max(last[at - 1]);
            }
        }
        Self { asked, last }
    }

    fn last_by(&self, region: Option<RegionRow>, at: Ticks) -> Ticks {
        let Some(region) = region else { return Ticks::ZERO };
        let found = self.asked.binary_search(&(region, at));
        found.map_or(Ticks::ZERO, |found| self.last[found])
    }
}

/// When what each wait waits for was done: the last thread of the team has arrived, the last child
/// that it joined has ended. Waits for nothing of the kind: when they end.
fn released(
    profile: &Profile,
    region_of: &Sparse<Grains, Option<RegionRow>>,
    ends: &Ends,
    arrived: &Column<RegionInfo, Ticks>,
) -> Instants<WaitInfo> {
    let finished = Finished::of(profile);
    let mut released = Instants::unknown(profile.waits.len());
    let raise = |released: &mut Instants<WaitInfo>, wait: WaitRow, at: Ticks| match released.of(wait) {
        Instants::<WaitInfo>::UNKNOWN => released.set(wait, at),
        known => released.set(wait, at.max(known)),
    };
    let arrivals = arrivals(profile);
    for (row, &wait) in profile.joined_by.entries() {
        if let Some(wait) = wait {
            raise(&mut released, wait, finished.of_task(row));
        }
    }
    for (row, wait) in profile.waits.entries() {
        let arrival = match wait.kind {
            WaitKind::RegionEnd => arrived.of(profile.member_of[wait.task]).copied(),
            _ => arrivals.of(profile.barrier_of[row]).copied(),
        };
        if let Some(arrival) = arrival {
            let ended = ends.last_by(region_of[wait.task], wait.end);
            raise(&mut released, row, arrival.max(ended));
        }
        if matches!(released.of(row), Ticks::ZERO | Instants::<WaitInfo>::UNKNOWN) {
            released.set(row, wait.end);
        }
    }
    released
}

/// When the last thread had arrived at each barrier. If a thread has no record of the barrier, the
/// recording ended before it arrived: then the others waited for it to the end of their waits.
fn arrivals(profile: &Profile) -> Column<Barrier, Ticks> {
    let mut last = Column::filled(Ticks::ZERO, profile.barriers as usize);
    let mut came = Column::filled(0, profile.barriers as usize);
    for (wait, &barrier) in profile.waits.iter().zip(&profile.barrier_of) {
        if let (Some(last), Some(came)) = (last.of_mut(barrier), came.of_mut(barrier)) {
            *last = wait.begin.max(*last);
            *came += 1;
        }
    }
    let members = members(profile);
    for (wait, &barrier) in profile.waits.iter().zip(&profile.barrier_of) {
        let Some(region) = profile.member_of[wait.task] else { continue };
        let (Some(last), Some(&came)) = (last.of_mut(barrier), came.of(barrier)) else { continue };
        if came < members.of(region).len() {
            *last = wait.end.max(*last);
        }
    }
    last
}

/// When the last thread of each team had arrived at the end of its region.
fn arrived(profile: &Profile) -> Column<RegionInfo, Ticks> {
    let grains = &profile.grains;
    let members = members(profile);
    let waits = || profile.waits.iter().filter(|wait| wait.kind == WaitKind::RegionEnd);
    let first: HashSet<GrainRow> = waits().map(|wait| wait.task).collect();
    let mut arrived: Column<RegionInfo, Ticks> = profile
        .regions
        .entries()
        .map(|(region, info)| {
            // The first thread waits for the others inside of its implicit task. A thread that was
            // at work when the recording ended had not arrived.
            let others = members.of(region).iter().filter(|task| !first.contains(task));
            others.map(|&task| grains.end.of(task).min(info.end)).max().unwrap_or(info.begin)
        })
        .collect();
    for wait in waits() {
        if let Some(arrived) = arrived.of_mut(profile.member_of[wait.task]) {
            *arrived = wait.begin.max(*arrived);
        }
    }
    arrived
}

/// Whether a worker takes this task from where ready ones lie.
pub(crate) fn is_taken(grains: &Grains, task: GrainRow) -> bool {
    grains.kind[task] == GrainKind::Task && !grains.has(task, flag::INLINE | flag::CANCELLED)
}

/// The innermost region of each task: that of its implicit task.
pub fn regions_of_tasks(profile: &Profile) -> Sparse<Grains, Option<RegionRow>> {
    let grains = &profile.grains;
    let mut region_of: Column<Grains, _> = Column::filled(None, grains.tasks);
    let mut is_known = Column::filled(false, grains.tasks);
    let mut path = Vec::new();
    for row in grains.task_rows() {
        let mut next = Some(row);
        let region = loop {
            let Some(at) = next.and_then(|grain| grains.task_of(grain)) else { break None };
            match grains.kind[at] {
                _ if is_known[at] => break region_of[at],
                GrainKind::Implicit => break profile.member_of[at],
                GrainKind::Initial => break None,
                _ => {}
            }
            // Also the end of a circle, in a damaged trace.
            is_known[at] = true;
            path.push(at);
            next = grains.parent[at];
        };
        is_known[row] = true;
        region_of[row] = region;
        for task in path.drain(..) {
            region_of[task] = region;
        }
    }
    Sparse::of_column(&region_of)
}

/// The implicit tasks of each region.
pub(crate) fn members(profile: &Profile) -> Groups<RegionRow, GrainRow> {
    Groups::new(profile.regions.len(), profile.member_of.iter().copied())
}
