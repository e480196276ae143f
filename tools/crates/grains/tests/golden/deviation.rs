// SPDX-License-Identifier: Apache-2.0
//! Runs of the same program, compared grain by grain.

use grains::budget::{Budget, Class};
use grains::metrics::{burdened_span, slack, Baseline, Deviation, Identities, Inflation};
use grains::{findings, GrainRow, ItemKind, Profile, Row};
use trace::*;

use crate::build::{id, region, Golden};

/// A team whose thread `by` creates three tasks in a single construct; each works `task` ticks on
/// the other streams, the last one creates another. With a loop of 10 iterations in chunks of
/// `chunk`, an iteration takes 10 ticks.
fn run(threads: u16, by: u16, task: u64, chunk: u64) -> Profile {
    let mut golden = Golden::new(threads);
    golden.initial(id(0, 1), 0);
    let begin = Region { region: region(1), parent: id(0, 1), threads: threads.into(), ..Region::default() };
    golden.put(0, 100, Record::Region(begin));
    for thread in 0..threads {
        golden.implicit(id(thread, 2), id(0, 1), region(1), 100);
    }
    let lp = LoopId::new(0, 1);
    let info = Loop { id: lp, region: region(1), lb: 5, ub: 25, step: 2, site: 1, ..Loop::default() };
    golden.put(0, 110, Record::Loop(info));
    let mut at = 200;
    for first in (0..10).step_by(chunk as usize) {
        let (iterations, first) = (chunk.min(10 - first), 5 + 2 * first as i64);
        let part = Chunk { id: lp, task: id(0, 2), first, iterations, ticks: 10 * iterations, cpu: 0 };
        golden.put(0, at, Record::Chunk(part));
        at += 10 * iterations;
    }
    for ordinal in 10..13 {
        golden.create(id(by, ordinal), id(by, 2), 400 + ordinal, 1);
    }
    let on = threads - 1;
    let inner = id(on, 30);
    for (number, ordinal) in (0..).zip(10..13) {
        let start = 1000 + number * 2 * (task + 20);
        if ordinal == 12 {
            golden.create(inner, id(by, ordinal), start + 5, 1);
        }
        golden.run(on, id(by, ordinal), start, start + task, region(1));
    }
    golden.run(on, inner, 8000, 8000 + task, region(1));
    for thread in 0..threads {
        golden.wait(id(thread, 2), thread, WaitKind::RegionEnd, 500, 9000);
        golden.run(thread, id(thread, 2), 100, 9000, region(1));
    }
    golden.put(0, 9000, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 9100, RegionId::NONE);
    golden.end(9100)
}

#[test]
fn grains_are_known_again_whichever_thread_made_them() {
    let (one, two) = (run(1, 0, 100, 10), run(2, 1, 100, 1));
    let ids = |profile: &Profile| {
        let ids = Identities::of(profile);
        let tasks = profile.grains.task_rows().filter(|&row| profile.grains.create(row).0 > 400);
        let mut ids: Vec<u64> = tasks.map(|row| ids.grain(row)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    assert_eq!(ids(&one).len(), 4);
    assert_eq!(ids(&one), ids(&two));
}

#[test]
fn what_takes_longer_than_in_the_baseline_is_inflation() {
    let baseline = Baseline::of(&run(1, 0, 100, 10));
    let profile = run(2, 1, 250, 4);
    let deviation = Deviation::of(&profile, &baseline);
    // All but the second thread's part of its team, which the team has.
    assert_eq!((deviation.unmatched, deviation.matched), (0, 1 + 2 + 3 + 4));
    for row in profile.grains.rows() {
        let ratio = deviation.ratio[row];
        match profile.grains.create(row).0 {
            400.. => assert!((2.4..=2.6).contains(&ratio), "{row:?}: {ratio}"),
            200.. => assert_eq!(ratio, 1.0, "{row:?}"), // chunks
            _ => {}
        }
    }
    // Regions and chunks are in the graph of the slack: its longest path is the span.
    let slack = slack(&profile);
    // Who only waits on the path has slack.
    let on_it =
        |item: &usize| profile.items.is_critical(*item) && profile.items.kind[*item] == ItemKind::Fragment;
    let critical = |row: &GrainRow| profile.items.of(*row).any(|item| on_it(&item));
    let on_path: Vec<_> = slack.rows().filter(critical).map(|row| slack[row].unwrap().0).collect();
    assert!(on_path.len() > 1 && on_path.iter().all(|&ticks| ticks == 0), "{on_path:?}");
    assert!(burdened_span(&profile) >= profile.span);
    let mut budget = Budget::of(&profile);
    let (work, whole) = (budget.total.of(Class::Work), budget.total.sum());
    budget.inflate(&profile, Inflation::of(&deviation, &baseline, &profile.meta.command));
    let inflation = budget.total.of(Class::Inflation);
    // Four tasks by 150 each, and the second thread did 399 in its implicit task.
    assert!((998..=1000).contains(&inflation.0), "{inflation:?}");
    assert_eq!((budget.total.of(Class::Work) + inflation, budget.total.sum()), (work, whole));
    let of_regions = budget.regions[Row::new(0)].of(Class::Inflation) + budget.outside.of(Class::Inflation);
    assert!(inflation.0 - of_regions.0 <= 10);
    assert!(
        findings::findings(&profile, &budget, &|_: Option<grains::PlaceRow>| String::new()).is_empty(),
        "1 us is no matter"
    );
}

#[test]
fn other_numbers_of_siblings_are_not_compared() {
    let mut golden = Golden::new(1);
    golden.initial(id(0, 1), 0);
    golden.create(id(0, 2), id(0, 1), 10, 1).run(0, id(0, 2), 20, 30, RegionId::NONE);
    golden.run(0, id(0, 1), 0, 100, RegionId::NONE);
    let baseline = Baseline::of(&golden.end(100));
    let mut golden = Golden::new(1);
    golden.initial(id(0, 1), 0);
    golden.create(id(0, 2), id(0, 1), 10, 1).run(0, id(0, 2), 20, 30, RegionId::NONE);
    golden.create(id(0, 3), id(0, 1), 40, 1).run(0, id(0, 3), 50, 60, RegionId::NONE);
    golden.run(0, id(0, 1), 0, 100, RegionId::NONE);
    let profile = golden.end(100);
    let deviation = Deviation::of(&profile, &baseline);
    assert_eq!((deviation.matched, deviation.unmatched), (1, 2));
    assert_eq!(profile.grains.parent[Row::new(0)], None);
    assert!(!deviation.ratio[Row::new(0)].is_nan() && deviation.ratio[Row::new(1)].is_nan());
}
