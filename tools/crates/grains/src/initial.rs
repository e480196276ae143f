// SPDX-License-Identifier: Apache-2.0
//! Finds the time of initial tasks while a stream is decoded.
//!
//! Where a thread joins a window, its initial task counts as begun at that moment, and the RUN of
//! that task begins where the thread joined its last window. But the task ran all the time from its
//! first START: a window that was chosen from the earlier ones would lose the task.
//!
//! The thread that began the program ran its initial task from the beginning, although the records
//! of that task begin with its first construct.

use std::collections::HashMap;

use trace::{Create, Record, Run, TaskId};

use crate::ticks::Ticks;

/// The initial tasks of one stream, at their real instants.
#[derive(Default)]
pub(crate) struct InitialTasks {
    begun: HashMap<TaskId, Ticks>,
    /// When the first one was created.
    first: Option<(Ticks, TaskId)>,
}

impl InitialTasks {
    /// The record and its instant; that of an initial task's RUN from its first START on.
    pub fn look_at<'r>(&mut self, at: Ticks, record: Record<'r>) -> (Ticks, Record<'r>) {
        match record {
            Record::Create(create) if is_initial(&create) => {
                self.begun.entry(create.task).or_insert(at);
                self.first = self.first.into_iter().chain([(at, create.task)]).min();
            }
            // Most other tasks ran in a region.
            Record::Run(run) if run.region.is_none() => {
                let begun = self.begun.get(&run.task).map_or(at, |&begun| begun.min(at));
                let ticks = run.ticks.saturating_add((at - begun).0);
                return (begun, Record::Run(Run { ticks, ..run }));
            }
            _ => {}
        }
        (at, record)
    }

    pub const fn first(&self) -> Option<(Ticks, TaskId)> {
        self.first
    }
}

pub(crate) const fn is_initial(create: &Create) -> bool {
    create.flags & trace::layout::task::IMPLICIT != 0 && create.parent.is_none()
}
