// SPDX-License-Identifier: Apache-2.0
//! A modelled cluster: a host and its devices, as servers with queues in virtual time.
//!
//! Each construct waits for its device, which carries out one construct at a time. It is then sent
//! by the host, crosses the host's link, and runs; its answer crosses the link, and the host
//! receives it. The host is one server for all that it sends and receives. Its link has two
//! directions, which are one server each. Whoever comes first is served first; of those that come
//! at the same instant, the one that was submitted first. The host feeds its link while it sends,
//! and empties it while it receives, so a message takes as long as the slower of both. A copy
//! between two devices has both at a time, that with the lower number first, and takes as long as
//! recorded or, if that is longer, as the network needs.
//!
//! The cluster owns its queues and its clock of events; `on_devices` submits constructs and learns
//! which are over.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// What a construct asks of the cluster, in ticks and bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Need {
    /// In the recording.
    pub device: u32,
    pub is_region: bool,
    /// There is a message to the device, and an answer.
    pub sends: bool,
    pub bytes_to: u64,
    pub bytes_from: u64,
    pub ran: u64,
    /// Of a copy between two devices: the other one, and how long the copy took in the recording,
    /// besides the messages. `bytes_to` go from one device to the other.
    pub other: Option<(u32, u64)>,
}

/// What the host and a device take for each construct, in ticks.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Costs {
    /// The host, to prepare a construct and to send it, and to receive the answer.
    pub prepare: u64,
    pub send: u64,
    pub receive: u64,
    /// The host for each byte that it sends or receives, for constructs that send more than they
    /// receive, and for the others.
    pub byte_to: f64,
    pub byte_from: f64,
    /// The device, besides what the region takes.
    pub there: u64,
}

impl Costs {
    fn byte(&self, need: Need) -> f64 {
        if need.bytes_to >= need.bytes_from {
            self.byte_to
        } else {
            self.byte_from
        }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Link {
    pub latency: u64,
    /// For each byte.
    pub byte: f64,
}

/// On which device a construct runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The recorded one, modulo the number of devices.
    Program,
    /// Regions: on the devices in turn, as they become ready. Others: as with `Program`.
    RoundRobin,
    /// Regions: on the device with the fewest constructs that are not over. Others: as with
    /// `Program`.
    LeastLoaded,
}

/// How long each server was busy, and when.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Usage {
    pub host: u64,
    pub out: u64,
    pub back: u64,
    /// For all devices together, and the one that was in use for the longest time.
    pub held: u64,
    pub held_most: u64,
    pub ran: u64,
    /// When the first construct was submitted and the last one was over.
    pub first: Option<u64>,
    pub last: u64,
}

#[derive(Default)]
struct Device {
    queue: VecDeque<u32>,
    is_busy: bool,
    unfinished: u32,
    since: u64,
    held: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Send,
    Answer,
    /// The link has the rest of the answer until then.
    Receive(u64),
    Over,
}

/// Later than anything: times stop here, where they still have room to be added.
pub(super) const FAR: u64 = 1 << 62;

fn later(at: u64, by: u64) -> u64 {
    at.saturating_add(by).min(FAR)
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

pub(super) struct Cluster<'a> {
    needs: &'a [Need],
    costs: Costs,
    link: Link,
    place: Place,
    /// There is a device for each construct, and no server makes anybody wait.
    is_unlimited: bool,
    devices: Vec<Device>,
    /// By load and number, with [`Place::LeastLoaded`].
    by_load: BTreeSet<(u32, u32)>,
    next_in_turn: u32,
    /// The devices of each construct that has been submitted: a second one of copies between two.
    chosen: Vec<(u32, Option<u32>)>,
    events: BinaryHeap<Reverse<(u64, u64, Step, u32)>>,
    submitted: u64,
    host_free: u64,
    out_free: u64,
    back_free: u64,
    pub usage: Usage,
}

impl<'a> Cluster<'a> {
    pub fn new(needs: &'a [Need], costs: Costs, link: Link, place: Place, devices: u32) -> Self {
        let devices = devices.max(1);
        let by_load = match place {
            Place::LeastLoaded => (0..devices).map(|device| (0, device)).collect(),
            _ => BTreeSet::new(),
        };
        Self {
            needs,
            costs,
            link,
            place,
            is_unlimited: false,
            devices: (0..devices).map(|_| Device::default()).collect(),
            by_load,
            next_in_turn: 0,
            chosen: vec![(0, None); needs.len()],
            events: BinaryHeap::new(),
            submitted: 0,
            host_free: 0,
            out_free: 0,
            back_free: 0,
            usage: Usage::default(),
        }
    }

    /// No construct waits for another, except where the program says so.
    pub fn unlimited(needs: &'a [Need], costs: Costs, link: Link) -> Self {
        Self { is_unlimited: true, ..Self::new(needs, costs, link, Place::Program, 1) }
    }

    /// The construct is ready at `now`, which never decreases.
    pub fn submit(&mut self, now: u64, construct: u32) {
        self.usage.first.get_or_insert(now);
        let need = &self.needs[construct as usize];
        let (mut device, mut second) = (self.choose(need), None);
        if let Some((other, _)) = need.other {
            let other = other % self.devices.len() as u32;
            second = Some(other.max(device)).filter(|_| other != device);
            device = device.min(other);
        }
        self.chosen[construct as usize] = (device, second);
        if self.is_unlimited {
            return self.happens(now, Step::Send, construct);
        }
        self.count(device, true);
        if let Some(second) = second {
            self.count(second, true);
        }
        self.wait_for(now, device, construct);
    }

    fn wait_for(&mut self, now: u64, device: u32, construct: u32) {
        let at = &mut self.devices[device as usize];
        at.queue.push_back(construct);
        if !at.is_busy {
            self.start_next(now, device);
        }
    }

    pub fn next_at(&self) -> Option<u64> {
        self.events.peek().map(|event| event.0 .0)
    }

    /// The next event. Returns the construct that is over by it.
    pub fn step(&mut self) -> Option<u32> {
        let Reverse((now, _, step, construct)) = self.events.pop()?;
        let need = self.needs[construct as usize];
        match step {
            Step::Send => self.send(now, need, construct),
            Step::Answer => {
                let (begin, end) = self.crosses(now, need.bytes_from, false);
                let all_there = later(end, self.link.latency);
                self.happens(later(begin, self.link.latency), Step::Receive(all_there), construct);
            }
            Step::Receive(all_there) => {
                let received = self.host(now, self.receives(need));
                self.happens(received.max(all_there), Step::Over, construct);
            }
            Step::Over => {
                self.usage.last = self.usage.last.max(now);
                self.leave(now, construct);
                return Some(construct);
            }
        }
        None
    }

    fn send(&mut self, now: u64, need: Need, construct: u32) {
        if !need.sends {
            let done = self.host(now, self.costs.prepare);
            return self.happens(done, Step::Over, construct);
        }
        let (fixed, data) = self.sends(need);
        let sent = self.host(now, later(fixed, data));
        let through_host = if need.other.is_some() { 0 } else { need.bytes_to };
        let (_, crossed) = self.crosses(sent.saturating_sub(data), through_host, true);
        add(&mut self.usage.ran, need.ran);
        let begins = later(sent.max(crossed), self.link.latency);
        self.happens(later(begins, self.runs(need)), Step::Answer, construct);
    }

    /// What the host takes before the first byte is sent, and for the bytes.
    fn sends(&self, need: Need) -> (u64, u64) {
        let fixed = later(self.costs.prepare, self.costs.send);
        let data = if need.other.is_some() { 0 } else { of_bytes(need.bytes_to, self.costs.byte(need)) };
        (fixed, data)
    }

    fn runs(&self, need: Need) -> u64 {
        let copied = need.other.map_or(0, |(_, recorded)| {
            recorded.max(later(self.link.latency, of_bytes(need.bytes_to, self.link.byte)))
        });
        later(self.costs.there, later(need.ran, copied))
    }

    fn receives(&self, need: Need) -> u64 {
        later(self.costs.receive, of_bytes(need.bytes_from, self.costs.byte(need)))
    }

    /// How long a construct takes if it waits for nothing.
    pub fn alone(&self, construct: u32) -> u64 {
        let need = self.needs[construct as usize];
        if !need.sends {
            return self.costs.prepare;
        }
        let (fixed, data) = self.sends(need);
        let crosses = |bytes| of_bytes(bytes, self.link.byte);
        let through_host = if need.other.is_some() { 0 } else { need.bytes_to };
        let steps = [
            fixed,
            data.max(crosses(through_host)),
            self.link.latency,
            self.runs(need),
            self.link.latency,
            self.receives(need).max(crosses(need.bytes_from)),
        ];
        steps.into_iter().fold(0, later)
    }

    fn leave(&mut self, now: u64, construct: u32) {
        if self.is_unlimited {
            return;
        }
        let (device, second) = self.chosen[construct as usize];
        for device in [Some(device), second].into_iter().flatten() {
            self.count(device, false);
            let at = &mut self.devices[device as usize];
            at.is_busy = false;
            let held = now - at.since;
            add(&mut at.held, held);
            add(&mut self.usage.held, held);
            self.usage.held_most = self.usage.held_most.max(at.held);
            self.start_next(now, device);
        }
    }

    fn start_next(&mut self, now: u64, device: u32) {
        let at = &mut self.devices[device as usize];
        let Some(construct) = at.queue.pop_front() else { return };
        at.is_busy = true;
        at.since = now;
        match self.chosen[construct as usize].1 {
            Some(second) if second != device => self.wait_for(now, second, construct),
            _ => self.happens(now, Step::Send, construct),
        }
    }

    fn happens(&mut self, at: u64, step: Step, construct: u32) {
        self.submitted += 1;
        self.events.push(Reverse((at.min(FAR), self.submitted, step, construct)));
    }

    /// Returns when the host has done it.
    fn host(&mut self, now: u64, took: u64) -> u64 {
        add(&mut self.usage.host, took);
        let begin = if self.is_unlimited { now } else { now.max(self.host_free) };
        self.host_free = later(begin, took);
        self.host_free
    }

    /// When the bytes begin to enter the link, and when all have.
    fn crosses(&mut self, now: u64, bytes: u64, is_out: bool) -> (u64, u64) {
        let took = of_bytes(bytes, self.link.byte);
        let (free, used) = if is_out {
            (&mut self.out_free, &mut self.usage.out)
        } else {
            (&mut self.back_free, &mut self.usage.back)
        };
        add(used, took);
        let begin = if self.is_unlimited { now } else { now.max(*free) };
        *free = later(begin, took);
        (begin, *free)
    }

    fn choose(&mut self, need: &Need) -> u32 {
        let devices = self.devices.len() as u32;
        match self.place {
            Place::RoundRobin if need.is_region => {
                let device = self.next_in_turn;
                self.next_in_turn = (device + 1) % devices;
                device
            }
            Place::LeastLoaded if need.is_region => self.by_load.first().map_or(0, |least| least.1),
            _ => need.device % devices,
        }
    }

    fn count(&mut self, device: u32, is_more: bool) {
        let at = &mut self.devices[device as usize];
        let before = at.unfinished;
        at.unfinished = if is_more { before + 1 } else { before - 1 };
        if self.place == Place::LeastLoaded {
            self.by_load.remove(&(before, device));
            self.by_load.insert((at.unfinished, device));
        }
    }
}

fn of_bytes(bytes: u64, each: f64) -> u64 {
    ((bytes as f64 * each) as u64).min(FAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs { prepare: 3, send: 2, receive: 4, byte_to: 0.5, byte_from: 0.5, there: 6 };

    fn region(device: u32, bytes_to: u64, bytes_from: u64, ran: u64) -> Need {
        Need { device, is_region: true, sends: true, bytes_to, bytes_from, ran, other: None }
    }

    /// All are ready at 0. Returns when each is over.
    fn run(mut cluster: Cluster) -> (Vec<u64>, Usage) {
        let mut over = vec![0; cluster.needs.len()];
        for construct in 0..over.len() as u32 {
            cluster.submit(0, construct);
        }
        while let Some(now) = cluster.next_at() {
            if let Some(construct) = cluster.step() {
                over[construct as usize] = now;
            }
        }
        (over, cluster.usage)
    }

    #[test]
    fn one_construct_takes_the_sum_of_its_parts() {
        // The host: 3 + 2, then 10 for 20 bytes. The link is faster: latency 7. 6 + 100 there.
        // The answer of 8 bytes: latency 7, then 4 + 4.
        let needs = [region(0, 20, 8, 100)];
        let link = Link { latency: 7, byte: 0.25 };
        let (over, usage) = run(Cluster::new(&needs, COSTS, link, Place::Program, 1));
        assert_eq!(over, [15 + 7 + 106 + 7 + 8]);
        assert_eq!((usage.host, usage.out, usage.back), (23, 5, 2));
        assert_eq!((usage.ran, usage.held, usage.held_most), (100, 143, 143));
        assert_eq!((usage.first, usage.last), (Some(0), 143));
        // The link is slower: 40 from 5 on, and 16 for the answer.
        let link = Link { latency: 7, byte: 2.0 };
        let (over, _) = run(Cluster::new(&needs, COSTS, link, Place::Program, 1));
        assert_eq!(over, [5 + 40 + 7 + 106 + 16 + 7]);
    }

    /// What sends more than it receives was measured as a whole.
    #[test]
    fn bytes_of_both_directions_take_the_time_of_the_larger_one() {
        let needs = [region(0, 20, 10, 0), region(1, 10, 20, 0)];
        let costs = Costs { byte_to: 1.0, byte_from: 3.0, ..Costs::default() };
        let over = |at| run(Cluster::new(&needs[at..=at], costs, Link::default(), Place::Program, 2)).0[0];
        assert_eq!((over(0), over(1)), (30, 90));
    }

    #[test]
    fn what_sends_nothing_takes_the_host_alone() {
        let needs = [Need { device: 1, ..Need::default() }; 2];
        let (over, usage) = run(Cluster::new(&needs, COSTS, Link::default(), Place::Program, 2));
        assert_eq!((over, usage.host, usage.ran), (vec![3, 6], 6, 0));
    }

    #[test]
    fn a_device_carries_out_one_construct_at_a_time() {
        let needs = [region(0, 0, 0, 100), region(0, 0, 0, 100), region(1, 0, 0, 100)];
        // Each: 5 to send, 106 there, 4 to receive. The third is sent from 5 to 10. The second is
        // sent from 115, when the first is over, to 120; only then the host receives the third.
        let (over, usage) = run(Cluster::new(&needs, COSTS, Link::default(), Place::Program, 2));
        assert_eq!(over, [115, 230, 124]);
        assert_eq!((usage.held, usage.held_most), (115 + 115 + 124, 230));
        let (over, _) = run(Cluster::new(&needs, COSTS, Link::default(), Place::Program, 1));
        assert_eq!(over, [115, 230, 345]);
    }

    #[test]
    fn the_host_is_one_server() {
        let needs: Vec<_> = (0..50).map(|device| region(device, 0, 0, 10)).collect();
        let (over, usage) = run(Cluster::new(&needs, COSTS, Link::default(), Place::Program, 50));
        assert_eq!((usage.host, over.iter().max()), (50 * 9, Some(&450)));
        let (over, _) = run(Cluster::unlimited(&needs, COSTS, Link::default()));
        assert_eq!(over, vec![5 + 16 + 4; 50]);
    }

    #[test]
    fn each_direction_of_the_link_is_one_server() {
        let needs = [region(0, 100, 10, 0), region(1, 100, 10, 0)];
        let costs = Costs::default();
        let (over, usage) =
            run(Cluster::new(&needs, costs, Link { latency: 1, byte: 1.0 }, Place::Program, 2));
        // Out until 100 and 200, back from 101 to 111 and from 201 to 211.
        assert_eq!((over, usage.out, usage.back), (vec![112, 212], 200, 20));
    }

    /// A copy waits for both devices, has both, and leaves the host's link to others.
    #[test]
    fn a_copy_between_devices_has_both() {
        let copy = Need { other: Some((0, 30)), ..region(1, 1_000, 0, 0) };
        let copy = Need { is_region: false, ..copy };
        let needs = [region(1, 0, 0, 100), copy, region(0, 0, 0, 10), region(2, 0, 0, 100)];
        let cluster = |link| Cluster::new(&needs, COSTS, link, Place::Program, 3);
        // The first until 115; the fourth until 10 + 106 + 4, after the host has sent the copy. The
        // copy: 5, 6 there, 30, and 4 for the host; then the third.
        let (over, usage) = run(cluster(Link::default()));
        assert_eq!(over, [115, 120 + 36 + 4, 160 + 5 + 16 + 4, 124]);
        assert_eq!((usage.out, usage.held), (0, 115 + 160 + 45 + 25 + 124));
        let slow = Link { latency: 0, byte: 1.0 };
        let (over, usage) = run(cluster(slow));
        assert_eq!((over[1], usage.out), (120 + 1_006 + 4, 0));
        let alone = Cluster::unlimited(&needs[1..2], COSTS, slow);
        let expected = alone.alone(0);
        assert_eq!(run(alone).0, [expected]);
        // On one device it is a copy within it.
        let (over, _) = run(Cluster::new(&needs[1..2], COSTS, Link::default(), Place::Program, 1));
        assert_eq!(over, [5 + 36 + 4]);
    }

    #[test]
    fn what_takes_too_long_ends_at_the_end_of_time() {
        let needs = [region(0, u64::MAX, u64::MAX, 10), region(0, 1, 1, 10), region(1, 1, 1, 10)];
        for link in [Link { latency: u64::MAX, byte: 0.0 }, Link { latency: 0, byte: f64::INFINITY }] {
            let (over, usage) = run(Cluster::new(&needs, COSTS, link, Place::LeastLoaded, 2));
            assert_eq!((over, usage.last), (vec![FAR; 3], FAR));
        }
    }

    #[test]
    fn regions_are_placed_and_data_stay() {
        let data = Need { is_region: false, ..region(5, 8, 0, 0) };
        let needs = [data, region(5, 0, 0, 50), data, region(5, 0, 0, 5), region(5, 0, 0, 5)];
        let placed = |place| {
            let mut cluster = Cluster::new(&needs, Costs::default(), Link::default(), place, 3);
            for construct in 0..needs.len() as u32 {
                cluster.submit(0, construct);
            }
            cluster.chosen.into_iter().map(|chosen| chosen.0).collect::<Vec<_>>()
        };
        assert_eq!(placed(Place::Program), [2; 5]);
        assert_eq!(placed(Place::RoundRobin), [2, 0, 2, 1, 2]);
        assert_eq!(placed(Place::LeastLoaded), [2, 0, 2, 1, 0]);
    }
}
