// SPDX-License-Identifier: Apache-2.0
//! Edges between tasks that neither creation nor joining explains: locks, ordered regions, doacross
//! loops, events.
//!
//! The holds of a lock form a chain, in the order in which the lock was taken. So do the ordered
//! regions of a loop; the program fixes their order, so it holds for any schedule. For other locks,
//! the sum of their holds is a bound for any schedule. In an ordered or doacross loop, an iteration
//! counts as a whole from its turn on (see `forward`), and by its share of the chunk before its
//! turn.

use std::collections::{HashMap, HashSet};

use trace::layout::schedule;
use trace::LockKind;

use super::depth::{Deepest, Depth, Point};
use crate::assemble::Assembled;
use crate::row::Column;
use crate::tables::{DoacrossInfo, GrainRow, Grains, LoopInfo, LoopRow, PointRow};
use crate::ticks::Ticks;

/// What others go on from.
#[derive(Clone, Copy)]
struct Out {
    depth: Depth,
    from: Point,
}

const NOT_YET: Out = Out { depth: Depth::UNSET, from: Point::NOWHERE };

pub(super) struct Cross {
    /// For each hold: its release.
    released: Vec<Out>,
    /// For each hold: the task's work up to its start; once the hold is over, the work in it.
    held: Vec<Ticks>,
    pub hold_from: Vec<Point>,
    /// For each doacross point that is a source: its post.
    posted: Column<DoacrossInfo, Out>,
    pub sink_from: Column<DoacrossInfo, Point>,
    /// Sources by loop and iteration: (loop, iteration, row).
    sources: Vec<(LoopRow, u64, PointRow)>,
    /// For each loop: whether the order of its iterations is the program's, and only that is known.
    in_order: Column<LoopInfo, bool>,
    /// Tasks whose end waits for a known task to fulfil their event.
    pub awaited: HashSet<GrainRow>,
    /// Events fulfilled before the task's body ended.
    pub fulfilled: HashMap<GrainRow, (Depth, Point)>,
}

impl Cross {
    pub fn new(all: &Assembled) -> Self {
        let mut sources: Vec<_> = all
            .doacross
            .entries()
            .filter(|(_, point)| !point.sink)
            .map(|(row, point)| (point.loop_row, point.iteration, row))
            .collect();
        sources.sort_unstable();
        // Where ordered regions or doacross points are recorded, they say what follows what.
        let says_turns = all.locks.iter().any(|hold| hold.kind == LockKind::Ordered);
        let keeps = |flags: u8| flags & schedule::ORDERED != 0 && !says_turns;
        let mut in_order: Column<LoopInfo, bool> = all.loops.iter().map(|info| keeps(info.flags)).collect();
        for point in &all.doacross {
            in_order[point.loop_row] = false;
        }
        let late = all.fulfils.iter().filter(|fulfil| fulfil.late && fulfil.by.is_some());
        Self {
            released: vec![NOT_YET; all.locks.len()],
            held: vec![Ticks::ZERO; all.locks.len()],
            hold_from: vec![Point::NOWHERE; all.locks.len()],
            posted: Column::filled(NOT_YET, all.doacross.len()),
            sink_from: Column::filled(Point::NOWHERE, all.doacross.len()),
            sources,
            in_order,
            awaited: late.map(|fulfil| fulfil.task).collect(),
            fulfilled: HashMap::new(),
        }
    }

    pub fn keeps_order(&self, loop_row: LoopRow) -> bool {
        self.in_order[loop_row]
    }

    pub fn acquire(&mut self, all: &Assembled, row: u32, depth: &mut Column<Grains, Depth>, worked: Ticks) {
        let at = row as usize;
        let hold = &all.locks[at];
        self.held[at] = worked;
        let Some(before) = at.checked_sub(1).filter(|&before| all.locks[before].key() == hold.key()) else {
            return;
        };
        let mut out = self.released[before];
        if !out.depth.is_set() {
            return;
        }
        let own = &mut depth[hold.task];
        if hold.kind != LockKind::Ordered {
            out.depth.any = own.any;
        }
        let mut deepest = Deepest::own(*own);
        deepest.take(out.depth, out.from);
        *own = deepest.depth;
        self.hold_from[at] = deepest.from;
    }

    pub fn release(&mut self, row: u32, depth: Depth, from: Point, worked: Ticks) {
        self.released[row as usize] = Out { depth, from };
        let held = &mut self.held[row as usize];
        *held = worked - *held;
    }

    pub fn post(&mut self, row: PointRow, depth: Depth, from: Point) {
        self.posted[row] = Out { depth, from };
    }

    pub fn sink(&mut self, all: &Assembled, row: PointRow, depth: &mut Column<Grains, Depth>) {
        let point = &all.doacross[row];
        let key = (point.loop_row, point.iteration);
        let at = self.sources.partition_point(|source| (source.0, source.1) < key);
        let source = self.sources.get(at).filter(|source| (source.0, source.1) == key);
        let Some(out) = source.map(|source| self.posted[source.2]).filter(|out| out.depth.is_set()) else {
            return;
        };
        let own = &mut depth[point.task];
        let mut deepest = Deepest::own(*own);
        deepest.take(out.depth, out.from);
        *own = deepest.depth;
        self.sink_from[row] = deepest.from;
    }

    /// The largest sum of the holds of one lock: work, so no schedule does with less.
    pub fn longest_lock(&self, all: &Assembled) -> Ticks {
        let mut longest = Ticks::ZERO;
        let mut sum = Ticks::ZERO;
        for (row, hold) in all.locks.iter().enumerate() {
            if row > 0 && all.locks[row - 1].key() != hold.key() {
                sum = Ticks::ZERO;
            }
            if self.released[row].depth.is_set() {
                sum += self.held[row];
            }
            longest = longest.max(sum);
        }
        longest
    }
}
