// SPDX-License-Identifier: Apache-2.0
//! Loops whose chunks go to the next free taker: a member that meets the loop, or an idle worker.
//! An idle worker stands for a thread of the team that has no implicit task in the recording, or
//! that had no chunk of this loop.

use crate::predict::machine::{Machine, Next};
use crate::predict::open_loop::{LoopState, OpenLoop};
use crate::predict::pieces::{pieces_by, Piece};
use crate::predict::scheduler::Scheduler;
use crate::predict::strand::{Busy, Strand};
use crate::tables::{GrainRow, LoopRow, RegionRow};
use crate::NONE;

impl<S: Scheduler> Machine<'_, S> {
    pub fn meet_chunk(&mut self, worker: u32, strand: u32, grain: GrainRow) -> Next {
        let profile = self.graph.profile;
        let Some(chunk) = profile.grains.chunk(grain) else { return Next::Go };
        let loop_row = profile.chunks[chunk].loop_row;
        if self.changed.keeps_chunks(self.graph, loop_row, self.threads) {
            return self.enter_chunk_in_place(strand, grain);
        }
        self.meet_loop(worker, strand, loop_row, 1)
    }

    /// It takes `items` of the member.
    pub fn meet_loop(&mut self, worker: u32, strand: u32, loop_row: LoopRow, items: u32) -> Next {
        if self.loops[loop_row] == LoopState::Unseen {
            self.open_loop(worker, strand, loop_row);
        }
        if self.loops[loop_row] == LoopState::Open && self.has_room(loop_row, strand) {
            return self.take_piece(strand, loop_row);
        }
        self.pass_loop(strand, loop_row, items)
    }

    /// The member goes on behind the loop, or behind this chunk of it.
    fn pass_loop(&mut self, strand: u32, loop_row: LoopRow, items: u32) -> Next {
        let this = &mut self.strands[strand as usize];
        if this.in_loop == Some(loop_row) {
            this.depth = this.depth.max(this.behind);
            this.in_loop = None;
        }
        // In a team of one no barrier is recorded: the end of the loop counts as one.
        let region = self.graph.profile.regions.of(self.graph.loop_region[loop_row]);
        let alone = region.is_some_and(|region| region.threads == 1);
        if alone && self.loops[loop_row] != LoopState::Done {
            if let Some(open) = self.open_loops.get_mut(&loop_row) {
                open.waiting.push(strand);
                return Next::Left;
            }
        }
        this.pass_items(items);
        Next::Go
    }

    fn enter_chunk_in_place(&mut self, strand: u32, grain: GrainRow) -> Next {
        let items = self.graph.profile.items.of(grain);
        let this = &mut self.strands[strand as usize];
        this.back = (this.at + 1, this.end);
        (this.at, this.end, this.chunk) = (items.start as u32, items.end as u32, Some(grain));
        Next::Busy(self.graph.costs.chunk, Busy::Scheduling)
    }

    pub fn leave_chunk_in_place(&mut self, strand: u32) -> Next {
        let this = &mut self.strands[strand as usize];
        (this.at, this.end) = this.back;
        this.chunk = None;
        Next::Go
    }

    fn open_loop(&mut self, worker: u32, strand: u32, loop_row: LoopRow) {
        let region = self.graph.loop_region[loop_row];
        let this = &self.strands[strand as usize];
        let (depth, crew, pinned) = (this.depth, this.crew, this.pinned);
        let team = self.graph.team(region, self.threads);
        let serial = self.changed.is_serial(self.graph.loop_place(loop_row));
        let resized = self.graph.is_resized(region, self.threads);
        let is_flat = |chunk| self.graph.is_flat(chunk) && !self.replays_constructs(chunk, loop_row, resized);
        let pieces = pieces_by(self.graph, self.changed, loop_row, (team, resized), is_flat);
        if pieces.is_empty() {
            self.loops[loop_row] = LoopState::Done;
            return;
        }
        let threads = if serial { 1 } else { team };
        if let Some(team) = region.and_then(|region| self.teams.get_mut(&region)) {
            team.pending += pieces.len() as u32;
        }
        let others = (pieces.len() as u32 - 1).min(threads - 1);
        self.loops[loop_row] = LoopState::Open;
        let (next, running, waiting) = (0, 0, Vec::new());
        self.open_loops.insert(
            loop_row,
            OpenLoop { pieces, next, running, threads, region, depth, crew, pinned, waiting },
        );
        self.offered.push(loop_row);
        if pinned == NONE {
            (0..others).for_each(|_| self.wake_one(worker));
        }
    }

    fn has_room(&self, loop_row: LoopRow, strand: u32) -> bool {
        let open = &self.open_loops[&loop_row];
        // A worker that has just done a piece still has its place.
        self.strands[strand as usize].in_loop == Some(loop_row) || open.running < open.threads
    }

    /// A worker without anything to do takes part in the loop that was opened last.
    pub fn help(&mut self, worker: u32) -> Option<u32> {
        let (open_loops, crew) = (&self.open_loops, self.layout.crew(worker).start);
        let may = |loop_row: &&LoopRow| {
            let open = &open_loops[*loop_row];
            open.running < open.threads && open.pinned == NONE && open.crew == crew
        };
        let loop_row = *self.offered.iter().rev().find(may)?;
        let open = &open_loops[&loop_row];
        let mut helper = Strand::new(None, 0..0, open.depth);
        (helper.in_loop, helper.region, helper.crew) = (Some(loop_row), open.region, crew);
        Some(self.new_strand(helper))
    }

    /// A helper goes on, or has done what there was to do.
    pub fn next_piece(&mut self, _worker: u32, strand: u32) -> Next {
        let in_loop = self.strands[strand as usize].in_loop;
        let is_open = |&row: &LoopRow| self.loops[row] == LoopState::Open && self.open_loops[&row].has_room();
        if let Some(loop_row) = in_loop.filter(is_open) {
            return self.take_piece(strand, loop_row);
        }
        self.drop_strand(strand);
        Next::Left
    }

    fn take_piece(&mut self, strand: u32, loop_row: LoopRow) -> Next {
        let Some(open) = self.open_loops.get_mut(&loop_row) else { return Next::Go };
        let piece = open.pieces[open.next];
        open.next += 1;
        open.running += 1;
        if open.next == open.pieces.len() {
            self.loops[loop_row] = LoopState::Taken;
            self.offered.retain(|&offered| offered != loop_row);
        }
        let this = &mut self.strands[strand as usize];
        if this.in_loop != Some(loop_row) {
            this.in_loop = Some(loop_row);
            (this.before, this.behind) = (this.depth, this.depth);
        }
        this.depth = this.before;
        this.has_piece = true;
        if self.graph.divided(loop_row).is_none() {
            this.owe(self.graph.costs.chunk, Busy::Scheduling);
        }
        match piece {
            Piece::Work(spent) => this.owe_all(spent),
            Piece::Chunk(grain) => {
                let items = self.graph.profile.items.of(grain);
                this.back = (this.at, this.end);
                (this.at, this.end, this.chunk) = (items.start as u32, items.end as u32, Some(grain));
            }
        }
        Next::Go
    }

    pub fn finish_piece(&mut self, worker: u32, strand: u32) -> Next {
        let this = &mut self.strands[strand as usize];
        if this.chunk.is_some() {
            (this.at, this.end) = this.back;
            this.chunk = None;
        }
        this.has_piece = false;
        this.behind = this.behind.max(this.depth);
        let (depth, in_loop, region) =
            (std::mem::replace(&mut this.depth, this.before), this.in_loop, this.region);
        self.longest = self.longest.max(depth);
        let open = in_loop.and_then(|row| Some((row, self.open_loops.get_mut(&row)?)));
        if let Some((loop_row, open)) = open {
            open.running -= 1;
            if open.running == 0 && open.next == open.pieces.len() {
                self.end_loop(worker, loop_row);
            }
        }
        self.piece_is_done(worker, region, depth);
        Next::Go
    }

    fn end_loop(&mut self, worker: u32, loop_row: LoopRow) {
        self.loops[loop_row] = LoopState::Done;
        let Some(open) = self.open_loops.remove(&loop_row) else { return };
        let team = open.region.and_then(|region| self.teams.get(&region));
        let depth = team.map_or(0, |team| team.depth);
        for waiting in open.waiting {
            let member = &mut self.strands[waiting as usize];
            member.depth = member.depth.max(depth);
            self.push_ready(worker, waiting);
        }
    }

    fn piece_is_done(&mut self, worker: u32, region: Option<RegionRow>, depth: u64) {
        let Some(region) = region else { return };
        let Some(team) = self.teams.get_mut(&region) else { return };
        team.depth = team.depth.max(depth);
        // In a damaged recording the loop may have begun before the team.
        team.pending = team.pending.saturating_sub(1);
        if team.pending == 0 {
            if let Some(join) = team.gathering {
                self.try_release(worker, join);
            }
            self.try_release(worker, self.graph.region_end(region));
        }
    }
}

impl OpenLoop {
    fn has_room(&self) -> bool {
        self.running < self.threads
    }
}
