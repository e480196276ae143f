// SPDX-License-Identifier: Apache-2.0
//! The grains of a recording as columnar tables, and the metrics of the grain graph.
//!
//! A grain is a task (explicit, implicit or initial) or a loop chunk. [`Profile::of`] reads a
//! recording in five steps, each linear in the number of records: decode the streams (`load`), give
//! every grain a row (`assemble`), lay out what each grain does in program order (`timeline`), find
//! the longest paths (`path`) and derive the metrics (`benefit`). A row of a table is a [`Row`] of
//! that table, as [`GrainRow`], and indexes only its [`Column`]s; only fragments, items, holds of
//! locks and dependences have plain numbers. Times are [`Ticks`] since the start of the recording,
//! which [`trace::Clock`] turns into nanoseconds.
//!
//! Records that refer to objects which are missing in the trace (because the program was killed, or
//! records were lost) are left out and counted in [`Strays`]. No function panics, or uses more
//! memory than in proportion to its input.

mod assemble;
mod benefit;
mod bits;
pub mod budget;
mod by_time;
pub mod call_paths;
mod carriers;
pub mod characterise;
pub mod compare;
mod complete;
mod cores;
mod costs;
mod counters;
mod cpu_sample;
mod critical;
mod csr;
mod descheduled;
mod device_copies;
pub mod devices;
mod every;
pub mod findings;
mod hits;
mod index;
mod initial;
pub mod inside;
mod instants;
mod lengths;
mod load;
mod loaded_file;
pub mod metrics;
mod near;
pub mod one_sided;
mod order;
mod origin;
mod overtaken;
mod parts;
mod path;
pub mod phases;
mod place;
mod places;
pub mod predict;
pub mod preemptions;
pub mod priorities;
mod profile;
mod raw_spans;
mod raw_stacks;
mod ready_since;
mod roots;
mod row;
pub mod scaling;
mod selection;
mod shared_processors;
mod singles;
pub mod spans;
mod sparse;
mod still;
pub mod summary;
mod sweep;
mod switches;
mod tables;
mod taskgroups;
mod ticks;
mod timeline;
mod typical;
mod united;
pub mod units;
mod usage;
mod wakes;
pub mod wholeness;
mod windows;

pub use bits::Bits;
pub use cores::Cores;
pub use counters::{Counters, Ratio};
pub use every::Every;
pub use hits::{Hit, Samples};
pub use instants::Instants;
pub use lengths::Lengths;
pub use loaded_file::LoadedFile;
pub use place::{Frame, Place, PlaceRow, PythonCode, PythonFrame, Segment, Stack};
pub use places::Places;
pub use profile::{Error, Profile, Step};
pub use row::{Column, Row, NONE};
pub use selection::Selection;
pub use sparse::Sparse;
pub use switches::{Basis, Off, Switches};
pub use tables::*;
pub use ticks::Ticks;
pub use usage::Usage;
pub use windows::{Part, Windows};
