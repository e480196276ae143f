// SPDX-License-Identifier: Apache-2.0
//! The order in which tasks are traversed: by recorded time.
//!
//! A step is either a fragment, with the time of its end, or the end of a task that does not end
//! with a fragment. Steps are dealt into buckets, which are equal stretches of time, and a bucket
//! is sorted when its turn comes. This takes 4 bytes for each step, and time linear in the number
//! of steps as long as they are spread over the recording.

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

/// The average number of steps in a bucket.
const BUCKET: usize = 256;

/// Calls `each` with all steps. Of the steps at the same time, fragments come first, in the order
/// in which they began; then ends, where the task that started last is the innermost.
pub(crate) fn in_order(grains: &Grains, timeline: &Timeline, mut each: impl FnMut(Step)) {
    let steps = Steps { grains, timeline };
    let buckets = Buckets::deal(&steps);
    let mut keys: Vec<(u64, u64, u32)> = Vec::new();
    for bucket in buckets.start.windows(2) {
        keys.clear();
        let rows = &buckets.rows[bucket[0] as usize..bucket[1] as usize];
        keys.extend(rows.iter().map(|&row| steps.key(row)));
        keys.sort_unstable();
        for &(_, _, row) in &keys {
            each(steps.step(row));
        }
    }
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
    fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
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
            Step::Fragment(row) => self.timeline.fragments.end[row as usize],
            Step::End(task) => self.grains.end[task],
        }
    }

    fn key(&self, number: u32) -> (u64, u64, u32) {
        let begin = match self.step(number) {
            Step::Fragment(row) => self.timeline.fragments.start[row as usize].0 / 2,
            Step::End(task) => u64::MAX - self.grains.start[task].0 / 2,
        };
        (self.time(number).0, begin, number)
    }
}

/// The rows of the steps in each stretch of time.
struct Buckets {
    start: Vec<u32>,
    rows: Vec<u32>,
}

impl Buckets {
    fn deal(steps: &Steps) -> Self {
        let (mut count, mut last) = (0usize, 0);
        for number in steps.numbers() {
            count += 1;
            last = last.max(steps.time(number).0);
        }
        let buckets = (count / BUCKET).next_power_of_two();
        let shift = (u64::BITS - last.leading_zeros()).saturating_sub(buckets.trailing_zeros());
        let of = |number: u32| steps.time(number).0.checked_shr(shift).unwrap_or(0) as usize;
        let mut start = vec![0u32; buckets + 2];
        for number in steps.numbers() {
            start[of(number) + 2] += 1;
        }
        for bucket in 0..=buckets {
            start[bucket + 1] += start[bucket];
        }
        // `start[b + 1]` is where the next one of bucket b goes; at the end that is where b ends.
        let mut rows = vec![0u32; count];
        for number in steps.numbers() {
            let next = &mut start[of(number) + 1];
            rows[*next as usize] = number;
            *next += 1;
        }
        start.pop();
        Self { start, rows }
    }
}
