// SPDX-License-Identifier: Apache-2.0
//! GraphML: the grain graph with fragments, chunks, forks and joins as nodes, drawn as the grains
//! thesis draws it.

mod attributes;
pub mod style;

use std::collections::HashMap;
use std::io::{self, Write};

use grains::summary::SiteKind;
use grains::Profile;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use quick_xml::Writer;
use symbols::Symbols;
use terminal::printable;

use self::attributes::data;
use self::style::{Heights, Look};
use super::critical::Critical;
use super::nodes::Node;
use super::walk::{self, Draw};
use crate::mir::derive::{derive, Derived};
use crate::mir::{of_profile, Task};

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
    walk::draw(profile, &mut graph)?;
    graph.xml.write_event(Event::End(BytesEnd::new("graph")))?;
    graph.xml.write_event(Event::End(BytesEnd::new("graphml")))
}

struct Graph<'a, W: Write> {
    xml: Writer<W>,
    profile: &'a Profile,
    symbols: &'a Symbols,
    tasks: Vec<Task>,
    derived: Vec<Derived>,
    /// The colours of outlined functions.
    colors: HashMap<u64, String>,
    heights: Heights,
    critical: Critical<'a>,
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
            critical: Critical::of(profile),
            tasks,
            edges: 0,
        }
    }

    fn circle(
        &mut self,
        node: Node,
        name: String,
        kind: &'static str,
        color: &str,
        label: &str,
    ) -> io::Result<()> {
        let look = Look { critical: self.critical.has(node), ..Look::circle(color, label) };
        self.put(node, name, kind, &look, Vec::new())
    }

    fn fragment(&mut self, node: Node, name: String, kind: &'static str, at: usize) -> io::Result<()> {
        let profile = self.profile;
        let grain = profile.fragments.grain[at];
        let (grains, fragments) = (&profile.grains, &profile.fragments);
        let ns = |ticks| profile.ns(ticks).to_string();
        let length = fragments.net(at as u32);
        let mut values = vec![
            ("grain", grain.number().to_string()),
            ("grain_kind", SiteKind::of_grain(grains.kind[grain]).name().to_owned()),
            ("start", ns(fragments.start[at])),
            ("end", ns(fragments.end[at])),
            ("work", ns(length)),
            ("grain_work", ns(grains.work[grain])),
            ("creation", ns(grains.creation[grain])),
            ("worker", grains.worker[grain].to_string()),
        ];
        if !grains.benefit[grain].is_nan() {
            values.push(("benefit", grains.benefit[grain].to_string()));
        }
        let symbol = self.symbols.of(grains.place[grain]);
        if !symbol.file.is_empty() {
            values.push(("site", format!("{}:{}", symbol.file, symbol.line)));
        }
        if !symbol.function.is_empty() {
            values.push(("function", symbol.function.clone()));
        }
        values.extend(attributes::of_task(&self.tasks[grain.at()], &self.derived[grain.at()], length.0));
        let look = Look {
            shape: "rectangle",
            width: style::GRAIN_WIDTH,
            height: self.heights.height(length.0),
            color: self.colors[&self.tasks[grain.at()].outline_function].clone(),
            label: printable(&name),
            critical: self.critical.has(node),
        };
        self.put(node, name, kind, &look, values)
    }

    /// `kind` is our own attribute. For the thesis's scripts, a chunk's fragment is also a
    /// fragment.
    fn put(
        &mut self,
        node: Node,
        name: String,
        kind: &'static str,
        look: &Look,
        more: Vec<(&'static str, String)>,
    ) -> io::Result<()> {
        let theirs = if kind == "chunk" { "fragment" } else { kind };
        let ours = [("kind", kind.to_owned()), ("critical", look.critical.to_string())];
        let element = self.xml.create_element("node").with_attribute(("id", node.to_string().as_str()));
        let content = |xml: &mut Writer<W>| {
            xml.create_element("data")
                .with_attribute(("key", "nodegraphics"))
                .write_inner_content(|xml| look.draw(xml))?;
            let values = ours.into_iter().chain(attributes::of_look(name, theirs, look)).chain(more);
            values.into_iter().try_for_each(|(key, value)| data(xml, key, &value))
        };
        element.write_inner_content(content).map(drop)
    }
}

impl<W: Write> Draw for Graph<'_, W> {
    fn node(&mut self, node: Node, name: String, kind: &'static str) -> io::Result<()> {
        match (node, kind) {
            (Node::Start, _) => self.put(node, name, kind, &Look::end("S"), Vec::new()),
            (Node::End, _) => self.put(node, name, kind, &Look::end("E"), Vec::new()),
            (Node::Fragment(row, _), _) => self.fragment(node, name, kind, row as usize),
            (_, "fork") => self.circle(node, name, kind, style::FORK, "^"),
            (_, "join") => self.circle(node, name, kind, style::JOIN, "*"),
            _ => self.circle(node, name, kind, style::LOCK, ""),
        }
    }

    fn edge(&mut self, from: Node, to: Node, kind: &'static str) -> io::Result<()> {
        let id = format!("e{}", self.edges);
        self.edges += 1;
        let critical = self.critical.has(from) && self.critical.has(to);
        let weight = match from {
            Node::Fragment(row, _) => self.profile.fragments.net(row).0,
            _ => 0,
        };
        let (theirs, plain) = (type_of(kind, to), style::edge_color(kind));
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

/// In the order of their first occurrence.
fn colors(tasks: &[Task]) -> HashMap<u64, String> {
    let mut known = HashMap::new();
    for task in tasks {
        let next = known.len();
        known.entry(task.outline_function).or_insert(next);
    }
    let colors = style::function_colors(known.len());
    known.into_iter().map(|(function, number)| (function, colors[number].clone())).collect()
}
