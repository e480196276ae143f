// SPDX-License-Identifier: Apache-2.0
//! Finds when a region had ready tasks that no worker took.
//!
//! The number of these tasks is a step function of time: it rises when a task becomes ready and
//! falls when the task is claimed (`claims`). The module keeps the stretches in which the number is
//! above 0, by region.

use rayon::prelude::*;

use crate::budget::facts::{is_taken, Facts};
use crate::csr::Groups;
use crate::row::Column;
use crate::tables::{GrainRow, Grains, RegionRow};
use crate::ticks::Ticks;

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
    pub fn of(facts: &Facts, taken_after: &Column<Grains, Ticks>) -> Self {
        let grains = &facts.profile.grains;
        let key = |task: GrainRow| {
            let has_begun = is_taken(grains, task) && grains.start[task] > Ticks::ZERO;
            facts.region_of[task].filter(|_| has_begun)
        };
        let regions = &facts.profile.regions;
        let by_region: Groups<RegionRow, GrainRow> = Groups::new(regions.len(), grains.task_rows().map(key));
        let mut this = Self { first: vec![0], begin: Vec::new(), end: Vec::new(), before: Vec::new() };
        for region in regions.rows() {
            let tasks = by_region.of(region).iter().copied();
            let mut ups: Vec<_> = tasks.clone().map(|task| facts.ready[task]).collect();
            let mut downs: Vec<_> =
                tasks.map(|task| (grains.start[task] - taken_after[task]).max(facts.ready[task])).collect();
            rayon::join(|| ups.par_sort_unstable(), || downs.par_sort_unstable());
            this.add_stretches(&ups, &downs);
            this.first.push(this.begin.len() as u32);
        }
        this
    }

    fn add_stretches(&mut self, ups: &[Ticks], downs: &[Ticks]) {
        let (mut up, mut down) = (0, 0);
        let mut length = Ticks::ZERO;
        while up < ups.len() {
            let begin = ups[up];
            // Until as many have gone down as up.
            loop {
                let goes_up = ups.get(up).is_some_and(|&next| down == up || next <= downs[down]);
                if goes_up {
                    up += 1;
                    continue;
                }
                down += 1;
                if down >= up {
                    break;
                }
            }
            let end = downs[down - 1];
            if end > begin {
                self.begin.push(begin);
                self.end.push(end);
                self.before.push(length);
                length += end - begin;
            }
        }
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
