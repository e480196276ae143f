// SPDX-License-Identifier: Apache-2.0
//! The grains as a tree: preorder, and sums over subtrees.

use grains::{Column, GrainRow, Grains, Item, Profile, RegionInfo, NONE};

/// Grain rows in preorder, children in program order.
pub struct Tree {
    pub preorder: Vec<GrainRow>,
    /// For each grain row: its position in `preorder`. Its subtree consists of the `size` grains
    /// from there.
    pub position: Column<Grains, u32>,
    /// For each grain row: how many grains its subtree has, itself included.
    pub size: Column<Grains, u32>,
    /// For each grain row: the work of its subtree, in ticks.
    pub work: Column<Grains, u64>,
    /// Members of each region, in thread order of their rows.
    members: Column<RegionInfo, Vec<GrainRow>>,
}

impl Tree {
    pub fn of(profile: &Profile) -> Self {
        let mut members = Column::filled(Vec::new(), profile.regions.len());
        for (row, &region) in profile.member_of.entries() {
            if let Some(members) = members.of_mut(region) {
                members.push(row);
            }
        }
        let mut tree = Self {
            preorder: Vec::with_capacity(profile.grains.len()),
            position: Column::filled(0, profile.grains.len()),
            size: Column::filled(1, profile.grains.len()),
            work: profile.grains.work.iter().map(|work| work.0).collect(),
            members,
        };
        tree.walk(profile);
        tree.sum(profile);
        tree
    }

    /// The grains that `item` begins: one for a fork or a chunk, the team for a region.
    pub fn begun_by(&self, profile: &Profile, item: usize, mut each: impl FnMut(GrainRow)) {
        match profile.items.at(item) {
            Item::Fork(row) | Item::Chunk(row) if profile.fork_item[row] == item as u32 => {
                each(row);
            }
            Item::Region(row) => {
                for &member in &self.members[row] {
                    if profile.fork_item[member] == item as u32 {
                        each(member);
                    }
                }
            }
            _ => {}
        }
    }

    /// The number of grains in the subtree of the grain at a position of the preorder.
    pub fn size_of(&self, position: u32) -> u32 {
        self.size[self.preorder[position as usize]]
    }

    /// The same; `None` beyond the last position.
    pub fn size_at(&self, position: u32) -> Option<u32> {
        self.preorder.get(position as usize).map(|&grain| self.size[grain])
    }

    fn walk(&mut self, profile: &Profile) {
        let roots = profile.grains.rows().filter(|&row| profile.fork_item[row] == NONE);
        let mut stack: Vec<GrainRow> = roots.collect();
        stack.reverse();
        while let Some(grain) = stack.pop() {
            self.position[grain] = self.preorder.len() as u32;
            self.preorder.push(grain);
            let first = stack.len();
            for item in profile.items.of(grain) {
                self.begun_by(profile, item, |child| stack.push(child));
            }
            stack[first..].reverse();
        }
    }

    fn sum(&mut self, profile: &Profile) {
        for at in (0..self.preorder.len()).rev() {
            let row = self.preorder[at];
            if let Some(parent) = profile.grains.parent[row] {
                let (size, work) = (self.size[row], self.work[row]);
                self.size[parent] += size;
                self.work[parent] = self.work[parent].saturating_add(work);
            }
        }
    }
}
