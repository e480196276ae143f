// SPDX-License-Identifier: Apache-2.0
//! The nodes of the grain graph. `shape.rs` says which of them a graph has.
//!
//! Ids are `f<fragment>`, `t<grain>` for a grain that is one node, `k<item>` for forks, `j<item>`
//! for joins, `p<item>` for the points where an edge from another task arrives, and `c<item>` and
//! `d<item>` for the book-keeping before a chunk and after a thread's last chunk. The numbers are
//! rows of the profile's tables. Other ids are `b<number>` for the barriers of teams, each of which
//! joins all members, and `S` and `E` for the graph's start and end.

use std::fmt;

use grains::{BarrierRow, GrainRow, Item, Profile};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node {
    Start,
    End,
    /// The row of the fragment, and its item.
    Fragment(u32, usize),
    /// All fragments of a grain.
    Grain(GrainRow),
    Fork(usize),
    Join(usize),
    Barrier(BarrierRow),
    Point(usize),
    /// What a thread did to get the chunk of this item.
    Bookkeeping(usize),
    /// What a thread did after the chunk of this item, to find that no iterations remained.
    LastBookkeeping(usize),
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("S"),
            Self::End => f.write_str("E"),
            Self::Fragment(row, _) => write!(f, "f{row}"),
            Self::Grain(row) => write!(f, "t{}", row.number()),
            Self::Fork(item) => write!(f, "k{item}"),
            Self::Join(item) => write!(f, "j{item}"),
            Self::Barrier(barrier) => write!(f, "b{}", barrier.number()),
            Self::Point(item) => write!(f, "p{item}"),
            Self::Bookkeeping(item) => write!(f, "c{item}"),
            Self::LastBookkeeping(item) => write!(f, "d{item}"),
        }
    }
}

/// The node of a join, or of the join after a region or an inline task.
pub fn join_node(profile: &Profile, item: usize) -> Node {
    let barrier = match profile.items.at(item) {
        Item::Join(wait) => profile.barrier_of[wait],
        _ => None,
    };
    barrier.map_or(Node::Join(item), Node::Barrier)
}
