// SPDX-License-Identifier: Apache-2.0
//! A modelled cluster: a host and its devices, as servers with queues in virtual time.
//!
//! Each construct waits for its device, which carries out one construct at a time. It is then sent
//! by the host, crosses the host's link, and runs; its answer crosses the link, and the host
//! receives it. The host is one server for all that it sends and receives. Its link has two
//! directions, which are one server each. Whoever comes first is served first; of those that come
//! at the same instant, the one that was submitted first. The host feeds its link while it sends,
//! and empties it while it receives, so a message takes as long as the slower of both.
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
}

/// What the host and a device take for each construct, in ticks.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Costs {
    /// The host, to prepare a construct and to send it, and to receive the answer.
    pub prepare: u64,
    pub send: u64,
    pub receive: u64,
    /// The host for each byte that it sends or receives.
    pub byte_to: f64,
    pub byte_from: f64,
    /// The device, besides what the region takes.
    pub there: u64,
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
    /// The device of each construct that has been submitted.
    chosen: Vec<u32>,
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
            chosen: vec![0; needs.len()],
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
        let device = self.choose(&self.needs[construct as usize]);
        self.chosen[construct as usize] = device;
        if self.is_unlimited {
            return self.happens(now, Step::Send, construct);
        }
        self.count(device, true);
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
                self.happens(begin + self.link.latency, Step::Receive(end + self.link.latency), construct);
            }
            Step::Receive(all_there) => {
                let took = self.costs.receive + of_bytes(need.bytes_from, self.costs.byte_from);
                let received = self.host(now, took);
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
        let fixed = self.costs.prepare + self.costs.send;
        let data = of_bytes(need.bytes_to, self.costs.byte_to);
        let sent = self.host(now, fixed + data);
        let (_, crossed) = self.crosses(sent - data, need.bytes_to, true);
        self.usage.ran += need.ran;
        let begins = sent.max(crossed) + self.link.latency;
        self.happens(begins + self.costs.there + need.ran, Step::Answer, construct);
    }

    fn leave(&mut self, now: u64, construct: u32) {
        if self.is_unlimited {
            return;
        }
        let device = self.chosen[construct as usize];
        self.count(device, false);
        let at = &mut self.devices[device as usize];
        at.is_busy = false;
        at.held += now - at.since;
        self.usage.held += now - at.since;
        self.usage.held_most = self.usage.held_most.max(at.held);
        self.start_next(now, device);
    }

    fn start_next(&mut self, now: u64, device: u32) {
        let at = &mut self.devices[device as usize];
        if let Some(construct) = at.queue.pop_front() {
            at.is_busy = true;
            at.since = now;
            self.happens(now, Step::Send, construct);
        }
    }

    fn happens(&mut self, at: u64, step: Step, construct: u32) {
        self.submitted += 1;
        self.events.push(Reverse((at, self.submitted, step, construct)));
    }

    /// Returns when the host has done it.
    fn host(&mut self, now: u64, took: u64) -> u64 {
        self.usage.host += took;
        let begin = if self.is_unlimited { now } else { now.max(self.host_free) };
        self.host_free = begin + took;
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
        *used += took;
        let begin = if self.is_unlimited { now } else { now.max(*free) };
        *free = begin + took;
        (begin, *free)
    }

    fn choose(&mut self, need: &Need) -> u32 {
        let devices = self.devices.len() as u32;
        match self.place {
            Place::RoundRobin if need.is_region => {
                self.next_in_turn += 1;
                (self.next_in_turn - 1) % devices
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
    (bytes as f64 * each) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs { prepare: 3, send: 2, receive: 4, byte_to: 0.5, byte_from: 0.5, there: 6 };

    fn region(device: u32, bytes_to: u64, bytes_from: u64, ran: u64) -> Need {
        Need { device, is_region: true, sends: true, bytes_to, bytes_from, ran }
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

    #[test]
    fn regions_are_placed_and_data_stay() {
        let data = Need { is_region: false, ..region(5, 8, 0, 0) };
        let needs = [data, region(5, 0, 0, 50), data, region(5, 0, 0, 5), region(5, 0, 0, 5)];
        let placed = |place| {
            let mut cluster = Cluster::new(&needs, Costs::default(), Link::default(), place, 3);
            for construct in 0..needs.len() as u32 {
                cluster.submit(0, construct);
            }
            cluster.chosen
        };
        assert_eq!(placed(Place::Program), [2; 5]);
        assert_eq!(placed(Place::RoundRobin), [2, 0, 2, 1, 2]);
        assert_eq!(placed(Place::LeastLoaded), [2, 0, 2, 1, 0]);
    }
}
