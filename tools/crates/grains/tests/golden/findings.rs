// SPDX-License-Identifier: Apache-2.0
//! Findings of recordings with one defect each; the gain of the cure must be exact to the
//! nanosecond.

use grains::budget::{Budget, Class};
use grains::findings::{findings, Disturbance, Finding};
use grains::{PlaceRow, Profile, Selection};
use trace::layout::{samples, schedule};
use trace::*;

use crate::build::{id, region, Golden};

pub const MS: u64 = 1_000_000;

pub fn found(profile: &Profile) -> Vec<Finding> {
    findings(profile, &Budget::of(profile), &|place: Option<PlaceRow>| format!("place {place:?}"))
}

/// The initial task, and two threads in a region from `begin` to `end`.
pub fn team(begin: u64) -> (Golden, TaskId, TaskId) {
    let mut golden = Golden::new(2);
    let (master, other) = (id(0, 2), id(1, 1));
    golden.initial(id(0, 1), 0);
    let construct =
        Region { region: region(1), parent: id(0, 1), threads: 2, requested: 2, ..Region::default() };
    golden.put(0, begin, Record::Region(construct));
    golden.implicit(master, id(0, 1), region(1), begin);
    golden.implicit(other, id(0, 1), region(1), begin);
    (golden, master, other)
}

pub fn end(mut golden: Golden, begin: u64, other_end: u64, end: u64) -> Profile {
    golden.run(1, id(1, 1), begin, other_end, region(1));
    golden.run(0, id(0, 2), begin, end, region(1));
    golden.put(0, end, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, end, RegionId::NONE);
    golden.end(end)
}

#[test]
fn a_serial_start_gains_what_the_other_thread_could_take_off_it() {
    let (mut golden, master, _) = team(6 * MS);
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    let all = found(&end(golden, 6 * MS, 10 * MS, 10 * MS));
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((all[0].rule, all[0].gain_ns), ("serial-part", 3e6));
    assert_eq!(all[0].lost_ns, 6e6);
    assert_eq!(all[0].evidence[0], "60 % of the wall time");
}

/// Samples begin with the first use of OpenMP.
#[test]
fn a_serial_part_says_how_to_find_out_what_runs_there() {
    let start = |put: &dyn Fn(&mut Golden)| {
        let (mut golden, master, _) = team(6 * MS);
        put(&mut golden);
        golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
        end(golden, 6 * MS, 10 * MS, 10 * MS)
    };
    let remedy = |profile: &Profile| found(profile)[0].remedy.clone();
    let mut profile = start(&|_| ());
    assert!(remedy(&profile).ends_with("`teff record --sample` names the functions that run there."));
    profile.meta.command.words = vec!["/usr/bin/python3.11".to_owned(), "train.py".to_owned()];
    assert!(remedy(&profile).contains("`python -X importtime`"), "{}", remedy(&profile));
    let period = Samples { lost: 0, period_ns: 10, flags: samples::BEGIN };
    let mut sampled = start(&|golden| {
        golden.put(0, 0, Record::Samples(period));
    });
    assert!(remedy(&sampled).ends_with("any number of threads."), "{}", remedy(&sampled));
    for profile in [&mut profile, &mut sampled] {
        profile.meta.met_cpu_ns = profile.meta.start_cpu_ns + 5 * MS;
        assert!(remedy(profile).contains("such as perf, names the functions"), "{}", remedy(profile));
    }
}

/// A serial part of 6 ms, and a region of 4 ms at `site`, of which all up to `to` is selected.
fn title_of_a_part(site: u32, to: u64) -> String {
    let mut golden = Golden::new(2);
    golden.put(0, 0, Record::Site(Site { site: 1, call_site: 0x10, ..Site::default() }));
    golden.initial(id(0, 1), 0);
    let (region, from) = (region(1), 6 * MS);
    let construct = Region { region, parent: id(0, 1), site, threads: 2, requested: 2, level: 1 };
    golden.put(0, from, Record::Region(construct));
    for stream in 0..2 {
        golden.implicit(id(stream, 2), id(0, 1), region, from);
        golden.run(stream, id(stream, 2), from, 10 * MS, region);
    }
    golden.put(0, 10 * MS, Record::RegionEnd { region });
    golden.run(0, id(0, 1), 0, 10 * MS, RegionId::NONE);
    let part = Selection { to_ns: Some(to as f64), ..Selection::default() };
    let all = found(&golden.end_part(10 * MS, &part));
    all.first().map(|finding| finding.title.clone()).unwrap_or_default()
}

#[test]
fn a_part_without_a_region_is_not_the_program() {
    assert_eq!(
        title_of_a_part(1, 5 * MS),
        "5.00 ms without a parallel region, as this part of the run has none"
    );
    let title = title_of_a_part(1, 8 * MS);
    assert!(title.contains("before the first region of this part, the one at place"), "{title}");
    let title = title_of_a_part(0, 8 * MS);
    assert!(title.ends_with("beside regions at unknown places"), "{title}");
}

/// No region is open, and both of the program's own threads work all the time.
#[test]
fn threads_beside_each_other_are_no_serial_part() {
    let mut golden = Golden::new(2);
    for stream in 0..2 {
        golden.initial(id(stream, 1), 0);
        golden.run(stream, id(stream, 1), 0, 10 * MS, RegionId::NONE);
    }
    let profile = golden.end(10 * MS);
    assert_eq!(Budget::of(&profile).total.of(Class::Serial).0, 0);
    assert_eq!(found(&profile), []);
}

/// The recorder works for 4 ms outside of regions, while the other thread had nothing to do.
#[test]
fn gains_are_of_a_run_without_the_recorder() {
    let (mut golden, master, _) = team(6 * MS);
    golden.put(0, MS, Record::Recorder { ticks: 4 * MS });
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    let profile = end(golden, 6 * MS, 10 * MS, 10 * MS);
    let budget = Budget::of(&profile);
    let wall = Disturbance::of(&profile, &budget).undisturbed_wall(&profile, &budget);
    let recorder = budget.total.of(Class::Recorder).0;
    assert!((4 * MS..4 * MS + MS / 100).contains(&recorder), "{recorder}");
    assert!((5.99e6..=6e6).contains(&wall), "{wall}");
}

#[test]
fn what_lost_records_leave_empty_is_no_serial_part() {
    let (mut golden, master, _) = team(6 * MS);
    golden.put(0, MS, Record::Lost { records: 5 });
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    let profile = end(golden, 6 * MS, 10 * MS, 10 * MS);
    assert_eq!(found(&profile), []);
    let budget = Budget::of(&profile);
    assert_eq!((budget.total.of(Class::Serial).0, budget.rest().0), (0, 6 * MS));
}

#[test]
fn what_the_recorder_took_of_a_serial_start_is_no_gain() {
    let (mut golden, master, _) = team(6 * MS);
    golden.put(0, MS, Record::Recorder { ticks: 2 * MS });
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    let all = found(&end(golden, 6 * MS, 10 * MS, 10 * MS));
    assert_eq!((all[0].rule, all[0].gain_ns), ("serial-part", 2e6));
}

#[test]
fn threads_that_come_far_apart_gain_the_longest_less_the_mean() {
    let (mut golden, master, _) = team(0);
    golden.wait(master, 0, WaitKind::RegionEnd, 4 * MS, 10 * MS);
    let all = found(&end(golden, 0, 10 * MS, 10 * MS));
    assert_eq!((all[0].rule, all[0].gain_ns), ("static-imbalance", 3e6));
    assert_eq!(
        all[0].evidence[1],
        "each time the same thread has more: the longest has 43 % more than the mean"
    );
    assert_eq!(all.len(), 1, "{all:?}");
}

#[test]
fn a_lock_gains_what_threads_lost_to_it() {
    let (mut golden, master, other) = team(0);
    for at in 0..5 {
        let begin = 2 * at * MS;
        golden.wait(other, 1, WaitKind::Critical, begin + 1000, begin + MS);
        golden.wait(master, 0, WaitKind::Critical, begin + MS, begin + 2 * MS - 1000);
    }
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    let all = found(&end(golden, 0, 10 * MS, 10 * MS));
    assert_eq!((all[0].rule, all[0].lost_ns), ("hot-lock", 10.0 * (MS - 1000) as f64));
    assert_eq!(all[0].gain_ns, all[0].lost_ns / 2.0);
}

/// A loop of 6 iterations of 1 ms each; the first thread has a chunk of 2, the other one of 4.
#[test]
fn large_chunks_gain_what_smaller_ones_end_earlier() {
    let (mut golden, master, other) = team(0);
    let instance = Loop {
        id: LoopId::new(0, 1),
        region: region(1),
        threads: 2,
        ub: 6,
        step: 1,
        chunk: 4,
        flags: schedule::DYNAMIC,
        ..Loop::default()
    };
    golden.put(0, 0, Record::Loop(instance));
    let mut chunk = |stream, task, iterations| {
        let ticks = iterations * MS;
        golden.put(
            stream,
            0,
            Record::Chunk(Chunk { id: instance.id, task, first: 0, iterations, ticks, cpu: 0 }),
        );
    };
    chunk(0, master, 2);
    chunk(1, other, 4);
    golden.wait(master, 0, WaitKind::RegionEnd, 2 * MS, 4 * MS);
    let all = found(&end(golden, 0, 4 * MS, 4 * MS));
    assert_eq!((all[0].rule, all[0].gain_ns), ("dynamic-imbalance", 1e6), "{all:?}");
    assert!(all[0].remedy.contains("schedule(dynamic, 1)"), "{}", all[0].remedy);
}

#[test]
fn a_run_without_a_defect_has_no_finding() {
    let (mut golden, master, _) = team(0);
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    assert_eq!(found(&end(golden, 0, 10 * MS, 10 * MS)), []);
}

/// Sections of these lengths in ms, in order, on the first and on the other thread.
fn sections(first: &[u64], other: &[u64], length: u64) -> Vec<Finding> {
    let (mut golden, master, other_task) = team(0);
    let all = (first.len() + other.len()) as i64;
    let instance = Loop {
        id: LoopId::new(0, 1),
        region: region(1),
        threads: 2,
        ub: all,
        step: 1,
        chunk: 1,
        flags: schedule::SECTIONS,
        ..Loop::default()
    };
    golden.put(0, 0, Record::Loop(instance));
    for (stream, task, lengths) in [(0, master, first), (1, other_task, other)] {
        let mut at = 0;
        for &length in lengths {
            let ticks = length * MS;
            let chunk = Chunk { id: instance.id, task, first: 0, iterations: 1, ticks, cpu: 0 };
            golden.put(stream, at, Record::Chunk(chunk));
            at += ticks;
        }
    }
    golden.wait(master, 0, WaitKind::RegionEnd, first.iter().sum::<u64>() * MS, length * MS);
    found(&end(golden, 0, length * MS, length * MS))
}

#[test]
fn a_long_section_behind_short_ones_comes_first() {
    let all = sections(&[2, 2], &[2, 6], 8);
    assert_eq!((all[0].rule, all[0].gain_ns), ("dynamic-imbalance", 2e6), "{all:?}");
    assert!(all[0].remedy.contains("longest section first"), "{}", all[0].remedy);
    assert_eq!(all[0].evidence[0], "4 sections on 2 threads; the longest one takes 6.00 ms, 75 % of it all");
}

#[test]
fn a_section_longer_than_all_others_is_divided() {
    let all = sections(&[1, 1], &[8], 8);
    assert_eq!((all[0].rule, all[0].gain_ns), ("dynamic-imbalance", 3e6), "{all:?}");
    assert!(all[0].remedy.contains("Divide the longest section"), "{}", all[0].remedy);
}

#[test]
fn holders_of_a_hot_lock_are_named() {
    let (mut golden, master, other) = team(0);
    let lock = |task, waited, held| {
        Record::Lock(Lock { task, address: 8, waited, held, site: 1, kind: LockKind::Critical })
    };
    golden.put(0, 0, lock(master, 0, 6 * MS));
    golden.wait(other, 1, WaitKind::Critical, MS, 6 * MS);
    golden.put(1, 6 * MS, lock(other, 5 * MS, 2 * MS));
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    let all = found(&end(golden, 0, 10 * MS, 10 * MS));
    assert_eq!(all[0].rule, "hot-lock", "{all:?}");
    let holder = all[0].evidence.last().unwrap();
    assert!(holder.ends_with("(5.00 ms in all, 5.00 ms each time)"), "{holder}");
}

/// Tasks of 1 ms, one after the other; those in between depend on another address.
#[test]
fn a_chain_names_what_it_depends_on() {
    struct Program;
    impl grains::findings::Names for Program {
        fn place(&self, row: Option<PlaceRow>) -> String {
            format!("place {row:?}")
        }

        fn variable(&self, address: u64) -> Option<String> {
            (address == 64).then(|| "table + 0x8".to_owned())
        }
    }
    let (mut golden, master, _) = team(0);
    let tasks = 10;
    for number in 0..tasks {
        let (task, before) = (id(0, 3 + number), id(0, 2 + number));
        if number > 0 {
            let address = if number % 4 == 0 { 8 } else { 64 };
            let dep = Dep { predecessor: before, successor: task, address, ..Dep::default() };
            golden.put(0, number, Record::Dep(dep));
        }
        golden.create(task, master, number, 0);
    }
    for number in 0..tasks {
        golden.run(0, id(0, 3 + number), (number + 1) * MS, (number + 2) * MS, region(1));
    }
    golden.wait(master, 0, WaitKind::RegionEnd, MS, 11 * MS);
    let profile = end(golden, 0, MS, 11 * MS);
    let all = findings(&profile, &Budget::of(&profile), &Program);
    assert_eq!(all[0].rule, "dependence-chain", "{all:?}");
    assert_eq!(all[0].evidence[1], "they depend on 2 addresses, first on \"table + 0x8\", at 0x40");
}

/// One thread runs tasks of 2 us, at 1 us for creation; every 30th creation takes 300 us more, as
/// where the recorder disturbs it.
#[test]
fn the_gain_of_larger_tasks_has_nothing_of_rare_disturbances() {
    const US: u64 = 1000;
    let (mut golden, master, _) = team(0);
    let (tasks, mut at) = (300, 0);
    for number in 0..tasks {
        let cost = if number % 30 == 7 { 301 * US } else { US };
        golden.create(id(0, 3 + number), master, at, cost as u32);
        at += cost;
    }
    let waits = at;
    for number in 0..tasks {
        golden.run(0, id(0, 3 + number), at, at + 2 * US, region(1));
        at += 2 * US;
    }
    golden.wait(master, 0, WaitKind::RegionEnd, waits, at);
    let all = found(&end(golden, 0, at, at));
    let tiny = all.iter().find(|finding| finding.rule == "tiny-tasks");
    let lost = tiny.map_or(0.0, |tiny| tiny.lost_ns);
    assert!(lost < 300.0 * US as f64, "{all:?}");
}

/// A loop over single iterations of these lengths in ms, each run by the thread that is free first.
fn iterations(lengths: &[u64], flags: u8) -> Vec<Finding> {
    let (mut golden, master, other) = team(0);
    let instance = Loop {
        id: LoopId::new(0, 1),
        region: region(1),
        threads: 2,
        ub: lengths.len() as i64,
        step: 1,
        chunk: 1,
        flags,
        ..Loop::default()
    };
    golden.put(0, 0, Record::Loop(instance));
    let mut free = [0, 0];
    for &length in lengths {
        let thread = usize::from(free[1] < free[0]);
        let task = [master, other][thread];
        let chunk = Chunk { id: instance.id, task, first: 0, iterations: 1, ticks: length * MS, cpu: 0 };
        golden.put(thread as u16, free[thread], Record::Chunk(chunk));
        free[thread] += length * MS;
    }
    let length = free[0].max(free[1]);
    golden.wait(master, 0, WaitKind::RegionEnd, free[0], length);
    found(&end(golden, 0, free[1], length))
}

/// As in Freqmine, of the grains thesis: no chunk could be smaller.
#[test]
fn one_huge_iteration_is_to_be_divided_and_needs_few_threads() {
    let all = iterations(&[20, 1, 1, 1], schedule::DYNAMIC);
    assert_eq!((all[0].rule, all[0].gain_ns), ("dynamic-imbalance", 8.5e6), "{all:?}");
    assert!(all[0].remedy.starts_with("Divide the longest iterations"), "{}", all[0].remedy);
    assert_eq!(all[0].evidence[1], "2 threads would be enough for these to end as early");
}

#[test]
fn long_iterations_at_the_end_come_first() {
    let all = iterations(&[4, 4, 4, 4, 12], schedule::DYNAMIC);
    assert_eq!((all[0].rule, all[0].gain_ns), ("dynamic-imbalance", 4e6), "{all:?}");
    assert!(all[0].remedy.starts_with("Begin with the longest"), "{}", all[0].remedy);
}

#[test]
fn no_other_order_is_advised_for_an_ordered_loop() {
    let all = iterations(&[4, 4, 4, 4, 12], schedule::DYNAMIC | schedule::ORDERED);
    assert!(all.iter().all(|finding| finding.rule != "dynamic-imbalance"), "{all:?}");
}

/// As in Strassen and Sort: a task waits for its only child, again and again.
#[test]
fn too_few_tasks_at_a_time_are_low_parallelism() {
    let (mut golden, master, _) = team(0);
    for step in 0..10 {
        let (task, at) = (id(0, 3 + step), step * MS);
        golden.create(task, master, at, 0);
        golden.run(0, task, at + 1, at + MS - 1, region(1));
        golden.wait(master, 0, WaitKind::Taskwait, at, at + MS);
    }
    golden.wait(master, 0, WaitKind::RegionEnd, 10 * MS, 10 * MS);
    // The other thread waits at the region's end all the time.
    let all = found(&end(golden, 0, 1, 10 * MS));
    assert_eq!(all[0].rule, "low-parallelism", "{all:?}");
    assert!(all[0].remedy.contains("a cutoff may take effect too early"), "{}", all[0].remedy);
    assert!((all[0].gain_ns - 5e6).abs() < 0.1e6, "{all:?}");
    assert_eq!(all[0].title, "too few tasks at a time: 1.0 of 2 threads had work");
}

/// Regions of 2 us with 1 us of work for each thread; every 30th takes 500 us, for the machine.
#[test]
fn the_gain_of_fewer_regions_has_nothing_of_rare_disturbances() {
    const US: u64 = 1000;
    let mut golden = Golden::new(2);
    let root = id(0, 1);
    golden.initial(root, 0);
    let mut at = 10 * US;
    for number in 0..3000 {
        let (master, other) = (id(0, 2 + number), id(1, 1 + number));
        let construct = Region {
            region: region(1 + number),
            parent: root,
            threads: 2,
            requested: 2,
            ..Region::default()
        };
        let begin = at + US * if number % 30 == 7 { 500 } else { 1 };
        golden.put(0, at, Record::Region(construct));
        for (task, stream) in [(master, 0), (other, 1)] {
            golden.implicit(task, root, region(1 + number), begin);
            golden.run(stream, task, begin, begin + US, region(1 + number));
        }
        golden.put(0, begin + US, Record::RegionEnd { region: region(1 + number) });
        at = begin + US;
    }
    golden.run(0, root, 0, at, RegionId::NONE);
    let all = found(&golden.end(at));
    let tiny = all.iter().find(|finding| finding.rule == "tiny-regions").expect("is found");
    assert!((tiny.gain_ns - 3000.0 * US as f64).abs() < 200.0 * US as f64, "{tiny:?}");
}

/// 100 regions of 200 us, in which each thread works for 100 us, and the second begins 100 us late.
/// Five of them take 20 ms more, for the machine: on average they take 1.2 ms.
#[test]
fn the_rounds_of_a_disturbed_run_are_as_short_as_they_are() {
    const US: u64 = 1000;
    let (mut golden, root) = (Golden::new(2), id(0, 1));
    golden.initial(root, 0);
    let mut at = 10 * US;
    for number in 0..100 {
        let (here, master, other) = (region(1 + number), id(0, 2 + number), id(1, 1 + number));
        golden.put(
            0,
            at,
            Record::Region(Region { region: here, parent: root, threads: 2, ..Region::default() }),
        );
        let begin = at + if number % 20 == 7 { 20 * MS } else { 0 };
        let (late, end) = (begin + 100 * US, begin + 200 * US);
        golden.implicit(master, root, here, begin);
        golden.wait(master, 0, WaitKind::RegionEnd, late, end);
        golden.run(0, master, begin, end, here);
        golden.implicit(other, root, here, late);
        golden.run(1, other, late, end, here);
        golden.put(0, end, Record::RegionEnd { region: here });
        at = end;
    }
    golden.run(0, root, 0, at, RegionId::NONE);
    let all = found(&golden.end(at));
    let tiny = all.iter().find(|finding| finding.rule == "tiny-regions").expect("is found");
    // Half of each region: both threads could have worked at once.
    assert!((tiny.gain_ns - 100.0 * 100e3).abs() < 100e3, "{tiny:?}");
    assert!(tiny.evidence[2].starts_with("threads wait for 25 % of it"), "{tiny:?}");
    assert!(tiny.remedy.contains("OMP_WAIT_POLICY=active"), "{tiny:?}");
}
