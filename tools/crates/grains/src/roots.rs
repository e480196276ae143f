// SPDX-License-Identifier: Apache-2.0
//! Tasks that cannot be reached from an initial task. They are treated as roots, so that the graph
//! has no cycle.

use crate::tables::{some_row, GrainKind, Grains};
use crate::NONE;

/// In a recording that lost nothing there are none.
pub(crate) fn rootless(grains: &Grains, fork_item: &[u32]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut state = vec![State::Unknown; grains.tasks];
    let mut path = Vec::new();
    for start in 0..grains.tasks as u32 {
        let mut task = start;
        while state[task as usize] == State::Unknown {
            state[task as usize] = State::OnPath;
            path.push(task);
            match parent_task(grains, task).filter(|_| fork_item[task as usize] != NONE) {
                Some(parent) if state[parent as usize] != State::OnPath => task = parent,
                Some(_) => found.push(task), // its parents are a circle
                None if grains.kind[task as usize] != GrainKind::Initial => found.push(task),
                None => {}
            }
        }
        for task in path.drain(..) {
            state[task as usize] = State::Known;
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
pub(crate) fn parent_task(grains: &Grains, grain: u32) -> Option<u32> {
    let parent = some_row(grains.parent[grain as usize])?;
    if (parent as usize) < grains.tasks {
        return Some(parent);
    }
    some_row(grains.parent[parent as usize])
}
