// SPDX-License-Identifier: Apache-2.0
//! The grains as a tree: preorder, and sums over subtrees.

use grains::{Column, Item, Profile, RegionInfo, NONE};

/// Grain rows in preorder, children in program order.
pub struct Tree {
    pub preorder: Vec<u32>,
    /// For each grain row: its position in `preorder`. Its subtree consists of the `size` grains
    /// from there.
    pub position: Vec<u32>,
    /// For each grain row: how many grains its subtree has, itself included.
    pub size: Vec<u32>,
    /// For each grain row: the work of its subtree, in ticks.
    pub work: Vec<u64>,
    /// Members of each region, in thread order of their rows.
    members: Column<RegionInfo, Vec<u32>>,
}

impl Tree {
    pub fn of(profile: &Profile) -> Self {
        let mut members = Column::filled(Vec::new(), profile.regions.len());
        for (row, &region) in profile.member_of.iter().enumerate() {
            if let Some(members) = members.of_mut(region) {
                members.push(row as u32);
            }
        }
        let mut tree = Self {
            preorder: Vec::with_capacity(profile.grains.len()),
            position: vec![0; profile.grains.len()],
            size: vec![1; profile.grains.len()],
            work: profile.grains.work.iter().map(|work| work.0).collect(),
            members,
        };
        tree.walk(profile);
        tree.sum(profile);
        tree
    }

    /// The grains that `item` begins: one for a fork or a chunk, the team for a region.
    pub fn begun_by(&self, profile: &Profile, item: usize, mut each: impl FnMut(u32)) {
        match profile.items.at(item) {
            Item::Fork(row) | Item::Chunk(row) if profile.fork_item[row as usize] == item as u32 => {
                each(row);
            }
            Item::Region(row) => {
                for &member in &self.members[row] {
                    if profile.fork_item[member as usize] == item as u32 {
                        each(member);
                    }
                }
            }
            _ => {}
        }
    }

    /// The number of grains in the subtree of the grain at a position of the preorder.
    pub fn size_of(&self, position: u32) -> u32 {
        self.size[self.preorder[position as usize] as usize]
    }

    /// The same; `None` beyond the last position.
    pub fn size_at(&self, position: u32) -> Option<u32> {
        self.preorder.get(position as usize).map(|&grain| self.size[grain as usize])
    }

    fn walk(&mut self, profile: &Profile) {
        let roots = (0..profile.grains.len() as u32).filter(|&row| profile.fork_item[row as usize] == NONE);
        let mut stack: Vec<u32> = roots.collect();
        stack.reverse();
        while let Some(grain) = stack.pop() {
            self.position[grain as usize] = self.preorder.len() as u32;
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
            let row = self.preorder[at] as usize;
            let parent = profile.grains.parent[row];
            if parent != NONE {
                self.size[parent as usize] += self.size[row];
                self.work[parent as usize] = self.work[parent as usize].saturating_add(self.work[row]);
            }
        }
    }
}
