// SPDX-License-Identifier: Apache-2.0
//! Which nodes of the grain graph are on the critical path.

use grains::{ItemKind, Profile, NONE};

use super::nodes::Node;

pub struct Critical<'a> {
    profile: &'a Profile,
    barriers: Vec<bool>,
}

impl<'a> Critical<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let mut barriers = vec![false; profile.barriers as usize];
        let items = &profile.items;
        for (item, &kind) in items.kind.iter().enumerate() {
            let row = items.row[item] as usize;
            if kind == ItemKind::Join && profile.barrier_of[row] != NONE {
                barriers[profile.barrier_of[row] as usize] |= items.critical[item];
            }
        }
        Self { profile, barriers }
    }

    pub fn has(&self, node: Node) -> bool {
        match node {
            Node::Fragment(_, item) | Node::Fork(item) | Node::Join(item) | Node::Point(item) => {
                self.profile.items.critical[item]
            }
            Node::Barrier(number) => self.barriers[number as usize],
            Node::Start | Node::End => true,
        }
    }
}
