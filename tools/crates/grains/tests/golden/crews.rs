// SPDX-License-Identifier: Apache-2.0
//! Several threads of a program that have regions of their own at the same time.

use grains::predict::{Changes, Limit, Predictor};
use grains::Profile;
use trace::layout::thread;
use trace::*;

use crate::asleep::off;
use crate::build::{id, Golden};
use crate::findings::{found, MS};
use crate::predict::{point, times};

/// The thread of this stream has a region of one thread from `begin` on, with four tasks of 100.
fn master(golden: &mut Golden, stream: u16, begin: u64) {
    let (initial, member, region) = (id(stream, 1), id(stream, 2), RegionId::new(stream, 1));
    golden.implicit(initial, TaskId::NONE, RegionId::NONE, begin);
    let construct =
        Region { region, parent: initial, threads: 1, requested: 1, level: 1, ..Region::default() };
    golden.put(stream, begin, Record::Region(construct));
    golden.implicit(member, initial, region, begin);
    for task in 0..4 {
        golden.create(id(stream, 3 + task), member, begin, 0);
        golden.run(stream, id(stream, 3 + task), begin + 100 * task, begin + 100 * (task + 1), region);
    }
    golden.wait(member, stream, WaitKind::Taskwait, begin, begin + 400);
    golden.wait(member, stream, WaitKind::RegionEnd, begin + 400, begin + 400);
    golden.run(stream, member, begin, begin + 400, region);
    golden.put(stream, begin + 400, Record::RegionEnd { region });
    golden.run(stream, initial, begin, begin + 400, RegionId::NONE);
}

fn two_masters() -> Profile {
    let mut golden = Golden::new(2);
    master(&mut golden, 0, 0);
    master(&mut golden, 1, 0);
    golden.end(400)
}

#[test]
fn each_thread_has_workers_of_its_own_for_its_regions() {
    let profile = two_masters();
    assert_eq!(Predictor::of(&profile).teams_at_once(), 2);
    assert_eq!(times(&profile, [1, 2, 4, 8]), [400, 200, 100, 100]);
    let two = point(&profile, 2, Changes::default());
    assert_eq!((two.threads, two.workers, two.work.0), (2, 4, 800));
    assert_eq!((two.work_law().0, two.limit(), two.lost), (200, Limit::Work, vec![]));
}

#[test]
fn threads_that_follow_each_other_share_their_workers() {
    let mut golden = Golden::new(2);
    master(&mut golden, 0, 0);
    master(&mut golden, 1, 400);
    let profile = golden.end(800);
    let one = point(&profile, 1, Changes::default());
    assert_eq!((one.workers, one.time.0, one.limit()), (1, 800, Limit::Work));
}

/// The program's first thread works 10, sleeps until both threads with regions have ended, and
/// works 50 more.
fn joined(others: impl Fn(&mut Golden)) -> Profile {
    let mut golden = Golden::new(3);
    others(&mut golden);
    golden.implicit(id(2, 1), TaskId::NONE, RegionId::NONE, 0);
    off(&mut golden, 2, &[(10, 395)], false, 455);
    golden.run(2, id(2, 1), 0, 455, RegionId::NONE);
    golden.end(455)
}

#[test]
fn a_thread_that_sleeps_until_others_end_waits_for_them() {
    let profile = joined(|golden| {
        master(golden, 0, 0);
        master(golden, 1, 0);
    });
    assert_eq!(times(&profile, [1, 2, 4]), [400 + 50, 200 + 50, 100 + 50]);
    let two = point(&profile, 2, Changes::default());
    assert_eq!((two.workers, two.slept.0, two.span.0), (5, 0, 100 + 50));
}

#[test]
fn a_sleep_in_which_nobody_ends_is_a_sleep() {
    // The other thread ends later.
    let profile = joined(|golden| master(golden, 0, 30));
    assert_eq!(times(&profile, [1, 2]), [455, 455]);
    assert_eq!(point(&profile, 1, Changes::default()).slept.0, 395);
}

/// Two threads have regions of two threads each, all of which work.
#[test]
fn workers_in_another_thread_s_region_are_not_idle() {
    let rules = |teams: u16| {
        let mut golden = Golden::with_processors(4, 4);
        for stream in 0..4 {
            golden.put(stream, 0, Record::Thread(Thread { flags: thread::BEGINS, ..Thread::default() }));
        }
        for team in 0..teams {
            let (initial, region) = (id(2 * team, 1), RegionId::new(2 * team, 1));
            golden.implicit(initial, TaskId::NONE, RegionId::NONE, 0);
            let construct =
                Region { region, parent: initial, threads: 2, requested: 2, level: 1, ..Region::default() };
            golden.put(2 * team, 0, Record::Region(construct));
            let members = [id(2 * team, 2), id(2 * team + 1, 2)];
            for member in members {
                golden.implicit(member, initial, region, 0);
            }
            for task in 0..20 {
                golden.create(id(2 * team, 3 + task), members[0], 0, 0);
                let (stream, at) = (2 * team + (task % 2) as u16, task / 2 * MS);
                golden.run(stream, id(2 * team, 3 + task), at, at + MS, region);
            }
            for member in members {
                golden.wait(member, member.stream(), WaitKind::RegionEnd, 0, 10 * MS);
                golden.run(member.stream(), member, 0, 10 * MS, region);
            }
            golden.put(2 * team, 10 * MS, Record::RegionEnd { region });
            golden.run(2 * team, initial, 0, 10 * MS, RegionId::NONE);
        }
        let all = found(&golden.end(10 * MS));
        all.iter().map(|one| (one.rule, one.gain_ns)).collect::<Vec<_>>()
    };
    assert_eq!(rules(1), [("small-teams", 5e6)]);
    assert_eq!(rules(2), []);
}
