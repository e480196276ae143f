// SPDX-License-Identifier: Apache-2.0
//! How busy the run was over time: how many workers were in the program's code, how many were in a
//! grain, and how many created tasks had not begun, on average in each of many intervals of equal
//! length. A worker can be in a grain and not in its code: the recorder runs, or another process
//! has the processor. The values are exact except for rounding: a grain that ran for a part of an
//! interval counts as that part.

use grains::budget::{Class, Lane};
use grains::{flag, GrainKind, GrainRow, Profile, Ticks};
use serde::Serialize;

use crate::columns::Column;

const INTERVALS: usize = 1024;

#[derive(Serialize)]
pub struct Strip {
    /// Length of an interval; the first interval begins with the recording.
    interval_ns: f64,
    working: Column<f32>,
    running: Column<f32>,
    waiting: Column<f32>,
}

/// `lanes`: of all workers.
pub fn of(profile: &Profile, lanes: &[Lane]) -> Strip {
    let end = profile.fragments.intervals().map(|(_, end)| end).fold(profile.wall, Ticks::max).0.max(1);
    let interval = end as f64 / INTERVALS as f64;
    let mut running = Cover::new(interval);
    for (start, end) in profile.fragments.intervals() {
        running.add(start, end);
    }
    let mut waiting = Cover::new(interval);
    let grains = &profile.grains;
    let is_deferred = |row: &GrainRow| grains.flags[*row] & (flag::INLINE | flag::CANCELLED) == 0;
    let tasks = grains.task_rows().filter(|&row| grains.kind[row] == GrainKind::Task);
    for row in tasks.filter(is_deferred) {
        waiting.add(grains.create(row), grains.start.of(row));
    }
    let interval_ns = profile.ns(Ticks(end)) / INTERVALS as f64;
    let working = working(lanes, profile.wall, interval);
    Strip { interval_ns, working, running: running.means(), waiting: waiting.means() }
}

/// Divides the work in the intervals of the lanes among those of the strip.
fn working(lanes: &[Lane], wall: Ticks, interval: f64) -> Column<f32> {
    let mut time = vec![0.0; INTERVALS];
    let number = lanes.first().map_or(0, |lane| lane.spent.len());
    let length = wall.0 as f64 / number.max(1) as f64 / interval;
    for at in 0..number {
        let work: f64 = lanes.iter().map(|lane| lane.spent[at][Class::Work as usize]).sum();
        let (begin, end) = (at as f64 * length, (at + 1) as f64 * length);
        let first = (begin as usize).min(INTERVALS - 1);
        for (next, time) in
            time.iter_mut().enumerate().skip(first).take_while(|(next, _)| (*next as f64) < end)
        {
            let part = end.min((next + 1) as f64) - begin.max(next as f64);
            *time += work * part.max(0.0) / length.max(f64::MIN_POSITIVE);
        }
    }
    Column(time.iter().map(|time| (time / interval) as f32).collect())
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
    fn work_is_divided_among_the_intervals_that_it_lies_in() {
        let lane = |work: [f64; 3]| Lane {
            worker: 0,
            spent: work
                .map(|work| [work, 0.0, 9.0].into_iter().chain([0.0; 9]).collect::<Vec<_>>())
                .map(|spent| spent.try_into().unwrap())
                .to_vec(),
            stretches: Vec::new(),
        };
        // Three intervals of 4000 ticks; those of the strip are cut shorter.
        let of = working(&[lane([4000.0, 0.0, 1000.0]), lane([2000.0, 0.0, 4000.0])], Ticks(12_000), 12.0);
        let near = |at: usize, value: f32| (of.0[at] - value).abs() < 1e-5;
        assert!(near(0, 1.5) && near(332, 1.5) && near(334, 0.0) && near(700, 1.25), "{:?}", &of.0[330..336]);
        assert!((of.0.iter().sum::<f32>() * 12.0 - 11_000.0).abs() < 1.0);
    }

    #[test]
    fn the_end_of_the_recording_belongs_to_the_last_interval() {
        let mut cover = Cover::new(1.0);
        cover.add(Ticks(0), Ticks(INTERVALS as u64 + 7));
        assert!(cover.means().0.iter().all(|&mean| mean == 1.0));
    }
}
