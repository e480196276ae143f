// SPDX-License-Identifier: Apache-2.0
//! One record from its bytes. Every read is bounds-checked; nothing is copied or allocated.

use crate::clock::ClockPair;
use crate::error::Problem;
use crate::id::{LoopId, RegionId, TaskId};
use crate::layout::{kind, ALIGNMENT, MASK_48};
use crate::record::*;

/// The first 8 bytes of a record, taken apart.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub kind: u8,
    pub flags: u8,
    /// Ticks from the chunk's base, which the runtime sets so early that what began before the chunk fits too.
    pub when: u64,
}

impl Head {
    pub fn from_word(word: u64) -> Self {
        Self { kind: word as u8, flags: (word >> 8) as u8, when: word >> 16 }
    }
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(b) => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        None => 0,
    }
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// Bytes that the fixed part of a record takes, `None` for a type that does not exist.
fn fixed_bytes(kind_byte: u8) -> Option<usize> {
    Some(match kind_byte {
        kind::LOOP => 64,
        kind::REGION | kind::CHUNK => 48,
        kind::SITE..=kind::GROUP_BEGIN => 32,
        _ => return None,
    })
}

/// Size of the record that starts `bytes`. `None`: `bytes` ends before the size can be known.
pub(crate) fn record_bytes(head: Head, bytes: &[u8]) -> Result<Option<u64>, Problem> {
    let fixed = fixed_bytes(head.kind).ok_or(Problem::UnknownRecord(head.kind))?;
    if head.kind != kind::MODULE {
        return Ok(Some(fixed as u64));
    }
    if bytes.len() < fixed {
        return Ok(None);
    }
    let path = u64::from(u32_at(bytes, 12));
    Ok(Some((fixed as u64 + path).next_multiple_of(ALIGNMENT as u64)))
}

/// `bytes` is exactly one record, of the size that [`record_bytes`] gave.
pub(crate) fn decode(head: Head, bytes: &[u8]) -> Result<Record<'_>, Problem> {
    let word = |at| u64_at(bytes, at);
    let half = |at| u32_at(bytes, at);
    Ok(match head.kind {
        kind::SITE => {
            Record::Site(Site { site: half(8), module: half(12), call_site: word(16), function: word(24) })
        }
        kind::MODULE => Record::Module(Module {
            module: half(8),
            bias: word(16),
            path: bytes.get(32..32 + half(12) as usize).unwrap_or_default(),
        }),
        kind::CREATE => Record::Create(Create {
            task: task(word(8), "CREATE")?,
            parent: TaskId(word(16)),
            site: half(24),
            cost: half(28),
            flags: head.flags,
        }),
        kind::RUN => Record::Run(Run {
            task: task(word(8), "RUN")?,
            ticks: word(16) & MASK_48,
            cpu: (word(16) >> 48) as u16,
            region: RegionId(word(24)),
            flags: head.flags,
        }),
        kind::WAIT => Record::Wait(Wait {
            kind: wait_kind(head.flags)?,
            task: task(word(8), "WAIT")?,
            ticks: word(16) & MASK_48,
            site: half(24),
            barrier: half(28),
        }),
        kind::REGION => Record::Region(Region {
            region: RegionId(word(8)),
            parent: TaskId(word(16)),
            site: half(24),
            threads: half(28),
            requested: half(32),
            level: half(36),
        }),
        kind::REGION_END => Record::RegionEnd { region: RegionId(word(8)) },
        kind::LOOP => Record::Loop(Loop {
            id: LoopId(word(8)),
            region: RegionId(word(16)),
            site: half(24),
            threads: half(28),
            lb: word(32) as i64,
            ub: word(40) as i64,
            step: word(48) as i64,
            chunk: word(56) as i64,
            flags: head.flags,
        }),
        kind::CHUNK => Record::Chunk(Chunk {
            id: LoopId(word(8)),
            task: task(word(16), "CHUNK")?,
            first: word(24) as i64,
            iterations: word(32),
            ticks: word(40) & MASK_48,
            cpu: (word(40) >> 48) as u16,
        }),
        kind::LOOP_THREAD => Record::LoopThread(LoopThread {
            id: LoopId(word(8)),
            task: task(word(16), "LOOP_THREAD")?,
            ticks: word(24) & MASK_48,
        }),
        kind::DEP => Record::Dep(Dep {
            successor: task(word(8), "DEP")?,
            predecessor: task(word(16), "DEP")?,
            address: word(24),
        }),
        kind::IDLE => Record::Idle { ticks: word(8) & MASK_48 },
        kind::STEAL => Record::Steal { task: task(word(8), "STEAL")?, victim: half(16) },
        kind::CLOCK => Record::Clock(ClockPair { ticks: word(8), ns: word(16) }),
        kind::START => Record::Start { task: task(word(8), "START")?, region: RegionId(word(16)) },
        kind::LOST => Record::Lost { records: word(8) },
        kind::GROUP_BEGIN => Record::GroupBegin { task: task(word(8), "GROUP_BEGIN")? },
        other => return Err(Problem::UnknownRecord(other)),
    })
}

/// A task id where "none" makes no sense.
fn task(value: u64, record: &'static str) -> Result<TaskId, Problem> {
    if TaskId(value).ordinal() == 0 {
        return Err(Problem::BadField { record, field: "task", value });
    }
    Ok(TaskId(value))
}

fn wait_kind(flags: u8) -> Result<WaitKind, Problem> {
    WaitKind::from_u8(flags).ok_or(Problem::BadField {
        record: "WAIT",
        field: "kind",
        value: u64::from(flags),
    })
}
