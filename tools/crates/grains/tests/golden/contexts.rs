// SPDX-License-Identifier: Apache-2.0
//! Golden recordings of tasks that are suspended when they wait, so that the tasks of one worker
//! are not nested in time.

use crate::build::*;
use grains::preemptions::{preemptions, Preemption};
use grains::priorities::{priorities, Times};
use grains::{Profile, Row, Ticks};
use trace::layout::task;
use trace::*;

/// A root that creates two tasks and waits for them, on one worker. Each of the two has a child
/// that another worker runs, and waits for it: the first [20,60]; by its side, from 25 on, the
/// second [35,75]. The first goes on earlier, and ends while the second still waits.
fn side_by_side() -> Golden {
    let (root, first, second) = (id(0, 1), id(0, 2), id(0, 3));
    let (firsts, seconds) = (id(0, 4), id(0, 5));
    let mut g = Golden::new(3);
    g.initial(root, 0);
    g.create(first, root, 4, 1); // 4 of the root's own work
    g.create(second, root, 6, 1); // 1
    g.create(firsts, first, 15, 1); // 5
    g.create(seconds, second, 30, 1); // 5
    g.run(1, firsts, 18, 58, RegionId::NONE); // 40
    g.left(first, 0, WaitKind::Taskwait, 20, 60, 1); // after 4 more
    g.run(0, first, 10, 66, RegionId::NONE); // 6
    g.run(2, seconds, 33, 73, RegionId::NONE); // 40
    g.left(second, 0, WaitKind::Taskwait, 35, 75, 1); // after 4 more
    g.run(0, second, 25, 85, RegionId::NONE); // 10
    g.left(root, 0, WaitKind::Taskwait, 8, 90, 2); // after 1 more
    g.run(0, root, 0, 100, RegionId::NONE); // 10
    g
}

/// What each wait has cost its worker, by the task that waited.
fn lost(profile: &Profile) -> Vec<u64> {
    profile.grains.wait.iter().map(|wait| wait.0).collect()
}

#[test]
fn tasks_by_the_side_of_a_wait_are_cut_as_others() {
    let profile = side_by_side().end(100);
    assert_eq!(work(&profile), [4 + 1 + 1 + 10, 5 + 4 + 6, 5 + 4 + 10, 40, 40]);
    assert_eq!(shape(&profile, 0), "FcFCfJF");
    assert_eq!(shape(&profile, 1), "fcfjf");
    assert_eq!(shape(&profile, 2), "FCfJF");
    // root 5, second 5, its child 40, second 10, root 10
    assert_eq!(span(&profile), 5 + 5 + 40 + 10 + 10);
    assert_eq!(parents(&profile), [None, Some(0), Some(0), Some(1), Some(2)]);
    assert_eq!(*profile.grains.worker, [0, 0, 0, 1, 2]);
}

#[test]
fn fragments_of_a_worker_do_not_overlap() {
    let profile = side_by_side().end(100);
    let fragments = &profile.fragments;
    let of_worker_0 = |&row: &usize| profile.grains.worker[fragments.grain[row]] == 0;
    let mut stretches: Vec<_> = (0..fragments.grain.len())
        .filter(of_worker_0)
        .map(|row| (fragments.start(row as u32), fragments.end(row as u32)))
        .collect();
    stretches.sort();
    assert!(stretches.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{stretches:?}");
}

#[test]
fn what_a_worker_loses_counts_once() {
    let profile = side_by_side().end(100);
    // 20-25 to the first; 35-60 and 66-75 to the second, which waited at that time, too, and had
    // begun later; 8-10 and 85-90 to the root.
    assert_eq!(lost(&profile), [2 + 5, 5, 25 + 9, 0, 0]);
    // The worker's 100 are work, creation and loss.
    let worker_0 =
        [0, 1, 2].map(Row::new).map(|row| profile.grains.work.of(row).0 + profile.grains.wait.of(row).0);
    let creation: u64 = profile.grains.creation.iter().map(|cost| cost.0).sum();
    assert_eq!(worker_0.iter().sum::<u64>() + creation, 100);
}

/// A task [10,80] is preempted [20,50] by one [22,45] of higher priority, which waits meanwhile
/// [30,40] for a child that it has run at once: undeferred.
#[test]
fn a_preempted_task_does_not_work() {
    let (root, low, high, child) = (id(0, 1), id(0, 2), id(1, 1), id(0, 3));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    // The worker is asked three times: at 19, and low gives way a tick later; at 60, when there is
    // nothing to run; and at 79, too late.
    request(&mut g, low, 19, 1, RequestEnd::Preempted);
    request(&mut g, low, 60, 2, RequestEnd::Nothing);
    request(&mut g, TaskId::NONE, 79, 2, RequestEnd::ByItself);
    g.create(low, root, 5, 0);
    g.put(1, 18, Record::Priority { task: high, priority: 3 });
    g.create(high, root, 18, 0);
    g.create_with(child, high, 30, 0, task::UNDEFERRED);
    g.run(0, child, 30, 40, RegionId::NONE);
    g.run(0, high, 22, 45, RegionId::NONE);
    g.left(low, 0, WaitKind::Preempted, 20, 50, 1);
    g.run(0, low, 10, 80, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 8, 82);
    g.run(0, root, 0, 90, RegionId::NONE);
    let profile = g.end(90);
    assert_eq!(work(&profile), [8 + 8, 10 + 30, 10, 8 + 5]);
    assert_eq!(lost(&profile), [2 + 2, 2 + 5, 0, 0]);
    assert_eq!(shape(&profile, 1), "FF");
    // Low was ready at 5 and ran at 10; high at 18 and 22. Its child is no matter of priorities.
    let found: Vec<_> = priorities(&profile)
        .iter()
        .map(|row| (row.priority, row.delays.clone(), row.turnarounds.clone(), row.suspended))
        .collect();
    assert_eq!(found, [(3, times(&[4]), times(&[45 - 18]), 0), (0, times(&[5]), times(&[80 - 5]), 0)]);
    let found: Vec<_> = priorities(&profile)
        .iter()
        .map(|row| (row.preempted_tasks, row.away.clone(), row.preempting_tasks, row.preempting))
        .collect();
    assert_eq!(found, [(0, times(&[]), 1, 1), (1, times(&[30]), 0, 0)]);
    let rows = priorities(&profile);
    assert_eq!((rows[0].to_switch.clone(), rows[0].gained.clone()), (times(&[1]), times(&[30])));
    assert_eq!((rows[0].requests, rows[0].not_worth), (3, 2));
    let (preempted, by) = (profile.task_row(low).unwrap(), profile.task_row(high));
    let (left, back, lost) = (Ticks(20), Ticks(50), Ticks(2 + 5));
    let (to_switch, rest) = (Some(Ticks(1)), Ticks(30));
    assert_eq!(preemptions(&profile), [Preemption { preempted, by, left, back, lost, to_switch, rest }]);
}

fn times(ticks: &[u64]) -> Times {
    Times(ticks.iter().copied().map(Ticks).collect())
}

fn request(g: &mut Golden, task: TaskId, at: u64, ticks: u64, end: RequestEnd) {
    g.put(0, at, Record::Request(Request { task, ticks, priority: 3, end }));
}

/// A task [10,100] is preempted [20,30] and [40,50], waits for a lock [60,70], and waits for its
/// children from 80 on. During this last wait, other tasks may begin. The preempting tasks are not
/// recorded.
#[test]
fn what_is_gained_ends_where_the_task_waits() {
    let (root, low, high) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.put(0, 5, Record::Priority { task: high, priority: 1 });
    g.create(low, root, 4, 0);
    g.create(high, root, 5, 0);
    g.left(low, 0, WaitKind::Preempted, 20, 30, 1);
    g.left(low, 0, WaitKind::Preempted, 40, 50, 1);
    g.wait(low, 0, WaitKind::Lock, 60, 70);
    g.wait(low, 0, WaitKind::Taskwait, 80, 90);
    g.run(0, low, 10, 100, RegionId::NONE);
    g.run(0, high, 101, 102, RegionId::NONE);
    g.run(0, root, 0, 110, RegionId::NONE);
    let profile = g.end(110);
    let found: Vec<_> = preemptions(&profile).iter().map(|one| (one.by, one.to_switch, one.rest)).collect();
    assert_eq!(found, [(None, None, Ticks(10 + 30)), (None, None, Ticks(30))]);
}

/// When an undeferred task has ended, its creator continues on the same worker.
#[test]
fn what_is_gained_goes_on_with_the_creator_of_an_undeferred_task() {
    let (root, low, child, high) = (id(0, 1), id(0, 2), id(0, 3), id(0, 4));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.create(low, root, 4, 0);
    g.put(0, 5, Record::Priority { task: high, priority: 1 });
    g.create(high, root, 5, 0);
    g.create_with(child, low, 20, 0, task::UNDEFERRED);
    g.run(0, high, 31, 38, RegionId::NONE);
    g.left(child, 0, WaitKind::Preempted, 30, 40, 1);
    g.run(0, child, 20, 50, RegionId::NONE);
    g.run(0, low, 10, 100, RegionId::NONE);
    g.run(0, root, 0, 110, RegionId::NONE);
    let profile = g.end(110);
    let found: Vec<_> = preemptions(&profile).iter().map(|one| (one.by, one.rest)).collect();
    assert_eq!(found, [(profile.task_row(high), Ticks(60))]);
}

#[test]
fn a_task_is_ready_when_what_it_depends_on_has_finished() {
    let [root, first, second, late] = [1, 2, 3, 4].map(|ordinal| id(0, ordinal));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create_with(first, root, 5, 1, task::DETACHABLE);
    g.put(0, 8, Record::Priority { task: second, priority: 2 });
    g.create(second, root, 8, 3);
    g.put(0, 8, Record::Dep(Dep { successor: second, predecessor: first, ..Dep::default() }));
    g.run(1, first, 10, 20, RegionId::NONE);
    g.put(1, 30, Record::Fulfil(Fulfil { task: first, ticks: 0, flags: trace::layout::fulfil::LATE }));
    g.run(1, second, 37, 50, RegionId::NONE);
    g.put(0, 60, Record::Priority { task: late, priority: 2 });
    g.create(late, root, 60, 3);
    g.put(0, 60, Record::Dep(Dep { successor: late, predecessor: first, ..Dep::default() }));
    g.run(1, late, 64, 70, RegionId::NONE);
    g.run(0, root, 0, 90, RegionId::NONE);
    let rows = priorities(&g.end(90));
    let delays: Vec<_> = rows.iter().map(|row| (row.priority, row.delays.clone())).collect();
    // From the fulfilment at 30; of the later one, from its creation at 63.
    assert_eq!(delays, [(2, times(&[1, 7])), (0, times(&[4]))]);
}

#[test]
fn where_all_tasks_have_one_priority_they_do_not_matter() {
    assert!(priorities(&side_by_side().end(100)).is_empty());
    let mut g = side_by_side();
    for (stream, ordinal) in [(0, 2), (0, 3), (0, 4), (0, 5)] {
        g.put(stream, 99, Record::Priority { task: id(stream, ordinal), priority: 1 });
    }
    assert!(priorities(&g.end(100)).is_empty(), "the root is no explicit task");
}

#[test]
fn suspensions_are_counted_by_priority() {
    let mut g = side_by_side();
    g.put(0, 99, Record::Priority { task: id(0, 3), priority: 1 });
    let rows = priorities(&g.end(100));
    let suspended: Vec<_> = rows.iter().map(|row| (row.priority, row.suspended)).collect();
    assert_eq!(suspended, [(1, 1), (0, 1)], "the root is no explicit task");
}

/// Worker 0 runs a task of priority 0 [10,20], then one of priority 1 [22,30] although one of
/// priority 2 has been ready since 12, then this one [32,40]. Another task of priority 2 becomes
/// ready at 21, when the worker may already have chosen. A third one is ready at 13, and worker 1,
/// which is idle, starts it at 23.
#[test]
fn a_task_is_overtaken_if_it_was_ready_before_the_choice() {
    let [root, first, low, high, late, other] = [1, 2, 3, 4, 5, 6].map(|ordinal| id(0, ordinal));
    let mut g = Golden::new(3);
    g.initial(root, 0);
    for (task, priority) in [(low, 1), (high, 2), (late, 2), (other, 2)] {
        g.put(2, 1, Record::Priority { task, priority });
    }
    g.create(first, root, 4, 1);
    g.create(low, root, 6, 1);
    g.create(high, root, 11, 1);
    g.create(other, root, 12, 1);
    g.create(late, root, 20, 1);
    g.run(0, first, 10, 20, RegionId::NONE);
    g.run(0, low, 22, 30, RegionId::NONE);
    g.run(0, high, 32, 40, RegionId::NONE);
    g.run(0, late, 41, 45, RegionId::NONE);
    g.run(1, other, 23, 50, RegionId::NONE);
    g.run(2, root, 0, 60, RegionId::NONE);
    let found: Vec<_> = priorities(&g.end(60)).iter().map(|row| (row.priority, row.overtaken)).collect();
    assert_eq!(found, [(2, 1), (1, 0), (0, 0)]);
}

/// Worker 0 runs a task of priority 0 [10,30], which is preempted by one of priority 1 [31,40]. One
/// of priority 2 has been ready since 29, when the worker may already have chosen. In the second
/// part, one of priority 2 was ready before the preempted task began.
#[test]
fn who_preempts_was_chosen_before_the_preempted_task_left() {
    let overtaken = |ready: u64| {
        let [root, low, middle, high] = [1, 2, 3, 4].map(|ordinal| id(0, ordinal));
        let mut g = Golden::new(2);
        g.initial(root, 0);
        for (task, priority) in [(middle, 1), (high, 2)] {
            g.put(1, 1, Record::Priority { task, priority });
        }
        g.create(low, root, 2, 1);
        g.create(middle, root, 4, 1);
        g.create(high, root, ready, 1);
        g.left(low, 0, WaitKind::Preempted, 30, 50, 1);
        g.run(0, low, 10, 60, RegionId::NONE);
        g.run(0, middle, 31, 40, RegionId::NONE);
        g.run(0, high, 41, 45, RegionId::NONE);
        g.run(1, root, 0, 70, RegionId::NONE);
        priorities(&g.end(70))[0].overtaken
    };
    assert_eq!([overtaken(6), overtaken(28)], [1, 0]);
}
