// SPDX-License-Identifier: Apache-2.0
//! The longest paths through the graph, found by going through all fragments in the order of their
//! recorded times.
//!
//! The depth of a point is the length of the longest path to it: net work only, no creation, no
//! waits. A task's depth grows by its fragments; a fork passes it on to the child; a join, a lock
//! and the like raise it to that of what they follow. Two depths are kept (see [`Depth`]).
//!
//! WHY THIS ORDER IS RIGHT. What a program did, it did in time: an edge of the graph as it ran goes
//! from what was over to what went on afterwards. So the order of the recorded times is an order
//! in which all that a point depends on comes before it, whatever the kind of edge, and one pass is
//! enough. Two rules keep this true where clocks are read a little early or late, or stand still:
//! - a task's own items are gone through in program order, always;
//! - what leaves a task (a fork, a release, a fulfilment) is passed on as soon as the item before
//!   it is done, that is early; what comes in (a join, a lock) is looked at when the fragment behind
//!   it ends, that is late. In between lies the time which the edge itself took.
//!
//! What comes in has then been passed on, or is not in the recording; a missing edge is left out.
//! Every item is gone through once, every task joined once, so time is linear. Of each task 28
//! bytes are kept, and a frame while it is open.
//!
//! The files: `frame` has what is open, `forward` goes through the items of a task, `join` says
//! what a wait joins, `team` what a barrier and the end of a region do, `cross` has the edges of
//! locks, doacross loops and events.

mod cross;
mod forward;
mod frame;
mod join;
mod team;

use std::collections::HashMap;

use crate::assemble::Assembled;
use crate::csr::Groups;
use crate::order::{in_order, Step};
use crate::tables::*;
use crate::ticks::Ticks;
use crate::timeline::Timeline;
use crate::NONE;

use cross::Cross;
use frame::{Chain, Frame};
use team::Team;

/// A point that the critical path may come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Point {
    pub grain: u32,
    /// The path comes from the item before this one; [`NONE`]: from the grain's end.
    pub item: u32,
}

impl Point {
    pub const NOWHERE: Self = Self { grain: NONE, item: NONE };

    pub fn end_of(grain: u32) -> Self {
        Self { grain, item: NONE }
    }
}

/// Lengths of the longest paths to a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Depth {
    /// With chunks and holds of locks in the order in which they ran.
    pub run: Ticks,
    /// With the iterations of a loop beside each other (but for ordered and doacross loops), each
    /// as long as its chunk's mean, and without an order of the holds of a lock.
    pub any: Ticks,
}

impl Depth {
    const ZERO: Self = Self { run: Ticks::ZERO, any: Ticks::ZERO };
    /// Of a task that nothing has forked yet.
    const UNSET: Self = Self { run: Ticks(u64::MAX), any: Ticks(u64::MAX) };

    fn is_set(self) -> bool {
        self != Self::UNSET
    }
}

/// The largest depth of several points.
#[derive(Clone, Copy, Debug)]
struct Deepest {
    depth: Depth,
    /// Where the longest path as it ran comes from.
    from: Point,
}

impl Deepest {
    /// A task's own depth: it wins a tie, so that paths stay in their task.
    fn own(depth: Depth) -> Self {
        Self { depth, from: Point::NOWHERE }
    }

    fn take(&mut self, depth: Depth, from: Point) {
        if depth.run > self.depth.run {
            (self.depth.run, self.from) = (depth.run, from);
        }
        self.depth.any = self.depth.any.max(depth.any);
    }
}

/// What the pass finds.
pub(crate) struct Longest {
    /// Length of the longest path as it ran.
    pub span: Ticks,
    /// ... and whatever the schedule: see [`Depth::any`]. No lock's holds are left out of it.
    pub span_any_schedule: Ticks,
    /// Where the longest path as it ran ends.
    pub last: Point,
    /// Of each task: the predecessor that it had to wait for before its start, where the path
    /// through it is the longest.
    pub delayed_by: Vec<u32>,
    /// Of each wait: where the longest path into it comes from; nowhere: from the waiting task
    /// itself.
    pub wait_from: Vec<Point>,
    pub region_from: Vec<Point>,
    /// Of each hold of a lock, and of each doacross point.
    pub hold_from: Vec<Point>,
    pub sink_from: Vec<Point>,
    /// Where the path to the end of a task comes from its event's fulfilment.
    pub ended_by: HashMap<u32, Point>,
    /// Of each task: the wait that joined it; [`NONE`]: none did, it is inline, or a region's end
    /// did.
    pub joined_by: Vec<u32>,
    /// Tasks that only the end of a region joined, by its row.
    pub left_to_region: Vec<(u32, u32)>,
    /// Of each wait: the number of the team's barrier that it was at; [`NONE`]: it concerns one
    /// task alone.
    pub barrier_of: Vec<u32>,
    /// Number of those barriers.
    pub barriers: u32,
    /// Of each task: the mean time its parent spent at the join that took it, per sibling joined
    /// there. In ticks.
    pub sync_share: Vec<f32>,
}

/// Instead of the number of a frame: the body has ended, its event is not fulfilled yet.
const DETACHED: u32 = NONE - 2;
/// ... the task is complete.
const COMPLETE: u32 = NONE - 1;

struct Pass<'a> {
    all: &'a Assembled,
    timeline: &'a Timeline,
    members: Groups,
    predecessors: Groups,
    /// Of each task: where it is; before its beginning where it is forked.
    depth: Vec<Depth>,
    /// Of each task: its frame; [`NONE`]: it has not begun.
    frame_of: Vec<u32>,
    frames: Vec<Frame>,
    free: Vec<u32>,
    /// Of each task: the next one of the chain that it is in.
    next: Vec<u32>,
    /// Of each task: what takes it over where its parent leaves it open: see [`Pass::leftovers`].
    heir: Vec<u32>,
    /// What no team and no taskgroup takes over.
    unclaimed: Chain,
    teams: HashMap<u32, Team>,
    cross: Cross,
    /// The recording says which children a taskwait with depend clauses waits for.
    says_what_waits_for: bool,
    /// Tasks that may go on: what they waited for inside their creator has ended.
    ready: Vec<u32>,
    /// Tasks joined by the join that is being looked at; kept for its memory.
    joined: Vec<u32>,
    left: Vec<u32>,
    out: Longest,
}

pub(crate) fn longest(all: &Assembled, timeline: &Timeline) -> Longest {
    let mut pass = Pass::new(all, timeline);
    in_order(&all.grains, timeline, |step| match step {
        Step::Fragment(row) => pass.fragment(row),
        Step::End(task) => pass.rest(task),
    });
    // Damaged recordings may have tasks without any step of their own.
    for task in 0..all.grains.tasks as u32 {
        pass.rest(task);
    }
    pass.out.span_any_schedule = pass.out.span_any_schedule.max(pass.cross.longest_lock(all));
    pass.out.hold_from = pass.cross.hold_from;
    pass.out.sink_from = pass.cross.sink_from;
    pass.out
}

impl<'a> Pass<'a> {
    fn new(all: &'a Assembled, timeline: &'a Timeline) -> Self {
        let tasks = all.grains.tasks;
        Self {
            all,
            timeline,
            members: Groups::new(all.regions.len(), all.member_of.iter().copied()),
            predecessors: Groups::new(tasks, all.edges.iter().map(|edge| edge.1)),
            depth: vec![Depth::UNSET; tasks],
            frame_of: vec![NONE; tasks],
            frames: Vec::new(),
            free: Vec::new(),
            next: vec![NONE; tasks],
            heir: vec![NONE; tasks],
            unclaimed: Chain::default(),
            teams: HashMap::new(),
            cross: Cross::new(all),
            says_what_waits_for: all.costs.are_known() || !all.wait_deps.is_empty(),
            ready: Vec::new(),
            joined: Vec::new(),
            left: Vec::new(),
            out: Longest {
                span: Ticks::ZERO,
                span_any_schedule: Ticks::ZERO,
                last: Point::NOWHERE,
                delayed_by: vec![NONE; tasks],
                wait_from: vec![Point::NOWHERE; all.waits.len()],
                region_from: vec![Point::NOWHERE; all.regions.len()],
                hold_from: Vec::new(),
                sink_from: Vec::new(),
                ended_by: HashMap::new(),
                joined_by: vec![NONE; tasks],
                left_to_region: Vec::new(),
                barrier_of: vec![NONE; all.waits.len()],
                barriers: 0,
                sync_share: vec![0.0; tasks],
            },
        }
    }
}
