// SPDX-License-Identifier: Apache-2.0
//! Samples belong to the grain that their thread ran at that instant.

use crate::build::*;
use grains::inside::{grains_of_samples, is_serial, SerialParts};
use grains::{GrainRow, Profile, Ticks};
use trace::layout::{sample, samples};
use trace::*;

/// The initial task creates a task from 10 to 15, waits from 20 to 70 while the task runs from 30
/// to 60, and ends at 90.
fn with_samples(put: impl FnOnce(&mut Golden)) -> Profile {
    let mut g = Golden::new(1);
    g.put(0, 0, Record::Samples(Samples { lost: 0, period_ns: 10, flags: samples::BEGIN }));
    g.initial(id(0, 1), 0).create(id(0, 2), id(0, 1), 10, 5);
    g.run(0, id(0, 2), 30, 60, RegionId::NONE);
    g.wait(id(0, 1), 0, WaitKind::Taskwait, 20, 70).run(0, id(0, 1), 0, 90, RegionId::NONE);
    put(&mut g);
    g.end(90)
}

fn take(g: &mut Golden, at: u64, unseen: u32, flags: u8) {
    let taken = Sample { address: 0x1000 + at, module: 0, unseen, period_ns: 10, flags };
    g.put(0, at, Record::Sample(taken));
}

#[test]
fn they_belong_to_the_grain_that_ran() {
    let profile = with_samples(|g| {
        for at in [5, 12, 19, 25, 30, 59, 60, 75, 89] {
            take(g, at, 0, 0);
        }
    });
    let (initial, task) = (Some(GrainRow::new(0)), Some(GrainRow::new(1)));
    let expected = [initial, None, initial, None, task, task, None, initial, initial];
    assert_eq!(grains_of_samples(&profile), expected);
    assert_eq!((profile.samples.period_ns, profile.samples.threads, profile.samples.lost), (10, 1, 0));
    let frame = profile.samples.hits[0].frame.unwrap();
    assert_eq!(profile.places.frames[frame].address, 0x1006, "as a return address");
    assert!(!profile.places.have_paths());
}

#[test]
fn those_of_the_kernel_are_apart() {
    let profile = with_samples(|g| {
        take(g, 31, 0, 0);
        take(g, 55, 2, 0); // at 39 and 47
        take(g, 58, 0, sample::KERNEL);
    });
    let hits: Vec<_> = profile.samples.hits.iter().map(|hit| (hit.at.0, hit.in_kernel)).collect();
    assert_eq!(hits, [(31, false), (39, true), (47, true), (55, false), (58, true)]);
    assert_eq!(grains_of_samples(&profile), [Some(GrainRow::new(1)); 5]);
    assert_eq!(profile.samples.count(), 5);
}

#[test]
fn what_was_lost_or_refused_is_told() {
    let about = |lost, flags| Record::Samples(Samples { lost, period_ns: 10, flags });
    let profile = with_samples(|g| {
        g.put(0, 80, about(7, samples::LOST)).put(0, 85, about(u64::MAX, samples::LOST));
    });
    assert_eq!((profile.samples.lost, profile.samples.refused), (u64::MAX, 0));
    let mut g = Golden::new(1);
    g.put(0, 0, about(0, samples::REFUSED));
    let samples = g.end(90).samples;
    assert_eq!((samples.threads, samples.refused, samples.count()), (0, 1, 0));
}

#[test]
fn a_serial_part_is_known_by_the_region_that_follows() {
    let mut g = Golden::new(1);
    g.put(0, 0, Record::Site(Site { site: 7, call_site: 0x70, ..Site::default() }));
    g.put(0, 0, Record::Site(Site { site: 8, call_site: 0x80, ..Site::default() }));
    g.initial(id(0, 1), 0);
    for (number, site, at) in [(1, 7, 20), (2, 8, 50)] {
        let region =
            Region { region: region(number), parent: id(0, 1), site, threads: 1, requested: 1, level: 1 };
        g.put(0, at, Record::Region(region));
        g.put(0, at + 10, Record::RegionEnd { region: region.region });
    }
    g.run(0, id(0, 1), 0, 90, RegionId::NONE);
    let profile = g.end(90);
    let parts = SerialParts::of(&profile);
    let place = |at| profile.places.places[parts.place_at(Ticks(at)).unwrap()].call_site;
    assert_eq!([5, 35, 70].map(place), [0x70, 0x80, 0x80]);
    assert!(is_serial(&profile, GrainRow::new(0)));
}

fn stack_frame(address: u64, module: u32, flags: u32) -> Vec<u8> {
    [&address.to_le_bytes()[..], &module.to_le_bytes(), &flags.to_le_bytes()].concat()
}

#[test]
fn a_stack_belongs_to_the_sample_before_it() {
    let profile = with_samples(|g| {
        let frames = [
            stack_frame(0x2000, 0, 0),
            stack_frame(9, 4, 3),
            stack_frame(0, 5, 1),
            stack_frame(0x3000, 0, 0),
        ];
        g.put(0, 0, Record::Code(Code { code: 4, text: b"/src/a.py\nfit" }));
        g.put(0, 0, Record::Stack(Stack { stack: 7, flags: 2, frames: &frames.concat() }));
        take(g, 31, 0, 0);
        g.put(0, 31, Record::Sampled { stack: 7 });
        take(g, 40, 0, 0);
        g.put(0, 41, Record::Sampled { stack: 7 }); // of no sample
        take(g, 50, 0, 0);
        g.put(0, 50, Record::Sampled { stack: 8 }); // which is not there
    });
    let stacks: Vec<_> = profile.samples.hits.iter().map(|hit| hit.stack).collect();
    assert_eq!((stacks[0].is_some(), stacks[1], stacks[2]), (true, None, None));
    let stack = &profile.places.stacks[stacks[0].unwrap()];
    let addresses: Vec<_> = stack.frames.iter().map(|&frame| profile.places.frames[frame].address).collect();
    assert_eq!((addresses, stack.flags), (vec![0x2000, 0x3000], 2));
    let python: Vec<_> = stack.python.iter().map(|frame| (frame.line, frame.is_entry)).collect();
    assert_eq!(python, [(9, true), (0, false)]);
    let code = &profile.places.codes[stack.python[0].code.unwrap()];
    assert_eq!((&*code.file, &*code.function), ("/src/a.py", "fit"));
    assert_eq!(stack.python[1].code, None);
}
