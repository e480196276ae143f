// SPDX-License-Identifier: Apache-2.0
//! Golden recordings of edges between tasks other than those of creation and joining.

use crate::build::*;
use grains::{flag, Row};
use trace::layout::{doacross, fulfil, schedule, task};
use trace::*;

/// A region of two, [10,end], of an initial task that ends 3 later.
fn two(g: &mut Golden, end: u64) -> [TaskId; 3] {
    let [root, master, other] = [id(0, 1), id(0, 2), id(1, 1)];
    g.initial(root, 0);
    let begin = Region { region: region(1), parent: root, threads: 2, ..Default::default() };
    g.put(0, 10, Record::Region(begin));
    g.implicit(master, root, region(1), 10);
    g.implicit(other, root, region(1), 10);
    g.put(0, end, Record::RegionEnd { region: region(1) });
    g.run(0, root, 0, end + 3, RegionId::NONE);
    [root, master, other]
}

/// What a member does at the end of its region.
fn leave(g: &mut Golden, member: TaskId, from: u64, end: u64) {
    let stream = member.stream();
    g.wait(member, stream, WaitKind::RegionEnd, from, end);
    g.run(stream, member, 10, end, region(1));
}

fn hold(g: &mut Golden, task: TaskId, kind: LockKind, waited: u64, had: u64, until: u64) {
    let lock = Lock { task, address: 64, waited, held: until - had, site: 1, kind };
    g.put(task.stream(), had, Record::Lock(lock));
}

#[test]
fn holds_of_a_lock_are_a_chain() {
    let mut g = Golden::new(2);
    let [_, master, other] = two(&mut g, 100);
    hold(&mut g, master, LockKind::Lock, 0, 12, 42); // 30
    hold(&mut g, other, LockKind::Lock, 27, 42, 72); // 30
    hold(&mut g, master, LockKind::Lock, 20, 73, 93); // 20; 10 of its own between
    leave(&mut g, master, 94, 100);
    leave(&mut g, other, 80, 100);
    let profile = g.end(103);
    // initial 10, master 2, the holds, 1 behind, initial 3
    assert_eq!(span(&profile), 10 + 2 + 30 + 30 + 20 + 1 + 3);
    // Without an order the holds are the longest chain; the master's own path is one of 77.
    assert_eq!(profile.span_any_schedule.0, 30 + 30 + 20);
    assert_eq!(shape(&profile, 1), "FAFLfAFLFJ");
    assert_eq!(shape(&profile, 2), "fAFLfj");
}

#[test]
fn the_holds_of_one_lock_bound_any_schedule() {
    let mut g = Golden::new(2);
    let [_, master, other] = two(&mut g, 100);
    hold(&mut g, master, LockKind::Critical, 0, 12, 52);
    hold(&mut g, other, LockKind::Critical, 41, 52, 92);
    leave(&mut g, master, 52, 100);
    leave(&mut g, other, 92, 100);
    let profile = g.end(103);
    assert_eq!(span(&profile), 10 + 2 + 40 + 40 + 3);
    assert_eq!(profile.span_any_schedule.0, 80);
}

#[test]
fn ordered_regions_hold_their_order_in_any_schedule() {
    let mut g = Golden::new(2);
    let [_, master, other] = two(&mut g, 100);
    hold(&mut g, master, LockKind::Ordered, 0, 12, 52);
    hold(&mut g, other, LockKind::Ordered, 41, 52, 92);
    leave(&mut g, master, 52, 100);
    leave(&mut g, other, 92, 100);
    let profile = g.end(103);
    assert_eq!((span(&profile), profile.span_any_schedule.0), (95, 95));
}

#[test]
fn iterations_of_a_loop_are_independent_but_chunks_ran_one_after_the_other() {
    let program = |flags| {
        let mut g = Golden::new(2);
        let [_, master, other] = two(&mut g, 100);
        let id_of_loop = LoopId::new(0, 1);
        g.put(0, 11, Record::Loop(Loop { id: id_of_loop, flags, ..Default::default() }));
        let mut chunk = |task: TaskId, at, ticks, iterations| {
            let chunk = Chunk { id: id_of_loop, task, first: 0, iterations, ticks, cpu: 0 };
            g.put(task.stream(), at, Record::Chunk(chunk));
        };
        chunk(master, 12, 40, 4);
        chunk(master, 52, 30, 2);
        chunk(other, 12, 24, 1);
        for task in [master, other] {
            let part = LoopThread { id: id_of_loop, task, ticks: 75 };
            g.put(task.stream(), 10, Record::LoopThread(part));
        }
        leave(&mut g, master, 82, 100);
        leave(&mut g, other, 36, 100);
        g.end(103)
    };
    let profile = program(schedule::DYNAMIC);
    assert_eq!(span(&profile), 10 + 40 + 30 + 3);
    // The longest iteration is the other's, of 24; the master's are of 10 and 15.
    assert_eq!(profile.span_any_schedule.0, 10 + 24 + 3);
    let ordered = program(schedule::DYNAMIC | schedule::ORDERED);
    assert_eq!(ordered.span_any_schedule, ordered.span);
}

#[test]
fn a_sink_goes_on_from_its_source() {
    let mut g = Golden::new(2);
    let [_, master, other] = two(&mut g, 100);
    let id_of_loop = LoopId::new(0, 1);
    g.put(0, 11, Record::Loop(Loop { id: id_of_loop, ..Default::default() }));
    let mut point = |task: TaskId, at, iteration, waited, flags| {
        let point = Doacross { id: id_of_loop, task, iteration, waited, ticks: 0, flags };
        g.put(task.stream(), at, Record::Doacross(point));
    };
    point(master, 50, 0, 0, doacross::SOURCE);
    point(other, 55, 0, 43, doacross::SINK); // of its own 2 before
    point(other, 60, 7, 0, doacross::SINK); // nobody posts it
    leave(&mut g, master, 52, 100);
    leave(&mut g, other, 90, 100);
    let profile = g.end(103);
    assert_eq!(span(&profile), 10 + 40 + 35 + 3);
    assert_eq!(profile.span_any_schedule, profile.span);
    assert_eq!(shape(&profile, 2), "fWFWFj");
}

/// A detachable task whose body ends at 15; another one fulfils its event at 60.
fn detached(late: bool) -> Golden {
    let [root, body, other, after] = [1, 2, 3, 4].map(|ordinal| id(0, ordinal));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create_with(body, root, 5, 0, task::DETACHABLE);
    g.create(other, root, 6, 0);
    g.create(after, root, 7, 0);
    g.put(0, 7, Record::Dep(Dep { successor: after, predecessor: body, ..Dep::default() }));
    g.run(0, body, 10, 15, RegionId::NONE);
    g.put(1, 60, Record::Fulfil(Fulfil { task: body, ticks: 0, flags: if late { fulfil::LATE } else { 0 } }));
    g.run(1, other, 10, 70, RegionId::NONE);
    g.run(0, after, 61, 81, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 8, 82);
    g.run(0, root, 0, 85, RegionId::NONE);
    g
}

#[test]
fn a_late_fulfilment_ends_its_task() {
    let profile = detached(true).end(85);
    // root 6, the other one 50 until it fulfils the event, what depends on it 20, root 3
    assert_eq!(span(&profile), 6 + 50 + 20 + 3);
    assert_eq!(shape(&profile, 2), "FDf");
    assert!(
        !profile.grains.has(Row::new(1), flag::CRITICAL) && profile.grains.has(Row::new(2), flag::CRITICAL)
    );
    assert_eq!(joined_by(&profile), [None, Some(0), Some(0), Some(0)]);
}

#[test]
fn a_taskwait_with_depend_clauses_joins_what_is_named() {
    let [root, named, short] = [1, 2, 3].map(|ordinal| id(0, ordinal));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(named, root, 5, 0);
    g.create(short, root, 6, 0);
    g.run(1, short, 7, 57, RegionId::NONE); // by chance it has ended, too
    g.run(0, named, 60, 70, RegionId::NONE);
    g.put(
        0,
        8,
        Record::Dep(Dep { successor: root, predecessor: named, of_wait: true, ..Default::default() }),
    );
    g.wait(root, 0, WaitKind::Depend, 7, 72);
    g.wait(root, 0, WaitKind::Taskwait, 92, 93);
    g.run(0, root, 0, 95, RegionId::NONE);
    let profile = g.end(95);
    assert_eq!(joined_by(&profile), [None, Some(0), Some(1)]);
    assert_eq!(span(&profile), 6 + 50 + 2);
    assert!(profile.edges.is_empty());
}

#[test]
fn what_is_left_open_is_joined_where_it_is() {
    // A member's task leaves a child that outlives it: the barrier joins that, not a taskwait.
    let mut g = Golden::new(2);
    let [_, master, other] = two(&mut g, 100);
    let (task, grandchild) = (id(0, 3), id(0, 4));
    g.create(task, master, 15, 0);
    g.create(grandchild, task, 20, 0);
    g.run(0, task, 18, 25, region(1));
    g.run(1, grandchild, 22, 82, region(1));
    g.wait(master, 0, WaitKind::Taskwait, 16, 26);
    leave(&mut g, master, 30, 100);
    leave(&mut g, other, 12, 100);
    let profile = g.end(103);
    assert_eq!(joined_by(&profile)[2], Some(0));
    assert!(profile.barrier_of[profile.joined_by[Row::new(3)].unwrap()].is_some());
    assert_eq!(span(&profile), 10 + 5 + 2 + 60 + 3);
}
