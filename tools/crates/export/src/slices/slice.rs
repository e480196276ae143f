// SPDX-License-Identifier: Apache-2.0
//! A stretch of a worker's time, and what it did then.

use grains::Ticks;

/// In the order in which they enclose each other, where they begin and end together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum What {
    /// A task or chunk from when its worker took it up until it left it; row of the grain.
    Stay,
    /// A parallel region, on the worker that met it; row of the region.
    Region,
    /// The creation of a task, with what ran in it at once, or a loop: chunks and the book-keeping
    /// between them; row of a grain that it made.
    Creation,
    /// Something else that is none of a grain's work; row of the grain.
    Runtime,
    /// Row of the hold.
    Hold,
    /// Row of the wait.
    Wait,
    /// The same of one in which the task left its stack to others.
    Departed,
    /// Row of the idleness.
    Idle,
    /// A fragment of a grain's execution; its item.
    Fragment,
}

impl What {
    pub fn is_grain(self) -> bool {
        matches!(self, Self::Stay | Self::Fragment)
    }

    /// Behind the end of what it began in. A task that has left its stack is elsewhere by then.
    pub fn goes_on(self) -> bool {
        self != Self::Departed
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    pub begin: Ticks,
    pub end: Ticks,
    pub what: What,
    pub row: u32,
}
