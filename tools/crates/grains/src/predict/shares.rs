// SPDX-License-Identifier: Apache-2.0
//! Work that implicit tasks divide by their thread number: loops that the compiler has shared out,
//! and what programs divide by hand.
//!
//! The n-th share of each member of a team belongs to the same work. A team of another size divides
//! it anew, evenly: which iterations took how long is not recorded. To the machine it is a loop
//! with one piece for each thread, whose row lies behind those of the recorded loops.

use std::collections::HashMap;

use crate::csr::Groups;
use crate::tables::*;
use crate::Profile;

/// Of one member: some items in a row.
#[derive(Clone, Copy)]
pub(super) struct Share {
    pub loop_row: u32,
    pub items: u32,
}

/// What all members did of it.
pub(super) struct Divided {
    pub region: u32,
    pub place: u32,
    pub ticks: u64,
}

#[derive(Default)]
pub(super) struct Shares {
    /// By the first item.
    of_item: HashMap<u32, Share>,
    pub divided: Vec<Divided>,
}

impl Shares {
    pub fn of(profile: &Profile, members: &Groups) -> Self {
        let mut this = Self::default();
        if profile.shares.is_empty() {
            return this;
        }
        for region in 0..profile.regions.len() as u32 {
            let first = this.divided.len();
            for &member in members.of(region) {
                this.add_member(profile, region, member, first);
            }
        }
        this
    }

    /// `first`: where the region's begin.
    fn add_member(&mut self, profile: &Profile, region: u32, member: u32, first: usize) {
        let items = &profile.items;
        let is_share = |item: usize| {
            items.kind[item] == ItemKind::Fragment && profile.shares.binary_search(&items.row[item]).is_ok()
        };
        let mut number = 0;
        let mut item = items.of(member).start;
        while item < items.of(member).end {
            let begin = item;
            let mut ticks = 0;
            while item < items.of(member).end && is_share(item) {
                ticks += profile.fragments.net(items.row[item]).0;
                item += 1;
            }
            if item == begin {
                item += 1;
                continue;
            }
            if first + number == self.divided.len() {
                let place = profile.grains.place[member as usize];
                self.divided.push(Divided { region, place, ticks: 0 });
            }
            self.divided[first + number].ticks += ticks;
            let loop_row = (profile.loops.len() + first + number) as u32;
            self.of_item.insert(begin as u32, Share { loop_row, items: (item - begin) as u32 });
            number += 1;
        }
    }

    pub fn at(&self, item: u32) -> Option<Share> {
        self.of_item.get(&item).copied()
    }
}
