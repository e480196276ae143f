// SPDX-License-Identifier: Apache-2.0
//! Random programs that fork, join and lock, run by a scheduler of their own on a virtual clock.
//! Their true work and span come from the graph of their operations, by brute force.

#![allow(dead_code)] // each test uses a part

use trace::writer::RecordingWriter;
use trace::*;

use super::common::Random;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    Work(u64),
    Fork(usize),
    Wait,
    Lock(usize),
    Unlock(usize),
}

const LONG: u64 = 1 << 32;
pub const LOCKS: usize = 3;
pub const TASKS: usize = 24;

/// The operations of each task; the first is the initial one. A fork names a later task.
pub fn program(random: &mut Random) -> Vec<Vec<Op>> {
    let mut tasks = vec![Vec::new()];
    let mut next = 0;
    while next < tasks.len() {
        let mut ops = vec![Op::Work(2 + random.below(30))];
        for _ in 0..random.below(6) {
            match random.below(5) {
                0 | 1 if tasks.len() < TASKS => {
                    ops.push(Op::Fork(tasks.len()));
                    tasks.push(Vec::new());
                }
                2 => ops.push(Op::Wait),
                3 => {
                    let lock = random.below(LOCKS as u64) as usize;
                    ops.extend([Op::Lock(lock), Op::Work(2 + random.below(40)), Op::Unlock(lock)]);
                }
                _ => {}
            }
            ops.push(Op::Work(2 + random.below(20)));
        }
        tasks[next] = ops;
        next += 1;
    }
    tasks
}

/// One task while it runs, each on a thread of its own.
#[derive(Clone, Default)]
pub struct Run {
    id: TaskId,
    /// Not set: nothing has forked it.
    now: Option<u64>,
    started: u64,
    at: usize,
    children: Vec<usize>,
    ended: Option<u64>,
    asked: Option<u64>,
    had: u64,
}

pub struct Machine<'a> {
    pub ops: &'a [Vec<Op>],
    pub runs: Vec<Run>,
    /// When each lock is free; `None`: it is held.
    pub free: [Option<u64>; LOCKS],
    /// For each lock: who had it, as (task, operation), in order.
    pub had: Vec<Vec<(usize, usize)>>,
    pub out: RecordingWriter,
    /// This operation takes longer by [`LONG`].
    pub longer: Option<(usize, usize)>,
}

impl<'a> Machine<'a> {
    /// Records into `path`.
    pub fn new(ops: &'a [Vec<Op>], path: &std::path::Path) -> Self {
        let meta = RecordingWriter::plain_meta(2);
        let out = RecordingWriter::create(path, TASKS as u16, &meta).unwrap();
        let (runs, free) = (vec![Run::default(); ops.len()], [Some(0); LOCKS]);
        Self { ops, runs, free, had: vec![Vec::new(); LOCKS], out, longer: None }
    }

    /// The sum of all work.
    pub fn work(&self) -> u64 {
        self.ops.iter().flatten().map(|op| if let Op::Work(ticks) = op { *ticks } else { 0 }).sum()
    }

    fn put(&mut self, task: usize, at: u64, record: Record) {
        self.out.put(task as u16, at, record).unwrap();
    }

    pub fn run(&mut self, random: &mut Random) -> u64 {
        self.begin(0, TaskId::new(0, 1), 0);
        while let Some(task) = self.next_task() {
            self.step(task, random);
        }
        self.runs.iter().map(|run| run.ended.unwrap()).max().unwrap()
    }

    fn begin(&mut self, task: usize, id: TaskId, at: u64) {
        (self.runs[task].id, self.runs[task].now, self.runs[task].started) = (id, Some(at), at);
        if task == 0 {
            let flags = layout::task::IMPLICIT;
            self.put(0, 0, Record::Create(Create { task: id, flags, ..Default::default() }));
        }
    }

    /// The one whose clock is the earliest of those that can go on.
    fn next_task(&self) -> Option<usize> {
        let can = |&task: &usize| {
            let run = &self.runs[task];
            run.ended.is_none()
                && run.now.is_some()
                && match self.ops[task].get(run.at) {
                    Some(Op::Wait) => run.children.iter().all(|&child| self.runs[child].ended.is_some()),
                    Some(&Op::Lock(lock)) => self.free[lock].is_some(),
                    _ => true,
                }
        };
        (0..self.runs.len()).filter(can).min_by_key(|&task| self.runs[task].now)
    }

    fn step(&mut self, task: usize, random: &mut Random) {
        let now = self.runs[task].now.unwrap();
        let id = self.runs[task].id;
        let at = self.runs[task].at;
        let next = match self.ops[task].get(at) {
            None => return self.end(task, now),
            Some(&Op::Work(ticks)) => now + ticks,
            Some(&Op::Fork(child)) => {
                self.runs[task].children.push(child);
                let child_id = TaskId::new(task as u16, 1 + child as u64);
                let create = Create { task: child_id, parent: id, site: 1, cost: 1, flags: 0 };
                self.put(task, now, Record::Create(create));
                self.begin(child, child_id, now + 2 + random.below(9));
                now + 1
            }
            Some(Op::Wait) => {
                let ends = self.runs[task].children.iter().map(|&child| self.runs[child].ended.unwrap());
                let end = ends.max().unwrap_or(now).max(now) + 1;
                let wait = Wait {
                    kind: WaitKind::Taskwait,
                    task: id,
                    ticks: end - now,
                    site: 1,
                    barrier: 0,
                    departures: 0,
                };
                self.put(task, now, Record::Wait(wait));
                end
            }
            Some(&Op::Lock(lock)) => {
                let had = self.free[lock].take().unwrap().max(now) + 1;
                self.had[lock].push((task, at));
                (self.runs[task].asked, self.runs[task].had) = (Some(now), had);
                had
            }
            Some(&Op::Unlock(lock)) => {
                self.free[lock] = Some(now);
                let (asked, had) = (self.runs[task].asked.unwrap(), self.runs[task].had);
                let (waited, held) = (had - asked, now - had);
                let kind = LockKind::Lock;
                self.put(
                    task,
                    had,
                    Record::Lock(Lock { task: id, address: lock as u64, waited, held, site: 1, kind }),
                );
                now
            }
        };
        self.runs[task].now = Some(next);
        self.runs[task].at += 1;
    }

    fn end(&mut self, task: usize, now: u64) {
        let (id, started) = (self.runs[task].id, self.runs[task].started);
        self.runs[task].ended = Some(now);
        let run = trace::Run { task: id, ticks: now - started, ..Default::default() };
        self.put(task, started, Record::Run(run));
    }

    /// The longest path to behind each operation, by following all edges back.
    fn depth(&self, task: usize, at: usize, locks: bool, known: &mut Vec<Vec<Option<u64>>>) -> u64 {
        if let Some(depth) = known[task][at] {
            return depth;
        }
        let before = match at {
            0 => self.forked_at(task).map_or(0, |(parent, fork)| self.depth(parent, fork, locks, known)),
            _ => self.depth(task, at - 1, locks, known),
        };
        let depth = match self.ops[task][at] {
            Op::Work(ticks) if self.longer == Some((task, at)) => before + ticks + LONG,
            Op::Work(ticks) => before + ticks,
            Op::Wait => {
                let children = self.ops[task][..at].iter().filter_map(|op| match op {
                    Op::Fork(child) => Some(*child),
                    _ => None,
                });
                let ends: Vec<_> = children
                    .map(|child| self.depth(child, self.ops[child].len() - 1, locks, known))
                    .collect();
                ends.into_iter().fold(before, u64::max)
            }
            Op::Lock(lock) if locks => {
                let place = self.had[lock].iter().position(|&hold| hold == (task, at)).unwrap();
                let unlock = place.checked_sub(1).map(|before| self.had[lock][before]);
                unlock.map_or(before, |(other, lock)| before.max(self.depth(other, lock + 2, locks, known)))
            }
            _ => before,
        };
        known[task][at] = Some(depth);
        depth
    }

    fn forked_at(&self, task: usize) -> Option<(usize, usize)> {
        let fork = Op::Fork(task);
        (0..task).find_map(|parent| self.ops[parent].iter().position(|&op| op == fork).map(|at| (parent, at)))
    }

    pub fn span(&self, locks: bool) -> u64 {
        let mut known: Vec<_> = self.ops.iter().map(|ops| vec![None; ops.len()]).collect();
        (0..self.ops.len())
            .map(|task| self.depth(task, self.ops[task].len() - 1, locks, &mut known))
            .max()
            .unwrap()
    }

    /// The longest path through a task: an operation that takes very long draws it.
    pub fn through(&mut self, task: usize) -> u64 {
        let ops = 0..self.ops[task].len();
        let work: Vec<_> = ops.filter(|&at| matches!(self.ops[task][at], Op::Work(_))).collect();
        let with = |at: usize| {
            self.longer = Some((task, at));
            self.span(true) - LONG
        };
        let longest = work.into_iter().map(with).max().unwrap();
        self.longer = None;
        longest
    }

    /// The work in the holds of one lock.
    pub fn longest_lock(&self) -> u64 {
        let held = |&(task, at): &(usize, usize)| match self.ops[task][at + 1] {
            Op::Work(ticks) => ticks,
            _ => 0,
        };
        self.had.iter().map(|holds| holds.iter().map(held).sum()).max().unwrap()
    }
}
