// SPDX-License-Identifier: Apache-2.0
//! Parallelism over time: how many grains ran, and how many created tasks had not begun, on average
//! in each of many intervals of equal length. The values are exact except for rounding: a grain
//! that ran for a part of an interval counts as that part.

use grains::{flag, GrainKind, GrainRow, Profile, Ticks};
use serde::Serialize;

use crate::columns::Column;

const INTERVALS: usize = 1024;

#[derive(Serialize)]
pub struct Strip {
    /// Length of an interval; the first interval begins with the recording.
    interval_ns: f64,
    running: Column<f32>,
    waiting: Column<f32>,
}

pub fn of(profile: &Profile) -> Strip {
    let end = profile.fragments.end.iter().copied().fold(profile.wall, Ticks::max).0.max(1);
    let interval = end as f64 / INTERVALS as f64;
    let mut running = Cover::new(interval);
    let fragments = &profile.fragments;
    for (&start, &end) in fragments.start.iter().zip(&fragments.end) {
        running.add(start, end);
    }
    let mut waiting = Cover::new(interval);
    let grains = &profile.grains;
    let is_deferred = |row: &GrainRow| grains.flags[*row] & (flag::INLINE | flag::CANCELLED) == 0;
    let tasks = grains.task_rows().filter(|&row| grains.kind[row] == GrainKind::Task);
    for row in tasks.filter(is_deferred) {
        waiting.add(grains.create[row], grains.start[row]);
    }
    let interval_ns = profile.ns(Ticks(end)) / INTERVALS as f64;
    Strip { interval_ns, running: running.means(), waiting: waiting.means() }
}

/// For each interval, the total time that the stretches cover in it.
struct Cover {
    interval: f64,
    /// The time of stretches that begin or end in the interval.
    part: Vec<f64>,
    /// The number of stretches that cover the whole interval, minus that number for the previous
    /// interval.
    rise: Vec<i64>,
}

impl Cover {
    fn new(interval: f64) -> Self {
        Self { interval, part: vec![0.0; INTERVALS], rise: vec![0; INTERVALS + 1] }
    }

    fn add(&mut self, start: Ticks, end: Ticks) {
        if end <= start {
            return;
        }
        let at = |ticks: Ticks| (ticks.0 as f64 / self.interval).min(INTERVALS as f64);
        let (start, end) = (at(start), at(end));
        let (first, last) = ((start as usize).min(INTERVALS - 1), (end as usize).min(INTERVALS - 1));
        if first == last {
            self.part[first] += end - start;
            return;
        }
        self.part[first] += (first + 1) as f64 - start;
        self.part[last] += end - last as f64;
        self.rise[first + 1] += 1;
        self.rise[last] -= 1;
    }

    fn means(&self) -> Column<f32> {
        let mut whole = 0;
        let mean = |(part, rise): (&f64, &i64)| {
            whole += rise;
            (part + whole as f64) as f32
        };
        Column(self.part.iter().zip(&self.rise).map(mean).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_intervals_count_as_parts() {
        let mut cover = Cover::new(10.0);
        cover.add(Ticks(5), Ticks(35));
        cover.add(Ticks(12), Ticks(17));
        cover.add(Ticks(20), Ticks(20));
        assert_eq!(cover.means().0[..5], [0.5, 1.5, 1.0, 0.5, 0.0]);
    }

    #[test]
    fn the_end_of_the_recording_belongs_to_the_last_interval() {
        let mut cover = Cover::new(1.0);
        cover.add(Ticks(0), Ticks(INTERVALS as u64 + 7));
        assert!(cover.means().0.iter().all(|&mean| mean == 1.0));
    }
}
