// SPDX-License-Identifier: Apache-2.0
//! What the constructs on devices did, as their host has recorded it: how much they moved, and what
//! else went on meanwhile.
//!
//! A device carries out one construct at a time. It moves data and messages, or a region runs on
//! it, or it has nothing to do. A copy between two devices is one movement. A movement is *exposed*
//! while no other device moves or runs anything, and no task of the host runs the program's code.
//! The host's threads do not run such code while they wait for their constructs.

use std::collections::{BTreeMap, HashSet};

use trace::DeviceConstruct;

use crate::row::none_last;
use crate::tables::DeviceInfo;
use crate::ticks::Ticks;
use crate::{PlaceRow, Profile};

/// The kind of a construct, in the words of reports and tables.
pub fn name_of_construct(construct: DeviceConstruct) -> &'static str {
    match construct {
        DeviceConstruct::Unknown => "unknown",
        DeviceConstruct::Target => "target",
        DeviceConstruct::Data => "target data",
        DeviceConstruct::EndData => "end of target data",
        DeviceConstruct::EnterData => "enter data",
        DeviceConstruct::ExitData => "exit data",
        DeviceConstruct::Update => "update",
        DeviceConstruct::Routine => "memory routine",
    }
}

/// Sums over constructs. The times follow one another in each construct.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Sums {
    pub constructs: u64,
    pub bytes_to: u64,
    pub bytes_from: u64,
    /// Until no other construct had the device.
    pub waited: Ticks,
    /// Until sending began; at its first use the device starts in it.
    pub prepared: Ticks,
    /// Data and messages were under way.
    pub moving: Ticks,
    /// Regions ran.
    pub running: Ticks,
    /// The exposed part of `moving`.
    pub exposed: Ticks,
    /// The part of that in which a thread of the program waited for the construct.
    pub exposed_to_wait: Ticks,
}

/// A line of the program, and what stands there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Site {
    pub place: Option<PlaceRow>,
    pub construct: DeviceConstruct,
}

pub struct OfDevice {
    pub device: u32,
    pub all: Sums,
    /// By falling time.
    pub sites: Vec<(Site, Sums)>,
}

pub struct Devices {
    /// All of the run, also those that were not used.
    pub devices: Vec<OfDevice>,
    /// While no device moved anything: how long something else ran beside which one could have, a
    /// region on a device if there are several, or a task of the host.
    pub could_cover: Ticks,
}

/// More devices than this come from a damaged recording.
const MOST_DEVICES: u32 = 1 << 16;

impl Devices {
    /// `None`: the process is no host of devices.
    pub fn of(profile: &Profile) -> Option<Self> {
        let constructs = &profile.device_constructs;
        let is_device = profile.meta.device.is_some();
        let of_run = profile.meta.devices.filter(|_| !is_device).unwrap_or(0).min(MOST_DEVICES);
        let used: HashSet<u32> = constructs.iter().map(|construct| construct.device).collect();
        if of_run == 0 && used.is_empty() {
            return None;
        }
        let swept = sweep(constructs, &host_work(profile), used.len() > 1);
        let mut rows: BTreeMap<u32, BTreeMap<_, (Site, Sums)>> = BTreeMap::new();
        for device in 0..of_run {
            rows.entry(device).or_default();
        }
        for (construct, exposed) in constructs.iter().zip(swept.exposed) {
            let site = Site { place: construct.place, construct: construct.construct };
            let sites = rows.entry(construct.device).or_default();
            let key = (none_last(site.place), site.construct);
            let (_, sums) = sites.entry(key).or_insert((site, Sums::default()));
            sums.add(&Sums::of(construct, exposed));
        }
        let devices =
            rows.into_iter().map(|(device, sites)| OfDevice::new(device, sites.into_values().collect()));
        Some(Self { devices: devices.collect(), could_cover: swept.could_cover })
    }

    pub fn all(&self) -> Sums {
        let mut all = Sums::default();
        for device in &self.devices {
            all.add(&device.all);
        }
        all
    }

    /// Over all devices, by falling time.
    pub fn sites(&self) -> Vec<(Site, Sums)> {
        let mut rows: BTreeMap<_, (Site, Sums)> = BTreeMap::new();
        for (site, sums) in self.devices.iter().flat_map(|device| &device.sites) {
            let key = (none_last(site.place), site.construct);
            rows.entry(key).or_insert((*site, Sums::default())).1.add(sums);
        }
        let mut rows: Vec<_> = rows.into_values().collect();
        sort(&mut rows);
        rows
    }
}

impl OfDevice {
    fn new(device: u32, mut sites: Vec<(Site, Sums)>) -> Self {
        let mut all = Sums::default();
        for (_, sums) in &sites {
            all.add(sums);
        }
        sort(&mut sites);
        Self { device, all, sites }
    }
}

fn sort(sites: &mut [(Site, Sums)]) {
    sites.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.busy()));
}

impl Sums {
    fn of(construct: &DeviceInfo, exposed: Ticks) -> Self {
        Self {
            constructs: 1,
            bytes_to: construct.bytes_to,
            bytes_from: construct.bytes_from,
            waited: construct.had - construct.ready,
            prepared: construct.sent - construct.had,
            moving: construct.moving(),
            running: construct.running(),
            exposed,
            exposed_to_wait: if construct.is_deferred { Ticks::ZERO } else { exposed },
        }
    }

    fn add(&mut self, more: &Self) {
        self.constructs += more.constructs;
        self.bytes_to = self.bytes_to.saturating_add(more.bytes_to);
        self.bytes_from = self.bytes_from.saturating_add(more.bytes_from);
        self.waited += more.waited;
        self.prepared += more.prepared;
        self.moving += more.moving;
        self.running += more.running;
        self.exposed += more.exposed;
        self.exposed_to_wait += more.exposed_to_wait;
    }

    /// The device was in use.
    pub fn busy(&self) -> Ticks {
        self.moving + self.running
    }
}

/// What changes at an instant. In this order, so that what ends at an instant ends before what
/// begins there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    HostStops,
    Moved,
    Ran,
    HostWorks,
    Moves,
    Runs,
}

#[derive(Default)]
struct Swept {
    /// For each construct.
    exposed: Vec<Ticks>,
    could_cover: Ticks,
}

/// `host`: when tasks of the host ran the program's code.
fn sweep(constructs: &[DeviceInfo], host: &[(Ticks, Ticks)], several: bool) -> Swept {
    let mut changes: Vec<(Ticks, Change, usize)> = Vec::new();
    let mut add = |(begin, end): (Ticks, Ticks), begins, ends, at| {
        if begin < end {
            changes.extend([(begin, begins, at), (end, ends, at)]);
        }
    };
    for &work in host {
        add(work, Change::HostWorks, Change::HostStops, 0);
    }
    // Two devices that copy do one thing, which the row of the receiver stands for.
    let one = constructs.iter().enumerate().filter(|(_, construct)| !construct.is_sender(constructs));
    for (at, construct) in one {
        for moves in construct.moves() {
            add(moves, Change::Moves, Change::Moved, at);
        }
        add((construct.began, construct.finished), Change::Runs, Change::Ran, at);
    }
    changes.sort_unstable();
    let mut swept = Swept { exposed: vec![Ticks::ZERO; constructs.len()], ..Swept::default() };
    let (mut working, mut running, mut moving) = (0u32, 0u32, Vec::new());
    let mut since = Ticks::ZERO;
    for (at, change, construct) in changes {
        let passed = at - since;
        match moving[..] {
            [alone] if working == 0 && running == 0 => swept.exposed[alone] += passed,
            [] if working > 0 || running > 0 && several => swept.could_cover += passed,
            _ => {}
        }
        since = at;
        match change {
            Change::HostWorks => working += 1,
            Change::HostStops => working -= 1,
            Change::Runs => running += 1,
            Change::Ran => running -= 1,
            Change::Moves => moving.push(construct),
            Change::Moved => {
                if let Some(place) = moving.iter().position(|&other| other == construct) {
                    moving.swap_remove(place);
                }
            }
        }
    }
    swept
}

/// The threads of a host that wait for devices, and when.
#[derive(Default)]
pub(crate) struct WaitingThreads {
    /// By worker, in order.
    waits: BTreeMap<u16, Vec<(Ticks, Ticks)>>,
}

impl WaitingThreads {
    pub fn of(profile: &Profile) -> Self {
        let mut this = Self::default();
        for construct in profile.device_constructs.iter().filter(|construct| !construct.is_deferred) {
            let waits = this.waits.entry(construct.worker).or_default();
            waits.push((construct.ready, construct.ended));
        }
        for waits in this.waits.values_mut() {
            waits.sort_unstable();
        }
        this
    }

    fn waits(&self, profile: &Profile, row: u32) -> &[(Ticks, Ticks)] {
        let worker = profile.grains.worker[profile.fragments.grain[row as usize]];
        self.waits.get(&worker).map_or(&[], Vec::as_slice)
    }

    /// How much of what the thread slept in a fragment was for devices. Where the kernel has not
    /// told when it slept, all sleep is first of all for these.
    pub fn slept_in(&self, profile: &Profile, row: u32) -> Ticks {
        let fragments = &profile.fragments;
        let slept = fragments.slept(row);
        if slept == Ticks::ZERO {
            return slept;
        }
        let (begin, end) = (fragments.start(row), fragments.end(row));
        let waits = self.waits(profile, row);
        let first = waits.partition_point(|&(_, until)| until <= begin);
        let within = waits[first..].iter().take_while(|&&(since, _)| since < end);
        let within: Vec<_> = within.map(|&(since, until)| (since.max(begin), until.min(end))).collect();
        let worker = usize::from(profile.grains.worker[fragments.grain[row as usize]]);
        let told = |&(since, until): &(Ticks, Ticks)| -> Ticks {
            let Some(switches) = profile.switches.get(worker) else { return Ticks::ZERO };
            let offs = switches.between(since, until).iter().filter(|off| !off.preempted);
            offs.map(|off| off.within(since, until)).sum()
        };
        let told: Ticks = within.iter().map(told).sum();
        let waited: Ticks = within.iter().map(|&(since, until)| until - since).sum();
        slept.min(if told > Ticks::ZERO { told } else { waited })
    }

    /// ... in all fragments.
    pub fn slept(&self, profile: &Profile) -> Ticks {
        if self.waits.is_empty() {
            return Ticks::ZERO;
        }
        (0..profile.fragments.len() as u32).map(|row| self.slept_in(profile, row)).sum()
    }
}

/// When tasks ran the program's code.
fn host_work(profile: &Profile) -> Vec<(Ticks, Ticks)> {
    let threads = WaitingThreads::of(profile);
    let fragments = &profile.fragments;
    let mut work = Vec::new();
    for row in 0..fragments.len() as u32 {
        let whole = (fragments.start(row), fragments.end(row));
        without(whole, threads.waits(profile, row), &mut work);
    }
    work
}

/// What of the stretch lies between the waits, which are in order and do not overlap.
fn without((begin, end): (Ticks, Ticks), waits: &[(Ticks, Ticks)], out: &mut Vec<(Ticks, Ticks)>) {
    let first = waits.partition_point(|&(_, until)| until <= begin);
    let mut from = begin;
    for &(since, until) in waits[first..].iter().take_while(|&&(since, _)| since < end) {
        if from < since {
            out.push((from, since));
        }
        from = from.max(until);
    }
    if from < end {
        out.push((from, end));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A region without data. The times are in the order of the fields.
    pub(crate) fn construct(device: u32, times: [u64; 6]) -> DeviceInfo {
        let [ready, had, sent, began, finished, ended] = times.map(Ticks);
        DeviceInfo {
            task: None,
            place: None,
            device,
            worker: 0,
            construct: DeviceConstruct::Target,
            is_deferred: false,
            other: None,
            bytes_to: 0,
            bytes_from: 0,
            ready,
            had,
            sent,
            began,
            finished,
            ended,
        }
    }

    #[test]
    fn a_movement_alone_is_exposed() {
        let first = construct(0, [0, 0, 10, 20, 50, 60]);
        let swept = sweep(&[first], &[], false);
        assert_eq!((swept.exposed, swept.could_cover), (vec![Ticks(20)], Ticks::ZERO));
        let swept = sweep(&[first], &[(Ticks(5), Ticks(15)), (Ticks(40), Ticks(45))], false);
        assert_eq!((swept.exposed, swept.could_cover), (vec![Ticks(15)], Ticks(10)));
    }

    #[test]
    fn a_movement_beside_another_device_is_not() {
        let both = [construct(0, [0, 0, 10, 20, 50, 60]), construct(1, [0, 0, 15, 30, 40, 55])];
        let swept = sweep(&both, &[], true);
        // 10 to 15 and 55 to 60; of the other, none: the first moves until 20, and then runs.
        assert_eq!((swept.exposed, swept.could_cover), (vec![Ticks(10), Ticks(0)], Ticks(10)));
        let after = [construct(0, [0, 0, 10, 20, 50, 60]), construct(1, [60, 60, 60, 70, 80, 90])];
        let swept = sweep(&after, &[], true);
        assert_eq!((swept.exposed, swept.could_cover), (vec![Ticks(20), Ticks(20)], Ticks(40)));
    }

    /// A copy between two devices counts as one movement.
    #[test]
    fn a_copy_between_devices_may_be_alone() {
        let copy = |device, bytes_to, other| DeviceInfo {
            bytes_to,
            other: Some(other),
            construct: DeviceConstruct::Routine,
            ..construct(device, [0, 0, 10, 30, 30, 50])
        };
        let swept = sweep(&[copy(0, 0, 1), copy(1, 100, 0)], &[(Ticks(0), Ticks(15))], true);
        assert_eq!((swept.exposed, swept.could_cover), (vec![Ticks(0), Ticks(35)], Ticks(10)));
    }

    #[test]
    fn stretches_are_cut_at_waits() {
        let mut out = Vec::new();
        let waits = [(Ticks(0), Ticks(5)), (Ticks(10), Ticks(20)), (Ticks(30), Ticks(40))];
        without((Ticks(2), Ticks(35)), &waits, &mut out);
        assert_eq!(out, [(Ticks(5), Ticks(10)), (Ticks(20), Ticks(30))]);
        out.clear();
        without((Ticks(41), Ticks(50)), &waits, &mut out);
        assert_eq!(out, [(Ticks(41), Ticks(50))]);
    }
}
