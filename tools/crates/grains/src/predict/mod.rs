// SPDX-License-Identifier: Apache-2.0
//! What a recorded run would take on another number of threads, or with changes to the program.
//!
//! The recorded graph of grains is executed in virtual time: each grain takes its recorded work,
//! and the runtime takes its typical time for a task, a chunk and a region. The files: `graph`
//! links grains to what they wait for, `costs` has the runtime's times, `changes` the changes to
//! predict, `pieces` the chunks of loops, and `shares` the work that threads divide by number.
//! `spent` is the time of a piece of a program.
//! `crews` has the workers of each of the program's threads.
//! `machine` has the clock and the workers, `strand` what they execute, `items` what a strand does
//! at each item; `loops` hands out pieces, and `lost` accounts for lost time. `scheduler` is what
//! the machine asks of a scheduler: `stealing` is the plain one, `priorities` the one that knows
//! priorities and preemption, and `preempting` takes workers from strands. `task_graph` writes the
//! graph for modelled machines. `on_devices` gives constructs on devices to a modelled `cluster`;
//! `constructs` has what they need, and `offloaded` those under way.
//!
//! docs/predicting.md says what is not modelled. For each number of threads, time and memory are
//! linear in the recording, except for a factor of the logarithm of that number, and for one piece
//! per thread of the work that threads divide by number.

mod changed;
mod changes;
mod cluster;
mod constructs;
mod costs;
mod crews;
mod graph;
mod items;
mod loops;
mod lost;
mod machine;
mod offloaded;
mod on_devices;
mod open_loop;
mod pieces;
mod preempting;
mod priorities;
mod scheduler;
mod shares;
mod spent;
mod stealing;
mod strand;
mod stuck;
mod task_graph;

use trace::layout::schedule;

use crate::row::none_last;
use crate::tables::LoopRow;
use crate::ticks::Ticks;
use crate::{PlaceRow, Profile};

use changed::Changed;
pub use changes::Changes;
pub use cluster::Place;
use cluster::{Cluster, Link};
use constructs::Constructs;
pub(crate) use costs::of_a_task;
use crews::Layout;
pub use crews::MOST_THREADS;
use graph::Graph;
pub use lost::Cause;
use machine::Machine;
use offloaded::Offloaded;
pub use on_devices::{DevicePredictor, DevicesLimit, DevicesPoint, Network};
use priorities::ByPriority;
pub use priorities::{Preemption, Price, PriorityTimes, USUAL_COST_NS};
use stealing::Deques;
pub use stuck::Stuck;

/// A prediction for one number of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub threads: u32,
    /// The threads of all teams together: more, if several threads have regions of their own.
    pub workers: u32,
    /// Those of the teams of threads that open regions.
    in_teams: u32,
    pub time: Ticks,
    /// The part of it in which some outermost region was open.
    pub in_parallel: Ticks,
    /// The part that is the work of one thread on any schedule. It is not known, and zero, where
    /// several threads open regions, or tasks ran outside of regions.
    serial: Ticks,
    /// The program's own work, and what the runtime took to create tasks and to get them to run.
    pub work: Ticks,
    pub creation: Ticks,
    pub scheduling: Ticks,
    /// In which the program's tasks and threads slept, each on a worker.
    pub slept: Ticks,
    /// The part of it while no region was open.
    slept_outside: Ticks,
    /// The longest path, with what the runtime takes on it. Locks are not on it, turns are.
    pub span: Ticks,
    /// Worker time lost, by cause and place, the largest first.
    pub lost: Vec<(Cause, Option<PlaceRow>, Ticks)>,
}

/// What bounds a point more than anything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The workers are at work for most of the time: more of them would help.
    Work,
    /// The same, or one thread is at work while no region is open; but what runs sleeps for more
    /// than half of that time.
    Sleep,
    /// The longest path: no number of workers would help.
    Span,
    /// Creating tasks, and getting them to run.
    Runtime,
    /// At this place.
    Lost(Cause, Option<PlaceRow>),
}

/// This part of the workers' time is as good as all of it.
const MOST: f64 = 0.9;
/// The time is the span where it is at most this part longer.
const NEAR: f64 = 1.05;

impl Point {
    /// What the workers did, the runtime's part and the program's sleeps included (T1).
    pub fn busy(&self) -> Ticks {
        self.work + self.slept + self.creation + self.scheduling
    }

    /// No schedule on this number of threads is faster: T1 / P.
    pub fn work_law(&self) -> Ticks {
        Ticks(self.busy().0.div_ceil(u64::from(self.workers)))
    }

    /// No schedule on this number of threads is faster: neither the path nor the serial part gets
    /// shorter, and the rest of T1 is divided among all workers.
    pub fn least(&self) -> Ticks {
        let rest = self.busy().0.saturating_sub(self.serial.0);
        (self.serial + Ticks(rest.div_ceil(u64::from(self.workers)))).max(self.span)
    }

    /// No greedy schedule without locks is slower: T1 / P + span.
    pub fn greedy_bound(&self) -> Ticks {
        self.work_law() + self.span
    }

    /// For how long no region was open and the program did not sleep.
    fn awake_outside(&self) -> Ticks {
        Ticks((self.time - self.in_parallel).0.saturating_sub(self.slept_outside.0))
    }

    pub fn limit(&self) -> Limit {
        let whole = self.time.0 as f64 * f64::from(self.in_teams);
        let runtime = self.creation + self.scheduling;
        if (self.work + self.slept).0 as f64 >= MOST * whole {
            return if self.slept > self.work { Limit::Sleep } else { Limit::Work };
        }
        match self.lost.first() {
            Some(&(cause, place, lost)) if lost > runtime => match cause {
                Cause::Serial if self.slept_outside > self.awake_outside() => Limit::Sleep,
                Cause::Lock | Cause::Serial | Cause::Devices => Limit::Lost(cause, place),
                _ if self.time.0 as f64 <= NEAR * self.span.0 as f64 => Limit::Span,
                _ => Limit::Lost(cause, place),
            },
            _ => Limit::Runtime,
        }
    }
}

/// A prediction for one number of threads that obeys the priorities.
#[derive(Clone, Debug, PartialEq)]
pub struct WithPriorities {
    pub time: Ticks,
    /// One row for each priority, in falling order.
    pub rows: Vec<PriorityTimes>,
}

pub struct Predictor<'a> {
    graph: Graph<'a>,
    /// `None`: no construct ran on a device.
    constructs: Option<Constructs>,
}

impl<'a> Predictor<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let constructs = (!profile.device_constructs.is_empty()).then(|| Constructs::of(profile));
        Self { graph: Graph::of(profile), constructs }
    }

    /// Threads of the largest team that was recorded.
    pub fn recorded_threads(&self) -> u32 {
        self.graph.threads
    }

    /// How many threads of the program have regions of their own at the same time. Each of them has
    /// as many workers as the prediction is for.
    pub fn teams_at_once(&self) -> u32 {
        self.graph.crews.large()
    }

    /// The number of grains that are executed.
    pub fn grains(&self) -> usize {
        self.graph.profile.grains.len()
    }

    /// Rows of loops that were recorded on one thread as a single chunk, and stay that on any
    /// number of threads: their iterations have turns, wait for each other, create tasks or hold
    /// locks, so nobody knows how they would be dealt.
    pub fn undivided_loops(&self) -> Vec<LoopRow> {
        let (graph, profile) = (&self.graph, self.graph.profile);
        let plain = Changed::of(graph, &Changes::default());
        let is_one = |row: LoopRow| {
            let region = graph.loop_region[row];
            let &[chunk] = graph.chunks.of(row) else { return false };
            let resized = graph.is_resized(region, 2);
            let dealt_by_number = profile.loops[row].flags & schedule::MASK != schedule::DYNAMIC;
            resized
                && dealt_by_number
                && profile.regions.of(region).is_some_and(|region| region.threads == 1)
                && profile.chunks[chunk].iterations > 1
                && pieces::pieces(graph, &plain, row, 2, true).len() == 1
        };
        profile.loops.rows().filter(|&row| is_one(row)).collect()
    }

    /// The same program on a modelled cluster; `None`: no construct ran on a device.
    pub fn on_devices(&self) -> Option<DevicePredictor<'_>> {
        Some(DevicePredictor::new(&self.graph, self.constructs.as_ref()?))
    }

    /// The recorded devices, with what the host and the messages took.
    fn devices(&self) -> Option<Offloaded<'_>> {
        let constructs = self.constructs.as_ref()?;
        let (needs, costs) = (&constructs.needs, constructs.costs);
        let cluster = Cluster::new(needs, costs, Link::default(), Place::Program, constructs.devices);
        Some(Offloaded::new(constructs, cluster))
    }

    pub fn point(&self, threads: u32, changes: &Changes) -> Result<Point, Stuck> {
        let changed = Changed::of(&self.graph, changes);
        let threads = threads.clamp(1, MOST_THREADS);
        let layout = self.graph.crews.layout(threads);
        let deques = Deques::new(layout, self.graph.costs.steal);
        let mut machine = Machine::new(&self.graph, &changed, layout, deques);
        machine.devices = self.devices();
        machine.run()?;
        let account = &machine.account;
        let mut lost: Vec<_> =
            account.lost.iter().map(|(&(cause, place), &ticks)| (cause, place, Ticks(ticks))).collect();
        lost.sort_unstable_by_key(|&(cause, place, ticks)| {
            (std::cmp::Reverse(ticks), cause, none_last(place))
        });
        let is_serial = layout.workers() == layout.threads && !account.is_divided_outside;
        let outside = Ticks(machine.now - account.in_parallel);
        Ok(Point {
            serial: if is_serial { outside } else { Ticks::ZERO },
            threads: machine.threads,
            workers: layout.workers(),
            in_teams: layout.large * layout.threads,
            time: Ticks(machine.now),
            in_parallel: Ticks(account.in_parallel),
            work: Ticks(account.work),
            creation: Ticks(account.creation),
            scheduling: Ticks(account.scheduling),
            slept: Ticks(account.asleep),
            slept_outside: Ticks(account.asleep_outside),
            span: Ticks(machine.longest),
            lost,
        })
    }

    /// With the recorded priorities and times of arrival.
    pub fn with_priorities(&self, threads: u32, preemption: Preemption) -> Result<WithPriorities, Stuck> {
        let profile = self.graph.profile;
        let changed = Changed::of(&self.graph, &Changes::default());
        let threads = threads.clamp(1, MOST_THREADS);
        let scheduler = ByPriority::new(profile, threads, self.graph.costs.steal, preemption);
        let mut machine = Machine::new(&self.graph, &changed, Layout::one(threads), scheduler);
        machine.devices = self.devices();
        machine.run()?;
        let rows = machine.scheduler.times.by_priority(&profile.grains);
        Ok(WithPriorities { time: Ticks(machine.now), rows })
    }
}
