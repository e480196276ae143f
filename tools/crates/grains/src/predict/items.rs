// SPDX-License-Identifier: Apache-2.0
//! Executes the items of a strand.

use std::collections::VecDeque;

use trace::LockKind;

use crate::predict::lost::Cause;
use crate::predict::machine::{Machine, Next, Team};
use crate::predict::scheduler::Scheduler;
use crate::predict::strand::{Busy, Strand};
use crate::tables::{flag, some_row, FulfilRow, GrainRow, Item, PointRow, RegionRow, WaitRow};
use crate::ticks::Ticks;
use crate::NONE;

impl<S: Scheduler> Machine<'_, S> {
    pub fn advance(&mut self, worker: u32, strand: u32) -> Next {
        let costs = self.graph.costs;
        let this = &mut self.strands[strand as usize];
        if std::mem::take(&mut this.fresh) {
            let runs = self.now + costs.scheduling + this.owes();
            self.scheduler.starts(runs, worker, this.task_number(), strand);
            return Next::Busy(costs.scheduling, Busy::Scheduling);
        }
        if let Some((ticks, busy)) = this.pay() {
            return Next::Busy(ticks, busy);
        }
        if this.has_piece && (this.chunk.is_none() || this.at == this.end) {
            return self.finish_piece(worker, strand);
        }
        if this.at == this.end {
            return match (this.task, this.chunk) {
                (None, _) => self.next_piece(worker, strand),
                (Some(task), None) => self.end_task(worker, strand, task),
                _ => self.leave_chunk_in_place(strand),
            };
        }
        let graph = self.graph;
        let item = this.at;
        match graph.profile.items.at(item as usize) {
            Item::Fragment(row) => self.fragment(worker, strand, item, row),
            Item::Fork(row) => self.fork(worker, strand, item, row),
            Item::Join(row) => self.join(worker, strand, row),
            Item::Chunk(row) => self.meet_chunk(worker, strand, row),
            Item::Region(row) => self.region(worker, strand, row),
            Item::Acquire(row) => self.acquire(strand, row),
            Item::Release(row) => self.release(worker, strand, row),
            Item::Fulfil(row) => self.fulfil(worker, strand, row),
            Item::Source(row) => self.post(worker, strand, row),
            Item::Sink(row) => self.sink(strand, row),
        }
    }

    fn fragment(&mut self, worker: u32, strand: u32, item: u32, row: u32) -> Next {
        let graph = self.graph;
        if let Some(share) = graph.shares.at(item) {
            if graph.is_resized(graph.loop_region[share.loop_row], self.threads) {
                if share.alone > 0 && !std::mem::replace(&mut self.strands[strand as usize].half, true) {
                    let place = graph.loop_place(share.loop_row);
                    return Next::Busy(self.changed.work(place, Ticks(share.alone)), Busy::Work);
                }
                return self.meet_loop(worker, strand, share.loop_row, share.items);
            }
        }
        if let Some(next) = self.fragment_with_constructs(strand, row) {
            return next;
        }
        let this = &mut self.strands[strand as usize];
        let place = this.grain().and_then(|grain| graph.profile.grains.place[grain]);
        let mut spent = self.changed.spent(place, graph.fragment(row));
        if let Some(ends) = graph.crews.ends(row) {
            let before = self.changed.work(place, Ticks(ends.before)).min(spent.work);
            if !std::mem::replace(&mut this.half, true) {
                return Next::Busy(before, Busy::Work);
            }
            if let Some(&task) = ends.tasks.iter().find(|&task| !self.over.contains(task)) {
                self.end_queue.entry(task).or_default().push(strand);
                return Next::Left;
            }
            spent.work -= before;
        }
        this.next_item();
        this.owe(spent.slept, Busy::Asleep);
        Next::Busy(spent.work, Busy::Work)
    }

    fn fork(&mut self, worker: u32, strand: u32, item: u32, child: GrainRow) -> Next {
        let profile = self.graph.profile;
        let offload = self.offload_cost(child);
        let this = &mut self.strands[strand as usize];
        if profile.fork_item[child] != item || self.strand_of[child] != NONE {
            this.next_item();
            return Next::Go;
        }
        let merged = self.changed.is_merged(child);
        let inline = merged || profile.grains.has(child, flag::INLINE);
        if !this.half {
            match self.scheduler.until_creation(self.now, this.task_number(), child.number()) {
                0 => this.half = true,
                early => return Next::Busy(early, Busy::Asleep),
            }
            this.forked += 1;
            self.account.creates(profile.grains.place[child]);
            let costs = self.graph.costs;
            let cost = offload.unwrap_or(if inline { costs.inline } else { costs.creation });
            return Next::Busy(if merged { 0 } else { cost }, Busy::Creation);
        }
        this.next_item();
        let depth = this.depth.max(self.depth[child]);
        let mut new = Strand::new(Some(child), profile.items.of(child), depth);
        (new.pinned, new.crew) = (this.pinned, this.crew);
        if offload.is_some() {
            let new = self.new_strand(new);
            self.strand_of[child] = new;
            if self.unmet[child] == 0 {
                self.offload(child, new);
            }
            return Next::Go;
        }
        new.fresh = !inline && !profile.grains.has(child, flag::CANCELLED);
        new.creator = if inline { strand } else { NONE };
        new.holds = if inline { this.holds } else { 0 };
        let new = self.new_strand(new);
        self.strand_of[child] = new;
        match (inline, self.unmet[child]) {
            (true, 0) => Next::Turn(new),
            (true, _) => Next::Left,
            (false, 0) => {
                self.push_ready(worker, new);
                Next::Go
            }
            (false, _) => Next::Go,
        }
    }

    fn join(&mut self, worker: u32, strand: u32, wait: WaitRow) -> Next {
        let join = self.graph.join_of_wait(wait);
        let is_barrier = self.graph.is_barrier(join);
        let this = &mut self.strands[strand as usize];
        if is_barrier && !this.half {
            this.half = true;
            self.expected[join as usize] -= 1;
            let depth = &mut self.join_depth[join as usize];
            *depth = (*depth).max(this.depth);
            if let Some(team) = this.region.and_then(|region| self.teams.get_mut(&region)) {
                team.gathering = Some(join);
            }
        }
        if self.expected[join as usize] == 0 && !is_barrier {
            let depth = self.join_depth[join as usize];
            let this = &mut self.strands[strand as usize];
            this.depth = this.depth.max(depth);
            this.forked = 0;
            self.pass_wait(strand);
            self.strands[strand as usize].next_item();
            return Next::Go;
        }
        self.waiting.entry(join).or_default().push(strand);
        self.try_release(worker, join);
        Next::Left
    }

    pub fn go_on_behind_join(&mut self, strand: u32, join: u32) {
        let region = self.region_of_join(join);
        self.pass_wait(strand);
        let this = &mut self.strands[strand as usize];
        this.next_item();
        if let Some(region) = region {
            this.owe(self.graph.costs.join, Busy::Scheduling);
            self.teams.remove(&region);
            self.account.region_ends(region);
        }
    }

    fn region(&mut self, worker: u32, strand: u32, region: RegionRow) -> Next {
        let graph = self.graph;
        let this = &mut self.strands[strand as usize];
        if !this.half {
            this.half = true;
            let info = &graph.profile.regions[region];
            self.account.region_begins(region, info.place);
            return Next::Busy(graph.costs.fork, Busy::Scheduling);
        }
        let join = graph.region_end(region);
        if self.expected[join as usize] == 0 || self.waiting.contains_key(&join) {
            self.go_on_behind_join(strand, join);
            return Next::Go;
        }
        let first = self.enter_team(worker, strand, region);
        self.waiting.insert(join, vec![strand]);
        first.map_or(Next::Left, Next::Turn)
    }

    /// The members begin; the one of the thread that met the region goes on there. A member that
    /// nothing forks, as a damaged recording has the region inside of it, begins on its own.
    fn enter_team(&mut self, worker: u32, strand: u32, region: RegionRow) -> Option<u32> {
        let profile = self.graph.profile;
        let (depth, pinned) = {
            let this = &self.strands[strand as usize];
            (this.depth, this.pinned)
        };
        let crew = self.layout.crew(worker);
        let serial = self.changed.is_serial(profile.regions[region].place);
        self.teams.insert(region, Team::default());
        let members = self.graph.members.of(region);
        let of = |task: GrainRow| profile.grains.worker[task];
        let parent = profile.regions[region].parent;
        let own = parent.and_then(|parent| members.iter().position(|&member| of(member) == of(parent)));
        let mut first = None;
        for (at, &member) in members.iter().enumerate() {
            if profile.fork_item[member] == NONE {
                continue;
            }
            let number = (at + members.len() - own.unwrap_or(0)) % members.len();
            let mut new = Strand::new(Some(member), profile.items.of(member), depth);
            new.region = Some(region);
            new.crew = crew.start;
            new.home = crew.start + (worker - crew.start + number as u32) % crew.len() as u32;
            new.pinned = if serial && pinned == NONE { worker } else { pinned };
            let home = new.home;
            let new = self.new_strand(new);
            self.strand_of[member] = new;
            match number {
                0 => first = Some(new),
                _ => self.push_home(home, new),
            }
        }
        first
    }

    fn end_task(&mut self, worker: u32, strand: u32, task: GrainRow) -> Next {
        let this = &self.strands[strand as usize];
        let (depth, creator) = (this.depth, this.creator);
        self.scheduler.ended(task.number(), this.ran);
        self.drop_strand(strand);
        if !self.awaited.contains(&task) {
            self.complete(worker, task, depth);
        } else if let Some(event) = self.fulfilled.remove(&task) {
            self.complete(worker, task, depth.max(event));
        } else {
            self.ended_early.insert(task, depth);
        }
        let Some(creator) = some_row(creator) else { return Next::Left };
        let waiting = &mut self.strands[creator as usize];
        waiting.depth = waiting.depth.max(depth);
        if waiting.pinned == NONE || waiting.pinned == worker {
            return Next::Turn(creator);
        }
        self.push_ready(worker, creator);
        Next::Left
    }

    fn acquire(&mut self, strand: u32, hold: u32) -> Next {
        let lock = self.graph.lock_of[hold as usize];
        let info = &self.graph.profile.locks[hold as usize];
        let this = &mut self.strands[strand as usize];
        this.holds += 1;
        let holder = &mut self.holder[lock as usize];
        if info.kind == LockKind::Ordered {
            if *holder >= hold {
                this.depth = this.depth.max(self.turn_depth[lock as usize]);
                this.next_item();
                return Next::Go;
            }
            self.turn_queue.insert(hold, strand);
        } else {
            if *holder == NONE {
                *holder = strand;
                this.next_item();
                return Next::Go;
            }
            self.lock_queue.entry(lock).or_default().push_back(strand);
        }
        self.account.waits_for(Cause::Lock, info.place);
        Next::Blocked
    }

    fn release(&mut self, worker: u32, strand: u32, hold: u32) -> Next {
        let lock = self.graph.lock_of[hold as usize];
        let this = &mut self.strands[strand as usize];
        this.next_item();
        this.holds = this.holds.saturating_sub(1);
        let holder = &mut self.holder[lock as usize];
        if self.graph.profile.locks[hold as usize].kind == LockKind::Ordered {
            let depth = this.depth;
            *holder = hold + 1;
            self.turn_depth[lock as usize] = depth;
            if let Some(next) = self.turn_queue.remove(&(hold + 1)) {
                let waiting = &mut self.strands[next as usize];
                waiting.depth = waiting.depth.max(depth);
                self.unblock(worker, next);
            }
        } else if *holder == strand {
            let next = self.lock_queue.get_mut(&lock).and_then(VecDeque::pop_front);
            *holder = next.unwrap_or(NONE);
            if let Some(next) = next {
                self.unblock(worker, next);
            }
        }
        Next::Go
    }

    fn fulfil(&mut self, worker: u32, strand: u32, row: FulfilRow) -> Next {
        let task = self.graph.profile.fulfils[row].task;
        let this = &mut self.strands[strand as usize];
        this.next_item();
        let depth = this.depth;
        match self.ended_early.remove(&task) {
            Some(ended) => self.complete(worker, task, depth.max(ended)),
            None => {
                self.fulfilled.entry(task).or_insert(depth);
            }
        }
        Next::Go
    }

    fn post(&mut self, worker: u32, strand: u32, row: PointRow) -> Next {
        let this = &mut self.strands[strand as usize];
        this.next_item();
        let depth = this.depth;
        self.posted.insert(row, depth);
        for waiting in self.source_queue.remove(&row).unwrap_or_default() {
            let other = &mut self.strands[waiting as usize];
            other.depth = other.depth.max(depth);
            self.unblock(worker, waiting);
        }
        Next::Go
    }

    fn sink(&mut self, strand: u32, row: PointRow) -> Next {
        let this = &mut self.strands[strand as usize];
        let point = &self.graph.profile.doacross[row];
        let source = self.graph.source_of(point);
        match source.map(|source| (source, self.posted.get(&source))) {
            Some((source, None)) => {
                self.source_queue.entry(source).or_default().push(strand);
                let place = self.graph.profile.loops[point.loop_row].place;
                self.account.waits_for(Cause::Lock, place);
                return Next::Blocked;
            }
            Some((_, Some(&depth))) => this.depth = this.depth.max(depth),
            None => {}
        }
        this.next_item();
        Next::Go
    }
}
