// SPDX-License-Identifier: Apache-2.0
//! Waits for memory that a counter shows, and recordings of modelled runs.

use crate::build::*;
use grains::{summary, Row, Ticks};
use trace::layout::{counts, MEMORY_STALL};
use trace::*;

/// The initial task and two of its own, of 40 and 20.
fn two_tasks() -> Golden {
    let mut g = Golden::new(1);
    g.initial(id(0, 1), 0);
    g.create(id(0, 2), id(0, 1), 0, 5).create(id(0, 3), id(0, 1), 5, 5);
    g
}

fn end(mut g: Golden) -> grains::Profile {
    g.run(0, id(0, 2), 10, 50, RegionId::NONE).run(0, id(0, 3), 50, 70, RegionId::NONE);
    g.wait(id(0, 1), 0, WaitKind::Taskwait, 10, 70).run(0, id(0, 1), 0, 80, RegionId::NONE);
    g.end(80)
}

fn count(g: &mut Golden, task: TaskId, first: u32, flags: u8, values: &[u64]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    g.put(0, 40, Record::Counts(Counts { first, task, flags, bytes: &bytes, ..Counts::default() }));
}

#[test]
fn a_counter_tells_how_long_tasks_waited_for_memory() {
    let mut g = two_tasks();
    g.put(0, 0, Record::Counter(Counter { counter: 6, name: b"cycles" }));
    g.put(0, 0, Record::Counter(Counter { counter: 7, name: MEMORY_STALL }));
    count(&mut g, id(0, 2), 6, counts::TASK, &[40, 30]);
    count(&mut g, id(0, 3), 6, counts::TASK, &[20]);
    count(&mut g, TaskId::NONE, 6, counts::THREAD, &[60, 30]);
    let profile = end(g);
    let stalls: Vec<_> = (0..3).map(|row| profile.grains.memory_stall_of(Row::new(row))).collect();
    assert_eq!(stalls, [None, Some(Ticks(30)), None]);
    assert_eq!(work(&profile), [10, 40, 20]);
}

#[test]
fn reading_counters_is_the_recorders_time() {
    let mut g = two_tasks();
    let reading = |before, after| {
        let (task, flags) = (id(0, 2), counts::FRAGMENT);
        Record::Counts(Counts { first: 1, task, before, after, flags, bytes: &[] })
    };
    g.put(0, 5, reading(0, 4)); // in the creation from 0 to 5, which began before the reading
    g.put(0, 48, reading(10, 20)); // of a task that ran from 10 to 50
    g.put(0, 69, reading(5, 10)); // ... from 50 to 70
    let profile = end(g);
    assert_eq!(work(&profile), [10, 10, 5]);
    assert_eq!(profile.recorder.counters, Ticks(49));
    assert_eq!(profile.recorder.total, Ticks(49));
    assert_eq!([profile.recorder.from_work, profile.recorder.from_creation], [Ticks(45), Ticks(4)]);
}

#[test]
fn without_that_counter_nothing_is_known() {
    let mut g = two_tasks();
    count(&mut g, id(0, 2), 1, counts::TASK, &[30]);
    assert_eq!(end(g).grains.memory_stall_of(Row::new(1)), None);
}

#[test]
fn no_value_is_too_large() {
    let mut g = two_tasks();
    g.put(0, 0, Record::Counter(Counter { counter: u32::MAX, name: MEMORY_STALL }));
    count(&mut g, id(0, 2), u32::MAX, counts::TASK, &[u64::MAX]);
    count(&mut g, id(0, 2), u32::MAX, counts::TASK, &[u64::MAX, u64::MAX]);
    assert!(end(g).grains.memory_stall_of(Row::new(1)).is_some());
}

#[test]
fn a_modelled_run_says_so_first() {
    let machine = "toy".to_owned();
    let policy = "WS+fine".to_owned();
    let modelled = Modelled { machine, policy, seed: 7, ..Modelled::default() };
    let profile = Golden::modelled(1, modelled).end(100);
    let notes = summary::notes(&profile);
    assert!(notes[0].starts_with("Modelled, not measured: a run on the modelled machine toy"), "{notes:?}");
    assert!(notes[0].contains("WS+fine, seed 7"), "{notes:?}");
    assert!(summary::notes(&Golden::new(1).end(100)).iter().all(|note| !note.contains("Modelled")));
}
