// SPDX-License-Identifier: Apache-2.0
//! The records of one task, in order of time.

use std::slice::Iter;

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

/// The events of one task that are still to come.
///
/// A producer has a child, and a thread of a loop a chunk, for most rows of the tables. So where
/// the rows of these are in order, as they are in nearly all recordings, their events are made one
/// at a time; the others are found and sorted beforehand.
pub(super) struct OfTask<'a> {
    found: Iter<'a, Event>,
    children: Iter<'a, GrainRow>,
    books: Iter<'a, ChunkRow>,
    chunks: Iter<'a, ChunkRow>,
    /// The next one of each of these lists.
    heads: [Option<Event>; 4],
}

impl OfTask<'_> {
    /// Until the event of a row was returned, what says when it is must not change.
    pub fn next(&mut self, all: &Assembled) -> Option<Event> {
        let heads = self.heads.iter().enumerate();
        let heads = heads.filter_map(|(list, &event)| Some((list, event?)));
        let (list, event) = heads.min_by_key(|(_, event)| (event.at, event.kind))?;
        self.heads[list] = self.advance(list, all);
        Some(event)
    }

    fn advance(&mut self, list: usize, all: &Assembled) -> Option<Event> {
        match list {
            0 => self.found.next().copied(),
            1 => self.children.next().map(|&child| fork(all, child)),
            2 => self.books.next().map(|&chunk| book_keeping(all, chunk)),
            _ => self.chunks.next().map(|&chunk| begin(all, chunk)),
        }
    }
}

fn fork(all: &Assembled, child: GrainRow) -> Event {
    Event { at: all.grains.create(child), kind: EventKind::Fork, row: child.number() }
}

fn book_keeping(all: &Assembled, chunk: ChunkRow) -> Event {
    let grain = all.grains.of_chunk(chunk);
    let at = all.grains.start.of(grain) - all.grains.creation.of(grain);
    Event { at, kind: EventKind::BookKeeping, row: grain.number() }
}

fn begin(all: &Assembled, chunk: ChunkRow) -> Event {
    let grain = all.grains.of_chunk(chunk);
    Event { at: all.grains.start.of(grain), kind: EventKind::Chunk, row: grain.number() }
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

    pub fn of_task(&mut self, all: &Assembled, task: GrainRow, marks: &[Mark]) -> OfTask<'_> {
        let events = &mut self.found;
        events.clear();
        let begins = self.group_begins.of(task).iter();
        events.extend(begins.map(|&row| Event {
            at: all.group_begins[row as usize].1,
            kind: EventKind::Taskgroup,
            row,
        }));
        let (mut children, mut chunks) = (self.children.of(task), self.chunks.of(task));
        if !children.is_sorted_by_key(|&child| fork(all, child).at) {
            events.extend(children.iter().map(|&child| fork(all, child)));
            children = &[];
        }
        let are_in_order = chunks.is_sorted_by_key(|&chunk| book_keeping(all, chunk).at)
            && chunks.is_sorted_by_key(|&chunk| begin(all, chunk).at);
        if !are_in_order {
            events.extend(chunks.iter().flat_map(|&chunk| [book_keeping(all, chunk), begin(all, chunk)]));
            chunks = &[];
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
        let (children, chunks) = (children.iter(), chunks.iter());
        let books = chunks.clone();
        let mut all_events = OfTask { found: events.iter(), children, books, chunks, heads: [None; 4] };
        for list in 0..all_events.heads.len() {
            all_events.heads[list] = all_events.advance(list, all);
        }
        all_events
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
