// SPDX-License-Identifier: Apache-2.0
//! Regions in which one thread ran all tasks.

use grains::budget::Budget;
use grains::one_sided::{one_sided, OneSided};
use trace::*;

use crate::build::{id, region, Golden};
use crate::findings::end;

const US: u64 = 1000;
const TASKS: u64 = 200;

/// The first thread creates 200 tasks, one each us, and runs them all behind that, each for `work`,
/// with 100 ns between. The second thread begins after 20 us, works for `other` and waits.
fn of(work: u64, other: u64, processors: u32) -> Vec<OneSided> {
    let (mut golden, master) = on(processors);
    let mut at = TASKS * US;
    golden.wait(master, 0, WaitKind::RegionEnd, at, at + TASKS * (100 + work));
    for number in 0..TASKS {
        golden.create(id(0, 3 + number), master, number * US, 50);
        golden.run(0, id(0, 3 + number), at + 100, at + 100 + work, region(1));
        at += 100 + work;
    }
    ended(golden, other, at)
}

fn ended(mut golden: Golden, other: u64, at: u64) -> Vec<OneSided> {
    golden.wait(id(1, 1), 1, WaitKind::RegionEnd, 20 * US + other, at);
    let profile = end(golden, 20 * US, at, at);
    one_sided(&profile, &Budget::of(&profile))
}

/// Each task is created and waited for, before the next one.
fn one_at_a_time() -> Vec<OneSided> {
    let (mut golden, master) = on(2);
    for number in 0..TASKS {
        let (task, at) = (id(0, 3 + number), 2 * US * number);
        golden.create(task, master, at, 50);
        golden.wait(master, 0, WaitKind::Taskwait, at + 50, at + 450);
        golden.run(0, task, at + 150, at + 450, region(1));
    }
    golden.wait(master, 0, WaitKind::RegionEnd, 2 * US * TASKS, 2 * US * TASKS);
    ended(golden, 0, 2 * US * TASKS)
}

fn on(processors: u32) -> (Golden, TaskId) {
    let mut golden = Golden::with_processors(2, processors);
    golden.initial(id(0, 1), 0);
    let construct =
        Region { region: region(1), parent: id(0, 1), threads: 2, requested: 2, ..Region::default() };
    golden.put(0, 0, Record::Region(construct));
    golden.implicit(id(0, 2), id(0, 1), region(1), 0);
    golden.implicit(id(1, 1), id(0, 1), region(1), 0);
    (golden, id(0, 2))
}

#[test]
fn what_one_thread_ran_of_many_tasks_is_told() {
    let all = of(300, 0, 2);
    assert_eq!(all.len(), 1);
    let found = &all[0];
    assert_eq!((found.tasks, found.by_one, found.alone, found.median.0), (TASKS, TASKS, 0, 300));
    assert_eq!((found.cost.0, found.is_short()), (50 + 100, true));
    assert!(!of(5 * US, 0, 2)[0].is_short());
}

#[test]
fn what_others_could_not_run_is_not_told() {
    assert!(of(300, 200 * US, 2).is_empty(), "the second thread has work of its own");
    assert!(of(300, 0, 1).is_empty(), "there is one processor");
    assert!(of(50, 0, 2).is_empty(), "10 us of work");
    assert!(one_at_a_time().is_empty(), "no task waits for a thread");
}
