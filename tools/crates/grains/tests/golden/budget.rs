// SPDX-License-Identifier: Apache-2.0
//! The budget of recordings whose classes are known to the tick.

use grains::budget::{Budget, Class, Cuts, Detail, OverTime, Stretch, CLASSES};
use grains::{Column, Profile, Row, Selection, NONE};
use trace::layout::schedule;
use trace::*;

use crate::build::{id, region, Golden};

const MASTER: fn() -> TaskId = || id(0, 2);
const OTHER: fn() -> TaskId = || id(1, 1);

/// A team of two from 100 to 900: the second thread comes at 120.
fn team() -> Golden {
    let mut golden = Golden::new(2);
    golden.initial(id(0, 1), 0);
    let begin = Region { region: region(1), parent: id(0, 1), threads: 2, requested: 2, ..Region::default() };
    golden.put(0, 100, Record::Region(begin));
    golden.implicit(MASTER(), id(0, 1), region(1), 100);
    golden.implicit(OTHER(), id(0, 1), region(1), 120);
    golden
}

fn end_team(mut golden: Golden, other_end: u64) -> Profile {
    golden.run(1, OTHER(), 120, other_end, region(1));
    end_leader(golden)
}

fn end_leader(mut golden: Golden) -> Profile {
    golden.run(0, MASTER(), 100, 900, region(1));
    golden.put(0, 900, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 1000, RegionId::NONE);
    golden.end(1000)
}

fn sums(profile: &Profile) -> Vec<(&'static str, u64)> {
    let budget = Budget::of(profile);
    assert_eq!(budget.rest().0, 0, "{:?}", budget.total);
    assert_eq!(budget.total.sum(), budget.whole());
    let of = |class: Class| (class.name(), budget.total.of(class).0);
    CLASSES.into_iter().map(of).filter(|&(_, time)| time > 0).collect()
}

#[test]
fn threads_that_wait_for_the_last_one_lose_to_imbalance() {
    let mut golden = team();
    golden.wait(MASTER(), 0, WaitKind::RegionEnd, 400, 900);
    let profile = end_team(golden, 880);
    // The first thread waits from 400 until the other arrives at 880; what follows is the join.
    let expected =
        [("work", 200 + 300 + 760), ("scheduling", 20 + 20 + 20), ("imbalance", 480), ("serial", 200)];
    assert_eq!(sums(&profile), expected);
    let budget = Budget::of(&profile);
    assert_eq!(budget.of_region(Some(Row::new(0))).of(Class::Imbalance).0, 480);
    assert_eq!(budget.outside.of(Class::Serial).0, 200);
}

/// All that goes on then is cut to the same stretch.
#[test]
fn a_part_of_a_wait_is_lost_in_the_wait() {
    let mut golden = team();
    golden.wait(MASTER(), 0, WaitKind::RegionEnd, 400, 900);
    golden.run(1, OTHER(), 120, 880, region(1));
    golden.run(0, MASTER(), 100, 900, region(1));
    golden.put(0, 900, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 1000, RegionId::NONE);
    let part = Selection { from_ns: Some(500.0), to_ns: Some(800.0), span: None };
    assert_eq!(sums(&golden.end_part(1000, &part)), [("work", 300), ("imbalance", 300)]);
}

#[test]
fn an_early_thread_loses_until_the_last_one_arrives() {
    let mut golden = team();
    golden.wait(MASTER(), 0, WaitKind::RegionEnd, 890, 900);
    let expected =
        [("work", 200 + 790 + 380), ("scheduling", 20 + 10 + 10), ("imbalance", 390), ("serial", 200)];
    assert_eq!(sums(&end_team(golden, 500)), expected);
}

#[test]
fn waiting_is_told_by_whether_tasks_were_ready() {
    let mut golden = team();
    // Two tasks: created from 200 to 210 and to 220. The other thread waits from 130 on, takes the
    // first one at 240 and ends it at 500. The second one lies there until the first thread runs
    // it.
    golden.create(id(0, 3), MASTER(), 200, 10);
    golden.create(id(0, 4), MASTER(), 210, 10);
    golden.run(1, id(0, 3), 240, 500, region(1));
    golden.run(0, id(0, 4), 620, 800, region(1));
    golden.wait(OTHER(), 1, WaitKind::Barrier, 130, 870);
    golden.wait(MASTER(), 0, WaitKind::Barrier, 600, 860);
    let profile = end_team(golden, 890);
    let expected = [
        ("work", 200 + 380 + 180 + 40 + 100 + 10 + 260 + 20),
        ("creation", 20),
        // The fork, up to each task, and once all had ended.
        ("scheduling", 20 + 30 + 20 + 60 + 70),
        // Until a task was ready, and while the last one ran.
        ("nothing_ready", 80 + 200),
        // Until the first thread was free for the second task.
        ("ready_waiting", 100),
        // The first thread does not wait: it works until the region ends.
        ("imbalance", 10),
        ("serial", 200),
    ];
    assert_eq!(sums(&profile), expected);
}

#[test]
fn a_thread_that_has_arrived_has_nothing_ready_while_tasks_run() {
    let mut golden = team();
    // The other thread arrives at the region's end at 130, and runs the first task from 240 to 300.
    // The leader runs the second one, the longer one, in its own wait there.
    golden.create(id(0, 3), MASTER(), 200, 10);
    golden.create(id(0, 4), MASTER(), 210, 10);
    golden.run(1, OTHER(), 120, 130, region(1));
    golden.run(1, id(0, 3), 240, 300, region(1));
    golden.run(0, id(0, 4), 250, 880, region(1));
    golden.wait(MASTER(), 0, WaitKind::RegionEnd, 220, 900);
    let expected = [
        ("work", 200 + 100 + 10 + 60 + 630),
        ("creation", 20),
        // The fork, up to each task, and once all had ended.
        ("scheduling", 20 + 30 + 30 + 20 + 20),
        // Until a task was ready, and while the last one ran.
        ("nothing_ready", 80 + 580),
        ("serial", 200),
    ];
    assert_eq!(sums(&end_leader(golden)), expected);
}

#[test]
fn locks_and_books_of_loops_have_their_classes() {
    let mut golden = team();
    let instance = Loop {
        id: LoopId::new(0, 1),
        region: region(1),
        threads: 2,
        ub: 2,
        step: 1,
        flags: schedule::DYNAMIC,
        ..Loop::default()
    };
    golden.put(0, 150, Record::Loop(instance));
    golden.put(0, 150, Record::LoopThread(LoopThread { id: instance.id, task: MASTER(), ticks: 300 }));
    let chunk = |first| Chunk { id: instance.id, task: MASTER(), first, iterations: 1, ticks: 100, cpu: 0 };
    golden.put(0, 160, Record::Chunk(chunk(0)));
    golden.put(0, 300, Record::Chunk(chunk(1)));
    golden.wait(OTHER(), 1, WaitKind::Critical, 200, 300);
    golden.wait(MASTER(), 0, WaitKind::RegionEnd, 900, 900);
    let found = sums(&end_team(golden, 900));
    assert_eq!(found[0], ("work", 2000 - 100 - 20 - 50 - 200 - 100 + 100));
    // The fork; books from 150 to 160 and from 260 to 300.
    assert_eq!(found[1..], [("scheduling", 20 + 50), ("locks", 100), ("serial", 200)]);
}

#[test]
fn a_task_run_at_once_is_no_part_of_a_creation() {
    let mut golden = team();
    golden.create(id(0, 3), MASTER(), 200, 10);
    golden.run(0, id(0, 3), 220, 380, region(1));
    golden.wait(MASTER(), 0, WaitKind::RunAtOnce, 210, 390);
    golden.create(id(0, 4), MASTER(), 400, 10);
    golden.run(0, id(0, 4), 420, 430, region(1));
    golden.wait(MASTER(), 0, WaitKind::RegionEnd, 410, 900);
    let profile = end_team(golden, 880);
    let found = sums(&profile);
    assert_eq!(found[..2], [("work", 200 + 100 + 160 + 10 + 10 + 760), ("creation", 20)]);
    assert!(found.iter().all(|class| class.0 != "recorder"), "{found:?}");
}

#[test]
fn the_recorder_has_what_it_took_before_a_thread_began() {
    let mut golden = Golden::new(2);
    golden.put(0, 30, Record::Recorder { ticks: 20 });
    golden.put(1, 102, Record::Recorder { ticks: 15 });
    golden.initial(id(0, 1), 60);
    let begin = Region { region: region(1), parent: id(0, 1), threads: 2, requested: 2, ..Region::default() };
    golden.put(0, 100, Record::Region(begin));
    golden.implicit(MASTER(), id(0, 1), region(1), 100);
    golden.implicit(OTHER(), id(0, 1), region(1), 120);
    golden.run(1, OTHER(), 120, 200, region(1));
    golden.run(0, MASTER(), 100, 200, region(1));
    golden.put(0, 200, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 60, 300, RegionId::NONE);
    let profile = golden.end(300);
    // Both stand still from 30 to 50; the fork is from 100 to 102 and 117 to 120.
    let expected =
        [("work", 80 + 100 + 100 + 80), ("scheduling", 5), ("serial", 180), ("recorder", 2 * 20 + 15)];
    assert_eq!(sums(&profile), expected);
    assert_eq!(profile.work.0, 360);
    assert_eq!(profile.span.0, 80 + 100 + 100);
}

/// A team of these threads, each in its implicit task from `begin` to `end`.
fn region_of(golden: &mut Golden, ordinal: u64, streams: u16, begin: u64, end: u64) {
    let (region, root) = (region(ordinal), id(0, 1));
    let threads = u32::from(streams);
    let begins = Region { region, parent: root, threads, requested: threads, ..Region::default() };
    golden.put(0, begin, Record::Region(begins));
    for stream in 0..streams {
        let task = id(stream, 10 + ordinal);
        golden.implicit(task, root, region, begin);
        golden.run(stream, task, begin, end, region);
    }
    golden.put(0, end, Record::RegionEnd { region });
}

#[test]
fn a_worker_outside_the_team_of_a_region_is_in_no_serial_part() {
    let mut golden = Golden::new(3);
    golden.initial(id(0, 1), 0);
    region_of(&mut golden, 1, 2, 100, 500);
    region_of(&mut golden, 2, 3, 600, 900);
    golden.run(0, id(0, 1), 0, 1000, RegionId::NONE);
    let profile = golden.end(1000);
    let expected = [("work", 300 + 2 * 400 + 3 * 300), ("serial", 2 * 300), ("outside_team", 400)];
    assert_eq!(sums(&profile), expected);
    assert_eq!(Budget::of(&profile).outside.of(Class::OutsideTeam).0, 400);
}

/// Of the classes that are not 0, and the rest.
fn sums_and_rest(profile: &Profile) -> (Vec<(&'static str, u64)>, u64) {
    let budget = Budget::of(profile);
    let of = |class: Class| (class.name(), budget.total.of(class).0);
    (CLASSES.into_iter().map(of).filter(|&(_, time)| time > 0).collect(), budget.rest().0)
}

#[test]
fn a_serial_part_lasts_as_long_as_some_initial_task() {
    let mut golden = Golden::new(2);
    golden.initial(id(0, 1), 0);
    golden.run(0, id(0, 1), 0, 700, RegionId::NONE);
    golden.initial(id(1, 1), 300);
    golden.run(1, id(1, 1), 300, 900, RegionId::NONE);
    // From 900 to 1000 nothing says what the workers did.
    let (classes, rest) = sums_and_rest(&golden.end(1000));
    assert_eq!(classes, [("work", 700 + 600), ("serial", 200 + 300)]);
    assert_eq!(rest, 200);
}

#[test]
fn the_end_of_the_recording_is_the_recorders() {
    let mut golden = Golden::new(2);
    golden.initial(id(0, 1), 0);
    golden.run(0, id(0, 1), 0, 700, RegionId::NONE);
    golden.put(0, 720, Record::Clock(ClockPair { stamp: Stamp(720), ns: 720 }));
    golden.put(0, 730, Record::Thread(Thread::default()));
    let (classes, rest) = sums_and_rest(&golden.end(1000));
    // Both stand still for it.
    assert_eq!(classes, [("work", 700), ("serial", 700), ("recorder", 2 * 270)]);
    assert_eq!(rest, 2 * 30);
}

#[test]
fn who_is_due_and_finds_no_processor_is_descheduled() {
    const US: u64 = 1000;
    const END: u64 = 600 * US + 500;
    let mut golden = Golden::new(3); // on two processors
    golden.initial(id(0, 1), 0);
    let begin = Region { region: region(1), parent: id(0, 1), threads: 3, requested: 3, ..Region::default() };
    golden.put(0, 0, Record::Region(begin));
    // All arrive at their barrier by 200; the second thread comes from it at 210, the third one
    // only when the first one has done.
    let threads = [(0, 100, 200), (1, 200, 210), (2, 100, 400)];
    for (stream, arrives, goes_on) in threads {
        let (task, from, until) = (id(stream, 2), arrives * US, goes_on * US);
        golden.implicit(task, id(0, 1), region(1), 0);
        let (kind, ticks) = (WaitKind::Barrier, until - from);
        golden.put(
            stream,
            from,
            Record::Wait(Wait { kind, task, ticks, site: 1, barrier: 1, departures: 0 }),
        );
        let end = [END, 400 * US, 600 * US][usize::from(stream)];
        if stream == 0 {
            golden.wait(task, 0, WaitKind::RegionEnd, 400 * US, end);
        }
        golden.run(stream, task, 0, end, region(1));
    }
    golden.put(0, END, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, END, RegionId::NONE);
    let expected = [
        ("work", (100 + 200 + 200 + 190 + 100 + 200) * US),
        // Two are due for 10, and share one processor; and all at the end, on their way.
        ("scheduling", 2 * 5 * US + 3 * 500),
        ("imbalance", (100 + 100 + 200 + 200) * US),
        ("descheduled", (2 * 5 + 190) * US),
    ];
    assert_eq!(sums(&golden.end(END)), expected);
}

#[test]
fn lanes_say_when_each_worker_spent_the_time_of_the_classes() {
    let mut golden = team();
    golden.wait(MASTER(), 0, WaitKind::RegionEnd, 400, 900);
    let profile = end_team(golden, 880);
    let cuts = Cuts::whole(&profile);
    let site_of = Column::filled(NONE, profile.grains.len());
    let detail = Detail { intervals: 10, stretches: 100, cuts: &cuts, site_of: &site_of };
    let (budget, OverTime { lanes, parts, .. }) = Budget::over_time(&profile, detail);
    for class in CLASSES {
        let spent = lanes.iter().flat_map(|lane| &lane.spent).map(|spent| spent[class as usize]).sum::<f64>();
        assert!((spent - budget.total.of(class).0 as f64).abs() < 1e-6, "{class:?}: {spent}");
        let part = parts[0][class as usize];
        assert!((part - spent).abs() < 1e-6, "{class:?}: {part} in the part, {spent} in the lanes");
    }
    let stretches = |worker: usize| {
        let of = |stretch: &Stretch| (stretch.begin.0, stretch.end.0, stretch.class);
        lanes[worker].stretches.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(stretches(0), [(400, 880, Class::Imbalance), (880, 900, Class::Scheduling)]);
    let other = [
        (0, 100, Class::Serial),
        (100, 120, Class::Scheduling),
        (880, 900, Class::Scheduling),
        (900, 1000, Class::Serial),
    ];
    assert_eq!(stretches(1), other);
    assert_eq!(lanes[1].spent[1][Class::Work as usize], 80.0);
}
