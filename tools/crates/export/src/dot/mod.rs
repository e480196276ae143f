// SPDX-License-Identifier: Apache-2.0
//! DOT, the language of Graphviz: the grain graph, and the graph of dependences (`dependences`).

mod dependences;
mod text;

use std::io::{Result, Write};

use grains::Profile;
use symbols::Symbols;

use super::critical::Critical;
use super::graphml::style;
use super::names::Names;
use super::nodes::Node;
use super::walk::{self, Draw};
use text::{quoted, say_too_large};

pub use dependences::{write as write_dependences, Excerpt};

/// The grain graph.
pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    let names = Names::of(profile, symbols);
    writeln!(out, "digraph grains {{")?;
    writeln!(out, "  node [fontname=\"Helvetica\", fontsize=10, style=filled];")?;
    let mut graph = Graph {
        out,
        profile,
        colors: style::function_colors(names.texts().len()),
        names,
        critical: Critical::of(profile),
        nodes: 0,
        edges: 0,
    };
    walk::draw(profile, &mut graph)?;
    let (nodes, edges) = (graph.nodes, graph.edges);
    writeln!(out, "}}")?;
    say_too_large(nodes, edges);
    Ok(())
}

struct Graph<'a> {
    out: &'a mut dyn Write,
    profile: &'a Profile,
    names: Names,
    /// By number of the name.
    colors: Vec<String>,
    critical: Critical<'a>,
    nodes: u64,
    edges: u64,
}

impl Graph<'_> {
    fn fragment(&mut self, node: Node, kind: &str, row: u32) -> Result<()> {
        let (profile, at) = (self.profile, row as usize);
        let fragments = &profile.fragments;
        let grain = fragments.grain[at];
        let ns = |ticks| profile.ns(ticks).round();
        let name = self.names.of_grain(profile, grain);
        let work_ns = ns(fragments.net(row));
        let label = quoted(&format!("{}\n{work_ns} ns", self.names.text(name)));
        let (color, border) = (&self.colors[name as usize], self.border(node));
        writeln!(
            self.out,
            "  {node} [kind={kind}, shape=box, label={label}, fillcolor=\"{color}\", color=\"{border}\", grain={}, \
             worker={}, start_ns={}, end_ns={}, work_ns={work_ns}];",
            grain.number(),
            profile.grains.worker[grain],
            ns(fragments.start[at]),
            ns(fragments.end[at]),
        )
    }

    fn border(&self, node: Node) -> &'static str {
        if self.critical.has(node) {
            style::CRITICAL
        } else {
            style::PLAIN
        }
    }
}

impl Draw for Graph<'_> {
    fn node(&mut self, node: Node, _: String, kind: &'static str) -> Result<()> {
        self.nodes += 1;
        let (shape, label, color) = match (node, kind) {
            (Node::Fragment(row, _), _) => return self.fragment(node, kind, row),
            (Node::Start | Node::End, _) => ("box", node.to_string(), style::ENDS),
            (_, "fork") => ("circle", "^".to_owned(), style::FORK),
            (_, "join") => ("circle", "*".to_owned(), style::JOIN),
            _ => ("circle", String::new(), style::LOCK),
        };
        let (label, border) = (quoted(&label), self.border(node));
        writeln!(
            self.out,
            "  {node} [kind={kind}, shape={shape}, label={label}, fillcolor=\"{color}\", color=\"{border}\"];"
        )
    }

    fn edge(&mut self, from: Node, to: Node, kind: &'static str) -> Result<()> {
        self.edges += 1;
        let is_critical = self.critical.has(from) && self.critical.has(to);
        let color = if is_critical { style::CRITICAL } else { style::edge_color(kind) };
        writeln!(self.out, "  {from} -> {to} [kind={kind}, color=\"{color}\"];")
    }
}
