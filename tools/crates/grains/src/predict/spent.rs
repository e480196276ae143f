// SPDX-License-Identifier: Apache-2.0
//! The time of a piece of a program: on a processor, and asleep. In both, its worker does nothing
//! else.

use std::ops::{Add, AddAssign, Sub};

/// In ticks.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Spent {
    pub work: u64,
    pub slept: u64,
}

impl Spent {
    pub fn whole(self) -> u64 {
        self.work + self.slept
    }

    /// Both, changed in the same way.
    pub fn map(self, change: impl Fn(u64) -> u64) -> Self {
        Self { work: change(self.work), slept: change(self.slept) }
    }
}

impl Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (work, slept) = (self.work.saturating_add(other.work), self.slept.saturating_add(other.slept));
        Self { work, slept }
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Spent {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { work: self.work - other.work, slept: self.slept - other.slept }
    }
}
