// SPDX-License-Identifier: Apache-2.0
//! The parts that all records have: the first 8 bytes, and the ids of tasks.

use crate::error::Problem;
use crate::id::TaskId;

/// The first 8 bytes of a record, taken apart.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub kind: u8,
    pub flags: u8,
    /// Ticks from the chunk's base, which the runtime sets so early that what began before the
    /// chunk fits too.
    pub when: u64,
}

impl Head {
    pub fn from_word(word: u64) -> Self {
        Self { kind: word as u8, flags: (word >> 8) as u8, when: word >> 16 }
    }
}

/// A task id where "none" makes no sense.
pub(crate) fn task(value: u64, record: &'static str) -> Result<TaskId, Problem> {
    if TaskId(value).ordinal() == 0 {
        return Err(Problem::BadField { record, field: "task", value });
    }
    Ok(TaskId(value))
}
