// SPDX-License-Identifier: Apache-2.0
//! Profiles of MIR, the runtime system of the grains thesis: one row for each task, and the columns
//! that its scripts derive from these rows. docs/formats/mir.md defines all of them.
//!
//! `read` and `write` handle the CSV form, `derive` computes what the published scripts compute,
//! `of_profile` converts a recording to such rows, and `import` converts such rows to a recording.
//! Times are in ticks of the clock, which MIR calls cycles.

pub mod derive;
pub mod import;
pub mod of_profile;
#[cfg(test)]
mod parity_test;
pub mod read;
pub mod write;

use std::borrow::Cow;

/// One task; the names are MIR's. A task without a creator has parent 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    pub task: u64,
    pub parent: u64,
    /// The number of the join that waits for it, among the joins of its parent, from 0.
    pub joins_at: u64,
    pub cpu_id: u32,
    /// In order of creation, from 1.
    pub child_number: u64,
    pub num_children: u64,
    /// Time that it ran, with its waits, without the tasks that ran on top of it.
    pub exec_cycles: u64,
    pub creation_cycles: u64,
    /// The part of `exec_cycles` for creating its children, and for waiting.
    pub overhead_cycles: u64,
    pub queue_size: Option<u64>,
    /// The time of its creation, in its parent's `exec_cycles`.
    pub create_instant: u64,
    /// Since the start of the program.
    pub exec_end_instant: u64,
    pub tag: Cow<'static, str>,
    /// `chunk_FIRST_END` for a chunk.
    pub metadata: Option<String>,
    pub outline_function: u64,
    /// The times at which its waits ended, in its `exec_cycles`.
    pub wait_instants: Vec<u64>,
    /// `file:line`
    pub source_line: Option<String>,
    /// The counter of stalled cycles, if the profile has such a counter.
    pub stalls: Option<f64>,
}

impl Task {
    pub fn work_cycles(&self) -> i64 {
        (i128::from(self.exec_cycles) - i128::from(self.overhead_cycles)) as i64
    }

    /// The first iteration of a chunk with bounds.
    pub fn first_iteration(&self) -> Option<&str> {
        let (first, _) = self.metadata.as_deref()?.strip_prefix("chunk_")?.split_once('_')?;
        Some(first)
    }

    /// True also for those tasks of a loop that run no iterations.
    pub fn is_chunk(&self) -> bool {
        self.metadata.as_deref().is_some_and(|metadata| metadata.starts_with("chunk_"))
    }
}
