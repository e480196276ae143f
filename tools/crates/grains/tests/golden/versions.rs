// SPDX-License-Identifier: Apache-2.0
//! The same program, recorded in an earlier, in this and in a later version of the format.

use crate::build::*;
use grains::wholeness::Kind;
use grains::{summary, Profile};
use trace::*;

/// A root with a taskgroup of two tasks, one after the other by a dependence, and a task that it
/// ran at once, as its queue was full.
fn record(g: &mut Golden) {
    let (root, first, second, third) = (id(0, 1), id(0, 2), id(0, 3), id(0, 4));
    g.initial(root, 0);
    g.put(0, 1, Record::GroupBegin { task: root });
    g.create(first, root, 10, 2);
    g.put(0, 12, Record::Priority { task: first, priority: 3 });
    g.create(second, root, 20, 2);
    let kinds = (DepKind::In, DepKind::Inout);
    let (kind, predecessor_kind) = kinds;
    let dep = Dep {
        successor: second,
        predecessor: first,
        address: 64,
        kind,
        predecessor_kind,
        fulfilled: true,
        ..Dep::default()
    };
    g.put(0, 21, Record::Dep(dep));
    g.run(1, first, 15, 25, RegionId::NONE);
    g.put(1, 24, Record::Thread(Thread { cpu_ns: 9, ..Default::default() }));
    g.run(1, second, 30, 70, RegionId::NONE);
    g.create(third, root, 40, 1);
    g.run(0, third, 42, 48, RegionId::NONE);
    g.wait(root, 0, WaitKind::RunAtOnce, 41, 50);
    g.wait(root, 0, WaitKind::Taskgroup, 60, 71);
    g.run(0, root, 0, 80, RegionId::NONE);
}

fn assert_same_graph(one: &Profile, other: &Profile) {
    assert_eq!((work(one), span(one)), (work(other), span(other)));
    assert_eq!(one.edges, other.edges);
    assert_eq!(one.joined_by, other.joined_by);
    assert_eq!(one.grains.parent, other.grains.parent);
    assert!(one.grains.wait.iter().eq(other.grains.wait.iter()));
    for grain in one.grains.rows() {
        assert_eq!(shape(one, grain.at()), shape(other, grain.at()));
    }
    let waits = |profile: &Profile| -> Vec<_> {
        profile.waits.iter().map(|wait| (wait.task, wait.begin, wait.end, wait.lost)).collect()
    };
    assert_eq!(waits(one), waits(other));
}

#[test]
fn version_1_has_the_same_graph() {
    let [earlier, now] = [1, 2].map(|version| {
        let mut g = Golden::of_version(2, version);
        record(&mut g);
        g.end(100)
    });
    assert_eq!(edges(&now), [(1, 2)]);
    assert_eq!(work(&now).len(), 4);
    assert_same_graph(&earlier, &now);
    assert_eq!((earlier.passed_over, now.passed_over), (0, 0));
}

#[test]
fn what_a_later_version_adds_is_passed_over_and_noted_once() {
    let mut g = Golden::new(2);
    record(&mut g);
    let now = g.end(100);
    let mut g = Golden::later(2);
    g.unknown(0, 1);
    record(&mut g);
    g.unknown(1, 1).unknown(0, 99);
    let later = g.end(100);
    assert_same_graph(&later, &now);
    let count = |profile: &Profile| {
        let notes = summary::notes(profile);
        notes.iter().filter(|note| note.contains("3 records are of kinds that this version")).count()
    };
    assert_eq!((count(&now), count(&later)), (0, 1));
}

#[test]
fn threads_that_changed_tasks_too_fast_are_said() {
    let note = |end: End| {
        let mut g = Golden::new(2);
        record(&mut g);
        let notes = summary::notes(&g.end_with(100, end));
        notes.into_iter().filter(|note| note.contains("from task to task")).collect::<Vec<_>>()
    };
    assert_eq!(note(End { turns: vec![9, 9], ..End::default() }), Vec::<String>::new());
    let end = End {
        turns: vec![512, 768],
        hasty_turns: vec![0, 256],
        hasty_ticks: vec![0, 256 * 130],
        ..End::default()
    };
    assert_eq!(
        note(end),
        ["Thread 1: 256 of its 768 changes from task to task were only 130 ns apart. A change takes some 100 ns; let \
          the tasks do more between their waits and yields."]
    );
    // As a file may have it: columns that differ in length, absurd numbers.
    let end = End { hasty_turns: vec![1, u64::MAX], ..End::default() };
    assert_eq!(note(end).len(), 2);
}

#[test]
fn files_that_are_missing_are_said() {
    let mut whole = Golden::new(2);
    record(&mut whole);
    let whole = whole.end(100);
    assert_eq!((whole.workers, whole.wholeness.kind), (2, Kind::Whole));
    assert!(summary::notes(&whole).iter().all(|note| !note.contains("missing")));

    let mut part = Golden::new(2);
    record(&mut part);
    let part = part.end_without(1, 100);
    assert_eq!((part.workers, part.wholeness.kind), (1, Kind::Damaged));
    assert!(summary::notes(&part).iter().any(|note| note.contains("1 of its 2 threads are missing")));
}
