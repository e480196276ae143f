// SPDX-License-Identifier: Apache-2.0
//! The open tasks of a team, and its barrier.

use super::depth::{Deepest, Point};
use super::frame::Chain;
use crate::tables::{GrainRow, WaitRow};

#[derive(Default)]
pub(super) struct Team {
    /// What ended tasks left open.
    pub leftovers: Chain,
    /// Members at the barrier that gathers, with their waits and where they stand.
    pub arrived: Vec<(GrainRow, WaitRow, Point)>,
    /// How many barriers are over, and what the last one was.
    pub over: u32,
    pub last: Option<Deepest>,
}
