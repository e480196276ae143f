// SPDX-License-Identifier: Apache-2.0
//! What each worker did, as slices that nest. Formats that draw a track for each worker use these
//! slices.
//!
//! A slice is a grain's stay on its worker (or a fragment of the grain), a wait, a hold of a lock,
//! the creation of a task, a parallel region, or idleness. The profile's tables are traversed
//! several times. Each pass collects at most a fixed number of slices. These are the slices of
//! several workers that together have at most this number of slices, or the slices of one worker in
//! a part of the time. So memory does not grow with the number of slices, and time does not grow
//! with the number of workers. `workers` says which worker ran each grain; `nest` makes the slices
//! of a worker nest.

mod bits;
mod nest;
mod slice;
mod workers;

use std::cmp::Reverse;
use std::io::Result;
use std::ops::{Range, RangeInclusive};

use grains::{GrainRow, Item, ItemKind, Profile, Row, Ticks};

use bits::Bits;
use nest::Nest;
use workers::Workers;

pub use nest::Event;
pub use slice::{Slice, What};

/// How the grains are divided into slices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// One slice for each fragment, so slices in a wait of the grain are beside its fragments.
    Fragments,
    /// One slice for each stay, which includes slices that are not the grain's work. The rest of
    /// the stay is its fragments.
    Stays,
}

pub struct Slices<'a> {
    profile: &'a Profile,
    workers: Workers,
    cut: Cut,
    /// The number of bits by which an instant is shifted to give its bin.
    shift: u32,
    /// Waits that are items of their tasks.
    joins: Bits,
    /// How many slices each worker has.
    counts: Vec<u64>,
    held: Held,
    /// The number of slices in memory at a time. It is exceeded only if more slices begin within
    /// one bin.
    at_a_time: u64,
}

/// The slices of some workers, worker by worker.
#[derive(Default)]
struct Held {
    /// The numbers of these workers.
    workers: Range<usize>,
    slices: Vec<(u16, Slice)>,
}

const AT_A_TIME: u64 = 1 << 20;
/// The run is divided into at most this number of bins.
const BINS: usize = 1 << 12;
const ALL_BINS: RangeInclusive<usize> = 0..=BINS - 1;
const ALL_WORKERS: RangeInclusive<u16> = 0..=u16::MAX;

impl<'a> Slices<'a> {
    pub fn of(profile: &'a Profile, cut: Cut) -> Self {
        let joins = profile.items.iter().filter_map(|item| match item {
            Item::Join(wait) => Some(wait.number()),
            _ => None,
        });
        let joins = Bits::of(profile.waits.len(), joins);
        let shift = (u64::BITS - profile.wall.0.leading_zeros()).saturating_sub(BINS.ilog2());
        let mut slices = Self {
            profile,
            workers: Workers::of(profile),
            cut,
            shift,
            joins,
            counts: Vec::new(),
            held: Held::default(),
            at_a_time: AT_A_TIME,
        };
        let mut counts = vec![0; usize::from(u16::MAX) + 1];
        slices.scan(ALL_WORKERS, ALL_BINS, |worker, _| counts[usize::from(worker)] += 1);
        slices.counts = counts;
        slices
    }

    /// The numbers of the workers that have any slices.
    pub fn workers(&self) -> Vec<u16> {
        let Profile { grains, waits, locks, idles, .. } = self.profile;
        let mut did = vec![false; 1 << 16];
        grains.worker.iter().for_each(|&worker| did[usize::from(worker)] = true);
        for wait in waits {
            did[usize::from(wait.worker)] = true;
        }
        for hold in locks {
            did[usize::from(hold.worker)] = true;
        }
        for idle in idles {
            did[usize::from(idle.worker)] = true;
        }
        (0..=u16::MAX).filter(|&worker| did[usize::from(worker)]).collect()
    }

    /// Calls `each` with each start and end of a slice on the worker, in the order of time. Returns
    /// the number of slices that were left out because too many slices were nested. It is fastest
    /// to call this in the order of the workers' numbers, because the slices of the next workers
    /// are found in the same pass.
    pub fn of_worker(&mut self, worker: u16, mut each: impl FnMut(Event) -> Result<()>) -> Result<u64> {
        let mut nest = Nest::default();
        if self.counts[usize::from(worker)] > self.at_a_time {
            for window in self.windows(worker) {
                let found = self.found(worker..=worker, window);
                found.into_iter().try_for_each(|(_, slice)| nest.begin(slice, &mut each))?;
            }
        } else {
            self.hold(worker);
            let first = self.held.slices.partition_point(|&(at, _)| at < worker);
            let mut of_worker = self.held.slices[first..].iter().take_while(|&&(at, _)| at == worker);
            of_worker.try_for_each(|&(_, slice)| nest.begin(slice, &mut each))?;
        }
        nest.finish(&mut each)
    }

    /// Finds the slices of the worker, and of the following workers that are collected in the same
    /// pass.
    fn hold(&mut self, worker: u16) {
        let first = usize::from(worker);
        if self.held.workers.contains(&first) {
            return;
        }
        let mut sum = 0;
        let fits = |&at: &u16| {
            sum += self.counts[usize::from(at)];
            sum <= self.at_a_time
        };
        let last = (worker..=u16::MAX).take_while(fits).last().unwrap_or(worker);
        self.held = Held::default(); // those before go first
        let slices = self.found(worker..=last, ALL_BINS);
        self.held = Held { workers: first..usize::from(last) + 1, slices };
    }

    fn found(&self, workers: RangeInclusive<u16>, bins: RangeInclusive<usize>) -> Vec<(u16, Slice)> {
        let mut found = Vec::new();
        self.scan(workers, bins.clone(), |worker, slice| {
            if bins.contains(&self.bin(slice.begin)) {
                found.push((worker, slice));
            }
        });
        found.sort_unstable_by_key(|&(worker, slice)| {
            (worker, slice.begin, Reverse(slice.end), slice.what, slice.row)
        });
        found
    }

    fn bin(&self, at: Ticks) -> usize {
        ((at.0 >> self.shift) as usize).min(BINS - 1)
    }

    /// For a worker with too many slices for one pass: the ranges of bins of each pass.
    fn windows(&self, worker: u16) -> Vec<RangeInclusive<usize>> {
        let mut counts = vec![0u64; BINS];
        self.scan(worker..=worker, ALL_BINS, |_, slice| counts[self.bin(slice.begin)] += 1);
        let mut windows: Vec<RangeInclusive<usize>> = Vec::new();
        let mut held = 0;
        for (bin, count) in counts.into_iter().enumerate() {
            match windows.last_mut() {
                Some(window) if held + count <= self.at_a_time => {
                    (*window, held) = (*window.start()..=bin, held + count);
                }
                _ => {
                    windows.push(bin..=bin);
                    held = count;
                }
            }
        }
        windows
    }

    /// Collects the slices of these workers in the order of the tables, or at least the slices that
    /// begin in these bins.
    fn scan(
        &self,
        workers: RangeInclusive<u16>,
        bins: RangeInclusive<usize>,
        mut put: impl FnMut(u16, Slice),
    ) {
        let (profile, grains) = (self.profile, &self.profile.grains);
        let mut put = |worker: u16, slice: Slice| {
            if workers.contains(&worker) {
                put(worker, slice);
            }
        };
        for grain in grains.rows() {
            let (start, end) = (grains.start.of(grain), grains.end.of(grain));
            let is_within = self.bin(start) <= *bins.end() && self.bin(end) >= *bins.start();
            if !is_within || !self.workers.may_have_run(profile, &workers, grain) {
                continue;
            }
            match self.cut {
                Cut::Fragments => self.fragments(grain, &mut put),
                Cut::Stays => self.stays(grain, &mut put),
            }
        }
        for (row, wait) in (0..).zip(&profile.waits) {
            let what = if wait.departures > 0 { What::Departed } else { What::Wait };
            if self.cut == Cut::Fragments || what == What::Departed || !self.joins.has(row) {
                put(wait.worker, Slice { begin: wait.begin, end: wait.end, what, row });
            }
        }
        for (row, hold) in (0..).zip(&profile.locks) {
            put(hold.worker, Slice { begin: hold.had, end: hold.released(), what: What::Hold, row });
        }
        for (row, idle) in (0..).zip(&profile.idles) {
            put(idle.worker, Slice { begin: idle.start, end: idle.end, what: What::Idle, row });
        }
    }

    fn fragments(&self, grain: GrainRow, put: &mut impl FnMut(u16, Slice)) {
        let Profile { items, fragments, .. } = self.profile;
        for item in items.of(grain).filter(|&item| items.kind[item] == ItemKind::Fragment) {
            let row = items.row[item] as usize;
            let (begin, end) = (fragments.start(row as u32), fragments.end(row as u32));
            let worker = self.workers.at(self.profile, grain, begin);
            put(worker, Slice { begin, end, what: What::Fragment, row: item as u32 });
        }
    }

    fn stays(&self, grain: GrainRow, put: &mut impl FnMut(u16, Slice)) {
        let Profile { items, grains, fragments, .. } = self.profile;
        if is_never_run(self.profile, grain) {
            return;
        }
        self.workers.stays(self.profile, grain, |worker, begin, end| {
            put(worker, Slice { begin, end, what: What::Stay, row: grain.number() });
        });
        let mut begin = grains.start.of(grain);
        let mut between = items.of(grain).start;
        for item in items.of(grain).filter(|&item| items.kind[item] == ItemKind::Fragment) {
            let fragment = items.row[item] as usize;
            self.gap(grain, begin, fragments.start(fragment as u32), between..item, put);
            (begin, between) = (fragments.end(fragment as u32), item + 1);
        }
        let end = grains.end.of(grain);
        self.gap(grain, begin, end, between..items.of(grain).end, put);
    }

    /// Adds the slices between two fragments of a grain, from the items there.
    fn gap(
        &self,
        grain: GrainRow,
        begin: Ticks,
        end: Ticks,
        between: Range<usize>,
        put: &mut impl FnMut(u16, Slice),
    ) {
        let (items, waits) = (&self.profile.items, &self.profile.waits);
        if begin >= end {
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
            (What::Runtime, grain.number())
        };
        if what != What::Wait || waits[Row::of_number(row)].departures == 0 {
            put(self.workers.at(self.profile, grain, begin), Slice { begin, end, what, row });
        }
    }
}

/// Whether the grain was cancelled before it began.
pub fn is_never_run(profile: &Profile, grain: GrainRow) -> bool {
    profile.items.of(grain).is_empty() && profile.grains.has(grain, grains::flag::CANCELLED)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use trace::layout::task::IMPLICIT;
    use trace::writer::RecordingWriter;
    use trace::{Create, Record, Recording, RegionId, Run, TaskId, Wait, WaitKind};

    use super::*;
    use crate::{firefox, perfetto, speedscope};
    use symbols::Symbols;

    /// The profile of a task that creates `tasks` tasks and waits for each, as if worker `number %
    /// workers` had run the task with that number.
    fn profile(tasks: u64, workers: usize) -> Profile {
        let place = tempfile::tempdir().unwrap();
        let mut out = RecordingWriter::create(place.path(), 1, &RecordingWriter::plain_meta(1)).unwrap();
        let root = TaskId::new(0, 1);
        let mut put = |at, record| out.put(0, at, record).unwrap();
        put(0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
        put(0, Record::Start { task: root, region: RegionId::NONE });
        for number in 1..=tasks {
            let (task, at) = (TaskId::new(0, number + 1), 100 * number);
            put(at, Record::Create(Create { task, parent: root, cost: 5, ..Default::default() }));
            put(at + 20, Record::Run(Run { task, ticks: 50, ..Default::default() }));
            let kind = WaitKind::Taskwait;
            put(
                at + 10,
                Record::Wait(Wait { kind, task: root, ticks: 70, site: 0, barrier: 0, departures: 0 }),
            );
        }
        let end = 100 * tasks + 100;
        put(0, Record::Run(Run { task: root, ticks: end, ..Default::default() }));
        out.end(end).unwrap();
        let mut profile = Profile::of(Recording::open(place.path()).unwrap(), &|_| {}).unwrap();
        let spread = |(number, worker): (usize, &mut u16)| *worker = (number % workers) as u16;
        profile.grains.worker.iter_mut().enumerate().for_each(spread);
        profile.waits.iter_mut().map(|wait| &mut wait.worker).enumerate().for_each(spread);
        profile
    }

    fn events(profile: &Profile, cut: Cut, at_a_time: u64) -> Vec<(u16, Event)> {
        let mut slices = Slices { at_a_time, ..Slices::of(profile, cut) };
        let mut events = Vec::new();
        for worker in slices.workers() {
            let put = |event| {
                events.push((worker, event));
                Ok(())
            };
            assert_eq!(slices.of_worker(worker, put).unwrap(), 0);
        }
        events
    }

    #[test]
    fn slices_are_the_same_however_many_are_taken_at_a_time() {
        let profile = profile(100, 7);
        for cut in [Cut::Fragments, Cut::Stays] {
            let all = events(&profile, cut, AT_A_TIME);
            let begun = |worker| all.iter().filter(|(at, event)| *at == worker && event.first).count();
            assert!((0..7).all(|worker| begun(worker) > 20), "{cut:?}");
            for at_a_time in [0, 1, 10, 100, 200] {
                assert!(events(&profile, cut, at_a_time) == all, "{cut:?}, {at_a_time}");
            }
        }
    }

    #[test]
    fn very_many_workers_are_gone_through_in_time() {
        let (give, take) = mpsc::channel();
        thread::spawn(move || {
            let profile = profile(1 << 16, 1 << 16);
            let symbols = Symbols::resolve(&profile);
            for write in [perfetto::write, speedscope::write, firefox::write] {
                give.send(write(&mut io::sink(), &profile, &symbols).is_ok()).unwrap();
            }
        });
        for _ in 0..3 {
            assert_eq!(take.recv_timeout(Duration::from_secs(60)), Ok(true));
        }
    }
}
