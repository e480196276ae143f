// SPDX-License-Identifier: Apache-2.0
//! Regions: regions of all threads, over which the members are distributed in turn, and nested
//! regions, whose members are tasks that end at each barrier.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::predict::task_graph::course::{Course, Phase, Within};
use crate::predict::task_graph::{Lines, Pending};
use crate::tables::{GrainRow, Item, LoopRow, RegionRow};
use crate::NONE;

impl Lines<'_> {
    pub(super) fn region_of_all(&mut self, course: &mut Course, region: RegionRow) {
        let number = self.regions;
        self.regions += 1;
        course.step(self.graph, 'r', number);
        let info = &self.graph.profile.regions[region];
        let team = self.graph.team(Some(region), self.threads).min(self.threads);
        let members = self.members(region);
        let mut parts: Vec<Vec<Phase>> = (0..self.threads).map(|_| Vec::new()).collect();
        let mut met: Vec<HashSet<LoopRow>> = vec![HashSet::new(); team as usize];
        for (at, member) in members.into_iter().enumerate() {
            let thread = at as u32 % team;
            let ends_at_loops = info.threads == 1 && team > 1;
            let within = Within { thread, team, member: true, ends_at_loops, serial: false };
            let mut course = Course::new();
            course.met = std::mem::take(&mut met[thread as usize]);
            self.walk(&mut course, member, within, false);
            course.write_work(self.graph);
            met[thread as usize] = course.met;
            add_phases(&mut parts[thread as usize], course.phases);
        }
        let phases = parts.iter().map(Vec::len).max().unwrap_or(0);
        for phase in 0..phases {
            self.take_part_in_all_loops(&mut parts[..team as usize], phase, &mut met);
        }
        for (thread, part) in parts.iter().enumerate() {
            let _ = write!(self.text, "region {number} thread {thread} :");
            for phase in 0..phases {
                let text = part.get(phase).map_or("", |phase| &phase.text);
                let _ = write!(self.text, "{}{text}", if phase > 0 { " b" } else { "" });
            }
            self.text.push('\n');
        }
    }

    /// Also those threads that had no chunk of a loop, or were not there.
    fn take_part_in_all_loops(&mut self, parts: &mut [Vec<Phase>], at: usize, met: &mut [HashSet<LoopRow>]) {
        let phases = parts.iter().filter_map(|part| part.get(at));
        let all: Vec<LoopRow> = phases.flat_map(|phase| phase.loops.iter().copied()).collect();
        let team = parts.len() as u32;
        for ((thread, part), met) in (0..).zip(parts).zip(met) {
            while part.len() <= at {
                part.push(Phase { barrier: NONE, ..Phase::default() });
            }
            let phase = &mut part[at];
            for &row in &all {
                if !met.insert(row) {
                    continue;
                }
                let within = Within { thread, team, ..Within::TASK };
                let mut course = Course::new();
                self.take_part(&mut course, row, within);
                phase.text.push_str(&course.into_text(self.graph));
            }
        }
    }

    /// The one of the thread that met the region comes first.
    fn members(&self, region: RegionRow) -> Vec<GrainRow> {
        let profile = self.graph.profile;
        let mut members = self.graph.members.of(region).to_vec();
        let parent = profile.regions[region].parent;
        let of = |task: GrainRow| profile.grains.worker[task];
        let own = parent.and_then(|parent| members.iter().position(|&member| of(member) == of(parent)));
        if let Some(own) = own {
            members.rotate_left(own);
        }
        members
    }

    pub(super) fn nested_region(&mut self, course: &mut Course, region: RegionRow, serial: bool) {
        let members = self.members(region);
        let within = Within { member: true, serial, ..Within::TASK };
        let end = self.graph.region_end(region);
        self.number_barriers(&members, end);
        let mut all: Vec<Vec<Phase>> = Vec::new();
        for &member in &members {
            let mut of_member = Course::new();
            self.walk(&mut of_member, member, within, false);
            of_member.write_work(self.graph);
            all.push(of_member.phases);
        }
        let phases = all.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..phases {
            let barrier = all.first().and_then(|phases| phases.get(at)).map_or(NONE, |phase| phase.barrier);
            let join = self.join(if barrier == NONE || at + 1 == phases { end } else { barrier });
            let mut texts =
                all.iter_mut().filter_map(|phases| phases.get_mut(at)).map(|p| std::mem::take(&mut p.text));
            let own = texts.next().unwrap_or_default();
            let others: Vec<String> = texts.collect();
            for text in others.into_iter().filter(|text| !text.is_empty()) {
                if serial {
                    course.write_work(self.graph);
                    course.last().text.push_str(&text);
                    continue;
                }
                let number = self.tasks;
                self.tasks += 1;
                course.step(self.graph, 'c', number);
                self.pending.push(Pending::Phase { number, join, text });
            }
            course.write_work(self.graph);
            course.last().text.push_str(&own);
            course.step(self.graph, 'j', join);
        }
    }

    /// Tasks that its barriers and its end wait for name them.
    fn number_barriers(&mut self, members: &[GrainRow], end: u32) {
        self.join(end);
        let items = &self.graph.profile.items;
        for item in members.iter().flat_map(|&member| items.of(member)) {
            if let Item::Join(wait) = items.at(item) {
                let join = self.graph.join_of_wait(wait);
                if self.graph.is_barrier(join) {
                    self.join(join);
                }
            }
        }
    }
}

/// Behind what the thread already does between the same barriers.
fn add_phases(to: &mut Vec<Phase>, phases: Vec<Phase>) {
    for (at, phase) in phases.into_iter().enumerate() {
        match to.get_mut(at) {
            Some(earlier) => {
                earlier.text.push_str(&phase.text);
                earlier.loops.extend(phase.loops);
            }
            None => to.push(phase),
        }
    }
}
