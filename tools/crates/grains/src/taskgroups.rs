// SPDX-License-Identifier: Apache-2.0
//! Finds in which taskgroup each task was created, and which taskgroup each wait ends.
//!
//! The taskgroups of one task nest like brackets and are numbered as they begin. So a task that is
//! created in a group, or in a group inside it, has the group's number or a larger one, until the
//! group ends. Recordings that do not record the start of taskgroups (the first ones of version 1)
//! leave this table empty.

use crate::row::Column;
use crate::tables::{GrainRow, Grains, WaitInfo, WaitRow};
/// For a task: it is in no taskgroup of its parent. For a wait: it is not known which group the
/// wait ends.
pub(crate) const NO_GROUP: u32 = 0;

#[derive(Default)]
pub(crate) struct Taskgroups {
    /// For each task, by row: the innermost open group of its parent. Empty if there are no groups
    /// at all.
    of_task: Column<Grains, u32>,
    of_wait: Column<WaitInfo, u32>,
    /// Groups that the task being laid out has open.
    open: Vec<u32>,
    /// The task that opened each group.
    owner: Vec<GrainRow>,
}

impl Taskgroups {
    pub fn new(tasks: usize, waits: usize) -> Self {
        Self {
            of_task: Column::filled(NO_GROUP, tasks),
            of_wait: Column::filled(NO_GROUP, waits),
            ..Self::default()
        }
    }

    /// Begins the layout of another task. Forgets the groups that the previous task did not end
    /// because it was killed.
    pub fn enter_task(&mut self) {
        self.open.clear();
    }

    pub fn begin(&mut self, task: GrainRow) {
        self.owner.push(task);
        self.open.push(self.owner.len() as u32);
    }

    pub fn fork(&mut self, child: GrainRow) {
        if let Some(&group) = self.open.last() {
            self.of_task[child] = group;
        }
    }

    pub fn end(&mut self, wait: WaitRow) {
        if let Some(group) = self.open.pop() {
            self.of_wait[wait] = group;
        }
    }

    pub fn owner(&self, group: u32) -> GrainRow {
        self.owner[group as usize - 1]
    }

    pub fn of_task(&self, task: GrainRow) -> u32 {
        self.of_task.of(Some(task)).copied().unwrap_or(NO_GROUP)
    }

    pub fn of_wait(&self, wait: WaitRow) -> u32 {
        self.of_wait.of(Some(wait)).copied().unwrap_or(NO_GROUP)
    }
}
