// SPDX-License-Identifier: Apache-2.0
//! The recorded run with its priorities, without and with preemption: the scheduler `ByPriority` of
//! the virtual machine, and the times of the tasks under it.
//!
//! A ready task with a priority goes to one queue for all workers (`queue`), a task without one to
//! the deques of the plain scheduler. A task that has started stays on its worker. `policy` decides
//! what a worker does next and who is asked to give way, by the runtime's own rules. A task that an
//! implicit task creates is not created before its recorded time, counted from the creator's last
//! wait: so requests of a service arrive when they did.

mod policy;
mod price;
mod queue;
mod times;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::predict::crews::Layout;
use crate::predict::scheduler::{Event, Running, Scheduler, Taken};
use crate::predict::stealing::Deques;
use crate::predict::strand::Strand;
use crate::row::number_or_none;
use crate::tables::GrainKind;
use crate::{GrainRow, PlaceRow, Profile, NONE};

use policy::{Act, Candidate, Row, RunTime, Seen};
pub use price::{Price, USUAL_COST_NS};
use queue::{Queue, Queued};
pub use times::PriorityTimes;
use times::TaskTimes;

/// Whether tasks are preempted, and at which price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preemption {
    Off,
    On(Price),
}

/// If nobody is asked to give way because it does not pay, the worker looks again after this time
/// (`preempt::kWatch_us`).
const WATCH_NS: f64 = 1e6;

/// How a worker was asked to leave its task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// Its own task has made another task ready.
    Itself,
    BySignal,
}

#[derive(Default)]
struct OfWorker {
    /// Tasks that have started here and can go on: by priority, then in line.
    contexts: BTreeMap<(Reverse<i32>, i64), u32>,
    /// Tasks that have started here and have not ended, the innermost last.
    open: Vec<u32>,
    asked: Option<Asked>,
    /// It has just left a task because it was asked.
    left: Option<Asked>,
    watches: bool,
}

#[derive(Clone, Copy)]
struct OfTask {
    place: u64,
    /// The worker that started it; [`NONE`]: none has.
    worker: u32,
    queued_children: u32,
    strand: u32,
}

pub(super) struct ByPriority<'a> {
    profile: &'a Profile,
    preemption: Preemption,
    steal: u64,
    watch: u64,
    deques: Deques,
    queue: Queue,
    workers: Vec<OfWorker>,
    tasks: Vec<OfTask>,
    /// How many strands were put in line.
    number: u64,
    /// By construct, as all tasks of a construct have one function.
    run_times: HashMap<Option<PlaceRow>, RunTime>,
    /// For each creator that keeps the recorded times: a recorded instant, and when it is.
    anchors: HashMap<u32, (u64, u64)>,
    pub times: TaskTimes,
}

impl<'a> ByPriority<'a> {
    pub fn new(profile: &'a Profile, threads: u32, steal: u64, preemption: Preemption) -> Self {
        let tasks = profile.grains.tasks;
        let none = OfTask { place: 0, worker: NONE, queued_children: 0, strand: NONE };
        Self {
            profile,
            preemption,
            steal,
            watch: price::ticks(profile, WATCH_NS),
            deques: Deques::new(Layout::one(threads), steal),
            queue: Queue::default(),
            workers: (0..threads).map(|_| OfWorker::default()).collect(),
            tasks: vec![none; tasks],
            number: 0,
            run_times: HashMap::new(),
            anchors: HashMap::new(),
            times: TaskTimes::new(tasks),
        }
    }

    fn is_explicit(&self, task: u32) -> bool {
        task != NONE && self.profile.grains.kind[GrainRow::of_number(task)] == GrainKind::Task
    }

    fn priority(&self, task: u32) -> i32 {
        if self.is_explicit(task) {
            self.profile.grains.priority_of(GrainRow::of_number(task))
        } else {
            0
        }
    }

    fn creator(&self, task: u32) -> Option<u32> {
        let parent = number_or_none(self.profile.grains.parent[GrainRow::of_number(task)]);
        ((parent as usize) < self.tasks.len()).then_some(parent)
    }

    fn descends(&self, task: u32, ancestor: u32) -> bool {
        let mut next = self.creator(task);
        let mut left = self.tasks.len(); // a damaged recording may have cycles of creators
        while let Some(task) = next.filter(|&task| task != ancestor && self.is_explicit(task) && left > 0) {
            next = self.creator(task);
            left -= 1;
        }
        next == Some(ancestor)
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn enqueue(&mut self, worker: u32, task: u32, strand: u32, priority: i32) {
        let number = self.next_number();
        let creator = self.creator(task).unwrap_or(NONE);
        let inherits = creator != NONE && self.priority(creator) > 0;
        let place = if inherits { self.tasks[creator as usize].place } else { number };
        self.tasks[task as usize].place = place;
        self.queue.put(Queued { task, strand, worker, creator, priority, place, number });
    }

    /// The first queued task that may start at the worker. Without preemption, a waiting task's
    /// worker starts its descendants only.
    fn startable(&self, worker: u32) -> Option<Queued> {
        let waiting = self.workers[worker as usize].open.last();
        match (self.preemption, waiting) {
            (Preemption::Off, Some(&waiting)) => {
                let place = self.tasks[waiting as usize].place;
                let place = (self.priority(waiting) > 0).then_some(place);
                self.queue.first_if(place, |task| self.descends(task, waiting))
            }
            _ => self.queue.first(),
        }
    }

    fn row(&self, worker: u32) -> Row {
        match (self.workers[worker as usize].open.is_empty(), self.preemption) {
            (true, _) => policy::OUTSIDE_OF_TASKS,
            (false, Preemption::Off) => policy::TIED_WAIT,
            (false, Preemption::On(_)) => policy::UNTIED_WAIT,
        }
    }

    fn see(&self, worker: u32) -> Seen {
        let this = &self.workers[worker as usize];
        let waiting = this.open.last().copied();
        let ready = this.contexts.keys().next().map_or(policy::NO_LEVEL, |key| key.0 .0);
        let waits_at = waiting.map_or(0, |task| self.priority(task));
        let queued = self.queue.highest();
        let startable = self.startable(worker).is_some();
        Seen {
            over: self.preemption == Preemption::Off && self.innermost(worker).is_some(),
            ready,
            queued,
            waits_at,
            own: waiting.is_some_and(|task| self.tasks[task as usize].queued_children > 0),
            others: startable,
            unrelated: startable,
            higher: startable && queued > waits_at,
        }
    }

    /// The context of the innermost task, if it can go on.
    fn innermost(&self, worker: u32) -> Option<(Reverse<i32>, i64)> {
        let this = &self.workers[worker as usize];
        let strand = self.tasks[*this.open.last()? as usize].strand;
        this.contexts.iter().find(|context| *context.1 == strand).map(|context| *context.0)
    }

    fn resume(&mut self, worker: u32, context: Option<(Reverse<i32>, i64)>) -> Option<(Taken, i32)> {
        let contexts = &mut self.workers[worker as usize].contexts;
        let key = context.or_else(|| contexts.keys().next().copied())?;
        contexts.remove(&key).map(|strand| (Taken { strand, owes: 0 }, key.0 .0))
    }

    fn start(&mut self, worker: u32, item: Option<Queued>) -> Option<(Taken, i32)> {
        let item = item?;
        self.queue.take(item);
        let owes = if item.worker == worker { 0 } else { self.steal };
        Some((Taken { strand: item.strand, owes }, item.priority))
    }

    /// What to run next, with its priority, if it is a context or has a priority.
    fn chosen(&mut self, worker: u32) -> Option<(Taken, i32)> {
        match policy::choose(self.row(worker), self.see(worker)) {
            Act::Return => self.resume(worker, self.innermost(worker)),
            Act::Resume => self.resume(worker, None),
            Act::RunOwn => {
                let waiting = *self.workers[worker as usize].open.last()?;
                self.start(worker, self.queue.newest_child(waiting))
            }
            Act::RunOther | Act::Start | Act::StartHigher => self.start(worker, self.startable(worker)),
            Act::Idle => None,
        }
    }

    fn candidates<'b>(
        &'b self,
        all: &'b [Running],
        price: Price,
        any: bool,
    ) -> impl Iterator<Item = Candidate> + 'b {
        (0..).zip(all).filter_map(move |(worker, running)| {
            let (task, age) = running.task.filter(|_| !running.idle)?;
            let known = self.run_times.get(&self.profile.grains.place[GrainRow::of_number(task)]).copied();
            let pays = any || policy::preempting_pays(known.unwrap_or_default(), age, price.whole());
            Some(Candidate { worker, runs: self.priority(task), pays })
        })
    }

    /// Whom a worker asks to give way to a queued task of this priority.
    fn ask_next(
        &mut self,
        now: u64,
        by: u32,
        priority: i32,
        all: &[Running],
        any: bool,
    ) -> Option<(u64, u32, Event)> {
        let Preemption::On(price) = self.preemption else { return None };
        let candidates = self.candidates(all, price, any).filter(|one| one.worker != by);
        match policy::next_to_ask(candidates, priority, price.gap) {
            (Some(worker), _) => Some((now + price.signal, worker, Event::Look)),
            (None, true) if !std::mem::replace(&mut self.workers[by as usize].watches, true) => {
                Some((now + self.watch, by, Event::Watch))
            }
            _ => None,
        }
    }
}

impl Scheduler for ByPriority<'_> {
    fn push(&mut self, now: u64, worker: u32, strand: u32, what: &Strand) {
        if !what.fresh {
            return self.deques.push(now, worker, strand, what);
        }
        let (task, priority) = (what.task_number(), self.priority(what.task_number()));
        self.times.ready(task, now);
        if let Some(creator) = self.creator(task) {
            self.tasks[creator as usize].queued_children += 1;
        }
        if priority > 0 {
            self.enqueue(worker, task, strand, priority);
        } else {
            self.deques.push(now, worker, strand, what);
        }
    }

    fn pin(&mut self, worker: u32, strand: u32, what: &Strand) {
        let (priority, number) = (self.priority(what.task_number()), self.next_number() as i64);
        self.workers[worker as usize].contexts.insert((Reverse(priority), number), strand);
    }

    fn stays_on(&self, what: &Strand) -> Option<u32> {
        if !self.is_explicit(what.task_number()) {
            return None;
        }
        Some(self.tasks[what.task_number() as usize].worker).filter(|&worker| worker != NONE)
    }

    fn own(&mut self, worker: u32) -> Option<Taken> {
        self.workers[worker as usize].asked = None; // it looks now
        let left = self.workers[worker as usize].left.take();
        let Some((mut taken, priority)) = self.chosen(worker) else { return self.deques.own(worker) };
        if left.is_some() {
            self.times.preempts(priority);
        }
        if let (Preemption::On(price), Some(Asked::BySignal)) = (self.preemption, left) {
            taken.owes += price.switch;
        }
        Some(taken)
    }

    fn steal(&mut self, worker: u32) -> Option<Taken> {
        self.deques.steal(worker)
    }

    fn until_creation(&mut self, now: u64, creator: u32, child: u32) -> u64 {
        if self.is_explicit(creator) || !self.is_explicit(child) {
            return 0;
        }
        let created = self.profile.grains.create(GrainRow::of_number(child)).0;
        let &mut (recorded, begun) = self.anchors.entry(creator).or_insert((created, now));
        (begun + created.saturating_sub(recorded)).saturating_sub(now)
    }

    fn continues(&mut self, now: u64, task: u32, recorded: u64) {
        self.anchors.insert(task, (recorded, now));
    }

    fn starts(&mut self, at: u64, worker: u32, task: u32, strand: u32) {
        self.times.starts(task, at);
        self.tasks[task as usize].worker = worker;
        self.tasks[task as usize].strand = strand;
        self.workers[worker as usize].open.push(task);
        if let Some(creator) = self.creator(task) {
            let queued = &mut self.tasks[creator as usize].queued_children;
            *queued = queued.saturating_sub(1);
        }
    }

    fn ended(&mut self, task: u32, ran: u64) {
        let worker = self.tasks[task as usize].worker;
        let Some(worker) = self.workers.get_mut(worker as usize) else { return };
        worker.open.retain(|&open| open != task);
        let place = self.profile.grains.place[GrainRow::of_number(task)];
        let known = self.run_times.entry(place).or_default();
        *known = policy::after_task(*known, ran);
    }

    fn finished(&mut self, now: u64, task: u32) {
        self.times.finished(task, now);
    }

    fn asks_for(&self, what: &Strand) -> Option<i32> {
        let priority = self.priority(what.task_number());
        (self.preemption != Preemption::Off && priority > 0).then_some(priority)
    }

    fn ask(&mut self, now: u64, by: u32, priority: i32, all: &[Running]) -> Option<(u64, u32, Event)> {
        let is_below =
            |running: &Running| running.task.is_some_and(|(task, _)| self.priority(task) < priority);
        if all.get(by as usize).is_some_and(is_below) {
            self.workers[by as usize].asked.get_or_insert(Asked::Itself);
        }
        let is_taker = |(running, worker): &(&Running, &OfWorker)| running.idle && worker.open.is_empty();
        let takers = all.iter().zip(&self.workers).filter(is_taker).count();
        if takers >= self.queue.len().max(1) {
            return None;
        }
        self.ask_next(now, by, priority, all, false)
    }

    fn ask_home(&mut self, now: u64, home: u32, priority: i32, all: &[Running]) -> Option<u64> {
        let Preemption::On(price) = self.preemption else { return None };
        let home =
            self.candidates(&all[..=home as usize], price, true).last().filter(|one| one.worker == home)?;
        policy::is_far_below(home.runs, priority, price.gap).then_some(now + price.signal)
    }

    fn watched(&mut self, now: u64, worker: u32, all: &[Running]) -> Option<(u64, u32, Event)> {
        self.workers[worker as usize].watches = false;
        let (Preemption::On(price), Some(first)) = (self.preemption, self.queue.first()) else { return None };
        let own = self.candidates(all, price, true).find(|one| one.worker == worker);
        match own {
            Some(own) if policy::is_far_below(own.runs, first.priority, price.gap) => {
                Some((now, worker, Event::Look))
            }
            _ => self.ask_next(now, worker, first.priority, all, true),
        }
    }

    fn is_asked(&mut self, worker: u32) {
        self.workers[worker as usize].asked = Some(Asked::BySignal);
    }

    fn gives_way(&mut self, worker: u32, what: &Strand) -> bool {
        let this = &self.workers[worker as usize];
        if this.asked.is_none() || what.holds > 0 || !self.is_explicit(what.task_number()) {
            return false;
        }
        let ready = this.contexts.keys().next().map_or(policy::NO_LEVEL, |key| key.0 .0);
        let is_higher = ready.max(self.queue.highest()) > self.priority(what.task_number());
        if !is_higher {
            self.workers[worker as usize].asked = None;
        }
        is_higher
    }

    fn leave(&mut self, worker: u32, strand: u32, what: &Strand) {
        self.times.preempted(self.priority(what.task_number()));
        let to_head = -(self.next_number() as i64);
        let priority = self.priority(what.task_number());
        let this = &mut self.workers[worker as usize];
        this.left = this.asked.take();
        this.contexts.insert((Reverse(priority), to_head), strand);
    }
}
