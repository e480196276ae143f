// SPDX-License-Identifier: Apache-2.0
//! What ran where samples were taken: the grain, and for serial parts the region that follows.

use crate::tables::GrainKind;
use crate::ticks::Ticks;
use crate::{GrainRow, PlaceRow, Profile};

/// For each of the profile's samples, the grain that its thread ran then. `None`: it ran none, but
/// waited, or did the runtime's work.
pub fn grains_of_samples(profile: &Profile) -> Vec<Option<GrainRow>> {
    let hits = &profile.samples.hits;
    if hits.is_empty() {
        return Vec::new();
    }
    let ran = Ran::of(profile);
    hits.iter().map(|hit| ran.grain_at(profile, hit.worker, hit.at)).collect()
}

/// The serial parts of a program are between its outermost regions. Each is known by the region
/// that follows, the last one by the region before.
pub struct SerialParts {
    begins: Vec<(Ticks, Option<PlaceRow>)>,
}

impl SerialParts {
    pub fn of(profile: &Profile) -> Self {
        let outermost = profile.regions.iter().filter(|region| region.level <= 1);
        let mut begins: Vec<_> = outermost.map(|region| (region.begin, region.place)).collect();
        begins.sort_by_key(|begin| begin.0);
        Self { begins }
    }

    /// The place of the region by which the serial part at this instant is known.
    pub fn place_at(&self, at: Ticks) -> Option<PlaceRow> {
        let next = self.begins.partition_point(|begin| begin.0 <= at);
        self.begins.get(next).or(self.begins.last()).and_then(|begin| begin.1)
    }
}

/// Whether a grain is outside of all parallel regions.
pub fn is_serial(profile: &Profile, grain: GrainRow) -> bool {
    profile.grains.kind[grain] == GrainKind::Initial
}

/// The fragments of each worker.
struct Ran {
    /// Rows of the fragments, by worker and then by start.
    rows: Vec<u32>,
    /// For each worker: where its rows begin. One more at the end.
    begins: Vec<usize>,
}

impl Ran {
    fn of(profile: &Profile) -> Self {
        let fragments = &profile.fragments;
        let worker = |row: u32| profile.grains.worker[fragments.grain[row as usize]];
        let mut rows: Vec<u32> = (0..fragments.grain.len() as u32).collect();
        rows.sort_by_key(|&row| (worker(row), fragments.start(row)));
        let workers = rows.last().map_or(0, |&row| usize::from(worker(row)) + 1);
        let begin = |number: usize| rows.partition_point(|&row| usize::from(worker(row)) < number);
        let begins = (0..=workers).map(begin).collect();
        Self { rows, begins }
    }

    fn grain_at(&self, profile: &Profile, worker: u16, at: Ticks) -> Option<GrainRow> {
        let fragments = &profile.fragments;
        let number = usize::from(worker);
        let rows = &self.rows[*self.begins.get(number)?..*self.begins.get(number + 1)?];
        let after = rows.partition_point(|&row| fragments.start(row) <= at);
        let row = rows[after.checked_sub(1)?] as usize;
        (at < fragments.end(row as u32)).then(|| fragments.grain[row])
    }
}
