// SPDX-License-Identifier: Apache-2.0
//! Ids of things that a worker creates: `stream << 48 | ordinal`, ordinals from 1, 0 = none.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
        pub struct $name(pub u64);

        impl $name {
            pub const NONE: Self = Self(0);

            pub const fn new(stream: u16, ordinal: u64) -> Self {
                Self((stream as u64) << 48 | (ordinal & crate::layout::MASK_48))
            }

            pub const fn is_none(self) -> bool {
                self.0 == 0
            }

            pub const fn stream(self) -> u16 {
                (self.0 >> 48) as u16
            }

            pub const fn ordinal(self) -> u64 {
                self.0 & crate::layout::MASK_48
            }
        }
    };
}

id!(
    /// A task, explicit or implicit.
    TaskId
);
id!(
    /// One instance of a parallel region.
    RegionId
);
id!(
    /// One instance of a work-sharing loop.
    LoopId
);
