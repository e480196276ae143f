// SPDX-License-Identifier: Apache-2.0
//! The CPU time that a thread had used at some instant.

use crate::ticks::Ticks;

/// What the thread of a stream had used at some instant.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    pub at: Ticks,
    pub cpu_ns: u64,
    /// For how long tasks had run on it.
    pub ran: Ticks,
    /// ... and the recorder had worked on it.
    pub stalled: Ticks,
    /// How often it had given its processor up and lost it, modulo 2^16, where that is known.
    pub switches: Option<(u16, u16)>,
    /// How often it had slept so far for a reason that is recorded.
    pub sleeps: u32,
    /// A thread has got the stream: it does not go on from the sample before.
    pub begins: bool,
    /// The kernel's id of the thread; 0: not known.
    pub thread: u32,
    /// The kernel has told when it was off its processor since the sample before.
    pub told: bool,
}
