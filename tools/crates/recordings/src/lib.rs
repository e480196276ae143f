// SPDX-License-Identifier: Apache-2.0
//! Finds, opens and makes the directories of recordings.
//!
//! [`open()`] reads a profile by the name of its recording. For a set, `set_runs` chooses the run
//! that represents all, and `same_process` finds the corresponding process in all runs.
//! [`Destination`] is the directory of a recording that is about to be made; `recorder` says
//! whether a program is still recording into a directory.

mod args;
mod baseline;
mod commands;
pub mod control_groups;
mod counts;
mod destination;
mod device_clocks;
mod first;
mod memory;
mod open;
pub mod partial;
pub mod ranks;
mod recorder;
pub mod same_process;
pub mod set_runs;
mod watch;

pub use args::{RecordingArgs, ThresholdArgs, Thresholds};
pub use baseline::{baseline, budget_beside, lanes_beside, say_matched};
pub use commands::unlike_commands;
pub use counts::{add_counts, counts_of, counts_of_grains};
pub use destination::Destination;
pub use first::{first, FirstCounts, FirstFacts, FirstTimes};
pub use memory::Purpose;
pub use open::{
    not_recorded, open, open_watched, open_with_processes, readers, NamedProcess, Opened, ProcessFacts,
};
pub use watch::Watch;
