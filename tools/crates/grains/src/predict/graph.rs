// SPDX-License-Identifier: Apache-2.0
//! The graph of work of a recording, as the virtual machine executes it: which strand waits for
//! which.
//!
//! The actions of a grain are the items of the profile; they are not copied. This module has the
//! links between grains: a *join* is a wait, a barrier of a team, or the end of a region. Each task
//! is joined at the join that joined it in the recording. Time and memory are linear in the
//! recording.

use trace::LockKind;

use crate::csr::Groups;
use crate::predict::costs::Costs;
use crate::predict::crews::Crews;
use crate::predict::shares::{Divided, Shares};
use crate::predict::spent::Spent;
use crate::roots::parent_task;
use crate::tables::{
    ChunkRow, DoacrossInfo, GrainKind, GrainRow, Grains, Item, ItemKind, LoopInfo, LoopRow, PointRow,
    RegionRow, WaitRow,
};
use crate::ticks::Ticks;
use crate::{Column, PlaceRow, Profile, NONE};

pub(super) struct Graph<'a> {
    pub profile: &'a Profile,
    pub costs: Costs,
    /// Threads of the recorded set-up: of its largest outermost team.
    pub threads: u32,
    /// For each task: the join at which it is joined; [`NONE`]: none.
    pub join_of: Column<Grains, u32>,
    /// For each join: the number of tasks that it joins and of members that reach it.
    pub expected: Vec<u32>,
    /// For each task: how many dependences lead to it.
    pub predecessors: Column<Grains, u32>,
    /// Rows of edges by their predecessor.
    pub successors: Groups<GrainRow, u32>,
    /// Implicit tasks by region.
    pub members: Groups<RegionRow, GrainRow>,
    /// Numbers of chunks by loop, in the order in which they began.
    pub chunks: Groups<LoopRow, ChunkRow>,
    /// For each loop, and after the loops for each piece of work that threads divide by number: its
    /// region.
    pub loop_region: Column<LoopInfo, Option<RegionRow>>,
    pub shares: Shares,
    pub crews: Crews,
    /// For each hold: the lock.
    pub lock_of: Vec<u32>,
    pub locks: usize,
    /// For each lock whose holds have a turn: the first hold.
    pub first_turn: Vec<u32>,
    /// (loop, iteration, row of the doacross point).
    sources: Vec<(LoopRow, u64, PointRow)>,
    /// How deep explicit tasks are nested: 1 where no explicit task has created it, 0: it is none.
    pub depth: Column<Grains, u32>,
}

impl<'a> Graph<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let outermost = profile.regions.iter().filter(|region| region.level <= 1);
        let (join_of, expected) = joins(profile);
        let (lock_of, first_turn) = locks(profile);
        let grains = &profile.grains;
        let mut predecessors = Column::filled(0, grains.tasks);
        for edge in &profile.edges {
            predecessors[edge.1] += 1;
        }
        let loop_of = |chunk: &ChunkRow| profile.chunks[*chunk].loop_row;
        let mut by_start: Vec<ChunkRow> = profile.chunks.rows().collect();
        by_start.sort_by_key(|&chunk| grains.start.of(grains.of_chunk(chunk)));
        let rows: Groups<LoopRow, ChunkRow> = Groups::new(profile.loops.len(), by_start.iter().map(loop_of));
        let chunks = rows.map(|at| by_start[at.at()]);
        let mut sources: Vec<_> = profile
            .doacross
            .entries()
            .filter(|(_, point)| !point.sink)
            .map(|(row, point)| (point.loop_row, point.iteration, row))
            .collect();
        sources.sort_unstable();
        let members = Groups::new(profile.regions.len(), profile.member_of.iter().copied());
        let shares = Shares::of(profile, &members);
        let mut loop_region = loop_regions(profile);
        loop_region.extend(shares.divided.iter().map(|divided| Some(divided.region)));
        Self {
            threads: outermost.map(|region| region.threads).max().unwrap_or(1).max(1),
            costs: Costs::of(profile),
            successors: Groups::new(grains.tasks, profile.edges.iter().map(|edge| edge.0)),
            members,
            loop_region,
            shares,
            crews: Crews::of(profile),
            locks: first_turn.len(),
            depth: depths(profile),
            profile,
            join_of,
            expected,
            predecessors,
            chunks,
            lock_of,
            first_turn,
            sources,
        }
    }

    /// The join at which a wait is over.
    pub fn join_of_wait(&self, wait: WaitRow) -> u32 {
        join_of_wait(self.profile, wait)
    }

    pub fn is_barrier(&self, join: u32) -> bool {
        join as usize >= self.profile.waits.len()
    }

    pub fn region_end(&self, region: RegionRow) -> u32 {
        region_end(self.profile, region)
    }

    /// What a doacross sink waits for, where that is recorded.
    pub fn source_of(&self, sink: &DoacrossInfo) -> Option<PointRow> {
        let key = (sink.loop_row, sink.iteration);
        let at = self.sources.partition_point(|source| (source.0, source.1) < key);
        self.sources.get(at).filter(|source| (source.0, source.1) == key).map(|source| source.2)
    }

    /// How many threads the team of a region has if the program is given `threads` threads.
    pub fn team(&self, region: Option<RegionRow>, threads: u32) -> u32 {
        let Some(info) = self.profile.regions.of(region) else { return 1 };
        if info.threads == self.threads && info.level <= 1 {
            threads
        } else {
            info.threads.max(1)
        }
    }

    /// Whether its team has another size than the recorded one.
    pub fn is_resized(&self, region: Option<RegionRow>, threads: u32) -> bool {
        let info = self.profile.regions.of(region);
        info.is_some_and(|info| self.team(region, threads) != info.threads)
    }

    /// What threads divide by number, where that row of a loop is such.
    pub fn divided(&self, loop_row: LoopRow) -> Option<&Divided> {
        self.shares.divided.get(loop_row.at().checked_sub(self.profile.loops.len())?)
    }

    pub fn loop_place(&self, loop_row: LoopRow) -> Option<PlaceRow> {
        match self.divided(loop_row) {
            Some(divided) => divided.place,
            None => self.profile.loops[loop_row].place,
        }
    }

    /// What it takes, but for waits for the ends of other threads.
    pub fn fragment(&self, row: u32) -> Spent {
        let fragments = &self.profile.fragments;
        let waited = self.crews.ends(row).map_or(0, |ends| ends.slept);
        Spent { work: fragments.net(row).0, slept: fragments.slept(row).0 - waited }
    }

    /// All that a chunk does.
    pub fn chunk(&self, chunk_grain: GrainRow) -> Spent {
        let profile = self.profile;
        let mut spent = Spent { work: profile.grains.work.of(chunk_grain).0, slept: 0 };
        for item in profile.items.of(chunk_grain) {
            if let Item::Fragment(row) = profile.items.at(item) {
                spent.slept += profile.fragments.slept(row).0;
            }
        }
        spent
    }

    /// Whether a chunk is work alone: then it may be divided, and run with others.
    pub fn is_flat(&self, chunk_grain: GrainRow) -> bool {
        let items = self.profile.items.of(chunk_grain);
        self.profile.items.kind[items].iter().all(|&kind| kind == ItemKind::Fragment)
    }
}

fn join_of_wait(profile: &Profile, wait: WaitRow) -> u32 {
    match profile.barrier_of[wait] {
        None => wait.number(),
        Some(barrier) => profile.waits.len() as u32 + barrier.number(),
    }
}

fn region_end(profile: &Profile, region: RegionRow) -> u32 {
    profile.waits.len() as u32 + profile.barriers + region.number()
}

fn joins(profile: &Profile) -> (Column<Grains, u32>, Vec<u32>) {
    let waits = profile.waits.len();
    let mut expected = vec![0; waits + profile.barriers as usize + profile.regions.len()];
    let mut join_of = Column::filled(NONE, profile.grains.tasks);
    for task in profile.grains.task_rows() {
        let join: &mut u32 = &mut join_of[task];
        if let Some(wait) = profile.joined_by[task] {
            *join = join_of_wait(profile, wait);
        } else if let Some(region) = profile.member_of[task] {
            *join = region_end(profile, region);
        }
    }
    for &(task, region) in &profile.left_to_region {
        join_of[task] = region_end(profile, region);
    }
    for &join in join_of.iter().filter(|&&join| join != NONE) {
        expected[join as usize] += 1;
    }
    for barrier in profile.barrier_of.iter().flatten() {
        expected[waits + barrier.at()] += 1;
    }
    (join_of, expected)
}

fn locks(profile: &Profile) -> (Vec<u32>, Vec<u32>) {
    let mut lock_of = Vec::with_capacity(profile.locks.len());
    let mut first_turn = Vec::new();
    for (row, hold) in profile.locks.iter().enumerate() {
        if row == 0 || profile.locks[row - 1].key() != hold.key() {
            first_turn.push(if hold.kind == LockKind::Ordered { row as u32 } else { NONE });
        }
        lock_of.push(first_turn.len() as u32 - 1);
    }
    (lock_of, first_turn)
}

fn loop_regions(profile: &Profile) -> Column<LoopInfo, Option<RegionRow>> {
    let grains = &profile.grains;
    let mut regions = Column::filled(None, profile.loops.len());
    for (at, chunk) in profile.chunks.entries() {
        let owner = grains.parent[grains.of_chunk(at)];
        regions[chunk.loop_row] = profile.member_of.of(owner).copied().flatten();
    }
    regions
}

fn depths(profile: &Profile) -> Column<Grains, u32> {
    let grains = &profile.grains;
    let mut depths = Column::filled(NONE, grains.tasks);
    let mut line = Vec::new();
    for first in grains.task_rows() {
        let mut task = first;
        let mut depth = loop {
            if depths[task] != NONE {
                break depths[task];
            }
            line.push(task);
            let up = (grains.kind[task] == GrainKind::Task).then(|| parent_task(grains, task)).flatten();
            match up {
                Some(parent) => task = parent,
                None => break 0,
            }
        };
        while let Some(task) = line.pop() {
            depth = if grains.kind[task] == GrainKind::Task { depth + 1 } else { 0 };
            depths[task] = depth;
        }
    }
    depths
}

/// For each task: its work with that of all explicit tasks below it.
pub(super) fn work_below(graph: &Graph) -> Column<Grains, Ticks> {
    let grains = &graph.profile.grains;
    let mut below: Column<Grains, Ticks> = grains.task_rows().map(|task| grains.work.of(task)).collect();
    let mut deepest_first: Vec<GrainRow> = grains.task_rows().collect();
    deepest_first.sort_by_key(|&task| std::cmp::Reverse(graph.depth[task]));
    for task in deepest_first {
        let explicit = grains.kind[task] == GrainKind::Task;
        if let Some(parent) = parent_task(grains, task).filter(|_| explicit) {
            let own = below[task];
            below[parent] += own;
        }
    }
    below
}
