// SPDX-License-Identifier: Apache-2.0
//! GraphML: the grain graph with fragments, chunks, forks and joins as nodes, drawn as the grains
//! thesis draws it.
//!
//! Every node but the ends of the graph belongs to a grain, and stands there in the order in which
//! the grain did it. The longest path by `work` is the span.

mod attributes;
mod nodes;
mod style;

use std::collections::HashMap;
use std::io::{self, Write};

use grains::summary::SiteKind;
use grains::{flag, GrainKind, ItemKind, Profile, NONE};
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use quick_xml::Writer;

use self::attributes::data;
use self::nodes::{entry, exit, item_entry, item_exit, join_node, point, Node};
use self::style::{Heights, Look};
use super::cross::{self, To};
use super::joins::Joins;
use crate::console::printable;
use crate::mir::derive::{derive, Derived};
use crate::mir::{of_profile, Task};
use crate::symbols::Symbols;

const NAMESPACES: [(&str, &str); 2] =
    [("xmlns", "http://graphml.graphdrawing.org/xmlns"), ("xmlns:y", "http://www.yworks.com/xml/graphml")];

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> io::Result<()> {
    let mut graph = Graph::new(out, profile, symbols);
    graph.xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = BytesStart::new("graphml").with_attributes(NAMESPACES);
    graph.xml.write_event(Event::Start(root))?;
    attributes::keys(&mut graph.xml)?;
    let attributes = [("id", "grains"), ("edgedefault", "directed")];
    graph.xml.write_event(Event::Start(BytesStart::new("graph").with_attributes(attributes)))?;
    graph.all_nodes()?;
    graph.all_edges()?;
    graph.xml.write_event(Event::End(BytesEnd::new("graph")))?;
    graph.xml.write_event(Event::End(BytesEnd::new("graphml")))
}

struct Graph<'a, W: Write> {
    xml: Writer<W>,
    profile: &'a Profile,
    symbols: &'a Symbols,
    tasks: Vec<Task>,
    derived: Vec<Derived>,
    /// Of outlined functions.
    colors: HashMap<u64, String>,
    heights: Heights,
    /// Of each barrier.
    critical_barriers: Vec<bool>,
    edges: u64,
}

impl<'a, W: Write> Graph<'a, W> {
    fn new(out: W, profile: &'a Profile, symbols: &'a Symbols) -> Self {
        let tasks = of_profile::tasks(profile, symbols);
        let lengths = (0..profile.fragments.grain.len() as u32).map(|row| profile.fragments.net(row).0);
        Self {
            xml: Writer::new_with_indent(out, b' ', 1),
            profile,
            symbols,
            derived: derive(&tasks),
            colors: colors(&tasks),
            heights: Heights::of(lengths),
            critical_barriers: critical_barriers(profile),
            tasks,
            edges: 0,
        }
    }

    fn all_nodes(&mut self) -> io::Result<()> {
        self.node(Node::Start, "0".to_owned(), "start", Look::end("S"), Vec::new())?;
        for grain in 0..self.profile.grains.len() as u32 {
            self.nodes(grain)?;
        }
        for number in 0..self.profile.barriers {
            let look =
                Look { critical: self.critical_barriers[number as usize], ..Look::circle(style::JOIN, "*") };
            self.node(Node::Barrier(number), format!("b.{number}"), "join", look, Vec::new())?;
        }
        self.node(Node::End, "E".to_owned(), "end", Look::end("E"), Vec::new())
    }

    /// The nodes of one grain's items.
    fn nodes(&mut self, grain: u32) -> io::Result<()> {
        let (mut fragments, mut forks, mut joins) = (0, 0, 0);
        let task = grain + 1;
        for item in self.profile.items.of(grain) {
            let row = self.profile.items.row[item];
            let kind = self.profile.items.kind[item];
            let forks_and_joins = match kind {
                ItemKind::Fork => self.profile.grains.has(row, flag::INLINE),
                kind => kind == ItemKind::Region,
            };
            if kind == ItemKind::Fragment {
                fragments += 1;
                self.fragment(grain, item, format!("{task}.{fragments}"))?;
            }
            if matches!(kind, ItemKind::Fork | ItemKind::Region) {
                forks += 1;
                self.circle(Node::Fork(item), format!("f.{task}.{forks}"), "fork", style::FORK, "^")?;
            }
            if forks_and_joins || kind == ItemKind::Join {
                if matches!(join_node(self.profile, item), Node::Join(_)) {
                    self.circle(Node::Join(item), format!("j.{task}.{joins}"), "join", style::JOIN, "*")?;
                }
                joins += 1;
            }
            if let Some(kind) = point_name(kind) {
                self.circle(point(item), format!("p.{task}.{item}"), kind, style::LOCK, "")?;
            }
        }
        Ok(())
    }

    fn circle(
        &mut self,
        node: Node,
        name: String,
        kind: &'static str,
        color: &str,
        label: &str,
    ) -> io::Result<()> {
        let look = Look { critical: self.is_critical(node), ..Look::circle(color, label) };
        self.node(node, name, kind, look, Vec::new())
    }

    fn fragment(&mut self, grain: u32, item: usize, name: String) -> io::Result<()> {
        let (profile, at) = (self.profile, self.profile.items.row[item] as usize);
        let (grains, fragments, row) = (&profile.grains, &profile.fragments, grain as usize);
        let ns = |ticks| profile.ns(ticks).to_string();
        let length = fragments.net(at as u32);
        let node = Node::Fragment(at as u32, item);
        let mut values = vec![
            ("grain", grain.to_string()),
            ("grain_kind", SiteKind::of_grain(grains.kind[row]).name().to_owned()),
            ("start", ns(fragments.start[at])),
            ("end", ns(fragments.end[at])),
            ("work", ns(length)),
            ("grain_work", ns(grains.work[row])),
            ("creation", ns(grains.creation[row])),
            ("worker", grains.worker[row].to_string()),
        ];
        if !grains.benefit[row].is_nan() {
            values.push(("benefit", grains.benefit[row].to_string()));
        }
        let symbol = self.symbols.of(grains.place[row]);
        if !symbol.file.is_empty() {
            values.push(("site", format!("{}:{}", symbol.file, symbol.line)));
        }
        if !symbol.function.is_empty() {
            values.push(("function", symbol.function.clone()));
        }
        values.extend(attributes::of_task(&self.tasks[row], &self.derived[row], length.0));
        let look = Look {
            shape: "rectangle",
            width: style::GRAIN_WIDTH,
            height: self.heights.height(length.0),
            color: self.colors[&self.tasks[row].outline_function].clone(),
            label: printable(&name),
            critical: self.is_critical(node),
        };
        let kind = if grains.kind[row] == GrainKind::Chunk { "chunk" } else { "fragment" };
        self.node(node, name, kind, look, values)
    }

    /// `kind` is ours; to the thesis's scripts a chunk's fragment is a fragment, too.
    fn node(
        &mut self,
        node: Node,
        name: String,
        kind: &'static str,
        look: Look,
        more: Vec<(&'static str, String)>,
    ) -> io::Result<()> {
        let theirs = if kind == "chunk" { "fragment" } else { kind };
        let ours = [("kind", kind.to_owned()), ("critical", look.critical.to_string())];
        let element = self.xml.create_element("node").with_attribute(("id", node.to_string().as_str()));
        let content = |xml: &mut Writer<W>| {
            xml.create_element("data")
                .with_attribute(("key", "nodegraphics"))
                .write_inner_content(|xml| look.draw(xml))?;
            let values = ours.into_iter().chain(attributes::of_look(name, theirs, &look)).chain(more);
            values.into_iter().try_for_each(|(key, value)| data(xml, key, &value))
        };
        element.write_inner_content(content).map(drop)
    }

    fn is_critical(&self, node: Node) -> bool {
        match node {
            Node::Fragment(_, item) | Node::Fork(item) | Node::Join(item) | Node::Point(item) => {
                self.profile.items.critical[item]
            }
            Node::Barrier(number) => self.critical_barriers[number as usize],
            Node::Start | Node::End => true,
        }
    }

    fn edge(&mut self, from: &Node, to: &Node, kind: &str) -> io::Result<()> {
        let id = format!("e{}", self.edges);
        self.edges += 1;
        let critical = self.is_critical(*from) && self.is_critical(*to);
        let weight = match from {
            Node::Fragment(row, _) => self.profile.fragments.net(*row).0,
            _ => 0,
        };
        let (theirs, plain) = look_of(kind, to);
        let color = if critical { style::CRITICAL } else { plain };
        let (from, to) = (from.to_string(), to.to_string());
        let attributes = [("id", id.as_str()), ("source", &from), ("target", &to)];
        let element = self.xml.create_element("edge").with_attributes(attributes);
        let content = |xml: &mut Writer<W>| {
            data(xml, "edge_kind", kind)?;
            data(xml, "edge_type", theirs)?;
            data(xml, "edge_color", color)?;
            data(xml, "edge_weight", &weight.to_string())?;
            data(xml, "edge_on_crit_path", if critical { "1" } else { "0" })?;
            xml.create_element("data")
                .with_attribute(("key", "edgegraphics"))
                .write_inner_content(|xml| style::draw_edge(xml, plain, critical))
                .map(drop)
        };
        element.write_inner_content(content).map(drop)
    }

    fn all_edges(&mut self) -> io::Result<()> {
        let joins = Joins::of(self.profile);
        for grain in 0..self.profile.grains.len() as u32 {
            self.continuations(grain)?;
            self.creation_and_join(grain, &joins)?;
        }
        for &(from, to) in &self.profile.edges {
            if let (Some(from), Some(to)) = (exit(self.profile, from), entry(self.profile, to)) {
                self.edge(&from, &to, "dependence")?;
            }
        }
        for cross in cross::edges(self.profile) {
            let to = match cross.to {
                To::Point(item) => Some(point(item)),
                To::End(task) => joins.of_grain(task).map(|item| join_node(self.profile, item as usize)),
            };
            if let Some(to) = to {
                self.edge(&point(cross.from), &to, cross.kind)?;
            }
        }
        Ok(())
    }

    /// Edges between the items of one grain.
    fn continuations(&mut self, grain: u32) -> io::Result<()> {
        for item in self.profile.items.of(grain).skip(1) {
            let from = item_exit(self.profile, item - 1);
            let to = item_entry(self.profile, item);
            if let (Some(from), Some(to)) = (from, to) {
                self.edge(&from, &to, "continuation")?;
            }
        }
        Ok(())
    }

    fn creation_and_join(&mut self, grain: u32, joins: &Joins) -> io::Result<()> {
        let fork_item = self.profile.fork_item[grain as usize];
        let (first, last) = (entry(self.profile, grain), exit(self.profile, grain));
        if fork_item == NONE {
            first.map_or(Ok(()), |first| self.edge(&Node::Start, &first, "continuation"))?;
            return last.map_or(Ok(()), |last| self.edge(&last, &Node::End, "continuation"));
        }
        // A chunk stands in the chain of its thread.
        if self.profile.grains.kind[grain as usize] == GrainKind::Chunk {
            return Ok(());
        }
        if let Some(first) = first {
            self.edge(&Node::Fork(fork_item as usize), &first, "creation")?;
        }
        if let Some(last) = last {
            match joins.of_grain(grain) {
                Some(item) => self.edge(&last, &join_node(self.profile, item as usize), "join")?,
                None => self.edge(&last, &Node::End, "continuation")?,
            }
        }
        Ok(())
    }
}

/// What a kind of edge is called in the thesis's tool, and its colour.
fn look_of<'a>(kind: &'a str, to: &Node) -> (&'a str, &'static str) {
    match (kind, to) {
        ("creation", _) => ("create", style::FORK),
        ("join", _) => ("sync", style::JOIN),
        ("continuation", Node::Fork(_)) => ("scope", style::PLAIN),
        ("continuation", _) => ("continue", style::PLAIN),
        ("dependence", _) => (kind, style::DEPENDENCE),
        _ => (kind, style::LOCK),
    }
}

/// Of the points at which another task comes in.
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

/// In the order in which they come first.
fn colors(tasks: &[Task]) -> HashMap<u64, String> {
    let mut known = HashMap::new();
    for task in tasks {
        let next = known.len();
        known.entry(task.outline_function).or_insert(next);
    }
    let colors = style::function_colors(known.len());
    known.into_iter().map(|(function, number)| (function, colors[number].clone())).collect()
}

fn critical_barriers(profile: &Profile) -> Vec<bool> {
    let mut critical = vec![false; profile.barriers as usize];
    let items = &profile.items;
    for (item, &kind) in items.kind.iter().enumerate() {
        let row = items.row[item] as usize;
        if kind == ItemKind::Join && profile.barrier_of[row] != NONE {
            critical[profile.barrier_of[row] as usize] |= items.critical[item];
        }
    }
    critical
}
