// SPDX-License-Identifier: Apache-2.0
//! Writes a synthetic recording of two workers, for measuring the tools:
//!
//!     cargo run --release -p teff-grains --example synth -- DIR GRAINS [SHAPE]
//!
//! The shapes: `tree`, tasks that create two children and wait for them, like Fibonacci's; `deep`,
//! tasks that create one child; `wide`, all tasks from one parent; `loop`, chunks of one loop;
//! `regions`, one parallel region after the other.

use std::io;
use std::path::Path;

use trace::layout::task;
use trace::writer::RecordingWriter;
use trace::{Chunk, Create, Loop, LoopId, Record, Region, RegionId, Run, Site, TaskId, Wait, WaitKind};

const REGION: RegionId = RegionId::new(0, 1);
const LEAF_TICKS: u64 = 400;
const PART_TICKS: u64 = 60;
const CREATE_TICKS: u32 = 40;

/// One worker, whose clock goes on with what it does.
struct Worker<'a> {
    out: &'a mut RecordingWriter,
    stream: u16,
    now: u64,
    next_task: u64,
}

impl Worker<'_> {
    fn put(&mut self, ticks: u64, record: Record) -> io::Result<()> {
        self.out.put(self.stream, ticks, record)
    }

    fn new_task(&mut self) -> TaskId {
        self.next_task += 1;
        TaskId::new(self.stream, self.next_task)
    }

    /// Runs a task whose subtree has `grains` grains, itself included.
    fn run(&mut self, task: TaskId, grains: u64) -> io::Result<()> {
        let start = self.now;
        if grains < 3 {
            self.now += LEAF_TICKS;
        } else {
            self.fork_two(task, grains - 1)?;
        }
        let run = Run { task, ticks: self.now - start, cpu: self.stream, region: REGION, flags: 0 };
        self.put(start, Record::Run(run))
    }

    fn fork_two(&mut self, parent: TaskId, grains: u64) -> io::Result<()> {
        let larger = grains * 618 / 1000;
        let mut children = Vec::with_capacity(2);
        for size in [larger.max(1), grains - larger.max(1)] {
            self.now += PART_TICKS;
            let task = self.new_task();
            let create = Create { task, parent, site: 1, cost: CREATE_TICKS, flags: 0 };
            self.put(self.now, Record::Create(create))?;
            self.now += u64::from(CREATE_TICKS);
            children.push((task, size));
        }
        let begin = self.now;
        for (task, size) in children.into_iter().rev() {
            self.now += 20;
            self.run(task, size)?;
        }
        self.now += 20;
        self.taskwait(parent, begin)?;
        self.now += PART_TICKS;
        Ok(())
    }

    /// From `begin` to here.
    fn taskwait(&mut self, task: TaskId, begin: u64) -> io::Result<()> {
        let (kind, ticks) = (WaitKind::Taskwait, self.now - begin);
        self.put(begin, Record::Wait(Wait { kind, task, ticks, site: 2, barrier: 0, departures: 0 }))
    }

    fn implicit(&mut self, parent: TaskId, region: RegionId) -> io::Result<TaskId> {
        let task = self.new_task();
        let create = Create { task, parent, site: 3, cost: u32::from(self.stream), flags: task::IMPLICIT };
        self.put(self.now, Record::Create(create))?;
        self.put(self.now, Record::Start { task, region })?;
        Ok(task)
    }
}

/// What the workers do inside a region, from its implicit tasks on.
type Body = fn(&mut Workers, [TaskId; 2], u64) -> io::Result<()>;

/// Both workers, each with its clock and its count of tasks.
struct Workers<'a> {
    out: &'a mut RecordingWriter,
    now: [u64; 2],
    tasks: [u64; 2],
}

impl Workers<'_> {
    /// One of them at work.
    fn on<T>(&mut self, stream: u16, work: impl FnOnce(&mut Worker) -> io::Result<T>) -> io::Result<T> {
        let at = usize::from(stream);
        let mut worker = Worker { out: self.out, stream, now: self.now[at], next_task: self.tasks[at] };
        let result = work(&mut worker);
        (self.now[at], self.tasks[at]) = (worker.now, worker.next_task);
        result
    }

    fn both(&mut self, mut work: impl FnMut(&mut Worker) -> io::Result<()>) -> io::Result<()> {
        self.on(0, &mut work)?;
        self.on(1, &mut work)
    }

    /// A region of the initial task; returns its implicit tasks, which have begun.
    fn region(&mut self, region: RegionId, initial: TaskId) -> io::Result<[TaskId; 2]> {
        let begin = self.now[0].max(self.now[1]) + 1_000;
        self.now = [begin + 500; 2];
        let record = Region { region, parent: initial, site: 3, threads: 2, requested: 2, level: 1 };
        self.out.put(0, begin, Record::Region(record))?;
        Ok([
            self.on(0, |worker| worker.implicit(initial, region))?,
            self.on(1, |worker| worker.implicit(initial, region))?,
        ])
    }

    /// Both implicit tasks ran from `begin` to here.
    fn region_end(&mut self, region: RegionId, tasks: [TaskId; 2], begin: [u64; 2]) -> io::Result<()> {
        for (stream, task) in tasks.into_iter().enumerate() {
            let ticks = self.now[stream] - begin[stream];
            let run = Run { task, ticks, cpu: stream as u16, region, flags: 0 };
            self.out.put(stream as u16, begin[stream], Record::Run(run))?;
        }
        let end = self.now[0].max(self.now[1]);
        self.out.put(0, end, Record::RegionEnd { region })
    }
}

fn tree(workers: &mut Workers, tasks: [TaskId; 2], grains: u64) -> io::Result<()> {
    workers.both(|worker| {
        let task = tasks[usize::from(worker.stream)];
        worker.fork_two(task, grains / 2)
    })
}

/// Each task creates the next one and waits for it.
fn deep(workers: &mut Workers, tasks: [TaskId; 2], grains: u64) -> io::Result<()> {
    workers.both(|worker| {
        let mut open = Vec::new();
        let mut parent = tasks[usize::from(worker.stream)];
        for _ in 0..grains / 2 {
            worker.now += PART_TICKS;
            let task = worker.new_task();
            let create = Create { task, parent, site: 1, cost: CREATE_TICKS, flags: 0 };
            worker.put(worker.now, Record::Create(create))?;
            worker.now += u64::from(CREATE_TICKS);
            open.push((parent, worker.now, task, worker.now + 20));
            worker.now += 20;
            parent = task;
        }
        worker.now += LEAF_TICKS;
        while let Some((parent, wait, task, start)) = open.pop() {
            let run = Run { task, ticks: worker.now - start, cpu: worker.stream, region: REGION, flags: 0 };
            worker.put(start, Record::Run(run))?;
            worker.now += 20;
            worker.taskwait(parent, wait)?;
            worker.now += PART_TICKS;
        }
        Ok(())
    })
}

/// The first worker creates all; each runs half of them.
fn wide(workers: &mut Workers, implicit: [TaskId; 2], grains: u64) -> io::Result<()> {
    let parent = implicit[0];
    let mut tasks = Vec::new();
    workers.on(0, |worker| {
        for _ in 0..grains {
            worker.now += PART_TICKS;
            let task = worker.new_task();
            let create = Create { task, parent, site: 1, cost: CREATE_TICKS, flags: 0 };
            worker.put(worker.now, Record::Create(create))?;
            worker.now += u64::from(CREATE_TICKS);
            tasks.push(task);
        }
        Ok(())
    })?;
    let begin = workers.now[0];
    let begins = [begin, workers.now[1]];
    workers.now[1] = begin;
    workers.both(|worker| {
        for (number, &task) in tasks.iter().enumerate() {
            if number % 2 == usize::from(worker.stream) {
                let (start, ticks) = (worker.now + 20, LEAF_TICKS + 37 * (number as u64 * 7919 % 101));
                worker.now = start + ticks;
                let run = Run { task, ticks, cpu: worker.stream, region: REGION, flags: 0 };
                worker.put(start, Record::Run(run))?;
            }
        }
        Ok(())
    })?;
    workers.both(|worker| {
        let at = usize::from(worker.stream);
        worker.taskwait(implicit[at], begins[at])
    })
}

fn chunks(workers: &mut Workers, tasks: [TaskId; 2], grains: u64) -> io::Result<()> {
    let id = LoopId::new(0, 1);
    let info = Loop {
        id,
        site: 1,
        region: REGION,
        ub: grains as i64 * 4,
        step: 1,
        threads: 2,
        ..Default::default()
    };
    workers.out.put(0, workers.now[0], Record::Loop(info))?;
    workers.both(|worker| {
        let task = tasks[usize::from(worker.stream)];
        for number in (u64::from(worker.stream)..grains).step_by(2) {
            let (start, ticks) = (worker.now + 20, LEAF_TICKS + 37 * (number * 7919 % 101));
            worker.now = start + ticks;
            let first = number as i64 * 4;
            let chunk = Chunk { id, task, first, iterations: 4, ticks, cpu: worker.stream };
            worker.put(start, Record::Chunk(chunk))?;
        }
        Ok(())
    })
}

/// What an implicit task of a short region does.
fn short(workers: &mut Workers, _: [TaskId; 2], _: u64) -> io::Result<()> {
    workers.both(|worker| {
        worker.now += LEAF_TICKS;
        Ok(())
    })
}

pub fn write(directory: &Path, grains: u64, shape: &str) -> io::Result<()> {
    let (body, regions): (Body, u64) = match shape {
        "tree" => (tree, 1),
        "deep" => (deep, 1),
        "wide" => (wide, 1),
        "loop" => (chunks, 1),
        "regions" => (short, grains / 2),
        _ => return Err(io::Error::other(format!("no shape {shape}"))),
    };
    let mut meta = RecordingWriter::plain_meta(2);
    meta.command = vec!["./synth".to_owned(), grains.to_string(), shape.to_owned()].into();
    let mut out = RecordingWriter::create(directory, 2, &meta)?;
    for stream in 0..2 {
        for site in 1..=3 {
            let call_site = 0x40_0000 + u64::from(site) * 16;
            out.put(stream, 0, Record::Site(Site { site, module: 0, call_site, function: 0 }))?;
        }
    }
    let mut workers = Workers { out: &mut out, now: [0; 2], tasks: [0; 2] };
    let initial = workers.on(0, |worker| worker.implicit(TaskId::NONE, RegionId::NONE))?;
    for ordinal in 1..=regions {
        let region = RegionId::new(0, ordinal);
        let tasks = workers.region(region, initial)?;
        let begin = workers.now;
        body(&mut workers, tasks, grains)?;
        workers.region_end(region, tasks, begin)?;
    }
    let last = workers.now[0].max(workers.now[1]);
    out.put(0, 0, Record::Run(Run { task: initial, ticks: last + 500, ..Default::default() }))?;
    out.end(last + 500)
}

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let (Some(directory), Some(Ok(grains))) = (words.next(), words.next().map(|word| word.parse())) else {
        return Err(io::Error::other("usage: synth DIR GRAINS [SHAPE]"));
    };
    write(Path::new(&directory), grains, words.next().as_deref().unwrap_or("tree"))
}
