// SPDX-License-Identifier: Apache-2.0
//! The metrics of random recordings, against their definitions by brute force.

mod common;

use grains::metrics::{by_intervals, exact, median, Interval, Overlap, Positions, Siblings, Unit};
use grains::{GrainKind, GrainRow, Profile};
use trace::topology::Processor;
use trace::writer::RecordingWriter;
use trace::*;

use common::Random;

const WORKERS: u16 = 5;

/// The processor of each worker.
fn cpu_of(worker: u16) -> u16 {
    [4, 0, 5, 3, 1][usize::from(worker)]
}

/// Two packages of two cores, one of them with two processors.
fn topology() -> Topology {
    let of = |(processor, package, core)| Processor { processor, package, core };
    Topology::of([(0, 0, 0), (1, 1, 0), (3, 1, 7), (4, 0, 9), (5, 0, 0)].map(of).to_vec())
}

/// The number of the core of a processor in this machine.
fn core_of(cpu: u16) -> u16 {
    match cpu {
        0 | 5 => 0,
        4 => 1,
        1 => 2,
        _ => 3,
    }
}

/// An initial task with two batches of children, each joined by a taskwait, which run on other
/// threads; some create a child of their own.
fn recording(random: &mut Random) -> Profile {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.teff");
    let mut out = RecordingWriter::create(&path, WORKERS, &RecordingWriter::plain_meta(2)).unwrap();
    let root = TaskId::new(0, 1);
    let flags = layout::task::IMPLICIT;
    out.put(0, 0, Record::Create(Create { task: root, flags, ..Default::default() })).unwrap();
    let (mut now, mut ordinal) = (1, 2);
    for _ in 0..2 {
        let mut free = [0; WORKERS as usize];
        free.fill(now + 30);
        let mut create = |out: &mut RecordingWriter, parent, stream: u16, at| {
            let task = TaskId::new(stream, ordinal);
            ordinal += 1;
            let create = Create { task, parent, site: 1, cost: 1, flags: 0 };
            out.put(stream, at, Record::Create(create)).unwrap();
            task
        };
        for _ in 0..=random.below(8) {
            now += 1 + random.below(3);
            let task = create(&mut out, root, 0, now);
            now += 1;
            let worker = 1 + random.below(u64::from(WORKERS) - 1) as u16;
            let start = free[usize::from(worker)] + random.below(4);
            let mut end = start + random.below(20);
            if end > start + 4 && random.below(3) == 0 {
                let inner = create(&mut out, task, worker, start + 2);
                let run = Run { task: inner, ticks: 5, cpu: cpu_of(worker), ..Default::default() };
                out.put(worker, end + 1, Record::Run(run)).unwrap();
                free[usize::from(worker)] = end + 6;
                let run = Run { task, ticks: end - start, cpu: cpu_of(worker), ..Default::default() };
                out.put(worker, start, Record::Run(run)).unwrap();
                continue;
            }
            end = end.max(start + 1);
            let run = Run { task, ticks: end - start, cpu: cpu_of(worker), ..Default::default() };
            out.put(worker, start, Record::Run(run)).unwrap();
            free[usize::from(worker)] = end;
        }
        let end = free.into_iter().fold(now, u64::max) + 1;
        let kind = WaitKind::Taskwait;
        let wait = Wait { kind, task: root, ticks: end - now, site: 1, barrier: 0, departures: 0 };
        out.put(0, now, Record::Wait(wait)).unwrap();
        now = end + 1 + random.below(5);
    }
    out.put(0, 0, Record::Run(Run { task: root, ticks: now, ..Default::default() })).unwrap();
    out.end(now).unwrap();
    Profile::of(Recording::open(&path).unwrap(), &|_| {}).unwrap()
}

/// The grains that run at each tick.
fn running(profile: &Profile) -> Vec<Vec<GrainRow>> {
    let mut out = vec![Vec::new(); profile.wall.0 as usize + 1];
    let fragments = &profile.fragments;
    for row in 0..fragments.grain.len() {
        for tick in fragments.start(row as u32).0..fragments.end(row as u32).0 {
            out[tick as usize].push(fragments.grain[row]);
        }
    }
    out
}

fn of_grain(running: &[Vec<GrainRow>], grain: GrainRow) -> Vec<usize> {
    (0..running.len()).filter(|&tick| running[tick].contains(&grain)).collect()
}

#[test]
fn exact_parallelism_is_that_of_each_tick() {
    let mut random = Random(0x1234_5678);
    for round in 0..100 {
        let profile = recording(&mut random);
        let (running, found) = (running(&profile), exact(&profile));
        for grain in profile.grains.rows() {
            let numbers: Vec<f64> =
                of_grain(&running, grain).into_iter().map(|tick| running[tick].len() as f64).collect();
            let (least, mean) = (found.least[grain], found.mean[grain]);
            if numbers.is_empty() {
                assert!(least.is_nan() && mean.is_nan());
                continue;
            }
            let truth = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(f64::from(least), truth, "round {round}, grain {grain:?}");
            let truth = numbers.iter().sum::<f64>() / numbers.len() as f64;
            assert!((f64::from(mean) - truth).abs() < 1e-5, "round {round}, grain {grain:?}: {mean} {truth}");
        }
    }
}

#[test]
fn parallelism_by_intervals_counts_what_overlaps_them() {
    let mut random = Random(0x8765_4321);
    for round in 0..60 {
        let profile = recording(&mut random);
        let (running, grains) = (running(&profile), &profile.grains);
        let ran = grains.rows().filter(|&row| grains.end.of(row) > grains.start.of(row));
        let mut lengths: Vec<f64> =
            ran.map(|row| (grains.end.of(row).0 - grains.start.of(row).0) as f64).collect();
        let width = (median(&mut lengths) as usize).max(1);
        for overlap in [Overlap::Optimistic, Overlap::Conservative] {
            let counts: Vec<usize> = running
                .chunks(width)
                .map(|ticks| {
                    let in_it = |row: &GrainRow| match overlap {
                        Overlap::Optimistic => ticks.iter().any(|grains| grains.contains(row)),
                        Overlap::Conservative => {
                            ticks.len() == width && ticks.iter().all(|grains| grains.contains(row))
                        }
                    };
                    grains.rows().filter(in_it).count()
                })
                .collect();
            let found = by_intervals(&profile, Interval::MedianGrain, overlap);
            for grain in grains.rows() {
                let met = of_grain(&running, grain).into_iter().map(|tick| counts[tick / width]);
                let truth = met.min().map_or(f32::NAN, |least| least as f32);
                let found = found[grain];
                assert!(found == truth || found.is_nan() && truth.is_nan(), "round {round}, grain {grain:?}");
            }
        }
    }
}

#[test]
fn siblings_are_compared_by_all_their_pairs() {
    let mut random = Random(0xabcd);
    for round in 0..100 {
        let mut profile = recording(&mut random);
        let unit = [Unit::Cores, Unit::Processors, Unit::Workers][round % 3];
        profile.topology = (unit == Unit::Cores).then(topology);
        if unit == Unit::Workers {
            let last = GrainRow::new(profile.grains.len() - 1);
            profile.grains.processor[last] = layout::UNKNOWN_CPU;
        }
        let positions = Positions::of(&profile);
        assert_eq!(positions.unit, unit);
        assert_eq!(positions.cores_of_a_package, (unit == Unit::Cores).then_some(2));
        let position = |worker: u16| match unit {
            Unit::Cores => core_of(cpu_of(worker)),
            Unit::Processors => cpu_of(worker),
            Unit::Workers => worker,
        };
        let siblings = Siblings::of(&profile);
        let (scatter, balance) = (siblings.scatter(&profile, &positions), siblings.load_balance(&profile));
        let grains = &profile.grains;
        for row in grains.rows() {
            let is_sibling = |&other: &GrainRow| match grains.kind[row] {
                GrainKind::Task => {
                    let of = |row: GrainRow| (grains.parent[row], profile.joined_by[row]);
                    grains.kind[other] == GrainKind::Task && of(other) == of(row)
                }
                _ => other == row,
            };
            let all: Vec<GrainRow> = grains.rows().filter(is_sibling).collect();
            let mut distances = Vec::new();
            for (at, &one) in all.iter().enumerate() {
                let at_work = |row: GrainRow| f64::from(position(grains.worker[row]));
                distances.extend(all[at + 1..].iter().map(|&other| (at_work(one) - at_work(other)).abs()));
            }
            let truth = median(&mut distances) as f32;
            assert!(
                scatter[row] == truth || scatter[row].is_nan() && truth.is_nan(),
                "round {round}, row {row:?}"
            );
            let mut work: Vec<f64> = all.iter().map(|&row| grains.work.of(row).0 as f64).collect();
            let longest = work.iter().copied().fold(0.0, f64::max);
            let truth = longest / median(&mut work);
            let found = f64::from(balance[row]);
            assert!(
                (found - truth).abs() < 1e-4 || found.is_nan(),
                "round {round}, row {row:?}: {found} {truth}"
            );
        }
    }
}
