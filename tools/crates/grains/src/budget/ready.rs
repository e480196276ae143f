// SPDX-License-Identifier: Apache-2.0
//! Finds when a region had ready tasks that no worker took.
//!
//! The number of these tasks is a step function of time: it rises when a task becomes ready and
//! falls when the task is claimed (`claims`). The module keeps the stretches in which the number is
//! above 0, by region.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use crate::budget::facts::{is_taken, Facts};
use crate::csr::Groups;
use crate::lengths::Lengths;
use crate::row::Column;
use crate::tables::{GrainRow, Grains, RegionInfo, RegionRow};
use crate::ticks::Ticks;

/// The number of times that are sorted at once, on average. It bounds the memory that this takes.
const PART: usize = 1 << 21;

/// The number of tasks of a region that are ready, and since when there are any.
#[derive(Default)]
struct Count {
    tasks: usize,
    since: Ticks,
    /// Of the stretches so far.
    length: Ticks,
}

impl Count {
    fn rise(&mut self, at: Ticks) {
        if self.tasks == 0 {
            self.since = at;
        }
        self.tasks += 1;
    }

    /// Since when there were tasks, if this was the last one.
    fn fall(&mut self) -> Option<Ticks> {
        self.tasks = self.tasks.saturating_sub(1);
        (self.tasks == 0).then_some(self.since)
    }
}

/// Parts of equal length, in order, of the time until `last`, for so many tasks.
fn parts(tasks: usize, last: Ticks) -> impl Iterator<Item = RangeInclusive<Ticks>> {
    let parts = tasks.div_ceil(PART) as u64;
    let length = last.0 / parts.max(1) + 1;
    (0..parts).map(move |part| {
        let begin = part.saturating_mul(length);
        Ticks(begin)..=Ticks(begin.saturating_add(length - 1))
    })
}

/// The region that occurs most often, of so many.
fn largest(regions: usize, all: impl Iterator<Item = RegionRow>) -> Option<RegionRow> {
    let mut number: Column<RegionInfo, u32> = Column::filled(0, regions);
    all.for_each(|region| number[region] += 1);
    number.entries().max_by_key(|entry| *entry.1).map(|entry| entry.0)
}

/// Stretches of time that do not overlap, in order, of each region; and when its tasks ended.
pub(crate) struct Ready {
    /// For each region: where its stretches begin in the columns below.
    first: Vec<u32>,
    begin: Vec<Ticks>,
    end: Vec<Ticks>,
    /// Length of the stretches before this one.
    before: Vec<Ticks>,
}

impl Ready {
    pub fn of(facts: &Facts, taken_after: &Lengths<Grains>) -> Self {
        let grains = &facts.profile.grains;
        let key = |task: GrainRow| {
            let has_begun = is_taken(grains, task) && grains.start.of(task) > Ticks::ZERO;
            facts.region_of[task].filter(|_| has_begun)
        };
        let regions = &facts.profile.regions;
        // Most tasks of a recording with very many of them are of one region: a list of its tasks
        // would take four bytes for each.
        let largest = largest(regions.len(), grains.task_rows().filter_map(key));
        let is_largest = |region: RegionRow| Some(region) == largest;
        let other = |task| key(task).filter(|&region| !is_largest(region));
        let others: Groups<RegionRow, GrainRow> = Groups::new(regions.len(), grains.task_rows().map(other));
        let mut this = Self { first: vec![0], begin: Vec::new(), end: Vec::new(), before: Vec::new() };
        let up = |task: GrainRow| facts.ready.of_task(task);
        let down = |task: GrainRow| (grains.start.of(task) - taken_after.of(task)).max(up(task));
        for region in regions.rows() {
            if is_largest(region) {
                this.add_region(&grains.task_rows().filter(|&task| key(task) == largest), up, down);
            } else {
                this.add_region(&others.of(region).iter().copied(), up, down);
            }
        }
        this
    }

    /// `up` and `down`: when a task becomes ready and when it is claimed.
    fn add_region(
        &mut self,
        tasks: &(impl Iterator<Item = GrainRow> + Clone),
        up: impl Fn(GrainRow) -> Ticks,
        down: impl Fn(GrainRow) -> Ticks,
    ) {
        let mut count = Count::default();
        let mut last = Ticks::ZERO;
        let number = tasks.clone().inspect(|&task| last = last.max(down(task))).count();
        for part in parts(number, last) {
            let of_part = |time: &dyn Fn(GrainRow) -> Ticks| -> Vec<Ticks> {
                tasks.clone().map(time).filter(|time| part.contains(time)).collect()
            };
            let (mut ups, mut downs) = (of_part(&up), of_part(&down));
            rayon::join(|| ups.par_sort_unstable(), || downs.par_sort_unstable());
            self.add_stretches(&mut count, &ups, &downs);
        }
        self.first.push(self.begin.len() as u32);
    }

    /// Goes on with the times, in order, at which the number of tasks rises and falls. At the same
    /// time it rises first.
    fn add_stretches(&mut self, count: &mut Count, ups: &[Ticks], downs: &[Ticks]) {
        let mut ups = ups.iter().copied().peekable();
        for &end in downs {
            while let Some(begin) = ups.next_if(|&up| up <= end) {
                count.rise(begin);
            }
            if let Some(begin) = count.fall().filter(|&begin| begin < end) {
                self.begin.push(begin);
                self.end.push(end);
                self.before.push(count.length);
                count.length += end - begin;
            }
        }
        ups.for_each(|begin| count.rise(begin));
    }

    /// How much of the time from `begin` to `end` the region had ready tasks that no worker took.
    pub fn within(&self, region: Option<RegionRow>, begin: Ticks, end: Ticks) -> Ticks {
        match region {
            Some(region) if begin < end => self.until(region, end) - self.until(region, begin),
            _ => Ticks::ZERO,
        }
    }

    fn until(&self, region: RegionRow, at: Ticks) -> Ticks {
        let rows = self.first[region.at()] as usize..self.first[region.at() + 1] as usize;
        let passed = self.begin[rows.clone()].partition_point(|&begin| begin < at);
        match passed.checked_sub(1) {
            None => Ticks::ZERO,
            Some(last) => {
                let row = rows.start + last;
                self.before[row] + (at.min(self.end[row]) - self.begin[row])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(parts: &[(&[u64], &[u64])]) -> Vec<(u64, u64, u64)> {
        let ticks = |times: &[u64]| times.iter().copied().map(Ticks).collect::<Vec<_>>();
        let mut ready = Ready { first: vec![0], begin: Vec::new(), end: Vec::new(), before: Vec::new() };
        let mut count = Count::default();
        for (ups, downs) in parts {
            ready.add_stretches(&mut count, &ticks(ups), &ticks(downs));
        }
        let stretches = ready.begin.iter().zip(&ready.end).zip(&ready.before);
        stretches.map(|((begin, end), before)| (begin.0, end.0, before.0)).collect()
    }

    #[test]
    fn stretches_are_the_same_whichever_times_are_sorted_at_once() {
        let whole = stretches(&[(&[1, 2, 5, 5, 9, 20], &[3, 5, 7, 9, 12, 20])]);
        assert_eq!(whole, [(1, 12, 0)], "a task that is ready when another one is taken");
        let ups: [&[u64]; 3] = [&[1, 2], &[5, 5, 9], &[20]];
        let downs: [&[u64]; 3] = [&[3], &[5, 7, 9], &[12, 20]];
        assert_eq!(stretches(&[(ups[0], downs[0]), (ups[1], downs[1]), (ups[2], downs[2])]), whole);
        let apart = [(1, 3, 0), (5, 7, 2)];
        assert_eq!(stretches(&[(&[1, 5], &[3, 7])]), apart);
        assert_eq!(stretches(&[(&[1], &[3]), (&[5], &[]), (&[], &[7])]), apart);
    }

    #[test]
    fn parts_have_each_instant_once() {
        for last in [0, 1, 1000, u64::MAX - 1, u64::MAX] {
            let parts: Vec<_> = parts(2 * PART + 1, Ticks(last)).collect();
            assert!(parts[0].contains(&Ticks::ZERO) && parts.iter().any(|part| part.contains(&Ticks(last))));
            assert!(parts.windows(2).all(|pair| pair[0].end().0 + 1 == pair[1].start().0), "{last}");
        }
    }
}
