// SPDX-License-Identifier: Apache-2.0
//! The state of the pass over all fragments, and its results.

use std::collections::HashMap;

use super::cross::Cross;
use super::depth::{Depth, Point};
use super::frame::{Chain, Frame};
use super::gathering::Team;
use super::heir::Heir;
use super::stage::Stages;
use crate::assemble::Assembled;
use crate::bits::Bits;
use crate::csr::Groups;
use crate::row::Column;
use crate::tables::{BarrierRow, DoacrossInfo, GrainRow, Grains, RegionInfo, RegionRow, WaitInfo, WaitRow};
use crate::ticks::Ticks;
use crate::timeline::Timeline;

/// What the pass finds.
pub(crate) struct Longest {
    /// Length of the longest path as it ran.
    pub span: Ticks,
    /// ... and whatever the schedule: see [`Depth::any`]. No lock's holds are left out of it.
    pub span_any_schedule: Ticks,
    /// Where the longest path as it ran ends.
    pub last: Point,
    /// For each task: the predecessor that it had to wait for before its start, where the path
    /// through it is the longest. Empty if there are no dependences.
    pub delayed_by: Column<Grains, Option<GrainRow>>,
    /// For each wait: the point from which the longest path enters it. Nowhere: from the waiting
    /// task itself.
    pub wait_from: Column<WaitInfo, Point>,
    pub region_from: Column<RegionInfo, Point>,
    /// The same for each hold of a lock, and for each doacross point.
    pub hold_from: Vec<Point>,
    pub sink_from: Column<DoacrossInfo, Point>,
    /// Tasks for which the path to the end comes from the fulfilment of the event.
    pub ended_by: HashMap<GrainRow, Point>,
    /// For each task: the wait that joined it; `None`: none did, it is inline, or a region's end
    /// did.
    pub joined_by: Column<Grains, Option<WaitRow>>,
    /// Tasks that only the end of a region joined, and the region.
    pub left_to_region: Vec<(GrainRow, RegionRow)>,
    /// For each wait: the team's barrier that it was at; `None`: it concerns one task alone.
    pub barrier_of: Column<WaitInfo, Option<BarrierRow>>,
    /// The number of these barriers.
    pub barriers: u32,
    /// The tasks that a wait of their parent joined.
    pub joined_by_parent: Bits,
    /// For each wait: the number of these.
    pub joined_at: Column<WaitInfo, u32>,
}

pub(super) struct Pass<'a> {
    pub all: &'a Assembled,
    pub timeline: &'a Timeline,
    pub members: Groups<RegionRow, GrainRow>,
    pub predecessors: Groups<GrainRow, u32>,
    /// For each task: the current depth; before its start, the depth at which it is forked.
    pub depth: Column<Grains, Depth>,
    pub stages: Stages,
    pub frames: Vec<Frame>,
    pub free: Vec<u32>,
    /// For each task: what takes it over if its parent leaves it open: see [`Pass::heir_of`].
    pub heir: Column<Grains, Heir>,
    /// Tasks that no team and no taskgroup takes over.
    pub unclaimed: Chain,
    pub teams: HashMap<RegionRow, Team>,
    pub cross: Cross,
    /// The recording says which children a taskwait with depend clauses waits for.
    pub says_what_waits_for: bool,
    /// Tasks that may go on: what they waited for inside their creator has ended.
    pub ready: Vec<GrainRow>,
    /// Tasks joined by the join that is being looked at; kept for its memory.
    pub joined: Vec<GrainRow>,
    pub left: Vec<GrainRow>,
    pub out: Longest,
}

impl<'a> Pass<'a> {
    pub fn new(all: &'a Assembled, timeline: &'a Timeline) -> Self {
        let tasks = all.grains.tasks;
        Self {
            all,
            timeline,
            members: Groups::new(all.regions.len(), all.member_of.iter().copied()),
            predecessors: Groups::new(tasks, all.edges.iter().map(|edge| edge.1)),
            depth: Column::filled(Depth::UNSET, tasks),
            stages: Stages::new(tasks),
            frames: Vec::new(),
            free: Vec::new(),
            heir: Column::filled(Heir::NOBODY, tasks),
            unclaimed: Chain::default(),
            teams: HashMap::new(),
            cross: Cross::new(all),
            says_what_waits_for: all.costs.are_known() || !all.wait_deps.is_empty(),
            ready: Vec::new(),
            joined: Vec::new(),
            left: Vec::new(),
            out: Longest {
                span: Ticks::ZERO,
                span_any_schedule: Ticks::ZERO,
                last: Point::NOWHERE,
                delayed_by: Column::filled(None, if all.edges.is_empty() { 0 } else { tasks }),
                wait_from: Column::filled(Point::NOWHERE, all.waits.len()),
                region_from: Column::filled(Point::NOWHERE, all.regions.len()),
                hold_from: Vec::new(),
                sink_from: Column::default(),
                ended_by: HashMap::new(),
                joined_by: Column::filled(None, tasks),
                left_to_region: Vec::new(),
                barrier_of: Column::filled(None, all.waits.len()),
                barriers: 0,
                joined_by_parent: Bits::default(),
                joined_at: Column::filled(0, all.waits.len()),
            },
        }
    }
}
