// SPDX-License-Identifier: Apache-2.0
//! Random programs that fork, join and lock, run by a scheduler of their own on a virtual clock.
//! Their true work and span come from the graph of their operations, by brute force.

mod common;

use grains::Profile;
use trace::writer::RecordingWriter;
use trace::*;

use common::Random;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    Work(u64),
    Fork(usize),
    Wait,
    Lock(usize),
    Unlock(usize),
}

const LONG: u64 = 1 << 32;
const LOCKS: usize = 3;
const TASKS: usize = 24;

/// The operations of each task; the first is the initial one. A fork names a later task.
fn program(random: &mut Random) -> Vec<Vec<Op>> {
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
struct Run {
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

struct Machine<'a> {
    ops: &'a [Vec<Op>],
    runs: Vec<Run>,
    /// When each lock is free; `None`: it is held.
    free: [Option<u64>; LOCKS],
    /// Of each lock: who had it, as (task, operation), in order.
    had: Vec<Vec<(usize, usize)>>,
    out: RecordingWriter,
    /// This operation takes longer by [`LONG`].
    longer: Option<(usize, usize)>,
}

impl Machine<'_> {
    fn put(&mut self, task: usize, at: u64, record: Record) {
        self.out.put(task as u16, at, record).unwrap();
    }

    fn run(&mut self, random: &mut Random) -> u64 {
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

    fn span(&self, locks: bool) -> u64 {
        let mut known: Vec<_> = self.ops.iter().map(|ops| vec![None; ops.len()]).collect();
        (0..self.ops.len())
            .map(|task| self.depth(task, self.ops[task].len() - 1, locks, &mut known))
            .max()
            .unwrap()
    }

    /// The longest path through a task: an operation that takes very long draws it.
    fn through(&mut self, task: usize) -> u64 {
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
    fn longest_lock(&self) -> u64 {
        let held = |&(task, at): &(usize, usize)| match self.ops[task][at + 1] {
            Op::Work(ticks) => ticks,
            _ => 0,
        };
        self.had.iter().map(|holds| holds.iter().map(held).sum()).max().unwrap()
    }
}

#[test]
fn work_and_span_of_random_programs_are_the_true_ones() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(0x7e_ff02);
    let mut with_locks = 0;
    for round in 0..300 {
        let ops = program(&mut random);
        let meta = RecordingWriter::plain_meta(2);
        let path = directory.path().join(round.to_string());
        let out = RecordingWriter::create(&path, TASKS as u16, &meta).unwrap();
        let (runs, free) = (vec![Run::default(); ops.len()], [Some(0); LOCKS]);
        let mut machine = Machine { ops: &ops, runs, free, had: vec![Vec::new(); LOCKS], out, longer: None };
        let wall = machine.run(&mut random);
        let work: u64 =
            ops.iter().flatten().map(|op| if let Op::Work(ticks) = op { *ticks } else { 0 }).sum();
        let (span, free_span) = (machine.span(true), machine.span(false));
        let any = free_span.max(machine.longest_lock());
        with_locks += u64::from(span > free_span);
        let through: Vec<_> = (0..ops.len()).map(|task| machine.through(task)).collect();
        machine.out.end(wall).unwrap();
        let profile = Profile::of(Recording::open(&path).unwrap(), &|_| {}).unwrap();
        assert_eq!((profile.work.0, profile.span.0), (work, span), "round {round}: {ops:?}");
        assert_eq!(profile.span_any_schedule.0, any, "round {round}: {ops:?}");
        let slack = grains::metrics::slack(&profile);
        for (row, of_grain) in slack.iter().enumerate() {
            let through = through[usize::from(profile.grains.worker[row])];
            assert_eq!(of_grain.unwrap().0, span - through, "round {round}, row {row}: {ops:?}");
        }
        assert!(profile.span <= profile.wall && profile.span_any_schedule <= profile.span);
    }
    assert!(with_locks > 20, "only {with_locks} programs had a lock on their path");
}
