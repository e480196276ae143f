// SPDX-License-Identifier: Apache-2.0
//! Synthetic programs before and after known changes: the matched grains must be those that follow
//! from a comparison of the programs themselves, grain by grain.

#[path = "common/mod.rs"]
mod common;

use std::collections::HashMap;

use common::Random;
use grains::compare::{join, totals, Constructs, How, Label};
use grains::metrics::{Baseline, Compared, Deviation, Identities};
use grains::summary::SiteKind;
use grains::{PlaceRow, Profile};
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

/// A task: where it is created, what it works before it creates its children one after the other
/// and waits for them.
#[derive(Clone, Debug)]
struct Task {
    site: u32,
    work: u64,
    children: Vec<Task>,
}

/// The source: of each site its line, by number from 1. All stand in one function.
#[derive(Clone)]
struct Source(Vec<u32>);

struct Writer {
    out: RecordingWriter,
    now: u64,
    tasks: u64,
}

impl Writer {
    fn put(&mut self, when: u64, record: Record) {
        self.out.put(0, when, record).unwrap();
    }

    fn run(&mut self, id: TaskId, task: &Task) {
        let start = self.now;
        self.now += task.work;
        for child in &task.children {
            self.tasks += 1;
            let child_id = TaskId::new(0, self.tasks);
            let create = Create { task: child_id, parent: id, site: child.site, cost: 10, flags: 0 };
            self.put(self.now, Record::Create(create));
            self.now += 10;
            let begin = self.now;
            self.run(child_id, child);
            let ticks = self.now - begin;
            let kind = WaitKind::Taskwait;
            self.put(
                begin,
                Record::Wait(Wait { kind, task: id, ticks, site: 99, barrier: 0, departures: 0 }),
            );
        }
        let run = Run { task: id, ticks: self.now - start, cpu: 0, region: RegionId::NONE, flags: 0 };
        self.put(start, Record::Run(run));
    }
}

/// One thread runs the tasks, which the initial one creates.
fn record(tasks: &[Task], source: &Source) -> Profile {
    let place = tempfile::tempdir().unwrap();
    let out = RecordingWriter::create(place.path(), 1, &RecordingWriter::plain_meta(1)).unwrap();
    let mut writer = Writer { out, now: 0, tasks: 1 };
    for (site, &line) in (1..).zip(&source.0).chain([(99, &9999)]) {
        let call_site = u64::from(line) * 16;
        writer.put(0, Record::Site(Site { site, module: 0, call_site, function: 0 }));
    }
    let initial = TaskId::new(0, 1);
    let create = Create { task: initial, parent: TaskId::NONE, site: 0, cost: 0, flags: IMPLICIT };
    writer.put(0, Record::Create(create));
    writer.put(0, Record::Start { task: initial, region: RegionId::NONE });
    writer.run(initial, &Task { site: 0, work: 5, children: tasks.to_vec() });
    let now = writer.now;
    writer.out.end(now + 1).unwrap();
    Profile::of(Recording::open(place.path()).unwrap(), &|_| {}).unwrap()
}

/// What the comparison says: matched grains with their work, and the ways in which sites joined.
struct Found {
    matched: u64,
    unmatched: u64,
    before_ns: f64,
    after_ns: f64,
    reasons: [u64; 3],
    /// (line before, line after) of what is joined otherwise than by address.
    moved: Vec<(u32, u32)>,
    only: (usize, usize),
    deviation: Deviation,
    after: Profile,
}

/// `rebuilt`: another build of the program, whose addresses say nothing.
fn compare(
    (before, source_before): (&[Task], &Source),
    (after, source_after): (&[Task], &Source),
    rebuilt: bool,
) -> Found {
    let (first, last) = (record(before, source_before), record(after, source_after));
    let constructs = |profile: &Profile, build: u64| {
        let label = |row: PlaceRow| {
            let line = profile.places.places[row].call_site / 16;
            Label { file: "a.c".to_owned(), line: line as u32, function: "f".to_owned() }
        };
        let mut constructs = Constructs::of(profile, label);
        for construct in &mut constructs.list[1..] {
            (construct.module, construct.build) = ("prog".to_owned(), build);
        }
        constructs
    };
    let (here, there) = (constructs(&first, 1), constructs(&last, 1 + u64::from(rebuilt)));
    let joined = join(&here.list, &there.list);
    let baseline = Baseline::by(&first, &Identities::named(&first, here.names(|row| row as u64 + 2)));
    let name = |row: usize| {
        joined.pairs[joined.of_after[row]].before.map_or(1 << 32 | row as u64, |row| row as u64 + 2)
    };
    let deviation = Deviation::by(&last, &Identities::named(&last, there.names(name)), &baseline);
    let mut sum = Compared::default();
    deviation.places.iter().for_each(|place| sum.add(place));
    let line = |list: &Constructs, row: Option<usize>| row.map(|row| list.list[row].label.line);
    let lines = joined.pairs.iter().filter(|pair| !matches!(pair.how, How::Address | How::Alone));
    let moved = lines.filter_map(|pair| Some((line(&here, pair.before)?, line(&there, pair.after)?)));
    let alone = |of: fn(&grains::compare::Pair) -> Option<usize>| {
        joined.pairs.iter().filter(|pair| pair.how == How::Alone && of(pair).is_some()).count()
    };
    Found {
        matched: deviation.matched,
        unmatched: deviation.unmatched,
        before_ns: sum.there_ns,
        after_ns: sum.here_ns,
        reasons: sum.unmatched,
        moved: moved.collect(),
        only: (alone(|pair| pair.before), alone(|pair| pair.after)),
        deviation,
        after: last,
    }
}

/// What each grain is called, told from the program itself: of its path each step with its site,
/// its number among the siblings of that site, and how many these are.
fn paths(tasks: &[Task], name: &dyn Fn(u32) -> String, path: &str, out: &mut HashMap<String, u64>) {
    let mut seen: HashMap<u32, usize> = HashMap::new();
    for task in tasks {
        let of = tasks.iter().filter(|other| other.site == task.site).count();
        let number = seen.entry(task.site).and_modify(|number| *number += 1).or_insert(0);
        let path = format!("{path}/{}:{number}/{of}", name(task.site));
        paths(&task.children, name, &path, out);
        out.insert(path, task.work);
    }
}

/// (matched, unmatched after, work of the matched before, after), with the initial task.
fn truth(before: &[Task], after: &[Task], renamed: &dyn Fn(u32) -> String) -> (u64, u64, u64, u64) {
    let (mut first, mut last) = (HashMap::new(), HashMap::new());
    paths(before, &|site| site.to_string(), "", &mut first);
    paths(after, renamed, "", &mut last);
    let both = || last.iter().filter_map(|(path, work)| Some((first.get(path)?, work)));
    let matched = both().count() as u64;
    let (mut here, mut there) = (5, 5);
    both().for_each(|(before, after)| (here, there) = (here + before, there + after));
    (matched + 1, last.len() as u64 - matched, here, there)
}

fn program(random: &mut Random, depth: u32, sites: u64) -> Vec<Task> {
    let number = if depth == 0 { 0 } else { random.below(4) };
    let task = |random: &mut Random| Task {
        site: 1 + random.below(sites) as u32,
        work: 10 + random.below(90),
        children: program(random, depth - 1, sites),
    };
    (0..number).map(|_| task(random)).collect()
}

fn each(tasks: &mut [Task], change: &mut dyn FnMut(&mut Task)) {
    for task in tasks {
        change(task);
        each(&mut task.children, change);
    }
}

const SOURCE: [u32; 4] = [10, 20, 30, 40];

fn source() -> Source {
    Source(SOURCE.to_vec())
}

fn random_program(seed: u64) -> Vec<Task> {
    let random = &mut Random(seed);
    let root = |random: &mut Random| Task {
        site: 1 + random.below(4) as u32,
        work: 50,
        children: program(random, 5, 4),
    };
    // All sites are there, so that none comes or goes by chance.
    let mut tasks: Vec<Task> = (1..=4).map(|site| Task { site, work: 30, children: Vec::new() }).collect();
    tasks.extend((0..6).map(|_| root(random)));
    tasks
}

#[track_caller]
fn check(found: &Found, truth: (u64, u64, u64, u64)) {
    assert_eq!((found.matched, found.unmatched), (truth.0, truth.1));
    assert_eq!((found.before_ns.round() as u64, found.after_ns.round() as u64), (truth.2, truth.3));
    assert_eq!(found.reasons.iter().sum::<u64>(), found.unmatched);
}

#[test]
fn the_same_program_twice_is_the_same_grain_by_grain() {
    for seed in 1..=10 {
        let tasks = random_program(seed);
        let found = compare((&tasks, &source()), (&tasks, &source()), seed % 2 == 0);
        assert_eq!((found.unmatched, found.only), (0, (0, 0)));
        check(&found, truth(&tasks, &tasks, &|site| site.to_string()));
        assert!(found.deviation.ratio.iter().all(|ratio| ratio.is_nan() || *ratio == 1.0));
    }
}

#[test]
fn a_site_that_became_slower_is_the_one_that_has() {
    let before = random_program(3);
    let mut after = before.clone();
    each(&mut after, &mut |task| task.work *= if task.site == 2 { 2 } else { 1 });
    let found = compare((&before, &source()), (&after, &source()), true);
    check(&found, truth(&before, &after, &|site| site.to_string()));
    assert_eq!(found.unmatched, 0);
    let grains = &found.after.grains;
    for row in grains.rows() {
        let line = found.after.places.places.of(grains.place[row]).map_or(0, |place| place.call_site / 16);
        let wanted = if line == 20 { 2.0 } else { 1.0 };
        let ratio = found.deviation.ratio[row];
        assert!(ratio.is_nan() || ratio == wanted, "line {line}: {ratio}");
    }
}

#[test]
fn lines_inserted_above_and_between_move_no_grain() {
    let tasks = random_program(4);
    let moved = Source(vec![17, 27, 45, 55]);
    let found = compare((&tasks, &source()), (&tasks, &moved), true);
    check(&found, truth(&tasks, &tasks, &|site| site.to_string()));
    assert_eq!(found.unmatched, 0);
    let wanted: Vec<_> = SOURCE.into_iter().zip(moved.0).chain([(9999, 9999)]).collect();
    let mut lines = found.moved.clone();
    lines.sort_unstable();
    assert_eq!(lines, wanted);
}

#[test]
fn a_site_that_was_added_has_no_counterpart_and_hides_no_other() {
    let before = random_program(5);
    let mut after = before.clone();
    let mut added = 0;
    each(&mut after, &mut |task| {
        if task.site == 3 {
            added += 1;
            task.children.push(Task { site: 5, work: 25, children: Vec::new() });
        }
    });
    let longer = Source(vec![10, 20, 30, 44, 34]);
    let found = compare((&before, &source()), (&after, &longer), true);
    check(&found, truth(&before, &after, &|site| site.to_string()));
    assert_eq!((found.unmatched, found.reasons, found.only), (added, [added, 0, 0], (0, 1)));
}

#[test]
fn a_cutoff_that_changed_leaves_what_was_there_joined() {
    fn tree(depth: u32) -> Task {
        let leaf = depth == 0;
        let children = if leaf { Vec::new() } else { vec![tree(depth - 1), tree(depth - 1)] };
        Task { site: 1, work: if leaf { 64 } else { 8 }, children }
    }
    let (before, after) = ([tree(4)], [tree(6)]);
    for (before, after, alone) in [(&before, &after, 96), (&after, &before, 0)] {
        let found = compare((before, &source()), (after, &source()), false);
        check(&found, truth(before, after, &|site| site.to_string()));
        assert_eq!((found.matched, found.unmatched), (32, alone));
        // The children of what were leaves, and their children.
        assert_eq!(found.reasons, if alone > 0 { [0, 64, 32] } else { [0; 3] });
    }
}

#[test]
fn random_changes_leave_what_the_programs_say() {
    for seed in 1..=40 {
        let random = &mut Random(seed * 77);
        let before = random_program(seed);
        let mut after = before.clone();
        each(&mut after, &mut |task| match random.below(8) {
            0 => drop(task.children.pop()),
            1 => task.children.push(Task { site: 1 + random.below(4) as u32, work: 7, children: Vec::new() }),
            2 => task.work += 100,
            _ => {}
        });
        let found = compare((&before, &source()), (&after, &source()), seed % 2 == 0);
        check(&found, truth(&before, &after, &|site| site.to_string()));
    }
}

#[test]
fn totals_are_those_of_the_program() {
    let tasks = random_program(6);
    let profile = record(&tasks, &source());
    let constructs = Constructs::of(&profile, |_| Label::default());
    let sums = totals(&profile, &constructs);
    let mut wanted: HashMap<u32, (u64, u64)> = HashMap::new();
    each(&mut tasks.clone(), &mut |task| {
        let sum = wanted.entry(task.site).or_default();
        *sum = (sum.0 + 1, sum.1 + task.work);
    });
    for (site, (count, work)) in wanted {
        let line = u64::from(SOURCE[site as usize - 1]);
        let is_its = |row: &usize| constructs.list[*row].addresses == [(line * 16, 0)];
        let row = (0..constructs.list.len()).find(is_its).unwrap();
        let found = sums[&(row, SiteKind::Task)];
        assert_eq!((found.count, found.work_ns.round() as u64), (count, work), "site {site}");
        assert_eq!(found.creation_ns.round() as u64, 10 * count);
    }
}
