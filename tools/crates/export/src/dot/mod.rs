// SPDX-License-Identifier: Apache-2.0
//! DOT, the language of Graphviz: the grain graph, and the graph of dependences (`dependences`).
//!
//! The looks that most nodes and edges share are Graphviz's defaults, so that a file stays small.

mod dependences;
mod text;

use std::fmt::Arguments;
use std::io::{Result, Write};

use grains::{GrainRow, Profile, Ticks};
use terminal::printable;

use super::colors;
use super::critical::Critical;
use super::nodes::Node;
use super::paint::Paint;
use super::shape::Shape;
use super::walk::{self, Draw};
use text::{quoted, say_too_large};

pub use dependences::{write as write_dependences, Excerpt};

/// The grain graph.
pub fn write(out: &mut dyn Write, shape: &Shape, paint: &Paint, is_plain: bool) -> Result<()> {
    writeln!(out, "digraph grains {{")?;
    if !is_plain {
        writeln!(
            out,
            "  node [fontname=\"Helvetica\", fontsize=10, style=filled, shape=circle, label=\"\"];"
        )?;
    }
    let profile = shape.profile;
    if is_plain {
        for (number, name) in paint.names().texts().iter().enumerate() {
            writeln!(out, "  // construct {number}: {}", printable(name))?;
        }
    }
    let mut graph =
        Graph { out, profile, shape, paint, is_plain, critical: Critical::of(profile), nodes: 0, edges: 0 };
    walk::draw(shape, &mut graph)?;
    let (nodes, edges) = (graph.nodes, graph.edges);
    writeln!(out, "}}")?;
    say_too_large(nodes, edges);
    Ok(())
}

struct Graph<'a> {
    out: &'a mut dyn Write,
    profile: &'a Profile,
    shape: &'a Shape<'a>,
    paint: &'a Paint,
    /// Without looks.
    is_plain: bool,
    critical: Critical<'a>,
    nodes: u64,
    edges: u64,
}

impl Graph<'_> {
    /// The node of a fragment, or of a whole grain.
    fn stretch(
        &mut self,
        node: Node,
        kind: &str,
        grain: GrainRow,
        work: Ticks,
        [start, end]: [Ticks; 2],
    ) -> Result<()> {
        let profile = self.profile;
        let ns = |ticks| profile.ns(ticks).round();
        let work_ns = ns(work);
        let names = self.paint.names();
        let name = names.of_grain(profile, grain);
        write!(
            self.out,
            "  {node} [kind={kind}, grain={}, worker={}",
            grain.number(),
            profile.grains.worker[grain]
        )?;
        if self.is_plain {
            write!(self.out, ", construct={name}")?;
        } else {
            let label = quoted(&format!("{}\n{work_ns} ns", names.text(name)));
            let color = self.paint.fill(profile, grain);
            write!(self.out, ", start_ns={}, end_ns={}", ns(start), ns(end))?;
            write!(self.out, ", shape=box, label={label}, fillcolor=\"{color}\"")?;
        }
        write!(self.out, ", work_ns={work_ns}")?;
        if let Some(view) = &self.paint.view {
            if view.value[grain].is_finite() {
                write!(self.out, ", value={}", view.value[grain])?;
            }
            if !view.severity[grain].is_nan() {
                write!(self.out, ", severity={}", view.severity[grain])?;
            }
        }
        self.end_of_node(node)
    }

    /// Of a node that is no grain.
    fn look(&mut self, node: Node, kind: &str) -> Result<()> {
        write!(self.out, ", fillcolor=\"{}\"", self.paint.other(colors::node_color(kind)))?;
        if matches!(node, Node::Start | Node::End) {
            write!(self.out, ", shape=box")?;
        }
        match colors::node_label(kind) {
            "" => Ok(()),
            label => write!(self.out, ", label={}", quoted(label)),
        }
    }

    fn end_of_node(&mut self, node: Node) -> Result<()> {
        if self.critical.has(node) && self.is_plain {
            write!(self.out, ", critical=1")?;
        } else if self.critical.has(node) {
            write!(self.out, ", color=\"{}\"", colors::CRITICAL)?;
        }
        writeln!(self.out, "];")
    }
}

impl Draw for Graph<'_> {
    fn node(&mut self, node: Node, _: Arguments, kind: &'static str) -> Result<()> {
        self.nodes += 1;
        let (fragments, grains) = (&self.profile.fragments, &self.profile.grains);
        match node {
            Node::Fragment(row, _) => {
                let at = row as usize;
                let times = [fragments.start(at as u32), fragments.end(at as u32)];
                return self.stretch(node, kind, fragments.grain[at], fragments.net(row), times);
            }
            Node::Grain(grain) => {
                let times = [grains.start.of(grain), grains.end.of(grain)];
                return self.stretch(node, kind, grain, grains.work.of(grain), times);
            }
            _ => {}
        }
        write!(self.out, "  {node} [kind={kind}")?;
        if !self.is_plain {
            self.look(node, kind)?;
        }
        let members = self.shape.members(node);
        if members != 1 {
            write!(self.out, ", members={members}")?;
        }
        if let Some(cost) = self.shape.bookkeeping(node) {
            write!(self.out, ", creation_ns={}", self.profile.ns(cost).round())?;
        }
        self.end_of_node(node)
    }

    fn edge(&mut self, from: Node, to: Node, kind: &'static str) -> Result<()> {
        self.edges += 1;
        write!(self.out, "  {from} -> {to} [kind={kind}")?;
        if self.is_plain {
            return writeln!(self.out, "];");
        }
        let is_critical = self.critical.has(from) && self.critical.has(to);
        let color =
            if is_critical { colors::CRITICAL.into() } else { self.paint.other(colors::edge_color(kind)) };
        if color != colors::PLAIN {
            write!(self.out, ", color=\"{color}\"")?;
        }
        writeln!(self.out, "];")
    }
}
