// SPDX-License-Identifier: Apache-2.0
//! Completes short records: the fields that they leave out follow from earlier records in the
//! chunk.

use crate::error::Problem;
use crate::head::{task, Head};
use crate::id::{RegionId, TaskId};
use crate::layout::{dep, kind, run, task as flag, u32_at, u64_at};
use crate::record::{Chunk, Create, Dep, DepKind, Record, Run, Wait, WaitKind};

const ORDINAL_BITS: u32 = 48;
const TICKS_BITS: u32 = 24;
const SHORT_TICKS: u64 = (1 << TICKS_BITS) - 1;
/// A bit of SHORT_DEP's `back`: the address is near the other address.
const OTHER: u32 = 1 << 31;

/// What a chunk's last records of those types had; zeros before the first.
#[derive(Default)]
pub(crate) struct LastRecords {
    created: u64,
    parent: u64,
    site: u32,
    region: u64,
    cpu: u16,
    address: u64,
    /// The address of an earlier DEP, far from the last address: see `teff_rec_short_dep`.
    other_address: u64,
    chunk: Chunk,
    /// The sites of the waits, by kind.
    sites: [u32; WaitKind::COUNT],
}

impl LastRecords {
    pub fn note(&mut self, head: Head, record: &Record) {
        match record {
            Record::Create(create) => {
                (self.created, self.parent, self.site) = (create.task.0, create.parent.0, create.site);
            }
            Record::Run(run) => (self.region, self.cpu) = (run.region.0, run.cpu),
            Record::Wait(wait) => self.sites[wait.kind as usize] = wait.site,
            Record::Chunk(chunk) => self.chunk = *chunk,
            Record::Dep(dep) => {
                if head.kind == kind::DEP {
                    self.other_address = self.address;
                }
                self.address = dep.address;
            }
            _ => {}
        }
    }

    /// `None`: it is no short record. `bytes` has all of it.
    pub fn decode(&mut self, head: Head, bytes: &[u8]) -> Result<Option<Record<'static>>, Problem> {
        Ok(Some(match head.kind {
            kind::SHORT_CREATE => Record::Create(Create {
                task: task(self.created.wrapping_add(1), "SHORT_CREATE")?,
                parent: TaskId(self.parent),
                site: u32_at(bytes, 8),
                cost: u32_at(bytes, 12),
                flags: head.flags,
            }),
            kind::SHORT_TASK => Record::Create(Create {
                task: task(self.created.wrapping_add(1), "SHORT_TASK")?,
                parent: TaskId(self.parent),
                site: self.site,
                cost: u32_at(bytes, 8),
                flags: head.flags,
            }),
            kind::SHORT_RUN => {
                let (ticks, task_id) = ticks_and_task(bytes);
                Record::Run(Run {
                    task: task(task_id, "SHORT_RUN")?,
                    ticks,
                    cpu: self.cpu,
                    region: RegionId(self.region),
                    flags: head.flags,
                })
            }
            kind::SHORT_WAIT => {
                let Some(wait_kind) = wait_kind(head.flags)? else { return Ok(None) };
                let (ticks, task_id) = ticks_and_task(bytes);
                Record::Wait(Wait {
                    kind: wait_kind,
                    task: task(task_id, "SHORT_WAIT")?,
                    ticks,
                    site: self.sites[wait_kind as usize],
                    barrier: 0,
                    departures: 0,
                })
            }
            kind::SHORT_CHUNK => {
                let packed = u64_at(bytes, 8);
                Record::Chunk(Chunk {
                    task: task(self.chunk.task.0, "SHORT_CHUNK")?,
                    first: self.chunk.first.wrapping_add(packed as i64 >> TICKS_BITS),
                    ticks: packed & SHORT_TICKS,
                    ..self.chunk
                })
            }
            kind::SHORT_DEP => {
                let (back, address) = (u32_at(bytes, 8), u32_at(bytes, 12) as i32);
                if back & OTHER != 0 {
                    std::mem::swap(&mut self.address, &mut self.other_address);
                }
                let predecessor = self.created.wrapping_sub(u64::from(back & !OTHER));
                Record::Dep(Dep {
                    successor: task(self.created, "SHORT_DEP")?,
                    predecessor: task(predecessor, "SHORT_DEP")?,
                    address: self.address.wrapping_add_signed(i64::from(address)),
                    ..dep_of_flags(head.flags)
                })
            }
            _ => return Ok(None),
        }))
    }
}

/// The RUN, and the WAIT of the creator, that a SHORT_TASK stands for besides `create`, with their
/// common distance from its `when`. `None`: they have records of their own.
pub(crate) type AtOnce = Option<(u64, Record<'static>, Option<Record<'static>>)>;

impl LastRecords {
    pub fn at_once(&self, head: Head, bytes: &[u8], create: &Record) -> AtOnce {
        let (kind::SHORT_TASK, Record::Create(create)) = (head.kind, create) else { return None };
        let ticks = u64::from(u32_at(bytes, 12).checked_sub(1)?);
        let region = RegionId(self.region);
        let is_deferred = create.flags & (flag::UNDEFERRED | flag::INCLUDED) == 0;
        let flags = if is_deferred { 0 } else { run::ON_TOP };
        let run = Record::Run(Run { task: create.task, ticks, cpu: self.cpu, region, flags });
        let wait = is_deferred.then_some(Record::Wait(Wait {
            kind: WaitKind::RunAtOnce,
            task: create.parent,
            ticks,
            site: create.site,
            barrier: 0,
            departures: 0,
        }));
        Some((u64::from(create.cost), run, wait))
    }
}

/// The ticks, and the task's id, of a SHORT_RUN or a SHORT_WAIT.
fn ticks_and_task(bytes: &[u8]) -> (u64, u64) {
    let packed = u64_at(bytes, 8);
    let ordinal = packed >> TICKS_BITS & 0xffff_ffff;
    (packed & SHORT_TICKS, packed >> 56 << ORDINAL_BITS | ordinal)
}

/// What the flags of a DEP, short or not, say.
pub(crate) fn dep_of_flags(flags: u8) -> Dep {
    Dep {
        kind: DepKind::from_u8(flags & dep::KIND_MASK),
        predecessor_kind: DepKind::from_u8(flags >> dep::PREDECESSOR_SHIFT & dep::KIND_MASK),
        fulfilled: flags & dep::FULFILLED != 0,
        of_wait: flags & dep::OF_WAIT != 0,
        ..Default::default()
    }
}

/// The kind of a WAIT, short or not. `None`: a later runtime has written it.
pub(crate) fn wait_kind(flags: u8) -> Result<Option<WaitKind>, Problem> {
    if flags == 0 {
        return Err(Problem::BadField { record: "WAIT", field: "kind", value: 0 });
    }
    Ok(WaitKind::from_u8(flags))
}
