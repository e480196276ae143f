// SPDX-License-Identifier: Apache-2.0
//! Predictions that obey priorities, without and with preemption, to the tick.

use grains::predict::{Predictor, Preemption, Price, PriorityTimes};
use grains::priorities::Times;
use grains::{Profile, Ticks};
use trace::*;

use crate::build::{id, region, Golden};

/// A request: when it is created, its priority, and the time that it runs in the recording.
type Request = (u64, i32, std::ops::Range<u64>);

const DISPATCHER: TaskId = TaskId::new(0, 2);
/// When the program ends.
const END: u64 = 400;

/// Two threads: the first creates requests and yields until the time of the next has come, the
/// other serves them. `more` adds records of the requests, whose ids it gets.
fn service(requests: &[Request], more: impl FnOnce(&mut Golden, &[TaskId])) -> Profile {
    let mut golden = Golden::new(2);
    golden.put(0, 0, Record::Site(Site { site: 1, module: 0, call_site: 16, function: 0 }));
    golden.initial(id(0, 1), 0);
    let construct =
        Region { region: region(1), parent: id(0, 1), site: 1, threads: 2, requested: 2, level: 1 };
    golden.put(0, 0, Record::Region(construct));
    for stream in 0..2 {
        golden.implicit(id(stream, 2), id(0, 1), region(1), 0);
    }
    let ids: Vec<_> = (0..requests.len() as u64).map(|at| id(0, 3 + at)).collect();
    let mut now = 0;
    for (&task, (created, priority, _)) in ids.iter().zip(requests) {
        golden.wait(DISPATCHER, 0, WaitKind::Taskyield, now, *created);
        golden.put(0, *created, Record::Priority { task, priority: *priority });
        golden.create(task, DISPATCHER, *created, 0);
        now = *created;
    }
    more(&mut golden, &ids);
    for (&task, (_, _, ran)) in ids.iter().zip(requests) {
        golden.run(1, task, ran.start, ran.end, RegionId::NONE);
    }
    golden.wait(DISPATCHER, 0, WaitKind::RegionEnd, now, END);
    golden.wait(id(1, 2), 1, WaitKind::RegionEnd, 0, END);
    for stream in 0..2 {
        golden.run(stream, id(stream, 2), 0, END, region(1));
    }
    golden.put(0, END, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, END, RegionId::NONE);
    golden.end(END)
}

fn on(signal: u64, switch: u64) -> Preemption {
    Preemption::On(Price { signal, switch, gap: 1 })
}

fn predict(profile: &Profile, preemption: Preemption) -> Vec<PriorityTimes> {
    Predictor::of(profile).with_priorities(2, preemption).unwrap().rows
}

fn row(priority: i32, delays: &[u64], turnarounds: &[u64], preempted: u64, preempting: u64) -> PriorityTimes {
    let times = |ticks: &[u64]| Times(ticks.iter().copied().map(Ticks).collect());
    PriorityTimes { priority, delays: times(delays), turnarounds: times(turnarounds), preempted, preempting }
}

/// A long request of priority 1, shorter ones of 2 and 3 while it runs; and a late one, for which
/// the dispatcher waits.
fn three_priorities() -> Profile {
    let requests = [(10, 1, 10..110), (20, 2, 130..160), (30, 3, 110..130), (200, 1, 200..210)];
    service(&requests, |_, _| {})
}

#[test]
fn without_preemption_the_highest_priority_is_next() {
    let rows = predict(&three_priorities(), Preemption::Off);
    let expected =
        [row(3, &[80], &[100], 0, 0), row(2, &[110], &[140], 0, 0), row(1, &[0, 0], &[10, 100], 0, 0)];
    assert_eq!(rows, expected);
}

/// A request takes 4, and the switch 6 more. The first is asked at 20, leaves at 24, and the second
/// begins at 30. This is asked at once, leaves at 34, and the third works from 40 to 60. Then the
/// second has 26 left, and the first 86.
#[test]
fn a_task_gives_way_and_goes_on_later() {
    let rows = predict(&three_priorities(), on(4, 6));
    let expected =
        [row(3, &[10], &[30], 0, 1), row(2, &[10], &[66], 1, 1), row(1, &[0, 0], &[10, 162], 1, 0)];
    assert_eq!(rows, expected);
}

#[test]
fn a_gap_of_two_lets_the_next_priority_wait() {
    let price = Price { signal: 4, switch: 6, gap: 2 };
    let rows = predict(&three_priorities(), Preemption::On(price));
    // The first is asked at 30 and leaves at 34; the third works from 40 to 60, the second to 90.
    let expected =
        [row(3, &[10], &[30], 0, 1), row(2, &[40], &[70], 0, 0), row(1, &[0, 0], &[10, 156], 1, 0)];
    assert_eq!(rows, expected);
}

/// Two requests of 10 have shown how long such run: after 4, a third may run for 12 more.
#[test]
fn a_task_that_ends_soon_is_not_asked() {
    let requests = [(0, 1, 0..10), (20, 1, 20..30), (40, 1, 40..50), (44, 2, 50..55), (200, 1, 200..210)];
    let profile = service(&requests, |_, _| {});
    let highest = |preemption| predict(&profile, preemption).swap_remove(0);
    assert_eq!(highest(on(4, 8)), row(2, &[12], &[17], 0, 1));
    assert_eq!(highest(on(4, 9)), row(2, &[6], &[11], 0, 0));
}

/// The first request has a lock from 15 to 60.
#[test]
fn a_task_with_a_lock_gives_way_when_it_has_released_it() {
    let requests = [(10, 1, 10..110), (20, 2, 110..130), (200, 1, 200..210)];
    let profile = service(&requests, |golden, ids| {
        let lock = Lock { task: ids[0], address: 8, waited: 0, held: 45, site: 1, kind: LockKind::Critical };
        golden.put(1, 15, Record::Lock(lock));
    });
    let rows = predict(&profile, on(4, 6));
    let expected = [row(2, &[46], &[66], 0, 1), row(1, &[0, 0], &[10, 126], 1, 0)];
    assert_eq!(rows, expected);
}

/// Both workers are busy: the one that runs the lower priority is asked.
#[test]
fn of_two_workers_the_one_with_the_lowest_priority_gives_way() {
    let mut golden = Golden::new(2);
    golden.initial(id(0, 1), 0);
    let construct =
        Region { region: region(1), parent: id(0, 1), site: 1, threads: 2, requested: 2, level: 1 };
    golden.put(0, 0, Record::Region(construct));
    for stream in 0..2 {
        golden.implicit(id(stream, 2), id(0, 1), region(1), 0);
    }
    // The first, of priority 2, runs on the thread that created it; the second, of priority 1, on
    // the other, and creates the third at 20, and a fourth of priority 2 at 30.
    let [first, second, third, fourth] = [id(0, 3), id(0, 4), id(1, 3), id(1, 4)];
    for (stream, task, parent, at, priority) in [
        (0, first, DISPATCHER, 0, 2),
        (0, second, DISPATCHER, 0, 1),
        (1, third, second, 20, 3),
        (1, fourth, second, 30, 2),
    ] {
        golden.put(stream, at, Record::Priority { task, priority });
        golden.create(task, parent, at, 0);
    }
    for (stream, task, from, to) in
        [(0, first, 0, 100), (1, second, 0, 100), (1, third, 100, 110), (0, fourth, 100, 105)]
    {
        golden.run(stream, task, from, to, RegionId::NONE);
    }
    for stream in 0..2 {
        golden.wait(id(stream, 2), stream, WaitKind::RegionEnd, 0, 110);
        golden.run(stream, id(stream, 2), 0, 110, region(1));
    }
    golden.put(0, 110, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 110, RegionId::NONE);
    let profile = golden.end(110);
    // The creator gives way itself, at once and without a signal, to both of its tasks: to the
    // third from 20 to 30, then it goes on for 10 and creates the fourth.
    let rows = predict(&profile, on(4, 6));
    let expected = [row(3, &[0], &[10], 0, 1), row(2, &[0, 0], &[5, 100], 0, 1), row(1, &[0], &[115], 2, 0)];
    assert_eq!(rows, expected);
    let rows = predict(&profile, Preemption::Off);
    let expected =
        [row(3, &[80], &[90], 0, 0), row(2, &[0, 70], &[75, 100], 0, 0), row(1, &[0], &[100], 0, 0)];
    assert_eq!(rows, expected);
}
