// SPDX-License-Identifier: Apache-2.0
//! The instances of regions, grouped by their construct.

use std::collections::HashMap;

use crate::budget::{Budget, Class, Sums};
use crate::tables::{RegionInfo, RegionRow};
use crate::{Column, PlaceRow, Profile};

pub struct Group {
    pub place: Option<PlaceRow>,
    pub regions: Vec<RegionRow>,
    /// Sum of their lengths, in ns.
    pub wall: f64,
    /// Mean number of threads, each region counted by its length.
    pub threads: f64,
    pub sums: Sums,
}

impl Group {
    pub(crate) fn ns(&self, profile: &Profile, class: Class) -> f64 {
        profile.ns(self.sums.of(class))
    }

    /// Its length without what recording cost its threads, and what they had no processor for: what
    /// a cure can gain is of that.
    pub(crate) fn own_wall(&self, profile: &Profile) -> f64 {
        let foreign = self.ns(profile, Class::Recorder) + self.ns(profile, Class::Descheduled);
        (self.wall - foreign / self.threads.max(1.0)).max(0.0)
    }

    /// The time of its threads that is neither lost nor the recorder's.
    pub(crate) fn busy(&self, profile: &Profile) -> f64 {
        self.ns(profile, Class::Work) + self.ns(profile, Class::Creation)
    }
}

/// The groups, and of each region the row of its group.
pub(crate) fn groups(profile: &Profile, budget: &Budget) -> (Vec<Group>, Column<RegionInfo, u32>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut rows: HashMap<Option<PlaceRow>, u32> = HashMap::new();
    let mut group_of = Column::default();
    for (row, region) in profile.regions.entries() {
        let group = *rows.entry(region.place).or_insert_with(|| {
            groups.push(Group {
                place: region.place,
                regions: Vec::new(),
                wall: 0.0,
                threads: 0.0,
                sums: Sums::default(),
            });
            groups.len() as u32 - 1
        });
        group_of.push(group);
        let group = &mut groups[group as usize];
        let length = profile.ns(region.end - region.begin);
        group.regions.push(row);
        group.wall += length;
        group.threads += length * f64::from(region.threads);
        group.sums.add_all(&budget.regions[row]);
    }
    for group in &mut groups {
        group.threads /= group.wall.max(1e-9);
    }
    (groups, group_of)
}
