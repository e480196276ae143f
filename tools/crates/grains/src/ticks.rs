// SPDX-License-Identifier: Apache-2.0
//! Instants and durations in ticks of the time-stamp counter, instants since the start of the
//! recording.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// Arithmetic saturates: a damaged trace may hold any number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Ticks(pub u64);

impl Ticks {
    pub const ZERO: Self = Self(0);
}

impl Add for Ticks {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Ticks {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Ticks {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Ticks {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::ZERO, Add::add)
    }
}

/// The clocks of two processors are no further apart.
pub(crate) const MOST_SKEW: Ticks = Ticks(1 << 13);
