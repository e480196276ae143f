// SPDX-License-Identifier: Apache-2.0
//! The progress of a loop whose chunks go to the next free taker.

use crate::predict::pieces::Piece;
use crate::tables::RegionRow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoopState {
    Unseen,
    Open,
    /// All pieces are taken, and not all done.
    Taken,
    Done,
}

pub(super) struct OpenLoop {
    pub pieces: Vec<Piece>,
    pub next: usize,
    pub running: u32,
    /// The largest number of threads at once.
    pub threads: u32,
    pub region: Option<RegionRow>,
    /// Longest path to its begin.
    pub depth: u64,
    /// The first worker of the crew that meets it.
    pub crew: u32,
    pub pinned: u32,
    /// Members of a team of one that wait for its end.
    pub waiting: Vec<u32>,
}
