// SPDX-License-Identifier: Apache-2.0
//! Stretches of workers' time from which a loss can be subtracted.

use crate::tables::{CallRow, GrainRow, WaitRow};
use crate::ticks::Ticks;

/// Whose time a stretch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whose {
    /// Row of the fragment.
    Fragment(u32),
    /// The creation, or the book-keeping, of this grain.
    Creation(GrainRow),
    /// Row of what the runtime did in another construct.
    Call(CallRow),
    /// No grain's: a region begins or ends. It stays in its class.
    ForkOrJoin,
    /// The recorder's, in the work of this grain.
    StallInWork(GrainRow),
    /// ... in the creation of this one.
    StallInCreation(GrainRow),
    /// ... in this one of the runtime's.
    StallInCall(CallRow),
    /// ... in this wait, where no task ran.
    StallInWait(WaitRow),
    /// ... in none of these.
    Apart(u32),
}

impl Whose {
    pub fn is_recorders(self) -> bool {
        !matches!(self, Self::Fragment(_) | Self::Creation(_) | Self::Call(_) | Self::ForkOrJoin)
    }
}

/// A stretch of a worker's time that a loss can be taken from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub worker: u16,
    pub begin: Ticks,
    pub end: Ticks,
    /// What of it is left to lose.
    pub net: Ticks,
    pub whose: Whose,
}
