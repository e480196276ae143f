// SPDX-License-Identifier: Apache-2.0
//! The longest paths through the graph, found by going through all fragments in the order of their
//! recorded times.
//!
//! The depth of a point is the length of the longest path to it: net work only, no creation, no
//! waits. A task's depth grows by its fragments; a fork passes it on to the child; a join, a lock
//! and the like raise it to that of what they follow. Two depths are kept: see
//! [`Depth`](depth::Depth).
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
//! The files: `depth` has points and their depths, `pass` what is kept, `frame` and `gathering`
//! what is open of tasks and teams, `forward` goes through the items of a task, `join` says what a
//! wait joins, `team` what a barrier and the end of a region do, `cross` has the edges of locks,
//! doacross loops and events.

mod cross;
mod depth;
mod forward;
mod frame;
mod gathering;
mod join;
mod pass;
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
    for task in 0..all.grains.tasks as u32 {
        pass.rest(task);
    }
    pass.out.span_any_schedule = pass.out.span_any_schedule.max(pass.cross.longest_lock(all));
    pass.out.hold_from = pass.cross.hold_from;
    pass.out.sink_from = pass.cross.sink_from;
    pass.out
}
