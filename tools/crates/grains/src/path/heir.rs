// SPDX-License-Identifier: Apache-2.0
//! Who takes over a task that its parent leaves open.

use crate::row::Row;
use crate::tables::RegionRow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Who {
    Nobody,
    /// The team of the region.
    Team(RegionRow),
    /// The taskgroup of this number.
    Group(u32),
}

/// A [`Who`] in four bytes: there is one for each task. Regions and taskgroups are fewer than
/// records, which are fewer than 2^30.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Heir(u32);

const _: () = assert!(size_of::<Heir>() == 4);

impl Heir {
    pub const NOBODY: Self = Self(0);

    pub fn team(region: RegionRow) -> Self {
        Self((region.number() + 1) << 1)
    }

    pub fn group(number: u32) -> Self {
        Self(number << 1 | 1)
    }

    pub fn who(self) -> Who {
        match (self.0 >> 1, self.0 & 1) {
            (0, 0) => Who::Nobody,
            (next, 0) => Who::Team(Row::of_number(next - 1)),
            (number, _) => Who::Group(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bytes_say_who_it_is() {
        assert_eq!(Heir::NOBODY.who(), Who::Nobody);
        for row in [0, 1, 1 << 30] {
            assert_eq!(Heir::team(Row::of_number(row)).who(), Who::Team(Row::of_number(row)));
            assert_eq!(Heir::group(row).who(), Who::Group(row));
        }
    }
}
