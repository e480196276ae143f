// SPDX-License-Identifier: Apache-2.0
//! The time line in tiles. A tile is a part of the run. Its length is the length of the run,
//! divided by a power of two. For each worker, the tile has the worker's fragments or, if these are
//! many, their sums in each of a fixed number of equal bins.

use std::ops::Range;

use grains::{flag, GrainRow, Grains, ItemKind, Profile, Ticks};
use rayon::prelude::*;
use serde::Serialize;

use super::columns::Column;
use super::part::GROUP;
use super::tree::Tree;

/// The largest number of rectangles of one worker in a tile.
pub const BINS: u32 = 256;
/// The finest level. If the run takes a day, a tile of this level is about a nanosecond.
pub const MAX_LEVEL: u32 = 46;
/// The most workers in one tile.
pub const MAX_WORKERS: u32 = 64;
const BLOCK: usize = 64;

/// The fragments of each worker, in order of time. They do not overlap.
pub struct TimeIndex {
    lanes: Vec<Lane>,
    /// For each fragment: whether it is on the critical path.
    critical: Vec<bool>,
}

struct Lane {
    /// Rows of fragments, by start.
    rows: Vec<u32>,
    /// For each [`BLOCK`] of fragments.
    blocks: Vec<Summary>,
    /// For each block, and for the end: the ticks that the fragments before it take.
    busy_before: Vec<u64>,
}

/// The combined properties of several fragments.
#[derive(Clone, Copy)]
struct Summary {
    longest: u32,
    worst: f32,
    critical: bool,
}

/// The requested tile.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub level: u32,
    pub tile: u64,
    pub bins: u32,
}

/// Columns, a row for each rectangle.
#[derive(Serialize, Default)]
pub struct Tile {
    pub worker: Column<u16>,
    pub start: Column<f64>,
    pub end: Column<f64>,
    /// The number of fragments that begin here; a fragment that began before the tile counts 0.
    pub count: Column<u32>,
    /// Nanoseconds of the tile in which the worker was in any of them.
    pub busy: Column<f64>,
    /// As in the view model; 3: several fragments.
    pub kind: Column<u8>,
    /// Number and site of the fragment's grain, or of the longest fragment's.
    pub number: Column<u32>,
    pub site: Column<u32>,
    pub worst: Column<f32>,
    pub critical: Column<u8>,
}

impl TimeIndex {
    pub fn of(profile: &Profile) -> Self {
        let fragments = &profile.fragments;
        let mut critical = vec![false; fragments.grain.len()];
        for (at, kind) in profile.items.kind.iter().enumerate() {
            if *kind == ItemKind::Fragment {
                critical[profile.items.row[at] as usize] = profile.items.is_critical(at);
            }
        }
        let mut rows = vec![Vec::new(); profile.workers as usize];
        for (row, &grain) in fragments.grain.iter().enumerate() {
            let worker = usize::from(profile.grains.worker[grain]);
            if fragments.end(row as u32) > fragments.start(row as u32) && worker < rows.len() {
                rows[worker].push(row as u32);
            }
        }
        let lanes = rows.into_iter().map(|rows| Lane::of(profile, rows, &critical)).collect();
        Self { lanes, critical }
    }

    /// A tile; `None`: there is no such tile.
    pub fn tile(&self, about: &About, place: Place, workers: Range<u32>) -> Option<Tile> {
        let wall = u128::from(about.profile.wall.0.max(1));
        let tiles = 1u64.checked_shl(place.level).filter(|_| place.level <= MAX_LEVEL)?;
        if place.tile >= tiles || place.bins == 0 || workers.len() > MAX_WORKERS as usize {
            return None;
        }
        // The border of two bins is rounded in the same way for both, so no time is lost between
        // tiles.
        let bins = u128::from(place.bins);
        let border = |bin: u128| {
            let all = u128::from(tiles) * bins;
            Ticks((wall * (u128::from(place.tile) * bins + bin) / all) as u64)
        };
        let mut borders: Vec<Ticks> = (0..=bins).map(border).collect();
        if place.tile + 1 == tiles {
            // An incomplete recording may have something after its end.
            *borders.last_mut()? = Ticks(u64::MAX);
        }
        let mut tile = Tile::default();
        for worker in workers {
            let lane = self.lanes.get(worker as usize)?;
            Scribe { index: self, about, lane, worker: worker as u16, out: &mut tile }.write(&borders);
        }
        Some(tile)
    }

    pub fn workers(&self) -> u32 {
        self.lanes.len() as u32
    }
}

impl Lane {
    fn of(profile: &Profile, mut rows: Vec<u32>, critical: &[bool]) -> Self {
        let fragments = &profile.fragments;
        rows.par_sort_unstable_by_key(|&row| fragments.start(row));
        let mut busy_before = vec![0];
        let mut busy = 0;
        for block in rows.chunks(BLOCK) {
            busy += block.iter().map(|&row| length(profile, row)).sum::<u64>();
            busy_before.push(busy);
        }
        let blocks = rows.par_chunks(BLOCK).filter_map(|block| summary(profile, critical, block)).collect();
        Self { rows, blocks, busy_before }
    }

    /// How many fragments begin before an instant.
    fn begun(&self, profile: &Profile, instant: Ticks) -> usize {
        self.rows.partition_point(|&row| profile.fragments.start(row) < instant)
    }

    /// The ticks before an instant for which the worker was in a fragment. `begun` fragments begin
    /// before the instant.
    fn busy(&self, profile: &Profile, begun: usize, instant: Ticks) -> u64 {
        let block = begun / BLOCK;
        let rest = &self.rows[block * BLOCK..begun];
        let all = self.busy_before[block] + rest.iter().map(|&row| length(profile, row)).sum::<u64>();
        let last = begun.checked_sub(1).map(|at| profile.fragments.end(self.rows[at]));
        all.saturating_sub(last.map_or(0, |end| end.0.saturating_sub(instant.0)))
    }

    fn summary(&self, profile: &Profile, critical: &[bool], range: Range<usize>) -> Option<Summary> {
        let whole = range.start.div_ceil(BLOCK)..range.end / BLOCK;
        if whole.is_empty() {
            return summary(profile, critical, &self.rows[range]);
        }
        let before = summary(profile, critical, &self.rows[range.start..whole.start * BLOCK]);
        let after = summary(profile, critical, &self.rows[whole.end * BLOCK..range.end]);
        let parts = before.into_iter().chain(self.blocks[whole].iter().copied()).chain(after);
        parts.reduce(|a, b| a.and(profile, b))
    }
}

fn length(profile: &Profile, row: u32) -> u64 {
    let row = row as usize;
    profile.fragments.end(row as u32).0.saturating_sub(profile.fragments.start(row as u32).0)
}

fn summary(profile: &Profile, critical: &[bool], rows: &[u32]) -> Option<Summary> {
    let one = |&row: &u32| Summary {
        longest: row,
        worst: worst_of(profile, profile.fragments.grain[row as usize]),
        critical: critical[row as usize],
    };
    rows.iter().map(one).reduce(|a, b| a.and(profile, b))
}

/// The benefit of a grain with low benefit, else NaN.
fn worst_of(profile: &Profile, grain: GrainRow) -> f32 {
    let grains = &profile.grains;
    if grains.has(grain, flag::LOW_BENEFIT) {
        grains.benefit[grain]
    } else {
        f32::NAN
    }
}

impl Summary {
    fn and(self, profile: &Profile, other: Self) -> Self {
        let is_longer = length(profile, other.longest) > length(profile, self.longest);
        Self {
            longest: if is_longer { other.longest } else { self.longest },
            worst: self.worst.min(other.worst), // of a number and NaN: the number
            critical: self.critical || other.critical,
        }
    }
}

/// The properties of grains that a tile shows.
pub struct About<'a> {
    pub profile: &'a Profile,
    pub tree: &'a Tree,
    pub site_of: &'a grains::Column<Grains, u32>,
}

/// Writes one worker's share of a tile.
struct Scribe<'a> {
    index: &'a TimeIndex,
    about: &'a About<'a>,
    lane: &'a Lane,
    worker: u16,
    out: &'a mut Tile,
}

impl Scribe<'_> {
    fn write(&mut self, borders: &[Ticks]) {
        let profile = self.about.profile;
        let begun: Vec<usize> = borders.iter().map(|&border| self.lane.begun(profile, border)).collect();
        let bins = borders.len() - 1;
        // The previous fragment may extend into the tile.
        let first = begun[0] - usize::from(self.reaches(begun[0], borders[0]));
        if begun[bins] - first <= bins {
            for at in first..begun[bins] {
                self.fragment(self.lane.rows[at], borders[0], borders[bins]);
            }
            return;
        }
        for bin in 0..bins {
            let (from, to) = (borders[bin], borders[bin + 1]);
            let first = begun[bin] - usize::from(self.reaches(begun[bin], from));
            let busy = |border: usize| self.lane.busy(profile, begun[border], borders[border]);
            let busy = busy(bin + 1).saturating_sub(busy(bin));
            let range = first..begun[bin + 1];
            let Some(summary) = self.lane.summary(profile, &self.index.critical, range) else { continue };
            let count = (begun[bin + 1] - begun[bin]) as u32;
            self.put(from, to.min(profile.wall.max(from)), count, busy, GROUP, &summary);
        }
    }

    /// Whether the last of the first `begun` fragments ends after an instant.
    fn reaches(&self, begun: usize, instant: Ticks) -> bool {
        let last = begun.checked_sub(1).map(|at| self.lane.rows[at] as usize);
        last.is_some_and(|row| self.about.profile.fragments.end(row as u32) > instant)
    }

    fn fragment(&mut self, row: u32, from: Ticks, to: Ticks) {
        let profile = self.about.profile;
        let (start, end) = (profile.fragments.start(row), profile.fragments.end(row));
        let kind = profile.grains.kind[profile.fragments.grain[row as usize]] as u8;
        let busy = end.min(to).0.saturating_sub(start.max(from).0);
        if let Some(summary) = summary(profile, &self.index.critical, &[row]) {
            self.put(start, end, u32::from(start >= from), busy, kind, &summary);
        }
    }

    fn put(&mut self, start: Ticks, end: Ticks, count: u32, busy: u64, kind: u8, summary: &Summary) {
        let About { profile, tree, site_of } = self.about;
        let grain = profile.fragments.grain[summary.longest as usize];
        self.out.worker.push(self.worker);
        self.out.start.push(profile.ns(start));
        self.out.end.push(profile.ns(end));
        self.out.count.push(count);
        self.out.busy.push(profile.ns(Ticks(busy)));
        self.out.kind.push(kind);
        self.out.number.push(tree.position[grain]);
        self.out.site.push(site_of[grain]);
        self.out.worst.push(summary.worst);
        self.out.critical.push(u8::from(summary.critical));
    }
}
