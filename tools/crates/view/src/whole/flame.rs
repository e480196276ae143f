// SPDX-License-Identifier: Apache-2.0
//! Work by path of creation: grains are one node if they, their creators, and all further creators
//! up to the root have the same sites.
//!
//! Grains are processed by depth, so a recursion with too many paths is cut at the same depth
//! everywhere: deeper grains count for their last creator that has a node. Only the nodes with most
//! work below them are kept. A node has no more work below it than its parent, so the kept nodes
//! form a connected tree.

use std::cmp::Reverse;
use std::collections::HashMap;

use grains::{GrainRow, Grains, Profile, Ticks, NONE};
use serde::Serialize;
use symbols::sites::Sites;

use crate::columns::Column;
use crate::tree::Tree;

/// The largest number of nodes during counting, and in the page.
const MOST: usize = 1 << 18;
const SHOWN: usize = 2_000;

/// One row per node; a node comes after the nodes above it.
#[derive(Serialize, Default)]
pub struct Flame {
    parent: Column<u32>,
    site: Column<u32>,
    /// The number of grains for which the node stands, and their work.
    count: Column<u32>,
    own_ns: Column<f64>,
    /// The work including that of all nodes below, also of nodes that are not kept.
    total_ns: Column<f64>,
    /// The number of nodes that are not kept.
    more: usize,
}

pub fn of(profile: &Profile, tree: &Tree, sites: &Sites) -> Flame {
    let mut paths = Paths::default();
    let mut node_of: grains::Column<Grains, u32> = grains::Column::filled(NONE, profile.grains.len());
    for grain in by_depth(profile, tree) {
        let above = profile.grains.parent[grain].map_or(NONE, |parent| node_of[parent]);
        let node = paths.node(above, sites.of_grain[grain]);
        paths.count[node as usize] += 1;
        paths.own[node as usize] += profile.grains.work.of(grain);
        node_of[grain] = node;
    }
    paths.kept(profile, SHOWN)
}

/// The rows of the grains: creators before the grains that they create, and in a recursion all
/// grains of one depth together.
fn by_depth(profile: &Profile, tree: &Tree) -> Vec<GrainRow> {
    let mut depth: grains::Column<Grains, u32> = grains::Column::filled(0, profile.grains.len());
    let mut order = tree.preorder.clone();
    for &grain in &tree.preorder {
        if let Some(parent) = profile.grains.parent[grain] {
            depth[grain] = depth[parent] + 1;
        }
    }
    order.sort_by_key(|&grain| depth[grain]);
    order
}

#[derive(Default)]
struct Paths {
    parent: Vec<u32>,
    site: Vec<u32>,
    count: Vec<u32>,
    own: Vec<Ticks>,
    known: HashMap<(u32, u32), u32>,
}

impl Paths {
    fn node(&mut self, above: u32, site: u32) -> u32 {
        if let Some(&node) = self.known.get(&(above, site)) {
            return node;
        }
        if self.parent.len() >= MOST && above != NONE {
            return above;
        }
        let node = self.parent.len() as u32;
        self.parent.push(above);
        self.site.push(site);
        self.count.push(0);
        self.own.push(Ticks::ZERO);
        self.known.insert((above, site), node);
        node
    }

    fn totals(&self) -> Vec<Ticks> {
        let mut totals = self.own.clone();
        for node in (0..totals.len()).rev() {
            let parent = self.parent[node];
            if parent != NONE {
                let total = totals[node];
                totals[parent as usize] += total;
            }
        }
        totals
    }

    /// The `most` nodes with the most work, or all if there are fewer.
    fn kept(&self, profile: &Profile, most: usize) -> Flame {
        let totals = self.totals();
        let mut nodes: Vec<u32> = (0..totals.len() as u32).collect();
        nodes.sort_by_key(|&node| (Reverse(totals[node as usize]), node));
        nodes.truncate(most);
        nodes.sort_unstable();
        let mut flame = Flame { more: totals.len() - nodes.len(), ..Flame::default() };
        let mut row_of = vec![NONE; totals.len()];
        for (row, &node) in nodes.iter().enumerate() {
            let at = node as usize;
            row_of[at] = row as u32;
            let parent = self.parent[at];
            flame.parent.push(if parent == NONE { NONE } else { row_of[parent as usize] });
            flame.site.push(self.site[at]);
            flame.count.push(self.count[at]);
            flame.own_ns.push(profile.ns(self.own[at]));
            flame.total_ns.push(profile.ns(totals[at]));
        }
        flame
    }
}
