// SPDX-License-Identifier: Apache-2.0
//! Accounts for the workers' time: each instant of each worker is in one class.
//!
//! One sweep over the records of a worker (`sweep`) cuts its time, from 0 to the end of the
//! recording, into pieces. A piece in which the worker ran a grain, created a task or did the
//! book-keeping of a loop gets its class from that. The class of a lost piece (`lost`) depends on
//! the other workers: whether tasks were ready (`ready`), whether any task still ran, which worker
//! arrived last. So workers x wall = the sum of the classes + rest. No class is a remainder: the
//! rest is time that no record explains, or that two records claim at once.
//!
//! Sums are kept for the run, for each instance of a region, and for each place.

mod above;
mod claims;
mod crowd;
mod cuts;
mod facts;
mod held_up;
mod lanes;
mod lost;
mod net;
mod outside;
mod preparing;
mod ready;
mod sums;
mod sweep;

use std::collections::HashSet;

use rayon::prelude::*;

use crate::budget::lanes::Writer;
use crate::lengths::Lengths;
use crate::metrics::Inflation;
use crate::sparse::Sparse;
use crate::tables::{Grains, RegionInfo, RegionRow};
use crate::ticks::Ticks;
use crate::{Column, PlaceRow, Profile, Row};

pub use cuts::{Cut, Cuts, Spent};
pub(crate) use facts::members;
pub use facts::regions_of_tasks;
pub(crate) use held_up::{mean as mean_disturbance, Disturbed, HeldUp};
pub use lanes::{Detail, Lane, OverTime, Stretch};
pub use sums::{Class, Sums, CLASSES};

pub struct Budget {
    /// Workers, whether they recorded anything or not.
    pub workers: u32,
    pub wall: Ticks,
    pub total: Sums,
    pub regions: Column<RegionInfo, Sums>,
    pub outside: Sums,
    /// How much longer each region is for its disturbances, and the time outside of regions.
    pub(crate) held_up: Column<RegionInfo, HeldUp>,
    pub(crate) held_up_outside: HeldUp,
    /// By row of the place; the last one is of what has none.
    pub places: Vec<Sums>,
    /// Claimed by two records at once.
    pub conflicts: Ticks,
    /// The innermost region that each task ran in, by task row.
    pub region_of: Sparse<Grains, Option<RegionRow>>,
    /// By task row: from when it was ready and its worker free, until it ran.
    pub taken_after: Lengths<Grains>,
    /// With a baseline: see [`Budget::inflate`].
    pub inflation: Option<Inflation>,
}

impl Budget {
    pub fn of(profile: &Profile) -> Self {
        Self::with_lanes(profile, None).0
    }

    /// The budget, and what the workers did over time if that is asked for.
    pub fn over_time(profile: &Profile, detail: Detail) -> (Self, OverTime) {
        Self::with_lanes(profile, Some(detail))
    }

    fn with_lanes(profile: &Profile, detail: Option<Detail>) -> (Self, OverTime) {
        let facts = facts::Facts::of(profile);
        let above = above::Above::of(profile);
        let workers = sweep::Workers::of(profile, &above);
        let claims::Claimed { taken_after, gross } = claims::claims(&facts, &workers);
        let net = net::Net::of(profile, &above, gross);
        let ready = ready::Ready::of(&facts, &taken_after);
        let mut out = Self {
            workers: profile.workers,
            wall: profile.wall,
            total: Sums::default(),
            regions: Column::filled(Sums::default(), profile.regions.len()),
            outside: Sums::default(),
            held_up: Column::filled(HeldUp::default(), profile.regions.len()),
            held_up_outside: HeldUp::default(),
            places: vec![Sums::default(); profile.places.places.len() + 1],
            conflicts: Ticks::ZERO,
            region_of: Sparse::default(),
            taken_after: Lengths::default(),
            inflation: None,
        };
        let accounts =
            |worker, crowd| lost::Accounts::new(&facts, &ready, &net, workers.worker(worker), crowd);
        let crowd = (0 < profile.meta.processors && profile.meta.processors < profile.workers).then(|| {
            let wants = (0..workers.len()).into_par_iter();
            let wants = wants
                .map(|worker| workers.swept(worker, accounts(worker, None).note_wants()).finish().wants());
            let wants: Vec<_> = wants.flatten_iter().collect();
            crowd::Crowd::of(profile.meta.processors, wants.into_iter())
        });
        let lane = |worker| detail.map(|detail| Writer::new(worker, detail, profile.wall));
        let parts: Vec<_> = (0..workers.len())
            .into_par_iter()
            .map(|worker| {
                let accounts = accounts(worker, crowd.as_ref()).with_lane(lane(workers.stream(worker)));
                workers.swept(worker, accounts).finish()
            })
            .collect();
        let mut time = OverTime::default();
        for mut part in parts {
            out.add(&part);
            if let Some(lane) = part.take_lane() {
                time.add(lane);
            }
        }
        let seen: HashSet<u16> = time.lanes.iter().map(|lane| lane.worker).collect();
        for worker in (0..profile.workers as u16).filter(|worker| !seen.contains(worker)) {
            if let Some(lane) = lane(worker) {
                time.add(lane.outside(&facts.outside, profile.wall));
            }
        }
        time.lanes.sort_unstable_by_key(|lane| lane.worker);
        // A worker that recorded nothing was outside all the time.
        let silent = u64::from(profile.workers).saturating_sub(workers.len() as u64);
        for (class, time) in facts.outside.reasons(Ticks::ZERO, profile.wall) {
            let time = Ticks(time.0.saturating_mul(silent));
            out.total.add(class, time);
            out.outside.add(class, time);
            out.places[profile.places.places.len()].add(class, time);
        }
        out.region_of = facts.region_of;
        out.taken_after = taken_after;
        (out, time)
    }

    /// Workers x wall.
    pub fn whole(&self) -> Ticks {
        Ticks(self.wall.0.saturating_mul(u64::from(self.workers)))
    }

    /// What no class has, or two claim.
    pub fn rest(&self) -> Ticks {
        self.whole() - self.total.sum() + self.conflicts
    }

    pub fn of_region(&self, region: Option<RegionRow>) -> &Sums {
        self.regions.of(region).unwrap_or(&self.outside)
    }

    /// The sums of the place, or of everything without a place.
    pub fn of_place(&self, place: Option<PlaceRow>) -> &Sums {
        &self.places[place.map_or(self.places.len() - 1, Row::at)]
    }

    /// Takes what was more than in a baseline out of the work: of each place, and of each region in
    /// the proportion of what the place worked there.
    pub fn inflate(&mut self, profile: &Profile, inflation: Inflation) {
        let mut left = vec![0.0; inflation.places.len()];
        for (at, sums) in self.places.iter_mut().enumerate() {
            let work = profile.ns(sums.of(Class::Work));
            left[at] = (inflation.places[at].0 / work.max(f64::MIN_POSITIVE)).min(1.0);
            let moved = sums.inflate(left[at]);
            self.total.inflate_by(moved);
        }
        self.inflate_regions(profile, &left);
        self.inflation = Some(inflation);
    }

    fn inflate_regions(&mut self, profile: &Profile, share: &[f64]) {
        let grains = &profile.grains;
        for row in grains.rows() {
            let place = grains.place[row].map_or(share.len() - 1, Row::at);
            let inflated = Ticks((grains.work.of(row).0 as f64 * share[place]) as u64);
            if inflated == Ticks::ZERO {
                continue;
            }
            let region = self.region_of.of(grains.task_of(row)).copied().flatten();
            match self.regions.of_mut(region) {
                Some(sums) => sums.inflate_by(inflated),
                None => self.outside.inflate_by(inflated),
            }
        }
    }

    fn add(&mut self, part: &lost::Accounts) {
        self.total.add_all(&part.total);
        self.outside.add_all(&part.outside);
        self.conflicts += part.conflicts;
        self.held_up_outside.add(&part.outside);
        for ((sums, held_up), more) in self.regions.iter_mut().zip(self.held_up.iter_mut()).zip(&part.regions)
        {
            sums.add_all(more);
            held_up.add(more);
        }
        for (sums, more) in self.places.iter_mut().zip(&part.places) {
            sums.add_all(more);
        }
    }
}
