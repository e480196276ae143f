// SPDX-License-Identifier: Apache-2.0
//! What is open at a point of the walk, and what a join makes of it.
//!
//! The depth of a point is the length of the longest path to it: work only, no creation cost, no
//! waits. A fork passes its depth on to the child; a join takes the largest depth of what it joins:
//! - a taskwait the direct children, a dependence wait likewise;
//! - the end of a taskgroup the tasks created in it, and what their descendants left open;
//! - a barrier and the end of a region everything that the team has open.
//!
//! The trace does not say which children a dependence wait waits for. But what is joined has ended
//! by then: so every join but that of a taskgroup takes what is open *and* ended before the wait
//! did. A child that by chance ended earlier than it had to is joined too; then the span is an
//! upper bound. Recordings that do not say where taskgroups begin have their ends treated likewise.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::taskgroups::NO_GROUP;
use crate::ticks::Ticks;
use crate::NONE;

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

/// The largest depth of several points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    pub depth: Ticks,
    pub from: Point,
}

impl Deepest {
    /// A task's own depth: it wins a tie, so that paths stay in their task.
    pub fn own(depth: Ticks) -> Self {
        Self { depth, from: Point::NOWHERE }
    }

    pub fn take(&mut self, depth: Ticks, from: Point) {
        if depth > self.depth {
            *self = Self { depth, from };
        }
    }
}

/// An ended task that nothing has joined yet; the order is that of the ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ended {
    end: Ticks,
    depth: Ticks,
    grain: u32,
    /// Of what an ended task left open: that task.
    left_by: u32,
}

/// What one task has open: outside of taskgroups, and in each that it has open and that is not
/// empty, outermost first.
#[derive(Default)]
pub(crate) struct Open {
    outside: Bracket,
    groups: Vec<(u32, Bracket)>,
}

impl Open {
    /// `group` is the innermost taskgroup that the child was created in.
    pub fn add_child(&mut self, group: u32, grain: u32, end: Ticks, depth: Ticks) {
        self.bracket(group).children.push(Reverse(Ended { end, depth, grain, left_by: NONE }));
    }

    /// What a child created in `group` left open.
    pub fn add_leftover(&mut self, group: u32, leftover: Leftover) {
        if let Some(ended) = leftover.0 {
            self.bracket(group).leftovers.push(Reverse(ended));
        }
    }

    fn bracket(&mut self, group: u32) -> &mut Bracket {
        if group != NO_GROUP && self.groups.last().is_none_or(|&(innermost, _)| innermost < group) {
            self.groups.push((group, Bracket::default()));
        }
        match self.groups.last_mut() {
            Some((_, bracket)) if group != NO_GROUP => bracket,
            _ => &mut self.outside,
        }
    }

    /// Joins the children that ended by `by`, whatever group they are in.
    pub fn join_children(&mut self, by: Ticks, deepest: &mut Deepest, joined: &mut Joined) {
        for bracket in self.brackets() {
            bracket.join_children(by, deepest, joined);
        }
    }

    pub fn join_leftovers(&mut self, by: Ticks, deepest: &mut Deepest, joined: &mut Joined) {
        for bracket in self.brackets() {
            bracket.join_leftovers(by, deepest, joined);
        }
    }

    /// Joins all that was created in `group` and in groups inside it.
    pub fn join_group(&mut self, group: u32, deepest: &mut Deepest, joined: &mut Joined) {
        let first = self.groups.partition_point(|&(number, _)| number < group);
        for (_, mut bracket) in self.groups.drain(first..) {
            bracket.join_children(Ticks(u64::MAX), deepest, joined);
            bracket.join_leftovers(Ticks(u64::MAX), deepest, joined);
        }
    }

    fn brackets(&mut self) -> impl Iterator<Item = &mut Bracket> {
        std::iter::once(&mut self.outside).chain(self.groups.iter_mut().map(|(_, bracket)| bracket))
    }

    /// All that is open, as one entry: `task`, which had it open, has ended.
    pub fn leave(self, task: u32) -> Leftover {
        let brackets =
            std::iter::once(self.outside).chain(self.groups.into_iter().map(|(_, bracket)| bracket));
        let entries = brackets.flat_map(|bracket| bracket.children.into_iter().chain(bracket.leftovers));
        let all = entries.map(|entry| entry.0);
        let deepest =
            |a: Ended, b: Ended| Ended { end: a.end.max(b.end), ..if b.depth > a.depth { b } else { a } };
        Leftover(all.reduce(deepest).map(|ended| Ended { left_by: task, ..ended }))
    }
}

/// What one join has joined.
#[derive(Default)]
pub(crate) struct Joined {
    pub children: Vec<u32>,
    /// Ended tasks: what they had left open.
    pub left_by: Vec<u32>,
}

impl Joined {
    pub fn clear(&mut self) {
        self.children.clear();
        self.left_by.clear();
    }
}

#[derive(Default)]
struct Bracket {
    children: BinaryHeap<Reverse<Ended>>,
    /// What ended children left open: descendants, as one entry per child.
    leftovers: BinaryHeap<Reverse<Ended>>,
}

impl Bracket {
    fn join_children(&mut self, by: Ticks, deepest: &mut Deepest, joined: &mut Joined) {
        while let Some(child) = pop_ended(&mut self.children, by) {
            deepest.take(child.depth, Point::end_of(child.grain));
            joined.children.push(child.grain);
        }
    }

    fn join_leftovers(&mut self, by: Ticks, deepest: &mut Deepest, joined: &mut Joined) {
        while let Some(leftover) = pop_ended(&mut self.leftovers, by) {
            deepest.take(leftover.depth, Point::end_of(leftover.grain));
            joined.left_by.push(leftover.left_by);
        }
    }
}

fn pop_ended(heap: &mut BinaryHeap<Reverse<Ended>>, by: Ticks) -> Option<Ended> {
    if heap.peek()?.0.end > by {
        return None;
    }
    heap.pop().map(|entry| entry.0)
}

/// The deepest of what an ended task left open, with the latest end.
#[derive(Clone, Copy)]
pub(crate) struct Leftover(Option<Ended>);

impl Leftover {
    pub fn join(self, deepest: &mut Deepest) {
        if let Some(ended) = self.0 {
            deepest.take(ended.depth, Point::end_of(ended.grain));
        }
    }
}
