// SPDX-License-Identifier: Apache-2.0
//! Chooses the grains that a page shows one by one; the others are folded into groups.

use super::tree::Tree;

/// For each grain row whether it is shown: all, or those with the most work in their subtrees, so
/// many that they and the groups between them stay below `limit` rows. The parent of a shown grain
/// is shown.
pub fn shown(tree: &Tree, limit: usize) -> Vec<bool> {
    let grains = tree.preorder.len();
    if grains <= limit {
        return vec![true; grains];
    }
    // Every shown grain can have one group before each shown child, and one after the last: at most
    // two per shown grain.
    let keep = (limit / 3).max(1);
    let mut order: Vec<u32> = (0..grains as u32).collect();
    // A parent's subtree has no less work than its child's, and stands before it: the choice is
    // closed upwards.
    let key = |&at: &u32| (std::cmp::Reverse(tree.work[tree.preorder[at as usize] as usize]), at);
    order.select_nth_unstable_by_key(keep - 1, key);
    let mut shown = vec![false; grains];
    for &at in &order[..keep] {
        shown[tree.preorder[at as usize] as usize] = true;
    }
    shown
}
