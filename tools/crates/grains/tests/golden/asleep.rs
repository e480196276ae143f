// SPDX-License-Identifier: Apache-2.0
//! Predictions of programs that sleep: each sleep takes as long as recorded, on a worker.

use grains::budget::{Budget, Class};
use grains::findings::Disturbance;
use grains::predict::{Cause, Changes, Limit};
use grains::Profile;
use trace::layout::{schedule, thread};
use trace::*;

use crate::build::{id, Golden};
use crate::findings::{end, found, team, MS};
use crate::predict::{looped_with, point, task_place, tasks, tasks_end, times, two, with};

/// (begin, length) of the intervals in which a thread was off its processor.
type Offs<'a> = &'a [(u64, u64)];

/// The kernel has told of all the time until `end`.
pub fn off(golden: &mut Golden, stream: u16, offs: Offs, preempted: bool, end: u64) {
    let sample = |flags| Record::Thread(Thread { flags, ..Thread::default() });
    golden.put(stream, 0, sample(thread::BEGINS));
    for &(at, ticks) in offs {
        golden.put(stream, at, Record::Off { ticks, preempted });
    }
    golden.put(stream, end, sample(thread::TOLD));
}

const WORKS: [u64; 4] = [4_000, 6_000, 5_000, 3_000];
/// One in the serial part, and 2,000 and 1,500 in the first two tasks.
const SLEEPS: [(u64, u64); 3] = [(1, 8), (100, 2_000), (6_000, 1_500)];

fn asleep(offs: Offs, preempted: bool) -> Profile {
    let mut golden = tasks(&WORKS);
    let end = tasks_end(&WORKS);
    off(&mut golden, 0, offs, preempted, end);
    golden.end(end)
}

#[test]
fn a_sleep_takes_its_time_on_its_worker() {
    let (slept, worked) = (asleep(&SLEEPS, false), asleep(&[], false));
    let threads = [1, 2, 3, 4, 8];
    assert_eq!(times(&slept, threads), times(&worked, threads));
    for threads in threads {
        let (slept, worked) =
            (point(&slept, threads, Changes::default()), point(&worked, threads, Changes::default()));
        assert_eq!((slept.slept.0, worked.slept.0), (3_508, 0));
        assert_eq!((slept.work + slept.slept, slept.span), (worked.work, worked.span));
        assert_eq!((slept.busy(), slept.lost), (worked.busy(), worked.lost));
    }
    let half = Changes { factors: vec![(task_place(&slept), 0.5)], ..Changes::default() };
    assert_eq!(with(&slept, 1, half.clone()), with(&worked, 1, half));
}

#[test]
fn time_without_a_processor_is_no_sleep() {
    let (lost, worked) = (asleep(&SLEEPS, true), asleep(&[], false));
    assert_eq!(point(&lost, 1, Changes::default()).slept.0, 0);
    assert_eq!(times(&lost, [1])[0] + 3_508, times(&worked, [1])[0]);
}

/// Of the 3 between any two tasks, the worker has no processor for 2.
#[test]
fn time_without_a_processor_is_none_of_the_runtime_s() {
    let mut golden = tasks(&WORKS);
    let (end, begins) = (tasks_end(&WORKS), [18, 18 + 4_003, 18 + 10_006, 18 + 15_009]);
    off(&mut golden, 0, &begins.map(|at| (at, 2)), true, end);
    let lost = point(&golden.end(end), 1, Changes::default());
    assert_eq!(lost.scheduling.0, 4);
}

#[test]
fn a_program_that_sleeps_most_of_the_time_is_limited_by_sleep() {
    let most: [(u64, u64); 3] = [(100, 3_500), (4_500, 5_500), (11_000, 4_000)];
    let limit = |offs| point(&asleep(offs, false), 1, Changes::default()).limit();
    assert_eq!((limit(&most), limit(&SLEEPS)), (Limit::Sleep, Limit::Work));
}

/// A chunk of eight iterations that sleeps half of its time.
#[test]
fn iterations_that_are_divided_anew_take_their_sleeps_along() {
    for flags in [schedule::STATIC, schedule::GUIDED, schedule::DYNAMIC] {
        let of = |offs| {
            looped_with(flags, 0, &[(8, 800), (8, 800)], 1, |golden| off(golden, 0, offs, false, 1_600))
        };
        let (slept, worked) = (of(&[(100, 400)]), of(&[]));
        assert_eq!(times(&slept, [1, 2, 4, 8, 16]), times(&worked, [1, 2, 4, 8, 16]), "{flags}");
        assert_eq!(point(&slept, 4, Changes::default()).slept.0, 400);
    }
}

#[test]
fn shares_that_are_divided_anew_take_their_sleeps_along() {
    let of = |offs| {
        two(|golden| {
            for stream in 0..2 {
                let asked = Record::TeamSize { task: id(stream, 2), share: ShareMark::Asked };
                golden.put(stream, 20, asked);
                off(golden, stream, offs, false, 100);
            }
        })
    };
    // Of each, 30 of the 80 that are divided.
    let (slept, worked) = (of(&[(40, 30)]), of(&[]));
    assert_eq!(times(&slept, [1, 2, 4]), times(&worked, [1, 2, 4]));
    assert_eq!(times(&slept, [1, 4]), [200, 20 + 40]);
    assert_eq!(point(&slept, 4, Changes::default()).slept.0, 60);
}

/// The initial task sleeps for 100 ms of the 110 before a region, in which each thread works 10.
/// `more` is put beside that.
fn serial_sleep(more: impl FnOnce(&mut Golden)) -> Profile {
    let (mut golden, master, _) = team(110 * MS);
    golden.wait(master, 0, WaitKind::RegionEnd, 120 * MS, 120 * MS);
    off(&mut golden, 0, &[(5 * MS, 100 * MS)], false, 120 * MS);
    more(&mut golden);
    end(golden, 110 * MS, 120 * MS, 120 * MS)
}

#[test]
fn a_sleep_in_a_serial_part_is_no_work_and_gains_all_of_it() {
    let profile = serial_sleep(|_| {});
    let all = found(&profile);
    let facts: Vec<_> = all.iter().map(|one| (one.rule, one.gain_ns, one.lost_ns)).collect();
    assert_eq!(facts, [("serial-sleep", 100e6, 200e6)]);
    assert!(all[0].title.starts_with("100 ms asleep without a parallel region"), "{all:?}");
    assert!(all[0].remedy.starts_with("More threads do not"), "{all:?}");
    let budget = Budget::of(&profile).total;
    let classes = budget.of(Class::Serial) + budget.of(Class::Descheduled);
    assert!(all[0].lost_ns <= classes.0 as f64);
}

#[test]
fn a_sleep_in_a_serial_part_limits_any_number_of_threads() {
    let limits =
        |profile: &Profile| [1, 2, 8].map(|threads| point(profile, threads, Changes::default()).limit());
    assert_eq!(limits(&serial_sleep(|_| {})), [Limit::Sleep; 3]);
    // Most of this serial part is work.
    let (mut golden, master, _) = team(110 * MS);
    golden.wait(master, 0, WaitKind::RegionEnd, 120 * MS, 120 * MS);
    off(&mut golden, 0, &[(5 * MS, 50 * MS)], false, 120 * MS);
    let worked = end(golden, 110 * MS, 120 * MS, 120 * MS);
    let serial = Limit::Lost(Cause::Serial, None);
    assert_eq!(limits(&worked), [Limit::Work, serial, serial]);
}

/// A worker that has nothing to do prepares its files while the initial task sleeps.
#[test]
fn a_recorder_beside_a_sleep_does_not_make_the_run_longer() {
    let profile = serial_sleep(|golden| {
        golden.put(1, 20 * MS, Record::Recorder { ticks: 40 * MS });
    });
    let budget = Budget::of(&profile);
    assert_eq!(budget.total.of(Class::Recorder).0, 40 * MS);
    let [recorder, others] = Disturbance::of(&profile, &budget).of_wall(&profile, &budget);
    assert_eq!((recorder, others), (0.0, 0.0));
    assert_eq!(found(&profile)[0].gain_ns, 100e6);
}
