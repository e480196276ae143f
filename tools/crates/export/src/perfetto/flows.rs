// SPDX-License-Identifier: Apache-2.0
//! Arrows from the creation of a task to its run, and from there to the point where it is joined.
//! Each task has one flow, whose number is the task's row + 1.

use grains::{GrainKind, GrainRow, Item, ItemKind, Profile};

use crate::joins::Joins;

/// The largest number of arrows to a join: those of the joined tasks that ended last.
const MOST_INTO_A_JOIN: usize = 64;

pub struct Flows<'a> {
    profile: &'a Profile,
    joins: Joins,
    /// Grains that are joined, by the item that joins them and by their ends.
    by_join: Vec<GrainRow>,
}

/// The flows of one fragment.
#[derive(Default, PartialEq, Debug)]
pub struct Ends {
    pub through: Vec<u64>,
    pub into: Vec<u64>,
}

impl<'a> Flows<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let joins = Joins::of(profile);
        let is_joined = |grain: &GrainRow| {
            profile.grains.kind[*grain] != GrainKind::Chunk && joins.of_grain(*grain).is_some()
        };
        let mut by_join: Vec<GrainRow> = profile.grains.rows().filter(is_joined).collect();
        by_join.sort_unstable_by_key(|&grain| (joins.of_grain(grain), profile.grains.end.of(grain)));
        Self { profile, joins, by_join }
    }

    /// The flows that lead through the fragment of this item, and those that end there.
    pub fn at(&self, item: usize) -> Ends {
        let (items, fragments) = (&self.profile.items, &self.profile.fragments);
        let grain = fragments.grain[items.row[item] as usize];
        let is_fragment = |&item: &usize| items.kind[item] == ItemKind::Fragment;
        let own = items.of(grain);
        let next = (item + 1..own.end).find(is_fragment).unwrap_or(own.end);
        let last = (own.start..item).rev().find(is_fragment);
        let mut ends = Ends::default();
        let is_end = last.is_none() || next == own.end;
        if is_end && self.profile.grains.kind[grain] != GrainKind::Chunk {
            ends.through.push(number(grain));
        }
        for item in last.map_or(own.start, |last| last + 1)..item {
            let joined = self.joined(item);
            let last = &joined[joined.len().saturating_sub(MOST_INTO_A_JOIN)..];
            ends.into.extend(last.iter().map(|&row| number(row)));
        }
        for item in item + 1..next {
            match items.at(item) {
                Item::Fork(child) => ends.through.push(number(child)),
                Item::Region(_) => ends.through.extend(self.members(item).map(number)),
                _ => {}
            }
        }
        ends
    }

    /// The grains that the item joins.
    fn joined(&self, item: usize) -> &[GrainRow] {
        let of = |grain: &GrainRow| self.joins.of_grain(*grain).map_or(0, |item| item as usize);
        let from = self.by_join.partition_point(|grain| of(grain) < item);
        let count = self.by_join[from..].partition_point(|grain| of(grain) == item);
        &self.by_join[from..from + count]
    }

    /// The implicit tasks of the region.
    fn members(&self, item: usize) -> impl Iterator<Item = GrainRow> + '_ {
        let forked = move |grain: &GrainRow| self.profile.fork_item[*grain] as usize == item;
        self.joined(item).iter().copied().filter(forked)
    }
}

fn number(grain: GrainRow) -> u64 {
    u64::from(grain.number()) + 1
}
