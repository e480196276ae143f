// SPDX-License-Identifier: Apache-2.0
//! Traverses the grain graph: first its nodes, and then its edges. Each format draws them in its
//! own way.
//!
//! Every node, except the ends of the graph and barriers, belongs to a grain; a grain's nodes are
//! in the order of its actions. Without reductions, the longest path by the work of fragments is
//! the span.

use std::fmt::Arguments;
use std::io::Result;

use grains::{flag, BarrierRow, GrainRow, Item, ItemKind, NONE};

use super::cross::{self, To};
use super::joins::Joins;
use super::nodes::{join_node, Node};
use super::shape::Shape;

pub trait Draw {
    /// `name` is that of the thesis's tool; `kind` is start, end, fragment, chunk, task,
    /// bookkeeping, fork, join, acquire, release, fulfil, source or sink.
    fn node(&mut self, node: Node, name: Arguments, kind: &'static str) -> Result<()>;
    /// `kind` is creation, join, continuation, dependence, lock, doacross or event.
    fn edge(&mut self, from: Node, to: Node, kind: &'static str) -> Result<()>;
}

pub fn draw(shape: &Shape, out: &mut impl Draw) -> Result<()> {
    nodes(shape, out)?;
    edges(shape, out)
}

fn nodes(shape: &Shape, out: &mut impl Draw) -> Result<()> {
    out.node(Node::Start, format_args!("0"), "start")?;
    for grain in shape.profile.grains.rows() {
        of_grain(shape, grain, out)?;
    }
    for number in 0..shape.profile.barriers {
        out.node(Node::Barrier(BarrierRow::of_number(number)), format_args!("b.{number}"), "join")?;
    }
    out.node(Node::End, format_args!("E"), "end")
}

/// The nodes of one grain's items. Those that have no node are counted all the same, so a node has
/// the same name in all graphs.
fn of_grain(shape: &Shape, grain: GrainRow, out: &mut impl Draw) -> Result<()> {
    let profile = shape.profile;
    let (mut fragments, mut forks, mut joins, mut gets) = (0, 0, 0, 0);
    let task = grain.number() + 1;
    if let Some(node) = shape.whole(grain) {
        let kind = if shape.is_chunk(grain) { "chunk" } else { "task" };
        out.node(node, format_args!("{task}"), kind)?;
    }
    for item in profile.items.of(grain) {
        let kind = profile.items.kind[item];
        let forks_and_joins = match profile.items.at(item) {
            Item::Fork(row) => profile.grains.has(row, flag::INLINE),
            _ => kind == ItemKind::Region,
        };
        if let Item::Fragment(row) = profile.items.at(item) {
            fragments += 1;
            let kind = if shape.is_chunk(grain) { "chunk" } else { "fragment" };
            if shape.has(item) {
                out.node(Node::Fragment(row, item), format_args!("{task}.{fragments}"), kind)?;
            }
        }
        if matches!(kind, ItemKind::Fork | ItemKind::Region) {
            forks += 1;
            if shape.has(item) {
                out.node(Node::Fork(item), format_args!("f.{task}.{forks}"), "fork")?;
            }
        }
        if forks_and_joins || kind == ItemKind::Join {
            if matches!(join_node(profile, item), Node::Join(_)) {
                out.node(Node::Join(item), format_args!("j.{task}.{joins}"), "join")?;
            }
            joins += 1;
        }
        if let Some(kind) = point_name(kind) {
            out.node(Node::Point(item), format_args!("p.{task}.{item}"), kind)?;
        }
        if kind == ItemKind::Chunk {
            gets += 1;
            if !shape.reduced.bookkeeping || shape.is_first_chunk(item) {
                out.node(Node::Bookkeeping(item), format_args!("c.{task}.{gets}"), "bookkeeping")?;
            }
            if !shape.reduced.bookkeeping && shape.is_last_chunk(item) {
                gets += 1;
                out.node(Node::LastBookkeeping(item), format_args!("c.{task}.{gets}"), "bookkeeping")?;
            }
        }
    }
    Ok(())
}

/// The name of a point at which another task is involved.
fn point_name(kind: ItemKind) -> Option<&'static str> {
    match kind {
        ItemKind::Acquire => Some("acquire"),
        ItemKind::Release => Some("release"),
        ItemKind::Fulfil => Some("fulfil"),
        ItemKind::Source => Some("source"),
        ItemKind::Sink => Some("sink"),
        _ => None,
    }
}

fn edges(shape: &Shape, out: &mut impl Draw) -> Result<()> {
    let profile = shape.profile;
    let joins = Joins::of(profile);
    for grain in profile.grains.rows() {
        shape.along(grain, |from, to| out.edge(from, to, "continuation"))?;
        creation_and_join(shape, grain, &joins, out)?;
    }
    for &(before, after) in &profile.edges {
        let Some(to) = shape.entry(after) else { continue };
        shape.exits(before).into_iter().try_for_each(|from| out.edge(from, to, "dependence"))?;
    }
    for cross in cross::edges(profile) {
        let to = match cross.to {
            To::Point(item) => Some(Node::Point(item)),
            To::End(task) => joins.of_grain(task).map(|item| join_node(profile, item as usize)),
        };
        if let Some(to) = to {
            out.edge(Node::Point(cross.from), to, cross.kind)?;
        }
    }
    Ok(())
}

fn creation_and_join(shape: &Shape, grain: GrainRow, joins: &Joins, out: &mut impl Draw) -> Result<()> {
    // A chunk is part of the chain of its thread.
    let fork_item = shape.profile.fork_item[grain];
    if fork_item != NONE && shape.is_chunk(grain) {
        return Ok(());
    }
    if let Some(entry) = shape.entry(grain) {
        if fork_item == NONE {
            out.edge(Node::Start, entry, "continuation")?;
        } else {
            out.edge(shape.fork(fork_item as usize), entry, "creation")?;
        }
    }
    let joined = joins.of_grain(grain).filter(|_| fork_item != NONE);
    shape.exits(grain).into_iter().try_for_each(|exit| match joined {
        Some(item) => out.edge(exit, join_node(shape.profile, item as usize), "join"),
        None => out.edge(exit, Node::End, "continuation"),
    })
}
