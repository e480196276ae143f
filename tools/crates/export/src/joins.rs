// SPDX-License-Identifier: Apache-2.0
//! Where each grain of the exported graph is joined.

use grains::{flag, Column, GrainKind, GrainRow, Grains, Item, Profile, RegionInfo, WaitInfo, NONE};

/// The item at which each grain is joined.
pub struct Joins(Column<Grains, u32>);

impl Joins {
    pub fn of(profile: &Profile) -> Self {
        let (of_wait, of_region) = items(profile);
        let grains = &profile.grains;
        let own = |row: GrainRow| {
            let joined_by = profile.joined_by.of(Some(row)).copied().flatten();
            let is_inline = || grains.has(row, flag::INLINE);
            if let Some(wait) = joined_by {
                of_wait[wait]
            } else if grains.kind[row] == GrainKind::Implicit || is_inline() {
                profile.fork_item[row]
            } else {
                NONE
            }
        };
        let mut joins: Column<Grains, u32> = grains.rows().map(own).collect();
        for &(task, region) in &profile.left_to_region {
            joins[task] = of_region[region];
        }
        Self(joins)
    }

    pub fn of_grain(&self, grain: GrainRow) -> Option<u32> {
        Some(self.0[grain]).filter(|&item| item != NONE)
    }
}

/// The item of each wait, and of each region.
fn items(profile: &Profile) -> (Column<WaitInfo, u32>, Column<RegionInfo, u32>) {
    let mut waits = Column::filled(NONE, profile.waits.len());
    let mut regions = Column::filled(NONE, profile.regions.len());
    for (number, item) in (0..).zip(profile.items.iter()) {
        match item {
            Item::Join(row) => waits[row] = number,
            Item::Region(row) => regions[row] = number,
            _ => {}
        }
    }
    (waits, regions)
}
