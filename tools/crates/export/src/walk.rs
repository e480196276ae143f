// SPDX-License-Identifier: Apache-2.0
//! Traverses the grain graph: first its nodes, and then its edges. Each format draws them in its
//! own way.
//!
//! Every node, except the ends of the graph and barriers, belongs to a grain; a grain's nodes are
//! in the order of its actions. The longest path by the work of fragments is the span.

use std::io::Result;

use grains::{flag, BarrierRow, GrainKind, GrainRow, Item, ItemKind, Profile, NONE};

use super::cross::{self, To};
use super::joins::Joins;
use super::nodes::{entry, exit, item_entry, item_exit, join_node, point, Node};

pub trait Draw {
    /// `name` is that of the thesis's tool; `kind` is start, end, fragment, chunk, fork, join,
    /// acquire, release, fulfil, source or sink.
    fn node(&mut self, node: Node, name: String, kind: &'static str) -> Result<()>;
    /// `kind` is creation, join, continuation, dependence, lock, doacross or event.
    fn edge(&mut self, from: Node, to: Node, kind: &'static str) -> Result<()>;
}

pub fn draw(profile: &Profile, out: &mut impl Draw) -> Result<()> {
    nodes(profile, out)?;
    edges(profile, out)
}

fn nodes(profile: &Profile, out: &mut impl Draw) -> Result<()> {
    out.node(Node::Start, "0".to_owned(), "start")?;
    for grain in profile.grains.rows() {
        of_grain(profile, grain, out)?;
    }
    for number in 0..profile.barriers {
        out.node(Node::Barrier(BarrierRow::of_number(number)), format!("b.{number}"), "join")?;
    }
    out.node(Node::End, "E".to_owned(), "end")
}

/// The nodes of one grain's items.
fn of_grain(profile: &Profile, grain: GrainRow, out: &mut impl Draw) -> Result<()> {
    let (mut fragments, mut forks, mut joins) = (0, 0, 0);
    let task = grain.number() + 1;
    for item in profile.items.of(grain) {
        let kind = profile.items.kind[item];
        let forks_and_joins = match profile.items.at(item) {
            Item::Fork(row) => profile.grains.has(row, flag::INLINE),
            _ => kind == ItemKind::Region,
        };
        if let Item::Fragment(row) = profile.items.at(item) {
            fragments += 1;
            let is_chunk = profile.grains.kind[grain] == GrainKind::Chunk;
            let kind = if is_chunk { "chunk" } else { "fragment" };
            out.node(Node::Fragment(row, item), format!("{task}.{fragments}"), kind)?;
        }
        if matches!(kind, ItemKind::Fork | ItemKind::Region) {
            forks += 1;
            out.node(Node::Fork(item), format!("f.{task}.{forks}"), "fork")?;
        }
        if forks_and_joins || kind == ItemKind::Join {
            if matches!(join_node(profile, item), Node::Join(_)) {
                out.node(Node::Join(item), format!("j.{task}.{joins}"), "join")?;
            }
            joins += 1;
        }
        if let Some(kind) = point_name(kind) {
            out.node(point(item), format!("p.{task}.{item}"), kind)?;
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

fn edges(profile: &Profile, out: &mut impl Draw) -> Result<()> {
    let joins = Joins::of(profile);
    for grain in profile.grains.rows() {
        continuations(profile, grain, out)?;
        creation_and_join(profile, grain, &joins, out)?;
    }
    for &(from, to) in &profile.edges {
        if let (Some(from), Some(to)) = (exit(profile, from), entry(profile, to)) {
            out.edge(from, to, "dependence")?;
        }
    }
    for cross in cross::edges(profile) {
        let to = match cross.to {
            To::Point(item) => Some(point(item)),
            To::End(task) => joins.of_grain(task).map(|item| join_node(profile, item as usize)),
        };
        if let Some(to) = to {
            out.edge(point(cross.from), to, cross.kind)?;
        }
    }
    Ok(())
}

/// Edges between the items of one grain.
fn continuations(profile: &Profile, grain: GrainRow, out: &mut impl Draw) -> Result<()> {
    for item in profile.items.of(grain).skip(1) {
        if let (Some(from), Some(to)) = (item_exit(profile, item - 1), item_entry(profile, item)) {
            out.edge(from, to, "continuation")?;
        }
    }
    Ok(())
}

fn creation_and_join(profile: &Profile, grain: GrainRow, joins: &Joins, out: &mut impl Draw) -> Result<()> {
    let fork_item = profile.fork_item[grain];
    let (first, last) = (entry(profile, grain), exit(profile, grain));
    if fork_item == NONE {
        first.map_or(Ok(()), |first| out.edge(Node::Start, first, "continuation"))?;
        return last.map_or(Ok(()), |last| out.edge(last, Node::End, "continuation"));
    }
    // A chunk is part of the chain of its thread.
    if profile.grains.kind[grain] == GrainKind::Chunk {
        return Ok(());
    }
    if let Some(first) = first {
        out.edge(Node::Fork(fork_item as usize), first, "creation")?;
    }
    if let Some(last) = last {
        match joins.of_grain(grain) {
            Some(item) => out.edge(last, join_node(profile, item as usize), "join")?,
            None => out.edge(last, Node::End, "continuation")?,
        }
    }
    Ok(())
}
