// SPDX-License-Identifier: Apache-2.0
//! Where the workers' time went: each instant of each worker in one class.
//!
//! A worker's time from 0 to the end of the recording is cut into pieces by one sweep over what it
//! recorded (`sweep`). A piece in which it ran, created a task or kept a loop's books has its class
//! by that. A piece that it lost (`lost`) is looked at in the light of what the others did: were
//! tasks ready (`ready`), did any still run, who arrived last. So workers x wall = the sum of the
//! classes + rest. No class is a remainder: the rest is what no record explains, and what two
//! records claim at once.
//!
//! The sums stand for the run, for each instance of a region, and for each place.

mod above;
mod claims;
mod crowd;
mod lost;
mod net;
mod outside;
mod ready;
mod sums;
mod sweep;

use rayon::prelude::*;

use crate::csr::Groups;
use crate::metrics::Inflation;
use crate::tables::*;
use crate::ticks::Ticks;
use crate::{Profile, NONE};

pub use sums::{Class, Sums, CLASSES};

pub struct Budget {
    /// Workers, whether they recorded anything or not.
    pub workers: u32,
    pub wall: Ticks,
    pub total: Sums,
    /// By row of the region.
    pub regions: Vec<Sums>,
    pub outside: Sums,
    /// By row of the place; the last one is of what has none.
    pub places: Vec<Sums>,
    /// Claimed by two records at once.
    pub conflicts: Ticks,
    /// Row of the innermost region that each task ran in, by task row.
    pub region_of: Vec<u32>,
    /// By task row: from when it was ready and its worker free, until it ran.
    pub taken_after: Vec<Ticks>,
    /// With a baseline: see [`Inflation::take_from`].
    pub inflation: Option<Inflation>,
}

impl Budget {
    pub fn of(profile: &Profile) -> Self {
        let facts = lost::Facts::of(profile);
        let above = above::Above::of(profile);
        let workers = sweep::Workers::of(profile, &above);
        let mut net = net::Net::of(profile, &above);
        let claims = claims::claims(&facts, &workers, &mut net);
        let ready = ready::Ready::of(&facts, &claims);
        let mut out = Self {
            workers: profile.workers,
            wall: profile.wall,
            total: Sums::default(),
            regions: vec![Sums::default(); profile.regions.len()],
            outside: Sums::default(),
            places: vec![Sums::default(); profile.places.places.len() + 1],
            conflicts: Ticks::ZERO,
            region_of: Vec::new(),
            taken_after: Vec::new(),
            inflation: None,
        };
        let accounts =
            |worker, crowd| lost::Accounts::new(&facts, &ready, &net, workers.initial(worker), crowd);
        let crowd = (0 < profile.meta.processors && profile.meta.processors < profile.workers).then(|| {
            let wants = (0..workers.len()).into_par_iter();
            let wants =
                wants.map(|worker| workers.accounts(worker, accounts(worker, None).note_wants()).wants());
            let wants: Vec<_> = wants.flatten_iter().collect();
            crowd::Crowd::of(profile.meta.processors, wants.into_iter())
        });
        let parts: Vec<_> = (0..workers.len())
            .into_par_iter()
            .map(|worker| workers.accounts(worker, accounts(worker, crowd.as_ref())))
            .collect();
        for part in parts {
            out.add(part);
        }
        // A worker that recorded nothing was outside all the time.
        let silent = u64::from(profile.workers).saturating_sub(workers.len() as u64);
        for (class, time) in facts.outside.reasons(Ticks::ZERO, profile.wall) {
            let time = Ticks(time.0.saturating_mul(silent));
            out.total.add(class, time);
            out.outside.add(class, time);
            out.places[profile.places.places.len()].add(class, time);
        }
        out.region_of = facts.region_of;
        out.taken_after = claims;
        out
    }

    /// Workers x wall.
    pub fn whole(&self) -> Ticks {
        Ticks(self.wall.0.saturating_mul(u64::from(self.workers)))
    }

    /// What no class has, or two claim.
    pub fn rest(&self) -> Ticks {
        self.whole() - self.total.sum() + self.conflicts
    }

    pub fn of_region(&self, region: u32) -> &Sums {
        self.regions.get(region as usize).unwrap_or(&self.outside)
    }

    /// Of the place, or of what has none.
    pub fn of_place(&self, place: u32) -> &Sums {
        &self.places[(place as usize).min(self.places.len() - 1)]
    }

    fn add(&mut self, part: lost::Accounts) {
        self.total.add_all(&part.total);
        self.outside.add_all(&part.outside);
        self.conflicts += part.conflicts;
        for (sums, more) in self.regions.iter_mut().zip(&part.regions) {
            sums.add_all(more);
        }
        for (sums, more) in self.places.iter_mut().zip(&part.places) {
            sums.add_all(more);
        }
    }
}

/// The innermost region of each task: that of its implicit task.
pub(crate) fn regions_of_tasks(profile: &Profile) -> Vec<u32> {
    const OPEN: u32 = NONE - 1;
    let grains = &profile.grains;
    let mut region_of = vec![OPEN; grains.tasks];
    let mut path = Vec::new();
    for row in 0..grains.tasks as u32 {
        let mut at = row;
        let region = loop {
            if at as usize >= grains.tasks {
                match grains.parent.get(at as usize) {
                    Some(&owner) if at != NONE => at = owner, // a chunk's implicit task
                    _ => break NONE,
                }
                continue;
            }
            match grains.kind[at as usize] {
                _ if region_of[at as usize] != OPEN => break region_of[at as usize],
                GrainKind::Implicit => break profile.member_of[at as usize],
                GrainKind::Initial => break NONE,
                _ => {}
            }
            // Also the end of a circle, in a damaged trace.
            region_of[at as usize] = NONE;
            path.push(at);
            at = grains.parent[at as usize];
        };
        region_of[row as usize] = region;
        for task in path.drain(..) {
            region_of[task as usize] = region;
        }
    }
    region_of
}

/// The implicit tasks of each region.
pub(crate) fn members(profile: &Profile) -> Groups {
    Groups::new(profile.regions.len(), profile.member_of.iter().copied())
}
