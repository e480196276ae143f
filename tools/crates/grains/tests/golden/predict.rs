// SPDX-License-Identifier: Apache-2.0
//! Predictions of small recordings, to the tick.

use grains::predict::{Cause, Changes, Limit, Point, Predictor, Stuck};
use grains::{GrainKind, PlaceRow, Profile, Row, Share, Ticks};
use trace::layout::{run, schedule};
use trace::*;

use crate::build::{id, region, Golden};

const TASK: u32 = 1;
const LOOP: u32 = 2;
const REGION: u32 = 3;
/// What a thief takes to get a task: ten times the 3 of its owner.
const STEAL: u64 = 30;

#[allow(clippy::needless_pass_by_value, reason = "most calls make it on the spot")]
pub fn point(profile: &Profile, threads: u32, changes: Changes) -> Point {
    Predictor::of(profile).point(threads, &changes).unwrap()
}

pub fn times<const N: usize>(profile: &Profile, threads: [u32; N]) -> [u64; N] {
    threads.map(|threads| point(profile, threads, Changes::default()).time.0)
}

pub fn with(profile: &Profile, threads: u32, changes: Changes) -> u64 {
    point(profile, threads, changes).time.0
}

/// With the sites 1 to 3 on its first stream.
fn golden() -> Golden {
    let mut golden = Golden::new(2);
    for site in [TASK, LOOP, REGION] {
        golden.put(
            0,
            0,
            Record::Site(Site { site, module: 0, call_site: u64::from(site) * 16, function: 0 }),
        );
    }
    golden
}

pub fn task_place(profile: &Profile) -> PlaceRow {
    profile
        .grains
        .task_rows()
        .find_map(|row| profile.grains.place[row].filter(|_| profile.grains.kind[row] == GrainKind::Task))
        .unwrap()
}

/// The initial task works 10, creates tasks of these lengths at a cost of 2 each, waits, and works
/// 10 more. One thread has run them, 3 after each other.
pub fn tasks(works: &[u64]) -> Golden {
    let mut golden = golden();
    golden.initial(id(0, 1), 0);
    let mut now = 10;
    for at in 0..works.len() as u64 {
        golden.create(id(0, 2 + at), id(0, 1), now, 2);
        now += 2;
    }
    let begin = now;
    for (at, work) in works.iter().enumerate() {
        now += 3;
        golden.run(0, id(0, 2 + at as u64), now, now + work, RegionId::NONE);
        now += work;
    }
    golden.wait(id(0, 1), 0, WaitKind::Taskwait, begin, now);
    golden.run(0, id(0, 1), 0, now + 10, RegionId::NONE);
    golden
}

/// When its last record ends.
pub fn tasks_end(works: &[u64]) -> u64 {
    20 + works.iter().map(|work| work + 5).sum::<u64>()
}

#[test]
fn a_recording_replayed_is_as_long_as_it_was() {
    let works = [40, 100, 70];
    let profile = tasks(&works).end(tasks_end(&works));
    let predictor = Predictor::of(&profile);
    assert_eq!(predictor.recorded_threads(), 1);
    let replay = predictor.point(1, &Changes::default()).unwrap();
    assert_eq!(
        (replay.time, replay.work.0, replay.creation.0, replay.scheduling.0),
        (profile.wall, 230, 6, 9)
    );
    assert_eq!((replay.limit(), replay.lost), (Limit::Work, vec![]));
}

/// The clock advances by 10 at a time: creations that take 15 each take 10 or 20 by it.
#[test]
fn a_recording_by_a_slow_clock_replayed_is_as_long_as_it_was() {
    let tasks = 400;
    let step = |at: u64| at * 15 / 10 * 10;
    let mut golden = golden();
    golden.initial(id(0, 1), 0);
    for at in 0..tasks {
        golden.create(id(0, 2 + at), id(0, 1), step(at), (step(at + 1) - step(at)) as u32);
    }
    let begin = step(tasks);
    for at in 0..tasks {
        golden.run(0, id(0, 2 + at), begin + 40 * at, begin + 40 * (at + 1), RegionId::NONE);
    }
    let end = begin + 40 * tasks;
    golden.wait(id(0, 1), 0, WaitKind::Taskwait, begin, end);
    golden.run(0, id(0, 1), 0, end, RegionId::NONE);
    assert_eq!(times(&golden.end(end), [1]), [end]);
}

#[test]
fn tasks_go_to_whoever_is_free() {
    let works = [40, 100, 70];
    let profile = tasks(&works).end(tasks_end(&works));
    // A thief takes the first at 12 and ends at 82; the owner comes to its wait at 16, takes the
    // newest, and ends at 89; the thief has the one of 100 then.
    assert_eq!(
        times(&profile, [2, 3, 8]),
        [82 + STEAL + 100 + 10, 14 + STEAL + 100 + 10, 14 + STEAL + 100 + 10]
    );
    let point = point(&profile, 2, Changes::default());
    assert_eq!((point.span.0, point.busy().0), (14 + STEAL + 100 + 10, 245 + 2 * (STEAL - 3)));
    assert_eq!((point.work_law().0, point.greedy_bound().0), (150, 150 + 154));
    assert_eq!(point.limit(), Limit::Lost(Cause::Serial, None));
}

#[test]
fn steals_take_what_most_of_the_recorded_ones_did() {
    // A thread creates tasks and waits; another steals each after 8.
    let stolen = |steals: u64| {
        let mut golden = golden();
        golden.initial(id(0, 1), 0);
        for number in 0..steals {
            golden.create(id(0, 2 + number), id(0, 1), number, 1);
        }
        let mut at = steals;
        for number in 0..steals {
            at += 8;
            let task = id(0, 2 + number);
            let run = Run { task, ticks: 20, cpu: 0, region: RegionId::NONE, flags: run::STOLEN };
            at += 20;
            golden.put(1, at, Record::Run(run));
        }
        golden.wait(id(0, 1), 0, WaitKind::Taskwait, steals, at);
        golden.run(0, id(0, 1), 0, at, RegionId::NONE);
        golden.end(at)
    };
    let scheduling = |profile: &Profile, threads| point(profile, threads, Changes::default()).scheduling.0;
    // The gap before the first of 17 is not seen.
    let (few, enough) = (stolen(16), stolen(17));
    assert_eq!((scheduling(&few, 2), scheduling(&enough, 1)), (0, 0)); // nothing says what own tasks take
    assert!(scheduling(&enough, 2) >= 8, "nobody stole");
    assert_eq!(scheduling(&enough, 2) % 8, 0);
}

#[test]
fn grains_of_a_site_take_a_part_of_their_time() {
    let works = [40, 100, 70];
    let profile = tasks(&works).end(tasks_end(&works));
    let factor = |factor| Changes { factors: vec![(task_place(&profile), factor)], ..Changes::default() };
    assert_eq!(with(&profile, 1, factor(0.5)), profile.wall.0 - 105);
    assert_eq!(with(&profile, 8, factor(0.5)), 14 + STEAL + 50 + 10);
    assert_eq!(with(&profile, 8, factor(2.0)), 14 + STEAL + 200 + 10);
    assert_eq!(with(&profile, 8, factor(0.0)), 14 + STEAL + 10);
    assert_eq!(with(&profile, 8, factor(1.0)), 14 + STEAL + 100 + 10);
}

#[test]
fn tasks_run_inside_their_parent_cost_nothing() {
    let works = [40, 100, 70];
    let profile = tasks(&works).end(tasks_end(&works));
    let serial = Changes { serial: vec![task_place(&profile)], ..Changes::default() };
    let cutoff = |depth| Changes { cutoff_depth: Some(depth), ..Changes::default() };
    let merge = |below| Changes { merge_below: Ticks(below), ..Changes::default() };
    assert_eq!(with(&profile, 4, serial), 230);
    assert_eq!((with(&profile, 4, cutoff(0)), with(&profile, 4, cutoff(1))), (230, 154));
    // The one of 40 runs inside its parent, from 10 on; the next is created at 52.
    assert_eq!(with(&profile, 4, merge(70)), 10 + 40 + 2 + STEAL + 100 + 10);
    assert_eq!((with(&profile, 4, merge(40)), with(&profile, 4, merge(101))), (154, 230));
}

#[test]
fn dependences_are_kept() {
    let works = [40, 100, 70];
    let mut golden = tasks(&works);
    for at in 0..2 {
        let dep = Dep { predecessor: id(0, 2 + at), successor: id(0, 3 + at), ..Dep::default() };
        golden.put(0, 15, Record::Dep(dep));
    }
    let profile = golden.end(tasks_end(&works));
    assert_eq!(times(&profile, [2, 8]), [12 + STEAL + 40 + 103 + 73 + 10; 2]);
    assert_eq!(point(&profile, 8, Changes::default()).span.0, 12 + STEAL + 40 + 103 + 73 + 10);
}

#[test]
fn a_lock_is_held_by_one_at_a_time() {
    let works = [50, 50];
    let mut golden = tasks(&works);
    for (at, begin) in [(0, 17), (1, 70)] {
        let lock = Lock {
            task: id(0, 2 + at),
            address: 8,
            waited: 0,
            held: 30,
            site: TASK,
            kind: LockKind::Critical,
        };
        golden.put(0, begin + 10, Record::Lock(lock));
    }
    let profile = golden.end(tasks_end(&works));
    // The owner from 14 on: holds from 27 to 57, ends at 67. The thief from 12: 52, so from 57.
    assert_eq!(times(&profile, [1, 2]), [tasks_end(&works), 57 + 40 + 10]);
    let point = point(&profile, 2, Changes::default());
    assert_eq!(point.span.0, 12 + STEAL + 50 + 10);
    assert_eq!(point.greedy_bound().0, 79 + 102);
}

/// A region of `threads` in which the first member runs the chunks one after the other.
fn looped(flags: u8, chunk: i64, chunks: &[(u64, u64)], threads: u32) -> Profile {
    looped_with(flags, chunk, chunks, threads, |_| {})
}

/// With what `more` puts.
pub fn looped_with(
    flags: u8,
    chunk: i64,
    chunks: &[(u64, u64)],
    threads: u32,
    more: impl FnOnce(&mut Golden),
) -> Profile {
    let mut golden = golden();
    golden.initial(id(0, 1), 0);
    let construct =
        Region { region: region(1), parent: id(0, 1), site: REGION, threads, requested: threads, level: 1 };
    golden.put(0, 0, Record::Region(construct));
    let end: u64 = chunks.iter().map(|chunk| chunk.1).sum();
    let iterations: u64 = chunks.iter().map(|chunk| chunk.0).sum();
    for stream in 0..threads as u16 {
        golden.implicit(id(stream, 2), id(0, 1), region(1), 0);
    }
    let instance = Loop {
        id: LoopId::new(0, 1),
        region: region(1),
        site: LOOP,
        threads,
        lb: 0,
        ub: iterations as i64,
        step: 1,
        chunk,
        flags,
    };
    golden.put(0, 0, Record::Loop(instance));
    let (mut at, mut first) = (0, 0);
    for &(iterations, ticks) in chunks {
        let chunk = Chunk { id: LoopId::new(0, 1), task: id(0, 2), first, iterations, ticks, cpu: 0 };
        golden.put(0, at, Record::Chunk(chunk));
        at += ticks;
        first += iterations as i64;
    }
    for stream in 0..threads as u16 {
        let reached = if stream == 0 { end } else { 0 };
        golden.wait(id(stream, 2), stream, WaitKind::RegionEnd, reached, end);
        golden.run(stream, id(stream, 2), 0, end, region(1));
    }
    golden.put(0, end, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, end, RegionId::NONE);
    more(&mut golden);
    golden.end(end)
}

#[test]
fn dynamic_chunks_are_taken_in_order() {
    let profile = looped(schedule::DYNAMIC, 1, &[(1, 10), (1, 20), (1, 30), (1, 40)], 1);
    // One has 10, 30, the other 20, 40.
    assert_eq!(times(&profile, [1, 2, 3, 4, 64]), [100, 60, 50, 40, 40]);
    let two = point(&profile, 2, Changes::default());
    assert_eq!((two.in_parallel.0, two.span.0), (60, 40));
    let again = looped(schedule::DYNAMIC, 1, &[(1, 10), (1, 20), (1, 30), (1, 40)], 2);
    assert_eq!(times(&again, [1, 2, 4]), [100, 60, 40]);
}

#[test]
fn static_chunks_stay_or_are_dealt_anew() {
    let one = looped(schedule::STATIC, 0, &[(4, 100)], 1);
    assert_eq!(times(&one, [1, 2, 3, 4, 8]), [100, 50, 50, 25, 25]);
    let uneven = looped(schedule::STATIC, 0, &[(2, 80), (2, 20)], 2);
    assert_eq!(times(&uneven, [2, 4]), [100, 40]); // the first thread had both
    let cyclic = looped(schedule::STATIC, 1, &[(4, 80), (4, 40)], 1);
    assert_eq!(times(&cyclic, [2, 3]), [60, 20 + 20 + 10]);
}

#[test]
fn no_schedule_divides_the_serial_part() {
    let mut golden = golden();
    golden.initial(id(0, 1), 0);
    let construct =
        Region { region: region(1), parent: id(0, 1), site: REGION, threads: 2, requested: 2, level: 1 };
    golden.put(0, 0, Record::Region(construct));
    let tasks = 4;
    for stream in 0..2 {
        golden.implicit(id(stream, 2), id(0, 1), region(1), 0);
    }
    for task in 0..tasks {
        golden.create(id(0, 3 + task), id(0, 2), 0, 0);
        golden.run(0, id(0, 3 + task), 10 * task, 10 * (task + 1), region(1));
    }
    golden.wait(id(0, 2), 0, WaitKind::RegionEnd, 0, 10 * tasks);
    golden.run(0, id(0, 2), 0, 10 * tasks, region(1));
    golden.wait(id(1, 2), 1, WaitKind::RegionEnd, 0, 10 * tasks);
    golden.run(1, id(1, 2), 0, 10 * tasks, region(1));
    golden.put(0, 10 * tasks, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 10 * tasks + 60, RegionId::NONE);
    let profile = golden.end(10 * tasks + 60);
    let two = point(&profile, 2, Changes::default());
    let rest = two.busy().0 - 60;
    assert_eq!((two.time.0 - two.in_parallel.0, two.least().0), (60, 60 + rest.div_ceil(2)));
    assert!(two.least() > two.work_law().max(two.span), "{two:?}");
    // Tasks outside of regions are no part of one thread's work.
    let works = [40, 100, 70];
    let outside = point(&self::tasks(&works).end(tasks_end(&works)), 2, Changes::default());
    assert_eq!(outside.least(), outside.work_law().max(outside.span));
}

#[test]
fn a_single_chunk_that_cannot_be_dealt_is_known() {
    let undivided = |flags, chunks: &[(u64, u64)], threads| {
        Predictor::of(&looped(flags, 0, chunks, threads)).undivided_loops()
    };
    for flags in [schedule::STATIC, schedule::GUIDED] {
        assert_eq!(undivided(flags | schedule::ORDERED, &[(4, 100)], 1), [Row::new(0)]);
        assert!(undivided(flags, &[(4, 100)], 1).is_empty());
        assert!(undivided(flags | schedule::ORDERED, &[(1, 100)], 1).is_empty());
        assert!(undivided(flags | schedule::ORDERED, &[(2, 50), (2, 50)], 1).is_empty());
        assert!(undivided(flags | schedule::ORDERED, &[(4, 100)], 2).is_empty());
    }
    // That is how large its chunks are.
    assert!(undivided(schedule::DYNAMIC | schedule::ORDERED, &[(4, 100)], 1).is_empty());
}

#[test]
fn a_loop_or_region_can_run_on_one_thread() {
    let profile = looped(schedule::DYNAMIC, 1, &[(1, 10), (1, 20), (1, 30), (1, 40)], 1);
    for place in [profile.loops[Row::new(0)].place, profile.regions[Row::new(0)].place] {
        let serial = Changes { serial: place.into_iter().collect(), ..Changes::default() };
        assert_eq!(with(&profile, 4, serial), 100);
    }
    let merge = Changes { merge_below: Ticks(50), ..Changes::default() };
    assert_eq!(with(&profile, 4, merge), 60); // 10 + 20 + 30, 40
    let half =
        Changes { factors: vec![(profile.loops[Row::new(0)].place.unwrap(), 0.5)], ..Changes::default() };
    assert_eq!(with(&profile, 2, half), 30);
}

#[test]
fn what_limits_is_named() {
    let profile = looped(schedule::DYNAMIC, 1, &[(1, 60), (1, 10), (1, 10), (1, 20)], 1);
    assert_eq!(point(&profile, 1, Changes::default()).limit(), Limit::Work);
    assert_eq!(point(&profile, 4, Changes::default()).limit(), Limit::Span);
    let three = looped(schedule::DYNAMIC, 1, &[(1, 40), (1, 40), (1, 40)], 1);
    let limit = point(&three, 2, Changes::default()).limit();
    assert_eq!(limit, Limit::Lost(Cause::Region, three.regions[Row::new(0)].place));
}

#[test]
fn what_was_recorded_before_a_program_was_killed_is_predicted() {
    let works = [40, 100];
    let profile = tasks(&works).killed();
    assert!(!profile.complete);
    assert_eq!(times(&profile, [1]), [tasks_end(&works)]);
    let nothing = golden().killed();
    assert_eq!(times(&nothing, [1, 4]), [0, 0]);
}

#[test]
fn what_waits_for_ever_is_said() {
    let works = [40, 100];
    let mut golden = tasks(&works);
    for (from, to) in [(2, 3), (3, 2)] {
        let dep = Dep { predecessor: id(0, from), successor: id(0, to), ..Dep::default() };
        golden.put(0, 15, Record::Dep(dep));
    }
    let profile = golden.end(tasks_end(&works));
    let stuck = Predictor::of(&profile).point(2, &Changes::default()).unwrap_err();
    assert_eq!(stuck, Stuck::Tasks { threads: 2, tasks: 3 });
    assert!(stuck.to_string().contains("never end"), "{stuck}");
}

/// By a damaged record the second one began before the first one had ended.
#[test]
fn tasks_whose_creator_is_unknown_run_once_and_wait_for_others() {
    let mut golden = golden();
    golden.initial(id(0, 1), 0);
    for (stream, task, from, to) in [(0, 2, 0, 40), (1, 3, 10, 110)] {
        golden.create(id(0, task), id(1, 7), 0, 0);
        golden.run(stream, id(0, task), from, to, RegionId::NONE);
    }
    let dep = Dep { predecessor: id(0, 2), successor: id(0, 3), ..Dep::default() };
    golden.put(0, 0, Record::Dep(dep));
    golden.run(0, id(0, 1), 0, 0, RegionId::NONE);
    let point = point(&golden.end(110), 2, Changes::default());
    assert_eq!((point.time.0, point.work.0), (140, 140));
}

/// By a damaged record the second member has met the region that it is a member of.
#[test]
fn a_region_inside_of_its_own_member_begins_no_member_twice() {
    let mut golden = golden();
    golden.initial(id(0, 1), 0);
    let construct =
        Region { region: region(1), parent: id(1, 2), site: REGION, threads: 2, requested: 2, level: 1 };
    golden.put(0, 10, Record::Region(construct));
    for stream in 0..2 {
        golden.implicit(id(stream, 2), id(0, 1), region(1), 0);
        golden.run(stream, id(stream, 2), 0, 100, region(1));
    }
    golden.put(0, 100, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 100, RegionId::NONE);
    let profile = golden.end(100);
    for threads in [1, 2, 3] {
        let stuck = Predictor::of(&profile).point(threads, &Changes::default()).unwrap_err();
        assert!(matches!(stuck, Stuck::Tasks { tasks: 1, .. }), "{stuck}");
    }
}

/// A region of two members, each of which works 100 from 0 on, cut at what `more` puts.
pub fn two(more: impl FnOnce(&mut Golden)) -> Profile {
    let mut golden = golden();
    golden.initial(id(0, 1), 0);
    let construct =
        Region { region: region(1), parent: id(0, 1), site: REGION, threads: 2, requested: 2, level: 1 };
    golden.put(0, 0, Record::Region(construct));
    for stream in 0..2 {
        golden.implicit(id(stream, 2), id(0, 1), region(1), 0);
    }
    more(&mut golden);
    for stream in 0..2 {
        golden.wait(id(stream, 2), stream, WaitKind::RegionEnd, 100, 100);
        golden.run(stream, id(stream, 2), 0, 100, region(1));
    }
    golden.put(0, 100, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 100, RegionId::NONE);
    golden.end(100)
}

/// Each member does its share from `asked` on.
fn shares(asked: [u64; 2]) -> Profile {
    two(|golden| {
        for stream in 0..2 {
            golden.put(
                stream,
                asked[usize::from(stream)],
                Record::TeamSize { task: id(stream, 2), share: ShareMark::Asked },
            );
        }
    })
}

#[test]
fn what_threads_divide_by_number_is_divided_anew() {
    let profile = shares([20, 60]);
    assert_eq!(profile.shares.len(), 2);
    // 20 and 60 stay with the two. 80 and 40 become as many shares as there are threads: whoever is
    // free first takes one.
    assert_eq!(times(&profile, [1, 2, 4, 1000]), [200, 100, 80, 60]);
    let serial =
        Changes { serial: profile.regions[Row::new(0)].place.into_iter().collect(), ..Changes::default() };
    assert_eq!(with(&profile, 4, serial), 200);
}

/// Each member has its part of a loop from 20 to 60, and then 40 of its own.
fn static_loop(iterations: u64) -> Profile {
    two(|golden| {
        for stream in 0..2 {
            for (at, share) in [(20, ShareMark::LoopBegins { iterations }), (60, ShareMark::LoopEnds)] {
                golden.put(stream, at, Record::TeamSize { task: id(stream, 2), share });
            }
        }
    })
}

#[test]
fn a_loop_whose_bounds_the_compiler_asks_for_is_divided_anew() {
    let profile = static_loop(1000);
    assert_eq!(profile.shares.len(), 2);
    // 80 are divided; 20 before and 40 behind the loop stay with each of the two.
    assert_eq!(times(&profile, [1, 2, 4, 8]), [200, 100, 60 + 20, 60 + 10]);
    // There are not more shares than iterations, and one thread may have one more than another.
    assert_eq!(times(&static_loop(2), [1, 2, 4, 8]), [200, 100, 100, 100]);
    assert_eq!(times(&static_loop(4), [1, 2, 3, 8]), [200, 100, 100, 60 + 20]);
    assert_eq!(times(&static_loop(1), [1, 4]), [200, 60 + 80]);
}

/// A cancelled loop has no end. The barrier ends it.
#[test]
fn a_loop_ends_at_a_barrier_at_the_latest() {
    let profile = two(|golden| {
        for stream in 0..2 {
            let begins = ShareMark::LoopBegins { iterations: 1000 };
            golden.put(stream, 20, Record::TeamSize { task: id(stream, 2), share: begins });
            golden.wait(id(stream, 2), stream, WaitKind::Barrier, 60, 60);
        }
    });
    assert_eq!(times(&profile, [1, 2, 4, 8]), [200, 100, 60 + 20, 60 + 10]);
}

#[test]
fn one_question_stands_for_all_loops_of_a_region() {
    let profile = two(|golden| {
        for stream in 0..2 {
            golden.put(stream, 10, Record::TeamSize { task: id(stream, 2), share: ShareMark::Asked });
            golden.put(stream, 30, Record::TeamSize { task: id(stream, 2), share: ShareMark::Asked }); // of the same share
            golden.wait(id(stream, 2), stream, WaitKind::Barrier, 50, 50);
        }
    });
    // 10 of each stay as they are; 2 x 40 are divided, and behind the barrier 2 x 50.
    assert_eq!(times(&profile, [1, 2, 4, 8]), [200, 100, 10 + 20 + 25, 10 + 10 + 13]);
    let begins = |share: &Share| profile.fragments.start(share.fragment).0;
    assert_eq!(profile.shares.iter().map(begins).collect::<Vec<_>>(), [10, 30, 50, 10, 30, 50]);
}

/// No barrier and no record is between the body of a `single nowait` and the loop behind it. The
/// other member, which has no body, shows how much of it is the loop's.
#[test]
fn a_loop_behind_a_single_is_divided_by_all_members() {
    let profile = |other_ends: u64| {
        two(|golden| {
            for stream in 0..2 {
                golden.put(stream, 10, Record::TeamSize { task: id(stream, 2), share: ShareMark::Asked });
                golden.wait(id(stream, 2), stream, WaitKind::Barrier, 50, 50);
            }
            golden.put(0, 51, Record::TeamSize { task: id(0, 2), share: ShareMark::Single });
            golden.wait(id(1, 2), 1, WaitKind::ImplicitBarrier, other_ends, 100);
            golden.wait(id(0, 2), 0, WaitKind::ImplicitBarrier, 100, 100);
        })
    };
    let before = |threads: u64| 10 + 80 / threads;
    assert_eq!(times(&profile(100), [2, 4, 5]), [before(2) + 50, before(4) + 25, before(5) + 20]);
    // 10 are the body; 2 x 40 are divided, and who has the body begins later.
    let with_body = profile(90);
    assert_eq!(times(&with_body, [2, 4, 8]), [before(2) + 50, before(4) + 10 + 20, before(8) + 10 + 10]);
    assert_eq!(with_body.shares.iter().map(|share| share.alone.0).sum::<u64>(), 10);
}

#[test]
fn what_one_thread_does_alone_is_not_divided() {
    // Behind the question each member has 40 of a loop and meets a barrier. Then one has 50 alone:
    // as `master`, as the body of a `single`, or, both in turn, while they hold a lock.
    let profile = |alone: &dyn Fn(&mut Golden)| {
        two(|golden| {
            for stream in 0..2 {
                golden.put(stream, 10, Record::TeamSize { task: id(stream, 2), share: ShareMark::Asked });
                golden.wait(id(stream, 2), stream, WaitKind::Barrier, 50, 50);
            }
            alone(golden);
        })
    };
    let before = |threads: u64| 10 + 80 / threads;
    let master = profile(&|golden| {
        golden.wait(id(1, 2), 1, WaitKind::ImplicitBarrier, 50, 100);
        golden.wait(id(0, 2), 0, WaitKind::ImplicitBarrier, 100, 100);
    });
    assert_eq!(times(&master, [2, 4, 8]), [before(2) + 50, before(4) + 50, before(8) + 50]);
    let single = profile(&|golden| {
        for stream in 0..2 {
            golden.put(stream, 51, Record::TeamSize { task: id(stream, 2), share: ShareMark::Single });
        }
    });
    // Both are said to have one, a tick later: nothing but the flag tells.
    assert_eq!(times(&single, [2, 4, 8]), [before(2) + 50, before(4) + 50, before(8) + 50]);
    let locked = profile(&|golden| {
        for stream in 0..2 {
            let lock = Lock {
                task: id(stream, 2),
                address: 8,
                waited: 0,
                held: 50,
                site: TASK,
                kind: LockKind::Critical,
            };
            golden.put(stream, 50, Record::Lock(lock));
        }
    });
    assert_eq!(times(&locked, [2, 4, 8]), [before(2) + 100, before(4) + 100, before(8) + 100]);
}

#[test]
fn turns_are_taken_in_the_order_of_iterations() {
    let profile = two(|golden| {
        let (id0, threads) = (LoopId::new(0, 1), 2);
        let instance = Loop {
            id: id0,
            region: region(1),
            site: LOOP,
            threads,
            lb: 0,
            ub: 2,
            step: 1,
            chunk: 1,
            flags: schedule::STATIC | schedule::ORDERED,
        };
        golden.put(0, 0, Record::Loop(instance));
        // The second iteration begins first, and waits for its turn.
        for (stream, first, begin, had) in [(1, 1, 0, 60), (0, 0, 10, 40)] {
            let (task, kind, waited) = (id(stream, 2), LockKind::Ordered, had - begin - 5);
            golden.put(
                stream,
                had,
                Record::Lock(Lock { task, address: 1, waited, held: 10, site: TASK, kind }),
            );
            let ticks = had + 15 - begin;
            golden.put(
                stream,
                begin,
                Record::Chunk(Chunk { id: id0, task, first, iterations: 1, ticks, cpu: 0 }),
            );
        }
    });
    for threads in [1, 2, 4] {
        assert!(Predictor::of(&profile).point(threads, &Changes::default()).is_ok(), "{threads}");
    }
}

#[test]
fn barriers_wait_for_all_members() {
    let profile = two(|golden| {
        golden.wait(id(0, 2), 0, WaitKind::Barrier, 20, 70);
        golden.wait(id(1, 2), 1, WaitKind::Barrier, 70, 70);
    });
    // 20 and 70 before it, 30 each behind it.
    assert_eq!(times(&profile, [1, 2, 4]), [150, 100, 100]);
    assert_eq!(point(&profile, 2, Changes::default()).span.0, 100);
}

#[test]
fn ordered_regions_keep_their_turn() {
    let profile = two(|golden| {
        // The second thread's turn comes first.
        for (stream, had) in [(1, 60), (0, 80)] {
            let (task, address) = (id(stream, 2), 1);
            let (kind, waited, held, site) = (LockKind::Ordered, 0, 10, TASK);
            let turn = Lock { task, address, waited, held, site, kind };
            golden.put(stream, had, Record::Lock(turn));
        }
    });
    // One worker begins with the first member, gives it up at its turn, and comes back to it.
    assert_eq!(times(&profile, [1, 2]), [200, 100]);
}

#[test]
fn sinks_wait_for_their_source() {
    let profile = two(|golden| {
        let instance = Loop { id: LoopId::new(0, 1), region: region(1), threads: 2, ..Loop::default() };
        golden.put(0, 0, Record::Loop(instance));
        let mut put = |stream, at, waited, flags| {
            let (id, task) = (LoopId::new(0, 1), id(stream, 2));
            golden.put(
                stream,
                at,
                Record::Doacross(Doacross { id, task, iteration: 0, waited, flags, ticks: 0 }),
            );
        };
        put(0, 60, 0, 0);
        put(1, 60, 50, layout::doacross::SINK);
    });
    // The second one has worked 10, waits for 60 of the first one, and works 40.
    assert_eq!(times(&profile, [1, 2]), [150, 100]);
}

#[test]
fn a_detached_task_ends_with_its_event() {
    let [root, body, other, after] = [1, 2, 3, 4].map(|ordinal| id(0, ordinal));
    let mut golden = golden();
    golden.initial(root, 0);
    golden.create_with(body, root, 5, 0, layout::task::DETACHABLE);
    golden.create(other, root, 6, 0);
    golden.create(after, root, 7, 0);
    golden.put(0, 7, Record::Dep(Dep { successor: after, predecessor: body, ..Dep::default() }));
    golden.run(0, body, 8, 15, RegionId::NONE);
    golden.put(1, 60, Record::Fulfil(Fulfil { task: body, flags: layout::fulfil::LATE, ticks: 0 }));
    golden.run(1, other, 10, 70, RegionId::NONE);
    golden.run(0, after, 61, 81, RegionId::NONE);
    golden.wait(root, 0, WaitKind::Taskwait, 8, 82);
    golden.run(0, root, 0, 85, RegionId::NONE);
    let profile = golden.end(85);
    // The other one begins at 6, and fulfils the event after 50; then what depends on it takes 20.
    assert_eq!(times(&profile, [3]), [6 + 50 + 20 + 3]);
    // One worker takes the newest first: 10 of the other one are behind the event.
    assert_eq!(times(&profile, [1]), [8 + 7 + 60 + 20 + 3]);
}

/// The second member's processor is behind: the first leaves the barrier before it has come.
#[test]
fn clocks_that_differ_part_no_barrier() {
    let profile = two(|golden| {
        let at = |begin: u64, end: u64| Wait {
            kind: WaitKind::Barrier,
            task: id(0, 2),
            ticks: end - begin,
            site: 0,
            barrier: 1,
            departures: 0,
        };
        golden.put(0, 20, Record::Wait(at(20, 68)));
        golden.put(1, 70, Record::Wait(Wait { task: id(1, 2), ..at(70, 72) }));
    });
    for kind in [WaitKind::Barrier, WaitKind::RegionEnd] {
        let rows = profile.waits.entries().filter(|(_, wait)| wait.kind == kind);
        let numbers: Vec<_> = rows.map(|(row, _)| profile.barrier_of[row]).collect();
        assert!(numbers.len() == 2 && numbers[0] == numbers[1], "{kind:?}: {numbers:?}");
    }
    assert_eq!(times(&profile, [1, 2]), [20 + 70 + 30 + 28, 70 + 30]);
}
