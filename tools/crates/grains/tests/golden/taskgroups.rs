// SPDX-License-Identifier: Apache-2.0
//! Golden recordings that say where taskgroups begin.

use crate::build::*;
use grains::{flag, Row};
use trace::*;

#[test]
fn a_taskgroup_leaves_earlier_children_also_when_they_have_ended() {
    let (root, before, inside) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(before, root, 10, 0);
    g.run(1, before, 11, 51, RegionId::NONE); // 40, ended long before the group does
    g.create(inside, root, 22, 0);
    g.run(0, inside, 30, 60, RegionId::NONE); // 30
    g.group(root, 0, 20, 25, 61);
    g.wait(root, 0, WaitKind::Taskwait, 66, 67);
    g.run(0, root, 0, 70, RegionId::NONE);
    let profile = g.end(70);
    // root 10 + 12 + 3 + 5 + 3
    assert_eq!(work(&profile), [33, 40, 30]);
    // The group's path is 22 + 30 + 5; the other child's, 10 + 40, is joined by the taskwait and
    // shorter.
    assert_eq!(span(&profile), 57 + 3);
    assert_eq!(shape(&profile, 0), "FcFCfJFJF");
    assert_eq!(joined_by(&profile), [None, Some(1), Some(0)]);
    // Nobody else shares the wait of the group: 36 less the 30 that ran in it.
    assert_eq!(profile.grains.benefit[Row::new(2)], 30.0 / 6.0);
}

#[test]
fn a_taskgroup_takes_descendants_of_what_was_created_in_it() {
    let (root, child, grandchild) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(child, root, 5, 0);
    g.create(grandchild, child, 15, 0);
    g.run(0, child, 10, 20, RegionId::NONE);
    g.run(1, grandchild, 16, 116, RegionId::NONE);
    g.group(root, 0, 3, 8, 120);
    g.run(0, root, 0, 127, RegionId::NONE);
    let profile = g.end(127);
    assert_eq!(span(&profile), 5 + 5 + 100 + 7);
    assert_eq!(shape(&profile, 0), "FCfJF");
    assert_eq!(joined_by(&profile), [None, Some(0), Some(0)]);
}

#[test]
fn a_taskgroup_leaves_descendants_of_earlier_children() {
    let (root, child, grandchild) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(child, root, 5, 0);
    g.create(grandchild, child, 15, 0);
    g.run(1, child, 10, 20, RegionId::NONE);
    g.run(1, grandchild, 21, 51, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 8, 21);
    g.wait(root, 0, WaitKind::Lock, 22, 50);
    g.group(root, 0, 51, 52, 53); // empty
    g.run(0, root, 0, 60, RegionId::NONE);
    let profile = g.end(60);
    // The path of the grandchild; the root's is 5 + 10 in the child + 1 + 2 + 7.
    assert_eq!(span(&profile), 5 + 5 + 30);
    assert_eq!(shape(&profile, 0), "FCfjffjf");
    assert_eq!(shape(&profile, 1), "FCf");
}

#[test]
fn nested_taskgroups_end_from_the_inside() {
    let (root, outer, inner, late) = (id(0, 1), id(0, 2), id(0, 3), id(0, 4));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(outer, root, 2, 0);
    g.run(1, outer, 3, 23, RegionId::NONE); // 20, ended before the inner group does
    g.create(inner, root, 5, 0);
    g.run(0, inner, 7, 17, RegionId::NONE); // 10
    g.group(root, 0, 4, 6, 30);
    g.create(late, root, 32, 0); // of the outer group again
    g.run(1, late, 33, 73, RegionId::NONE); // 40
    g.group(root, 0, 1, 35, 74);
    g.run(0, root, 0, 75, RegionId::NONE);
    let profile = g.end(75);
    assert_eq!(joined_by(&profile), [None, Some(1), Some(0), Some(1)]);
    // root 5, inner 10, root 2, late 40, root 1
    assert_eq!(span(&profile), 58);
    assert_eq!(shape(&profile, 0), "FcFCfJFCfJF");
}

#[test]
fn a_taskgroup_of_a_task_that_runs_in_a_wait_is_its_own() {
    let (root, first, second, part) = (id(0, 1), id(0, 2), id(0, 3), id(0, 4));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create(first, root, 2, 0);
    g.create(second, root, 4, 0);
    g.run(1, first, 3, 13, RegionId::NONE); // 10
    g.create(part, second, 22, 0);
    g.run(1, part, 23, 53, RegionId::NONE); // 30
    g.group(second, 0, 21, 25, 54);
    g.run(0, second, 20, 60, RegionId::NONE); // 2 + 3 + 6 of its own, in the wait of the root
    g.group(root, 0, 1, 6, 61);
    g.run(0, root, 0, 63, RegionId::NONE);
    let profile = g.end(63);
    assert_eq!(work(&profile), [8, 10, 11, 30]);
    assert_eq!(span(&profile), 4 + 2 + 30 + 6 + 2);
    assert_eq!(joined_by(&profile), [None, Some(1), Some(1), Some(0)]);
    assert_eq!(shape(&profile, 2), "FCfJF");
}

#[test]
fn a_group_that_a_kill_left_open_joins_nothing() {
    let (root, done, child, grandchild) = (id(0, 1), id(0, 2), id(0, 3), id(0, 4));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.put(0, 5, Record::GroupBegin { task: root });
    g.create(done, root, 10, 0);
    g.create(child, root, 20, 0);
    g.put(1, 31, Record::GroupBegin { task: child });
    g.create(grandchild, child, 40, 0);
    g.run(1, done, 12, 30, RegionId::NONE);
    let profile = g.killed();
    // The child is known to have run from its group's beginning until it created the grandchild.
    assert_eq!(work(&profile), [20, 18, 9, 0]);
    assert_eq!(span(&profile), 29);
    assert!(profile.joined_by.iter().all(Option::is_none));
    assert!(profile.grains.has(Row::new(0), flag::UNFINISHED));
}

#[test]
fn a_group_end_without_its_beginning_takes_what_has_ended() {
    let (root, child) = (id(0, 1), id(0, 2));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.group(root, 0, 1, 2, 3);
    g.create(child, root, 10, 0);
    g.run(1, child, 11, 51, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskgroup, 12, 52); // its beginning was lost
    g.run(0, root, 0, 60, RegionId::NONE);
    let profile = g.end(60);
    assert_eq!(joined_by(&profile), [None, Some(1)]);
    assert_eq!(span(&profile), 2 + 7 + 40 + 8);
}
