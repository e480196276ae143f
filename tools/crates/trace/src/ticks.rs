// SPDX-License-Identifier: Apache-2.0
//! Instants and durations in ticks of the time-stamp counter.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// A duration, or an instant since the start of the recording.
///
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

/// An instant as the time-stamp counter showed it: not counted from the start of the recording.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Stamp(pub u64);

impl Stamp {
    /// From `start` until this instant; nothing if this instant comes before `start`.
    pub fn since(self, start: Self) -> Ticks {
        Ticks(self.0.saturating_sub(start.0))
    }
}

/// Saturates: a damaged trace may hold any number.
impl Add<Ticks> for Stamp {
    type Output = Self;
    fn add(self, ticks: Ticks) -> Self {
        Self(self.0.saturating_add(ticks.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_before_the_start_count_as_the_start() {
        assert_eq!(Stamp(7).since(Stamp(9)), Ticks::ZERO);
        assert_eq!(Stamp(9).since(Stamp(7)), Ticks(2));
        assert_eq!(Stamp(u64::MAX) + Ticks(1), Stamp(u64::MAX));
    }
}
