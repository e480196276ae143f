// SPDX-License-Identifier: Apache-2.0
//! Golden recordings of task programs: work, span and shape are known exactly.

use crate::build::*;
use grains::{flag, summary, Row};
use trace::layout::task;
use trace::*;

/// A root that creates two children, works, and waits for them; it runs the second one itself, in
/// the wait.
fn tree() -> Golden {
    let (root, left, right) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(left, root, 10, 2); // 10 of the root's own work
    g.create(right, root, 20, 2); // 8
    g.run(1, left, 15, 65, RegionId::NONE); // 50
    g.run(0, right, 32, 52, RegionId::NONE); // 20, nested in the wait
    g.wait(root, 0, WaitKind::Taskwait, 30, 70); // after 8 more
    g.run(0, root, 0, 80, RegionId::NONE); // and 10 at the end
    g
}

#[test]
fn taskwait_joins_the_children() {
    let profile = tree().end(100);
    assert_eq!(work(&profile), [36, 50, 20]);
    assert_eq!(profile.work.0, 106);
    // root 10, left 50, root 10 after the join
    assert_eq!(span(&profile), 70);
    assert_eq!(shape(&profile, 0), "FCfcfJF");
    assert_eq!(shape(&profile, 1), "F");
    assert_eq!(shape(&profile, 2), "f");
    assert_eq!(parents(&profile), [None, Some(0), Some(0)]);
    assert_eq!(profile.wall.0, 100);
    assert!(profile.complete);
}

#[test]
fn a_wait_counts_less_what_ran_in_it_and_is_shared_by_the_joined() {
    let profile = tree().end(100);
    assert_eq!(profile.grains.wait.of(Row::new(0)).0, 40 - 20);
    // cost 2 + wait 20 / 2 siblings
    assert_eq!(profile.grains.benefit[Row::new(1)], 50.0 / 12.0);
    assert_eq!(profile.grains.benefit[Row::new(2)], 20.0 / 12.0);
    assert!(profile.grains.benefit[Row::new(0)].is_nan());
}

#[test]
fn what_cancellation_discards_is_counted_apart() {
    let (root, ran, discarded) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.create(ran, root, 10, 1);
    g.create(discarded, root, 20, 1);
    g.run(0, ran, 30, 40, RegionId::NONE);
    let flags = trace::layout::run::CANCELLED;
    let run = Run { task: discarded, ticks: 1, cpu: 0, region: RegionId::NONE, flags };
    g.put(0, 41, Record::Run(run));
    g.wait(root, 0, WaitKind::Taskwait, 25, 50);
    g.run(0, root, 0, 60, RegionId::NONE);
    let profile = g.end(60);
    let counts = summary::counts(&profile.grains);
    assert_eq!((counts.tasks, counts.discarded, counts.initial), (1, 1, 1));
    let sites = summary::sites(&profile).sites;
    assert_eq!(sites.iter().map(|site| site.count).sum::<u64>(), 3, "a task, the initial one and a wait");
}

#[test]
fn low_benefit_is_flagged() {
    let (root, child) = (id(0, 1), id(0, 2));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.create(child, root, 10, 30);
    g.run(0, child, 50, 60, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 45, 62);
    g.run(0, root, 0, 70, RegionId::NONE);
    let profile = g.end(70);
    assert_eq!(profile.grains.benefit[Row::new(1)], 10.0 / 37.0);
    assert!(profile.grains.has(Row::new(1), flag::LOW_BENEFIT));
}

#[test]
fn taskwait_leaves_grandchildren_and_taskgroup_takes_them() {
    // root: child (10) that creates a grandchild (100) and does not wait for it
    let program = |kind| {
        let (root, child, grandchild) = (id(0, 1), id(0, 2), id(0, 3));
        let mut g = Golden::new(2);
        g.initial(root, 0);
        g.create(child, root, 5, 0);
        g.create(grandchild, child, 15, 0);
        g.run(0, child, 10, 20, RegionId::NONE);
        g.run(1, grandchild, 16, 116, RegionId::NONE);
        let end = if kind == WaitKind::Taskwait { 21 } else { 120 };
        g.wait(root, 0, kind, 8, end);
        g.run(0, root, 0, end + 7, RegionId::NONE);
        g.end(200)
    };
    let taskwait = program(WaitKind::Taskwait);
    assert_eq!(work(&taskwait), [5 + 3 + 7, 10, 100]);
    // The grandchild is joined by the end of the program alone.
    assert_eq!(span(&taskwait), 5 + 5 + 100);
    assert_eq!(shape(&taskwait, 0), "FCfjf");

    let taskgroup = program(WaitKind::Taskgroup);
    assert_eq!(span(&taskgroup), 5 + 5 + 100 + 7);
    assert_eq!(shape(&taskgroup, 0), "FCfJF");
    assert_eq!(shape(&taskgroup, 1), "FCf");
}

#[test]
fn a_taskgroup_leaves_what_was_created_before_it_and_still_runs() {
    let (root, outside, inside) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(outside, root, 10, 0);
    g.create(inside, root, 12, 0);
    g.run(0, inside, 14, 20, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskgroup, 13, 21);
    g.run(1, outside, 11, 91, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 30, 92);
    g.run(0, root, 0, 95, RegionId::NONE);
    let profile = g.end(95);
    assert_eq!(span(&profile), 10 + 80 + 3);
    assert_eq!(shape(&profile, 0), "FCfcfjfJF");
}

#[test]
fn an_undeferred_child_runs_in_its_creator() {
    let (root, child) = (id(0, 1), id(0, 2));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.create_with(child, root, 10, 1, task::UNDEFERRED);
    g.run(0, child, 12, 32, RegionId::NONE);
    g.run(0, root, 0, 40, RegionId::NONE);
    let profile = g.end(40);
    assert_eq!(work(&profile), [18, 20]);
    assert_eq!(span(&profile), 38);
    assert_eq!(shape(&profile, 0), "FCF");
    assert!(profile.grains.has(Row::new(1), flag::INLINE | flag::CRITICAL));
}

#[test]
fn dependences_lengthen_the_span() {
    let (root, first, second, free) = (id(0, 1), id(0, 2), id(0, 3), id(0, 4));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(first, root, 1, 0);
    g.create(second, root, 2, 0);
    g.create(free, root, 3, 0);
    g.put(
        0,
        2,
        Record::Dep(Dep { successor: second, predecessor: first, address: 64, ..Default::default() }),
    );
    g.run(1, first, 4, 24, RegionId::NONE);
    g.run(1, second, 24, 54, RegionId::NONE);
    g.run(0, free, 5, 40, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 4, 55);
    g.run(0, root, 0, 60, RegionId::NONE);
    let profile = g.end(60);
    assert_eq!(edges(&profile), [(1, 2)]);
    assert_eq!(span(&profile), 1 + 20 + 30 + 5);
    let critical: Vec<_> = (0..4).map(|row| profile.grains.has(Row::new(row), flag::CRITICAL)).collect();
    assert_eq!(critical, [true, true, true, false]);
}

#[test]
fn locks_and_yields_take_time_but_join_nothing() {
    let root = id(0, 1);
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.wait(root, 0, WaitKind::Critical, 10, 15);
    g.run(0, root, 0, 30, RegionId::NONE);
    let profile = g.end(30);
    assert_eq!(work(&profile), [25]);
    assert_eq!(profile.grains.wait.of(Row::new(0)).0, 5);
    assert_eq!(shape(&profile, 0), "FF");
}

#[test]
fn many_tiny_tasks_are_noted() {
    let notes = |ticks: u64| {
        let root = id(0, 1);
        let mut g = Golden::new(1);
        g.initial(root, 0);
        for ordinal in 0..1000 {
            let (task, at) = (id(0, 2 + ordinal), ordinal * 10_000);
            g.create(task, root, at, 10);
            g.run(0, task, at + 20, at + 20 + ticks, RegionId::NONE);
            g.wait(root, 0, WaitKind::Taskwait, at + 15, at + 9_000);
        }
        g.run(0, root, 0, 10_000_000, RegionId::NONE);
        summary::notes(&g.end(10_000_000))
    };
    assert!(notes(300).iter().any(|note| note.contains("300 ns on average")));
    assert!(notes(5_000).is_empty());
}

#[test]
fn the_first_initial_task_begins_with_the_recording() {
    let (first, second) = (id(0, 1), id(1, 1));
    let mut g = Golden::new(2);
    g.initial(first, 30); // its first construct
    g.run(0, first, 30, 100, RegionId::NONE);
    g.initial(second, 50);
    g.run(1, second, 50, 80, RegionId::NONE);
    let profile = g.end(100);
    assert_eq!(work(&profile), [100, 30]);
    assert_eq!(span(&profile), 100);
}

#[test]
fn a_parent_is_no_successor_of_its_child() {
    let (root, child, sibling) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.create(child, root, 10, 1);
    g.create(sibling, root, 20, 1);
    g.run(0, child, 30, 40, RegionId::NONE);
    g.run(0, sibling, 50, 60, RegionId::NONE);
    for successor in [root, sibling] {
        g.put(0, 20, Record::Dep(Dep { predecessor: child, successor, ..Default::default() }));
    }
    g.run(0, root, 0, 100, RegionId::NONE);
    assert_eq!(edges(&g.end(100)), [(1, 2)]);
}

#[test]
fn tasks_are_called_short_where_they_ended() {
    let says_so = |ran: u64| {
        let mut g = Golden::new(1);
        g.initial(id(0, 1), 0);
        for task in 2..2002 {
            g.create(id(0, task), id(0, 1), task, 1);
        }
        for task in 2..2 + ran {
            g.run(0, id(0, task), 3000 + 10 * task, 3005 + 10 * task, RegionId::NONE);
        }
        summary::notes(&g.killed()).iter().any(|note| note.contains("tasks are short, 5 ns"))
    };
    assert!(says_so(2000) && says_so(1000));
    assert!(!says_so(0) && !says_so(999));
}
