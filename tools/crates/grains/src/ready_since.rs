// SPDX-License-Identifier: Apache-2.0
//! When tasks were ready, and when they had finished. A construct with nowait on a device is a task
//! that has finished when the construct has ended there.
//!
//! Both are computed from the tables when they are asked for: a column of them would take eight
//! bytes for each task.

use std::collections::HashMap;

use crate::tables::{GrainRow, Grains};
use crate::ticks::Ticks;
use crate::{Column, Profile};

/// The times at which tasks had ended, their events were fulfilled, and their constructs on devices
/// had ended.
pub(crate) struct Finished<'a> {
    grains: &'a Grains,
    /// When this was so, of tasks that had ended before.
    late: HashMap<GrainRow, Ticks>,
}

impl<'a> Finished<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let mut late: HashMap<GrainRow, Ticks> = HashMap::new();
        for fulfil in profile.fulfils.iter().filter(|fulfil| fulfil.late) {
            let when = late.entry(fulfil.task).or_default();
            *when = fulfil.when.max(*when);
        }
        for (task, construct) in profile.constructs_of_tasks() {
            let when = late.entry(task).or_default();
            *when = construct.ended.max(*when);
        }
        Self { grains: &profile.grains, late }
    }

    pub fn of_task(&self, task: GrainRow) -> Ticks {
        let fulfilled = self.late.get(&task).copied().unwrap_or_default();
        self.grains.end.of(task).max(fulfilled)
    }
}

/// The times at which tasks were ready.
pub(crate) struct ReadySince<'a> {
    grains: &'a Grains,
    /// When the last predecessor of each task had finished. Empty if no task has predecessors, as
    /// in most recordings with many tasks.
    released: Column<Grains, Ticks>,
}

impl<'a> ReadySince<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let grains = &profile.grains;
        let finished = Finished::of(profile);
        let rows = if profile.edges.is_empty() { 0 } else { grains.tasks };
        let mut released = Column::filled(Ticks::ZERO, rows);
        for &(predecessor, successor) in &profile.edges {
            released[successor] = finished.of_task(predecessor).max(released[successor]);
        }
        Self { grains, released }
    }

    pub fn of_task(&self, task: GrainRow) -> Ticks {
        let created = self.grains.create(task) + self.grains.creation.of(task);
        self.released.of(Some(task)).map_or(created, |&released| released.max(created))
    }
}
