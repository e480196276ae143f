// SPDX-License-Identifier: Apache-2.0
//! Converts a profile of MIR to a recording.
//!
//! MIR records when a task ended and how long it ran, without the tasks that ran on top of it, but
//! not when it began. So the nesting of each processor's tasks is computed from their ends,
//! backwards in time: the task that ended last stays on the stack until it has run for its recorded
//! time, and tasks that ended in that time lay on top of it. Of a task's costs for children and
//! waits, only the sum is known. The part that remains after the cost of creation is divided among
//! the waits, in proportion to the space before each wait. A cycle is a tick.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::Path;

use trace::layout::task::IMPLICIT;
use trace::layout::{MASK_48, MAX_STREAMS};
use trace::writer::RecordingWriter;
use trace::{Create, End, Meta, Record, RegionId, Run, Site, TaskId, Wait, WaitKind};

use super::Task;

/// When a task ran, and the tasks that ran on top of it: (after this amount of its own time, row).
#[derive(Clone, Default)]
struct Stay {
    start: u64,
    end: u64,
    /// The number of tasks below it on the stack; the program is below all tasks.
    depth: u32,
    on_top: Vec<(u64, u32)>,
}

/// The task that stands for the program outside of all tasks.
const PROGRAM: TaskId = TaskId::new(0, 1);

pub fn import(tasks: &[Task], directory: &Path, ticks_per_second: u64) -> io::Result<()> {
    let streams = streams(tasks);
    let last = tasks.iter().map(|task| task.exec_end_instant).max().unwrap_or(0);
    let longest = tasks.iter().map(|task| task.exec_cycles.max(task.creation_cycles)).max().unwrap_or(0);
    if last.max(longest) > MASK_48 || streams.len() >= MAX_STREAMS {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "its times or processors are too many for a recording",
        ));
    }
    let meta = Meta {
        ticks_per_second,
        host: "MIR".to_owned(),
        command: vec!["(profile of MIR)".to_owned()].into(),
        ..RecordingWriter::plain_meta(streams.len() as u32)
    };
    let number = streams.len().max(1);
    let mut out = RecordingWriter::create(directory, number as u16, &meta)?;
    let mut records = Records(vec![Vec::new(); number]);
    program(&mut records, last);
    let mut given = vec![0; number];
    given[0] = PROGRAM.ordinal();
    Importer {
        tasks,
        stays: &stays(tasks),
        streams: &streams,
        sites: sites(tasks),
        children: children(tasks),
        ids: vec![TaskId::NONE; tasks.len()],
        given,
        records,
    }
    .run()
    .write(&mut out)?;
    let ns = last as f64 / ticks_per_second as f64 * 1e9;
    out.end_with(last, End { end_monotonic_ns: ns as u64, ..End::default() })
}

/// The records of each stream, in the order in which a worker writes them, which is the order of
/// their ends. Of records that end at the same time, the inner one comes first.
struct Records(Vec<Vec<(Order, u64, Record<'static>)>>);

/// End, begin, depth on the stack, and whether it is the RUN around a task's waits.
type Order = (u64, Reverse<u64>, Reverse<u32>, bool);

impl Records {
    fn put(&mut self, stream: u16, begin: u64, end: u64, depth: u32, record: Record<'static>) {
        let is_run = matches!(record, Record::Run(_));
        let order = (end, Reverse(begin), Reverse(depth), is_run);
        self.0[usize::from(stream)].push((order, begin, record));
    }

    fn write(self, out: &mut RecordingWriter) -> io::Result<()> {
        for (stream, mut records) in self.0.into_iter().enumerate() {
            records.sort_by_key(|&(order, _, _)| order);
            for (_, begin, record) in records {
                out.put(stream as u16, begin, record)?;
            }
        }
        Ok(())
    }
}

/// The program waits for all tasks that it began.
fn program(records: &mut Records, last: u64) {
    let create = Create { task: PROGRAM, flags: IMPLICIT, ..Create::default() };
    records.put(0, 0, 0, 0, Record::Create(create));
    records.put(0, 0, last, 0, Record::Wait(wait(PROGRAM, WaitKind::Taskwait, last)));
    records.put(0, 0, last, 0, Record::Run(Run { task: PROGRAM, ticks: last, ..Run::default() }));
}

fn wait(task: TaskId, kind: WaitKind, ticks: u64) -> Wait {
    Wait { kind, task, ticks, site: 0, barrier: 0, departures: 0 }
}

/// A stream for each processor that ran a task, in the order of their numbers.
fn streams(tasks: &[Task]) -> BTreeMap<u32, u16> {
    let mut streams: BTreeMap<u32, u16> = tasks.iter().map(|task| (task.cpu_id, 0)).collect();
    for (number, stream) in streams.values_mut().enumerate() {
        *stream = number as u16;
    }
    streams
}

fn stays(tasks: &[Task]) -> Vec<Stay> {
    let mut stays = vec![Stay::default(); tasks.len()];
    let mut rows: Vec<u32> = (0..tasks.len() as u32).collect();
    rows.sort_by_key(|&row| {
        let task = &tasks[row as usize];
        (task.cpu_id, Reverse(task.exec_end_instant), task.task)
    });
    for processor in rows.chunk_by(|&a, &b| tasks[a as usize].cpu_id == tasks[b as usize].cpu_id) {
        nest(tasks, processor, &mut stays);
    }
    stays
}

/// `rows` are the tasks of one processor; the task that ended last comes first.
fn nest(tasks: &[Task], rows: &[u32], stays: &mut [Stay]) {
    // The tasks on the stack, each with the rest of its own time.
    let mut stack: Vec<(u32, u64)> = Vec::new();
    let mut now = u64::MAX;
    for &row in rows {
        let end = tasks[row as usize].exec_end_instant;
        go_back(&mut stack, &mut now, end, stays);
        if let Some(&(below, left)) = stack.last() {
            stays[below as usize].on_top.push((left, row));
        }
        now = now.min(end);
        stays[row as usize].end = end;
        stays[row as usize].depth = stack.len() as u32 + 1;
        stack.push((row, tasks[row as usize].exec_cycles));
    }
    go_back(&mut stack, &mut now, 0, stays);
    // Tasks that are still on the stack ran for longer than the program: they began with the
    // program.
    for &row in rows {
        stays[row as usize].on_top.reverse();
    }
}

/// Runs the tasks on the stack backwards, from `now` to `to`.
fn go_back(stack: &mut Vec<(u32, u64)>, now: &mut u64, to: u64, stays: &mut [Stay]) {
    while let Some((row, left)) = stack.last_mut() {
        let room = now.saturating_sub(to);
        if *left > room {
            *left -= room;
            *now = (*now).min(to);
            return;
        }
        *now -= *left;
        stays[*row as usize].start = *now;
        stack.pop();
    }
}

/// Finds where a task's own time lies in the time of its processor, forwards.
struct Own {
    start: u64,
    /// For each task on top: the amount of the lower task's own time before it; how long other
    /// tasks were on top before; how long this task was on top.
    on_top: Vec<(u64, u64, u64)>,
}

impl Own {
    fn of(stay: &Stay, stays: &[Stay]) -> Self {
        let mut before = 0;
        let on_top = stay.on_top.iter().map(|&(after, row)| {
            let above = &stays[row as usize];
            let length = above.end - above.start;
            before += length;
            (after, before - length, length)
        });
        Self { start: stay.start, on_top: on_top.collect() }
    }

    /// The instant at which the task has run for `own`. If another task was on top just then, the
    /// instant is before or after that task.
    fn instant(&self, own: u64, behind: bool) -> u64 {
        let count = self.on_top.partition_point(|&(after, _, _)| after < own || behind && after == own);
        let above = count.checked_sub(1).map_or(0, |last| self.on_top[last].1 + self.on_top[last].2);
        self.start + own + above
    }
}

/// Outlined functions, with the numbers of their sites.
fn sites(tasks: &[Task]) -> BTreeMap<u64, u32> {
    let mut sites: BTreeMap<u64, u32> = tasks.iter().map(|task| (task.outline_function, 0)).collect();
    for (number, site) in sites.values_mut().enumerate() {
        *site = number as u32 + 1;
    }
    sites
}

/// For each task, the rows of the tasks that it created, in the order of creation.
fn children(tasks: &[Task]) -> Vec<Vec<u32>> {
    let rows: HashMap<u64, u32> =
        tasks.iter().enumerate().map(|(row, task)| (task.task, row as u32)).collect();
    let mut children = vec![Vec::new(); tasks.len() + 1]; // the last are the program's
    for (row, task) in tasks.iter().enumerate() {
        let parent = rows.get(&task.parent).map_or(tasks.len(), |&parent| parent as usize);
        children[parent].push(row as u32);
    }
    for children in &mut children {
        children
            .sort_by_key(|&child| (tasks[child as usize].create_instant, tasks[child as usize].child_number));
    }
    children
}

struct Importer<'a> {
    tasks: &'a [Task],
    stays: &'a [Stay],
    streams: &'a BTreeMap<u32, u16>,
    sites: BTreeMap<u64, u32>,
    children: Vec<Vec<u32>>,
    ids: Vec<TaskId>,
    /// For each stream: the number of ids that are in use.
    given: Vec<u64>,
    records: Records,
}

impl Importer<'_> {
    fn run(mut self) -> Records {
        self.put_sites();
        for row in 0..self.children.len() {
            self.give_ids(row);
        }
        for &child in &self.children[self.tasks.len()].clone() {
            self.create(0, PROGRAM, child, self.stays[child as usize].start);
        }
        for row in 0..self.tasks.len() {
            self.task(row);
        }
        self.records
    }

    /// The id of a child belongs to the stream that creates the child; ids are given in the order
    /// of creation.
    fn give_ids(&mut self, parent: usize) {
        let stream = self.tasks.get(parent).map_or(0, |parent| self.streams[&parent.cpu_id]);
        for &child in &self.children[parent] {
            let given = &mut self.given[usize::from(stream)];
            *given += 1;
            self.ids[child as usize] = TaskId::new(stream, *given);
        }
    }

    /// Writes into every stream the outlined functions of the tasks that it creates. Their numbers
    /// are the same in all streams.
    fn put_sites(&mut self) {
        let mut created = BTreeSet::new();
        for (parent, children) in self.children.iter().enumerate() {
            let stream = self.tasks.get(parent).map_or(0, |parent| self.streams[&parent.cpu_id]);
            created
                .extend(children.iter().map(|&child| (stream, self.tasks[child as usize].outline_function)));
        }
        for (stream, function) in created {
            let site = self.sites[&function];
            let site = Site { site, module: 0, call_site: function.saturating_add(1), function };
            self.records.put(stream, 0, 0, 0, Record::Site(site));
        }
    }

    fn create(&mut self, stream: u16, parent: TaskId, child: u32, at: u64) {
        let task = &self.tasks[child as usize];
        let cost = task.creation_cycles.min(u32::MAX.into()) as u32;
        let site = self.sites[&task.outline_function];
        let create = Create { task: self.ids[child as usize], parent, site, cost, flags: 0 };
        self.records.put(stream, at, at, 0, Record::Create(create));
    }

    fn task(&mut self, row: usize) {
        let (task, stay, id) = (&self.tasks[row], &self.stays[row], self.ids[row]);
        let (stream, depth) = (self.streams[&task.cpu_id], stay.depth);
        let own = Own::of(stay, self.stays);
        for child in self.children[row].clone() {
            let created = &self.tasks[child as usize];
            let met = created.create_instant.saturating_sub(created.creation_cycles).min(task.exec_cycles);
            self.create(stream, id, child, own.instant(met, true));
        }
        let costs = self.costs(row);
        let joins: Vec<(u64, u64)> = costs
            .joins
            .iter()
            .map(|&(begin, end)| (own.instant(begin, false), own.instant(end, true)))
            .collect();
        for &(begin, end) in &joins {
            self.records.put(
                stream,
                begin,
                end,
                depth,
                Record::Wait(wait(id, WaitKind::Taskwait, end - begin)),
            );
        }
        let (begin, end) = costs.rest;
        let rest = (own.instant(begin, false), own.instant(end, true));
        let on_top = stay.on_top.iter().map(|&(_, above)| &self.stays[above as usize]);
        let beside = on_top.map(|above| (above.start, above.end)).filter(|&(start, end)| {
            let within = |&(begin, until): &(u64, u64)| begin <= start && end <= until;
            let join = joins.partition_point(|&(begin, _)| begin <= start).checked_sub(1);
            !join.map(|last| &joins[last]).into_iter().chain([&rest]).any(within)
        });
        // Nothing is joined at these waits.
        for (begin, end) in beside.chain([rest]).filter(|(begin, end)| begin < end).collect::<Vec<_>>() {
            self.records.put(
                stream,
                begin,
                end,
                depth,
                Record::Wait(wait(id, WaitKind::RunAtOnce, end - begin)),
            );
        }
        let (ticks, cpu) = (stay.end - stay.start, task.cpu_id.min(u16::MAX.into()) as u16);
        let run = Run { task: id, ticks, cpu, region: RegionId::NONE, flags: 0 };
        self.records.put(stream, stay.start, stay.end, depth, Record::Run(run));
    }

    /// Divides the task's costs for waits among the waits, in proportion to the time before each
    /// wait in which the task created nothing.
    fn costs(&self, row: usize) -> Costs {
        let task = &self.tasks[row];
        let children = self.children[row].iter().map(|&child| &self.tasks[child as usize]);
        let creation = children.clone().fold(0, |sum: u64, child| sum.saturating_add(child.creation_cycles));
        let paid = task.overhead_cycles.saturating_sub(creation).min(task.exec_cycles);
        let created: Vec<u64> = children.map(|child| child.create_instant).collect();
        let mut waits = task.wait_instants.clone();
        waits.sort_unstable();
        let mut free_since = 0;
        let room = |wait: u64, free_since: &mut u64| {
            let before = created.partition_point(|&instant| instant <= wait);
            let since = before.checked_sub(1).map_or(0, |last| created[last]).max(*free_since);
            *free_since = wait;
            wait.saturating_sub(since)
        };
        let rooms: Vec<u64> =
            waits.iter().map(|&wait| room(wait.min(task.exec_cycles), &mut free_since)).collect();
        let all = rooms.iter().fold(0, |sum: u64, &room| sum.saturating_add(room));
        let mut left = paid;
        let joins = waits.iter().zip(&rooms).map(|(&wait, &room)| {
            let share = u128::from(paid) * u128::from(room) / u128::from(all.max(1));
            let cost = (share as u64).saturating_add(u64::from(waits.len() > 1)).min(room).min(left);
            left -= cost;
            let end = wait.min(task.exec_cycles);
            (end - cost, end)
        });
        let joins = joins.collect();
        Costs { joins, rest: (task.exec_cycles - left, task.exec_cycles) }
    }
}

/// Begin and end of each cost, in the task's own time.
struct Costs {
    joins: Vec<(u64, u64)>,
    /// The part that does not fit before the waits is placed at the end.
    rest: (u64, u64),
}
