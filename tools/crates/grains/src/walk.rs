// SPDX-License-Identifier: Apache-2.0
//! The walk that finds the longest path: every grain once, children where they are forked, as a
//! serial run of the program would. In that order all that a point depends on comes before it:
//! dependences run from older to younger siblings, and the members of a team advance together from
//! barrier to barrier. The stack is our own; its depth is that of the task tree.

use trace::WaitKind;

use crate::assemble::Assembled;
use crate::csr::Groups;
use crate::span::{Deepest, Joined, Open, Point};
use crate::tables::*;
use crate::taskgroups::NO_GROUP;
use crate::ticks::Ticks;
use crate::timeline::Timeline;
use crate::NONE;

/// What the walk finds.
pub(crate) struct Longest {
    /// Length of the longest path.
    pub span: Ticks,
    /// Where the longest path ends.
    pub last: Point,
    /// Of each task: the predecessor that it had to wait for before its start, where the path
    /// through it is the longest.
    pub delayed_by: Vec<u32>,
    /// Of each wait: where the longest path into it comes from; nowhere: from the waiting task
    /// itself.
    pub wait_from: Vec<Point>,
    pub region_from: Vec<Point>,
    /// Of each task: the wait of its parent that joined it; [`NONE`]: it was left to a later join
    /// of others, or is inline.
    pub joined_by: Vec<u32>,
    /// Of each task: the wait that joined what it left open when it ended; [`NONE`]: its parent
    /// left it open, too.
    pub left_joined_by: Vec<u32>,
    /// Of each wait: the number of the team's barrier that it was at; [`NONE`]: it concerns one
    /// task alone.
    pub barrier_of: Vec<u32>,
    /// Number of those barriers.
    pub barriers: u32,
    /// Of each task: the mean time its parent spent at the join that took it, per sibling joined
    /// there. In ticks.
    pub sync_share: Vec<f32>,
    /// Tasks that no initial task leads to.
    pub rootless: Vec<u32>,
}

/// A task being walked.
struct Frame {
    task: u32,
    at: u32,
    end: u32,
    /// Where the task goes on after the chunk it is in: (at, end, chunk).
    resume: Option<(u32, u32, u32)>,
    depth: Ticks,
    open: Open,
    /// One of the team below it on the stack.
    member: bool,
}

/// A region being walked: its members run from barrier to barrier.
struct Team {
    region: u32,
    ready: Vec<Frame>,
    /// Number of the barrier; [`NONE`] until a member arrives.
    barrier: u32,
    /// Members at the barrier, with their waits.
    arrived: Vec<(Frame, u32)>,
    /// Of those at the barrier and of what the team has open.
    deepest: Deepest,
    /// Of those that have ended.
    ended: Deepest,
}

enum Level {
    Task(Frame),
    Team(Team),
}

pub(crate) struct Walk<'a> {
    all: &'a Assembled,
    timeline: &'a Timeline,
    members: Groups,
    predecessors: Groups,
    /// Depth of the end of each task, or [`NOT_ENDED`].
    end_depth: Vec<Ticks>,
    visited: Vec<bool>,
    stack: Vec<Level>,
    joined: Joined,
    out: Longest,
}

const NOT_ENDED: Ticks = Ticks(u64::MAX);

pub(crate) fn walk(all: &Assembled, timeline: &Timeline) -> Longest {
    let tasks = all.grains.tasks;
    let mut walk = Walk {
        all,
        timeline,
        members: Groups::new(all.regions.len(), all.member_of.iter().copied()),
        predecessors: Groups::new(tasks, all.edges.iter().map(|edge| edge.1)),
        end_depth: vec![NOT_ENDED; tasks],
        visited: vec![false; tasks],
        stack: Vec::new(),
        joined: Joined::default(),
        out: Longest {
            span: Ticks::ZERO,
            last: Point::NOWHERE,
            delayed_by: vec![NONE; tasks],
            wait_from: vec![Point::NOWHERE; all.waits.len()],
            region_from: vec![Point::NOWHERE; all.regions.len()],
            joined_by: vec![NONE; tasks],
            left_joined_by: vec![NONE; tasks],
            barrier_of: vec![NONE; all.waits.len()],
            barriers: 0,
            sync_share: vec![0.0; tasks],
            rootless: Vec::new(),
        },
    };
    walk.roots();
    walk.out
}

impl Walk<'_> {
    fn roots(&mut self) {
        let is_root = |row: u32| self.all.grains.kind[row as usize] == GrainKind::Initial;
        let (initial, other): (Vec<u32>, Vec<u32>) =
            (0..self.visited.len() as u32).partition(|&row| is_root(row));
        for task in initial {
            self.root(task);
        }
        // First those that nothing forks, then those that only a circle of parents reaches.
        let (unforked, forked): (Vec<u32>, Vec<u32>) =
            other.into_iter().partition(|&row| self.timeline.fork_item[row as usize] == NONE);
        for task in unforked.into_iter().chain(forked) {
            if !self.visited[task as usize] {
                self.out.rootless.push(task);
                self.root(task);
            }
        }
    }

    fn root(&mut self, task: u32) {
        let Some(frame) = self.enter(task, Ticks::ZERO, false) else { return };
        self.stack.push(Level::Task(frame));
        while let Some(level) = self.stack.pop() {
            match level {
                Level::Task(frame) => self.advance_task(frame),
                Level::Team(team) => self.advance_team(team),
            }
        }
    }

    /// A frame for `task`, forked at `depth`; `None` if it was walked before (only in a damaged
    /// trace).
    fn enter(&mut self, task: u32, mut depth: Ticks, member: bool) -> Option<Frame> {
        if std::mem::replace(&mut self.visited[task as usize], true) {
            return None;
        }
        for &edge in self.predecessors.of(task) {
            let predecessor = self.all.edges[edge as usize].0;
            let ended = self.end_depth[predecessor as usize];
            if ended != NOT_ENDED && ended > depth {
                depth = ended;
                self.out.delayed_by[task as usize] = predecessor;
            }
        }
        let items = self.timeline.items.of(task);
        Some(Frame {
            task,
            at: items.start as u32,
            end: items.end as u32,
            resume: None,
            depth,
            open: Open::default(),
            member,
        })
    }

    /// Goes on with a task until it forks, is blocked at a team's barrier, or ends.
    fn advance_task(&mut self, mut frame: Frame) {
        loop {
            if frame.at == frame.end {
                match frame.resume.take() {
                    Some((at, end, _)) => (frame.at, frame.end) = (at, end),
                    None => return self.task_ended(frame),
                }
                continue;
            }
            let item = frame.at as usize;
            let row = self.timeline.items.row[item];
            frame.at += 1;
            match self.timeline.items.kind[item] {
                ItemKind::Fragment => frame.depth += self.fragment_length(row),
                ItemKind::Chunk => enter_chunk(&mut frame, self.timeline, row),
                ItemKind::Fork => {
                    if let Some(child) = self.enter(row, frame.depth, false) {
                        self.stack.push(Level::Task(frame));
                        return self.stack.push(Level::Task(child));
                    }
                }
                ItemKind::Region => {
                    let team = self.team(row, frame.depth);
                    self.stack.push(Level::Task(frame));
                    return self.stack.push(Level::Team(team));
                }
                ItemKind::Join if frame.member && self.all.waits[row as usize].kind.is_barrier() => {
                    return self.arrive(frame, row);
                }
                ItemKind::Join => self.join(&mut frame, row),
            }
        }
    }

    fn fragment_length(&self, row: u32) -> Ticks {
        let fragments = &self.timeline.fragments;
        fragments.end[row as usize] - fragments.start[row as usize]
    }

    /// A join that concerns one task alone.
    fn join(&mut self, frame: &mut Frame, row: u32) {
        let wait = &self.all.waits[row as usize];
        let group = self.timeline.taskgroups.of_wait(row);
        let mut deepest = Deepest::own(frame.depth);
        self.joined.clear();
        if group != NO_GROUP {
            frame.open.join_group(group, &mut deepest, &mut self.joined);
        } else {
            frame.open.join_children(wait.end, &mut deepest, &mut self.joined);
            if wait.kind == WaitKind::Taskgroup || wait.kind.is_barrier() {
                frame.open.join_leftovers(wait.end, &mut deepest, &mut self.joined);
            }
        }
        self.note_joined(row);
        frame.depth = deepest.depth;
        self.out.wait_from[row as usize] = deepest.from;
    }

    /// Shares what the worker lost to the wait among the children that it joined.
    fn note_joined(&mut self, row: u32) {
        let wait = &self.all.waits[row as usize];
        let share = wait.lost.0 as f32 / self.joined.children.len().max(1) as f32;
        for &child in &self.joined.children {
            self.out.sync_share[child as usize] = share;
            self.out.joined_by[child as usize] = row;
        }
        for &task in &self.joined.left_by {
            self.out.left_joined_by[task as usize] = row;
        }
    }

    fn team(&mut self, region: u32, depth: Ticks) -> Team {
        let members = self.members.of(region).to_vec();
        let mut ready: Vec<_> =
            members.into_iter().filter_map(|task| self.enter(task, depth, true)).collect();
        ready.reverse(); // taken from the back
        let nothing = Deepest::own(Ticks::ZERO);
        Team { region, ready, barrier: NONE, arrived: Vec::new(), deepest: nothing, ended: nothing }
    }

    fn arrive(&mut self, mut frame: Frame, row: u32) {
        let by = self.all.waits[row as usize].end;
        let Some(Level::Team(mut team)) = self.stack.pop() else { unreachable!("a member runs on its team") };
        // `at` is behind the barrier's item; the path comes from what stands before it.
        let grain = frame.resume.map_or(frame.task, |(_, _, chunk)| chunk);
        team.deepest.take(frame.depth, Point { grain, item: frame.at - 1 });
        self.joined.clear();
        frame.open.join_children(by, &mut team.deepest, &mut self.joined);
        frame.open.join_leftovers(by, &mut team.deepest, &mut self.joined);
        self.note_joined(row);
        if team.barrier == NONE {
            team.barrier = self.out.barriers;
            self.out.barriers += 1;
        }
        self.out.barrier_of[row as usize] = team.barrier;
        team.arrived.push((frame, row));
        self.stack.push(Level::Team(team));
    }

    fn advance_team(&mut self, mut team: Team) {
        if let Some(frame) = team.ready.pop() {
            self.stack.push(Level::Team(team));
            return self.stack.push(Level::Task(frame));
        }
        if team.arrived.is_empty() {
            return self.team_ended(&team);
        }
        let deepest = std::mem::replace(&mut team.deepest, Deepest::own(Ticks::ZERO));
        team.barrier = NONE;
        for (mut frame, row) in team.arrived.drain(..).rev() {
            if frame.depth < deepest.depth {
                frame.depth = deepest.depth;
                self.out.wait_from[row as usize] = deepest.from;
            }
            team.ready.push(frame);
        }
        self.stack.push(Level::Team(team));
    }

    fn team_ended(&mut self, team: &Team) {
        self.out.region_from[team.region as usize] = team.ended.from;
        if let Some(Level::Task(frame)) = self.stack.last_mut() {
            frame.depth = frame.depth.max(team.ended.depth);
        }
    }

    fn task_ended(&mut self, frame: Frame) {
        let row = frame.task as usize;
        self.end_depth[row] = frame.depth;
        let leftover = frame.open.leave(frame.task);
        let group = self.timeline.taskgroups.of_task(frame.task);
        match self.stack.last_mut() {
            Some(Level::Task(parent)) => {
                if self.all.grains.has(frame.task, flag::INLINE) {
                    // Its creator waited for it; its depth began with the creator's.
                    parent.depth = frame.depth;
                } else {
                    parent.open.add_child(group, frame.task, self.all.grains.end[row], frame.depth);
                }
                parent.open.add_leftover(group, leftover);
            }
            Some(Level::Team(team)) => {
                team.ended.take(frame.depth, Point::end_of(frame.task));
                leftover.join(&mut team.ended);
            }
            None => {
                let mut deepest = Deepest { depth: frame.depth, from: Point::end_of(frame.task) };
                leftover.join(&mut deepest);
                if deepest.depth > self.out.span || self.out.last == Point::NOWHERE {
                    (self.out.span, self.out.last) = (deepest.depth, deepest.from);
                }
            }
        }
    }
}

fn enter_chunk(frame: &mut Frame, timeline: &Timeline, chunk: u32) {
    let items = timeline.items.of(chunk);
    frame.resume = Some((frame.at, frame.end, chunk));
    (frame.at, frame.end) = (items.start as u32, items.end as u32);
}
