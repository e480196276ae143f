// SPDX-License-Identifier: Apache-2.0
//! The order in which tasks are traversed: by recorded time.
//!
//! A step is either a fragment, with the time of its end, or the end of a task that does not end
//! with a fragment. `by_time` orders the steps.

use crate::by_time;
use crate::row::Row;
use crate::tables::{GrainRow, Grains, ItemKind};
use crate::ticks::Ticks;
use crate::timeline::Timeline;

pub(crate) enum Step {
    /// Row of the fragment.
    Fragment(u32),
    /// Row of the task.
    End(GrainRow),
}

/// Calls `each` with all steps. Of the steps at the same time, fragments come first, in the order
/// in which they began; then ends, where the task that started last is the innermost.
pub(crate) fn in_order(grains: &Grains, timeline: &Timeline, mut each: impl FnMut(Step)) {
    let steps = Steps { grains, timeline };
    by_time::for_each(&steps.numbers(), |number| steps.key(number), |number| each(steps.step(number)));
}

/// Steps by number: first the fragments, then the tasks.
struct Steps<'a> {
    grains: &'a Grains,
    timeline: &'a Timeline,
}

impl Steps<'_> {
    fn fragments(&self) -> u32 {
        self.timeline.fragments.grain.len() as u32
    }

    /// All numbers of steps.
    fn numbers(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        let items = &self.timeline.items;
        let ends_otherwise = |&task: &GrainRow| {
            items.of(task).next_back().is_some_and(|last| items.kind[last] != ItemKind::Fragment)
        };
        let ends = self.grains.task_rows().filter(ends_otherwise);
        (0..self.fragments()).chain(ends.map(|task| task.number() + self.fragments()))
    }

    fn step(&self, number: u32) -> Step {
        match number.checked_sub(self.fragments()) {
            None => Step::Fragment(number),
            Some(task) => Step::End(Row::of_number(task)),
        }
    }

    fn time(&self, number: u32) -> Ticks {
        match self.step(number) {
            Step::Fragment(row) => self.timeline.fragments.end(row),
            Step::End(task) => self.grains.end.of(task),
        }
    }

    /// Of those at the same time, the number decides last.
    fn key(&self, number: u32) -> (Ticks, u64) {
        let begin = match self.step(number) {
            Step::Fragment(row) => self.timeline.fragments.start(row).0 / 2,
            Step::End(task) => u64::MAX - self.grains.start.of(task).0 / 2,
        };
        (self.time(number), begin)
    }
}
