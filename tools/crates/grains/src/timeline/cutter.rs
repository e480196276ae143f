// SPDX-License-Identifier: Apache-2.0
//! Cuts one task into fragments, and subtracts time that was not the task's own.
//!
//! The parts of a task between its events become fragments. A fragment keeps its true begin and
//! end. From its length are subtracted the recorder's time within it, and later the time that the
//! thread was off its processor (`off`). The recorder's time has two kinds. A *stall* has its own
//! record, and is subtracted from what ran at that time. A *debt* is the cost of storing the
//! previous record; it is subtracted from the next stretch, which is a fragment or the creation of
//! a task. No length becomes negative.

use trace::layout::kind;
use trace::{ShareMark, WaitKind};

use super::events::{Event, EventKind};
use super::laid_out::Timeline;
use super::stretch::{Stretch, Whose};
use crate::assemble::{Assembled, UNKNOWN};
use crate::csr::Groups;
use crate::place::PlaceRow;
use crate::tables::{flag, CallInfo, GrainKind, GrainRow, Item, PointRow, RegionRow, Share, WaitRow};
use crate::ticks::Ticks;

#[allow(clippy::struct_excessive_bools, reason = "each is a fact about the task, by itself")]
pub(super) struct Cutter<'a> {
    all: &'a mut Assembled,
    members: &'a Groups<RegionRow, GrainRow>,
    out: &'a mut Timeline,
    task: GrainRow,
    finished: bool,
    /// Up to here everything has been given to a fragment or to something else.
    cursor: Ticks,
    /// Where the task ends: no fragment goes beyond.
    limit: Ticks,
    /// The chunk being run, and where it ends.
    chunk: Option<(GrainRow, Ticks)>,
    /// Items of the task's chunks, behind those of the task itself, with the chunk's grain.
    chunk_items: Vec<(GrainRow, Item)>,
    /// The book-keeping before a chunk runs: that chunk pays for what the recorder does meanwhile.
    in_books: bool,
    /// The fragments that follow are its thread's share: compilers ask once for all loops of a
    /// region.
    shares: bool,
    /// The iterations of the static loop that its thread has its share of, where the compiler says
    /// where the loop begins and ends.
    in_loop: Option<u64>,
    /// But for what it does while it holds locks, and in the body of a `single`: from here to the
    /// next barrier, or to a loop whose beginning is known. `singles` tells more.
    single: bool,
    held: u32,
    /// The worker that runs it.
    worker: u16,
    /// For how long the recorder worked since the cursor; it is in the recorder's total.
    stall: Ticks,
    /// Its stretches, where the thread was off its processor: when, for how long.
    stalls: Vec<(Ticks, Ticks)>,
    /// What storing the last records has cost; it is in no total yet.
    debt: Ticks,
}

impl<'a> Cutter<'a> {
    pub fn new(
        all: &'a mut Assembled,
        members: &'a Groups<RegionRow, GrainRow>,
        out: &'a mut Timeline,
        task: GrainRow,
    ) -> Self {
        let end = all.grains.end.of(task);
        out.items.start[task] = out.items.kind.len() as u32;
        out.taskgroups.enter_task();
        let debt = match all.grains.kind[task] {
            GrainKind::Task => Ticks::ZERO,
            _ => all.costs.after(kind::START),
        };
        Self {
            cursor: all.grains.start.of(task),
            limit: end,
            finished: end != UNKNOWN,
            worker: all.grains.worker[task],
            all,
            members,
            out,
            task,
            chunk: None,
            chunk_items: Vec::new(),
            in_books: false,
            shares: false,
            in_loop: None,
            single: false,
            held: 0,
            stall: Ticks::ZERO,
            stalls: Vec::new(),
            debt,
        }
    }

    pub fn all(&self) -> &Assembled {
        self.all
    }

    /// The grain whose time is running.
    fn owner(&self) -> GrainRow {
        self.chunk.map_or(self.task, |(chunk, _)| chunk)
    }

    fn item(&mut self, item: Item) {
        match self.chunk {
            Some((chunk, _)) => self.chunk_items.push((chunk, item)),
            None => self.out.items.push(item),
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
        let taken = self.taken(start, end);
        let fragments = &mut self.out.fragments;
        let row = fragments.len() as u32;
        fragments.push(grain, start, end);
        if taken > Ticks::ZERO {
            fragments.take(row, taken);
        }
        let net = fragments.net(row);
        self.all.grains.work.add(grain, net);
        self.stretch(start, end, net, Whose::Fragment(row));
        let shares = self.shares || self.in_loop.is_some();
        if shares && self.held == 0 && self.chunk.is_none() {
            let alone = if self.single { net } else { Ticks::ZERO };
            self.out.shares.push(Share { fragment: row, iterations: self.in_loop, alone });
        }
        self.item(Item::Fragment(row));
    }

    /// What of a fragment is not the owner's.
    fn taken(&mut self, start: Ticks, end: Ticks) -> Ticks {
        let length = end - start;
        let stalled = length.min(std::mem::take(&mut self.stall));
        self.all.recorder.from_work += stalled;
        self.stalls_are(stalled, Whose::StallInWork(self.owner()));
        let paid = (length - stalled).min(std::mem::take(&mut self.debt));
        if paid > Ticks::ZERO {
            self.all.recorder.work(self.worker, paid);
        }
        stalled + paid
    }

    /// Something that the thread may have been off its processor in.
    fn stretch(&mut self, begin: Ticks, end: Ticks, net: Ticks, whose: Whose) {
        if net > Ticks::ZERO && self.is_off(begin, end) {
            self.out.stretches.push(Stretch { worker: self.worker, begin, end, net, whose });
        }
    }

    fn is_off(&self, begin: Ticks, end: Ticks) -> bool {
        self.all.was_off(self.worker, begin, end)
    }

    /// What of the stalls so far has been taken from something, and from what.
    fn stalls_are(&mut self, taken: Ticks, whose: Whose) {
        let mut left = taken;
        for (begin, ticks) in std::mem::take(&mut self.stalls) {
            let net = ticks.min(left);
            left = left - net;
            self.stretch(begin, begin + ticks, net, whose);
        }
    }

    /// The time from the cursor until `end` is not the owner's.
    fn skip_until(&mut self, end: Ticks) {
        self.cursor = self.cursor.max(end);
    }

    pub fn take(&mut self, event: &Event) {
        if self.cursor == UNKNOWN {
            // Nothing says when it started: the first thing that it did is the best evidence.
            self.cursor = event.at;
            self.all.grains.start.set(self.task, event.at);
        }
        if matches!(event.kind, EventKind::Taskgroup) && self.finished {
            // Nothing is cut: it takes no time, and the graph shows where it ends.
            self.debt += self.all.costs.after(kind::GROUP_BEGIN);
            return self.out.taskgroups.begin(self.task);
        }
        self.leave_chunk_before(event.at);
        if matches!(event.kind, EventKind::Stall) {
            return self.stall(event);
        }
        self.run_until(event.at);
        match event.kind {
            EventKind::Fork => self.fork(event),
            EventKind::Wait => self.wait(event.row()),
            EventKind::Region => self.region(event.row()),
            EventKind::BookKeeping => self.book_keeping(event.row()),
            EventKind::Chunk => self.enter_chunk(event.row()),
            EventKind::Taskgroup => self.out.taskgroups.begin(self.task),
            EventKind::Acquire => self.acquire(event.row),
            EventKind::Release => {
                self.held = self.held.saturating_sub(1);
                self.outgoing(Item::Release(event.row), kind::LOCK);
            }
            EventKind::Fulfil => {
                let fulfil = event.row();
                let took = self.all.fulfils[fulfil].took;
                let place = self.all.grains.place[self.task];
                self.outgoing(Item::Fulfil(fulfil), kind::FULFIL);
                self.call(event.at + took, place);
            }
            EventKind::Source => {
                let source = event.row();
                let point = self.all.doacross[source];
                self.outgoing(Item::Source(source), kind::DOACROSS);
                self.call(event.at + point.took, self.all.loops[point.loop_row].place);
            }
            EventKind::Sink => self.sink(event.row()),
            EventKind::Share => {
                match self.all.team_sizes[event.row as usize].2 {
                    ShareMark::Asked => self.shares = true,
                    ShareMark::Single => self.single = true,
                    ShareMark::LoopBegins { iterations } => {
                        self.in_loop = Some(iterations);
                        self.single = false;
                    }
                    ShareMark::LoopEnds => self.in_loop = None,
                }
                self.debt += self.all.costs.after(kind::GROUP_BEGIN); // a record of the same form
            }
            EventKind::Stall => {}
        }
    }

    /// The recorder worked where the task ran: in a fragment, or in what is being skipped.
    fn stall(&mut self, event: &Event) {
        let ticks = self.all.stalls[event.row as usize].2;
        let skipped = if self.in_books { Ticks::ZERO } else { ticks.min(self.cursor - event.at) };
        if skipped > Ticks::ZERO {
            self.pay_last_item(event.at, skipped);
        }
        self.stall += ticks - skipped;
        if skipped < ticks && self.is_off(event.at, event.at + ticks) {
            self.stalls.push((event.at + skipped, ticks - skipped));
        }
    }

    /// Where the last item is a fork the recorder worked in the creation of that child; where it is
    /// a fulfilment or a doacross point, in what the runtime did there.
    fn pay_last_item(&mut self, begin: Ticks, ticks: Ticks) {
        let own = || self.out.items.start[self.task] as usize;
        let last = match self.chunk {
            Some(_) => self.chunk_items.last().map(|item| item.1),
            None => self.out.items.last().filter(|_| self.out.items.kind.len() > own()),
        };
        if let Some(Item::Fork(child)) = last {
            let paid = self.all.grains.creation.take(child, ticks);
            self.all.recorder.from_creation += paid;
            self.stretch(begin, begin + ticks, paid, Whose::StallInCreation(child));
        }
        if let Some(Item::Fulfil(_) | Item::Source(_) | Item::Sink(_)) = last {
            self.pay_last_call(begin, ticks);
        }
    }

    fn pay_last_call(&mut self, begin: Ticks, ticks: Ticks) {
        let last = self.all.calls.rows().next_back();
        let call = last.map(|row| (row, &mut self.all.calls[row]));
        if let Some((row, call)) = call.filter(|(_, call)| call.task == self.task && begin < call.end) {
            let paid = ticks.min(call.own);
            call.own = call.own - paid;
            self.all.recorder.from_calls += paid;
            self.stretch(begin, begin + ticks, paid, Whose::StallInCall(row));
        }
    }

    /// A creation, or the book-keeping before a chunk, pays what falls into it.
    fn pay_creation(&mut self, begin: Ticks, grain: GrainRow) {
        let creation = &mut self.all.grains.creation;
        let end = begin + creation.of(grain);
        let stalled = creation.take(grain, std::mem::take(&mut self.stall));
        let paid = creation.take(grain, std::mem::take(&mut self.debt));
        let net = creation.of(grain);
        self.all.recorder.from_creation += stalled;
        if paid > Ticks::ZERO {
            self.all.recorder.creation(self.worker, paid);
        }
        self.stalls_are(stalled, Whose::StallInCreation(grain));
        self.stretch(begin, end, net, Whose::Creation(grain));
    }

    fn fork(&mut self, event: &Event) {
        let child = event.row();
        let grains = &mut self.all.grains;
        grains.parent[child] = Some(self.chunk.map_or(self.task, |(chunk, _)| chunk));
        let inline = grains.has(child, flag::INLINE) && !grains.has(child, flag::UNFINISHED);
        self.out.taskgroups.fork(child);
        let paid = event.at + grains.creation.of(child);
        let until = if inline { paid.max(grains.end.of(child)) } else { paid };
        self.debt += self.all.costs.within(kind::CREATE);
        self.pay_creation(event.at, child);
        self.item(Item::Fork(child));
        self.skip_until(until);
        self.debt = self.all.costs.after(if inline { kind::RUN } else { kind::CREATE });
    }

    fn wait(&mut self, row: WaitRow) {
        let wait = self.all.waits[row];
        let owner = self.owner();
        self.all.grains.wait.add(owner, wait.lost);
        self.worker = wait.worker;
        if wait.kind == WaitKind::Taskgroup {
            self.out.taskgroups.end(row);
        }
        if joins(wait.kind) {
            self.item(Item::Join(row));
        }
        if matches!(wait.kind, WaitKind::Barrier | WaitKind::ImplicitBarrier) {
            self.single = false;
            self.in_loop = None; // cancelled: no record says that it has ended
        }
        self.skip_until(wait.end);
        self.debt = self.all.costs.after(kind::WAIT);
    }

    fn region(&mut self, row: RegionRow) {
        let owner = self.owner();
        for &member in self.members.of(row) {
            self.all.grains.parent[member] = Some(owner);
            self.fork_and_join(row, member);
        }
        self.item(Item::Region(row));
        self.skip_until(self.all.regions[row].end);
        self.debt = self.all.costs.after(kind::REGION_END);
    }

    /// Around its own member of the team the thread begins and ends the region.
    fn fork_and_join(&mut self, row: RegionRow, member: GrainRow) {
        let region = &self.all.regions[row];
        let (begin, end) = (region.begin, region.end);
        let (start, done) = (self.all.grains.start.of(member), self.all.grains.end.of(member));
        if self.all.grains.worker[member] == self.worker && begin <= start && start <= done && done <= end {
            self.stretch(begin, start, start - begin, Whose::ForkOrJoin);
            self.stretch(done, end, end - done, Whose::ForkOrJoin);
        }
    }

    fn acquire(&mut self, row: u32) {
        let had = self.all.locks[row as usize].had;
        self.held += 1;
        self.item(Item::Acquire(row));
        self.skip_until(had);
        self.debt = self.all.costs.within(kind::LOCK);
    }

    /// An item from which other tasks may continue: placed at its start, however long it takes.
    fn outgoing(&mut self, item: Item, record: u8) {
        self.item(item);
        self.debt += self.all.costs.after(record);
    }

    /// The runtime has the time from the cursor until `end`.
    fn call(&mut self, end: Ticks, place: Option<PlaceRow>) {
        let limit = self.chunk.map_or(self.limit, |(_, end)| end);
        let (begin, until) = (self.cursor, end.min(limit));
        self.skip_until(end);
        if begin >= until {
            return;
        }
        let (task, worker) = (self.task, self.worker);
        let own = until - begin;
        let call = CallInfo { task, place, worker, begin, end: until, own, descheduled: Ticks::ZERO };
        let row = self.all.calls.add(call);
        self.stretch(begin, until, own, Whose::Call(row));
    }

    fn sink(&mut self, row: PointRow) {
        let point = self.all.doacross[row];
        self.item(Item::Sink(row));
        self.call(point.when - point.waited, self.all.loops[point.loop_row].place);
        self.skip_until(point.when);
        self.debt = self.all.costs.after(kind::DOACROSS);
    }

    fn book_keeping(&mut self, chunk: GrainRow) {
        self.leave_chunk();
        self.in_books = true;
        self.skip_until(self.all.grains.start.of(chunk));
    }

    fn enter_chunk(&mut self, chunk: GrainRow) {
        // Chunks of one task do not overlap; in a damaged trace the later one cuts the earlier one
        // short.
        self.leave_chunk();
        self.in_books = false;
        let begin = self.all.grains.start.of(chunk) - self.all.grains.creation.of(chunk);
        self.pay_creation(begin, chunk);
        self.item(Item::Chunk(chunk));
        self.chunk = Some((chunk, self.all.grains.end.of(chunk)));
    }

    fn leave_chunk_before(&mut self, at: Ticks) {
        if let Some((_, end)) = self.chunk {
            if end <= at {
                self.debt += self.all.costs.within(kind::CHUNK);
                self.run_until(end);
                self.leave_chunk();
                self.debt = self.all.costs.after(kind::CHUNK);
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

    pub fn finish(mut self) {
        self.leave_chunk_before(UNKNOWN);
        let row = self.task;
        if self.finished {
            self.debt += self.all.costs.within(kind::RUN);
            self.run_until(self.limit);
        } else {
            self.end_unfinished(row);
        }
        if self.out.items.kind.len() as u32 == self.out.items.start[row] {
            // Also a task too short for the clock, or one that never ran, is drawn.
            self.fragment(self.all.grains.start.of(row), self.all.grains.end.of(row));
        }
        let end = self.out.items.kind.len();
        if let Some(known) = self.out.items.end.of_mut(Some(row)) {
            *known = end as u32;
        }
        self.append_chunk_items();
        self.note_forks(self.out.items.start[row] as usize..end);
    }

    fn end_unfinished(&mut self, row: GrainRow) {
        let grains = &mut self.all.grains;
        if self.cursor == UNKNOWN {
            self.cursor = grains.create(row);
            grains.start.set(row, self.cursor);
        }
        grains.end.set(row, self.cursor);
    }

    fn append_chunk_items(&mut self) {
        let items = std::mem::take(&mut self.chunk_items);
        for group in items.chunk_by(|a, b| a.0 == b.0) {
            let grain = group[0].0;
            let start = self.out.items.kind.len() as u32;
            for &(_, item) in group {
                self.out.items.push(item);
            }
            self.out.items.start[grain] = start;
            self.out.items.end[grain] = self.out.items.kind.len() as u32;
            self.note_forks(self.out.items.of(grain));
        }
    }

    fn note_forks(&mut self, items: std::ops::Range<usize>) {
        for at in items {
            match self.out.items.at(at) {
                Item::Fork(row) | Item::Chunk(row) => self.out.fork_item[row] = at as u32,
                Item::Region(region) => {
                    for &member in self.members.of(region) {
                        self.out.fork_item[member] = at as u32;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether tasks are joined there; the other waits only take time.
pub(crate) fn joins(kind: WaitKind) -> bool {
    use WaitKind::{Barrier, Depend, ImplicitBarrier, RegionEnd, Taskgroup, Taskwait};
    matches!(kind, Taskwait | Taskgroup | Barrier | ImplicitBarrier | RegionEnd | Depend)
}
