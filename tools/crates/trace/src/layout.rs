// SPDX-License-Identifier: Apache-2.0
//! Sizes and numbers of the format; the names are those of `teff_trace.h`.

pub const VERSION: u32 = 1;
pub const CHUNK_BYTES: usize = 1 << 20;
/// The bytes `TEFCHNK1`.
pub const MAGIC: u64 = 0x314b_4e48_4346_4554;
pub const CHUNK_HEADER_BYTES: usize = 64;
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

/// Flags of RUN.
pub mod run {
    pub const CANCELLED: u8 = 1;
    pub const STOLEN: u8 = 2;
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
