// SPDX-License-Identifier: Apache-2.0
//! The course of one task, member or piece of a loop, while it is traversed: the text of each of
//! its phases.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::predict::graph::Graph;
use crate::tables::LoopRow;
use crate::ticks::Ticks;
use crate::NONE;

/// Where a course is.
#[derive(Clone, Copy)]
pub(super) struct Within {
    /// The thread that does it, of a region of all threads; [`NONE`]: it is in none.
    pub(super) thread: u32,
    /// The threads that divide the region's work.
    pub(super) team: u32,
    /// It is what a member does: barriers end its phases.
    pub(super) member: bool,
    /// In a recorded team of one no barrier is recorded: the end of a loop counts as one.
    pub(super) ends_at_loops: bool,
    /// What it creates runs inside of it.
    pub(super) serial: bool,
}

impl Within {
    pub(super) const TASK: Self =
        Self { thread: NONE, team: 1, member: false, ends_at_loops: false, serial: false };
}

/// What is done between two barriers.
#[derive(Default)]
pub(super) struct Phase {
    pub(super) text: String,
    /// The loops that were met.
    pub(super) loops: Vec<LoopRow>,
    /// The join at the barrier behind it; [`NONE`]: there is none.
    pub(super) barrier: u32,
}

/// The steps of one member, task or piece.
pub(super) struct Course {
    pub(super) phases: Vec<Phase>,
    /// The loops that it, or its thread before it, has met.
    pub(super) met: HashSet<LoopRow>,
    /// Work that is still to be written.
    pub(super) work: u64,
}

impl Course {
    pub(super) fn new() -> Self {
        Self { phases: vec![Phase { barrier: NONE, ..Phase::default() }], met: HashSet::new(), work: 0 }
    }

    pub(super) fn last(&mut self) -> &mut Phase {
        self.phases.last_mut().expect("there is one from the beginning")
    }

    pub(super) fn step(&mut self, graph: &Graph, letter: char, number: u32) {
        self.write_work(graph);
        let _ = write!(self.last().text, " {letter}{number}");
    }

    pub(super) fn write_work(&mut self, graph: &Graph) {
        let ns = graph.profile.ns(Ticks(std::mem::take(&mut self.work))).round() as u64;
        if ns > 0 {
            let _ = write!(self.last().text, " w{ns}");
        }
    }

    pub(super) fn end_phase(&mut self, graph: &Graph, barrier: u32) {
        self.write_work(graph);
        self.last().barrier = barrier;
        self.phases.push(Phase { barrier: NONE, ..Phase::default() });
    }

    pub(super) fn into_text(mut self, graph: &Graph) -> String {
        self.write_work(graph);
        self.phases.into_iter().map(|phase| phase.text).collect()
    }
}
