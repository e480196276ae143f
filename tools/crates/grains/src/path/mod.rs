// SPDX-License-Identifier: Apache-2.0
//! Finds the longest paths through the graph, by processing all fragments in the order of their
//! recorded times.
//!
//! The depth of a point is the length of the longest path to it: net work only, without creation
//! and waits. A task's depth grows by its fragments. A fork passes the depth on to the child. A
//! join, a lock and other incoming edges raise the depth to that of their predecessor. Two depths
//! are kept: see [`Depth`](depth::Depth).
//!
//! WHY THIS ORDER IS RIGHT. Every edge of the recorded graph leads from an action that had ended to
//! an action that continued afterwards. So in the order of the recorded times, all predecessors of
//! a point come before it, for every kind of edge, and one pass is enough. Two rules keep this true
//! if clocks are read a little early or late, or stand still:
//! - a task's own items are always processed in program order;
//! - an outgoing edge (a fork, a release, a fulfilment) is processed as soon as the item before it
//!   is done, that is, early; an incoming edge (a join, a lock) is processed when the fragment
//!   behind it ends, that is, late. The time that the edge itself took lies in between.
//!
//! So the source of an incoming edge was processed before, or is not in the recording; a missing
//! edge is left out. Every item is processed once and every task is joined once, so time is linear.
//! Each task takes 24 bytes and a bit, and a frame while it is open.
//!
//! The files: `depth` has points and their depths, `pass` the state that is kept, `stage` how far
//! each task is, `frame` and `gathering` the open tasks and teams, `heir` who takes over what they
//! leave; `forward` processes the items of a task; `join` determines what a wait joins, and `team`
//! what a barrier and the end of a region do; `cross` has the edges of locks, doacross loops and
//! events.

mod cross;
mod depth;
mod forward;
mod frame;
mod gathering;
mod heir;
mod join;
mod pass;
mod stage;
mod team;

use crate::assemble::Assembled;
use crate::order::{in_order, Step};
use crate::timeline::Timeline;

pub(crate) use depth::Point;
pub(crate) use pass::Longest;
use pass::Pass;

pub(crate) fn longest(all: &Assembled, timeline: &Timeline) -> Longest {
    let mut pass = Pass::new(all, timeline);
    in_order(&all.grains, timeline, |step| match step {
        Step::Fragment(row) => pass.fragment(row),
        Step::End(task) => pass.rest(task),
    });
    // Damaged recordings may have tasks without any step of their own.
    for task in all.grains.task_rows() {
        pass.rest(task);
    }
    pass.out.span_any_schedule = pass.out.span_any_schedule.max(pass.cross.longest_lock(all));
    pass.out.hold_from = pass.cross.hold_from;
    pass.out.sink_from = pass.cross.sink_from;
    pass.out
}
