// SPDX-License-Identifier: Apache-2.0
//! A team: its members advance from barrier to barrier, and its region ends when all of them have
//! ended.
//!
//! A member that reaches a barrier passes its depth to the barrier. The first member that continues
//! behind the barrier shows that all members have come. Then the barrier joins the team's open
//! tasks, and all members continue with the depth of the deepest.

use trace::WaitKind;

use super::depth::{Deepest, Depth, Point};
use super::heir::Heir;
use super::pass::Pass;
use super::stage::Stage;
use crate::tables::{BarrierRow, GrainRow, RegionRow, WaitRow};
use crate::ticks::Ticks;

impl Pass<'_> {
    pub fn is_of_team(&self, task: GrainRow, kind: WaitKind) -> bool {
        kind.is_barrier() && self.all.member_of[task].is_some()
    }

    /// The members begin where the task that met the construct is.
    pub fn enter_region(&mut self, task: GrainRow, region: RegionRow) {
        for &member in self.members.of(region) {
            if !self.depth[member].is_set() {
                self.depth[member] = self.depth[task];
                self.heir[member] = Heir::team(region);
            }
        }
    }

    pub fn leave_region(&mut self, task: GrainRow, region: RegionRow) {
        let mut deepest = Deepest::own(self.depth[task]);
        for &member in self.members.of(region) {
            if self.stages.of(member) == Stage::Complete {
                deepest.take(self.depth[member], Point::end_of(member));
            }
        }
        if let Some(mut team) = self.teams.remove(&region) {
            self.left.clear();
            team.leftovers.take(&mut self.stages, &self.out.joined_by, |_| true, &mut self.left);
            for &left in &self.left {
                self.out.left_to_region.push((left, region));
                deepest.take(self.depth[left], Point::end_of(left));
            }
        }
        self.depth[task] = deepest.depth;
        self.out.region_from[region] = deepest.from;
    }

    /// A member has come to a barrier; other joins are looked at when they are over.
    pub fn arrive(&mut self, at: usize, row: WaitRow) {
        let frame = &self.frames[at];
        let kind = self.all.waits[row].kind;
        let region = self.all.member_of[frame.task].filter(|_| kind.is_barrier());
        let Some(region) = region else { return };
        let point = Point { grain: Some(frame.grain()), item: frame.at };
        self.teams.entry(region).or_default().arrived.push((frame.task, row, point));
    }

    pub fn leave_barrier(&mut self, at: usize, row: WaitRow) {
        let task = self.frames[at].task;
        let Some(region) = self.all.member_of[task] else { return };
        let team = self.teams.entry(region).or_default();
        let left = self.frames[at].barriers;
        self.frames[at].barriers += 1;
        if left >= team.over {
            self.end_barrier(region, left + 1);
        }
        let last = self.teams.get(&region).and_then(|team| team.last);
        let Some(last) = last else { return };
        let own = &mut self.depth[task];
        if last.depth.run > own.run {
            own.run = last.depth.run;
            self.out.wait_from[row] = last.from;
        }
        own.any = own.any.max(last.depth.any);
    }

    fn end_barrier(&mut self, region: RegionRow, over: u32) {
        let Some(team) = self.teams.get_mut(&region) else { return };
        let arrived = std::mem::take(&mut team.arrived);
        let mut leftovers = std::mem::take(&mut team.leftovers);
        let barrier = BarrierRow::of_number(self.out.barriers);
        self.out.barriers += 1;
        let mut deepest = Deepest::own(Depth::ZERO);
        for &(member, row, point) in &arrived {
            self.out.barrier_of[row] = Some(barrier);
            deepest.take(self.depth[member], point);
            self.joined.clear();
            self.left.clear();
            if let Some(at) = self.stages.frame(member) {
                self.take_ended(at, Ticks(u64::MAX), true);
            }
            leftovers.take(&mut self.stages, &self.out.joined_by, |_| true, &mut self.left);
            self.join_taken(row, &mut deepest);
        }
        if let Some(team) = self.teams.get_mut(&region) {
            team.leftovers.append(leftovers, &mut self.stages);
            (team.over, team.last) = (over, Some(deepest));
        }
    }
}
