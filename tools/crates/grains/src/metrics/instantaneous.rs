// SPDX-License-Identifier: Apache-2.0
//! Instantaneous parallelism: how many grains run while a given grain runs (a number of grains;
//! grains thesis, section 5.4.2).
//!
//! *Exact* is Teff's own definition: the number of fragments that run at an instant is a step
//! function. A grain's values are the minimum and the mean of this function while the grain runs. A
//! fragment runs from its start up to, not including, its end.
//!
//! *By intervals* is the thesis's: program time is cut into intervals of one length. The value of
//! an interval is the number of grains that overlap it: *optimistic* counts every grain that
//! overlaps it at all, *conservative* only grains that overlap all of it. A grain's value is the
//! minimum over the intervals that it overlaps. So an optimistic interval also counts grains that
//! ran one after the other. The published code uses the times of an ideal schedule, in which each
//! grain starts as early as the graph allows; this module uses the times of the run.

use rayon::prelude::*;

use super::quantiles::median;
use crate::tables::{GrainRow, Grains};
use crate::ticks::Ticks;
use crate::{Column, ItemKind, Profile};

/// By grain row; NaN: it did not run.
pub struct Parallelism {
    pub least: Column<Grains, f32>,
    pub mean: Column<Grains, f32>,
}

/// The step function of a sweep, with what is still to be asked of it.
struct Steps {
    at: u64,
    running: u32,
    /// Integral up to `at`.
    area: f64,
    /// From each of these instants until now it was at least so much. Both rise: there are never
    /// more entries than workers.
    least: Vec<(u64, u32)>,
}

impl Steps {
    fn go_to(&mut self, time: u64) {
        if time <= self.at {
            return;
        }
        let mut from = self.at;
        while let Some(&(earlier, _)) = self.least.last().filter(|last| last.1 >= self.running) {
            from = earlier;
            self.least.pop();
        }
        self.least.push((from, self.running));
        self.area += f64::from(self.running) * (time - self.at) as f64;
        self.at = time;
    }

    fn least_since(&self, begin: u64) -> u32 {
        let behind = self.least.partition_point(|entry| entry.0 <= begin);
        self.least.get(behind.saturating_sub(1)).map_or(self.running, |entry| entry.1)
    }
}

/// Memory: 8 bytes a fragment and 20 a grain.
pub fn exact(profile: &Profile) -> Parallelism {
    let fragments = &profile.fragments;
    let runs = |&row: &u32| fragments.start(row) < fragments.end(row);
    let mut starts: Vec<u32> = (0..fragments.grain.len() as u32).filter(runs).collect();
    let mut ends = starts.clone();
    starts.par_sort_unstable_by_key(|&row| fragments.start(row));
    ends.par_sort_unstable_by_key(|&row| fragments.end(row));
    let grains = profile.grains.len();
    let mut least = Column::<Grains, _>::filled(f32::NAN, grains);
    let mut area = Column::<Grains, _>::filled(0.0f64, grains);
    let mut length = Column::<Grains, _>::filled(0.0f64, grains);
    let mut steps = Steps { at: 0, running: 0, area: 0.0, least: Vec::new() };
    let mut next = starts.into_iter().peekable();
    for end in ends {
        let stop = fragments.end(end).0;
        while let Some(row) = next.next_if(|&row| fragments.start(row).0 < stop) {
            steps.go_to(fragments.start(row).0);
            steps.running += 1;
            area[fragments.grain[row as usize]] -= steps.area;
        }
        steps.go_to(stop);
        let grain = fragments.grain[end as usize];
        let begin = fragments.start(end).0;
        least[grain] = least[grain].min(steps.least_since(begin) as f32);
        area[grain] += steps.area;
        length[grain] += (stop - begin) as f64;
        steps.running -= 1;
    }
    let mean = area.iter().zip(&length).map(|(area, length)| (area / length) as f32).collect();
    Parallelism { least, mean }
}

/// How long an interval is; the thesis names these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interval {
    ShortestGrain,
    /// The least difference above 0 of the start of a grain and the end of another.
    ShortestGap,
    MedianGrain,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    Optimistic,
    Conservative,
}

/// Intervals are made longer where there would be more of them.
const MOST_INTERVALS: u64 = 1 << 24;

/// By grain row; NaN: it did not run.
pub fn by_intervals(profile: &Profile, interval: Interval, overlap: Overlap) -> Column<Grains, f32> {
    let last = profile.fragments.intervals().map(|(_, end)| end.0).max().unwrap_or_default();
    let width = length(profile, interval).max(last / MOST_INTERVALS + 1);
    let mut counts = vec![0i32; (last / width) as usize + 2];
    for grain in profile.grains.rows() {
        let mut from = 0;
        for (start, end) in stretches(profile, grain) {
            let (first, behind) = match overlap {
                Overlap::Optimistic => (start / width, end.div_ceil(width)),
                Overlap::Conservative => (start.div_ceil(width), end / width),
            };
            let first = first.max(from); // two fragments of a grain in an interval are one grain
            if first < behind {
                counts[first as usize] += 1;
                counts[behind as usize] -= 1;
                from = behind;
            }
        }
    }
    let mut running = 0;
    for count in &mut counts {
        running += *count;
        *count = running;
    }
    let of = |grain: GrainRow| {
        let met = stretches(profile, grain).flat_map(|(start, end)| start / width..end.div_ceil(width));
        met.map(|at| counts[at as usize] as f32).fold(f32::NAN, f32::min)
    };
    profile.grains.rows().map(of).collect()
}

/// When the grain's fragments ran that are not empty.
fn stretches(profile: &Profile, grain: GrainRow) -> impl Iterator<Item = (u64, u64)> + '_ {
    let items = profile.items.of(grain);
    let fragments = items.filter(|&item| profile.items.kind[item] == ItemKind::Fragment);
    fragments
        .map(|item| {
            let row = profile.items.row[item] as usize;
            (profile.fragments.start(row as u32).0, profile.fragments.end(row as u32).0)
        })
        .filter(|(start, end)| start < end)
}

/// For grains that ran: from their start to their end.
fn length(profile: &Profile, interval: Interval) -> u64 {
    let grains = &profile.grains;
    let ran = grains.rows().filter(|&row| grains.end.of(row) > grains.start.of(row));
    let lengths = ran.clone().map(|row| (grains.end.of(row) - grains.start.of(row)).0);
    match interval {
        Interval::ShortestGrain => lengths.min().unwrap_or(1),
        Interval::MedianGrain => median(&mut lengths.map(|length| length as f64).collect::<Vec<_>>()) as u64,
        Interval::ShortestGap => {
            let mut points: Vec<(Ticks, bool)> =
                ran.flat_map(|row| [(grains.start.of(row), true), (grains.end.of(row), false)]).collect();
            points.par_sort_unstable();
            points.dedup();
            let gaps = points.windows(2).filter(|pair| pair[0].0 < pair[1].0);
            gaps.map(|pair| (pair[1].0 - pair[0].0).0).min().unwrap_or(1)
        }
    }
    .max(1)
}
