// SPDX-License-Identifier: Apache-2.0
//! Which nodes of the grain graph are on the critical path.

use grains::{flag, Barrier, Column, Item, Profile};

use super::nodes::Node;

pub struct Critical<'a> {
    profile: &'a Profile,
    barriers: Column<Barrier, bool>,
}

impl<'a> Critical<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let mut barriers = Column::filled(false, profile.barriers as usize);
        let items = &profile.items;
        for (at, item) in items.iter().enumerate() {
            let Item::Join(wait) = item else { continue };
            if let Some(barrier) = profile.barrier_of[wait] {
                barriers[barrier] |= items.is_critical(at);
            }
        }
        Self { profile, barriers }
    }

    pub fn has(&self, node: Node) -> bool {
        let items = &self.profile.items;
        match node {
            Node::Fragment(_, item)
            | Node::Fork(item)
            | Node::Join(item)
            | Node::Point(item)
            | Node::Bookkeeping(item) => items.is_critical(item),
            Node::LastBookkeeping(item) => items.is_critical(item) && items.is_critical(item + 1),
            Node::Grain(row) => self.profile.grains.has(row, flag::CRITICAL),
            Node::Barrier(barrier) => self.barriers[barrier],
            Node::Start | Node::End => true,
        }
    }
}
