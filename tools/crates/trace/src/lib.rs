// SPDX-License-Identifier: Apache-2.0
//! The Teff trace format, version 5, as `runtime/include/teff_trace.h` defines it. Versions 1 to
//! 4 are read, too.
//!
//! A recording is a directory with `meta.json`, one `stream-NNNN.bin` per worker and, if the
//! program ended normally, `end.json`. [`Recording::open`] maps the files; [`StreamReader`] turns
//! the bytes of one stream into typed [`Record`]s and does no input or output itself.
//!
//! All input is treated as hostile. Damage gives an [`Error`] that names file, offset and remedy.
//! Three things are not damage but signs of a killed program, and end a stream without an error: a
//! last chunk that is cut short, a chunk whose magic was never stored (it was mapped but not
//! begun), and a zero type byte. Memory used is bounded by the size of the input, time is linear in
//! it.

mod clock;
mod command;
mod decode;
mod device_clock;
#[cfg(feature = "writer")]
mod encode;
mod error;
mod head;
mod host_clock;
mod id;
mod input;
pub mod layout;
mod live;
mod meta;
mod order;
mod processes;
mod ranks;
mod record;
mod recording;
pub mod seal;
mod set;
mod short;
mod size;
mod sizes;
mod stream;
mod stream_sums;
mod sums;
mod ticks;
pub mod topology;
#[cfg(feature = "writer")]
pub mod writer;

pub use clock::{Clock, ClockPair};
pub use command::Command;
pub use device_clock::{ClockFacts, DeviceClock};
pub use error::{Error, Problem};
pub use host_clock::{Exchange, HostClock, Rate};
pub use id::{LoopId, RegionId, TaskId};
pub use input::{map_regular, open_regular, read_regular};
pub use layout::SET_VERSION;
pub use meta::{End, Meta, Modelled};
pub use processes::{
    are_ranks_of_one_program, are_some_not_recorded, is_directory_of_a_process, processes, Process, Processes,
};
pub use ranks::{is_directory_of_a_rank, is_file_of_ranks, is_ranks, rank_of, ranks, Rank, Ranks};
pub use ranks::{RANK_FORMAT, RANK_VERSION};
pub use record::*;
pub use recording::{
    counts_pid, is_file_of_a_recording, is_recording, stream_bytes, Clocks, Recording, StreamFile,
};
pub use set::{is_file_of_a_set, is_set, Manifest, Run as SetRun, Set, SetGroup};
pub use set::{MOST_RUNS, SET_FILE, SET_FILE_BESIDE, SET_FORMAT};
pub use size::Size;
pub use sizes::Sizes;
pub use stream::{Entry, StreamReader};
pub use stream_sums::StreamSums;
pub use sums::Sums;
pub use ticks::{Stamp, Ticks};
pub use topology::Topology;
