// SPDX-License-Identifier: Apache-2.0
//! Finds grains by their site and by their costs, for pages that do not contain all grains.

use std::cmp::Ordering;

use grains::{flag, Column, GrainRow, Grains, Profile};
use serde::Serialize;

use super::tree::Tree;

/// The largest number of grains in one answer.
pub const MOST: usize = 200;

/// The order of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    Work,
    Wait,
    /// The lowest benefit first; only grains with low benefit.
    Benefit,
    /// The order of the numbers.
    Number,
}

impl By {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "work" => Self::Work,
            "wait" => Self::Wait,
            "benefit" => Self::Benefit,
            "number" => Self::Number,
            _ => return None,
        })
    }
}

#[derive(Serialize)]
pub struct Found {
    /// The number of all grains from which the list is taken.
    pub total: usize,
    /// How many of these grains come before the first listed grain.
    pub before: usize,
    pub grains: Vec<FoundGrain>,
}

#[derive(Serialize)]
pub struct FoundGrain {
    pub number: u32,
    pub site: u32,
    pub worker: u16,
    pub start: f64,
    pub work: f64,
    pub wait: f64,
    /// Null: the grain has no benefit.
    pub benefit: f32,
}

/// Which grains are looked for.
pub struct Search<'a> {
    pub profile: &'a Profile,
    pub tree: &'a Tree,
    pub site_of: &'a Column<Grains, u32>,
    /// `None`: grains of any site.
    pub site: Option<u32>,
    pub by: By,
}

impl Search<'_> {
    /// Returns the first `most` grains. If they are ordered by number, the list begins with the
    /// number `from`.
    pub fn find(&self, from: u32, most: usize) -> Found {
        let grains = &self.profile.grains;
        let wanted = |&grain: &GrainRow| {
            self.site.is_none_or(|site| self.site_of[grain] == site)
                && (self.by != By::Benefit || grains.has(grain, flag::LOW_BENEFIT))
        };
        let mut found: Vec<GrainRow> = self.tree.preorder.iter().copied().filter(wanted).collect();
        let total = found.len();
        let mut before = 0;
        let most = most.min(MOST);
        if self.by == By::Number {
            before = found.partition_point(|&grain| self.tree.position[grain] < from);
            found.drain(..before);
        } else if found.len() > most && most > 0 {
            found.select_nth_unstable_by(most - 1, |&a, &b| self.order(a, b));
        }
        found.truncate(most);
        found.sort_unstable_by(|&a, &b| self.order(a, b));
        Found { total, before, grains: found.into_iter().map(|grain| self.row(grain)).collect() }
    }

    fn order(&self, one: GrainRow, other: GrainRow) -> Ordering {
        let grains = &self.profile.grains;
        let first = match self.by {
            By::Work => grains.work.of(other).cmp(&grains.work.of(one)),
            By::Wait => grains.wait.of(other).cmp(&grains.wait.of(one)),
            By::Benefit => grains.benefit[one].total_cmp(&grains.benefit[other]),
            By::Number => Ordering::Equal,
        };
        first.then(self.tree.position[one].cmp(&self.tree.position[other]))
    }

    fn row(&self, grain: GrainRow) -> FoundGrain {
        let grains = &self.profile.grains;
        FoundGrain {
            number: self.tree.position[grain],
            site: self.site_of[grain],
            worker: grains.worker[grain],
            start: self.profile.ns(grains.start.of(grain)),
            work: self.profile.ns(grains.work.of(grain)),
            wait: self.profile.ns(grains.wait.of(grain)),
            benefit: grains.benefit[grain],
        }
    }
}
