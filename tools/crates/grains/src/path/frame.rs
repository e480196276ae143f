// SPDX-License-Identifier: Apache-2.0
//! A task that has begun and not ended, with its open children and taskgroups.
//!
//! Tasks that are complete and not joined are in chains. A task is in the chain of its parent while
//! the parent is open. When the parent ends, its remaining tasks move to the chain of the taskgroup
//! or the team that takes them over. A task is in one chain at a time, so one link for each task is
//! enough.

use super::stage::Stages;
use crate::tables::{GrainRow, Grains, LoopRow, WaitRow};
use crate::taskgroups::NO_GROUP;
use crate::ticks::Ticks;
use crate::Column;

/// A list of tasks, linked by [`Stages`].
#[derive(Clone, Copy, Default)]
pub(super) struct Chain {
    first: Option<GrainRow>,
    last: Option<GrainRow>,
}

impl Chain {
    pub fn push(&mut self, task: GrainRow, stages: &mut Stages) {
        stages.set_next(task, None);
        self.append(Self { first: Some(task), last: Some(task) }, stages);
    }

    pub fn append(&mut self, other: Self, stages: &mut Stages) {
        if other.first.is_none() {
            return;
        }
        match self.last {
            None => self.first = other.first,
            Some(last) => stages.set_next(last, other.first),
        }
        self.last = other.last;
    }

    /// Takes all tasks that are not joined yet and for which `taken` holds.
    pub fn take(
        &mut self,
        stages: &mut Stages,
        joined_by: &Column<Grains, Option<WaitRow>>,
        taken: impl Fn(GrainRow) -> bool,
        into: &mut Vec<GrainRow>,
    ) {
        let mut first = std::mem::take(self).first;
        while let Some(task) = first {
            let behind = stages.next(task);
            if joined_by[task].is_none() {
                if taken(task) {
                    into.push(task);
                } else {
                    self.push(task, stages);
                }
            }
            first = behind;
        }
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct Bracket {
    pub children: Chain,
    /// What ended children, and their children, left open.
    pub leftovers: Chain,
}

/// The chunks of one loop that a task runs one after another, if their order is by chance.
#[derive(Clone, Copy)]
pub(super) struct Chunks {
    pub loop_row: LoopRow,
    /// Depth of any schedule before the loop, and behind the longest iteration.
    pub before: Ticks,
    pub behind: Ticks,
}

pub(super) struct Frame {
    pub task: GrainRow,
    /// The next item, and the end of the items.
    pub at: u32,
    pub end: u32,
    /// The chunk that the task is in, and the item at which the task continues after it.
    pub chunk: Option<(GrainRow, u32, u32)>,
    pub chunks: Option<Chunks>,
    /// The number by which a fragment is divided to give an iteration's share: the iterations of
    /// the chunk, or 1.
    pub iterations: u64,
    /// While an iteration has its turn: the depth of any schedule of the iterations' shares.
    pub turn: Option<Ticks>,
    /// Its own work so far.
    pub worked: Ticks,
    pub outside: Bracket,
    /// For each open taskgroup of the task that is not empty, outermost first.
    pub groups: Vec<(u32, Bracket)>,
    /// The number of its team's barriers that it has left.
    pub barriers: u32,
}

impl Frame {
    pub fn new(task: GrainRow, items: std::ops::Range<usize>) -> Self {
        Self {
            task,
            at: items.start as u32,
            end: items.end as u32,
            chunk: None,
            chunks: None,
            iterations: 1,
            turn: None,
            worked: Ticks::ZERO,
            outside: Bracket::default(),
            groups: Vec::new(),
            barriers: 0,
        }
    }

    /// The grain whose items it goes through.
    pub fn grain(&self) -> GrainRow {
        self.chunk.map_or(self.task, |(chunk, _, _)| chunk)
    }

    pub fn bracket(&mut self, group: u32) -> &mut Bracket {
        match group {
            NO_GROUP => &mut self.outside,
            number => self.group(number),
        }
    }

    fn group(&mut self, number: u32) -> &mut Bracket {
        let at = self.groups.partition_point(|group| group.0 < number);
        if self.groups.get(at).is_none_or(|group| group.0 != number) {
            self.groups.insert(at, (number, Bracket::default()));
        }
        &mut self.groups[at].1
    }

    pub fn brackets(&mut self) -> impl Iterator<Item = &mut Bracket> {
        std::iter::once(&mut self.outside).chain(self.groups.iter_mut().map(|group| &mut group.1))
    }
}
