// SPDX-License-Identifier: Apache-2.0
//! Points of the graph, and the lengths of the longest paths to them.

use crate::tables::GrainRow;
use crate::ticks::Ticks;
use crate::NONE;

/// A point that the critical path may come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Point {
    pub grain: Option<GrainRow>,
    /// The path comes from the item before this one; [`NONE`]: from the grain's end.
    pub item: u32,
}

impl Point {
    pub const NOWHERE: Self = Self { grain: None, item: NONE };

    pub fn end_of(grain: GrainRow) -> Self {
        Self { grain: Some(grain), item: NONE }
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
    pub(super) const ZERO: Self = Self { run: Ticks::ZERO, any: Ticks::ZERO };
    /// The depth of a task that has not been forked yet.
    pub(super) const UNSET: Self = Self { run: Ticks(u64::MAX), any: Ticks(u64::MAX) };

    pub(super) fn is_set(self) -> bool {
        self != Self::UNSET
    }
}

/// The largest depth of several points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deepest {
    pub depth: Depth,
    /// Where the longest path as it ran comes from.
    pub from: Point,
}

impl Deepest {
    /// A task's own depth: it wins a tie, so that paths stay in their task.
    pub fn own(depth: Depth) -> Self {
        Self { depth, from: Point::NOWHERE }
    }

    pub fn take(&mut self, depth: Depth, from: Point) {
        if depth.run > self.depth.run {
            (self.depth.run, self.from) = (depth.run, from);
        }
        self.depth.any = self.depth.any.max(depth.any);
    }
}
