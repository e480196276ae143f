// SPDX-License-Identifier: Apache-2.0
//! Work that implicit tasks divide by their thread number: loops that the compiler has divided, and
//! work that programs divide by hand.
//!
//! The n-th shares of all members of a team behind the same barrier belong to the same work. A team
//! of another size divides this work anew, evenly, because the recording does not say which
//! iterations took how long. For the machine, such work is a loop with one piece for each thread;
//! its row lies behind the rows of the recorded loops.
//!
//! Work that one of several members did almost alone is not divided: it belongs to a `master`
//! construct or to a loop of one iteration. A recording on one thread cannot show this. Where the
//! compiler asks the runtime for the bounds of a loop, as Clang does, the number of iterations is
//! known, and no more threads than that get a share.

use std::collections::HashMap;

use crate::csr::Groups;
use crate::predict::spent::Spent;
use crate::tables::{GrainRow, Item, ItemKind, LoopRow, RegionRow};
use crate::{PlaceRow, Profile, Row};

/// The share of one member: consecutive items.
#[derive(Clone, Copy)]
pub(super) struct Share {
    pub loop_row: LoopRow,
    pub items: u32,
    /// What the member does alone before, in the body of a `single`.
    pub alone: u64,
}

/// What all members did of it.
pub(super) struct Divided {
    pub region: RegionRow,
    pub place: Option<PlaceRow>,
    /// If it is a loop whose iterations are known.
    pub iterations: Option<u64>,
    pub spent: Spent,
    /// The largest share of one member.
    most: u64,
}

/// A member that did this share of the work counts as having done it alone.
const ALONE: f64 = 0.9;

#[derive(Default)]
pub(super) struct Shares {
    /// By the first item.
    of_item: HashMap<u32, Share>,
    pub divided: Vec<Divided>,
}

impl Shares {
    pub fn of(profile: &Profile, members: &Groups<RegionRow, GrainRow>) -> Self {
        let mut this = Self::default();
        if profile.shares.is_empty() {
            return this;
        }
        for region in profile.regions.rows() {
            let mut rows = HashMap::new();
            for &member in members.of(region) {
                this.add_member(profile, region, member, &mut rows);
            }
        }
        let alone = |of: &Divided| {
            let of_several = members.of(of.region).len() > 1;
            of.iterations.is_none() && of_several && of.most as f64 > ALONE * of.spent.whole() as f64
        };
        let loops = profile.loops.len();
        let divided = &this.divided;
        this.of_item.retain(|_, share| !alone(&divided[share.loop_row.at() - loops]));
        this
    }

    /// `rows`: those of the region, by the barriers before them and their number behind the last.
    fn add_member(
        &mut self,
        profile: &Profile,
        region: RegionRow,
        member: GrainRow,
        rows: &mut HashMap<(u32, u32), usize>,
    ) {
        let items = &profile.items;
        let share_at = |item: usize| {
            let is_fragment = items.kind[item] == ItemKind::Fragment;
            let found = profile.shares.binary_search_by_key(&items.row[item], |share| share.fragment);
            found.ok().filter(|_| is_fragment).map(|at| profile.shares[at])
        };
        let (mut barriers, mut number) = (0, 0);
        let mut item = items.of(member).start;
        while item < items.of(member).end {
            let begin = item;
            let mut spent = Spent::default();
            let mut alone = 0;
            let mut iterations = None;
            while item < items.of(member).end {
                let Some(share) = share_at(item) else { break };
                iterations = iterations.max(share.iterations); // two loops may meet without a gap
                let row = items.row[item];
                let (work, slept) = (share.divided(&profile.fragments).0, profile.fragments.slept(row).0);
                alone += share.alone.0;
                spent += Spent { work, slept };
                item += 1;
            }
            if item == begin {
                let is_barrier =
                    matches!(items.at(item), Item::Join(wait) if profile.barrier_of[wait].is_some());
                if is_barrier {
                    (barriers, number) = (barriers + 1, 0);
                }
                item += 1;
                continue;
            }
            let row = *rows.entry((barriers, number)).or_insert_with(|| {
                let place = profile.grains.place[member];
                self.divided.push(Divided { region, place, iterations, spent: Spent::default(), most: 0 });
                self.divided.len() - 1
            });
            let divided = &mut self.divided[row];
            divided.spent += spent;
            divided.most = divided.most.max(spent.whole());
            let loop_row = Row::new(profile.loops.len() + row);
            self.of_item.insert(begin as u32, Share { loop_row, items: (item - begin) as u32, alone });
            number += 1;
        }
    }

    pub fn at(&self, item: u32) -> Option<Share> {
        self.of_item.get(&item).copied()
    }
}
