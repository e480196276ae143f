// SPDX-License-Identifier: Apache-2.0
//! Constructs on devices: their sums, what of their movements lay beside other work, and findings.

use grains::budget::{Budget, Class, Cut, Cuts, Detail};
use grains::devices::{Devices, Sums};
use grains::findings::Finding;
use grains::{flag, Column, GrainKind, Profile, Selection, Strays, Ticks};
use trace::*;

use crate::asleep::off;
use crate::build::{id, region, Golden};
use crate::findings::{found, MS};

/// In ms.
struct Times {
    waited: u64,
    prepared: u64,
    there: u64,
    received: u64,
    ran: u64,
}

fn construct(device: u32, site: u32, times: &Times) -> Record<'static> {
    Record::Device(Device {
        task: id(0, 1),
        site,
        device,
        bytes_to: 1_000,
        bytes_from: 10,
        waited: times.waited * MS,
        prepared: times.prepared * MS,
        there: times.there * MS,
        received: times.received * MS,
        ran_ns: times.ran * MS,
        on_device: None,
        construct: DeviceConstruct::Target,
        is_deferred: false,
    })
}

fn host(streams: u16) -> Golden {
    let mut golden = Golden::with_devices(streams, 3);
    for site in [1, 2] {
        let place = Site { site, call_site: 0x10 * u64::from(site), ..Site::default() };
        golden.put(0, 0, Record::Site(place));
    }
    golden.initial(id(0, 1), 0);
    golden
}

/// One thread of the host waits for a construct on device 0 from 10 to 51 ms, and then for one on
/// device 1 until 75 ms.
fn one_after_the_other() -> Profile {
    let mut golden = host(1);
    let first = Times { waited: 0, prepared: 1, there: 30, received: 10, ran: 10 };
    let second = Times { waited: 0, prepared: 0, there: 20, received: 4, ran: 5 };
    golden.put(0, 10 * MS, construct(0, 1, &first));
    golden.put(0, 51 * MS, construct(1, 2, &second));
    golden.run(0, id(0, 1), 0, 100 * MS, RegionId::NONE);
    golden.end(100 * MS)
}

fn finding(profile: &Profile, rule: &str) -> Option<Finding> {
    found(profile).into_iter().find(|finding| finding.rule == rule)
}

#[test]
fn sums_are_exact() {
    let devices = Devices::of(&one_after_the_other()).unwrap();
    let ms = |ms: u64| Ticks(ms * MS);
    let expected = [
        Sums {
            constructs: 1,
            bytes_to: 1_000,
            bytes_from: 10,
            waited: ms(0),
            prepared: ms(1),
            moving: ms(30),
            running: ms(10),
            exposed: ms(30),
            exposed_to_wait: ms(30),
        },
        Sums {
            constructs: 1,
            bytes_to: 1_000,
            bytes_from: 10,
            moving: ms(19),
            running: ms(5),
            exposed: ms(19),
            exposed_to_wait: ms(19),
            ..Sums::default()
        },
        Sums::default(), // nothing used it
    ];
    assert_eq!(devices.devices.iter().map(|device| device.all).collect::<Vec<_>>(), expected);
    assert_eq!(devices.sites().len(), 2);
    // The host works until 10 ms and from 75 ms on; regions run for 15 ms.
    assert_eq!(devices.could_cover, ms(50));
}

#[test]
fn what_moves_more_than_it_computes_is_found() {
    let profile = one_after_the_other();
    let transfers = finding(&profile, "device-transfers").unwrap();
    assert_eq!(transfers.title, "the devices move data for 49.0 ms and compute for 15.0 ms");
    assert_eq!((transfers.gain_ns, transfers.place.map(grains::Row::number)), (30e6, Some(0)));
    assert_eq!(
        transfers.evidence[0],
        "1 construct here: 1.0 kB to devices, 10 B back, 30.0 ms in transfers and 10.0 ms in regions"
    );
    let alone = finding(&profile, "transfers-alone").unwrap();
    assert_eq!(alone.title, "nothing else runs for 49.0 ms of the 49.0 ms in which data move");
    assert_eq!(alone.gain_ns, 49e6);
}

#[test]
fn constructs_can_be_divided_among_devices() {
    assert!(finding(&one_after_the_other(), "idle-devices").is_none(), "each device has one construct");
    let mut golden = host(1);
    let times = Times { waited: 0, prepared: 0, there: 8, received: 2, ran: 5 };
    for (at, device) in [(10, 0), (20, 0), (30, 1), (40, 0), (50, 0)] {
        golden.put(0, at * MS, construct(device, 1, &times));
    }
    golden.run(0, id(0, 1), 0, 100 * MS, RegionId::NONE);
    let idle = finding(&golden.end(100 * MS), "idle-devices").unwrap();
    assert_eq!(idle.evidence, ["of the wall time, in use were device 0 40 %, device 1 10 %, device 2 0 %"]);
    assert_eq!((idle.gain_ns.round(), idle.lost_ns), (23_333_333.0, 70e6));
}

/// Waits for devices are no serial part of the program.
#[test]
fn serial_parts_lie_between_constructs() {
    let mut golden = host(2);
    let times = Times { waited: 0, prepared: 0, there: 40, received: 0, ran: 40 };
    golden.put(0, 30 * MS, construct(0, 1, &times));
    golden.implicit(id(1, 1), TaskId::NONE, RegionId::NONE, 99 * MS);
    golden.run(1, id(1, 1), 99 * MS, 100 * MS, RegionId::NONE);
    golden.run(0, id(0, 1), 0, 100 * MS, RegionId::NONE);
    let profile = golden.end(100 * MS);
    let titles: Vec<_> = found(&profile).into_iter().map(|finding| finding.title).collect();
    let before =
        "30.0 ms without a parallel region or a construct on a device, before the first construct, the one at place";
    assert!(titles.iter().any(|title| title.starts_with(before)), "{titles:?}");
    assert!(finding(&profile, "device-transfers").is_none(), "{titles:?}");
}

/// The thread sleeps for 60 of 70 ms in which it waits for a device, and for 20 ms elsewhere if
/// `sleeps_itself`.
fn sleeper(sleeps_itself: bool) -> Profile {
    let mut golden = host(1);
    let own = if sleeps_itself { 20 * MS } else { 0 };
    let times = Times { waited: 0, prepared: 0, there: 70, received: 0, ran: 70 };
    golden.put(0, 25 * MS, construct(0, 1, &times));
    let offs = [(MS, own), (30 * MS, 60 * MS)];
    off(&mut golden, 0, &offs[usize::from(!sleeps_itself)..], false, 100 * MS);
    golden.run(0, id(0, 1), 0, 100 * MS, RegionId::NONE);
    golden.end(100 * MS)
}

#[test]
fn a_sleep_for_a_device_is_none_of_the_program_s() {
    let slept = |profile: &Profile| {
        let of_sleep = |finding: &Finding| ["serial-sleep", "slept", "descheduled"].contains(&finding.rule);
        found(profile)
            .into_iter()
            .filter(of_sleep)
            .map(|finding| (finding.rule, finding.gain_ns))
            .collect::<Vec<_>>()
    };
    assert_eq!(slept(&sleeper(false)), []);
    assert_eq!(slept(&sleeper(true)), [("serial-sleep", 20e6)]);
}

/// Deferred constructs, which two threads of the runtime carry out beside each other.
#[test]
fn movements_beside_each_other_are_not_alone() {
    let mut golden = host(3);
    let times = Times { waited: 5, prepared: 0, there: 40, received: 10, ran: 20 };
    for (stream, at) in [(1, 20), (2, 30)] {
        golden.implicit(id(stream, 1), TaskId::NONE, RegionId::NONE, at * MS);
        let Record::Device(device) = construct(u32::from(stream), 1, &times) else { unreachable!() };
        golden.put(stream, at * MS, Record::Device(Device { is_deferred: true, ..device }));
        golden.run(stream, id(stream, 1), at * MS, 100 * MS, RegionId::NONE);
    }
    golden.wait(id(0, 1), 0, WaitKind::Taskwait, 10 * MS, 100 * MS);
    golden.run(0, id(0, 1), 0, 100 * MS, RegionId::NONE);
    let profile = golden.end(100 * MS);
    let devices = Devices::of(&profile).unwrap();
    // The first moves from 25 to 45 and from 65 to 75 ms, the second 10 ms later.
    let exposed: Vec<_> = devices.devices.iter().map(|device| device.all.exposed.0 / MS).collect();
    assert_eq!(exposed, [0, 10, 10]);
    assert_eq!(devices.all().exposed_to_wait, Ticks::ZERO);
    assert!(finding(&profile, "transfers-alone").is_none());
    assert_eq!(devices.all().waited, Ticks(10 * MS));
}

/// The thread of the second stream only carries out constructs with nowait, and gives the second of
/// them to its device, as it depends on the first. The third stream is of the second thread of a
/// region.
fn carried() -> Golden {
    let mut golden = host(3);
    let times = Times { waited: 0, prepared: 0, there: 20, received: 0, ran: 20 };
    let Record::Device(device) = construct(0, 1, &times) else { unreachable!() };
    golden.implicit(id(1, 1), TaskId::NONE, RegionId::NONE, 12 * MS);
    for (at, ordinal) in [(12, 2), (32, 3)] {
        golden.create(id(0, ordinal), id(0, 1), (8 + ordinal) * MS, 10);
        golden.put(1, at * MS, Record::Device(Device { task: id(0, ordinal), is_deferred: true, ..device }));
    }
    golden.run(0, id(0, 2), 20 * MS + 500, 20 * MS + 600, RegionId::NONE);
    golden.run(1, id(0, 3), 32 * MS - 5_000, 32 * MS - 1_000, RegionId::NONE);
    golden.run(1, id(1, 1), 12 * MS, 100 * MS, RegionId::NONE);
    golden.wait(id(0, 1), 0, WaitKind::Taskwait, 20 * MS, 52 * MS);
    let team = Region { region: region(1), parent: id(0, 1), site: 2, threads: 2, requested: 2, level: 1 };
    golden.put(0, 60 * MS, Record::Region(team));
    for (stream, end) in [(0, 90), (2, 80)] {
        golden.implicit(id(stream, 9), id(0, 1), region(1), 60 * MS);
        golden.wait(id(stream, 9), stream, WaitKind::RegionEnd, end * MS, 90 * MS);
        golden.run(stream, id(stream, 9), 60 * MS, 90 * MS, region(1));
    }
    golden.put(0, 90 * MS, Record::RegionEnd { region: region(1) });
    golden.run(0, id(0, 1), 0, 100 * MS, RegionId::NONE);
    golden
}

#[test]
fn threads_that_carry_out_constructs_are_no_workers() {
    let profile = carried().end(100 * MS);
    assert_eq!(profile.workers, 2);
    let grains = &profile.grains;
    let workers: Vec<u16> = grains.task_rows().map(|row| grains.worker[row]).collect();
    assert_eq!(workers, [0, 0, 0, 0, 1]);
    let initial = grains.task_rows().filter(|&row| grains.kind[row] == GrainKind::Initial);
    assert_eq!((initial.count(), profile.strays), (1, Strays::default()));
    // 20 + 8 + 10 ms of the initial task, and 30 + 20 of the team. The tasks' bodies are short.
    assert_eq!(profile.work.0 / MS, 37 + 51);
    let run = vec![Cut { begin: Ticks(0), end: profile.wall, part: 0 }];
    let cuts = Cuts { run, regions: Vec::new(), of_region: Column::default(), parts: 1 };
    let site_of = Column::filled(u32::MAX, grains.len());
    let detail = Detail { intervals: 10, stretches: 10, cuts: &cuts, site_of: &site_of };
    let (budget, time) = Budget::over_time(&profile, detail);
    assert_eq!(time.lanes.iter().map(|lane| lane.worker).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((budget.workers, budget.rest(), budget.conflicts), (2, Ticks(0), Ticks(0)));
    let devices = Devices::of(&profile).unwrap();
    assert_eq!((devices.all().constructs, devices.all().running), (2, Ticks(40 * MS)));
}

/// A thread that waits for constructs with nowait has nothing to run until they have ended; and
/// what they cost their creator is no measure of what the device took off it.
#[test]
fn constructs_of_their_own_end_when_the_device_has_ended() {
    let profile = carried().end(100 * MS);
    let budget = Budget::of(&profile);
    // The taskwait from 20 to 52 ms, without the first task's body; the second ended at 52 ms.
    let nothing = budget.total.of(Class::NothingReady);
    assert!((31 * MS..=32 * MS).contains(&nothing.0), "{:?}", budget.total);
    assert!(budget.total.of(Class::Scheduling).0 < MS, "{:?}", budget.total);
    let grains = &profile.grains;
    assert!(grains.rows().all(|row| !grains.has(row, flag::LOW_BENEFIT)), "{:?}", grains.benefit);
}

/// A device whose initial task sleeps until its host has something for it.
#[test]
fn a_device_that_waits_for_its_host_is_not_found_asleep() {
    let slept = |mut golden: Golden| {
        golden.initial(id(0, 1), 0);
        off(&mut golden, 0, &[(10 * MS, 60 * MS)], false, 100 * MS);
        golden.run(0, id(0, 1), 0, 100 * MS, RegionId::NONE);
        finding(&golden.end(100 * MS), "serial-sleep").is_some()
    };
    assert!(slept(Golden::new(1)) && !slept(Golden::device(1)));
}

/// In a part in which the thread has carried out nothing, it is no worker either.
#[test]
fn a_part_without_constructs_has_the_same_workers() {
    let late = Selection { from_ns: Some(60e6), ..Selection::default() };
    let profile = carried().end_part(100 * MS, &late);
    assert_eq!((profile.workers, profile.device_constructs.len()), (2, 0));
}

#[test]
fn a_process_without_devices_has_none() {
    let mut golden = Golden::new(1);
    golden.initial(id(0, 1), 0);
    golden.run(0, id(0, 1), 0, 10, RegionId::NONE);
    assert!(Devices::of(&golden.end(10)).is_none());
}
