// SPDX-License-Identifier: Apache-2.0
//! Where each grain of the exported graph is joined.

use grains::{flag, GrainKind, ItemKind, Profile, NONE};

/// The item at which each grain is joined.
pub struct Joins(Vec<u32>);

impl Joins {
    pub fn of(profile: &Profile) -> Self {
        let (of_wait, of_region) = items(profile);
        let grains = &profile.grains;
        let own = |row: usize| {
            let joined_by = profile.joined_by.get(row).copied().unwrap_or(NONE);
            let is_inline = || grains.has(row as u32, flag::INLINE);
            if joined_by != NONE {
                of_wait[joined_by as usize]
            } else if grains.kind[row] == GrainKind::Implicit || is_inline() {
                profile.fork_item[row]
            } else {
                NONE
            }
        };
        let mut joins: Vec<u32> = (0..grains.len()).map(own).collect();
        for &(task, region) in &profile.left_to_region {
            joins[task as usize] = of_region[region as usize];
        }
        Self(joins)
    }

    pub fn of_grain(&self, grain: u32) -> Option<u32> {
        Some(self.0[grain as usize]).filter(|&item| item != NONE)
    }
}

/// The item of each wait, and of each region.
fn items(profile: &Profile) -> (Vec<u32>, Vec<u32>) {
    let mut waits = vec![NONE; profile.waits.len()];
    let mut regions = vec![NONE; profile.regions.len()];
    for (item, (kind, &row)) in profile.items.kind.iter().zip(&profile.items.row).enumerate() {
        match kind {
            ItemKind::Join => waits[row as usize] = item as u32,
            ItemKind::Region => regions[row as usize] = item as u32,
            _ => {}
        }
    }
    (waits, regions)
}
