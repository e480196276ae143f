// SPDX-License-Identifier: Apache-2.0
//! The answers to a page's requests must add up to the recording: the groups, opened one after the
//! other, to the recording's grains, and the tiles of the time line to the time of its workers.

use std::collections::BTreeSet;

use grains::Ticks;
use serde_json::Value;
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

use super::kept::Kept;
use super::model_test::{column, kept, model, rows, Program, NONE, ROOT};

const GROUP: usize = 3;

/// A tree of tasks, then one parent with many children, then a chain, then tasks with a join after
/// each task.
fn mixed() -> Kept {
    let mut program = Program::new();
    program.tree(ROOT, 7);
    let wide = program.create(ROOT);
    let start = program.now;
    let children: Vec<_> = (0..700).map(|_| program.create(wide)).collect();
    let since = program.now + 5;
    program.now = since;
    for child in children {
        program.leaf(child);
    }
    program.taskwait(wide, since);
    let ticks = program.now - start;
    program.put(start, Record::Run(Run { task: wide, ticks, ..Default::default() }));
    chain(&mut program, 300);
    for _ in 0..200 {
        let child = program.create(ROOT);
        let since = program.now + 5;
        program.now = since;
        program.leaf(child);
        program.taskwait(ROOT, since);
    }
    program.end()
}

/// Each task creates the next one and waits for it.
fn chain(program: &mut Program, length: usize) {
    let mut open = Vec::new();
    let mut parent = ROOT;
    for _ in 0..length {
        let task = program.create(parent);
        program.now += 3;
        open.push((parent, task, program.now));
        parent = task;
    }
    while let Some((parent, task, start)) = open.pop() {
        program.now += 5;
        let ticks = program.now - start;
        program.put(start, Record::Run(Run { task, ticks, ..Default::default() }));
        program.taskwait(parent, start);
    }
}

/// The numbers of the grains that rows show, and (first, count) of their groups; with the row of
/// the group that was opened left out.
fn shown(part: &Value, opened: bool) -> (Vec<usize>, Vec<(usize, usize)>) {
    let grain = &part["grain"];
    let [kind, number, count] = ["kind", "number", "count"].map(|name| rows(&grain[name]));
    let all = usize::from(opened)..kind.len();
    let grains = all.clone().filter(|&row| kind[row] != GROUP).map(|row| number[row]);
    let groups = all.filter(|&row| kind[row] == GROUP).map(|row| (number[row], count[row]));
    (grains.collect(), groups.collect())
}

fn part(kept: &Kept, (first, count): (usize, usize), more: &str) -> Value {
    let answer = kept.part(&format!("first={first}&count={count}{more}")).unwrap();
    serde_json::from_str(&answer).unwrap()
}

/// Opens everything; returns the numbers of all grains seen, and the most groups in one another.
fn open_all(kept: &Kept, rows_each: usize) -> (Vec<usize>, usize) {
    let (mut seen, groups) = shown(&model(kept, rows_each), false);
    let mut open: Vec<_> = groups.into_iter().map(|group| (group, 1)).collect();
    let mut deepest = 0;
    while let Some((group, depth)) = open.pop() {
        deepest = deepest.max(depth);
        let part = part(kept, group, &format!("&rows={rows_each}"));
        check_part(kept, &part, group);
        let (grains, groups) = shown(&part, true);
        assert!(groups.iter().all(|inner| inner.1 < group.1), "{group:?} holds {groups:?}");
        seen.extend(grains);
        open.extend(groups.into_iter().map(|group| (group, depth + 1)));
    }
    (seen, deepest)
}

/// Checks that a part has the same number of grains and the same work as its group, and is a tree
/// in which each row is begun once.
fn check_part(kept: &Kept, part: &Value, (first, count): (usize, usize)) {
    let grain = &part["grain"];
    let [counts, works] = ["count", "work"].map(|name| column(&grain[name]));
    let grains = kept.tree.preorder[first..first + count].iter();
    let work: u64 = grains.map(|&row| kept.profile.grains.work.of(row).0).sum();
    assert_eq!((counts[0] as usize, works[0]), (count, work as f64));
    assert_eq!(counts[1..].iter().sum::<f64>(), count as f64);
    assert_eq!(works[1..].iter().sum::<f64>(), work as f64);
    let (kind, target) = (rows(&part["item"]["kind"]), rows(&part["item"]["ref"]));
    let start = rows(&part["item_start"]);
    let (parent, owner) = (rows(&grain["parent"]), rows(&part["fragment"]["grain"]));
    let mut begun = vec![0; parent.len()];
    for row in 0..parent.len() {
        assert!(start[row] < start[row + 1], "row {row} has no items");
        for item in start[row]..start[row + 1] {
            match kind[item] {
                0 => assert_eq!(owner[target[item]], row),
                1 | 3 => {
                    assert_eq!(parent[target[item]], row);
                    begun[target[item]] += 1;
                }
                _ => {}
            }
        }
    }
    assert_eq!((parent[0], begun[0]), (NONE, 0));
    assert!(begun[1..].iter().all(|&times| times == 1));
}

#[test]
fn opening_all_groups_gives_every_grain_once() {
    let kept = mixed();
    let all = kept.profile.grains.len();
    for rows_each in [8, 20, 100, 1000] {
        let (mut seen, deepest) = open_all(&kept, rows_each);
        seen.sort_unstable();
        assert_eq!(seen, (0..all).collect::<Vec<_>>(), "{rows_each} rows each");
        assert!(rows_each < 100 || deepest < 12, "{deepest} groups in one another");
    }
}

#[test]
fn ten_thousand_siblings_are_few_groups_away() {
    let mut program = Program::new();
    let children: Vec<_> = (0..10_000).map(|_| program.create(ROOT)).collect();
    let since = program.now + 5;
    program.now = since;
    for child in children {
        program.leaf(child);
    }
    program.taskwait(ROOT, since);
    let kept = program.end();
    let (seen, deepest) = open_all(&kept, 100);
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), 10_001);
    assert!(deepest <= 4, "{deepest} groups in one another");
}

#[test]
fn any_grain_is_one_question_away() {
    let kept = mixed();
    let (first_seen, groups) = shown(&model(&kept, 30), false);
    for number in 0..kept.profile.grains.len() {
        let Some(&group) = groups.iter().find(|(first, count)| (*first..first + count).contains(&number))
        else {
            assert!(first_seen.contains(&number));
            continue;
        };
        let part = part(&kept, group, &format!("&grain={number}&rows=20"));
        check_part(&kept, &part, group);
        let (grains, _) = shown(&part, true);
        assert!(grains.contains(&number), "{number} is not among {grains:?}");
        assert!(grains.len() <= 21);
    }
}

/// Two workers with fragments of all lengths, and a worker without fragments.
fn workers() -> Kept {
    let directory = tempfile::tempdir().unwrap();
    let mut out = RecordingWriter::create(directory.path(), 3, &RecordingWriter::plain_meta(3)).unwrap();
    let create = Create { task: ROOT, flags: IMPLICIT, ..Default::default() };
    out.put(0, 0, Record::Create(create)).unwrap();
    out.put(0, 0, Record::Start { task: ROOT, region: RegionId::NONE }).unwrap();
    let mut now = [10_000, 10_000, 0];
    for number in 2..4_000u64 {
        let task = TaskId::new(0, number);
        out.put(0, number, Record::Create(Create { task, parent: ROOT, ..Default::default() })).unwrap();
        let worker = (number % 2) as u16;
        let ticks = 1 + number * 7919 % 101 * if number % 500 == 0 { 400 } else { 1 };
        let start = &mut now[usize::from(worker)];
        out.put(worker, *start, Record::Run(Run { task, ticks, ..Default::default() })).unwrap();
        *start += ticks + number % 3;
    }
    let end = now[0].max(now[1]) + 7;
    let (kind, since) = (WaitKind::Taskwait, 5_000);
    let wait = Wait { kind, task: ROOT, ticks: end - 2 - since, site: 0, barrier: 0, departures: 0 };
    out.put(0, since, Record::Wait(wait)).unwrap();
    out.put(0, 0, Record::Run(Run { task: ROOT, ticks: end, ..Default::default() })).unwrap();
    out.end(end + 3).unwrap();
    kept(&directory)
}

#[test]
fn the_tiles_of_every_level_add_up_to_the_whole() {
    let kept = workers();
    let (profile, fragments) = (&kept.profile, &kept.profile.fragments);
    let long = |row: &usize| fragments.end(*row as u32) > fragments.start(*row as u32);
    let truth = |worker: u16| {
        let of_worker = |row: &usize| profile.grains.worker[fragments.grain[*row]] == worker;
        let rows = (0..fragments.grain.len()).filter(long).filter(of_worker);
        rows.fold((0, 0), |(count, ticks), row| {
            (count + 1, ticks + (fragments.end(row as u32) - fragments.start(row as u32)).0)
        })
    };
    for level in 0..7 {
        for worker in 0..3u16 {
            let (mut count, mut busy) = (0.0, 0.0);
            for tile in 0..1u64 << level {
                let query = format!("level={level}&tile={tile}&worker={worker}&workers=1");
                let tile: Value = serde_json::from_str(&kept.time(&query).unwrap()).unwrap();
                let counts = column(&tile["count"]);
                assert!(counts.len() <= 256);
                count += counts.iter().sum::<f64>();
                busy += column(&tile["busy"]).iter().sum::<f64>();
                let [start, end, own] = ["start", "end", "busy"].map(|name| column(&tile[name]));
                assert!((0..own.len()).all(|row| own[row] <= end[row] - start[row]));
            }
            let (all, ticks) = truth(worker);
            let ns = profile.ns(Ticks(ticks));
            assert_eq!((count, busy), (f64::from(all), ns), "level {level}, worker {worker}");
        }
    }
}

#[test]
fn a_tile_keeps_the_worst_the_longest_and_the_critical_path() {
    let kept = workers();
    let tile: Value = serde_json::from_str(&kept.time("level=0&tile=0&worker=0&workers=2").unwrap()).unwrap();
    assert!(rows(&tile["kind"]).iter().all(|&kind| kind == GROUP));
    let numbers = rows(&tile["number"]);
    let lengths = |number: &usize| kept.profile.grains.work.of(kept.tree.preorder[*number]);
    let longest = kept.profile.grains.work.iter().skip(1).max();
    assert_eq!(numbers.iter().filter(|&&number| number != 0).map(lengths).max(), longest);
    assert!(rows(&tile["critical"]).contains(&1));
}

#[test]
fn grains_are_found_by_site_and_cost() {
    let kept = mixed();
    let find = |query: &str| serde_json::from_str::<Value>(&kept.grains(query).unwrap()).unwrap();
    let all = kept.profile.grains.len();
    let most = find("by=work&most=5");
    assert_eq!((most["total"].as_u64(), most["grains"].as_array().unwrap().len()), (Some(all as u64), 5));
    let works = most["grains"].as_array().unwrap().iter().map(|grain| grain["work"].as_f64().unwrap());
    assert_eq!(works.clone().next(), kept.profile.grains.work.iter().max().map(|work| kept.profile.ns(work)));
    assert!(works.is_sorted_by(|a, b| a >= b));
    let site_of = |number: usize| kept.sites.of_grain[kept.tree.preorder[number]];
    let site = site_of(50);
    let next = find(&format!("by=number&from=37&most=1&site={site}"));
    let expected = (37..all).find(|&number| site_of(number) == site);
    assert_eq!(next["grains"][0]["number"].as_u64().map(|number| number as usize), expected);
    assert_eq!(next["before"], (0..37).filter(|&number| site_of(number) == site).count());
    let low = find("by=benefit");
    let flagged = kept.profile.grains.flags.iter().filter(|&&flags| flags & grains::flag::LOW_BENEFIT != 0);
    assert_eq!(low["total"].as_u64(), Some(flagged.count() as u64));
}
