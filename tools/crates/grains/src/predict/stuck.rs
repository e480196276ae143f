// SPDX-License-Identifier: Apache-2.0
//! The reasons why there is no prediction.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// The graph cannot be executed to its end: records are missing. `tasks` were not reached or
    /// have not ended.
    Tasks { threads: u32, tasks: u64 },
    /// The clock has no longer times.
    TooLong,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Tasks { threads, tasks } => write!(
                f,
                "on {threads} {} {tasks} of the recorded tasks never end: the event that they wait for is not in the \
                 recording, or the recorded order of taking locks leads to a deadlock. Record the program again.",
                if threads == 1 { "thread" } else { "threads" },
            ),
            Self::TooLong => f.write_str(
                "with this network, or with what the host takes for constructs, the program takes longer than a \
                 hundred years.",
            ),
        }
    }
}

impl std::error::Error for Stuck {}
