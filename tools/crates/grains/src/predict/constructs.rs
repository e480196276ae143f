// SPDX-License-Identifier: Apache-2.0
//! The constructs on devices of a recording, as `cluster` and `on_devices` need them: which task or
//! which fragment each belongs to, what it needs, and what the host and the devices take for it.
//!
//! A deferred construct has a task of its own. Any other construct lies in a fragment of the task
//! that waited for it.

use std::collections::{HashMap, HashSet};

use trace::DeviceConstruct;

use crate::predict::cluster::{Costs, Need};
use crate::predict::costs::typical;
use crate::predict::crews::MOST_THREADS;
use crate::predict::spent::Spent;
use crate::tables::{DeviceInfo, GrainKind, GrainRow};
use crate::ticks::Ticks;
use crate::{PlaceRow, Profile};

/// What a fragment does, if its thread waits for devices in it: each of `parts` is what it takes,
/// and the construct that follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct InFragment {
    pub parts: Vec<(Spent, u32)>,
    pub after: Spent,
}

/// Up to here a construct is mostly messages, and from there on it is mostly data.
const SMALL_BYTES: u64 = 4 << 10;
const LARGE_BYTES: u64 = 64 << 10;

pub(super) struct Constructs {
    /// In the order of `Profile::device_constructs`.
    pub needs: Vec<Need>,
    /// Deferred ones.
    pub of_task: HashMap<GrainRow, u32>,
    /// The others, by the row of the fragment.
    pub in_fragment: HashMap<u32, InFragment>,
    /// The chunks in which constructs lie.
    pub chunks: HashSet<GrainRow>,
    /// Those that belong to no recorded task.
    pub strays: usize,
    pub costs: Costs,
    /// What the thread that meets a deferred construct takes for it.
    pub creation: u64,
    /// Devices of the recorded run.
    pub devices: u32,
}

impl Constructs {
    pub fn of(profile: &Profile) -> Self {
        let all = &profile.device_constructs;
        let grains = &profile.grains;
        let used = all.iter().map(|construct| construct.device.saturating_add(1)).max().unwrap_or(0);
        let of_task: HashMap<_, _> = (0..)
            .zip(all)
            .filter(|(_, construct)| construct.is_deferred && !construct.is_sender(all))
            .filter_map(|(at, construct)| Some((construct.task?, at)))
            .collect();
        let in_fragment = in_fragments(profile);
        let in_grains = in_fragment.keys().map(|&row| profile.fragments.grain[row as usize]);
        let chunks = in_grains.filter(|&grain| grains.kind[grain] == GrainKind::Chunk).collect();
        let copies = all.iter().filter(|construct| construct.is_sender(all)).count();
        let placed =
            copies + of_task.len() + in_fragment.values().map(|inside| inside.parts.len()).sum::<usize>();
        let created = of_task.keys().map(|&task| (grains.creation.of(task) + grains.work.of(task)).0);
        let (costs, exchange) = costs(all);
        let needs = needs(all, exchange);
        Self {
            needs,
            in_fragment,
            chunks,
            strays: all.len() - placed,
            costs,
            creation: typical(created.collect()),
            devices: profile.meta.devices.unwrap_or(0).max(used).clamp(1, MOST_THREADS),
            of_task,
        }
    }
}

fn sends(construct: &DeviceInfo) -> bool {
    construct.sent < construct.ended
}

/// `exchange`: what messages take in all.
fn need(construct: &DeviceInfo, all: &[DeviceInfo], exchange: u64) -> Need {
    let other = construct.other_device(all);
    Need {
        other: other.map(|other| (other, construct.moving().0.saturating_sub(exchange))),
        device: construct.device,
        is_region: construct.construct == DeviceConstruct::Target,
        sends: sends(construct),
        bytes_to: construct.bytes_to,
        bytes_from: construct.bytes_from,
        ran: construct.running().0,
    }
}

/// A device begins, and its recording with it, in its first region. If other regions of the place
/// were shorter, this one counts as their median.
fn needs(all: &[DeviceInfo], exchange: u64) -> Vec<Need> {
    let mut needs: Vec<_> = all.iter().map(|construct| need(construct, all, exchange)).collect();
    let mut firsts: HashMap<u32, usize> = HashMap::new();
    let mut others: HashMap<Option<PlaceRow>, Vec<u64>> = HashMap::new();
    let regions = || all.iter().enumerate().filter(|region| region.1.construct == DeviceConstruct::Target);
    for (at, region) in regions() {
        let first = firsts.entry(region.device).or_insert(at);
        if all[*first].had > region.had {
            *first = at;
        }
    }
    for (at, region) in regions() {
        if firsts[&region.device] != at {
            others.entry(region.place).or_default().push(region.running().0);
        }
    }
    for times in others.values_mut() {
        times.sort_unstable();
    }
    for &at in firsts.values() {
        if let Some(times) = others.get(&all[at].place) {
            needs[at].ran = needs[at].ran.min(times[times.len() / 2]);
        }
    }
    needs
}

/// Of what lies between the preparation of a construct and its end, except its region, each side
/// takes the same: it sends one message and receives one. The least quarter is taken, because a
/// process without a processor, or a device that starts, makes times longer, and nothing shorter.
/// The same holds for each byte of the constructs that mostly move data in one direction. If
/// threads of the host moved data at the same time, this is their time together.
/// Copies between devices pass by it. Returns also what messages take in all.
fn costs(all: &[DeviceInfo]) -> (Costs, u64) {
    let bytes = |construct: &DeviceInfo| construct.bytes_to.saturating_add(construct.bytes_from);
    let sending = || all.iter().filter(|construct| sends(construct) && construct.other.is_none());
    let prepared = sending().map(|construct| (construct.sent - construct.had).0);
    let small = sending().filter(|construct| bytes(construct) <= SMALL_BYTES);
    let exchange = quartile(small.map(|construct| construct.moving().0).collect());
    let is_large = |construct: &DeviceInfo| bytes(construct) >= LARGE_BYTES;
    let alone = share_alone(sending().filter(|construct| is_large(construct)));
    let byte = |is_to: bool| {
        let large = sending().filter(|construct| {
            bytes(construct) >= LARGE_BYTES && (construct.bytes_to >= construct.bytes_from) == is_to
        });
        let rate = |construct: &DeviceInfo| {
            let (took, moved) = (construct.moving().0.saturating_sub(exchange), bytes(construct));
            (took as f64 / moved as f64, moved)
        };
        quartile_of_bytes(large.map(rate).collect()).map(|rate| rate * alone)
    };
    let (to, from) = (byte(true), byte(false));
    let costs = Costs {
        prepare: quartile(prepared.collect()),
        send: exchange / 4,
        receive: exchange / 4,
        byte_to: to.or(from).unwrap_or(0.0),
        byte_from: from.or(to).unwrap_or(0.0),
        there: exchange - 2 * (exchange / 4),
    };
    (costs, exchange)
}

/// The time in which any of them moved data, as a part of the sum of their times.
fn share_alone<'a>(all: impl Iterator<Item = &'a DeviceInfo>) -> f64 {
    let mut moves: Vec<_> = all.flat_map(DeviceInfo::moves).collect();
    moves.sort_unstable();
    let (mut sum, mut any, mut until) = (0u64, 0u64, Ticks::ZERO);
    for (begin, end) in moves {
        sum = sum.saturating_add((end - begin).0);
        any = any.saturating_add((end - begin.max(until)).0);
        until = until.max(end);
    }
    if sum > 0 {
        any as f64 / sum as f64
    } else {
        1.0
    }
}

/// A quarter of all are not longer. None: 0.
fn quartile(mut all: Vec<u64>) -> u64 {
    if all.is_empty() {
        return 0;
    }
    let at = (all.len() - 1) / 4;
    *all.select_nth_unstable(at).1
}

/// A quarter of the bytes did not take longer. `all`: for each construct, what a byte took, and how
/// many there are.
fn quartile_of_bytes(mut all: Vec<(f64, u64)>) -> Option<f64> {
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let quarter = all.iter().map(|&(_, bytes)| bytes).fold(0, u64::saturating_add) / 4;
    let mut sum = 0u64;
    let reaches = |&&(_, bytes): &&(f64, u64)| {
        sum = sum.saturating_add(bytes);
        sum >= quarter
    };
    all.iter().find(reaches).map(|&(rate, _)| rate)
}

fn in_fragments(profile: &Profile) -> HashMap<u32, InFragment> {
    let (grains, fragments) = (&profile.grains, &profile.fragments);
    let mut of_worker: HashMap<u16, Vec<u32>> = HashMap::new();
    for (at, construct) in (0..).zip(&profile.device_constructs) {
        let is_one = construct.task.is_some() && !construct.is_sender(&profile.device_constructs);
        if !construct.is_deferred && is_one {
            of_worker.entry(construct.worker).or_default().push(at);
        }
    }
    if of_worker.is_empty() {
        return HashMap::new();
    }
    let of = |at: u32| &profile.device_constructs[at as usize];
    for constructs in of_worker.values_mut() {
        constructs.sort_unstable_by_key(|&at| (of(at).ready, at));
    }
    let mut found = HashMap::new();
    for (row, &grain) in (0..).zip(&fragments.grain) {
        let worker = grains.worker[grain];
        let Some(constructs) = of_worker.get(&worker) else { continue };
        let (begin, end) = (fragments.start(row), fragments.end(row));
        let first = constructs.partition_point(|&at| of(at).ready < begin);
        let within = constructs[first..].iter().copied().take_while(|&at| of(at).ended <= end);
        let mut inside = InFragment::default();
        let mut since = begin;
        let of_grain = within.filter(|&at| of(at).task == grains.task_of(grain));
        for at in of_grain {
            inside.parts.push((worked(profile, worker, since, of(at).ready), at));
            since = of(at).ended;
        }
        if !inside.parts.is_empty() {
            inside.after = worked(profile, worker, since, end);
            found.insert(row, inside);
        }
    }
    found
}

/// Between two instants, without the time in which the thread could not go on for want of a
/// processor.
fn worked(profile: &Profile, worker: u16, begin: Ticks, end: Ticks) -> Spent {
    let (mut preempted, mut slept) = (Ticks::ZERO, Ticks::ZERO);
    if let Some(switches) = profile.switches.get(usize::from(worker)) {
        for off in switches.between(begin, end) {
            *if off.preempted { &mut preempted } else { &mut slept } += off.within(begin, end);
        }
    }
    Spent { work: (end - begin - preempted - slept).0, slept: slept.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::tests::construct;

    #[test]
    fn the_least_quarter_counts() {
        assert_eq!([vec![], vec![7], vec![9, 3, 5, 4]].map(quartile), [0, 7, 3]);
        assert_eq!(quartile((1..=100).rev().collect()), 25);
    }

    fn with_data(bytes_to: u64, times: [u64; 6]) -> DeviceInfo {
        DeviceInfo { bytes_to, ..construct(0, times) }
    }

    #[test]
    fn the_first_region_of_a_device_counts_as_the_others() {
        let ran = |device, had, ran| construct(device, [0, had, had, had, had + ran, had + ran]);
        let all = [ran(0, 20, 6), ran(0, 10, 900), ran(0, 30, 8), ran(1, 5, 3), ran(1, 40, 7)];
        assert_eq!(needs(&all, 0).iter().map(|need| need.ran).collect::<Vec<_>>(), [6, 7, 8, 3, 7]);
        assert_eq!(needs(&all[1..2], 0)[0].ran, 900);
    }

    #[test]
    fn bytes_take_the_time_of_the_least_quarter() {
        assert_eq!(quartile_of_bytes(Vec::new()), None);
        let all = vec![(9.0, 1_000), (2.0, 300), (1.0, 200), (4.0, 500)];
        assert_eq!(quartile_of_bytes(all), Some(2.0), "of 2,000 bytes, 500 took no longer");
        // Two of three had no processor for a time.
        let moved =
            |from, took| with_data(131_072, [from, from, from, from + took, from + took, from + took]);
        let all = [moved(0, 900_000), moved(1_000_000, 131_072), moved(2_000_000, 400_000)];
        assert_eq!(costs(&all).0.byte_to, 1.0);
    }

    #[test]
    fn costs_are_those_of_messages_and_of_bytes() {
        // 3 to prepare, 8 for messages; then 131072 bytes in 8 + 65536; and a device that starts.
        let all = [
            with_data(100, [0, 0, 3, 8, 100, 103]),
            with_data(131_072, [0, 0, 3, 3 + 65_540, 70_000, 70_004]),
            construct(0, [0, 0, 50_000, 60_000, 60_010, 60_020]),
            construct(0, [0, 10, 10, 10, 10, 10]), // sends nothing
        ];
        let expected = Costs { prepare: 3, send: 2, receive: 2, byte_to: 0.5, byte_from: 0.5, there: 4 };
        assert_eq!(costs(&all), (expected, 8));
        let beside = DeviceInfo { device: 1, ..all[1] };
        assert_eq!(costs(&[&all[..], &[beside]].concat()).0.byte_to, 0.25);
        let copy = DeviceInfo { other: Some(0), ..with_data(1 << 20, [0, 0, 3, 9, 100, 103]) };
        assert_eq!(costs(&[&all[..], &[copy]].concat()), (expected, 8));
    }
}
