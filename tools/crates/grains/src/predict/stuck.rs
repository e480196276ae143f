// SPDX-License-Identifier: Apache-2.0
//! The reasons why there is no prediction.

use std::fmt;

/// The graph cannot be executed to its end: records are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    pub threads: u32,
    /// The number of tasks that were not reached or have not ended.
    pub tasks: u64,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "on {} {} {} of the recorded tasks never end: the event that they wait for is not in the recording, or the \
             recorded order of taking locks leads to a deadlock. Record the program again.",
            self.threads,
            if self.threads == 1 { "thread" } else { "threads" },
            self.tasks
        )
    }
}

impl std::error::Error for Stuck {}
