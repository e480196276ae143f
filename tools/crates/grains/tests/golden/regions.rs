// SPDX-License-Identifier: Apache-2.0
//! Golden recordings of parallel regions, loops and killed programs.

use crate::build::*;
use grains::{flag, summary, Row, NONE};
use trace::*;

/// Two implicit tasks, a barrier between, and the join. The master's part runs on top of the
/// initial task.
///
///     stream 0:  |10 initial| 30 | barrier | 20 | join | 10 initial|
///     stream 1:              | 40 | barrier |  5 |
fn two_with_barrier() -> Golden {
    let (root, master, other) = (id(0, 1), id(0, 2), id(1, 1));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    let begin = Region { region: region(1), parent: root, site: 1, threads: 2, requested: 2, level: 1 };
    g.put(0, 10, Record::Region(begin));
    g.implicit(master, root, region(1), 12);
    g.implicit(other, root, region(1), 15);
    g.wait(master, 0, WaitKind::Barrier, 42, 58);
    g.wait(other, 1, WaitKind::Barrier, 55, 58);
    g.wait(other, 1, WaitKind::RegionEnd, 63, 80);
    g.run(1, other, 15, 80, region(1));
    g.wait(master, 0, WaitKind::RegionEnd, 78, 80);
    g.run(0, master, 12, 80, region(1));
    g.put(0, 82, Record::RegionEnd { region: region(1) });
    g.run(0, root, 0, 92, RegionId::NONE);
    g
}

#[test]
fn a_barrier_joins_the_team() {
    let profile = two_with_barrier().end(100);
    assert_eq!(work(&profile), [20, 50, 45]);
    // initial 10, other until the barrier 40, master after it 20, initial 10
    assert_eq!(span(&profile), 80);
    assert_eq!(shape(&profile, 0), "FRF");
    assert_eq!(shape(&profile, 1), "fJFJ");
    assert_eq!(shape(&profile, 2), "Fjfj");
    assert_eq!(parents(&profile), [None, Some(0), Some(0)]);
    assert_eq!(profile.regions[Row::new(0)].end.0, 82);
}

#[test]
fn a_barrier_joins_tasks_of_any_member() {
    let (root, master, other, task) = (id(0, 1), id(0, 2), id(1, 1), id(1, 2));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    let begin = Region { region: region(1), parent: root, threads: 2, ..Default::default() };
    g.put(0, 0, Record::Region(begin));
    g.implicit(master, root, region(1), 0);
    g.implicit(other, root, region(1), 0);
    g.create(task, other, 5, 0);
    g.run(0, task, 10, 60, region(1));
    g.wait(other, 1, WaitKind::RegionEnd, 6, 60);
    g.wait(master, 0, WaitKind::RegionEnd, 8, 60);
    g.run(1, other, 0, 60, region(1));
    g.run(0, master, 0, 60, region(1));
    g.put(0, 60, Record::RegionEnd { region: region(1) });
    g.run(0, root, 0, 63, RegionId::NONE);
    let profile = g.end(63);
    assert_eq!(span(&profile), 5 + 50 + 3);
    assert_eq!(profile.grains.wait.of(Row::new(1)).0, 52 - 50);
}

#[test]
fn chunks_are_grains_of_their_thread() {
    let (root, master) = (id(0, 1), id(0, 2));
    let loop_id = LoopId::new(0, 1);
    let mut g = Golden::new(1);
    g.initial(root, 0);
    let begin = Region { region: region(1), parent: root, threads: 1, ..Default::default() };
    g.put(0, 0, Record::Region(begin));
    g.implicit(master, root, region(1), 0);
    let info =
        Loop { id: loop_id, region: region(1), ub: 8, step: 1, chunk: 4, flags: 2, ..Default::default() };
    g.put(0, 10, Record::Loop(info));
    let chunk = |first, ticks| Chunk { id: loop_id, task: master, first, iterations: 4, ticks, cpu: 0 };
    g.put(0, 12, Record::Chunk(chunk(0, 20)));
    g.put(0, 37, Record::Chunk(chunk(4, 3)));
    g.put(0, 10, Record::LoopThread(LoopThread { id: loop_id, task: master, ticks: 31 }));
    g.wait(master, 0, WaitKind::RegionEnd, 41, 42);
    g.run(0, master, 0, 42, region(1));
    g.put(0, 42, Record::RegionEnd { region: region(1) });
    g.run(0, root, 0, 42, RegionId::NONE);
    let profile = g.end(42);
    // Before the chunks 2 and 5 are book-keeping: 10 + 1 are the implicit task's.
    assert_eq!(work(&profile), [0, 11, 20, 3]);
    assert_eq!(span(&profile), 34);
    assert_eq!(shape(&profile, 1), "FKKFJ");
    assert_eq!(parents(&profile)[2..], [Some(1), Some(1)]);
    let book_keeping: Vec<_> = profile.grains.creation.iter().skip(2).map(|cost| cost.0).collect();
    assert_eq!(book_keeping, [2, 5]);
    assert_eq!(profile.grains.benefit.as_slice()[2..], [10.0, 0.6]);
    assert!(profile.grains.has(Row::new(3), flag::LOW_BENEFIT));
    assert_eq!((profile.chunks[Row::new(1)].first, profile.chunks[Row::new(1)].iterations), (4, 4));
}

#[test]
fn a_task_created_in_a_chunk_has_the_chunk_as_parent() {
    let (root, task) = (id(0, 1), id(0, 2));
    let loop_id = LoopId::new(0, 1);
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.put(0, 0, Record::Loop(Loop { id: loop_id, ..Default::default() }));
    g.create(task, root, 10, 0);
    let chunk = Chunk { id: loop_id, task: root, first: 0, iterations: 1, ticks: 20, cpu: 0 };
    g.put(0, 5, Record::Chunk(chunk));
    g.run(1, task, 12, 72, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 30, 73);
    g.run(0, root, 0, 75, RegionId::NONE);
    let profile = g.end(75);
    assert_eq!(parents(&profile), [None, Some(2), Some(0)]);
    assert_eq!(shape(&profile, 0), "FKfJF");
    assert_eq!(shape(&profile, 2), "FCf");
    assert_eq!(span(&profile), 5 + 5 + 60 + 2);
}

#[test]
fn a_killed_recording_counts_what_was_recorded() {
    let (root, done, running) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(done, root, 10, 2);
    g.create(running, root, 20, 2);
    g.run(1, done, 15, 45, RegionId::NONE);
    let profile = g.killed();
    assert!(!profile.complete);
    assert_eq!(work(&profile), [18, 30, 0]);
    assert_eq!(profile.wall.0, 45);
    assert_eq!(span(&profile), 40);
    assert!(
        profile.grains.has(Row::new(0), flag::UNFINISHED)
            && profile.grains.has(Row::new(2), flag::UNFINISHED)
    );
    let notes = summary::notes(&profile);
    assert!(notes[0].starts_with("Incomplete") && notes[1].contains("2 grains"), "{notes:?}");
}

#[test]
fn records_about_unknown_things_are_left_out_and_counted() {
    let (root, orphan) = (id(0, 1), id(0, 2));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.create(orphan, id(7, 7), 5, 0);
    g.run(0, id(3, 9), 5, 9, RegionId::NONE);
    g.run(0, orphan, 6, 16, RegionId::NONE);
    g.run(0, root, 0, 5, RegionId::NONE);
    let profile = g.end(20);
    assert_eq!((profile.strays.unknown, profile.strays.rootless), (2, 1));
    assert_eq!(profile.work.0, 15);
    assert_eq!(span(&profile), 10);
}

#[test]
fn a_circle_of_inline_tasks_ends() {
    let (a, b) = (id(0, 1), id(0, 2));
    let mut g = Golden::new(1);
    let inline = trace::layout::task::INCLUDED;
    g.create_with(a, b, 5, 0, inline);
    g.create_with(b, a, 6, 0, inline);
    g.run(0, a, 5, 20, RegionId::NONE);
    g.run(0, b, 6, 20, RegionId::NONE);
    let profile = g.end(20);
    assert_eq!(profile.strays.rootless, 1);
    assert_eq!(profile.fork_item.iter().filter(|&&item| item == NONE).count(), 1);
}
