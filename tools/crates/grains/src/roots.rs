// SPDX-License-Identifier: Apache-2.0
//! Tasks that cannot be reached from an initial task. They are treated as roots, so that the graph
//! has no cycle.

use crate::tables::{GrainKind, GrainRow, Grains};
use crate::{Column, NONE};

/// In a recording that lost nothing there are none.
pub(crate) fn rootless(grains: &Grains, fork_item: &Column<Grains, u32>) -> Vec<GrainRow> {
    let mut found = Vec::new();
    let mut state: Column<Grains, _> = Column::filled(State::Unknown, grains.tasks);
    let mut path = Vec::new();
    for start in grains.task_rows() {
        let mut task = start;
        while state[task] == State::Unknown {
            state[task] = State::OnPath;
            path.push(task);
            match parent_task(grains, task).filter(|_| fork_item[task] != NONE) {
                Some(parent) if state[parent] != State::OnPath => task = parent,
                Some(_) => found.push(task), // its parents are a circle
                None if grains.kind[task] != GrainKind::Initial => found.push(task),
                None => {}
            }
        }
        for task in path.drain(..) {
            state[task] = State::Known;
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    OnPath,
    Known,
}

/// The task that forked `grain`, be it in a chunk or not.
pub(crate) fn parent_task(grains: &Grains, grain: GrainRow) -> Option<GrainRow> {
    grains.task_of(grains.parent[grain]?)
}
