// SPDX-License-Identifier: Apache-2.0
//! The virtual machine: workers that execute the graph of work in virtual time.
//!
//! The machine is deterministic: of events at one instant, the event of the lowest worker comes
//! first. A worker executes the items of a strand (`items`) until an item takes time or the strand
//! has to wait; then the scheduler chooses another strand (`scheduler`). With the plain scheduler
//! the machine is greedy: any worker may continue a strand whose wait is over. Only a strand that
//! waits for a lock or a turn keeps its worker, because this wait is not a task scheduling point.
//! If nothing else can run because of such a strand, it gives the worker up. If several threads of
//! the program have regions, all this holds for the workers of each of them (`crews`).
//!
//! The machine owns the strands, the lists of waiting strands, and the clock. `items` moves
//! strands, `loops` hands out pieces, `preempting` takes workers from strands, `lost` keeps the
//! account.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::predict::changed::Changed;
use crate::predict::cluster::FAR;
use crate::predict::crews::Layout;
use crate::predict::graph::Graph;
use crate::predict::lost::Account;
use crate::predict::offloaded::Offloaded;
use crate::predict::open_loop::{LoopState, OpenLoop};
use crate::predict::scheduler::{Event, Scheduler, Taken};
use crate::predict::stealing::Bits;
use crate::predict::strand::{Busy, Strand};
use crate::predict::stuck::Stuck;
use crate::tables::{some_row, GrainRow, Grains, LoopInfo, LoopRow, PointRow, RegionRow};
use crate::{Column, Row, NONE};

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It looks for something to do at this instant, or has nothing.
    Free,
    Busy {
        busy: Busy,
        until: u64,
        producing: bool,
    },
    Blocked,
}

pub(super) struct Worker {
    /// [`NONE`]: it has none.
    pub strand: u32,
    pub state: State,
}

/// What a strand does next.
pub(super) enum Next {
    Go,
    Busy(u64, Busy),
    /// It waits, or has ended: the worker looks for another.
    Left,
    /// The worker goes on with this one.
    Turn(u32),
    /// It waits for a lock or its turn, and keeps the worker.
    Blocked,
}

/// A team while its region is open.
#[derive(Default)]
pub(super) struct Team {
    /// Pieces of its loops that are not done.
    pub pending: u32,
    /// The barrier that it gathers at.
    pub gathering: Option<u32>,
    /// Longest path through what helpers did.
    pub depth: u64,
}

pub(super) struct Machine<'a, S> {
    pub graph: &'a Graph<'a>,
    pub changed: &'a Changed,
    pub threads: u32,
    pub layout: Layout,
    pub now: u64,
    pub events: BinaryHeap<Reverse<(u64, u32, Event)>>,
    /// Steps that do not take place, as the worker has left its strand before.
    pub cancelled: Vec<(u64, u32)>,
    pub workers: Vec<Worker>,
    pub idle: Bits,
    pub strands: Vec<Strand>,
    free: Vec<u32>,
    pub scheduler: S,
    /// For each task: dependences that keep it waiting.
    pub unmet: Column<Grains, u32>,
    /// For each task: its strand once it is created.
    pub strand_of: Column<Grains, u32>,
    /// For each task: the longest path to its start.
    pub depth: Column<Grains, u64>,
    pub expected: Vec<u32>,
    pub join_depth: Vec<u64>,
    /// By join.
    pub waiting: HashMap<u32, Vec<u32>>,
    pub teams: HashMap<RegionRow, Team>,
    pub loops: Column<LoopInfo, LoopState>,
    pub open_loops: HashMap<LoopRow, OpenLoop>,
    /// Open loops with pieces left, in the order in which they were opened.
    pub offered: Vec<LoopRow>,
    /// For each lock: its holder, or the strand whose turn it is; and the longest path to the turn.
    pub holder: Vec<u32>,
    pub turn_depth: Vec<u64>,
    /// The strands that wait for each lock and, by hold, for its turn.
    pub lock_queue: HashMap<u32, std::collections::VecDeque<u32>>,
    pub turn_queue: HashMap<u32, u32>,
    /// Doacross sources that were posted, and the strands that wait for one.
    pub posted: HashMap<PointRow, u64>,
    pub source_queue: HashMap<PointRow, Vec<u32>>,
    /// Tasks whose end waits for an event; of those that came first, event or end, which.
    pub awaited: HashSet<GrainRow>,
    pub fulfilled: HashMap<GrainRow, u64>,
    pub ended_early: HashMap<GrainRow, u64>,
    /// Strands of initial tasks that wait for the end of another one, and those that have ended.
    pub end_queue: HashMap<GrainRow, Vec<u32>>,
    pub over: HashSet<GrainRow>,
    pub ended: usize,
    pub longest: u64,
    pub account: Account,
    /// `None`: the recording has no constructs on devices.
    pub devices: Option<Offloaded<'a>>,
}

impl<'a, S: Scheduler> Machine<'a, S> {
    pub fn new(graph: &'a Graph, changed: &'a Changed, layout: Layout, scheduler: S) -> Self {
        let (profile, workers) = (graph.profile, layout.workers());
        let by_task = profile.fulfils.iter().filter(|fulfil| fulfil.by.is_some());
        Self {
            graph,
            changed,
            threads: layout.threads,
            layout,
            now: 0,
            events: BinaryHeap::new(),
            cancelled: Vec::new(),
            idle: Bits::new(workers as usize),
            workers: (0..workers).map(|_| Worker { strand: NONE, state: State::Free }).collect(),
            strands: Vec::new(),
            free: Vec::new(),
            scheduler,
            unmet: graph.predecessors.clone(),
            strand_of: Column::filled(NONE, profile.grains.tasks),
            depth: Column::filled(0, profile.grains.tasks),
            expected: graph.expected.clone(),
            join_depth: vec![0; graph.expected.len()],
            waiting: HashMap::new(),
            teams: HashMap::new(),
            loops: Column::filled(LoopState::Unseen, graph.loop_region.len()),
            open_loops: HashMap::new(),
            offered: Vec::new(),
            holder: graph.first_turn.clone(),
            turn_depth: vec![0; graph.locks],
            lock_queue: HashMap::new(),
            turn_queue: HashMap::new(),
            posted: HashMap::new(),
            source_queue: HashMap::new(),
            awaited: by_task.map(|fulfil| fulfil.task).collect(),
            fulfilled: HashMap::new(),
            ended_early: HashMap::new(),
            end_queue: HashMap::new(),
            over: HashSet::new(),
            ended: 0,
            longest: 0,
            account: Account::new(layout.large * layout.threads),
            devices: None,
        }
    }

    pub fn run(&mut self) -> Result<(), Stuck> {
        for worker in 0..self.layout.workers() {
            self.idle.set(worker, true);
        }
        let mut arrivals = self.arrivals();
        loop {
            let event = self.events.peek().map(|event| event.0 .0);
            let in_cluster = self.next_in_cluster().filter(|&at| event.is_none_or(|event| at <= event));
            match arrivals.last().copied() {
                Some((at, task)) if in_cluster.or(event).is_none_or(|event| at <= event) => {
                    arrivals.pop();
                    self.clock(at);
                    self.arrive(task);
                }
                _ if in_cluster.is_some_and(|at| at >= FAR) => return Err(Stuck::TooLong),
                _ if in_cluster.is_some() => {
                    self.clock(in_cluster.unwrap_or(self.now));
                    self.step_cluster();
                }
                _ => match self.events.pop() {
                    Some(Reverse((at, worker, event))) => self.happens(at, worker, event),
                    None if self.give_up_a_worker() => {}
                    None => break,
                },
            }
        }
        self.account.end();
        let tasks = self.graph.profile.grains.tasks;
        if self.ended < tasks {
            return Err(Stuck::Tasks { threads: self.threads, tasks: (tasks - self.ended) as u64 });
        }
        Ok(())
    }

    fn happens(&mut self, at: u64, worker: u32, event: Event) {
        let is_late = event != Event::Step && self.ended == self.graph.profile.grains.tasks;
        if is_late || event == Event::Step && self.is_cancelled(at, worker) {
            return;
        }
        self.clock(at);
        match event {
            Event::Step => self.step(worker),
            Event::Look => self.look(worker),
            Event::Watch => self.watch(worker),
        }
    }

    /// Initial tasks, and those that no task creates, by falling time.
    fn arrivals(&self) -> Vec<(u64, GrainRow)> {
        let profile = self.graph.profile;
        let alone = |&task: &GrainRow| profile.fork_item[task] == NONE;
        let tasks = profile.grains.task_rows().filter(alone);
        let mut all: Vec<_> = tasks.map(|task| (profile.grains.start.of(task).0, task)).collect();
        all.sort_unstable_by_key(|&arrival| Reverse(arrival));
        // No strand waited for a source without a record.
        if let Some(first) = all.last().map(|first| first.0) {
            for arrival in &mut all {
                arrival.0 -= first;
            }
        }
        all
    }

    fn arrive(&mut self, task: GrainRow) {
        let items = self.graph.profile.items.of(task);
        let home = self.graph.crews.home(task, self.layout);
        let mut new = Strand::new(Some(task), items, self.now);
        new.crew = self.layout.crew(home).start;
        let strand = self.new_strand(new);
        self.strand_of[task] = strand;
        if self.unmet[task] == 0 {
            if self.is_offloaded(task) {
                self.offload(task, strand);
            } else {
                self.push_home(home, strand);
            }
        }
    }

    fn clock(&mut self, at: u64) {
        self.account.pass(at - self.now);
        self.now = at;
    }

    pub fn new_strand(&mut self, strand: Strand) -> u32 {
        if let Some(at) = self.free.pop() {
            self.strands[at as usize] = strand;
            at
        } else {
            self.strands.push(strand);
            self.strands.len() as u32 - 1
        }
    }

    pub fn drop_strand(&mut self, strand: u32) {
        self.free.push(strand);
    }

    pub fn step(&mut self, at: u32) {
        let worker = &mut self.workers[at as usize];
        if let State::Busy { producing, .. } = worker.state {
            if self.layout.is_large(at) {
                self.account.busy_ends(producing);
            }
        }
        worker.state = State::Free;
        loop {
            let mut strand = self.workers[at as usize].strand;
            if strand == NONE {
                let Some(found) = self.find(at) else {
                    self.idle.set(at, true);
                    return;
                };
                self.workers[at as usize].strand = found;
                strand = found;
            } else if self.scheduler.gives_way(at, &self.strands[strand as usize]) {
                self.scheduler.leave(at, strand, &self.strands[strand as usize]);
                self.workers[at as usize].strand = NONE;
                continue;
            }
            match self.advance(at, strand) {
                Next::Go | Next::Busy(0, _) => {}
                Next::Busy(ticks, busy) => return self.start(at, strand, ticks, busy),
                Next::Left => self.workers[at as usize].strand = NONE,
                Next::Turn(other) => self.workers[at as usize].strand = other,
                Next::Blocked => {
                    self.workers[at as usize].state = State::Blocked;
                    self.strands[strand as usize].held_by = at;
                    return self.account.blocks();
                }
            }
        }
    }

    fn start(&mut self, at: u32, strand: u32, ticks: u64, busy: Busy) {
        let strand = &mut self.strands[strand as usize];
        strand.depth += ticks;
        strand.ran += if matches!(busy, Busy::Work | Busy::Creation) { ticks } else { 0 };
        self.account.takes(ticks, busy);
        let producing = self.layout.is_large(at) && self.account.busy_begins(strand.forked);
        let until = self.now + ticks;
        self.workers[at as usize].state = State::Busy { busy, until, producing };
        self.events.push(Reverse((until, at, Event::Step)));
    }

    /// Its own work first, then loops of open teams, then that of others.
    fn find(&mut self, worker: u32) -> Option<u32> {
        if let Some(taken) = self.scheduler.own(worker) {
            return Some(self.take(taken));
        }
        self.help(worker).or_else(|| self.scheduler.steal(worker).map(|taken| self.take(taken)))
    }

    fn take(&mut self, taken: Taken) -> u32 {
        self.strands[taken.strand as usize].owe(taken.owes, Busy::Scheduling);
        taken.strand
    }

    /// Whom nobody waits for any more, and any worker may go on with.
    pub fn push_ready(&mut self, worker: u32, strand: u32) {
        let what = &self.strands[strand as usize];
        let worker = if self.layout.crew(worker).start == what.crew { worker } else { what.crew };
        if let Some(only) = self.scheduler.stays_on(what) {
            self.scheduler.pin(only, strand, what);
            self.ask_home(only, strand);
            if self.idle.has(only) {
                self.wake(only);
            }
        } else {
            self.scheduler.push(self.now, worker, strand, what);
            self.ask(worker, strand);
            self.wake_one(worker);
        }
    }

    /// The same, for one that has a thread number.
    pub fn push_home(&mut self, home: u32, strand: u32) {
        self.push_ready(home, strand);
    }

    /// An idle worker of the crew; this worker, if it is idle.
    pub fn wake_one(&mut self, worker: u32) {
        if let Some(idle) = self.idle.next_from(worker, self.layout.crew(worker)) {
            self.wake(idle);
        }
    }

    fn wake(&mut self, worker: u32) {
        self.idle.set(worker, false);
        self.events.push(Reverse((self.now, worker, Event::Step)));
    }

    /// Had the lock, or has its turn: goes on behind the item at which it waited.
    pub fn unblock(&mut self, worker: u32, strand: u32) {
        self.strands[strand as usize].next_item();
        self.go_on(worker, strand);
    }

    /// It has what it waited for.
    pub fn go_on(&mut self, worker: u32, strand: u32) {
        let waiting = &mut self.strands[strand as usize];
        match std::mem::replace(&mut waiting.held_by, NONE) {
            NONE => self.push_ready(worker, strand),
            held => {
                self.workers[held as usize].state = State::Free;
                self.account.unblocks();
                self.events.push(Reverse((self.now, held, Event::Step)));
            }
        }
    }

    /// Nothing moves: a worker that waits for a lock looks for other work.
    fn give_up_a_worker(&mut self) -> bool {
        let blocked = self.workers.iter().position(|worker| worker.state == State::Blocked);
        let Some(at) = blocked else { return false };
        let worker = &mut self.workers[at];
        self.strands[worker.strand as usize].held_by = NONE;
        (worker.strand, worker.state) = (NONE, State::Free);
        self.account.unblocks();
        self.events.push(Reverse((self.now, at as u32, Event::Step)));
        true
    }

    /// Children and, at a barrier, members are there: those that wait go on.
    pub fn try_release(&mut self, worker: u32, join: u32) {
        if self.expected[join as usize] > 0 {
            return;
        }
        let Some(waiting) = self.waiting.get(&join) else { return };
        let first = waiting[0];
        let is_barrier = self.graph.is_barrier(join);
        if is_barrier && !self.is_quiet(join, first) {
            return;
        }
        let depth = self.join_depth[join as usize];
        for strand in self.waiting.remove(&join).unwrap_or_default() {
            let waiting = &mut self.strands[strand as usize];
            waiting.depth = waiting.depth.max(depth);
            waiting.forked = 0;
            let home = waiting.home;
            self.go_on_behind_join(strand, join);
            match home {
                home if is_barrier && home != NONE => self.push_home(home, strand),
                _ => self.push_ready(worker, strand),
            }
        }
    }

    /// All pieces of the team's loops are done; then what helpers did counts for its depth.
    pub fn is_quiet(&mut self, join: u32, waiting: u32) -> bool {
        let region = self.region_of_join(join).or(self.strands[waiting as usize].region);
        let Some(team) = region.and_then(|region| self.teams.get(&region)) else { return true };
        let depth = &mut self.join_depth[join as usize];
        *depth = (*depth).max(team.depth);
        team.pending == 0
    }

    /// The region whose end it is.
    pub fn region_of_join(&self, join: u32) -> Option<RegionRow> {
        join.checked_sub(self.graph.region_end(Row::new(0))).map(Row::of_number)
    }

    /// Its task is over, and its event fulfilled: successors and who joins it may go on.
    pub fn complete(&mut self, worker: u32, task: GrainRow, depth: u64) {
        self.ended += 1;
        self.scheduler.finished(self.now, task.number());
        self.longest = self.longest.max(depth);
        let graph = self.graph;
        if graph.crews.is_initial(task) {
            self.over.insert(task);
            for waiting in self.end_queue.remove(&task).unwrap_or_default() {
                let other = &mut self.strands[waiting as usize];
                other.depth = other.depth.max(depth);
                self.push_ready(worker, waiting);
            }
        }
        for &edge in graph.successors.of(task) {
            let successor = graph.profile.edges[edge as usize].1;
            self.depth[successor] = self.depth[successor].max(depth);
            self.unmet[successor] -= 1;
            let strand = self.strand_of[successor];
            if self.unmet[successor] == 0 && strand != NONE {
                let ready = &mut self.strands[strand as usize];
                ready.depth = ready.depth.max(self.depth[successor]);
                if self.is_offloaded(successor) {
                    self.offload(successor, strand);
                } else {
                    self.push_ready(worker, strand);
                }
            }
        }
        if let Some(join) = some_row(graph.join_of[task]) {
            self.expected[join as usize] -= 1;
            let join_depth = &mut self.join_depth[join as usize];
            *join_depth = (*join_depth).max(depth);
            self.try_release(worker, join);
        }
    }
}
