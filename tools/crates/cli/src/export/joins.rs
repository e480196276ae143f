// SPDX-License-Identifier: Apache-2.0
//! Where each grain of the exported graph is joined.

use grains::{flag, GrainKind, ItemKind, Profile, NONE};

/// The item at which each grain is joined.
pub struct Joins(Vec<u32>);

impl Joins {
    pub fn of(profile: &Profile) -> Self {
        let item_of_wait = items_of_waits(profile);
        let left = leftovers(profile, &item_of_wait);
        let grains = &profile.grains;
        let own = |row: usize| {
            let joined_by = profile.joined_by.get(row).copied().unwrap_or(NONE);
            let parent = grains.parent[row];
            if joined_by != NONE {
                item_of_wait[joined_by as usize]
            } else if grains.kind[row] == GrainKind::Implicit || grains.has(row as u32, flag::INLINE) {
                profile.fork_item[row]
            } else if parent != NONE {
                left[parent as usize]
            } else {
                NONE
            }
        };
        Self((0..grains.len()).map(own).collect())
    }

    pub fn of_grain(&self, grain: u32) -> Option<u32> {
        Some(self.0[grain as usize]).filter(|&item| item != NONE)
    }
}

fn items_of_waits(profile: &Profile) -> Vec<u32> {
    let mut items = vec![NONE; profile.waits.len()];
    for (item, &kind) in profile.items.kind.iter().enumerate() {
        if kind == ItemKind::Join {
            items[profile.items.row[item] as usize] = item as u32;
        }
    }
    items
}

/// Of each grain: the item that joins what it left open when it ended. The end of a region joins
/// what its implicit tasks left.
fn leftovers(profile: &Profile, item_of_wait: &[u32]) -> Vec<u32> {
    let grains = &profile.grains;
    let left = |row: usize| match profile.left_joined_by.get(row) {
        Some(&wait) if wait != NONE => item_of_wait[wait as usize],
        _ if grains.kind[row] == GrainKind::Implicit => profile.fork_item[row],
        _ => NONE,
    };
    let heir = |row: usize| match grains.kind[row] {
        GrainKind::Implicit | GrainKind::Initial => NONE,
        _ => grains.parent[row],
    };
    let mut joins: Vec<u32> = (0..grains.len()).map(left).collect();
    let heirs: Vec<u32> = (0..grains.len()).map(heir).collect();
    inherit(&mut joins, &heirs);
    joins
}

/// What nothing joined is joined with what its parent left. Each chain of parents is walked once.
fn inherit(joins: &mut [u32], parent: &[u32]) {
    let mut known = vec![false; joins.len()];
    let mut path = Vec::new();
    for start in 0..joins.len() {
        let mut row = start;
        while !known[row] && joins[row] == NONE && parent[row] != NONE {
            path.push(row);
            row = parent[row] as usize;
        }
        known[row] = true;
        for child in path.drain(..) {
            joins[child] = joins[row];
            known[child] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_are_inherited_along_parents() {
        let mut joins = [NONE, 7, NONE, NONE, NONE];
        inherit(&mut joins, &[NONE, 0, 1, 2, 0]);
        assert_eq!(joins, [NONE, 7, 7, 7, NONE]);
    }
}
