// SPDX-License-Identifier: Apache-2.0
//! How far each task is, and the chains of complete tasks.
//!
//! A task has a frame while it is open, and may be in a chain once it is complete. So the number of
//! the frame and the link of the chain share four bytes.

use crate::bits::Bits;
use crate::row::{number_or_none, Column, Row};
use crate::tables::{some_row, GrainRow, Grains};
use crate::NONE;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// It has not begun.
    Before,
    /// It is open, and this is its frame.
    Open(u32),
    /// The body has ended, its event is not fulfilled yet.
    Detached,
    Complete,
}

/// Instead of the number of a frame: [`Stage::Detached`].
const DETACHED: u32 = NONE - 1;

pub(super) struct Stages {
    is_complete: Bits,
    /// Of a complete task: the next one of its chain, or [`NONE`]. Of others: the frame, or
    /// [`NONE`] if there was none yet.
    link: Column<Grains, u32>,
}

impl Stages {
    pub fn new(tasks: usize) -> Self {
        Self { is_complete: Bits::default(), link: Column::filled(NONE, tasks) }
    }

    pub fn of(&self, task: GrainRow) -> Stage {
        match self.link[task] {
            _ if self.is_complete.has(task.at()) => Stage::Complete,
            NONE => Stage::Before,
            DETACHED => Stage::Detached,
            frame => Stage::Open(frame),
        }
    }

    pub fn frame(&self, task: GrainRow) -> Option<usize> {
        match self.of(task) {
            Stage::Open(frame) => Some(frame as usize),
            _ => None,
        }
    }

    pub fn open(&mut self, task: GrainRow, frame: u32) {
        self.link[task] = frame;
    }

    pub fn detach(&mut self, task: GrainRow) {
        self.link[task] = DETACHED;
    }

    /// The task is complete, and in no chain.
    pub fn complete(&mut self, task: GrainRow) {
        self.is_complete.set(task.at());
        self.link[task] = NONE;
    }

    /// The next task of the chain that a complete task is in.
    pub fn next(&self, task: GrainRow) -> Option<GrainRow> {
        some_row(self.link[task]).map(Row::of_number)
    }

    pub fn set_next(&mut self, task: GrainRow, next: Option<GrainRow>) {
        self.link[task] = number_or_none(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_and_a_link_take_turns() {
        let mut stages = Stages::new(3);
        let [a, b, c] = [0, 1, 2].map(Row::new);
        assert_eq!((stages.of(a), stages.frame(a)), (Stage::Before, None));
        stages.open(a, 7);
        stages.open(b, 0);
        assert_eq!((stages.of(a), stages.frame(b)), (Stage::Open(7), Some(0)));
        stages.detach(b);
        assert_eq!((stages.of(b), stages.frame(b)), (Stage::Detached, None));
        for task in [a, b] {
            stages.complete(task);
            assert_eq!((stages.of(task), stages.next(task)), (Stage::Complete, None));
        }
        stages.set_next(b, Some(a));
        assert_eq!((stages.next(b), stages.next(a)), (Some(a), None));
        assert_eq!((stages.of(b), stages.of(c)), (Stage::Complete, Stage::Before));
    }
}
