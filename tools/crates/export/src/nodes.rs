// SPDX-License-Identifier: Apache-2.0
//! The nodes of the graph, which are made from the items of the grains.
//!
//! Ids are `f<fragment>`, `k<item>` for forks, `j<item>` for joins and `p<item>` for the points
//! where an edge from another task arrives; the numbers are rows of the profile's tables. Other ids
//! are `b<number>` for the barriers of teams, each of which joins all members, and `S` and `E` for
//! the graph's start and end.

use std::fmt;

use grains::{flag, BarrierRow, GrainRow, Item, Profile};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node {
    Start,
    End,
    /// The row of the fragment, and its item.
    Fragment(u32, usize),
    Fork(usize),
    Join(usize),
    Barrier(BarrierRow),
    Point(usize),
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("S"),
            Self::End => f.write_str("E"),
            Self::Fragment(row, _) => write!(f, "f{row}"),
            Self::Fork(item) => write!(f, "k{item}"),
            Self::Join(item) => write!(f, "j{item}"),
            Self::Barrier(barrier) => write!(f, "b{}", barrier.number()),
            Self::Point(item) => write!(f, "p{item}"),
        }
    }
}

/// A point to which an edge from another task leads.
pub fn point(item: usize) -> Node {
    Node::Point(item)
}

/// The node of a join, or of the join after a region or an inline task.
pub fn join_node(profile: &Profile, item: usize) -> Node {
    let barrier = match profile.items.at(item) {
        Item::Join(wait) => profile.barrier_of[wait],
        _ => None,
    };
    barrier.map_or(Node::Join(item), Node::Barrier)
}

/// Node at which `grain` begins.
pub fn entry(profile: &Profile, grain: GrainRow) -> Option<Node> {
    profile.items.of(grain).next().and_then(|item| item_entry(profile, item))
}

/// Node at which `grain` ends.
pub fn exit(profile: &Profile, grain: GrainRow) -> Option<Node> {
    profile.items.of(grain).next_back().and_then(|item| item_exit(profile, item))
}

pub fn item_entry(profile: &Profile, item: usize) -> Option<Node> {
    match profile.items.at(item) {
        Item::Fragment(row) => Some(Node::Fragment(row, item)),
        Item::Fork(_) | Item::Region(_) => Some(Node::Fork(item)),
        Item::Join(_) => Some(join_node(profile, item)),
        Item::Chunk(row) => entry(profile, row),
        _ => Some(point(item)),
    }
}

pub fn item_exit(profile: &Profile, item: usize) -> Option<Node> {
    match profile.items.at(item) {
        Item::Fork(row) if profile.grains.has(row, flag::INLINE) => Some(Node::Join(item)),
        Item::Region(_) => Some(Node::Join(item)),
        Item::Chunk(row) => exit(profile, row),
        _ => item_entry(profile, item),
    }
}
