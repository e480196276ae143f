// SPDX-License-Identifier: Apache-2.0
//! GraphML: the grain graph with fragments, chunks, forks, joins and book-keeping as nodes, drawn
//! as the grains thesis draws it.
//!
//! A file has one line for each node and edge, and no values that follow from others, so that it
//! stays small. Only with `Attributes::All` is every value written.

mod attributes;
mod style;
mod xml;

use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{Result, Write};

use grains::characterise::GrainCounts;
use grains::summary::SiteKind;
use grains::{Column, GrainRow, Grains, Profile, Ticks};
use symbols::Symbols;
use terminal::printable;

pub use self::attributes::Attributes;
use self::style::{Heights, Look};
use super::colors;
use super::critical::Critical;
use super::nodes::Node;
use super::paint::Paint;
use super::shape::Shape;
use super::walk::{self, Draw};
use crate::mir::derive::{derive, Derived};
use crate::mir::{of_profile, Task};

pub struct Options<'a> {
    pub attributes: Attributes,
    pub paint: &'a Paint,
    /// Where the program counted its instructions.
    pub counts: Option<&'a GrainCounts>,
}

pub fn write(out: &mut dyn Write, shape: &Shape, symbols: &Symbols, options: &Options) -> Result<()> {
    let mut graph = Graph::new(out, shape, symbols, options);
    writeln!(graph.out, "{}", xml::HEAD)?;
    let counters = &shape.profile.counters;
    attributes::keys(graph.out, options.attributes, shape.reduced.fragments, counters)?;
    writeln!(graph.out, "<graph id=\"grains\" edgedefault=\"directed\">")?;
    graph.about()?;
    walk::draw(shape, &mut graph)?;
    writeln!(graph.out, "</graph>\n</graphml>")
}

struct Graph<'a> {
    out: &'a mut dyn Write,
    shape: &'a Shape<'a>,
    profile: &'a Profile,
    symbols: &'a Symbols,
    options: &'a Options<'a>,
    /// Empty unless all attributes are written.
    tasks: Vec<Task>,
    derived: Vec<Derived>,
    heights: Heights,
    critical: Critical<'a>,
    /// The grains of which a node has the counts.
    counted: Column<Grains, bool>,
}

/// What the node of a fragment, or of a whole grain, says about its time.
struct Stretch {
    grain: GrainRow,
    start: Ticks,
    end: Ticks,
    work: Ticks,
    members: usize,
}

impl<'a> Graph<'a> {
    fn new(
        out: &'a mut dyn Write,
        shape: &'a Shape<'a>,
        symbols: &'a Symbols,
        options: &'a Options<'a>,
    ) -> Self {
        let profile = shape.profile;
        let tasks = match options.attributes {
            Attributes::All => of_profile::tasks(profile, symbols),
            _ => Vec::new(),
        };
        let fragments = (0..profile.fragments.grain.len() as u32).map(|row| profile.fragments.net(row).0);
        let heights = if shape.reduced.fragments {
            Heights::of(profile.grains.work.iter().map(|work| work.0))
        } else {
            Heights::of(fragments)
        };
        Self {
            out,
            shape,
            profile,
            symbols,
            options,
            derived: derive(&tasks),
            tasks,
            heights,
            critical: Critical::of(profile),
            counted: Column::filled(false, profile.grains.len()),
        }
    }

    fn is_plain(&self) -> bool {
        self.options.attributes == Attributes::Plain
    }

    /// The attributes of the graph.
    fn about(&mut self) -> Result<()> {
        if let Some(view) = &self.options.paint.view {
            xml::text(self.out, attributes::COLOUR_BY, view.by.metric())?;
        }
        if self.is_plain() {
            let names = self.options.paint.names().texts();
            let lines: Vec<String> =
                names.iter().enumerate().map(|(number, name)| format!("{number} {name}")).collect();
            let list = lines.iter().map(quick_xml::escape::escape).collect::<Vec<_>>().join("\n");
            xml::data(self.out, attributes::CONSTRUCTS, list)?;
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn stretch(&self, node: Node) -> Option<Stretch> {
        let (profile, grains, fragments) = (self.profile, &self.profile.grains, &self.profile.fragments);
        match node {
            Node::Fragment(row, _) => {
                let at = row as usize;
                let (start, end) = (fragments.start(at as u32), fragments.end(at as u32));
                Some(Stretch { grain: fragments.grain[at], start, end, work: fragments.net(row), members: 1 })
            }
            Node::Grain(grain) => {
                let is_fragment = |&item: &usize| profile.items.kind[item] == grains::ItemKind::Fragment;
                let members = profile.items.of(grain).filter(is_fragment).count();
                let (start, end, work) =
                    (grains.start.of(grain), grains.end.of(grain), grains.work.of(grain));
                Some(Stretch { grain, start, end, work, members })
            }
            _ => None,
        }
    }

    /// How many nodes of the whole graph a fork or a book-keeping node stands for.
    fn members(&self, node: Node) -> usize {
        self.shape.members(node)
    }

    fn of_stretch(&mut self, stretch: &Stretch) -> Result<()> {
        let (profile, grain) = (self.profile, stretch.grain);
        let grains = &profile.grains;
        let whole = |ticks| profile.ns(ticks).round();
        let out = &mut *self.out;
        let kind = SiteKind::of_grain(grains.kind[grain]).name();
        let work = profile.ns(stretch.work);
        let is_whole = self.shape.reduced.fragments;
        if self.options.attributes == Attributes::Plain {
            if !is_whole {
                xml::data(out, attributes::GRAIN, grain.number())?;
            }
            xml::data(out, attributes::WORK, tenths(work))?;
            if is_whole {
                xml::data(out, attributes::CREATION, whole(grains.creation.of(grain)))?;
            }
            xml::data(out, attributes::WORKER, grains.worker[grain])?;
            xml::data(out, attributes::CONSTRUCT, self.options.paint.names().of_grain(profile, grain))?;
            return self.of_metrics(grain);
        }
        xml::data(out, attributes::GRAIN, grain.number())?;
        if kind != "task" {
            xml::data(out, attributes::GRAIN_KIND, kind)?;
        }
        xml::data(out, attributes::START, whole(stretch.start))?;
        xml::data(out, attributes::END, whole(stretch.end))?;
        // The span is a sum of many of these.
        xml::data(out, attributes::WORK, (work * 1e4).round() / 1e4)?;
        if !is_whole {
            xml::data(out, attributes::GRAIN_WORK, tenths(profile.ns(grains.work.of(grain))))?;
        }
        xml::data(out, attributes::CREATION, tenths(profile.ns(grains.creation.of(grain))))?;
        xml::data(out, attributes::WORKER, grains.worker[grain])?;
        if !grains.benefit[grain].is_nan() {
            xml::data(out, attributes::BENEFIT, grains.benefit[grain])?;
        }
        let symbol = self.symbols.of(grains.place[grain]);
        if !symbol.file.is_empty() {
            xml::text(out, attributes::SITE, &format!("{}:{}", symbol.file, symbol.line))?;
        }
        if !symbol.function.is_empty() {
            xml::text(out, attributes::FUNCTION, &symbol.function)?;
        }
        self.of_metrics(grain)
    }

    /// The instructions of the grain, what the recorder counted in it, and what the view of a
    /// metric says of it.
    fn of_metrics(&mut self, grain: GrainRow) -> Result<()> {
        let out = &mut *self.out;
        // The sum over all nodes is that over all grains.
        if !std::mem::replace(&mut self.counted[grain], true) {
            if let Some(instructions) = self.options.counts.and_then(|counts| counts.instructions(grain)) {
                xml::data(out, attributes::INSTRUCTIONS, instructions)?;
            }
            for counter in 0..self.profile.counters.names.len() {
                if let Some(value) = self.profile.counters.of_grain(counter, grain) {
                    xml::data(out, &attributes::of_counter(counter), value)?;
                }
            }
        }
        let Some(view) = &self.options.paint.view else { return Ok(()) };
        if view.value[grain].is_finite() {
            xml::data(out, attributes::VALUE, view.value[grain])?;
        }
        if !view.severity[grain].is_nan() {
            xml::data(out, attributes::PROBLEM, true)?;
            xml::data(out, attributes::SEVERITY, view.severity[grain])?;
        }
        Ok(())
    }

    fn look(&self, node: Node, kind: &'static str, name: Arguments, stretch: Option<&Stretch>) -> Look<'a> {
        let critical = self.critical.has(node);
        let paint = &self.options.paint;
        if let Some(stretch) = stretch {
            return Look {
                shape: "rectangle",
                width: style::GRAIN_WIDTH,
                height: self.heights.height(stretch.work.0),
                color: paint.fill(self.profile, stretch.grain),
                label: printable(&name.to_string()),
                critical,
            };
        }
        let is_end = matches!(node, Node::Start | Node::End);
        let (shape, size) = if is_end { ("rectangle", 15.0) } else { ("circle", 10.0) };
        Look {
            shape,
            width: size,
            height: size,
            color: paint.other(colors::node_color(kind)),
            label: colors::node_label(kind).to_owned(),
            critical,
        }
    }

    /// For the thesis's scripts, a chunk's fragment is also a fragment.
    fn of_mir(&mut self, name: String, kind: &str, look: &Look, stretch: Option<&Stretch>) -> Result<()> {
        let theirs = if kind == "chunk" { "fragment" } else { kind };
        let mut values = attributes::of_look(name, theirs, look);
        if let Some(stretch) = stretch {
            let at = stretch.grain.at();
            values.extend(attributes::of_task(&self.tasks[at], &self.derived[at], stretch.work.0));
        }
        attributes::of_mir_node(self.out, values)
    }
}

impl Draw for Graph<'_> {
    fn node(&mut self, node: Node, name: Arguments, kind: &'static str) -> Result<()> {
        let stretch = self.stretch(node);
        write!(self.out, "<node id=\"{node}\">")?;
        let name = name.to_string();
        let look =
            (!self.is_plain()).then(|| self.look(node, kind, format_args!("{name}"), stretch.as_ref()));
        look.iter().try_for_each(|look| look.draw(self.out))?;
        let default = attributes::default_kind(self.shape.reduced.fragments);
        if kind != default || self.options.attributes == Attributes::All {
            xml::data(self.out, attributes::KIND, kind)?;
        }
        if self.critical.has(node) || self.options.attributes == Attributes::All {
            xml::data(self.out, attributes::CRITICAL, self.critical.has(node))?;
        }
        if let Some(stretch) = &stretch {
            self.of_stretch(stretch)?;
        }
        let members = stretch.as_ref().map_or_else(|| self.members(node), |stretch| stretch.members);
        if members != 1 && !self.is_plain() {
            xml::data(self.out, attributes::MEMBERS, members)?;
        }
        if let Some(cost) = self.shape.bookkeeping(node) {
            xml::data(self.out, attributes::CREATION, tenths(self.profile.ns(cost)))?;
        }
        if self.options.attributes == Attributes::All {
            let look = look.expect("only plain graphs have no looks");
            self.of_mir(name, kind, &look, stretch.as_ref())?;
        }
        writeln!(self.out, "</node>")
    }

    fn edge(&mut self, from: Node, to: Node, kind: &'static str) -> Result<()> {
        write!(self.out, "<edge source=\"{from}\" target=\"{to}\"")?;
        if self.is_plain() && FOLLOW_FROM_NODES.contains(&kind) {
            return writeln!(self.out, "/>");
        }
        let is_default = kind == attributes::DEFAULT_EDGE_KIND && self.options.attributes != Attributes::All;
        write!(self.out, ">")?;
        if !is_default {
            xml::data(self.out, attributes::EDGE_KIND, kind)?;
        }
        if !self.is_plain() {
            let critical = self.critical.has(from) && self.critical.has(to);
            let plain: Cow<str> = self.options.paint.other(colors::edge_color(kind));
            if self.options.attributes == Attributes::All {
                let color = if critical { colors::CRITICAL } else { &plain };
                let weight = self.stretch(from).map_or(0, |stretch| stretch.work.0);
                attributes::of_mir_edge(self.out, type_of(kind, to), color, weight, critical)?;
            }
            style::draw_edge(self.out, &plain, critical)?;
        }
        writeln!(self.out, "</edge>")
    }
}

/// The kinds of edges that follow from the nodes at their ends.
const FOLLOW_FROM_NODES: [&str; 3] = ["creation", "join", "continuation"];

/// With one decimal if it is not whole.
fn tenths(ns: f64) -> f64 {
    (ns * 10.0).round() / 10.0
}

/// What a kind of edge is called in the thesis's tool.
fn type_of(kind: &'static str, to: Node) -> &'static str {
    match (kind, to) {
        ("creation", _) => "create",
        ("join", _) => "sync",
        ("continuation", Node::Fork(_)) => "scope",
        ("continuation", _) => "continue",
        _ => kind,
    }
}
