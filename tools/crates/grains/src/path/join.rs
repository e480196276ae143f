// SPDX-License-Identifier: Apache-2.0
//! Determines which tasks a wait joins:
//! - A taskwait joins the task's own children.
//! - A taskwait with depend clauses joins the children that the recording names. Older recordings
//!   name none: there it joins the children that ended before the wait ended, which may be too
//!   many.
//! - The end of a taskgroup joins the tasks that were created in the group, and their descendants
//!   that are open. If the recording does not say where taskgroups begin, it joins the tasks that
//!   ended before the wait ended.
//! - A barrier joins all open tasks of the team (`team`).

use trace::WaitKind;

use super::depth::{Deepest, Point};
use super::frame::{Chain, Frame};
use super::heir::{Heir, Who};
use super::pass::Pass;
use super::stage::Stage;
use crate::roots::parent_task;
use crate::tables::{GrainRow, WaitRow};
use crate::taskgroups::NO_GROUP;
use crate::ticks::Ticks;

impl Pass<'_> {
    /// Who takes over what a child of `parent`, created in its taskgroup `group`, leaves open: the
    /// innermost taskgroup or team that it is in.
    pub fn heir_of(&self, parent: GrainRow, group: u32) -> Heir {
        if group != NO_GROUP {
            return Heir::group(group);
        }
        self.all.member_of[parent].map_or(self.heir[parent], Heir::team)
    }

    /// Adds to what the heir has taken over. An heir that has ended in a damaged recording is
    /// passed over.
    fn leave_to(&mut self, mut heir: Heir, chain: Chain) {
        while let Who::Group(group) = heir.who() {
            let owner = self.timeline.taskgroups.owner(group);
            if let Some(at) = self.stages.frame(owner) {
                return self.frames[at].bracket(group).leftovers.append(chain, &mut self.stages);
            }
            heir = self.heir[owner];
        }
        let chains = match heir.who() {
            Who::Team(region) => &mut self.teams.entry(region).or_default().leftovers,
            _ => &mut self.unclaimed,
        };
        chains.append(chain, &mut self.stages);
    }

    /// A task has ended that had these open.
    pub fn leave_open(&mut self, mut frame: Frame) {
        let mut all = Chain::default();
        for bracket in frame.brackets() {
            all.append(bracket.children, &mut self.stages);
            all.append(bracket.leftovers, &mut self.stages);
        }
        let task = frame.task;
        if let Some(region) = self.all.member_of[task] {
            return self.leave_to(Heir::team(region), all);
        }
        match self.place_of(task) {
            Some((at, group)) => self.frames[at].bracket(group).leftovers.append(all, &mut self.stages),
            None => self.leave_to(self.heir[task], all),
        }
    }

    /// Where the parent of `task`, if it has not ended, has it open: its frame and its taskgroup.
    fn place_of(&self, task: GrainRow) -> Option<(usize, u32)> {
        let parent = parent_task(&self.all.grains, task)?;
        self.open_frame(parent).zip(Some(self.timeline.taskgroups.of_task(task)))
    }

    pub fn add_completed(&mut self, task: GrainRow) {
        let mut alone = Chain::default();
        alone.push(task, &mut self.stages);
        match self.place_of(task) {
            Some((at, group)) => self.frames[at].bracket(group).children.append(alone, &mut self.stages),
            None => self.leave_to(self.heir[task], alone),
        }
    }

    pub fn leave_join(&mut self, at: usize, row: WaitRow) {
        let all = self.all;
        let wait = &all.waits[row];
        if self.is_of_team(self.frames[at].task, wait.kind) {
            return self.leave_barrier(at, row);
        }
        let group = self.timeline.taskgroups.of_wait(row);
        self.joined.clear();
        self.left.clear();
        if wait.kind == WaitKind::Depend && self.says_what_waits_for {
            self.take_named(row);
        } else if group != NO_GROUP {
            self.take_group(at, group);
        } else {
            let whole = wait.kind == WaitKind::Taskgroup || wait.kind.is_barrier();
            let exact = wait.kind == WaitKind::Taskwait;
            self.take_ended(at, if exact { Ticks(u64::MAX) } else { wait.end }, whole);
            if whole {
                self.take_unclaimed(wait.task, wait.end);
            }
        }
        let task = self.frames[at].task;
        let mut deepest = Deepest::own(self.depth[task]);
        self.join_taken(row, &mut deepest);
        self.depth[task] = deepest.depth;
        self.out.wait_from[row] = deepest.from;
    }

    /// The children that the recording says were waited for.
    fn take_named(&mut self, row: WaitRow) {
        let all = self.all;
        let wait = &all.waits[row];
        let deps = &all.wait_deps;
        let first = deps.partition_point(|dep| (dep.0, dep.1) < (wait.task, wait.begin));
        let of_wait = deps[first..].iter().take_while(|dep| dep.0 == wait.task && dep.1 <= wait.end);
        for &(_, _, predecessor) in of_wait {
            if self.stages.of(predecessor) == Stage::Complete && self.out.joined_by[predecessor].is_none() {
                self.joined.push(predecessor);
            }
        }
        self.joined.sort_unstable();
        self.joined.dedup();
    }

    fn take_group(&mut self, at: usize, group: u32) {
        let frame = &mut self.frames[at];
        let first = frame.groups.partition_point(|&(number, _)| number < group);
        for (_, mut bracket) in frame.groups.drain(first..) {
            bracket.children.take(&mut self.stages, &self.out.joined_by, |_| true, &mut self.joined);
            bracket.leftovers.take(&mut self.stages, &self.out.joined_by, |_| true, &mut self.left);
        }
    }

    /// What had ended by then: children, and if `whole` also what they left open.
    pub fn take_ended(&mut self, at: usize, by: Ticks, whole: bool) {
        let all = self.all;
        let ended = |task: GrainRow| all.grains.end.of(task) <= by;
        for bracket in self.frames[at].brackets() {
            bracket.children.take(&mut self.stages, &self.out.joined_by, ended, &mut self.joined);
            if whole {
                bracket.leftovers.take(&mut self.stages, &self.out.joined_by, ended, &mut self.left);
            }
        }
    }

    /// The tasks that ended by then and are left to the task's team, or to no team.
    fn take_unclaimed(&mut self, task: GrainRow, by: Ticks) {
        let all = self.all;
        let ended = |task: GrainRow| all.grains.end.of(task) <= by;
        let region = all.member_of[task].or(match self.heir[task].who() {
            Who::Team(region) => Some(region),
            _ => None,
        });
        let chain = match region.and_then(|region| self.teams.get_mut(&region)) {
            Some(team) => &mut team.leftovers,
            None => &mut self.unclaimed,
        };
        chain.take(&mut self.stages, &self.out.joined_by, ended, &mut self.left);
    }

    /// Joins what has been taken.
    pub fn join_taken(&mut self, row: WaitRow, deepest: &mut Deepest) {
        self.out.joined_at[row] = self.joined.len() as u32;
        for &child in &self.joined {
            self.out.joined_by_parent.set(child.at());
        }
        for &task in self.joined.iter().chain(&self.left) {
            self.out.joined_by[task] = Some(row);
            deepest.take(self.depth[task], Point::end_of(task));
        }
    }
}
