// SPDX-License-Identifier: Apache-2.0
//! Decodes one record from its bytes. Every read is bounds-checked; nothing is copied or allocated.

use crate::clock::ClockPair;
use crate::error::Problem;
use crate::head::{task, Head};
use crate::id::{LoopId, RegionId, TaskId};
use crate::layout::{device, kind, off, team_size, u32_at, u64_at, ALIGNMENT, MASK_48, MAX_STREAMS};
use crate::record::{
    CallPath, Chunk, Code, Counter, Counts, Create, Dep, Device, DeviceConstruct, Doacross, Fulfil, Lock,
    LockKind, Loop, LoopThread, Memory, Module, Name, Processor, Record, Region, Request, RequestEnd, Run,
    Sample, Samples, Sampling, ShareMark, Site, Span, Stack, Thread, Wait, Wake, WakeCause, Window,
    PATH_FRAME_BYTES,
};
use crate::short::{dep_of_flags, wait_kind, LastRecords};
use crate::size::Size;
use crate::sums::Sums;
use crate::ticks::Stamp;

/// Where a record that has a tail says how many bytes that takes.
const TAIL_BYTES_AT: usize = 12;

/// Size of the record that starts `bytes`, of a type of `size`. `None`: `bytes` ends before it can
/// be known.
pub(crate) fn record_bytes(size: Size, bytes: &[u8]) -> Option<u64> {
    let fixed = size.fixed_bytes();
    if !size.has_tail() {
        return Some(fixed as u64);
    }
    let tail = (bytes.len() >= fixed).then(|| u64::from(u32_at(bytes, TAIL_BYTES_AT)))?;
    Some((fixed as u64 + tail).next_multiple_of(ALIGNMENT as u64))
}

/// `bytes` is exactly one record, of the length that [`record_bytes`] gave. It has all the fields
/// that are read here ([`Sizes::KNOWN`](crate::Sizes::KNOWN)), and may have more. `None`: it is of
/// a kind that is not known here. `last`: of the chunk, before this one.
#[allow(clippy::too_many_lines, reason = "a table of all kinds")]
pub(crate) fn decode<'a>(
    head: Head,
    size: Size,
    bytes: &'a [u8],
    last: &mut LastRecords,
) -> Result<Option<Record<'a>>, Problem> {
    let tail = || tail_of(size, bytes);
    let word = |at| u64_at(bytes, at);
    let half = |at| u32_at(bytes, at);
    Ok(Some(match head.kind {
        kind::SITE => {
            Record::Site(Site { site: half(8), module: half(12), call_site: word(16), function: word(24) })
        }
        kind::MODULE => {
            // Recordings from before build_mark have 32 bytes and the tail.
            let build_mark = if size.fixed_bytes() >= 40 { word(32) } else { 0 };
            let (module, bias, build_id) = (half(8), word(16), word(24));
            Record::Module(Module { module, bias, build_id, build_mark, path: tail() })
        }
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
            kind: match wait_kind(head.flags)? {
                Some(kind) => kind,
                None => return Ok(None),
            },
            task: task(word(8), "WAIT")?,
            ticks: word(16) & MASK_48,
            departures: (word(16) >> 48) as u16,
            site: half(24),
            barrier: half(28),
        }),
        kind::REGION => Record::Region(Region {
            region: RegionId(word(8)),
            parent: TaskId(word(16)),
            site: half(24),
            threads: threads(half(28), "REGION")?,
            requested: half(32),
            level: half(36),
        }),
        kind::REGION_END => Record::RegionEnd { region: RegionId(word(8)) },
        kind::LOOP => Record::Loop(Loop {
            id: LoopId(word(8)),
            region: RegionId(word(16)),
            site: half(24),
            threads: threads(half(28), "LOOP")?,
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
            ..dep_of_flags(head.flags)
        }),
        kind::IDLE => Record::Idle { ticks: word(8) & MASK_48, sleep: half(16) },
        kind::STEAL => Record::Steal { task: task(word(8), "STEAL")?, victim: half(16) },
        kind::CLOCK => Record::Clock(ClockPair { stamp: Stamp(word(8)), ns: word(16) }),
        kind::START => Record::Start { task: task(word(8), "START")?, region: RegionId(word(16)) },
        kind::LOST => Record::Lost { records: word(8) },
        kind::GROUP_BEGIN => Record::GroupBegin { task: task(word(8), "GROUP_BEGIN")? },
        kind::PRIORITY => Record::Priority { task: task(word(8), "PRIORITY")?, priority: half(16) as i32 },
        kind::FULFIL => Record::Fulfil(Fulfil {
            task: task(word(8), "FULFIL")?,
            ticks: word(16) & MASK_48,
            flags: head.flags,
        }),
        kind::THREAD => Record::Thread(Thread {
            cpu_ns: word(8),
            recorder_ticks: word(16),
            os_thread: half(24),
            waits: half(28) as u16,
            preemptions: (half(28) >> 16) as u16,
            flags: head.flags,
        }),
        kind::LOCK => Record::Lock(Lock {
            task: task(word(8), "LOCK")?,
            address: word(16),
            waited: word(24) & MASK_48,
            held: word(32) & MASK_48,
            site: half(40),
            kind: match lock_kind(head.flags)? {
                Some(kind) => kind,
                None => return Ok(None),
            },
        }),
        kind::MEMORY => Record::Memory(Memory {
            footprint_bytes: word(8),
            runtime_bytes: word(16),
            allocations: word(24),
            allocated_bytes: word(32),
        }),
        kind::PROCESSOR => Record::Processor(Processor {
            processor: half(8),
            core: half(12),
            cache: half(16),
            numa_node: half(20),
            package: half(24),
            place: half(28),
        }),
        kind::COUNTER => Record::Counter(Counter { counter: half(8), name: tail() }),
        kind::COUNTS => Record::Counts(Counts {
            first: half(8),
            task: TaskId(word(16)),
            before: half(24),
            after: half(28),
            flags: head.flags,
            bytes: tail(),
        }),
        kind::SAMPLING => Record::Sampling(Sampling { counter: half(8), period: word(16) }),
        kind::RECORDER => Record::Recorder { ticks: word(8) & MASK_48 },
        kind::DOACROSS => Record::Doacross(Doacross {
            id: LoopId(word(8)),
            task: task(word(16), "DOACROSS")?,
            iteration: word(24),
            waited: word(32) & MASK_48,
            ticks: word(40) & MASK_48,
            flags: head.flags,
        }),
        kind::TEAM_SIZE => Record::TeamSize {
            task: task(word(8), "TEAM_SIZE")?,
            share: match head.flags {
                flags if flags & team_size::SINGLE != 0 => ShareMark::Single,
                flags if flags & team_size::LOOP != 0 => ShareMark::LoopBegins { iterations: word(16) },
                flags if flags & team_size::LOOP_END != 0 => ShareMark::LoopEnds,
                _ => ShareMark::Asked,
            },
        },
        kind::WAKE => Record::Wake(Wake {
            sleeper: half(8),
            sleep: half(12),
            ticks: word(16) & MASK_48,
            cause: WakeCause::from_u8(head.flags),
        }),
        kind::MOVED => Record::Moved { processor: half(8) },
        kind::REQUEST => Record::Request(Request {
            task: TaskId(word(8)),
            ticks: word(16) & MASK_48,
            priority: half(24) as i32,
            end: RequestEnd::from_u8(head.flags),
        }),
        kind::DEVICE => Record::Device(Device {
            task: TaskId(word(8)),
            site: half(16),
            device: half(20),
            bytes_to: word(24),
            bytes_from: word(32),
            waited: word(40) & MASK_48,
            prepared: word(48) & MASK_48,
            there: word(56) & MASK_48,
            received: word(64) & MASK_48,
            ran_ns: word(72),
            // Earlier recordings of version 6 have 80 bytes.
            on_device: (size.fixed_bytes() >= 96 && word(80) != 0)
                .then(|| (Stamp(word(80)), Stamp(word(88)))),
            construct: DeviceConstruct::from_u8(head.flags & device::CONSTRUCT),
            is_deferred: head.flags & device::NOWAIT != 0,
        }),
        kind::EXCHANGE => Record::Exchange {
            device: half(8),
            ticks: half(12),
            began: Stamp(word(16)),
            ended: Stamp(word(24)),
        },
        kind::OFF => Record::Off { ticks: word(8) & MASK_48, preempted: head.flags == off::PREEMPTED },
        kind::PREPARED => Record::Prepared { ticks: word(8) & MASK_48, processor: half(16) },
        kind::SUMS => Record::Sums { fields: &bytes[8..8 + Sums::BYTES] },
        kind::WINDOW => Record::Window(Window { number: word(8), flags: head.flags }),
        kind::SPAN => {
            Record::Span(Span { task: TaskId(word(8)), name: half(16), depth: half(20), flags: head.flags })
        }
        kind::NAME => Record::Name(Name { name: half(8), text: tail() }),
        kind::SAMPLE => Record::Sample(Sample {
            address: word(8),
            module: half(16),
            unseen: half(20),
            period_ns: word(24),
            flags: head.flags,
        }),
        kind::SAMPLES => Record::Samples(Samples { lost: word(8), period_ns: word(16), flags: head.flags }),
        kind::STACK => Record::Stack(Stack { stack: half(8), flags: head.flags, frames: tail() }),
        kind::CODE => Record::Code(Code { code: half(8), text: tail() }),
        kind::SAMPLED => Record::Sampled { stack: half(8) },
        kind::CALL_PATH => {
            let frames_bytes = (half(16) as usize).saturating_mul(PATH_FRAME_BYTES).min(tail().len());
            let (frames, rest) = tail().split_at(frames_bytes);
            let python = rest.get(..half(20) as usize).unwrap_or(rest);
            Record::CallPath(CallPath { site: half(8), flags: head.flags, frames, python })
        }
        _ => return last.decode(head, bytes),
    }))
}

fn tail_of(size: Size, bytes: &[u8]) -> &[u8] {
    let tail = bytes.get(size.fixed_bytes()..).unwrap_or_default();
    tail.get(..u32_at(bytes, TAIL_BYTES_AT) as usize).unwrap_or_default()
}

/// Each thread of a team has a stream.
fn threads(value: u32, record: &'static str) -> Result<u32, Problem> {
    if value as usize > MAX_STREAMS {
        return Err(Problem::BadField { record, field: "threads", value: value.into() });
    }
    Ok(value)
}

fn lock_kind(flags: u8) -> Result<Option<LockKind>, Problem> {
    if flags == 0 {
        return Err(Problem::BadField { record: "LOCK", field: "kind", value: 0 });
    }
    Ok(LockKind::from_u8(flags))
}
