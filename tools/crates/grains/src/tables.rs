// SPDX-License-Identifier: Apache-2.0
//! The tables of a profile. All are columnar or small; times are in ticks since the start of the
//! recording.

use trace::WaitKind;

use crate::ticks::Ticks;
use crate::NONE;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum GrainKind {
    Task = 0,
    Implicit = 1,
    Chunk = 2,
    /// The implicit task that a thread of the program is before it meets a parallel construct.
    Initial = 4,
}

/// Bits of [`Grains::flags`].
pub mod flag {
    pub const CRITICAL: u8 = 1;
    pub const LOW_BENEFIT: u8 = 2;
    pub const UNFINISHED: u8 = 4;
    pub const STOLEN: u8 = 8;
    /// Undeferred or included: ran on top of its creator, which waited for it.
    pub const INLINE: u8 = 16;
    pub const CANCELLED: u8 = 32;
}

/// One row per grain: first the tasks, by stream and ordinal, then the chunks.
#[derive(Default)]
pub struct Grains {
    pub kind: Vec<GrainKind>,
    /// The creating grain (a chunk, where the construct was met inside one); of a chunk the
    /// implicit task that ran it.
    pub parent: Vec<u32>,
    /// Row of the place of its construct.
    pub place: Vec<u32>,
    /// Instant at which its construct was met; of a chunk its start.
    pub create: Vec<Ticks>,
    pub start: Vec<Ticks>,
    /// Of an unfinished grain: the last instant at which something of it was recorded.
    pub end: Vec<Ticks>,
    /// Creation cost: from meeting the construct until the task was ready or ran, paid by the
    /// parent (saturates at 2^32 ticks). Of a chunk: the book-keeping before it, that is from the
    /// end of the thread's chunk before it in the loop, or from entry into the loop. 0 for implicit
    /// and initial tasks.
    pub creation: Vec<Ticks>,
    /// Work: the sum of the grain's fragments, that is [start, end] less its waits, the creation
    /// cost of its children, its chunks, the parallel regions it met, and the inline children that
    /// ran on top of it. What its worker ran during its waits is therefore never its work.
    pub work: Vec<Ticks>,
    /// Time that its worker lost to its waits ([`WaitInfo::lost`]).
    pub wait: Vec<Ticks>,
    /// Parallel benefit, a ratio; NaN when it has none. `benefit.rs` has the definition.
    pub benefit: Vec<f32>,
    /// Number of the stream of the worker that ended it.
    pub worker: Vec<u16>,
    pub flags: Vec<u8>,
    /// Of each task, where one has a priority above 0; else empty.
    pub priority: Vec<i32>,
    /// Number of task rows: those before the chunks.
    pub tasks: usize,
}

impl Grains {
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    pub fn has(&self, row: u32, flag: u8) -> bool {
        self.flags[row as usize] & flag != 0
    }

    pub fn priority_of(&self, task: u32) -> i32 {
        self.priority.get(task as usize).copied().unwrap_or(0)
    }
}

/// What a chunk has beyond a grain; row = grain row - [`Grains::tasks`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkInfo {
    /// Row of the loop instance.
    pub loop_row: u32,
    /// First value of the loop variable.
    pub first: i64,
    pub iterations: u64,
}

/// One loop instance.
#[derive(Clone, Copy, Debug)]
pub struct LoopInfo {
    pub place: u32,
    pub begin: Ticks,
    /// Bits of [`trace::layout::schedule`].
    pub flags: u8,
    pub threads: u32,
    pub lb: i64,
    pub ub: i64,
    pub step: i64,
    pub chunk: i64,
}

/// One instance of a parallel region.
#[derive(Clone, Copy, Debug)]
pub struct RegionInfo {
    /// Row of the task that met the construct.
    pub parent: u32,
    pub place: u32,
    pub begin: Ticks,
    /// Of an unfinished region: the end of the recording.
    pub end: Ticks,
    pub threads: u32,
    pub requested: u32,
    pub level: u32,
}

/// One stay of a task at a synchronisation point.
#[derive(Clone, Copy, Debug)]
pub struct WaitInfo {
    pub task: u32,
    pub place: u32,
    pub begin: Ticks,
    pub end: Ticks,
    /// How much of it the worker lost: it ran no task, and had begun no other wait since that was
    /// still open.
    pub lost: Ticks,
    pub kind: WaitKind,
    /// How often the task left its stack to others meanwhile.
    pub departures: u16,
    pub worker: u16,
}

/// Stretches of execution of one grain between the things it meets.
#[derive(Default)]
pub struct Fragments {
    pub grain: Vec<u32>,
    pub start: Vec<Ticks>,
    pub end: Vec<Ticks>,
}

/// What a grain does, one thing after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ItemKind {
    /// Row of [`Fragments`].
    Fragment,
    /// Row of the child grain.
    Fork,
    /// Row of the wait.
    Join,
    /// Row of the chunk's grain.
    Chunk,
    /// Row of the region: forks its implicit tasks and joins them.
    Region,
}

#[derive(Default)]
pub struct Items {
    pub kind: Vec<ItemKind>,
    pub row: Vec<u32>,
    /// The edge into this item is on the critical path.
    pub critical: Vec<bool>,
    /// Of each grain: its items are `start[grain]..end[grain]`.
    pub start: Vec<u32>,
    pub end: Vec<u32>,
}

impl Items {
    pub fn of(&self, grain: u32) -> std::ops::Range<usize> {
        self.start[grain as usize] as usize..self.end[grain as usize] as usize
    }

    pub(crate) fn push(&mut self, kind: ItemKind, row: u32) {
        self.kind.push(kind);
        self.row.push(row);
        self.critical.push(false);
    }
}

/// A worker had nothing to do.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    pub worker: u16,
    pub start: Ticks,
    pub end: Ticks,
}

/// Records left out, because what they name is not in the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strays {
    /// Tasks, regions and loops that two records define.
    pub repeated: u64,
    /// Records about a task, region or loop whose own record is missing.
    pub unknown: u64,
    /// Tasks that no chain of creations ties to an initial task.
    pub rootless: u64,
}

/// The row, or `None` for [`NONE`].
pub fn some_row(row: u32) -> Option<u32> {
    (row != NONE).then_some(row)
}
