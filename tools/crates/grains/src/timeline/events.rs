// SPDX-License-Identifier: Apache-2.0
//! The records of one task, in order of time.

use crate::assemble::Assembled;
use crate::csr::Groups;
use crate::row::Row;
use crate::tables::{ChunkRow, GrainKind, GrainRow, RegionInfo, WaitRow};
use crate::ticks::Ticks;

#[derive(Clone, Copy)]
pub(super) struct Event {
    pub at: Ticks,
    pub kind: EventKind,
    pub row: u32,
}

impl Event {
    /// The row in the table that the kind names.
    pub fn row<T>(&self) -> Row<T> {
        Row::of_number(self.row)
    }
}

/// Those that belong together stand in this order where the clock did not move between them: so
/// what ends stands before what begins, and what lies in a chunk behind its beginning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventKind {
    Taskgroup,
    /// The recorder worked.
    Stall,
    Release,
    Fulfil,
    Source,
    Share,
    /// The book-keeping before a chunk begins.
    BookKeeping,
    Chunk,
    Fork,
    Region,
    Wait,
    /// The wait for a lock begins.
    Acquire,
    /// The wait for another iteration begins.
    Sink,
}

/// Lists of what belongs to each task.
pub(super) struct Events {
    children: Groups<GrainRow, GrainRow>,
    waits: Groups<GrainRow, WaitRow>,
    group_begins: Groups<GrainRow, u32>,
    regions: Groups<GrainRow, Row<RegionInfo>>,
    chunks: Groups<GrainRow, ChunkRow>,
    found: Vec<Event>,
}

impl Events {
    pub fn of(all: &Assembled) -> Self {
        let grains = &all.grains;
        let tasks = grains.tasks;
        let child_key = |row: GrainRow| match grains.kind[row] {
            GrainKind::Task => grains.parent[row],
            _ => None,
        };
        Self {
            children: Groups::new(tasks, grains.task_rows().map(child_key)),
            waits: Groups::new(tasks, all.waits.iter().map(|wait| wait.task)),
            group_begins: Groups::new(tasks, all.group_begins.iter().map(|begin| begin.0)),
            regions: Groups::new(tasks, all.regions.iter().map(|region| region.parent)),
            chunks: Groups::new(tasks, grains.parent.iter().skip(tasks).copied()),
            found: Vec::new(),
        }
    }

    pub fn collect(&mut self, all: &Assembled, task: GrainRow, marks: &[Mark]) -> &[Event] {
        let events = &mut self.found;
        events.clear();
        let grains = &all.grains;
        let begins = self.group_begins.of(task).iter();
        events.extend(begins.map(|&row| Event {
            at: all.group_begins[row as usize].1,
            kind: EventKind::Taskgroup,
            row,
        }));
        for &chunk in self.chunks.of(task) {
            let grain = grains.of_chunk(chunk);
            let (start, row) = (grains.start[grain], grain.number());
            let books = start - grains.creation.of(grain);
            events.push(Event { at: books, kind: EventKind::BookKeeping, row });
            events.push(Event { at: start, kind: EventKind::Chunk, row });
        }
        for &child in self.children.of(task) {
            events.push(Event { at: grains.create[child], kind: EventKind::Fork, row: child.number() });
        }
        for &wait in self.waits.of(task) {
            events.push(Event { at: all.waits[wait].begin, kind: EventKind::Wait, row: wait.number() });
        }
        for &region in self.regions.of(task) {
            let at = all.regions[region].begin;
            events.push(Event { at, kind: EventKind::Region, row: region.number() });
        }
        events.extend(marks.iter().map(|mark| mark.event));
        // Stable, and quick on the sorted runs that it is given.
        events.sort_by_key(|event| (event.at, event.kind));
        events
    }
}

/// An event of a kind that few tasks have.
pub(super) struct Mark {
    task: GrainRow,
    event: Event,
}

/// By task; handed out in the order of the tasks.
pub(super) struct Marks {
    marks: Vec<Mark>,
    next: usize,
}

impl Marks {
    pub fn of(all: &Assembled) -> Self {
        let mut marks = Vec::new();
        let mut add = |task, at, kind, row: usize| {
            marks.push(Mark { task, event: Event { at, kind, row: row as u32 } });
        };
        for (row, stall) in all.stalls.iter().enumerate() {
            add(stall.0, stall.1, EventKind::Stall, row);
        }
        for (row, hold) in all.locks.iter().enumerate() {
            add(hold.task, hold.had - hold.waited, EventKind::Acquire, row);
            add(hold.task, hold.released(), EventKind::Release, row);
        }
        for (row, fulfil) in all.fulfils.iter().enumerate() {
            if let Some(by) = fulfil.by {
                add(by, fulfil.when, EventKind::Fulfil, row);
            }
        }
        for (row, &(task, at, _)) in all.team_sizes.iter().enumerate() {
            add(task, at, EventKind::Share, row);
        }
        for (row, point) in all.doacross.iter().enumerate() {
            let kind = if point.sink { EventKind::Sink } else { EventKind::Source };
            add(point.task, point.met(), kind, row);
        }
        marks.sort_by_key(|mark| (mark.task, mark.event.at));
        Self { marks, next: 0 }
    }

    pub fn of_task(&mut self, task: GrainRow) -> &[Mark] {
        let first = self.next;
        while self.marks.get(self.next).is_some_and(|mark| mark.task == task) {
            self.next += 1;
        }
        &self.marks[first..self.next]
    }
}
