// SPDX-License-Identifier: Apache-2.0
//! Records as values. Times of a record stand beside it, in [`crate::Entry`]; durations are in ticks.

use crate::id::{LoopId, RegionId, TaskId};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Record<'a> {
    Site(Site),
    Module(Module<'a>),
    Create(Create),
    Run(Run),
    Wait(Wait),
    Region(Region),
    RegionEnd { region: RegionId },
    Loop(Loop),
    Chunk(Chunk),
    LoopThread(LoopThread),
    Dep(Dep),
    Idle { ticks: u64 },
    Steal { task: TaskId, victim: u32 },
    Clock(crate::ClockPair),
    Start { task: TaskId, region: RegionId },
    Lost { records: u64 },
    GroupBegin { task: TaskId },
}

/// A place in the program; addresses are absolute, `site` and `module` are local to the stream.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Site {
    pub site: u32,
    pub module: u32,
    pub call_site: u64,
    pub function: u64,
}

/// A loaded object: file address = absolute address - `bias`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Module<'a> {
    pub module: u32,
    pub bias: u64,
    /// As the program's loader named it; not necessarily UTF-8.
    pub path: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Create {
    pub task: TaskId,
    pub parent: TaskId,
    pub site: u32,
    /// Ticks from meeting the construct until the task was ready or ran.
    /// In an implicit task: its thread number in the team.
    pub cost: u32,
    /// Bits of [`crate::layout::task`].
    pub flags: u8,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Run {
    pub task: TaskId,
    /// From start to end, all waits included.
    pub ticks: u64,
    pub cpu: u16,
    pub region: RegionId,
    /// Bits of [`crate::layout::run`].
    pub flags: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum WaitKind {
    Taskwait = 1,
    Taskgroup = 2,
    Barrier = 3,
    ImplicitBarrier = 4,
    RegionEnd = 5,
    Depend = 6,
    Taskyield = 7,
    Critical = 8,
    Lock = 9,
    Ordered = 10,
}

impl WaitKind {
    pub const fn from_u8(value: u8) -> Option<Self> {
        Some(match value {
            1 => Self::Taskwait,
            2 => Self::Taskgroup,
            3 => Self::Barrier,
            4 => Self::ImplicitBarrier,
            5 => Self::RegionEnd,
            6 => Self::Depend,
            7 => Self::Taskyield,
            8 => Self::Critical,
            9 => Self::Lock,
            10 => Self::Ordered,
            _ => return None,
        })
    }

    /// Waits for the whole team.
    pub const fn is_barrier(self) -> bool {
        matches!(self, Self::Barrier | Self::ImplicitBarrier | Self::RegionEnd)
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wait {
    pub kind: WaitKind,
    pub task: TaskId,
    pub ticks: u64,
    pub site: u32,
    /// The how-manieth barrier of the region, from 1; 0 where it is none.
    pub barrier: u32,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Region {
    pub region: RegionId,
    pub parent: TaskId,
    pub site: u32,
    pub threads: u32,
    pub requested: u32,
    pub level: u32,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Loop {
    pub id: LoopId,
    pub region: RegionId,
    pub site: u32,
    pub threads: u32,
    pub lb: i64,
    /// Not included.
    pub ub: i64,
    pub step: i64,
    /// 0: not given.
    pub chunk: i64,
    /// Bits of [`crate::layout::schedule`].
    pub flags: u8,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Chunk {
    pub id: LoopId,
    /// The implicit task that ran it.
    pub task: TaskId,
    pub first: i64,
    pub iterations: u64,
    pub ticks: u64,
    pub cpu: u16,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LoopThread {
    pub id: LoopId,
    pub task: TaskId,
    pub ticks: u64,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Dep {
    pub successor: TaskId,
    pub predecessor: TaskId,
    pub address: u64,
}
