// SPDX-License-Identifier: Apache-2.0
//! Writes a synthetic recording of a Fibonacci-like program, to measure the tools with:
//!
//!     cargo run --release -p teff-grains --example synth -- DIR GRAINS
//!
//! Two workers each run a tree of tasks that create two children and wait for them.

use std::io;
use std::path::Path;

use trace::layout::task;
use trace::writer::RecordingWriter;
use trace::*;

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
        let wait = Wait {
            kind: WaitKind::Taskwait,
            task: parent,
            ticks: self.now - begin,
            site: 2,
            barrier: 0,
            departures: 0,
        };
        self.put(begin, Record::Wait(wait))?;
        self.now += PART_TICKS;
        Ok(())
    }

    fn implicit(&mut self, parent: TaskId, region: RegionId) -> io::Result<TaskId> {
        let task = self.new_task();
        let create = Create { task, parent, site: 3, cost: u32::from(self.stream), flags: task::IMPLICIT };
        self.put(self.now, Record::Create(create))?;
        self.put(self.now, Record::Start { task, region })?;
        Ok(task)
    }
}

fn write(directory: &Path, grains: u64) -> io::Result<()> {
    let mut meta = RecordingWriter::plain_meta(2);
    meta.command = vec!["./synth".to_owned(), grains.to_string()].into();
    let mut out = RecordingWriter::create(directory, 2, &meta)?;
    for stream in 0..2 {
        for site in 1..=3 {
            let call_site = 0x40_0000 + u64::from(site) * 16;
            out.put(stream, 0, Record::Site(Site { site, module: 0, call_site, function: 0 }))?;
        }
    }
    let mut first = Worker { out: &mut out, stream: 0, now: 0, next_task: 0 };
    let initial = first.implicit(TaskId::NONE, RegionId::NONE)?;
    first.now = 1_000;
    let region = Region { region: REGION, parent: initial, site: 3, threads: 2, requested: 2, level: 1 };
    first.put(1_000, Record::Region(region))?;
    let mut last = 0;
    for stream in 0..2 {
        let next_task = u64::from(stream == 0);
        let mut worker = Worker { out: &mut out, stream, now: 2_000, next_task };
        let task = worker.implicit(initial, REGION)?;
        worker.run(task, grains / 2)?;
        last = last.max(worker.now);
    }
    out.put(0, last, Record::RegionEnd { region: REGION })?;
    out.put(0, 0, Record::Run(Run { task: initial, ticks: last + 500, ..Default::default() }))?;
    out.end(last + 500)
}

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let (Some(directory), Some(Ok(grains))) = (words.next(), words.next().map(|word| word.parse())) else {
        return Err(io::Error::other("usage: synth DIR GRAINS"));
    };
    write(Path::new(&directory), grains)
}
