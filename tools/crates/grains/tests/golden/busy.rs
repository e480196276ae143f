// SPDX-License-Identifier: Apache-2.0
//! Recordings of a busy machine: threads lose their processors for milliseconds, while their
//! actions take microseconds. One tick is one nanosecond.

use grains::budget::Budget;
use grains::findings::{findings, Names};
use grains::{PlaceRow, Profile};
use trace::layout::schedule;
use trace::*;

use crate::build::*;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

fn cpu(g: &mut Golden, stream: u16, at: u64, cpu_ns: u64) {
    g.put(stream, at, Record::Thread(Thread { cpu_ns, preemptions: 1, ..Thread::default() }));
}

/// A team of two from 0 on.
fn team() -> Golden {
    let mut g = Golden::new(2);
    g.initial(id(0, 1), 0);
    g.put(
        0,
        0,
        Record::Region(Region { region: region(1), parent: id(0, 1), threads: 2, ..Region::default() }),
    );
    for stream in 0..2 {
        g.implicit(member(stream), id(0, 1), region(1), 0);
        cpu(&mut g, stream, 0, 0);
    }
    g
}

fn member(stream: u16) -> TaskId {
    id(stream, 2)
}

fn end(mut g: Golden, ends: [u64; 2]) -> Profile {
    for stream in (0..2).rev() {
        g.run(stream, member(stream), 0, ends[usize::from(stream)], region(1));
    }
    let at = ends[1];
    g.put(0, at, Record::RegionEnd { region: region(1) });
    g.run(0, id(0, 1), 0, at, RegionId::NONE);
    g.end(at)
}

/// Two threads alternate on a processor, each for 4 ms at a time. Running, each thread holds a lock
/// for 100 us after 100 us without the lock; while it has no processor, it is in the middle of a
/// period without the lock.
#[test]
fn no_span_is_shorter_than_the_holds_of_one_lock() {
    const SLICES: u64 = 10;
    let mut g = team();
    let mut used = [0; 2];
    let mut holds = 0;
    for slice in 0..SLICES {
        let stream = (slice % 2) as u16;
        let begin = slice * 4 * MS;
        for hold in 0..20 {
            let had = begin + hold * 200 * US + 100 * US;
            let lock = Lock {
                task: member(stream),
                address: 64,
                waited: 0,
                held: 100 * US,
                site: 1,
                kind: LockKind::Lock,
            };
            g.put(stream, had, Record::Lock(lock));
            holds += 100 * US;
        }
        used[usize::from(stream)] += 4 * MS;
        cpu(&mut g, stream, begin + 4 * MS, used[usize::from(stream)]);
    }
    let profile = end(g, [SLICES * 4 * MS - 4 * MS, SLICES * 4 * MS]);
    assert_eq!(profile.locks.len(), 20 * SLICES as usize);
    let whole = SLICES * 4 * MS;
    // The threads ran one after the other; but what a thread does before its first hold is none of
    // the path that comes from the other one's last.
    assert!(profile.span_any_schedule.0.abs_diff(holds) < holds / 100, "{:?}", profile.span_any_schedule);
    assert!(
        profile.span.0 >= holds && profile.span.0.abs_diff(whole - (SLICES - 1) * 100 * US) < MS / 10,
        "{:?}",
        profile.span
    );
    assert!(profile.work.0.abs_diff(whole) < MS / 10, "{:?}", profile.work);
}

struct NoNames;

impl Names for NoNames {
    fn place(&self, _row: Option<PlaceRow>) -> String {
        String::new()
    }

    fn variable(&self, _address: u64) -> Option<String> {
        None
    }
}

/// Regions of one thread with 50 us of work each; the thread loses its processor for 3 ms where the
/// last of them begins.
#[test]
fn what_is_lost_where_a_region_begins_is_no_works() {
    let mut g = Golden::new(1);
    g.initial(id(0, 1), 0);
    cpu(&mut g, 0, 0, 0);
    let mut at = 0;
    for ordinal in 1..=20 {
        let (member, region) = (id(0, 1 + ordinal), region(ordinal));
        g.put(0, at, Record::Region(Region { region, parent: id(0, 1), threads: 1, ..Region::default() }));
        let start = at + if ordinal == 20 { 3 * MS } else { 0 };
        g.implicit(member, id(0, 1), region, start);
        at = start + 50 * US;
        g.run(0, member, start, at, region);
        g.put(0, at, Record::RegionEnd { region });
    }
    cpu(&mut g, 0, at, MS);
    g.run(0, id(0, 1), 0, at, RegionId::NONE);
    let profile = g.end(at);
    assert!(profile.work.0 > MS / 100 * 95, "{:?}", profile.work);
}

/// A thread that ran for 1 ms of each 5, and between two samples both slept and lost its processor.
#[test]
fn where_threads_slept_and_were_starved_no_one_is_blamed_alone() {
    let mut g = Golden::new(1);
    g.initial(id(0, 1), 0);
    for at in 0..5_u64 {
        let (cpu_ns, counts) = (at * MS, 10 + 3 * at as u16);
        let thread = Thread { cpu_ns, waits: counts, preemptions: counts / 2, ..Thread::default() };
        g.put(0, at * 5 * MS, Record::Thread(thread));
    }
    g.run(0, id(0, 1), 0, 20 * MS, RegionId::NONE);
    let profile = g.end(20 * MS);
    let lost = &profile.descheduled;
    assert_eq!((lost.total.0, lost.slept.0, lost.undecided.0), (16 * MS, 0, 16 * MS));
    let found = findings(&profile, &Budget::of(&profile), &NoNames);
    assert_eq!(
        found[0].title,
        "threads had work and did not run: they slept, or other processes had the processors"
    );
}

/// Iterations of 50 us. Each fiftieth time a thread loses its processor for 3 ms where it gets the
/// next one, as it does who has just woken another.
#[test]
fn chunks_work_as_long_as_they_did_where_threads_lose_their_processors_between_them() {
    const CHUNKS: u64 = 200;
    let mut g = team();
    let instance = Loop {
        id: LoopId::new(0, 1),
        region: region(1),
        threads: 2,
        ub: 2 * CHUNKS as i64,
        step: 1,
        flags: schedule::DYNAMIC | schedule::ORDERED,
        ..Loop::default()
    };
    g.put(0, 0, Record::Loop(instance));
    let mut last = 0;
    for stream in 0..2 {
        let task = member(stream);
        let (mut at, mut used) = (0, 0);
        for chunk in 0..CHUNKS {
            at += US + if chunk % 50 == 49 { 3 * MS } else { 0 };
            let first = chunk as i64 * 2 + i64::from(stream);
            g.put(
                stream,
                at,
                Record::Chunk(Chunk { id: instance.id, task, first, iterations: 1, ticks: 50 * US, cpu: 0 }),
            );
            at += 50 * US;
            used += 51 * US;
            if chunk % 50 == 49 {
                cpu(&mut g, stream, at, used);
            }
        }
        g.put(stream, 0, Record::LoopThread(LoopThread { id: instance.id, task, ticks: at }));
        last = at;
    }
    let profile = end(g, [last, last]);
    let chunks = profile.chunks.rows().map(|chunk| profile.grains.of_chunk(chunk));
    let work: u64 = chunks.map(|row| profile.grains.work.of(row).0).sum();
    let whole = 2 * CHUNKS * 50 * US;
    assert!(work <= whole && work > whole / 100 * 97, "{work}");
    let budget = Budget::of(&profile);
    let of = |class| budget.total.of(class).0;
    assert!(of(grains::budget::Class::Scheduling) < whole / 20, "{:?}", budget.total);
    assert_eq!((budget.rest().0, budget.total.sum()), (0, budget.whole()));
    let rules: Vec<_> = findings(&profile, &budget, &NoNames).iter().map(|found| found.rule).collect();
    assert_eq!(rules, ["descheduled"]);
}
