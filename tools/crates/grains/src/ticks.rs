// SPDX-License-Identifier: Apache-2.0
//! Instants and durations in ticks of the time-stamp counter, instants since the start of the
//! recording.

pub use trace::Ticks;

/// The clocks of two processors are no further apart.
pub(crate) const MOST_SKEW: Ticks = Ticks(1 << 13);
