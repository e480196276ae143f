// SPDX-License-Identifier: Apache-2.0
//! Predictions on modelled clusters, computed by hand. A tick is a nanosecond.
//!
//! In these recordings a construct takes 3 to prepare and 8 for messages, of which the model gives
//! 2 to the host for each direction, and 4 to the device.

use grains::predict::{Cause, Changes, DevicesLimit, DevicesPoint, Network, Place, Predictor, Stuck};
use grains::{Profile, Ticks};
use trace::layout::schedule;
use trace::*;

use crate::asleep::off;
use crate::build::{id, Golden};
use crate::predict::{looped_with, times};

const LOCAL: Network =
    Network { latency_ns: 0.0, bytes_per_s: f64::INFINITY, host_ns: None, host_bytes_per_s: None };

fn construct(task: TaskId, device: u32, ran: u64, is_deferred: bool) -> Record<'static> {
    Record::Device(Device {
        task,
        site: 0,
        device,
        bytes_to: 1_000,
        bytes_from: 0,
        waited: 0,
        prepared: 3,
        there: 6 + ran,
        received: 2,
        ran_ns: ran,
        on_device: None,
        construct: DeviceConstruct::Target,
        is_deferred,
    })
}

/// The initial task works 10, defers four constructs on two devices at 2 each, whose bodies take 1,
/// waits for them, and works 10 more. Each region runs for 100. With `is_chain` each construct
/// depends on the one before.
fn deferred(is_chain: bool) -> Profile {
    let mut golden = Golden::with_devices(2, 2);
    golden.initial(id(0, 1), 0);
    golden.initial(id(1, 1), 20);
    let task = |at: u64| id(0, 2 + at);
    for at in 0..4 {
        golden.create(task(at), id(0, 1), 10 + 2 * at, 2);
        golden.run(0, task(at), 18 + at, 19 + at, RegionId::NONE);
        golden.put(1, 30 + 120 * at, construct(task(at), at as u32 % 2, 100, true));
        if is_chain && at > 0 {
            let edge = Dep { successor: task(at), predecessor: task(at - 1), ..Dep::default() };
            golden.put(0, 10 + 2 * at, Record::Dep(edge));
        }
    }
    golden.wait(id(0, 1), 0, WaitKind::Taskwait, 18, 600);
    golden.run(0, id(0, 1), 0, 610, RegionId::NONE);
    golden.run(1, id(1, 1), 20, 605, RegionId::NONE);
    golden.end(610)
}

fn point(profile: &Profile, devices: u32, place: Place, network: &Network) -> DevicesPoint {
    let predictor = Predictor::of(profile);
    predictor.on_devices().unwrap().point(devices, place, network).unwrap()
}

#[test]
fn deferred_constructs_share_the_host_and_the_devices() {
    let profile = deferred(false);
    let two = point(&profile, 2, Place::Program, &LOCAL);
    // Ready at 13, 16, 19, 22. On device 0: sent at 18 and, when the first is over at 124, at 129.
    // On device 1: sent at 23; back at 127; over at 131, behind the host's third message.
    let expected = DevicesPoint {
        devices: 2,
        place: Place::Program,
        time: Ticks(242 + 10),
        in_use: Ticks(242 - 13),
        ran: Ticks(400),
        program: Ticks(9),
        host: Ticks(28),
        out: Ticks(0),
        back: Ticks(0),
        held: Ticks(224),
        held_most: Ticks(226),
        path: Ticks(22 + 111 - 13),
    };
    assert_eq!(two, expected);
    assert_eq!((two.limit(), two.efficiency()), (DevicesLimit::Devices, 400.0 / 458.0));
    // One after another, from 13 on.
    let one = point(&profile, 1, Place::Program, &LOCAL);
    assert_eq!((one.in_use, one.limit()), (Ticks(4 * 111), DevicesLimit::Devices));
    // All at once: the host sends until 33, and the last region is back at 137.
    let four = point(&profile, 4, Place::RoundRobin, &LOCAL);
    assert_eq!((four.in_use, four.limit()), (Ticks(33 + 104 + 2 - 13), DevicesLimit::Path));
    assert_eq!(point(&profile, 1000, Place::LeastLoaded, &LOCAL).in_use, four.in_use);
}

#[test]
fn a_slow_host_or_link_is_what_limits() {
    let profile = deferred(false);
    // 90 for each: a third to prepare, to send and to receive. The last is sent at 13 + 240.
    let host = Network { host_ns: Some(90.0), ..LOCAL };
    let slow = point(&profile, 4, Place::RoundRobin, &host);
    assert_eq!((slow.in_use, slow.limit()), (Ticks(240 + 104 + 30), DevicesLimit::Host));
    // 1000 bytes to each device at a byte per ns, from 18 on.
    let link = Network { latency_ns: 50.0, bytes_per_s: 1e9, ..LOCAL };
    let slow = point(&profile, 4, Place::RoundRobin, &link);
    assert_eq!(slow.in_use, Ticks(18 + 4_000 + 50 + 104 + 50 + 2 - 13));
    assert_eq!((slow.out, slow.limit()), (Ticks(4_000), DevicesLimit::LinkOut));
}

#[test]
fn constructs_that_depend_on_others_wait_for_them() {
    let profile = deferred(true);
    let chain = point(&profile, 4, Place::RoundRobin, &LOCAL);
    assert_eq!((chain.in_use, chain.path), (Ticks(4 * 111), Ticks(4 * 111)));
    assert_eq!(chain.limit(), DevicesLimit::Path);
}

/// The thread that meets a construct waits for it, and works before, between and behind.
#[test]
fn a_thread_waits_for_what_is_not_deferred() {
    let mut golden = Golden::with_devices(1, 1);
    golden.initial(id(0, 1), 0);
    golden.put(0, 10, construct(id(0, 1), 0, 100, false));
    golden.put(0, 131, construct(id(0, 1), 0, 100, false));
    golden.run(0, id(0, 1), 0, 252, RegionId::NONE);
    let profile = golden.end(252);
    let alone = point(&profile, 1, Place::Program, &LOCAL);
    assert_eq!((alone.time, alone.in_use, alone.program), (Ticks(252), Ticks(232), Ticks(10)));
    let far = Network { latency_ns: 50.0, bytes_per_s: 1e9, ..LOCAL };
    let far = point(&profile, 3, Place::RoundRobin, &far);
    assert_eq!((far.time, far.path), (Ticks(252 + 2 * (1_000 + 2 * 50)), far.in_use));
    assert_eq!(Predictor::of(&profile).on_devices().unwrap().recorded_in_use(), Ticks(232));
}

/// Four chunks, each with 10 of work, a construct, and 10 of work, as the first of two threads has
/// run them.
fn in_chunks(flags: u8) -> Profile {
    looped_with(flags, 1, &[(1, 131); 4], 2, |golden| {
        for at in 0..4 {
            golden.put(0, 10 + 131 * at, construct(id(0, 2), at as u32 % 2, 100, false));
        }
    })
}

#[test]
fn constructs_lie_in_chunks_of_loops() {
    let profile = in_chunks(schedule::DYNAMIC);
    let predictor = Predictor::of(&profile);
    assert_eq!(predictor.on_devices().unwrap().strays(), 0);
    // Sent at 15 and 20, over at 121 and 126; then at 146 and 151.
    let two = point(&profile, 2, Place::Program, &LOCAL);
    assert_eq!((two.in_use, two.time), (Ticks(257 - 10), Ticks(267)));
    let one = point(&profile, 1, Place::Program, &LOCAL);
    assert_eq!((one.in_use, one.time), (Ticks(4 * 111), Ticks(10 + 4 * 111 + 10)));
}

/// The curve by threads has the recorded devices, for which constructs wait.
#[test]
fn more_threads_do_not_make_more_devices() {
    let profile = in_chunks(schedule::DYNAMIC);
    // With four threads, two constructs wait for the devices, until 121 and 128.
    assert_eq!(times(&profile, [1, 2, 4, 64]), [4 * 131, 267, 249, 249]);
    let four = Predictor::of(&profile).point(4, &Changes::default()).unwrap();
    assert_eq!((four.span, four.lost[0].0), (Ticks(131), Cause::Devices));
    // Iterations that are divided anew keep what they waited as sleeps.
    assert_eq!(times(&in_chunks(schedule::STATIC), [4]), [131]);
}

/// The thread sleeps for 70 while the thread of the runtime for the device ends.
#[test]
fn a_sleep_of_the_host_is_no_wait_for_the_runtime_s_threads() {
    let mut golden = Golden::with_devices(2, 1);
    golden.initial(id(0, 1), 0);
    golden.initial(id(1, 1), 15);
    golden.create(id(0, 2), id(0, 1), 10, 2);
    golden.run(0, id(0, 2), 12, 13, RegionId::NONE);
    golden.put(1, 13, construct(id(0, 2), 0, 20, true));
    golden.run(1, id(1, 1), 15, 80, RegionId::NONE);
    off(&mut golden, 0, &[(20, 70)], false, 110);
    golden.wait(id(0, 1), 0, WaitKind::Taskwait, 95, 100);
    golden.run(0, id(0, 1), 0, 110, RegionId::NONE);
    let profile = golden.end(110);
    // 10, 3 for the construct, 83 until the taskwait with the sleep, and 10.
    assert_eq!(point(&profile, 1, Place::Program, &LOCAL).time, Ticks(106));
    assert_eq!(times(&profile, [1, 2]), [106, 106]);
    let one = Predictor::of(&profile).point(1, &Changes::default()).unwrap();
    assert_eq!((one.workers, one.slept), (1, Ticks(70)));
}

#[test]
fn times_beyond_all_bounds_are_said_to_be() {
    let profile = deferred(false);
    let predictor = Predictor::of(&profile);
    let devices = predictor.on_devices().unwrap();
    let failed = |network: Network| devices.point(2, Place::Program, &network).unwrap_err();
    for latency_ns in [1e19, f64::MAX] {
        assert_eq!(failed(Network { latency_ns, ..LOCAL }), Stuck::TooLong);
    }
    assert_eq!(failed(Network { bytes_per_s: 1e-300, ..LOCAL }), Stuck::TooLong);
    assert_eq!(failed(Network { host_ns: Some(1e30), ..LOCAL }), Stuck::TooLong);
    assert_eq!(failed(Network { host_bytes_per_s: Some(1e-300), ..LOCAL }), Stuck::TooLong);
    let slow = Network { latency_ns: 1e17, ..LOCAL };
    let slow = devices.point(65_536, Place::LeastLoaded, &slow).unwrap();
    assert!(slow.in_use > Ticks(200_000_000_000_000_000), "{slow:?}");
}

#[test]
fn a_program_without_devices_has_none() {
    let mut golden = Golden::new(1);
    golden.initial(id(0, 1), 0);
    golden.run(0, id(0, 1), 0, 10, RegionId::NONE);
    assert!(Predictor::of(&golden.end(10)).on_devices().is_none());
}
