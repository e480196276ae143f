// SPDX-License-Identifier: Apache-2.0
//! What each worker did, as slices that nest: for formats that draw a track for each worker.
//!
//! A slice is a grain's stay on its worker, or a fragment of it, a wait, a hold of a lock, the
//! creation of a task, a parallel region, or idleness. They are found by going through the
//! profile's tables, once for each stretch of time that has so many of them: memory does not grow
//! with their number. `workers` knows who ran what, `nest` sees to it that the slices of a worker
//! nest.

mod nest;
mod workers;

use std::io::Result;
use std::ops::Range;

use grains::{ItemKind, Profile, Ticks};

pub use nest::Event;
use nest::Nest;
use workers::Workers;

/// In the order in which they enclose each other, where they begin and end together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum What {
    /// A task or chunk from when its worker took it up until it left it; row of the grain.
    Stay,
    /// A parallel region, on the worker that met it; row of the region.
    Region,
    /// The creation of a task, with what ran in it at once, or a loop: chunks and the book-keeping
    /// between them; row of a grain that it made.
    Creation,
    /// Something else that is none of a grain's work; row of the grain.
    Runtime,
    /// Row of the hold.
    Hold,
    /// Row of the wait.
    Wait,
    /// The same of one in which the task left its stack to others.
    Departed,
    /// Row of the idleness.
    Idle,
    /// A fragment of a grain's execution; its item.
    Fragment,
}

impl What {
    fn is_grain(self) -> bool {
        matches!(self, Self::Stay | Self::Fragment)
    }

    /// Behind the end of what it began in. A task that has left its stack is elsewhere by then.
    fn goes_on(self) -> bool {
        self != Self::Departed
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    pub begin: Ticks,
    pub end: Ticks,
    pub what: What,
    pub row: u32,
}

/// What the slices of grains are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Fragments: what waits enclose is beside them.
    Fragments,
    /// Stays, with what is none of their work: what is left of them is their fragments.
    Stays,
}

pub struct Slices<'a> {
    profile: &'a Profile,
    workers: Workers,
    cut: Cut,
    /// From an instant to its bin.
    shift: u32,
    /// Waits that stand among the items of their tasks.
    joins: Bits,
}

/// A set of rows.
struct Bits(Vec<u64>);

impl Bits {
    fn of(rows: usize, members: impl Iterator<Item = u32>) -> Self {
        let mut bits = vec![0; rows.div_ceil(64)];
        members.for_each(|row| bits[row as usize / 64] |= 1 << (row % 64));
        Self(bits)
    }

    fn has(&self, row: u32) -> bool {
        self.0[row as usize / 64] & 1 << (row % 64) != 0
    }
}

/// So many are in memory at a time, more only where more begin within a bin.
const AT_A_TIME: u64 = 1 << 20;
/// The run is divided into so many at most.
const BINS: usize = 1 << 12;

impl<'a> Slices<'a> {
    pub fn of(profile: &'a Profile, cut: Cut) -> Self {
        let items = profile.items.kind.iter().zip(&profile.items.row);
        let joins = items.filter(|(&kind, _)| kind == ItemKind::Join).map(|(_, &row)| row);
        let joins = Bits::of(profile.waits.len(), joins);
        let shift = (u64::BITS - profile.wall.0.leading_zeros()).saturating_sub(BINS.ilog2());
        Self { profile, workers: Workers::of(profile), cut, shift, joins }
    }

    /// The numbers of the workers that did anything.
    pub fn workers(&self) -> Vec<u16> {
        let Profile { grains, waits, locks, idles, .. } = self.profile;
        let mut did = vec![false; 1 << 16];
        grains.worker.iter().for_each(|&worker| did[usize::from(worker)] = true);
        waits.iter().for_each(|wait| did[usize::from(wait.worker)] = true);
        locks.iter().for_each(|hold| did[usize::from(hold.worker)] = true);
        idles.iter().for_each(|idle| did[usize::from(idle.worker)] = true);
        (0..=u16::MAX).filter(|&worker| did[usize::from(worker)]).collect()
    }

    /// Calls `each` with what begins and ends on the worker, in order of time. The result is the
    /// number of slices that were left out, because too many lay above each other.
    pub fn of_worker(&self, worker: u16, mut each: impl FnMut(Event) -> Result<()>) -> Result<u64> {
        let mut nest = Nest::default();
        for (first, last) in self.windows(worker) {
            let mut found = Vec::new();
            self.scan(worker, (first, last), |slice| {
                if (first..=last).contains(&self.bin(slice.begin)) {
                    found.push(slice);
                }
            });
            found.sort_unstable_by_key(|slice| {
                (slice.begin, std::cmp::Reverse(slice.end), slice.what, slice.row)
            });
            found.into_iter().try_for_each(|slice| nest.begin(slice, &mut each))?;
        }
        nest.finish(&mut each)
    }

    fn bin(&self, at: Ticks) -> usize {
        ((at.0 >> self.shift) as usize).min(BINS - 1)
    }

    /// (first bin, last bin) of those that are taken together.
    fn windows(&self, worker: u16) -> Vec<(usize, usize)> {
        let mut counts = vec![0u64; BINS];
        self.scan(worker, (0, BINS - 1), |slice| counts[self.bin(slice.begin)] += 1);
        let mut windows: Vec<(usize, usize)> = Vec::new();
        let mut held = 0;
        for (bin, count) in counts.into_iter().enumerate() {
            match windows.last_mut() {
                Some(window) if held + count <= AT_A_TIME => (window.1, held) = (bin, held + count),
                _ => {
                    windows.push((bin, bin));
                    held = count;
                }
            }
        }
        windows
    }

    /// The slices of the worker, in the order of the tables: at least those that begin in these
    /// bins.
    fn scan(&self, worker: u16, (first, last): (usize, usize), mut put: impl FnMut(Slice)) {
        let (profile, grains) = (self.profile, &self.profile.grains);
        for grain in 0..grains.len() as u32 {
            let (start, end) = (grains.start[grain as usize], grains.end[grain as usize]);
            let is_within = self.bin(start) <= last && self.bin(end) >= first;
            if !is_within || !self.workers.may_have_run(profile, worker, grain) {
                continue;
            }
            match self.cut {
                Cut::Fragments => self.fragments(worker, grain, &mut put),
                Cut::Stays => self.stays(worker, grain, &mut put),
            }
        }
        for (row, wait) in (0..).zip(&profile.waits).filter(|(_, wait)| wait.worker == worker) {
            let what = if wait.departures > 0 { What::Departed } else { What::Wait };
            if self.cut == Cut::Fragments || what == What::Departed || !self.joins.has(row) {
                put(Slice { begin: wait.begin, end: wait.end, what, row });
            }
        }
        for (row, hold) in (0..).zip(&profile.locks).filter(|(_, hold)| hold.worker == worker) {
            put(Slice { begin: hold.had, end: hold.released(), what: What::Hold, row });
        }
        for (row, idle) in (0..).zip(&profile.idles).filter(|(_, idle)| idle.worker == worker) {
            put(Slice { begin: idle.start, end: idle.end, what: What::Idle, row });
        }
    }

    fn fragments(&self, worker: u16, grain: u32, put: &mut impl FnMut(Slice)) {
        let Profile { items, fragments, .. } = self.profile;
        for item in items.of(grain).filter(|&item| items.kind[item] == ItemKind::Fragment) {
            let row = items.row[item] as usize;
            let (begin, end) = (fragments.start[row], fragments.end[row]);
            if self.workers.at(self.profile, grain, begin) == worker {
                put(Slice { begin, end, what: What::Fragment, row: item as u32 });
            }
        }
    }

    fn stays(&self, worker: u16, grain: u32, put: &mut impl FnMut(Slice)) {
        let Profile { items, grains, fragments, .. } = self.profile;
        if is_never_run(self.profile, grain) {
            return;
        }
        self.workers.stays(self.profile, grain, |at, begin, end| {
            if at == worker {
                put(Slice { begin, end, what: What::Stay, row: grain });
            }
        });
        let mut begin = grains.start[grain as usize];
        let mut between = items.of(grain).start;
        for item in items.of(grain).filter(|&item| items.kind[item] == ItemKind::Fragment) {
            let fragment = items.row[item] as usize;
            self.gap(worker, grain, begin, fragments.start[fragment], between..item, put);
            (begin, between) = (fragments.end[fragment], item + 1);
        }
        let end = grains.end[grain as usize];
        self.gap(worker, grain, begin, end, between..items.of(grain).end, put);
    }

    /// What lies between two fragments of a grain, with the items there.
    fn gap(
        &self,
        worker: u16,
        grain: u32,
        begin: Ticks,
        end: Ticks,
        between: Range<usize>,
        put: &mut impl FnMut(Slice),
    ) {
        let (items, waits) = (&self.profile.items, &self.profile.waits);
        if begin >= end || self.workers.at(self.profile, grain, begin) != worker {
            return;
        }
        let first_of = |kind: ItemKind| between.clone().find(|&item| items.kind[item] == kind);
        let (what, row) = if let Some(item) = first_of(ItemKind::Region) {
            (What::Region, items.row[item])
        } else if let Some(item) = first_of(ItemKind::Fork).or_else(|| first_of(ItemKind::Chunk)) {
            (What::Creation, items.row[item])
        } else if let Some(item) = first_of(ItemKind::Join) {
            (What::Wait, items.row[item])
        } else {
            (What::Runtime, grain)
        };
        if what != What::Wait || waits[row as usize].departures == 0 {
            put(Slice { begin, end, what, row });
        }
    }
}

/// Cancelled before it began.
pub fn is_never_run(profile: &Profile, grain: u32) -> bool {
    profile.items.of(grain).is_empty() && profile.grains.has(grain, grains::flag::CANCELLED)
}
