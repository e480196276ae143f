// SPDX-License-Identifier: Apache-2.0
//! The nodes of the graph, which are made from the items of the grains.
//!
//! Ids are `f<fragment>`, `k<item>` for forks, `j<item>` for joins and `p<item>` for the points
//! where an edge from another task arrives; the numbers are rows of the profile's tables. Other ids
//! are `b<number>` for the barriers of teams, each of which joins all members, and `S` and `E` for
//! the graph's start and end.

use std::fmt;

use grains::{flag, ItemKind, Profile, NONE};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node {
    Start,
    End,
    /// The row of the fragment, and its item.
    Fragment(u32, usize),
    Fork(usize),
    Join(usize),
    Barrier(u32),
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
            Self::Barrier(number) => write!(f, "b{number}"),
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
    let row = profile.items.row[item] as usize;
    match profile.items.kind[item] {
        ItemKind::Join if profile.barrier_of[row] != NONE => Node::Barrier(profile.barrier_of[row]),
        _ => Node::Join(item),
    }
}

/// Node at which `grain` begins.
pub fn entry(profile: &Profile, grain: u32) -> Option<Node> {
    profile.items.of(grain).next().and_then(|item| item_entry(profile, item))
}

/// Node at which `grain` ends.
pub fn exit(profile: &Profile, grain: u32) -> Option<Node> {
    profile.items.of(grain).next_back().and_then(|item| item_exit(profile, item))
}

pub fn item_entry(profile: &Profile, item: usize) -> Option<Node> {
    let row = profile.items.row[item];
    match profile.items.kind[item] {
        ItemKind::Fragment => Some(Node::Fragment(row, item)),
        ItemKind::Fork | ItemKind::Region => Some(Node::Fork(item)),
        ItemKind::Join => Some(join_node(profile, item)),
        ItemKind::Chunk => entry(profile, row),
        _ => Some(point(item)),
    }
}

pub fn item_exit(profile: &Profile, item: usize) -> Option<Node> {
    let row = profile.items.row[item];
    match profile.items.kind[item] {
        ItemKind::Fork if profile.grains.has(row, flag::INLINE) => Some(Node::Join(item)),
        ItemKind::Region => Some(Node::Join(item)),
        ItemKind::Chunk => exit(profile, row),
        _ => item_entry(profile, item),
    }
}
