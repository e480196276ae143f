// SPDX-License-Identifier: Apache-2.0
//! Sizes and numbers of the format; the names are those of `teff_trace.h`.

/// What the runtime writes.
pub const VERSION: u32 = 6;
/// What is read.
pub const VERSIONS: std::ops::RangeInclusive<u32> = 1..=VERSION;
/// The version of the manifest of a set of recordings.
pub const SET_VERSION: u32 = 1;
pub const CHUNK_BYTES: usize = 1 << 20;
/// The bytes `TEFCHNK1`.
pub const MAGIC: u64 = 0x314b_4e48_4346_4554;
/// The header of version 2, which ends with the table of sizes; a later one may go on behind it.
pub const CHUNK_HEADER_BYTES: usize = 320;
/// The header of version 1. That of version 2 begins with the same.
pub const CHUNK_HEADER_BYTES_1: usize = 64;
/// Where a chunk's header says how many of its bytes have a checksum. The checksum follows.
pub const SEALED_BYTES_AT: usize = 48;
/// The size of both.
pub const SEAL_BYTES: usize = 16;
/// Where the table of sizes stands in a chunk: a byte for each type.
pub const SIZES_AT: usize = CHUNK_HEADER_BYTES - 256;
/// Where a chunk's header says whether the file is a ring, if the header is that long.
pub const RING_AT: usize = CHUNK_HEADER_BYTES;
/// Every record starts at a multiple of this.
pub const ALIGNMENT: usize = 16;
/// The stream part of an id has 16 bits.
pub const MAX_STREAMS: usize = 1 << 16;
/// Durations and the `when` of a record are 48 bits wide.
pub const MASK_48: u64 = (1 << 48) - 1;
/// Ticks. A chunk counts from the recording's start, or, once that is longer ago than this, from
/// this long before the chunk was opened.
pub const LONG_AGO: u64 = 1 << 47;
/// Processor number that stands for "unknown".
pub const UNKNOWN_CPU: u16 = 0xffff;

/// Type byte of a record.
pub mod kind {
    pub const NONE: u8 = 0;
    pub const SITE: u8 = 1;
    pub const MODULE: u8 = 2;
    pub const CREATE: u8 = 3;
    pub const RUN: u8 = 4;
    pub const WAIT: u8 = 5;
    pub const REGION: u8 = 6;
    pub const REGION_END: u8 = 7;
    pub const LOOP: u8 = 8;
    pub const CHUNK: u8 = 9;
    pub const LOOP_THREAD: u8 = 10;
    pub const DEP: u8 = 11;
    pub const IDLE: u8 = 12;
    pub const STEAL: u8 = 13;
    pub const CLOCK: u8 = 14;
    pub const START: u8 = 15;
    pub const LOST: u8 = 16;
    pub const GROUP_BEGIN: u8 = 17;
    // From version 2 on.
    pub const PRIORITY: u8 = 18;
    pub const FULFIL: u8 = 19;
    pub const THREAD: u8 = 20;
    pub const LOCK: u8 = 21;
    // No runtime writes them yet.
    pub const MEMORY: u8 = 22;
    pub const PROCESSOR: u8 = 23;
    pub const COUNTER: u8 = 24;
    pub const COUNTS: u8 = 25;
    pub const SAMPLING: u8 = 26;
    // Later than the rest of version 2.
    pub const RECORDER: u8 = 27;
    pub const DOACROSS: u8 = 28;
    pub const CALL_PATH: u8 = 29;
    pub const TEAM_SIZE: u8 = 30;
    // From version 3 on.
    pub const SHORT_CREATE: u8 = 31;
    pub const SHORT_RUN: u8 = 32;
    pub const SHORT_DEP: u8 = 33;
    // Later than the rest of version 3.
    pub const WAKE: u8 = 34;
    pub const MOVED: u8 = 35;
    pub const REQUEST: u8 = 36;
    pub const OFF: u8 = 37;
    pub const WINDOW: u8 = 38;
    pub const SPAN: u8 = 39;
    pub const NAME: u8 = 40;
    pub const SAMPLE: u8 = 41;
    pub const SAMPLES: u8 = 42;
    pub const STACK: u8 = 43;
    pub const CODE: u8 = 44;
    pub const SAMPLED: u8 = 45;
    pub const PREPARED: u8 = 46;
    // From version 4 on.
    pub const SHORT_WAIT: u8 = 47;
    pub const SHORT_CHUNK: u8 = 48;
    // From version 6 on.
    pub const SHORT_TASK: u8 = 49;
    // Later than the rest of version 6.
    pub const DEVICE: u8 = 50;
    pub const SUMS: u8 = 51;
    pub const EXCHANGE: u8 = 52;
}

/// Flags of CREATE.
pub mod task {
    pub const IMPLICIT: u8 = 1;
    pub const UNDEFERRED: u8 = 2;
    pub const INCLUDED: u8 = 4;
    pub const UNTIED: u8 = 8;
    pub const FINAL: u8 = 16;
    pub const DETACHABLE: u8 = 32;
    pub const DEPEND: u8 = 64;
    pub const TASKLOOP: u8 = 128;
}

/// Flags of TEAM_SIZE.
pub mod team_size {
    pub const SINGLE: u8 = 1;
    pub const LOOP: u8 = 2;
    pub const LOOP_END: u8 = 4;
}

/// Flags of RUN.
pub mod run {
    pub const CANCELLED: u8 = 1;
    pub const STOLEN: u8 = 2;
    /// Undeferred or included: the task ran on top of its creator, which has no WAIT for it.
    pub const ON_TOP: u8 = 4;
    pub const INITIAL: u8 = 8;
}

/// Flags of DEP: two kinds of 3 bits, and these bits.
pub mod dep {
    pub const PREDECESSOR_SHIFT: u8 = 3;
    pub const KIND_MASK: u8 = 7;
    pub const FULFILLED: u8 = 64;
    pub const OF_WAIT: u8 = 128;
}

/// Flags of DOACROSS.
pub mod doacross {
    pub const SOURCE: u8 = 1;
    pub const SINK: u8 = 2;
}

/// Flags of COUNTS.
pub mod counts {
    pub const TASK: u8 = 1;
    pub const THREAD: u8 = 2;
    pub const FRAGMENT: u8 = 4;
    /// With FRAGMENT: of the task's next chunk.
    pub const CHUNK: u8 = 8;
}

/// The counter that says for how many ticks a task waited for memory.
pub const MEMORY_STALL: &[u8] = b"memory_stall";

/// Flags of FULFIL.
pub mod fulfil {
    pub const LATE: u8 = 1;
}

/// Flags of THREAD.
pub mod thread {
    pub const BEGINS: u8 = 1;
    pub const ENDS: u8 = 2;
    /// OFF records tell each time that the thread was off its processor since its last record of
    /// this kind.
    pub const TOLD: u8 = 4;
}

/// Flags of OFF.
pub mod off {
    pub const SLEPT: u8 = 1;
    pub const PREEMPTED: u8 = 2;
}

/// Flags of SAMPLE.
pub mod sample {
    /// The thread was in the kernel, which it entered at the address.
    pub const KERNEL: u8 = 1;
}

/// Flags of SAMPLES.
pub mod samples {
    pub const BEGIN: u8 = 1;
    pub const REFUSED: u8 = 2;
    pub const LOST: u8 = 4;
}

/// Flags of a frame of a STACK.
pub mod stack_frame {
    /// A function of Python.
    pub const PYTHON: u32 = 1;
    /// C code has called this function of Python.
    pub const ENTRY: u32 = 2;
}

/// Flags of DEVICE.
pub mod device {
    /// The kind of the construct.
    pub const CONSTRUCT: u8 = 15;
    /// A thread of the runtime carried it out.
    pub const NOWAIT: u8 = 16;
}

/// Flags of WINDOW.
pub mod window {
    pub const BEGINS: u8 = 1;
    pub const ENDS: u8 = 2;
}

/// Flags of SPAN.
pub mod span {
    pub const BEGINS: u8 = 1;
    pub const ENDS: u8 = 2;
    /// With BEGINS: it began earlier.
    pub const GOES_ON: u8 = 4;
}

/// Flags of CALL_PATH.
pub mod path {
    /// It ends where the runtime has called the task, and goes on with the task's creation.
    pub const OF_TASK: u8 = 1;
    /// There are more frames than were asked for.
    pub const CUT: u8 = 2;
    /// The caller of the last frame could not be told.
    pub const LOST: u8 = 4;
}

/// Flags of LOOP.
pub mod schedule {
    pub const STATIC: u8 = 1;
    pub const DYNAMIC: u8 = 2;
    pub const GUIDED: u8 = 3;
    pub const SECTIONS: u8 = 4;
    pub const MASK: u8 = 7;
    pub const ORDERED: u8 = 16;
    pub const ULL: u8 = 32;
}

/// The little-endian number at a place; what lies beyond the end counts as zero.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(b) => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        None => 0,
    }
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
