// SPDX-License-Identifier: Apache-2.0
//! Golden recordings in which the recorder takes time, and threads lose their processors.

use crate::build::*;
use grains::{Profile, Row, Ticks};
use trace::layout::{doacross, fulfil, task};
use trace::*;

fn stall(g: &mut Golden, stream: u16, at: u64, ticks: u64) {
    g.put(stream, at, Record::Recorder { ticks });
}

/// All of the recorder's time is taken from something, or lies where nothing is.
fn taken(profile: &Profile) -> [u64; 3] {
    let recorder = &profile.recorder;
    [recorder.from_work, recorder.from_creation, recorder.from_waits].map(|ticks| ticks.0)
}

#[test]
fn a_stall_is_taken_from_what_runs() {
    let (root, child) = (id(0, 1), id(0, 2));
    let mut g = Golden::new(2);
    g.initial(root, 0);
    stall(&mut g, 0, 4, 3); // in the root's first fragment
    g.create(child, root, 10, 9);
    stall(&mut g, 0, 12, 5); // in the creation
    stall(&mut g, 1, 30, 20); // in the child
    g.run(1, child, 20, 60, RegionId::NONE);
    stall(&mut g, 1, 60, 7); // behind it
    stall(&mut g, 0, 40, 6); // in the wait
    g.wait(root, 0, WaitKind::Taskwait, 25, 61);
    g.run(0, root, 0, 70, RegionId::NONE);
    let profile = g.end(70);
    assert_eq!(work(&profile), [10 - 3 + 6 + 9, 40 - 20]);
    assert_eq!(profile.grains.creation.of(Row::new(1)).0, 9 - 5);
    assert_eq!(profile.grains.wait.of(Row::new(0)).0, 36 - 6);
    assert_eq!(span(&profile), 7 + 20 + 9);
    assert_eq!(profile.recorder.by_worker, [Ticks(14), Ticks(27)]);
    assert_eq!(taken(&profile), [23, 5, 0]);
    // Drawn as it was.
    let fragments = &profile.fragments;
    assert_eq!((fragments.start(0), fragments.end(0), fragments.net(0)), (Ticks(0), Ticks(10), Ticks(7)));
}

#[test]
fn what_records_cost_is_taken_from_what_follows_them() {
    let after = [("create", 3.0), ("run", 4.0), ("wait", 2.0), ("dep", 1.0)];
    let within = [("create", 1.0), ("run", 2.0), ("wait", 1.0)];
    let (root, first, second) = (id(0, 1), id(0, 2), id(0, 3));
    let mut g = Golden::with_costs(1, &after, &within);
    g.initial(root, 0);
    g.create(first, root, 10, 8);
    g.put(0, 20, Record::Dep(Dep { predecessor: first, successor: second, ..Dep::default() }));
    g.create(second, root, 20, 8);
    g.run(0, first, 40, 50, RegionId::NONE);
    g.run(0, second, 60, 61, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 29, 80);
    g.run(0, root, 0, 90, RegionId::NONE);
    let profile = g.end(90);
    // 18-20 pays 2 of the 3, 28-29 1 of the 3; 80-90 the wait's 2 and 2 within the RUN.
    assert_eq!(work(&profile), [10 + 10 - 2 - 2, 10 - 2, 0]);
    assert_eq!(profile.grains.creation.iter().map(|cost| cost.0).collect::<Vec<_>>(), [0, 7, 7 - 1]);
    // 29-40, 50-60 and 61-80, less 4 behind each RUN, and 1 within.
    assert_eq!(profile.grains.wait.of(Row::new(0)).0, 11 + 10 + 19 - 4 - 4 - 1);
    assert_eq!(taken(&profile), [2 + 1 + 4 + 2 + 1, 1 + 1 + 1, 4 + 4 + 1]);
    assert_eq!(profile.recorder.total.0, taken(&profile).iter().sum::<u64>());
}

#[test]
fn a_chunk_and_its_book_keeping_pay_for_the_chunk_before() {
    let (root, id_of_loop) = (id(0, 1), LoopId::new(0, 1));
    let mut g = Golden::with_costs(1, &[("chunk", 3.0)], &[("chunk", 2.0)]);
    g.initial(root, 0);
    g.put(0, 10, Record::Loop(Loop { id: id_of_loop, ..Default::default() }));
    for (at, ticks) in [(12, 20), (37, 1)] {
        let chunk = Chunk { id: id_of_loop, task: root, first: 0, iterations: 4, ticks, cpu: 0 };
        g.put(0, at, Record::Chunk(chunk));
    }
    g.put(0, 10, Record::LoopThread(LoopThread { id: id_of_loop, task: root, ticks: 40 }));
    g.run(0, root, 0, 60, RegionId::NONE);
    let profile = g.end(60);
    assert_eq!(work(&profile), [10 + 22 - 3, 20 - 2, 0]);
    assert_eq!(profile.grains.creation.iter().skip(1).map(|cost| cost.0).collect::<Vec<_>>(), [2, 5 - 3]);
}

#[test]
fn what_a_doacross_construct_takes_is_none_of_the_work() {
    let (root, id_of_loop) = (id(0, 1), LoopId::new(0, 1));
    let work_of = |ticks: [u64; 2]| {
        let mut g = Golden::with_costs(1, &[("doacross", 3.0)], &[]);
        g.initial(root, 0);
        g.put(0, 1, Record::Loop(Loop { id: id_of_loop, ..Default::default() }));
        let point = Doacross { id: id_of_loop, task: root, iteration: 0, waited: 4, ticks: 0, flags: 0 };
        g.put(0, 30, Record::Doacross(Doacross { ticks: ticks[0], flags: doacross::SINK, ..point }));
        let source = Doacross { ticks: ticks[1], flags: doacross::SOURCE, iteration: 1, waited: 0, ..point };
        g.put(0, 50, Record::Doacross(source));
        g.run(0, root, 0, 90, RegionId::NONE);
        work(&g.end(90))
    };
    assert_eq!(work_of([10, 7]), [20 + (20 - 3) + (33 - 3)]);
    assert_eq!(work_of([0, 0]), [26 + (20 - 3) + (40 - 3)], "a recording from before that was told");
    assert_eq!(work_of([29, 39]), [1 + (20 - 3)], "less is left than a record costs");
}

#[test]
fn what_a_fulfilment_takes_is_none_of_the_work() {
    let [root, body, other] = [1, 2, 3].map(|ordinal| id(0, ordinal));
    let work_of_fulfiller = |ticks| {
        let mut g = Golden::with_costs(2, &[("fulfil", 2.0)], &[]);
        g.initial(root, 0);
        g.create_with(body, root, 5, 0, task::DETACHABLE);
        g.create(other, root, 6, 0);
        g.run(0, body, 10, 15, RegionId::NONE);
        g.put(1, 60, Record::Fulfil(Fulfil { task: body, ticks, flags: fulfil::LATE }));
        g.run(1, other, 10, 70, RegionId::NONE);
        g.wait(root, 0, WaitKind::Taskwait, 8, 72);
        g.run(0, root, 0, 85, RegionId::NONE);
        work(&g.end(85))[2]
    };
    assert_eq!(work_of_fulfiller(6), 50 + (4 - 2));
    assert_eq!(work_of_fulfiller(0), 50 + (10 - 2));
    assert_eq!(work_of_fulfiller(9), 50, "less is left than a record costs");
    assert_eq!(work_of_fulfiller(10), 50);
    assert_eq!(work_of_fulfiller(1 << 40), 50, "as a damaged record may say");
}

#[test]
fn a_stall_in_book_keeping_is_none_of_it() {
    let (root, id_of_loop) = (id(0, 1), LoopId::new(0, 1));
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.put(0, 10, Record::Loop(Loop { id: id_of_loop, ..Default::default() }));
    for at in [12, 60] {
        let chunk = Chunk { id: id_of_loop, task: root, first: 0, iterations: 4, ticks: 20, cpu: 0 };
        g.put(0, at, Record::Chunk(chunk));
    }
    stall(&mut g, 0, 33, 25); // from 32 to 60 the thread gets its second chunk
    g.put(0, 10, Record::LoopThread(LoopThread { id: id_of_loop, task: root, ticks: 80 }));
    g.run(0, root, 0, 90, RegionId::NONE);
    let profile = g.end(90);
    assert_eq!(profile.grains.creation.iter().skip(1).map(|cost| cost.0).collect::<Vec<_>>(), [2, 28 - 25]);
    assert_eq!(work(&profile), [10 + 10, 20, 20]);
    assert_eq!(taken(&profile), [0, 25, 0]);
}

#[test]
fn a_thread_without_processor_does_not_work() {
    let (root, child) = (id(0, 1), id(0, 2));
    let ms = 1_000_000;
    let sample = |cpu_ms: u64| Record::Thread(Thread { cpu_ns: cpu_ms * ms, ..Default::default() });
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.put(0, 0, sample(0));
    g.create(child, root, 10 * ms, 0);
    g.run(0, child, 12 * ms, 20 * ms, RegionId::NONE);
    g.put(0, 20 * ms, sample(12)); // of 18 ms that tasks ran
    g.wait(root, 0, WaitKind::Taskwait, 10 * ms, 22 * ms);
    g.run(0, root, 0, 30 * ms, RegionId::NONE);
    g.put(0, 30 * ms, sample(20)); // of 8
    let profile = g.end(30 * ms);
    // Of 10 and 8 ms the longest lose 6: both are cut to 6.
    assert_eq!(work(&profile), [6 * ms + 8 * ms, 6 * ms]);
    assert_eq!(profile.descheduled.by_worker, [profile.descheduled.total]);
    assert_eq!(profile.descheduled.by_grain, [(Row::new(0), Ticks(4 * ms)), (Row::new(1), Ticks(2 * ms))]);
}

const MS: u64 = 1_000_000;
const US: u64 = 1_000;

/// What the thread of a stream has used, as its recorder tells it within a stall of `ticks`.
fn sample_in_stall(g: &mut Golden, stream: u16, at: u64, cpu_ns: u64, stall: (u64, u64)) {
    g.put(stream, at, Record::Thread(Thread { cpu_ns, preemptions: 1, ..Default::default() }));
    g.put(stream, stall.0, Record::Recorder { ticks: stall.1 - stall.0 });
}

#[test]
fn the_recorder_takes_no_more_than_its_threads_cpu_time() {
    let (root, child, member) = (id(0, 1), id(0, 2), id(0, 3));
    let begins =
        |cpu_ns| Record::Thread(Thread { cpu_ns, flags: layout::thread::BEGINS, ..Default::default() });
    let mut g = Golden::new(2);
    g.put(0, 0, begins(0));
    g.initial(root, 0);
    // A thread that begins waits for a processor while it opens its stream.
    g.put(1, 5 * MS, begins(200 * US));
    g.put(1, MS, Record::Recorder { ticks: 4 * MS });
    // In the root's work, in the creation of a task, and in a wait.
    sample_in_stall(&mut g, 0, 9 * MS, 5 * MS + 100 * US, (5 * MS, 9 * MS));
    g.create(child, root, 10 * MS, 5 * MS as u32);
    sample_in_stall(&mut g, 0, 14 * MS, 7 * MS + 300 * US, (11 * MS, 14 * MS));
    g.run(1, child, 16 * MS, 18 * MS, RegionId::NONE);
    sample_in_stall(&mut g, 0, 20 * MS, 8 * MS + 400 * US, (17 * MS, 20 * MS));
    g.wait(root, 0, WaitKind::Taskwait, 15 * MS, 21 * MS);
    g.create(member, root, 22 * MS, 0);
    g.run(0, root, 0, 25 * MS, RegionId::NONE);
    g.put(
        0,
        25 * MS,
        Record::Thread(Thread { cpu_ns: 12 * MS + 400 * US, preemptions: 1, ..Default::default() }),
    );
    let profile = g.end(25 * MS);
    let budget = grains::budget::Budget::of(&profile);
    let of = |class| budget.total.of(class).0;
    use grains::budget::Class::*;
    // The thread that begins can have worked 200 us for the recorder; the other one 100, 200 and
    // 100, beside what its tasks ran.
    assert_eq!(of(Recorder), (200 + 100 + 200 + 100) * US, "{:?}", budget.total);
    assert_eq!(budget.rest().0, 0);
    assert_eq!(profile.recorder.total.0, of(Recorder));
    assert_eq!(of(Descheduled), 4 * MS + 4 * MS + 3 * MS + 3 * MS - of(Recorder));
    assert_eq!(
        (work(&profile)[0], profile.grains.creation.of(Row::new(1)).0),
        (5 * MS + MS + 4 * MS, 2 * MS)
    );
}

#[test]
fn holds_of_a_lock_stand_one_after_the_other() {
    let root = id(0, 1);
    let hold = |address, waited, held| {
        Record::Lock(Lock { task: root, address, waited, held, site: 1, kind: LockKind::Critical })
    };
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.put(0, 50, hold(8, 5, 10));
    g.put(0, 20, hold(64, 0, 10));
    g.put(0, 30, hold(8, 0, 5));
    g.run(0, root, 0, 90, RegionId::NONE);
    let profile = g.end(90);
    let had: Vec<_> =
        profile.locks.iter().map(|hold| (hold.address, hold.had.0, hold.released().0)).collect();
    assert_eq!(had, [(8, 30, 35), (8, 50, 60), (64, 20, 30)]);
    // The wait for the lock is no work, the hold is.
    assert_eq!(work(&profile), [90 - 5]);
    assert_eq!(shape(&profile, 0).to_lowercase(), "faflaflfaflf");
}

/// A doacross loop of two threads: a source and a sink take 3 ms each, beside a wait of 1 ms; and
/// the thread's CPU time is what it says.
fn doacross_with(cpu_ms: u64, stall: u64) -> Profile {
    let (root, id_of_loop) = (id(0, 1), LoopId::new(0, 1));
    let sample =
        |cpu_ms: u64| Record::Thread(Thread { cpu_ns: cpu_ms * MS, preemptions: 1, ..Default::default() });
    let mut g = Golden::new(1);
    g.initial(root, 0);
    g.put(0, 0, sample(0));
    g.put(0, 0, Record::Loop(Loop { id: id_of_loop, ..Default::default() }));
    let point = |iteration, ticks, waited, flags| {
        Record::Doacross(Doacross { id: id_of_loop, task: root, iteration, waited, ticks, flags })
    };
    g.put(0, 2 * MS, point(1, 3 * MS, 0, doacross::SOURCE));
    if stall > 0 {
        g.put(0, 3 * MS, Record::Recorder { ticks: stall });
    }
    g.put(0, 10 * MS, point(0, 4 * MS, MS, doacross::SINK));
    g.wait(root, 0, WaitKind::Ordered, 9 * MS, 10 * MS);
    g.run(0, root, 0, 12 * MS, RegionId::NONE);
    g.put(0, 12 * MS, sample(cpu_ms));
    g.end(12 * MS)
}

#[test]
fn what_a_doacross_construct_takes_has_its_class() {
    use grains::budget::{Budget, Class::*};
    let of = |cpu_ms, stall| {
        let profile = doacross_with(cpu_ms, stall);
        let budget = Budget::of(&profile);
        assert_eq!((budget.rest(), profile.work), (Ticks::ZERO, budget.total.of(Work)));
        assert_eq!(profile.descheduled.total, budget.total.of(Descheduled));
        assert_eq!(profile.recorder.total, budget.total.of(Recorder));
        [Work, Scheduling, Locks, Descheduled, Recorder].map(|class| budget.total.of(class).0 / US)
    };
    // 2 ms of work, 3 of the source, 1 of work, 3 of the sink, 1 of waiting, 2 of work.
    assert_eq!(of(11, 0), [5000, 6000, 1000, 0, 0]);
    assert_eq!(of(11, MS), [5000, 5000, 1000, 0, 1000]);
    // The longest lose first, whatever they are.
    assert_eq!(of(9, 0), [5000, 4000, 1000, 2000, 0]);
    assert_eq!(of(10, MS), [5000, 5000, 1000, 1000, 0], "the recorder has what tasks leave");
}

#[test]
fn what_a_fulfilment_takes_has_its_class() {
    use grains::budget::{Budget, Class::*};
    let [root, body, other] = [1, 2, 3].map(|ordinal| id(0, ordinal));
    let sample = |cpu_ms: u64| Record::Thread(Thread { cpu_ns: cpu_ms * MS, ..Default::default() });
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.create_with(body, root, 5 * MS, 0, task::DETACHABLE);
    g.create(other, root, 6 * MS, 0);
    g.run(0, body, 10 * MS, 15 * MS, RegionId::NONE);
    g.put(1, 10 * MS, sample(0));
    g.put(1, 12 * MS, Record::Fulfil(Fulfil { task: body, ticks: 6 * MS, flags: fulfil::LATE }));
    g.run(1, other, 10 * MS, 20 * MS, RegionId::NONE);
    g.put(1, 20 * MS, sample(6));
    g.wait(root, 0, WaitKind::Taskwait, 8 * MS, 22 * MS);
    g.run(0, root, 0, 25 * MS, RegionId::NONE);
    let profile = g.end(25 * MS);
    let budget = Budget::of(&profile);
    assert_eq!(work(&profile)[2], 4 * MS, "the fulfilment lost 4 of its 6 ms");
    assert_eq!(budget.total.of(Descheduled).0, 4 * MS);
    let calls: Vec<_> = profile.calls.iter().map(|call| (call.own.0, call.descheduled.0)).collect();
    assert_eq!(calls, [(2 * MS, 4 * MS)]);
}

#[test]
fn what_a_creation_has_beyond_its_like_goes_first() {
    let root = id(0, 1);
    let sample = |cpu_ns: u64| Record::Thread(Thread { cpu_ns, ..Default::default() });
    let mut g = Golden::new(2);
    g.initial(root, 0);
    g.put(0, 0, sample(0));
    // Five creations after 3 ms of work each; the third one lost the processor for 4 ms.
    let mut at = 0;
    for ordinal in 0..5 {
        at += 3 * MS;
        let cost = if ordinal == 2 { 4 * MS } else { 3 * US };
        g.create(id(0, 2 + ordinal), root, at, cost as u32);
        at += cost;
    }
    g.run(0, root, 0, at + MS, RegionId::NONE);
    g.put(0, at + MS, sample(at + MS - 5 * MS));
    for ordinal in 0..5 {
        g.run(1, id(0, 2 + ordinal), at + ordinal * MS, at + (ordinal + 1) * MS, RegionId::NONE);
    }
    let profile = g.end(at + 5 * MS);
    let creations: Vec<_> = profile.grains.creation.iter().skip(1).map(|ticks| ticks.0 / US).collect();
    assert_eq!(creations, [3; 5], "it loses first, and is as long as its like");
    assert_eq!(profile.descheduled.total.0 / US, 5000);
    assert_eq!(work(&profile)[0], 16 * MS - MS - 3 * US, "the work loses what is left");
}
