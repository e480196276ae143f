// SPDX-License-Identifier: Apache-2.0
//! A stretch of a worker's time, and what it did then.

use grains::Ticks;

/// The kinds are in the order in which slices that begin and end together enclose each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum What {
    /// A task or chunk, from the time at which its worker began or continued it until the worker
    /// left it; row of the grain.
    Stay,
    /// A parallel region, on the encountering worker; row of the region.
    Region,
    /// The creation of a task, with the tasks that ran at once during it; or a loop, with its
    /// chunks and the book-keeping between them. Row of a grain that it made.
    Creation,
    /// Other time that is not a grain's work; row of the grain.
    Runtime,
    /// Row of the hold.
    Hold,
    /// Row of the wait.
    Wait,
    /// A wait in which the task left its stack to others; row of the wait.
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

    /// Whether the slice continues after the end of the slice in which it began. A task that has
    /// left its stack does not, because it may be on another worker by then.
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
