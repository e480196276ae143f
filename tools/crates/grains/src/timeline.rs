// SPDX-License-Identifier: Apache-2.0
//! Lays out what each grain does in program order: fragments between forks, joins, chunks and
//! regions.
//!
//! A task is cut where something of it was recorded: where it created a task, waited, met a
//! parallel region or ran a chunk. Each of these takes time that is not the task's own work: the
//! creation cost (of an inline child all of its run), the wait, the region, the chunk. A chunk is a
//! grain of its own, so what the task does while it runs a chunk goes to that chunk's items.

use trace::WaitKind;

use crate::assemble::{Assembled, UNKNOWN};
use crate::csr::Groups;
use crate::tables::*;
use crate::taskgroups::Taskgroups;
use crate::ticks::Ticks;
use crate::NONE;

#[derive(Default)]
pub(crate) struct Timeline {
    pub fragments: Fragments,
    pub items: Items,
    /// Of each grain: the item of its parent that forks it (its chunk or region item where it is
    /// one of those).
    pub fork_item: Vec<u32>,
    pub taskgroups: Taskgroups,
}

/// Lists of what belongs to each task.
struct ByTask {
    children: Groups,
    waits: Groups,
    group_begins: Groups,
    regions: Groups,
    chunks: Groups,
    members: Groups,
}

impl ByTask {
    fn new(all: &Assembled) -> Self {
        let grains = &all.grains;
        let tasks = grains.tasks;
        let child_key = |row: usize| match grains.kind[row] {
            GrainKind::Task => grains.parent[row],
            _ => NONE,
        };
        Self {
            children: Groups::new(tasks, (0..tasks).map(child_key)),
            waits: Groups::new(tasks, all.waits.iter().map(|wait| wait.task)),
            group_begins: Groups::new(tasks, all.group_begins.iter().map(|begin| begin.0)),
            regions: Groups::new(tasks, all.regions.iter().map(|region| region.parent)),
            chunks: Groups::new(tasks, grains.parent[tasks..].iter().copied()),
            members: Groups::new(all.regions.len(), all.member_of.iter().copied()),
        }
    }
}

pub(crate) fn lay_out(all: &mut Assembled) -> Timeline {
    let by_task = ByTask::new(all);
    let grains = all.grains.len();
    all.grains.work = vec![Ticks::ZERO; grains];
    all.grains.wait = vec![Ticks::ZERO; grains];
    let mut out = Timeline { fork_item: vec![NONE; grains], ..Timeline::default() };
    if !all.group_begins.is_empty() {
        out.taskgroups = Taskgroups::new(all.grains.tasks, all.waits.len());
    }
    out.items.start = vec![0; grains];
    out.items.end = vec![0; grains];
    let mut events = Vec::new();
    for task in 0..all.grains.tasks as u32 {
        collect_events(all, &by_task, task, &mut events);
        let mut cutter = Cutter::new(all, &by_task, &mut out, task);
        for event in &events {
            cutter.take(event);
        }
        cutter.finish();
    }
    out
}

#[derive(Clone, Copy)]
struct Event {
    at: Ticks,
    kind: EventKind,
    row: u32,
}

#[derive(Clone, Copy)]
enum EventKind {
    Chunk,
    Fork,
    Wait,
    Region,
    Taskgroup,
}

fn collect_events(all: &Assembled, by_task: &ByTask, task: u32, events: &mut Vec<Event>) {
    events.clear();
    let mut add = |rows: &[u32], kind, at: &dyn Fn(usize) -> Ticks| {
        events.extend(rows.iter().map(|&row| Event { at: at(row as usize), kind, row }));
    };
    // First, so that it stands before its children also where the clock did not move between.
    add(by_task.group_begins.of(task), EventKind::Taskgroup, &|row| all.group_begins[row].1);
    let first_chunk = all.grains.tasks;
    add(by_task.chunks.of(task), EventKind::Chunk, &|row| all.grains.start[first_chunk + row]);
    add(by_task.children.of(task), EventKind::Fork, &|row| all.grains.create[row]);
    add(by_task.regions.of(task), EventKind::Region, &|row| all.regions[row].begin);
    add(by_task.waits.of(task), EventKind::Wait, &|row| all.waits[row].begin);
    // Stable, and quick on the sorted runs that it is given.
    events.sort_by_key(|event| event.at);
}

/// Cuts one task.
struct Cutter<'a> {
    all: &'a mut Assembled,
    by_task: &'a ByTask,
    out: &'a mut Timeline,
    task: u32,
    finished: bool,
    /// Up to here everything has been given to a fragment or to something else.
    cursor: Ticks,
    /// Where the task ends: no fragment goes beyond.
    limit: Ticks,
    /// The chunk being run, and where it ends.
    chunk: Option<(u32, Ticks)>,
    /// Items of the task's chunks, behind those of the task itself: (grain, kind, row).
    chunk_items: Vec<(u32, ItemKind, u32)>,
}

impl<'a> Cutter<'a> {
    fn new(all: &'a mut Assembled, by_task: &'a ByTask, out: &'a mut Timeline, task: u32) -> Self {
        let row = task as usize;
        let end = all.grains.end[row];
        out.items.start[row] = out.items.kind.len() as u32;
        out.taskgroups.enter_task();
        Self {
            cursor: all.grains.start[row],
            limit: end,
            finished: end != UNKNOWN,
            all,
            by_task,
            out,
            task,
            chunk: None,
            chunk_items: Vec::new(),
        }
    }

    /// The grain whose time is running.
    fn owner(&self) -> u32 {
        self.chunk.map_or(self.task, |(chunk, _)| chunk)
    }

    fn item(&mut self, kind: ItemKind, row: u32) {
        match self.chunk {
            Some((chunk, _)) => self.chunk_items.push((chunk, kind, row)),
            None => self.out.items.push(kind, row),
        }
    }

    /// The owner ran from the cursor until `at`.
    fn run_until(&mut self, at: Ticks) {
        let end = at.min(self.limit);
        if end > self.cursor {
            self.fragment(self.cursor, end);
        }
        self.cursor = self.cursor.max(at);
    }

    fn fragment(&mut self, start: Ticks, end: Ticks) {
        let grain = self.owner();
        let row = self.out.fragments.grain.len() as u32;
        self.out.fragments.grain.push(grain);
        self.out.fragments.start.push(start);
        self.out.fragments.end.push(end);
        self.all.grains.work[grain as usize] += end - start;
        self.item(ItemKind::Fragment, row);
    }

    /// The time from the cursor until `end` is not the owner's.
    fn skip_until(&mut self, end: Ticks) {
        self.cursor = self.cursor.max(end);
    }

    fn take(&mut self, event: &Event) {
        if self.cursor == UNKNOWN {
            // Nothing says when it started: the first thing that it did is the best evidence.
            self.cursor = event.at;
            self.all.grains.start[self.task as usize] = event.at;
        }
        if matches!(event.kind, EventKind::Taskgroup) && self.finished {
            // Nothing is cut: it takes no time, and the graph shows where it ends.
            return self.out.taskgroups.begin();
        }
        self.leave_chunk_before(event.at);
        self.run_until(event.at);
        match event.kind {
            EventKind::Fork => self.fork(event),
            EventKind::Wait => self.wait(event.row),
            EventKind::Region => self.region(event.row),
            EventKind::Chunk => self.enter_chunk(event.row),
            EventKind::Taskgroup => self.out.taskgroups.begin(),
        }
    }

    fn fork(&mut self, event: &Event) {
        let child = event.row;
        let row = child as usize;
        let grains = &mut self.all.grains;
        grains.parent[row] = self.chunk.map_or(self.task, |(chunk, _)| chunk);
        let inline = grains.has(child, flag::INLINE) && !grains.has(child, flag::UNFINISHED);
        self.out.taskgroups.fork(child);
        let paid = event.at + grains.creation[row];
        let until = if inline { paid.max(grains.end[row]) } else { paid };
        self.item(ItemKind::Fork, child);
        self.skip_until(until);
    }

    fn wait(&mut self, row: u32) {
        let wait = self.all.waits[row as usize];
        let owner = self.owner() as usize;
        self.all.grains.wait[owner] += wait.lost;
        if wait.kind == WaitKind::Taskgroup {
            self.out.taskgroups.end(row);
        }
        if joins(wait.kind) {
            self.item(ItemKind::Join, row);
        }
        self.skip_until(wait.end);
    }

    fn region(&mut self, row: u32) {
        let owner = self.owner();
        for &member in self.by_task.members.of(row) {
            self.all.grains.parent[member as usize] = owner;
        }
        self.item(ItemKind::Region, row);
        self.skip_until(self.all.regions[row as usize].end);
    }

    fn enter_chunk(&mut self, chunk: u32) {
        // Chunks of one task do not overlap; in a damaged trace the later one cuts the earlier one
        // short.
        self.leave_chunk();
        let grain = self.all.grains.tasks as u32 + chunk;
        self.item(ItemKind::Chunk, grain);
        self.chunk = Some((grain, self.all.grains.end[grain as usize]));
    }

    fn leave_chunk_before(&mut self, at: Ticks) {
        if let Some((_, end)) = self.chunk {
            if end <= at {
                self.run_until(end);
                self.leave_chunk();
            }
        }
    }

    fn leave_chunk(&mut self) {
        if let Some((chunk, end)) = self.chunk {
            if self.chunk_items.last().is_none_or(|item| item.0 != chunk) {
                self.fragment(end, end); // too short for the clock, yet drawn
            }
            self.chunk = None;
        }
    }

    fn finish(mut self) {
        self.leave_chunk_before(UNKNOWN);
        let row = self.task as usize;
        if self.finished {
            self.run_until(self.limit);
        } else {
            self.end_unfinished(row);
        }
        if self.out.items.kind.len() as u32 == self.out.items.start[row] {
            // Also a task too short for the clock, or one that never ran, is drawn.
            self.fragment(self.all.grains.start[row], self.all.grains.end[row]);
        }
        self.out.items.end[row] = self.out.items.kind.len() as u32;
        self.append_chunk_items();
        self.note_forks(self.out.items.of(self.task));
    }

    fn end_unfinished(&mut self, row: usize) {
        let grains = &mut self.all.grains;
        if self.cursor == UNKNOWN {
            self.cursor = grains.create[row];
            grains.start[row] = self.cursor;
        }
        grains.end[row] = self.cursor;
    }

    fn append_chunk_items(&mut self) {
        let items = std::mem::take(&mut self.chunk_items);
        for group in items.chunk_by(|a, b| a.0 == b.0) {
            let grain = group[0].0;
            let start = self.out.items.kind.len() as u32;
            for &(_, kind, row) in group {
                self.out.items.push(kind, row);
            }
            self.out.items.start[grain as usize] = start;
            self.out.items.end[grain as usize] = self.out.items.kind.len() as u32;
            self.note_forks(self.out.items.of(grain));
        }
    }

    fn note_forks(&mut self, items: std::ops::Range<usize>) {
        for at in items {
            let row = self.out.items.row[at];
            match self.out.items.kind[at] {
                ItemKind::Fork | ItemKind::Chunk => self.out.fork_item[row as usize] = at as u32,
                ItemKind::Region => {
                    for &member in self.by_task.members.of(row) {
                        self.out.fork_item[member as usize] = at as u32;
                    }
                }
                ItemKind::Fragment | ItemKind::Join => {}
            }
        }
    }
}

/// Whether tasks are joined there; the other waits only take time.
fn joins(kind: WaitKind) -> bool {
    use WaitKind::*;
    matches!(kind, Taskwait | Taskgroup | Barrier | ImplicitBarrier | RegionEnd | Depend)
}
