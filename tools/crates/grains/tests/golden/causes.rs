// SPDX-License-Identifier: Apache-2.0
//! Tests that findings name the cause, on recordings in which another explanation seems more
//! obvious.

use grains::budget::Budget;
use grains::findings::{had_processors, Disturbance, Finding};
use grains::Profile;
use trace::layout::schedule;
use trace::*;

use crate::build::{id, region, Golden};
use crate::findings::{end, found, team, MS};

const US: u64 = 1000;

fn of<'a>(all: &'a [Finding], rule: &str) -> Option<&'a Finding> {
    all.iter().find(|finding| finding.rule == rule)
}

/// The first thread runs for 20 ms alone what one task of 1 ms is not part of.
#[test]
fn one_task_is_not_too_short() {
    let (mut golden, master, _) = team(0);
    let task = id(0, 3);
    golden.create(task, master, 0, 60 * US as u32);
    golden.run(0, task, MS, 2 * MS, region(1));
    golden.wait(master, 0, WaitKind::RegionEnd, MS, 20 * MS);
    let all = found(&end(golden, 0, MS, 20 * MS));
    assert!(of(&all, "tiny-tasks").is_none(), "{all:?}");
}

/// 200 tasks of 2 us at 10 us of creation, half of them after the first thread worked for 6 ms.
#[test]
fn tiny_tasks_gain_no_more_than_their_creation_kept_others_waiting() {
    let (mut golden, master, _) = team(0);
    for number in 0..200 {
        let at = number * 10 * US + if number < 100 { 0 } else { 6 * MS };
        golden.create(id(0, 3 + number), master, at, 10 * US as u32);
    }
    for number in 0..200 {
        let at = 8 * MS + number * 2 * US;
        golden.run(0, id(0, 3 + number), at, at + 2 * US, region(1));
    }
    golden.wait(master, 0, WaitKind::RegionEnd, 8 * MS, 9 * MS);
    let all = found(&end(golden, 0, 1, 9 * MS));
    let tiny = of(&all, "tiny-tasks").expect("is found");
    assert!(tiny.gain_ns <= 2e6 && tiny.gain_ns <= tiny.lost_ns, "{tiny:?}");
}

/// Tasks of 1 ms, each of which follows the previous task, alternately on the two threads. Before
/// each task its thread takes 3 ms to wake up.
#[test]
fn a_chain_is_one_however_long_its_threads_take_to_wake_up() {
    let (mut golden, master, other) = team(0);
    for number in 0..20 {
        let task = id(0, 3 + number);
        if number > 0 {
            let dep = Dep { predecessor: id(0, 2 + number), successor: task, address: 64, ..Dep::default() };
            golden.put(0, number, Record::Dep(dep));
        }
        golden.create(task, master, number, 0);
    }
    let members = [(master, 0), (other, 1)];
    for number in 0..20_u64 {
        let begin = number * 4 * MS + 3 * MS;
        golden.run((number % 2) as u16, id(0, 3 + number), begin, begin + MS, region(1));
    }
    for (member, stream) in members {
        golden.wait(member, stream, WaitKind::RegionEnd, MS, 80 * MS);
    }
    let all = found(&end(golden, 0, 80 * MS, 80 * MS));
    assert_eq!(all[0].rule, "dependence-chain", "{all:?}");
}

/// `threads` threads, each with 6 ms of work in 20 ms, on one or two processors, of which the
/// program used `cpu_ns`.
fn crowd(threads: u16, processors: u32, cpu_ns: u64) -> Vec<Finding> {
    found(&crowded(threads, processors, cpu_ns))
}

fn crowded(threads: u16, processors: u32, cpu_ns: u64) -> Profile {
    crowded_by(&vec![6 * MS; usize::from(threads)], processors, cpu_ns)
}

/// A thread for each of `works`, in a region of 20 ms.
fn crowded_by(works: &[u64], processors: u32, cpu_ns: u64) -> Profile {
    let threads = works.len() as u16;
    let mut golden = Golden::with_processors(threads, processors);
    let root = id(0, 1);
    golden.initial(root, 0);
    let threads_32 = u32::from(threads);
    let construct = Region {
        region: region(1),
        parent: root,
        threads: threads_32,
        requested: threads_32,
        ..Region::default()
    };
    golden.put(0, 0, Record::Region(construct));
    for (stream, work) in (0..threads).zip(works) {
        let member = id(stream, 2);
        golden.implicit(member, root, region(1), 0);
        for at in 0..3_u64 {
            let counts = 10 + at as u16;
            let thread = Thread { cpu_ns: at * work / 2, preemptions: counts, ..Thread::default() };
            golden.put(stream, at * 10 * MS, Record::Thread(thread));
        }
        golden.run(stream, member, 0, 20 * MS, region(1));
    }
    golden.put(0, 20 * MS, Record::RegionEnd { region: region(1) });
    golden.run(0, root, 0, 20 * MS, RegionId::NONE);
    golden.end_with(20 * MS, End { cpu_ns, ..End::default() })
}

/// Other processes had the processors for 14 of 20 ms, and without them the run would take 6.
#[test]
fn what_others_took_is_a_share_of_the_run_as_it_was() {
    let profile = crowded(2, 1, 12 * MS);
    let budget = Budget::of(&profile);
    let walls = Disturbance::of(&profile, &budget).walls(&profile, &budget);
    let all = found(&profile);
    assert_eq!((all[0].rule, all[0].gain_ns), ("descheduled", 14e6));
    assert_eq!((walls.undisturbed, walls.gain_share(&all[0])), (6e6, 0.7));
}

#[test]
fn threads_that_had_no_processor_are_too_many_only_where_the_program_had_it() {
    let all = crowd(2, 1, 18 * MS);
    assert_eq!(all[0].rule, "too-many-threads", "{all:?}");
    assert_eq!(all[0].title, "2 threads on 1 processor");
    let all = crowd(2, 1, 12 * MS);
    assert_eq!(all[0].rule, "descheduled", "{all:?}");
    assert!(all[0].title.contains("other processes had the processors"), "{}", all[0].title);
}

/// Neighbouring threads' shares would be one thread's, on two processors: 16 ms each, or 8 and 24.
#[test]
fn fewer_threads_gain_nothing_where_their_shares_are_as_uneven() {
    let found = |works: [u64; 4]| found(&crowded_by(&works.map(|work| work * MS), 2, 40 * MS));
    let even = found([14, 2, 10, 6]);
    assert_eq!((even[0].rule, even[0].gain_ns), ("too-many-threads", 4e6), "{even:?}");
    let uneven = found([2, 6, 10, 14]);
    assert!(of(&uneven, "too-many-threads").is_none(), "{uneven:?}");
}

/// Two threads of a program, each with a team of two, on two processors. One works alone before its
/// region, the other after its own.
#[test]
fn threads_that_work_beside_regions_of_others_use_the_processors() {
    let mut golden = Golden::with_processors(4, 2);
    for (first, other, begin) in [(0, 1, 0), (2, 3, 10 * MS)] {
        let (root, end, region) = (id(first, 1), begin + 20 * MS, RegionId::new(first, 1));
        golden.implicit(root, TaskId::NONE, RegionId::NONE, 0);
        let construct = Region { region, parent: root, threads: 2, requested: 2, ..Region::default() };
        golden.put(first, begin, Record::Region(construct));
        for stream in [first, other] {
            golden.implicit(id(stream, 2), root, region, begin);
            golden.run(stream, id(stream, 2), begin, end, region);
        }
        golden.put(first, end, Record::RegionEnd { region });
        golden.run(first, root, 0, 30 * MS, RegionId::NONE);
    }
    let used = |cpu_ns| End { cpu_ns, ..End::default() };
    let profile = golden.end_with(30 * MS, used(60 * MS));
    assert!(had_processors(&profile));
}

/// Two threads work all the time, for 8 of their 20 ms in the kernel.
fn faulting(minor_faults: u64) -> Vec<Finding> {
    let (mut golden, master, _) = team(0);
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    golden.run(1, id(1, 1), 0, 10 * MS, region(1));
    golden.run(0, id(0, 2), 0, 10 * MS, region(1));
    golden.put(0, 10 * MS, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 10 * MS, RegionId::NONE);
    let most_resident_bytes = 1_000 * 4096;
    let end = End { minor_faults, system_ns: 8 * MS, most_resident_bytes, cpu_ns: 20 * MS, ..End::default() };
    found(&golden.end_with(10 * MS, end))
}

#[test]
fn memory_that_comes_several_times_costs_its_faults() {
    assert_eq!(faulting(1_500), [], "each page once, and half of them twice");
    let all = faulting(4_000);
    let finding = of(&all, "page-faults").unwrap();
    assert!((finding.lost_ns - 6e6).abs() < 1e5, "three of four faults: {}", finding.lost_ns);
    assert_eq!(finding.gain_ns, finding.lost_ns / 2.0);
    assert!(finding.evidence[0].starts_with("the program had at most 1,000 pages at a time"), "{finding:?}");
}

/// A thread works for 1 ms of each 10; for 9 the recorder does, and waits for its file in 8 of
/// these.
#[test]
fn who_waits_for_the_recorders_file_does_not_sleep_in_the_program() {
    let mut golden = Golden::new(1);
    golden.initial(id(0, 1), 0);
    for at in 0..5_u64 {
        let thread = Thread { cpu_ns: at * 2 * MS, waits: 10 + at as u16, ..Thread::default() };
        golden.put(0, at * 10 * MS, Record::Thread(thread));
        if at < 4 {
            golden.put(0, at * 10 * MS + MS / 2, Record::Recorder { ticks: 9 * MS });
        }
    }
    golden.run(0, id(0, 1), 0, 40 * MS, RegionId::NONE);
    let profile = golden.end(40 * MS);
    assert_eq!((profile.descheduled.total.0, profile.descheduled.slept.0), (0, 0));
    assert_eq!((profile.recorder.total.0, profile.work.0), (36 * MS, 4 * MS));
    assert!(of(&found(&profile), "descheduled").is_none());
}

/// Ten iterations of 1 ms in a team of one thread, while a second worker, of the region before, has
/// nothing to do. `chunks`: a record tells of them.
fn lone(chunks: bool) -> Vec<Finding> {
    let (mut golden, master, other) = team(0);
    golden.run(1, other, 0, MS, region(1));
    golden.run(0, master, 0, MS, region(1));
    golden.put(0, MS, Record::RegionEnd { region: region(1) });
    let (root, member) = (id(0, 1), id(0, 3));
    let construct =
        Region { region: region(2), parent: root, threads: 1, requested: 1, site: 1, ..Region::default() };
    golden.put(0, MS, Record::Region(construct));
    golden.implicit(member, root, region(2), MS);
    if chunks {
        let id = LoopId::new(0, 1);
        let flags = schedule::DYNAMIC;
        let instance =
            Loop { id, region: region(2), threads: 1, ub: 10, step: 1, chunk: 1, flags, ..Loop::default() };
        golden.put(0, MS, Record::Loop(instance));
        for first in 0..10_u64 {
            let chunk = Chunk { id, task: member, first: first as i64, iterations: 1, ticks: MS, cpu: 0 };
            golden.put(0, MS + first * MS, Record::Chunk(chunk));
        }
    }
    golden.run(0, member, MS, 11 * MS, region(2));
    golden.put(0, 11 * MS, Record::RegionEnd { region: region(2) });
    golden.run(0, root, 0, 11 * MS, RegionId::NONE);
    found(&golden.end(11 * MS))
}

#[test]
fn a_team_of_one_thread_keeps_a_loop_from_the_others() {
    let all = lone(true);
    assert_eq!((all[0].rule, all[0].gain_ns), ("small-teams", 5e6), "{all:?}");
    assert_eq!(all[0].evidence[1], "10 iterations and 0 tasks in them can be divided");
    assert!(lone(false)[0].evidence[1].contains("this assumes"));
}

/// A region whose threads wait for each other at its own line.
#[test]
fn a_reduction_that_waits_is_not_told_to_become_one() {
    let mut golden = Golden::new(2);
    let root = id(0, 1);
    golden.initial(root, 0);
    for stream in 0..2 {
        let module = Module { module: 1, bias: 0x100, path: b"/bin/prog", ..Default::default() };
        golden.put(stream, 0, Record::Module(module));
        golden.put(stream, 0, Record::Site(Site { site: 1, module: 1, call_site: 0x1000, function: 0 }));
    }
    let construct =
        Region { region: region(1), parent: root, threads: 2, requested: 2, site: 1, ..Region::default() };
    golden.put(0, 0, Record::Region(construct));
    golden.implicit(id(0, 2), root, region(1), 0);
    golden.implicit(id(1, 1), root, region(1), 0);
    golden.wait(id(1, 1), 1, WaitKind::Critical, MS, 6 * MS);
    golden.wait(id(0, 2), 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    let all = found(&end(golden, 0, 10 * MS, 10 * MS));
    assert_eq!(all[0].rule, "hot-lock", "{all:?}");
    assert!(all[0].remedy.contains("the combiner of a declared reduction"), "{}", all[0].remedy);
}
