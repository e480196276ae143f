// SPDX-License-Identifier: Apache-2.0
//! A program whose constructs run on the devices of a modelled cluster.
//!
//! The machine executes the program. Where a construct comes, it gives the construct to the cluster
//! (`cluster`). A deferred construct is over when the cluster says so; then the tasks that depend
//! on it, and who joins it, may go on. For any other construct, the thread that met it waits, and
//! keeps its worker. The host of the cluster stands for the threads of the runtime that carry out
//! deferred constructs.

use trace::layout::schedule;

use crate::predict::changed::Changed;
use crate::predict::changes::Changes;
use crate::predict::cluster::{Cluster, Costs, Link, Place, Usage};
use crate::predict::constructs::Constructs;
use crate::predict::graph::Graph;
use crate::predict::machine::{Machine, Next};
use crate::predict::offloaded::Offloaded;
use crate::predict::scheduler::Scheduler;
use crate::predict::stealing::Deques;
use crate::predict::strand::Busy;
use crate::predict::stuck::Stuck;
use crate::tables::{GrainRow, LoopRow};
use crate::ticks::Ticks;
use crate::Profile;

/// The network between a host and its devices, and what the host takes for constructs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    pub latency_ns: f64,
    /// Of each direction of the host's link.
    pub bytes_per_s: f64,
    /// For each construct, and bytes per second; `None`: as recorded.
    pub host_ns: Option<f64>,
    pub host_bytes_per_s: Option<f64>,
}

/// The prediction for one number of devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DevicesPoint {
    pub devices: u32,
    pub place: Place,
    /// The whole program, and from the first construct to the end of the last.
    pub time: Ticks,
    pub in_use: Ticks,
    /// How long regions ran, on all devices together.
    pub ran: Ticks,
    /// How long each server was in use: the program's threads (each), the host, both directions of
    /// its link, the devices (each), and the device that was in use for the longest time.
    pub program: Ticks,
    pub host: Ticks,
    pub out: Ticks,
    pub back: Ticks,
    pub held: Ticks,
    pub held_most: Ticks,
    /// What `in_use` would be if no construct waited for a server.
    pub path: Ticks,
}

/// What bounds such a point more than anything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DevicesLimit {
    /// The threads that create the constructs.
    Program,
    /// What the host takes for each construct and its data.
    Host,
    /// The host's link, to the devices and from them.
    LinkOut,
    LinkBack,
    /// Constructs depend on others.
    Path,
    /// All devices are in use: more of them would help.
    Devices,
    /// One of them is.
    OneDevice,
}

/// A server in use for this part of the time leaves nothing to gain elsewhere.
const MOST: f64 = 0.9;

impl DevicesPoint {
    pub fn efficiency(&self) -> f64 {
        let whole = self.in_use.0 as f64 * f64::from(self.devices);
        if whole > 0.0 {
            self.ran.0 as f64 / whole
        } else {
            0.0
        }
    }

    /// The server that is in use for the largest part of the time. Of those that are in use for
    /// nearly all of it, the first of the list counts.
    pub fn limit(&self) -> DevicesLimit {
        use DevicesLimit::{Devices, Host, LinkBack, LinkOut, OneDevice, Path, Program};
        let whole = self.in_use.0.max(1) as f64;
        let shares = [
            (Program, self.program),
            (Host, self.host),
            (LinkOut, self.out),
            (LinkBack, self.back),
            (Path, self.path),
            (Devices, self.held),
            (OneDevice, self.held_most),
        ]
        .map(|(limit, used)| (limit, used.0 as f64 / whole));
        if let Some(full) = shares.iter().find(|share| share.1 >= MOST) {
            return full.0;
        }
        let mut most = shares[0];
        for share in shares {
            if share.1 > most.1 {
                most = share;
            }
        }
        most.0
    }
}

pub struct DevicePredictor<'a> {
    graph: &'a Graph<'a>,
    constructs: &'a Constructs,
}

impl<'a> DevicePredictor<'a> {
    pub(super) fn new(graph: &'a Graph<'a>, constructs: &'a Constructs) -> Self {
        Self { graph, constructs }
    }

    pub fn recorded_devices(&self) -> u32 {
        self.constructs.devices
    }

    /// How long it took in the recording from the first construct to the end of the last.
    pub fn recorded_in_use(&self) -> Ticks {
        let all = &self.graph.profile.device_constructs;
        let first = all.iter().map(|construct| construct.ready).min().unwrap_or_default();
        all.iter().map(|construct| construct.ended).max().unwrap_or_default() - first
    }

    pub fn constructs(&self) -> usize {
        self.constructs.needs.len()
    }

    /// Constructs of tasks that are not recorded: they are left out.
    pub fn strays(&self) -> usize {
        self.constructs.strays
    }

    /// What the host takes for a construct without data, and for each byte that it sends; and what
    /// a device takes besides the region.
    pub fn costs_ns(&self) -> (f64, f64, f64) {
        let costs = self.constructs.costs;
        let ns = |ticks| self.graph.profile.ns(Ticks(ticks));
        let byte = ns(1 << 30) / f64::from(1 << 30) * costs.byte_to;
        (ns(costs.prepare + costs.send + costs.receive), byte, ns(costs.there))
    }

    pub fn point(&self, devices: u32, place: Place, network: &Network) -> Result<DevicesPoint, Stuck> {
        let constructs = self.constructs;
        let (costs, link) = in_ticks(self.graph.profile, constructs, network);
        let cluster = Cluster::new(&constructs.needs, costs, link, place, devices);
        let (time, program, usage) = self.run(cluster)?;
        let (_, _, alone) = self.run(Cluster::unlimited(&constructs.needs, costs, link))?;
        Ok(DevicesPoint {
            devices,
            place,
            time: Ticks(time),
            in_use: Ticks(in_use(&usage)),
            ran: Ticks(usage.ran),
            program: Ticks(program),
            host: Ticks(usage.host),
            out: Ticks(usage.out),
            back: Ticks(usage.back),
            held: Ticks(usage.held / u64::from(devices)),
            held_most: Ticks(usage.held_most),
            path: Ticks(in_use(&alone)),
        })
    }

    /// Returns the time, how long each of the program's threads was busy from the first construct
    /// to the end of the last, and the usage of the cluster.
    fn run<'b>(&'b self, cluster: Cluster<'b>) -> Result<(u64, u64, Usage), Stuck> {
        let graph = self.graph;
        let changed = Changed::of(graph, &Changes::default());
        let layout = graph.crews.layout(graph.threads);
        let deques = Deques::new(layout, graph.costs.steal);
        let mut machine: Machine<'_, Deques> = Machine::new(graph, &changed, layout, deques);
        machine.devices = Some(Offloaded::new(self.constructs, cluster));
        machine.run()?;
        let Some(devices) = machine.devices else { unreachable!("it was set above") };
        let busy = devices.busy_last - devices.busy_first.unwrap_or(0);
        Ok((machine.now, busy / u64::from(graph.threads), devices.cluster.usage))
    }
}

impl<S: Scheduler> Machine<'_, S> {
    /// Whether the task is a construct, which no worker executes.
    pub fn is_offloaded(&self, task: GrainRow) -> bool {
        self.devices.as_ref().is_some_and(|devices| devices.constructs.of_task.contains_key(&task))
    }

    /// What creating the task takes, if it is a construct.
    pub fn offload_cost(&self, task: GrainRow) -> Option<u64> {
        let devices = self.devices.as_ref()?;
        devices.constructs.of_task.contains_key(&task).then_some(devices.constructs.creation)
    }

    /// The construct's predecessors are over, and it has been created as this strand.
    pub fn offload(&mut self, task: GrainRow, strand: u32) {
        let depth = self.strands[strand as usize].depth;
        self.drop_strand(strand);
        let Some(devices) = &mut self.devices else { return };
        let Some(&construct) = devices.constructs.of_task.get(&task) else { return };
        devices.tasks.insert(construct, (task, depth));
        self.submit(construct);
    }

    /// One step of a fragment whose thread waits for constructs.
    pub fn fragment_with_constructs(&mut self, strand: u32, row: u32) -> Option<Next> {
        let inside = self.devices.as_ref()?.constructs.in_fragment.get(&row)?;
        let profile = self.graph.profile;
        let this = &mut self.strands[strand as usize];
        let place = this.grain().and_then(|grain| profile.grains.place[grain]);
        let done = this.steps as usize;
        let part = inside.parts.get(done / 2);
        if done % 2 == 1 {
            let &(_, construct) = part?;
            this.steps += 1;
            self.submit(construct);
            if let Some(devices) = &mut self.devices {
                devices.waiting.insert(construct, strand);
            }
            return Some(Next::Blocked);
        }
        match part {
            Some(_) => this.steps += 1,
            None => this.next_item(),
        }
        let spent = self.changed.spent(place, part.map_or(inside.after, |part| part.0));
        this.owe(spent.slept, Busy::Asleep);
        Some(Next::Busy(spent.work, Busy::Work))
    }

    /// Whether constructs in a chunk go to the cluster. If iterations are divided anew, they are
    /// sleeps, which are divided with them.
    pub fn replays_constructs(&self, chunk: GrainRow, loop_row: LoopRow, resized: bool) -> bool {
        let kind = self.graph.profile.loops[loop_row].flags & schedule::MASK;
        let is_divided = resized && (kind == schedule::STATIC || kind == schedule::GUIDED);
        let devices = self.devices.as_ref().filter(|_| !is_divided);
        devices.is_some_and(|devices| devices.constructs.chunks.contains(&chunk))
    }

    /// When something happens in the cluster next.
    pub fn next_in_cluster(&self) -> Option<u64> {
        self.devices.as_ref()?.cluster.next_at()
    }

    /// It happens now.
    pub fn step_cluster(&mut self) {
        let busy = self.account.busy_ticks();
        let Some(devices) = &mut self.devices else { return };
        let Some(construct) = devices.cluster.step() else { return };
        devices.busy_last = busy;
        self.account.construct_ends();
        let took = devices.cluster.alone(construct);
        if let Some((task, depth)) = devices.tasks.remove(&construct) {
            return self.complete(0, task, depth.saturating_add(took));
        }
        if let Some(strand) = devices.waiting.remove(&construct) {
            let depth = &mut self.strands[strand as usize].depth;
            *depth = depth.saturating_add(took);
            self.go_on(0, strand);
        }
    }

    fn submit(&mut self, construct: u32) {
        let (now, busy) = (self.now, self.account.busy_ticks());
        self.account.construct_begins(self.graph.profile.device_constructs[construct as usize].place);
        if let Some(devices) = &mut self.devices {
            devices.busy_first.get_or_insert(busy);
            devices.cluster.submit(now, construct);
        }
    }
}

fn in_use(usage: &Usage) -> u64 {
    usage.last.saturating_sub(usage.first.unwrap_or(0))
}

fn in_ticks(profile: &Profile, constructs: &Constructs, network: &Network) -> (Costs, Link) {
    let ticks_of_ns = f64::from(1 << 30) / profile.ns(Ticks(1 << 30));
    let ticks = |ns: f64| (ns * ticks_of_ns).round() as u64;
    let byte = |per_s: f64| 1e9 / per_s * ticks_of_ns;
    let mut costs = constructs.costs;
    if let Some(ns) = network.host_ns {
        let each = ticks(ns) / 3;
        (costs.prepare, costs.send, costs.receive) = (each, each, ticks(ns) - 2 * each);
    }
    if let Some(per_s) = network.host_bytes_per_s {
        (costs.byte_to, costs.byte_from) = (byte(per_s), byte(per_s));
    }
    (costs, Link { latency: ticks(network.latency_ns), byte: byte(network.bytes_per_s) })
}
