// SPDX-License-Identifier: Apache-2.0
//! Finds when a team waited for the recorder: it worked for a thread that had not begun its
//! implicit task yet, as it does when it prepares a new thread, and no task ran meanwhile.
//!
//! While another task runs, the team may wait for that one as well, so this time is not counted.

use crate::switches::join;
use crate::tables::{GrainRow, RegionRow};
use crate::ticks::Ticks;
use crate::Profile;

type Interval = (Ticks, Ticks);

pub(crate) struct Preparing {
    /// In order, without overlaps within a region.
    stretches: Vec<(RegionRow, Ticks, Ticks)>,
    /// For the recorder's work that kept a thread from its implicit task, by row: the region.
    regions: Vec<(u32, RegionRow)>,
}

impl Preparing {
    pub fn of(profile: &Profile) -> Self {
        let (mut all, mut regions) = (Vec::new(), Vec::new());
        let aparts = &profile.recorder.apart;
        let mut by_worker: Vec<u32> = (0..).zip(aparts).map(|(row, _)| row).collect();
        by_worker.sort_unstable_by_key(|&row| (aparts[row as usize].worker, aparts[row as usize].begin));
        for (region, member) in members(profile) {
            let (worker, from) = (profile.grains.worker[member], profile.regions[region].begin);
            let until = profile.grains.start.of(member);
            let first = by_worker.partition_point(|&row| {
                let apart = &aparts[row as usize];
                (apart.worker, apart.end()) <= (worker, from)
            });
            for &row in &by_worker[first..] {
                let apart = &aparts[row as usize];
                if apart.worker != worker || apart.begin >= until {
                    break;
                }
                all.push((region, apart.begin.max(from), (apart.begin + apart.own).min(until)));
                regions.push((row, region));
            }
        }
        regions.sort_unstable();
        all.retain(|stretch| stretch.1 < stretch.2);
        all.sort_unstable();
        let work = work(profile, &all);
        Self { stretches: without(&all, &work), regions }
    }

    /// The region in which this work of the recorder kept a thread from its implicit task.
    pub fn region(&self, apart: u32) -> Option<RegionRow> {
        let found = self.regions.binary_search_by_key(&apart, |entry| entry.0);
        found.ok().map(|found| self.regions[found].1)
    }

    /// When the team of the region waited so between `begin` and `end`, in order.
    pub fn stretches(
        &self,
        region: Option<RegionRow>,
        begin: Ticks,
        end: Ticks,
    ) -> impl Iterator<Item = Interval> + '_ {
        let first = self.stretches.partition_point(|stretch| (Some(stretch.0), stretch.2) <= (region, begin));
        let within = self.stretches[first..].iter();
        let within = within.take_while(move |stretch| Some(stretch.0) == region && stretch.1 < end);
        within.map(move |stretch| (stretch.1.max(begin), stretch.2.min(end)))
    }
}

/// The implicit tasks, and the regions of their teams.
fn members(profile: &Profile) -> impl Iterator<Item = (RegionRow, GrainRow)> + '_ {
    let grains = &profile.grains;
    let ran = |row: &GrainRow| grains.start.of(*row) <= grains.end.of(*row);
    grains.task_rows().filter(ran).filter_map(|row| Some((profile.member_of[row]?, row)))
}

/// When tasks ran, as far as it is in any of the stretches: in order, without overlaps.
fn work(profile: &Profile, stretches: &[(RegionRow, Ticks, Ticks)]) -> Vec<Interval> {
    let looked_at = merged(stretches.iter().map(|stretch| (stretch.1, stretch.2)).collect());
    if looked_at.is_empty() {
        return Vec::new();
    }
    let fragments = &profile.fragments;
    let all = (0..fragments.grain.len() as u32).map(|row| (fragments.start(row), fragments.end(row)));
    merged(
        all.filter(|&(begin, end)| from_after(&looked_at, begin).next().is_some_and(|first| first.0 < end))
            .collect(),
    )
}

/// The intervals that end after an instant. They are in order and do not overlap.
fn from_after(intervals: &[Interval], at: Ticks) -> impl Iterator<Item = &Interval> {
    intervals[intervals.partition_point(|interval| interval.1 <= at)..].iter()
}

/// In order, and those that overlap or meet as one.
fn merged(mut intervals: Vec<Interval>) -> Vec<Interval> {
    join(&mut intervals);
    intervals
}

/// What is left of the stretches, in their order, without `taken` and what they have in common.
fn without(stretches: &[(RegionRow, Ticks, Ticks)], taken: &[Interval]) -> Vec<(RegionRow, Ticks, Ticks)> {
    let mut left = Vec::new();
    let mut covered: Option<(RegionRow, Ticks)> = None;
    for &(region, begin, end) in stretches {
        let before = covered.filter(|covered| covered.0 == region).map_or(begin, |covered| covered.1);
        let mut from = begin.max(before);
        covered = Some((region, end.max(before)));
        for &(taken_from, taken_until) in from_after(taken, from) {
            if taken_from >= end {
                break;
            }
            if from < taken_from {
                left.push((region, from, taken_from));
            }
            from = from.max(taken_until);
        }
        if from < end {
            left.push((region, from, end));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;

    #[test]
    fn stretches_lose_what_is_taken_and_overlap_no_more() {
        let at = |row, begin, end| (Row::new(row), Ticks(begin), Ticks(end));
        let stretches = [at(0, 10, 30), at(0, 20, 40), at(1, 5, 12), at(1, 50, 60)];
        let taken = [(Ticks(0), Ticks(11)), (Ticks(15), Ticks(18)), (Ticks(55), Ticks(70))];
        let left = [at(0, 11, 15), at(0, 18, 30), at(0, 30, 40), at(1, 11, 12), at(1, 50, 55)];
        assert_eq!(without(&stretches, &taken), left);
    }
}
