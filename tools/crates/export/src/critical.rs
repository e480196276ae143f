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
        for (item, &critical) in items.iter().zip(&items.critical) {
            let Item::Join(wait) = item else { continue };
            if let Some(barrier) = profile.barrier_of[wait] {
                barriers[barrier] |= critical;
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
            | Node::Bookkeeping(item) => items.critical[item],
            Node::LastBookkeeping(item) => {
                items.critical[item] && items.critical.get(item + 1).is_some_and(|&critical| critical)
            }
            Node::Grain(row) => self.profile.grains.has(row, flag::CRITICAL),
            Node::Barrier(barrier) => self.barriers[barrier],
            Node::Start | Node::End => true,
        }
    }
}
