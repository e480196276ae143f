// SPDX-License-Identifier: Apache-2.0
//! Advances through the items of a task up to an item that depends on other tasks, and past that
//! item when the other tasks have been processed.

use trace::LockKind;

use super::depth::{Deepest, Depth, Point};
use super::frame::{Chunks, Frame};
use super::pass::Pass;
use super::stage::Stage;
use crate::roots::parent_task;
use crate::tables::{flag, FulfilRow, GrainKind, GrainRow, Item, ItemKind};
use crate::ticks::Ticks;
use crate::NONE;

impl Pass<'_> {
    /// A fragment is over: its task has come there.
    pub fn fragment(&mut self, row: u32) {
        let grain = self.timeline.fragments.grain[row as usize];
        let Some(task) = self.all.grains.task_of(grain) else { return };
        self.begin(task);
        while let Some(at) = self.open_frame(task) {
            let item = self.frames[at].at as usize;
            let front = match self.timeline.items.at(item) {
                Item::Fragment(front) => Some(front),
                _ => None,
            };
            if front.is_some_and(|front| front > row) {
                return; // in a damaged recording it is behind it already
            }
            self.step_over(at, item);
            if front == Some(row) {
                return;
            }
        }
    }

    /// Goes on to the end of a task.
    pub fn rest(&mut self, task: GrainRow) {
        self.begin(task);
        while let Some(at) = self.open_frame(task) {
            self.step_over(at, self.frames[at].at as usize);
        }
    }

    pub fn open_frame(&self, task: GrainRow) -> Option<usize> {
        self.stages.frame(task)
    }

    /// A task that has not begun begins, and its creators before it.
    fn begin(&mut self, task: GrainRow) {
        if self.stages.of(task) != Stage::Before {
            return;
        }
        let mut first = task;
        let mut line = Vec::new();
        while !self.depth[first].is_set() && self.timeline.fork_item[first] != NONE {
            let Some(parent) = parent_task(&self.all.grains, first) else { break };
            if self.stages.of(parent) != Stage::Before {
                break;
            }
            line.push(first);
            first = parent;
        }
        self.enter(first);
        while let Some(task) = line.pop() {
            if self.stages.of(task) == Stage::Before {
                self.enter(task);
            }
        }
    }

    fn enter(&mut self, task: GrainRow) {
        if !self.depth[task].is_set() {
            self.depth[task] = Depth::ZERO;
        }
        let mut deepest = Deepest::own(self.depth[task]);
        for &edge in self.predecessors.of(task) {
            let predecessor = self.all.edges[edge as usize].0;
            if self.stages.of(predecessor) == Stage::Complete {
                deepest.take(self.depth[predecessor], Point::end_of(predecessor));
            }
        }
        self.depth[task] = deepest.depth;
        if let Some(delayed_by) = self.out.delayed_by.of_mut(Some(task)) {
            *delayed_by = deepest.from.grain;
        }
        let frame = Frame::new(task, self.timeline.items.of(task));
        let at = if let Some(at) = self.free.pop() {
            self.frames[at as usize] = frame;
            at
        } else {
            self.frames.push(frame);
            self.frames.len() as u32 - 1
        };
        self.stages.open(task, at);
        self.go_on(task);
    }

    /// Over the item that the task has stood before.
    fn step_over(&mut self, at: usize, item: usize) {
        let task = self.frames[at].task;
        match self.timeline.items.at(item) {
            Item::Fragment(row) => self.work(at, row),
            Item::Join(row) => self.leave_join(at, row),
            Item::Region(row) => self.leave_region(task, row),
            Item::Fork(row) => self.leave_inline(task, row),
            Item::Acquire(row) => {
                if self.all.locks[row as usize].kind == LockKind::Ordered {
                    self.take_turn(at);
                }
                self.cross.acquire(self.all, row, &mut self.depth, self.frames[at].worked);
            }
            Item::Sink(row) => {
                self.take_turn(at);
                self.cross.sink(self.all, row, &mut self.depth);
            }
            _ => {}
        }
        self.frames[at].at += 1;
        self.go_on(task);
    }

    fn work(&mut self, at: usize, fragment: u32) {
        let net = self.timeline.fragments.net(fragment);
        let frame = &mut self.frames[at];
        frame.worked += net;
        let depth = &mut self.depth[frame.task];
        depth.run += net;
        depth.any += Ticks(net.0 / if frame.turn.is_some() { 1 } else { frame.iterations });
    }

    /// What an iteration does from here to [`Pass::give_turn`] is its own alone. Of what lies
    /// between two turns of a chunk nobody knows where the next iteration begins.
    fn take_turn(&mut self, at: usize) {
        let frame = &mut self.frames[at];
        if frame.chunks.is_some() && frame.turn.is_none() {
            frame.turn = Some(self.depth[frame.task].any);
        }
    }

    fn give_turn(&mut self, at: usize) {
        let frame = &mut self.frames[at];
        let (Some(chunks), Some(share)) = (&mut frame.chunks, frame.turn.take()) else { return };
        let any = &mut self.depth[frame.task].any;
        chunks.behind = chunks.behind.max(*any);
        *any = share;
    }

    /// What an inline child did, its creator waited for.
    fn leave_inline(&mut self, task: GrainRow, child: GrainRow) {
        if self.stages.of(child) == Stage::Complete {
            let child = self.depth[child];
            let own = &mut self.depth[task];
            *own = Depth { run: own.run.max(child.run), any: own.any.max(child.any) };
        }
    }

    /// Goes on with a task, and with those that its end lets go on.
    fn go_on(&mut self, task: GrainRow) {
        self.ready.push(task);
        while let Some(task) = self.ready.pop() {
            if let Some(at) = self.open_frame(task) {
                self.advance(at, task);
            }
        }
    }

    /// Until it needs something of others: the time of a fragment, or the depth of what it joins.
    fn advance(&mut self, at: usize, task: GrainRow) {
        loop {
            let frame = &mut self.frames[at];
            if frame.at == frame.end {
                if frame.chunk.is_some() {
                    self.leave_chunk(at);
                } else {
                    return self.end(at, task);
                }
                continue;
            }
            let item = frame.at as usize;
            match self.timeline.items.at(item) {
                Item::Fragment(_) | Item::Acquire(_) | Item::Sink(_) => return,
                Item::Join(row) => return self.arrive(at, row),
                Item::Region(row) => return self.enter_region(task, row),
                Item::Chunk(row) => {
                    self.enter_chunk(at, row);
                    continue;
                }
                Item::Fork(row) => {
                    self.fork(task, row, item);
                    let inline = self.all.grains.has(row, flag::INLINE);
                    if inline && self.stages.of(row) != Stage::Complete {
                        return;
                    }
                }
                Item::Release(row) => {
                    let from = Point { grain: Some(frame.grain()), item: item as u32 + 1 };
                    let (depth, worked) = (self.depth[task], frame.worked);
                    self.cross.release(row, depth, from, worked);
                    if self.all.locks[row as usize].kind == LockKind::Ordered {
                        self.give_turn(at);
                    }
                }
                Item::Source(row) => {
                    let from = Point { grain: Some(frame.grain()), item: item as u32 + 1 };
                    self.cross.post(row, self.depth[task], from);
                    self.give_turn(at);
                }
                Item::Fulfil(row) => {
                    let from = Point { grain: Some(frame.grain()), item: item as u32 + 1 };
                    self.fulfil(row, self.depth[task], from);
                }
            }
            self.frames[at].at += 1;
        }
    }

    /// The child begins where its creator is.
    fn fork(&mut self, parent: GrainRow, child: GrainRow, item: usize) {
        if self.timeline.fork_item[child] != item as u32 || self.depth[child].is_set() {
            return;
        }
        self.depth[child] = self.depth[parent];
        let group = self.timeline.taskgroups.of_task(child);
        self.heir[child] = self.heir_of(parent, group);
    }

    fn enter_chunk(&mut self, at: usize, chunk: GrainRow) {
        let Some(info) = self.all.grains.chunk(chunk).map(|row| &self.all.chunks[row]) else { return };
        let items = self.timeline.items.of(chunk);
        let frame = &mut self.frames[at];
        frame.chunk = Some((chunk, frame.at + 1, frame.end));
        (frame.at, frame.end) = (items.start as u32, items.end as u32);
        if self.cross.keeps_order(info.loop_row) {
            frame.chunks = None;
            return;
        }
        let depth = &mut self.depth[frame.task];
        let before = Chunks { loop_row: info.loop_row, before: depth.any, behind: depth.any };
        let chunks = frame.chunks.filter(|chunks| chunks.loop_row == info.loop_row).unwrap_or(before);
        depth.any = chunks.before;
        frame.chunks = Some(chunks);
        frame.iterations = info.iterations.max(1);
    }

    fn leave_chunk(&mut self, at: usize) {
        let frame = &mut self.frames[at];
        let Some((_, resume, end)) = frame.chunk.take() else { return };
        (frame.at, frame.end) = (resume, end);
        frame.iterations = 1;
        frame.turn = None;
        let Some(chunks) = &mut frame.chunks else { return };
        let depth = &mut self.depth[frame.task];
        chunks.behind = chunks.behind.max(depth.any);
        depth.any = chunks.behind;
        let items = &self.timeline.items;
        let goes_on = resume < end && items.kind[resume as usize] == ItemKind::Chunk;
        if !goes_on {
            frame.chunks = None;
        }
    }

    /// The body of a task has ended.
    fn end(&mut self, at: usize, task: GrainRow) {
        let frame = std::mem::replace(&mut self.frames[at], Frame::new(task, 0..0));
        self.free.push(at as u32);
        self.stages.detach(task);
        self.leave_open(frame);
        self.note_end(task);
        match self.cross.fulfilled.get(&task) {
            Some(&(depth, from)) => self.end_by_event(task, depth, from),
            None if self.cross.awaited.contains(&task) => return,
            None => {}
        }
        self.complete(task);
    }

    fn fulfil(&mut self, row: FulfilRow, depth: Depth, from: Point) {
        let task = self.all.fulfils[row].task;
        if self.stages.of(task) == Stage::Detached {
            self.end_by_event(task, depth, from);
            self.complete(task);
        } else {
            self.cross.fulfilled.insert(task, (depth, from));
        }
    }

    fn end_by_event(&mut self, task: GrainRow, depth: Depth, from: Point) {
        let mut deepest = Deepest::own(self.depth[task]);
        deepest.take(depth, from);
        self.depth[task] = deepest.depth;
        if deepest.from != Point::NOWHERE {
            self.out.ended_by.insert(task, deepest.from);
        }
    }

    fn complete(&mut self, task: GrainRow) {
        self.stages.complete(task);
        self.note_end(task);
        let parent = parent_task(&self.all.grains, task).filter(|_| self.timeline.fork_item[task] != NONE);
        let Some(parent) = parent else { return };
        if self.all.grains.has(task, flag::INLINE) && self.all.grains.kind[task] == GrainKind::Task {
            return self.let_creator_go_on(parent, task);
        }
        if self.all.grains.kind[task] == GrainKind::Task {
            self.add_completed(task);
        }
    }

    fn note_end(&mut self, task: GrainRow) {
        let depth = self.depth[task];
        if depth.run > self.out.span || self.out.last == Point::NOWHERE {
            (self.out.span, self.out.last) = (depth.run, Point::end_of(task));
        }
        self.out.span_any_schedule = self.out.span_any_schedule.max(depth.any);
    }

    fn let_creator_go_on(&mut self, parent: GrainRow, task: GrainRow) {
        let Some(at) = self.open_frame(parent) else { return };
        let item = self.frames[at].at as usize;
        let items = &self.timeline.items;
        if items.at(item) == Item::Fork(task) {
            self.leave_inline(parent, task);
            self.frames[at].at += 1;
            self.ready.push(parent);
        }
    }
}
