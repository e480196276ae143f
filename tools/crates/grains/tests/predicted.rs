// SPDX-License-Identifier: Apache-2.0
//! Tests that predictions for random programs obey the bounds of any schedule, and of a greedy
//! schedule.

mod common;
#[path = "common/programs.rs"]
mod programs;

use grains::predict::{Changes, Predictor, Preemption, Price};
use grains::{Profile, Ticks};
use trace::*;

use common::Random;
use programs::{program, Machine, Op, TASKS};

/// As many as there can be strands.
const UNBOUNDED: u32 = TASKS as u32;

#[test]
fn predictions_keep_the_bounds() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(0x7e_ff03);
    let mut without_locks = 0;
    for round in 0..400 {
        let ops = program(&mut random);
        let path = directory.path().join(round.to_string());
        let mut machine = Machine::new(&ops, &path);
        let wall = machine.run(&mut random);
        let work = machine.work();
        machine.out.end(wall).unwrap();
        let profile = Profile::of(Recording::open(&path).unwrap(), &|_| {}).unwrap();
        let predictor = Predictor::of(&profile);
        let locks = ops.iter().flatten().any(|op| matches!(op, Op::Lock(_)));
        without_locks += u32::from(!locks);
        for threads in [1, 2, 3, 5, 8, UNBOUNDED] {
            let point = predictor.point(threads, &Changes::default()).unwrap();
            assert_eq!(point.work, Ticks(work), "round {round}, {threads} threads: {ops:?}");
            let law = point.busy().0 as f64 / f64::from(threads);
            assert!(point.time.0 as f64 >= law && point.time >= point.span, "round {round}: {point:?}");
            assert!(point.time <= point.busy(), "round {round}: {point:?}");
            let least = point.least();
            assert!(least >= point.span && least.0 as f64 >= law, "round {round}: {point:?}");
            assert!(least <= point.time, "round {round}: {least:?}, {point:?}");
            if threads == 1 {
                assert_eq!(point.time, point.busy(), "round {round}: {ops:?}");
            }
            if !locks {
                // Graham, Brent: T1 / P of what is not on the longest path, and that path.
                let span = point.span.0 as f64;
                let most = (point.busy().0 as f64 - span) / f64::from(threads) + span;
                assert!(point.time.0 as f64 <= most, "round {round}, {threads} threads: {most}, {point:?}");
                if threads == UNBOUNDED {
                    assert_eq!(point.time, point.span, "round {round}: {ops:?}");
                }
            }
            let lost: u64 = point.lost.iter().map(|lost| lost.2 .0).sum();
            assert_eq!(point.busy().0 + lost, u64::from(threads) * point.time.0, "round {round}: {point:?}");
            assert_eq!(predictor.point(threads, &Changes::default()).unwrap(), point);
        }
    }
    assert!(without_locks > 40, "only {without_locks} programs have no locks");
}

#[test]
fn a_task_graph_has_all_work_and_creates_each_task_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(0x7e_ff05);
    for round in 0..200 {
        let ops = program(&mut random);
        let path = directory.path().join(round.to_string());
        let mut machine = Machine::new(&ops, &path);
        let wall = machine.run(&mut random);
        let work = machine.work();
        machine.out.end(wall).unwrap();
        let profile = Profile::of(Recording::open(&path).unwrap(), &|_| {}).unwrap();
        let predictor = Predictor::of(&profile);
        for (changes, tasks) in [
            (Changes::default(), ops.len() - 1),
            (Changes { cutoff_depth: Some(0), ..Changes::default() }, 0),
        ] {
            let mut text = Vec::new();
            predictor.write_task_graph(3, &changes, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            let steps = |letter: char| {
                let words = text.lines().skip(3).flat_map(|line| line.split(' '));
                words.filter_map(move |word| word.strip_prefix(letter)?.parse::<u64>().ok())
            };
            assert_eq!(steps('w').sum::<u64>(), work, "{ops:?}: {text}");
            let mut created: Vec<u64> = steps('c').collect();
            created.sort_unstable();
            assert_eq!(created, (0..tasks as u64).collect::<Vec<_>>(), "{ops:?}: {text}");
            assert_eq!(text.lines().filter(|line| line.starts_with("task ")).count(), tasks, "{text}");
            assert_eq!(steps('h').count(), steps('u').count());
        }
    }
}

#[test]
fn what_runs_inside_its_parent_is_the_work_of_one_thread() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(0x7e_ff04);
    for round in 0..100 {
        let ops = program(&mut random);
        let path = directory.path().join(round.to_string());
        let mut machine = Machine::new(&ops, &path);
        let wall = machine.run(&mut random);
        let work = Ticks(machine.work());
        machine.out.end(wall).unwrap();
        let profile = Profile::of(Recording::open(&path).unwrap(), &|_| {}).unwrap();
        let predictor = Predictor::of(&profile);
        let all = [
            Changes { cutoff_depth: Some(0), ..Changes::default() },
            Changes { merge_below: Ticks(u64::MAX), ..Changes::default() },
        ];
        for changes in all {
            let point = predictor.point(4, &changes).unwrap();
            assert_eq!((point.time, point.busy(), point.creation), (work, work, Ticks::ZERO), "{ops:?}");
        }
    }
}

#[test]
fn every_program_ends_with_priorities_and_preemption() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(0x7e_ff06);
    let mut preempted = 0;
    for round in 0..300 {
        let ops = program(&mut random);
        let path = directory.path().join(round.to_string());
        let mut machine = Machine::new(&ops, &path);
        let wall = machine.run(&mut random);
        for forked in ops.iter().enumerate().flat_map(|(task, ops)| ops.iter().map(move |op| (task, op))) {
            if let (task, &Op::Fork(child)) = forked {
                let priority = random.below(4) as i32;
                let task = TaskId::new(task as u16, 1 + child as u64);
                machine.out.put(0, wall, Record::Priority { task, priority }).unwrap();
            }
        }
        let work = machine.work();
        machine.out.end(wall).unwrap();
        let profile = Profile::of(Recording::open(&path).unwrap(), &|_| {}).unwrap();
        let predictor = Predictor::of(&profile);
        for threads in [1, 2, 3] {
            let free = Preemption::On(Price { signal: 0, switch: 0, gap: 1 });
            let dear = Preemption::On(Price { signal: 3, switch: 5, gap: 2 });
            for preemption in [Preemption::Off, free, dear] {
                let run = predictor.with_priorities(threads, preemption).unwrap();
                let tasks: usize = run.rows.iter().map(|row| row.delays.0.len()).sum();
                assert_eq!(tasks, ops.len() - 1, "round {round}: {ops:?}");
                assert!(run.time.0 * u64::from(threads) >= work, "round {round}: {ops:?}");
                let counts = run.rows.iter().map(|row| (row.preempted, row.preempting));
                let (left, by) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
                assert!(left == by && (left == 0 || preemption != Preemption::Off), "round {round}: {ops:?}");
                preempted += left;
                assert_eq!(predictor.with_priorities(threads, preemption).unwrap(), run);
            }
        }
    }
    assert!(preempted > 1000, "only {preempted} preemptions");
}
