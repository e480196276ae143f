// SPDX-License-Identifier: Apache-2.0
//! Parts of a run: windows that were recorded, parts that are selected, spans, and what is made up
//! for records that are gone.

use grains::budget::Budget;
use grains::spans::span_totals;
use grains::{flag, GrainKind, Part, Profile, Row, Selection, Ticks};
use trace::layout::{span, window};
use trace::*;

use crate::build::{id, region, work, Golden};

const INITIAL: TaskId = TaskId::new(0, 1);

fn switch(g: &mut Golden, at: u64, number: u64, flags: u8) {
    g.put(0, at, Record::Window(Window { number, flags }));
}

/// A region of two threads from `begin` on, with a task of 10 ticks that the second thread runs.
fn a_region(g: &mut Golden, number: u64, begin: u64) {
    let (region, first) = (region(number), 10 * number);
    let (leader, other, task) = (id(0, first), id(1, first), id(0, first + 1));
    let made = Region { region, parent: INITIAL, site: 1, threads: 2, requested: 2, level: 1 };
    g.put(0, begin, Record::Region(made));
    g.implicit(leader, INITIAL, region, begin).implicit(other, INITIAL, region, begin);
    g.create(task, leader, begin + 2, 1);
    g.run(1, task, begin + 5, begin + 15, region);
    g.wait(other, 1, WaitKind::RegionEnd, begin + 4, begin + 20);
    g.wait(leader, 0, WaitKind::RegionEnd, begin + 8, begin + 20);
    g.run(0, leader, begin, begin + 20, region).run(1, other, begin, begin + 20, region);
    g.put(0, begin + 20, Record::RegionEnd { region });
}

fn parts(of: &[Part]) -> Vec<(u64, u64)> {
    of.iter().map(|part| (part.from.0, part.to.0)).collect()
}

fn count(profile: &Profile, kind: GrainKind) -> usize {
    profile.grains.kind.iter().filter(|&&of_grain| of_grain == kind).count()
}

fn between(from: f64, to: f64) -> Selection {
    Selection { from_ns: Some(from), to_ns: Some(to), span: None }
}

#[test]
fn a_recording_without_switches_is_one_part() {
    let mut g = Golden::new(2);
    g.initial(INITIAL, 0);
    a_region(&mut g, 1, 100);
    let profile = g.end(130);
    assert!(!profile.is_part());
    assert_eq!(parts(&profile.chosen), [(0, 130)]);
    assert_eq!((profile.wall.0, profile.recording.0), (130, 130));
}

#[test]
fn the_time_between_windows_is_cut_out() {
    let mut g = Golden::new(2);
    g.initial(INITIAL, 0);
    a_region(&mut g, 1, 10);
    switch(&mut g, 40, 0, window::ENDS);
    switch(&mut g, 1000, 1, window::BEGINS);
    a_region(&mut g, 2, 1010);
    switch(&mut g, 1040, 1, window::ENDS);
    let profile = g.end(9000);
    assert_eq!(parts(&profile.windows), [(0, 40), (1000, 1040)]);
    assert_eq!((profile.wall.0, profile.recording.0), (80, 9000));
    assert_eq!((count(&profile, GrainKind::Task), count(&profile, GrainKind::Implicit)), (2, 4));
    let both: Vec<_> = profile.regions.iter().map(|region| (region.begin.0, region.end.0)).collect();
    assert_eq!(both, [(10, 30), (50, 70)]);
    // The initial task works outside of the regions until the last window ends, and not between
    // them.
    assert_eq!(work(&profile)[0], 80 - 40);
    assert_eq!((profile.strays.unknown, profile.strays.rootless), (0, 0));
}

/// Two threads of the program that are recorded in two windows, and join the second one anew.
fn in_two_windows() -> Golden {
    let (mut g, second) = (Golden::new(2), id(1, 1));
    g.initial(INITIAL, 0).initial(second, 5);
    a_region(&mut g, 1, 10);
    switch(&mut g, 40, 0, window::ENDS);
    switch(&mut g, 1000, 1, window::BEGINS);
    g.run(0, INITIAL, 1000, 1040, RegionId::NONE).run(1, second, 1000, 1040, RegionId::NONE);
    g
}

#[test]
fn an_initial_task_ran_in_all_windows_since_it_began() {
    let profile = in_two_windows().end(1040);
    let second = profile.task_row(id(1, 1)).unwrap();
    assert_eq!((profile.grains.start.of(second).0, profile.grains.end.of(second).0), (5, 80));
    // Also where the last window, in which its RUN seems to begin, is left out.
    let profile = in_two_windows().end_part(1040, &between(10.0, 40.0));
    let second = profile.task_row(id(1, 1)).unwrap();
    assert_eq!((profile.grains.start.of(second).0, profile.grains.end.of(second).0), (0, 30));
    assert_eq!(work(&profile)[0], 30 - 20);
    assert_eq!((count(&profile, GrainKind::Initial), count(&profile, GrainKind::Implicit)), (2, 2));
}

#[test]
fn the_first_task_ran_before_its_first_construct() {
    let select = |from, to| {
        let mut g = Golden::new(2);
        g.initial(INITIAL, 100);
        a_region(&mut g, 1, 100);
        g.initial(id(1, 1), 130).run(1, id(1, 1), 130, 140, RegionId::NONE);
        g.run(0, INITIAL, 100, 140, RegionId::NONE);
        g.end_part(140, &between(from, to))
    };
    for (from, to) in [(0.0, 90.0), (20.0, 90.0)] {
        let profile = select(from, to);
        assert_eq!((profile.wall.0, profile.grains.len()), ((to - from) as u64, 1));
        assert_eq!(work(&profile), [profile.wall.0]);
    }
    // That is not known of other initial tasks.
    assert_eq!(count(&select(0.0, 125.0), GrainKind::Initial), 1);
}

#[test]
fn a_window_in_which_nothing_began_is_start_up() {
    let mut g = Golden::new(2);
    g.initial(INITIAL, 0);
    switch(&mut g, 5, 0, window::ENDS);
    switch(&mut g, 1000, 1, window::BEGINS);
    a_region(&mut g, 1, 1010);
    let profile = g.end(1040);
    assert_eq!(parts(&profile.windows), [(1000, 1040)]);
}

#[test]
fn a_selection_takes_what_reaches_into_it() {
    let select = |from, to| {
        let mut g = Golden::new(2);
        g.initial(INITIAL, 0);
        a_region(&mut g, 1, 100);
        a_region(&mut g, 2, 200);
        g.end_part(300, &between(from, to))
    };
    // In the middle of the first region's task, which runs from 105 to 115.
    let profile = select(110.0, 150.0);
    assert_eq!((profile.wall.0, count(&profile, GrainKind::Task)), (40, 1));
    let task = profile.task_row(id(0, 11)).unwrap();
    assert_eq!((profile.grains.start.of(task).0, profile.grains.work.of(task).0), (0, 5));
    assert_eq!(work(&profile)[0], 30);
    assert_eq!(profile.regions.len(), 1);
    assert!(profile.is_part());
    // Between the regions.
    let profile = select(150.0, 180.0);
    assert_eq!((profile.regions.len(), profile.work.0, profile.grains.len()), (0, 30, 1));
    // Halves are the whole.
    let work_of = |from, to| select(from, to).work.0;
    assert_eq!(work_of(0.0, 110.0) + work_of(110.0, 300.0), work_of(0.0, 300.0));
}

#[test]
fn a_creation_keeps_what_lies_inside() {
    let mut g = Golden::new(2);
    g.initial(INITIAL, 0);
    for (ordinal, at, begin) in [(2, 35, 60), (3, 47, 70)] {
        g.create(id(0, ordinal), INITIAL, at, 10);
        g.run(1, id(0, ordinal), begin, begin + 5, RegionId::NONE);
    }
    g.wait(INITIAL, 0, WaitKind::Taskwait, 80, 90).run(0, INITIAL, 0, 100, RegionId::NONE);
    let profile = g.end_part(100, &between(50.0, 100.0));
    let creation: Vec<_> = profile.grains.creation.iter().map(|cost| cost.0).collect();
    assert_eq!(creation, [0, 0, 7]);
    let budget = Budget::of(&profile);
    assert_eq!((budget.conflicts, budget.total.sum() + budget.rest()), (Ticks::ZERO, budget.whole()));
}

#[test]
fn children_of_what_is_left_out_belong_to_what_is_there() {
    let mut g = Golden::new(1);
    let (parent, child) = (id(0, 2), id(0, 3));
    g.initial(INITIAL, 0);
    g.create(parent, INITIAL, 10, 0);
    g.run(0, parent, 20, 40, RegionId::NONE);
    g.create(child, parent, 30, 0);
    g.run(0, child, 60, 80, RegionId::NONE);
    let profile = g.end_part(100, &between(50.0, 100.0));
    let row = profile.task_row(child).unwrap();
    assert_eq!(profile.task_row(parent), None);
    assert_eq!(profile.grains.parent[row], profile.task_row(INITIAL));
    assert_eq!(profile.grains.work.of(row).0, 20);
}

/// As a ring leaves it: the end of a region whose beginning is gone.
#[test]
fn tasks_and_regions_without_a_beginning_are_made_up() {
    let mut g = Golden::new(2);
    let (region, leader, other, task) = (region(7), id(0, 70), id(1, 70), id(0, 71));
    switch(&mut g, 100, 1, window::BEGINS);
    g.run(1, task, 50, 120, region);
    g.create(id(0, 72), leader, 110, 0).run(0, id(0, 72), 115, 125, region);
    g.wait(other, 1, WaitKind::RegionEnd, 40, 150).wait(leader, 0, WaitKind::RegionEnd, 140, 150);
    g.run(0, leader, 10, 150, region).run(1, other, 10, 150, region);
    g.put(0, 150, Record::RegionEnd { region });
    let profile = g.end(160);
    assert_eq!((profile.wall.0, profile.regions.len()), (60, 1));
    assert_eq!(
        (
            profile.regions[Row::new(0)].begin.0,
            profile.regions[Row::new(0)].end.0,
            profile.regions[Row::new(0)].threads
        ),
        (0, 50, 2)
    );
    let work_of = |task| profile.grains.work.of(profile.task_row(task).unwrap()).0;
    assert_eq!((work_of(task), work_of(id(0, 72))), (20, 10));
    assert_eq!((count(&profile, GrainKind::Implicit), count(&profile, GrainKind::Initial)), (2, 1));
    assert_eq!((profile.strays.unknown, profile.strays.rootless), (0, 0));
    assert!(!profile.grains.has(profile.task_row(task).unwrap(), flag::UNFINISHED));
}

fn mark(g: &mut Golden, stream: u16, at: u64, task: TaskId, name: u32, depth: u32, flags: u8) {
    g.put(stream, at, Record::Span(Span { task, name, depth, flags }));
}

fn with_spans() -> Golden {
    let mut g = Golden::new(2);
    g.initial(INITIAL, 0);
    g.put(0, 1, Record::Name(Name { name: 1, text: b"outer" }));
    g.put(0, 1, Record::Name(Name { name: 2, text: b"inner" }));
    g.put(1, 1, Record::Name(Name { name: 1, text: b"thread" }));
    mark(&mut g, 0, 90, INITIAL, 1, 0, span::BEGINS);
    a_region(&mut g, 1, 100);
    mark(&mut g, 0, 130, INITIAL, 2, 1, span::BEGINS);
    mark(&mut g, 0, 150, INITIAL, 2, 1, span::ENDS);
    mark(&mut g, 0, 160, INITIAL, 1, 0, span::ENDS);
    mark(&mut g, 1, 205, id(1, 20), 1, 0, span::BEGINS);
    mark(&mut g, 0, 210, INITIAL, 1, 0, span::BEGINS); // without an end
    a_region(&mut g, 2, 200);
    mark(&mut g, 1, 215, id(1, 20), 1, 0, span::ENDS);
    g
}

#[test]
fn spans_are_summed_by_name() {
    let profile = with_spans().end(300);
    let all: Vec<_> = span_totals(&profile)
        .into_iter()
        .map(|total| (total.name, total.count, total.wall.0, total.work.round() as u64))
        .collect();
    let work_inside = profile.grains.work.of(profile.task_row(id(0, 11)).unwrap()).0;
    assert_eq!(work_inside, 10);
    assert_eq!(all[0], ("inner".to_owned(), 1, 20, 20));
    assert_eq!((all[1].0.as_str(), all[1].1, all[1].2), ("outer", 2, 70 + 90));
    // Only what its own thread did: the task of the second region.
    assert_eq!(all[2], ("thread".to_owned(), 1, 10, 10));
}

#[test]
fn a_span_can_be_selected() {
    let of = |name: &str| Selection { span: Some(name.to_owned()), ..Selection::default() };
    let profile = with_spans().end_part(300, &of("inner"));
    assert_eq!((parts(&profile.chosen), profile.wall), (vec![(130, 150)], Ticks(20)));
    assert_eq!((profile.work.0, profile.regions.len()), (20, 0));
    let profile = with_spans().end_part(300, &of("outer"));
    assert_eq!((parts(&profile.chosen), profile.regions.len()), (vec![(90, 160), (210, 300)], 2));
    let profile = with_spans().end_part(300, &of("nothing"));
    assert_eq!((profile.chosen.len(), profile.grains.len()), (0, 0));
    assert_eq!(profile.span_names, ["inner", "outer", "thread"]);
}
