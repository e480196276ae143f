// SPDX-License-Identifier: Apache-2.0
//! Encodes one record, for [`crate::writer`].

use crate::id::TaskId;
use crate::layout::{dep, device, kind, off, team_size, MASK_48};
use crate::record::{Record, ShareMark, PATH_FRAME_BYTES};

/// A record taken apart.
pub(crate) struct Encoded {
    pub kind: u8,
    pub flags: u8,
    /// What follows the head.
    pub fixed: Vec<u8>,
    /// What follows that.
    pub tail: Vec<u8>,
}

#[allow(clippy::too_many_lines, reason = "a table of all kinds")]
pub(crate) fn encode(record: &Record) -> Encoded {
    let mut out = Payload(Vec::with_capacity(64));
    let mut tail = Vec::new();
    let (kind, flags) = match record {
        Record::Site(r) => {
            out.half(r.site).half(r.module).word(r.call_site).word(r.function);
            (kind::SITE, 0)
        }
        Record::Module(r) => {
            out.half(r.module).half(r.path.len() as u32).word(r.bias).word(r.build_id).word(r.build_mark);
            out.word(0);
            tail.extend_from_slice(r.path);
            (kind::MODULE, 0)
        }
        Record::Create(r) => {
            out.task(r.task).task(r.parent).half(r.site).half(r.cost);
            (kind::CREATE, r.flags)
        }
        Record::Run(r) => {
            out.task(r.task).timed(r.ticks, r.cpu).word(r.region.0);
            (kind::RUN, r.flags)
        }
        Record::Wait(r) => {
            out.task(r.task).timed(r.ticks, r.departures).half(r.site).half(r.barrier);
            (kind::WAIT, r.kind as u8)
        }
        Record::Region(r) => {
            out.word(r.region.0).task(r.parent).half(r.site).half(r.threads);
            out.half(r.requested).half(r.level).word(0);
            (kind::REGION, 0)
        }
        Record::RegionEnd { region } => {
            out.word(region.0).word(0).word(0);
            (kind::REGION_END, 0)
        }
        Record::Loop(r) => {
            out.word(r.id.0).word(r.region.0).half(r.site).half(r.threads);
            out.word(r.lb as u64).word(r.ub as u64).word(r.step as u64).word(r.chunk as u64);
            (kind::LOOP, r.flags)
        }
        Record::Chunk(r) => {
            out.word(r.id.0).task(r.task).word(r.first as u64).word(r.iterations);
            out.timed(r.ticks, r.cpu);
            (kind::CHUNK, 0)
        }
        Record::LoopThread(r) => {
            out.word(r.id.0).task(r.task).word(r.ticks);
            (kind::LOOP_THREAD, 0)
        }
        Record::Dep(r) => {
            out.task(r.successor).task(r.predecessor).word(r.address);
            let kinds = r.kind as u8 | (r.predecessor_kind as u8) << dep::PREDECESSOR_SHIFT;
            let fulfilled = if r.fulfilled { dep::FULFILLED } else { 0 };
            (kind::DEP, kinds | fulfilled | if r.of_wait { dep::OF_WAIT } else { 0 })
        }
        Record::Idle { ticks, sleep } => {
            out.word(*ticks).word(u64::from(*sleep)).word(0);
            (kind::IDLE, 0)
        }
        Record::Steal { task, victim } => {
            out.task(*task).half(*victim).half(0).word(0);
            (kind::STEAL, 0)
        }
        Record::Clock(pair) => {
            out.word(pair.stamp.0).word(pair.ns).word(0);
            (kind::CLOCK, 0)
        }
        Record::Start { task, region } => {
            out.task(*task).word(region.0).word(0);
            (kind::START, 0)
        }
        Record::Lost { records } => {
            out.word(*records).word(0).word(0);
            (kind::LOST, 0)
        }
        Record::GroupBegin { task } => {
            out.task(*task).word(0).word(0);
            (kind::GROUP_BEGIN, 0)
        }
        Record::Priority { task, priority } => {
            out.task(*task).half(*priority as u32).half(0).word(0);
            (kind::PRIORITY, 0)
        }
        Record::Fulfil(r) => {
            out.task(r.task).word(r.ticks).word(0);
            (kind::FULFIL, r.flags)
        }
        Record::Thread(r) => {
            let switches = u32::from(r.preemptions) << 16 | u32::from(r.waits);
            out.word(r.cpu_ns).word(r.recorder_ticks).half(r.os_thread).half(switches);
            (kind::THREAD, r.flags)
        }
        Record::Lock(r) => {
            out.task(r.task).word(r.address).word(r.waited).word(r.held).half(r.site).half(0);
            (kind::LOCK, r.kind as u8)
        }
        Record::Memory(r) => {
            out.word(r.footprint_bytes).word(r.runtime_bytes).word(r.allocations);
            out.word(r.allocated_bytes).word(0);
            (kind::MEMORY, 0)
        }
        Record::Processor(r) => {
            out.half(r.processor).half(r.core).half(r.cache).half(r.numa_node);
            out.half(r.package).half(r.place).word(0).word(0);
            (kind::PROCESSOR, 0)
        }
        Record::Counter(r) => {
            out.half(r.counter).half(r.name.len() as u32).word(0).word(0);
            tail.extend_from_slice(r.name);
            (kind::COUNTER, 0)
        }
        Record::Counts(r) => {
            out.half(r.first).half(r.bytes.len() as u32).task(r.task).half(r.before).half(r.after);
            tail.extend_from_slice(r.bytes);
            (kind::COUNTS, r.flags)
        }
        Record::Sampling(r) => {
            out.half(r.counter).half(0).word(r.period).word(0);
            (kind::SAMPLING, 0)
        }
        Record::Recorder { ticks } => {
            out.word(*ticks).word(0).word(0);
            (kind::RECORDER, 0)
        }
        Record::Doacross(r) => {
            out.word(r.id.0).task(r.task).word(r.iteration).word(r.waited).word(r.ticks);
            (kind::DOACROSS, r.flags)
        }
        Record::TeamSize { task, share } => {
            let (iterations, flags) = match *share {
                ShareMark::Asked => (0, 0),
                ShareMark::Single => (0, team_size::SINGLE),
                ShareMark::LoopBegins { iterations } => (iterations, team_size::LOOP),
                ShareMark::LoopEnds => (0, team_size::LOOP_END),
            };
            out.task(*task).word(iterations).word(0);
            (kind::TEAM_SIZE, flags)
        }
        Record::Wake(r) => {
            out.half(r.sleeper).half(r.sleep).word(r.ticks).word(0);
            (kind::WAKE, r.cause as u8)
        }
        Record::Moved { processor } => {
            out.half(*processor).half(0).word(0).word(0);
            (kind::MOVED, 0)
        }
        Record::Request(r) => {
            out.task(r.task).word(r.ticks).half(r.priority as u32).half(0);
            (kind::REQUEST, r.end as u8)
        }
        Record::Device(r) => {
            out.task(r.task).half(r.site).half(r.device).word(r.bytes_to).word(r.bytes_from);
            out.word(r.waited).word(r.prepared).word(r.there).word(r.received).word(r.ran_ns);
            let (began, ended) = r.on_device.unwrap_or_default();
            out.word(began.0).word(ended.0);
            (kind::DEVICE, r.construct as u8 | if r.is_deferred { device::NOWAIT } else { 0 })
        }
        Record::Exchange { device, ticks, began, ended } => {
            out.half(*device).half(*ticks).word(began.0).word(ended.0);
            (kind::EXCHANGE, 0)
        }
        Record::Off { ticks, preempted } => {
            out.word(*ticks).word(0).word(0);
            (kind::OFF, if *preempted { off::PREEMPTED } else { off::SLEPT })
        }
        Record::Prepared { ticks, processor } => {
            out.word(*ticks).half(*processor).half(0).word(0);
            (kind::PREPARED, 0)
        }
        Record::Sums { fields } => {
            out.0.extend_from_slice(fields);
            (kind::SUMS, 0)
        }
        Record::Window(r) => {
            out.word(r.number).word(0).word(0);
            (kind::WINDOW, r.flags)
        }
        Record::Span(r) => {
            out.task(r.task).half(r.name).half(r.depth).word(0);
            (kind::SPAN, r.flags)
        }
        Record::Name(r) => {
            out.half(r.name).half(r.text.len() as u32).word(0).word(0);
            tail.extend_from_slice(r.text);
            (kind::NAME, 0)
        }
        Record::Sample(r) => {
            out.word(r.address).half(r.module).half(r.unseen).word(r.period_ns);
            (kind::SAMPLE, r.flags)
        }
        Record::Samples(r) => {
            out.word(r.lost).word(r.period_ns).word(0);
            (kind::SAMPLES, r.flags)
        }
        Record::Stack(r) => {
            out.half(r.stack).half(r.frames.len() as u32).word(0).word(0);
            tail.extend_from_slice(r.frames);
            (kind::STACK, r.flags)
        }
        Record::Code(r) => {
            out.half(r.code).half(r.text.len() as u32).word(0).word(0);
            tail.extend_from_slice(r.text);
            (kind::CODE, 0)
        }
        Record::Sampled { stack } => {
            out.half(*stack).half(0).word(0).word(0);
            (kind::SAMPLED, 0)
        }
        Record::CallPath(r) => {
            let frames = r.frames.len() / PATH_FRAME_BYTES;
            out.half(r.site).half((r.frames.len() + r.python.len()) as u32);
            out.half(frames as u32).half(r.python.len() as u32).word(0);
            tail.extend_from_slice(r.frames);
            tail.extend_from_slice(r.python);
            (kind::CALL_PATH, r.flags)
        }
    };
    Encoded { kind, flags, fixed: out.0, tail }
}

struct Payload(Vec<u8>);

impl Payload {
    fn half(&mut self, value: u32) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn word(&mut self, value: u64) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn task(&mut self, task: TaskId) -> &mut Self {
        self.word(task.0)
    }

    fn timed(&mut self, ticks: u64, cpu: u16) -> &mut Self {
        self.word(ticks & MASK_48 | u64::from(cpu) << 48)
    }
}
