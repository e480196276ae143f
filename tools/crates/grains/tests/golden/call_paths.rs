// SPDX-License-Identifier: Apache-2.0
//! Golden recordings with call paths: tests the paths themselves, and that no other result depends
//! on them.

use crate::build::*;
use grains::call_paths::{CallPaths, Node};
use grains::{GrainKind, Profile, Row, Ticks};
use trace::layout::path;
use trace::layout::task::IMPLICIT;
use trace::*;

const CONSTRUCT: u64 = 0x1000;
const PYTHON: &[u8] = b"  File \"x.py\", line 3 in f\n";

fn frames(addresses: &[u64]) -> Vec<u8> {
    addresses.iter().flat_map(|address| [*address, 1]).flat_map(u64::to_le_bytes).collect()
}

/// A site at `call_site`, with the calls above it if there are any.
fn site(g: &mut Golden, number: u32, call_site: u64, calls: Option<(&[u64], u8)>) {
    g.put(0, 0, Record::Site(Site { site: number, module: 1, call_site, function: 0 }));
    if let Some((addresses, flags)) = calls {
        let python = if flags & path::OF_TASK == 0 { PYTHON } else { &[] };
        g.put(0, 0, Record::CallPath(CallPath { site: number, flags, frames: &frames(addresses), python }));
    }
}

fn create(g: &mut Golden, task: TaskId, parent: TaskId, at: u64, site: u32) {
    g.put(0, at, Record::Create(Create { task, parent, site, cost: 1, flags: 0 }));
}

/// The initial task creates one task by each of two ways, of 30 and of 10; the second creates its
/// like, twice below each other, of 5 each.
fn two_ways(with_paths: bool) -> Profile {
    let (root, first, second) = (id(0, 1), id(0, 2), id(0, 3));
    let (third, fourth) = (id(0, 4), id(0, 5));
    let mut g = Golden::new(1);
    g.put(0, 0, Record::Module(Module { module: 1, bias: 0x100, path: b"/bin/prog", ..Default::default() }));
    let of = |calls: &'static [u64], flags| with_paths.then_some((calls, flags));
    site(&mut g, 1, CONSTRUCT, of(&[0x2100, 0x3100], 0));
    if with_paths {
        site(&mut g, 2, CONSTRUCT, of(&[0x2200, 0x3100], 0));
        site(&mut g, 3, CONSTRUCT, of(&[0x4100], path::OF_TASK));
    }
    let number = |number| if with_paths { number } else { 1 };
    g.initial(root, 0);
    create(&mut g, first, root, 1, number(1));
    create(&mut g, second, root, 2, number(2));
    create(&mut g, third, second, 51, number(3));
    create(&mut g, fourth, third, 71, number(3));
    g.run(0, first, 10, 40, RegionId::NONE);
    g.run(0, second, 50, 61, RegionId::NONE);
    g.run(0, third, 70, 76, RegionId::NONE);
    g.run(0, fourth, 80, 85, RegionId::NONE);
    g.wait(root, 0, WaitKind::Taskwait, 9, 90);
    g.run(0, root, 0, 100, RegionId::NONE);
    g.end(100)
}

#[test]
fn without_paths_there_are_none() {
    assert!(CallPaths::of(&two_ways(false)).is_none());
}

#[test]
fn one_construct_has_one_place_whatever_its_paths() {
    let (with, without) = (two_ways(true), two_ways(false));
    assert_eq!(with.grains.place, without.grains.place);
    assert_eq!(with.places.places, without.places.places);
    assert_eq!(work(&with), work(&without));
    assert_eq!(span(&with), span(&without));
}

#[test]
fn each_way_has_what_it_brought() {
    let profile = two_ways(true);
    let paths = CallPaths::of(&profile).unwrap();
    let (reached, waits) = paths.reached(&profile);
    assert_eq!(paths.of_grain[Row::new(0)], None);
    let by_way = |row: usize| reached[paths.of_grain[Row::new(row)].unwrap()];
    assert_eq!((by_way(1).count, by_way(1).work), (1, Ticks(30)));
    assert_eq!((by_way(2).count, by_way(2).work), (1, Ticks(10)));
    let waited: Ticks = waits.iter().map(|reached| reached.wait).sum();
    assert_eq!(waited, profile.waits[Row::new(0)].lost);
    let segment = |row: Row<Node>| &profile.places.segments[paths.nodes[row].segment.unwrap()];
    let first = segment(paths.of_grain[Row::new(1)].unwrap());
    let addresses: Vec<_> = first.frames.iter().map(|&frame| profile.places.frames[frame].address).collect();
    assert_eq!(addresses, [0x2000, 0x3000], "in the object's file");
    assert_eq!(first.python, PYTHON);
}

#[test]
fn a_path_goes_on_with_the_creation_of_its_task() {
    let profile = two_ways(true);
    let paths = CallPaths::of(&profile).unwrap();
    let node = paths.nodes[paths.of_grain[Row::new(3)].unwrap()];
    assert_eq!(node.above, paths.of_grain[Row::new(2)]);
    assert_eq!(paths.of_grain[Row::new(4)], paths.of_grain[Row::new(3)], "recursion adds no path");
    let (reached, _) = paths.reached(&profile);
    let recursive = reached[paths.of_grain[Row::new(3)].unwrap()];
    assert_eq!((recursive.count, recursive.work), (2, Ticks(5 + 5)));
}

/// A region with two loops of one chunk: one that begins by the same call as the region, and one
/// inside.
#[test]
fn a_combined_loop_has_the_path_of_its_region() {
    let (root, member, region) = (id(0, 1), id(0, 2), RegionId::new(0, 1));
    let mut g = Golden::new(1);
    g.put(0, 0, Record::Module(Module { module: 1, bias: 0x100, path: b"/bin/prog", ..Default::default() }));
    let calls: &[u64] = &[0x2100, 0x3100];
    g.put(0, 0, Record::Site(Site { site: 1, module: 1, call_site: CONSTRUCT, function: 0x9000 }));
    g.put(0, 0, Record::CallPath(CallPath { site: 1, flags: 0, frames: &frames(calls), python: PYTHON }));
    site(&mut g, 2, CONSTRUCT, Some((calls, 0)));
    site(&mut g, 3, 0x5000, Some((&[0x4100], path::OF_TASK)));
    g.initial(root, 0);
    g.put(
        0,
        10,
        Record::Region(Region { region, parent: root, threads: 1, requested: 1, level: 1, site: 1 }),
    );
    let create = Create { task: member, parent: root, site: 1, flags: IMPLICIT, ..Default::default() };
    g.put(0, 10, Record::Create(create));
    for (number, at) in [(2, 10), (3, 50)] {
        let id = LoopId::new(0, u64::from(number));
        let instance = Loop { id, region, site: number, threads: 1, ub: 8, step: 1, ..Default::default() };
        g.put(0, at, Record::Loop(instance));
        let chunk = Chunk { id, task: member, first: 0, iterations: 8, ticks: 10, cpu: 0 };
        g.put(0, at + 5, Record::Chunk(chunk));
    }
    g.run(0, member, 10, 90, region);
    g.put(0, 90, Record::RegionEnd { region });
    g.run(0, root, 0, 100, RegionId::NONE);
    let profile = g.end(100);
    let paths = CallPaths::of(&profile).unwrap();
    let node = |row| paths.of_grain[row].map(|node| paths.nodes[node]);
    let grains = &profile.grains;
    let of_kind = |kind| grains.rows().filter(move |&row| grains.kind[row] == kind);
    let member = of_kind(GrainKind::Implicit).next().unwrap();
    let mut chunks: Vec<_> = of_kind(GrainKind::Chunk).filter_map(node).collect();
    chunks.sort_by_key(|chunk| chunk.above.is_some());
    assert_eq!(chunks.iter().map(|chunk| chunk.above).collect::<Vec<_>>(), [None, paths.of_grain[member]]);
    assert_eq!(chunks[0].segment, node(member).unwrap().segment);
}

#[test]
fn a_path_of_a_site_that_is_not_there_is_none() {
    let root = id(0, 1);
    let mut g = Golden::new(1);
    g.put(0, 0, Record::CallPath(CallPath { site: 77, flags: 0xff, frames: &frames(&[1]), python: b"\xff" }));
    g.initial(root, 0);
    g.run(0, root, 0, 100, RegionId::NONE);
    let profile = g.end(100);
    let paths = CallPaths::of(&profile).unwrap();
    assert!(paths.nodes.is_empty());
}
