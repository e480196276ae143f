// SPDX-License-Identifier: Apache-2.0
//! Time off the processor that the kernel has told: each interval is subtracted from what it fell
//! into.

use crate::build::*;
use grains::budget::{Budget, Class};
use grains::{Profile, Row, Ticks};
use trace::layout::thread;
use trace::*;

const MS: u64 = 1_000_000;
const US: u64 = 1_000;

/// The kernel has told of the time since the sample before. The CPU time is what an estimate would
/// go by.
fn told(g: &mut Golden, stream: u16, at: u64, cpu_ns: u64) {
    g.put(stream, at, Record::Thread(Thread { cpu_ns, flags: thread::TOLD, ..Thread::default() }));
}

fn begins(g: &mut Golden, stream: u16) {
    g.put(stream, 0, Record::Thread(Thread { flags: thread::BEGINS, ..Thread::default() }));
}

fn off(g: &mut Golden, stream: u16, at: u64, ticks: u64) {
    g.put(stream, at, Record::Off { ticks, preempted: true });
}

fn slept(g: &mut Golden, stream: u16, at: u64, ticks: u64) {
    g.put(stream, at, Record::Off { ticks, preempted: false });
}

fn of(profile: &Profile, class: Class) -> u64 {
    let budget = Budget::of(profile);
    assert_eq!((budget.rest().0, budget.total.sum()), (0, budget.whole()), "{:?}", budget.total);
    budget.total.of(class).0
}

#[test]
fn each_interval_is_taken_from_what_it_fell_into() {
    let (root, child) = (id(0, 1), id(0, 2));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    begins(&mut g, 0);
    g.create(child, root, 10 * MS, 4 * MS as u32);
    g.run(0, child, 15 * MS, 17 * MS, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 14 * MS, 20 * MS);
    off(&mut g, 0, 9 * MS, 2 * MS); // 1 ms of the first fragment, 1 of the creation
    off(&mut g, 0, 16 * MS, MS + MS / 2); // 1 ms of the child, the rest in the wait
    slept(&mut g, 0, 25 * MS, 3 * MS);
    told(&mut g, 0, 30 * MS, 30 * MS);
    g.run(0, root, 0, 30 * MS, RegionId::NONE);
    let profile = g.end(30 * MS);
    assert_eq!(work(&profile), [9 * MS + 7 * MS, MS], "the longest ones are not cut");
    assert_eq!(profile.grains.creation.of(Row::new(1)).0, 3 * MS);
    let lost = &profile.descheduled;
    assert_eq!((lost.total.0, lost.slept.0, lost.undecided.0), (6 * MS, 3 * MS, 0));
    assert_eq!(lost.by_grain, [(Row::new(0), Ticks(4 * MS)), (Row::new(1), Ticks(MS))]);
    assert_eq!(of(&profile, Class::Descheduled), 6 * MS + MS / 2, "it was due when the child had ended");
    assert_eq!(span(&profile), 9 * MS + MS + 7 * MS);
}

/// A leader that loses its processor where its region begins, and where it ends.
#[test]
fn what_is_lost_around_a_region_is_neither_serial_nor_scheduling() {
    let (root, member) = (id(0, 1), id(0, 2));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    begins(&mut g, 0);
    g.put(
        0,
        10 * MS,
        Record::Region(Region { region: region(1), parent: root, threads: 1, ..Region::default() }),
    );
    g.implicit(member, root, region(1), 14 * MS);
    g.run(0, member, 14 * MS, 20 * MS, region(1));
    g.put(0, 23 * MS, Record::RegionEnd { region: region(1) });
    off(&mut g, 0, 10 * MS + 10 * US, 3 * MS);
    off(&mut g, 0, 20 * MS + 10 * US, 2 * MS);
    told(&mut g, 0, 30 * MS, 12 * MS);
    g.run(0, root, 0, 30 * MS, RegionId::NONE);
    let profile = g.end(30 * MS);
    assert_eq!(work(&profile), [10 * MS + 7 * MS, 6 * MS]);
    assert_eq!((of(&profile, Class::Descheduled), of(&profile, Class::Scheduling)), (5 * MS, 2 * MS));
}

#[test]
fn the_recorder_has_the_part_of_an_interval_in_its_work() {
    let root = id(0, 1);
    let mut g = Golden::new(1);
    g.initial(root, 0);
    begins(&mut g, 0);
    g.put(0, 10 * MS, Record::Recorder { ticks: 4 * MS });
    off(&mut g, 0, 8 * MS, 3 * MS); // 2 of the task's, 1 of the recorder's
    slept(&mut g, 0, 12 * MS, MS); // for its file
    g.put(0, 20 * MS, Record::Recorder { ticks: 2 * MS });
    told(&mut g, 0, 22 * MS, 22 * MS);
    g.run(0, root, 0, 30 * MS, RegionId::NONE);
    let profile = g.end(30 * MS);
    assert_eq!(work(&profile), [(30 - 6 - 2) * MS]);
    assert_eq!((profile.recorder.total.0, profile.descheduled.total.0), (5 * MS, 3 * MS));
    assert_eq!((of(&profile, Class::Descheduled), of(&profile, Class::Recorder)), (3 * MS, 5 * MS));
    assert_eq!(profile.descheduled.slept.0, 0);
}

/// Where records were lost, or the kernel had not yet been asked, the estimate stays.
#[test]
fn of_what_the_kernel_has_not_told_there_is_an_estimate() {
    let root = id(0, 1);
    let mut g = Golden::new(1);
    g.initial(root, 0);
    begins(&mut g, 0);
    off(&mut g, 0, 2 * MS, MS);
    told(&mut g, 0, 10 * MS, 9 * MS);
    off(&mut g, 0, 12 * MS, MS); // the others were lost
    g.put(0, 20 * MS, Record::Thread(Thread { cpu_ns: 14 * MS, ..Thread::default() }));
    told(&mut g, 0, 30 * MS, 20 * MS); // although no interval says where the 4 ms are
    g.run(0, root, 0, 30 * MS, RegionId::NONE);
    let profile = g.end(30 * MS);
    assert_eq!(work(&profile), [(30 - 1 - 5) * MS]);
    assert_eq!((profile.switches[0].told.0, profile.switches[0].untold.0), (20 * MS, 10 * MS));
}

#[test]
fn a_worker_that_is_due_and_lost_its_processor_is_descheduled() {
    let root = id(0, 1);
    let members = [id(0, 2), id(1, 1)];
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.put(0, 0, Record::Region(Region { region: region(1), parent: root, threads: 2, ..Region::default() }));
    for (stream, member) in (0..2).zip(members) {
        begins(&mut g, stream);
        g.implicit(member, root, region(1), 0);
    }
    // The first waits from 10 ms on, for the second until 20 ms; and spins until it loses its
    // processor, from 18 ms to 23.
    for (stream, arrives) in [(0, 10 * MS), (1, 20 * MS)] {
        let left = if stream == 0 { 23 * MS } else { 20 * MS };
        let wait = Wait {
            kind: WaitKind::Barrier,
            task: members[usize::from(stream)],
            ticks: left - arrives,
            site: 1,
            barrier: 1,
            departures: 0,
        };
        g.put(stream, arrives, Record::Wait(wait));
    }
    off(&mut g, 0, 18 * MS, 5 * MS);
    told(&mut g, 0, 25 * MS, 25 * MS);
    told(&mut g, 1, 25 * MS, 25 * MS);
    for stream in (0..2).rev() {
        g.run(stream, members[usize::from(stream)], 0, 25 * MS, region(1));
    }
    g.put(0, 25 * MS, Record::RegionEnd { region: region(1) });
    g.run(0, root, 0, 25 * MS, RegionId::NONE);
    let profile = g.end(25 * MS);
    assert_eq!(work(&profile), [0, 12 * MS, 25 * MS]);
    assert_eq!((of(&profile, Class::Descheduled), of(&profile, Class::Imbalance)), (3 * MS, 10 * MS));
    assert_eq!(profile.descheduled.total.0, 0, "no work was lost");
}

/// A damaged recording: intervals beyond all times, twice, and out of order.
#[test]
fn damaged_intervals_are_borne() {
    let root = id(0, 1);
    let mut g = Golden::new(1);
    g.initial(root, 0);
    begins(&mut g, 0);
    for at in (0..2000).rev() {
        g.put(0, at * 10 * US, Record::Recorder { ticks: (1 << 48) - 1 });
        off(&mut g, 0, at * 10 * US, (1 << 48) - 1);
        slept(&mut g, 0, at * 10 * US, 0);
        told(&mut g, 0, at * 10 * US, 0);
    }
    g.run(0, root, 0, 30 * MS, RegionId::NONE);
    let profile = g.end(30 * MS);
    assert!(profile.work.0 <= 30 * MS);
    let _ = Budget::of(&profile);
}

/// Two threads in a region, both on processor 1: the second one has it while the first one is off
/// it [10, 24], but for a sleep of 1 ms. Worker 2 is on processor 0. A second loss [30, 31] is to
/// nobody, as worker 1 has moved.
#[test]
fn the_programs_own_threads_may_share_a_processor() {
    let profile = sharing(3);
    assert_eq!((profile.descheduled.total.0, profile.descheduled.shared.0), (16 * MS, 13 * MS));
    let all = crate::findings::found(&profile);
    let finding = all.iter().find(|finding| finding.rule == "descheduled").unwrap();
    assert!(finding.title.ends_with("several of them on one processor"), "{}", finding.title);
    assert!(finding.remedy.contains("OMP_PROC_BIND=true"), "{}", finding.remedy);
}

#[test]
fn no_thread_is_promised_a_processor_that_is_not_there() {
    let all = crate::findings::found(&sharing(2));
    let finding = all.iter().find(|finding| finding.rule == "descheduled").unwrap();
    assert!(!finding.remedy.contains("OMP_PROC_BIND"), "{}", finding.remedy);
}

fn sharing(processors: u32) -> Profile {
    let (root, first, second, third) = (id(0, 1), id(0, 2), id(1, 1), id(2, 1));
    let mut g = Golden::with_processors(3, processors);
    g.initial(root, 0);
    let construct = Region { region: region(1), parent: root, threads: 3, requested: 3, ..Region::default() };
    g.put(0, 0, Record::Region(construct));
    for (stream, member) in [(0, first), (1, second), (2, third)] {
        begins(&mut g, stream);
        g.put(stream, 0, Record::Moved { processor: u32::from(stream < 2) });
        g.implicit(member, root, region(1), 0);
        g.run(stream, member, 0, 40 * MS, region(1));
    }
    g.put(1, 25 * MS, Record::Moved { processor: 2 });
    off(&mut g, 0, 10 * MS, 14 * MS);
    slept(&mut g, 1, 12 * MS, MS);
    off(&mut g, 0, 30 * MS, MS);
    for stream in 0..3 {
        told(&mut g, stream, 40 * MS, 40 * MS);
    }
    g.put(0, 40 * MS, Record::RegionEnd { region: region(1) });
    g.run(0, root, 0, 40 * MS, RegionId::NONE);
    g.end_with(40 * MS, End { cpu_ns: 40 * MS, ..End::default() })
}

/// A thread loses processor 1 for 4 ms; for 3 of them the recorder works there, and for all of them
/// elsewhere.
#[test]
fn the_recorder_may_have_the_processor() {
    let root = id(0, 1);
    let mut g = Golden::new(1);
    g.initial(root, 0);
    begins(&mut g, 0);
    g.put(0, 0, Record::Moved { processor: 1 });
    off(&mut g, 0, 10 * MS, 4 * MS);
    g.put(0, 9 * MS, Record::Prepared { ticks: 4 * MS, processor: 1 });
    g.put(0, 9 * MS, Record::Prepared { ticks: 9 * MS, processor: 0 });
    told(&mut g, 0, 20 * MS, 20 * MS);
    g.run(0, root, 0, 20 * MS, RegionId::NONE);
    let profile = g.end(20 * MS);
    let lost = &profile.descheduled;
    assert_eq!((lost.total.0, lost.shared.0, lost.to_recorder.0), (4 * MS, 0, 3 * MS));
    let all = crate::findings::found(&profile);
    let finding = all.iter().find(|finding| finding.rule == "descheduled").unwrap();
    assert!(finding.title.contains("a thread of the recorder's"), "{}", finding.title);
}

/// Two threads of a region; where they ran is not known.
fn of_two(ends: u64, records: impl FnOnce(&mut Golden)) -> Profile {
    let (root, first, second) = (id(0, 1), id(0, 2), id(1, 1));
    let mut g = Golden::with_processors(2, 2);
    g.initial(root, 0);
    let construct = Region { region: region(1), parent: root, threads: 2, requested: 2, ..Region::default() };
    g.put(0, 0, Record::Region(construct));
    for (stream, member) in [(0, first), (1, second)] {
        begins(&mut g, stream);
        g.implicit(member, root, region(1), 0);
    }
    g.run(0, first, 0, ends, region(1));
    records(&mut g);
    for stream in 0..2 {
        told(&mut g, stream, ends, ends);
    }
    g.put(0, ends, Record::RegionEnd { region: region(1) });
    g.run(0, root, 0, ends, RegionId::NONE);
    g.end(ends)
}

/// Worker 1 gets a processor at the instant at which worker 0 loses its own, and sleeps 3 of the 4
/// ms later. A second loss comes at another instant.
#[test]
fn a_worker_that_comes_as_another_goes_has_its_processor() {
    let profile = of_two(40 * MS, |g| {
        g.run(1, id(1, 1), 0, 40 * MS, region(1));
        off(g, 0, 10 * MS, 4 * MS);
        slept(g, 1, 8 * MS, 2 * MS + US);
        slept(g, 1, 13 * MS, 2 * MS);
        off(g, 0, 20 * MS, MS);
        slept(g, 1, 19 * MS, MS / 2);
    });
    assert_eq!((profile.descheduled.shared.0, profile.descheduled.to_recorder.0), (3 * MS, 0));
}

/// An idle worker wakes up, takes the processor of another one, runs for 1 us, and sleeps again.
/// The kernel does not tell of sleeps while idle.
#[test]
fn a_worker_also_has_the_processor_while_it_wakes_up_and_falls_asleep() {
    let profile = of_two(10 * MS, |g| {
        for stream in 0..2 {
            g.put(stream, 0, Record::Moved { processor: 1 });
        }
        g.run(1, id(1, 1), 0, 10 * MS, region(1));
        for (begin, end) in [(MS, 5 * MS), (5 * MS + US, 9 * MS)] {
            g.wait(id(1, 1), 1, WaitKind::Taskwait, begin, end);
            g.put(1, begin, Record::Idle { ticks: end - begin, sleep: 0 });
        }
        off(g, 0, 5 * MS - 3 * US, 6 * US);
        off(g, 0, 8 * MS, MS);
    });
    assert_eq!((profile.descheduled.shared.0, profile.descheduled.to_recorder.0), (6 * US, 0));
}

/// A loss that lies in no task, and that a thread of the recorder's fills but for the time in which
/// it starts and ends.
#[test]
fn a_thread_that_fills_a_loss_had_the_processor() {
    let profile = of_two(10 * MS, |g| {
        g.run(1, id(1, 1), 0, 10 * MS, region(1));
        g.wait(id(1, 1), 1, WaitKind::Taskwait, 2 * MS, 4 * MS);
        g.put(1, 2 * MS, Record::Recorder { ticks: 2 * MS });
        off(g, 1, 2 * MS, MS);
        g.put(1, 2 * MS + 10 * US, Record::Prepared { ticks: MS - 30 * US, processor: 0 });
    });
    assert_eq!((profile.descheduled.shared.0, profile.descheduled.to_recorder.0), (0, MS));
}
