// SPDX-License-Identifier: Apache-2.0
//! GraphML: the grain graph with fragments, chunks, forks and joins as nodes.
//!
//! Node ids are `f<fragment>`, `k<item>` for forks and `j<item>` for joins, with rows of the
//! profile's tables, and `b<number>` for the barriers of teams, each of which joins all members.
//! The longest path by `work` is the span.

use std::io::{self, Write};

use grains::summary::SiteKind;
use grains::{flag, GrainKind, ItemKind, Profile, NONE};
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::Writer;

use super::joins::Joins;
use crate::console::printable;
use crate::symbols::Symbols;

/// (name, type) of the attributes of nodes.
const NODE_KEYS: [(&str, &str); 13] = [
    ("kind", "string"),
    ("grain", "long"),
    ("grain_kind", "string"),
    ("start", "double"),
    ("end", "double"),
    ("work", "double"),
    ("grain_work", "double"),
    ("creation", "double"),
    ("benefit", "double"),
    ("worker", "int"),
    ("critical", "boolean"),
    ("site", "string"),
    ("function", "string"),
];

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> io::Result<()> {
    let mut graph = Graph { xml: Writer::new_with_indent(out, b' ', 1), profile, symbols, edges: 0 };
    graph.xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let mut root = BytesStart::new("graphml");
    root.push_attribute(("xmlns", "http://graphml.graphdrawing.org/xmlns"));
    graph.xml.write_event(Event::Start(root))?;
    graph.keys()?;
    let attributes = [("id", "grains"), ("edgedefault", "directed")];
    graph.xml.write_event(Event::Start(BytesStart::new("graph").with_attributes(attributes)))?;
    for grain in 0..profile.grains.len() as u32 {
        graph.nodes(grain)?;
    }
    graph.barriers()?;
    graph.all_edges()?;
    graph.xml.write_event(Event::End(BytesEnd::new("graph")))?;
    graph.xml.write_event(Event::End(BytesEnd::new("graphml")))
}

struct Graph<'a, W: Write> {
    xml: Writer<W>,
    profile: &'a Profile,
    symbols: &'a Symbols,
    edges: u64,
}

impl<W: Write> Graph<'_, W> {
    fn keys(&mut self) -> io::Result<()> {
        for (name, kind) in NODE_KEYS {
            self.key(name, "node", name, kind)?;
        }
        self.key("edge_kind", "edge", "kind", "string")
    }

    fn key(&mut self, id: &str, of: &str, name: &str, kind: &str) -> io::Result<()> {
        let attributes = [("id", id), ("for", of), ("attr.name", name), ("attr.type", kind)];
        self.xml.create_element("key").with_attributes(attributes).write_empty().map(drop)
    }

    /// The nodes of one grain's items.
    fn nodes(&mut self, grain: u32) -> io::Result<()> {
        for item in self.profile.items.of(grain) {
            let row = self.profile.items.row[item];
            let critical = self.profile.items.critical[item].to_string();
            match self.profile.items.kind[item] {
                ItemKind::Fragment => self.fragment(grain, row, critical)?,
                ItemKind::Fork => {
                    self.node(&fork(item), &[("kind", "fork".into()), ("critical", critical.clone())])?;
                    if self.profile.grains.has(row, flag::INLINE) {
                        self.node(&join(item), &[("kind", "join".into()), ("critical", critical)])?;
                    }
                }
                ItemKind::Join if self.profile.barrier_of[row as usize] != NONE => {}
                ItemKind::Join => {
                    self.node(&join(item), &[("kind", "join".into()), ("critical", critical)])?
                }
                ItemKind::Region => {
                    self.node(&fork(item), &[("kind", "fork".into()), ("critical", critical.clone())])?;
                    self.node(&join(item), &[("kind", "join".into()), ("critical", critical)])?;
                }
                ItemKind::Chunk => {}
            }
        }
        Ok(())
    }

    /// One node for each barrier of a team, whatever the number of members.
    fn barriers(&mut self) -> io::Result<()> {
        let mut critical = vec![false; self.profile.barriers as usize];
        let items = &self.profile.items;
        for (item, &kind) in items.kind.iter().enumerate() {
            let row = items.row[item] as usize;
            if kind == ItemKind::Join && self.profile.barrier_of[row] != NONE {
                critical[self.profile.barrier_of[row] as usize] |= items.critical[item];
            }
        }
        for (number, critical) in critical.into_iter().enumerate() {
            self.node(&format!("b{number}"), &[("kind", "join".into()), ("critical", critical.to_string())])?;
        }
        Ok(())
    }

    fn fragment(&mut self, grain: u32, fragment: u32, critical: String) -> io::Result<()> {
        let profile = self.profile;
        let (grains, fragments) = (&profile.grains, &profile.fragments);
        let (row, at) = (grain as usize, fragment as usize);
        let symbol = self.symbols.of(grains.place[row]);
        let kind = grains.kind[row];
        let ns = |ticks| format!("{}", profile.ns(ticks));
        let mut values = vec![
            ("kind", if kind == GrainKind::Chunk { "chunk" } else { "fragment" }.to_owned()),
            ("grain", grain.to_string()),
            ("grain_kind", SiteKind::of_grain(kind).name().to_owned()),
            ("start", ns(fragments.start[at])),
            ("end", ns(fragments.end[at])),
            ("work", ns(fragments.end[at] - fragments.start[at])),
            ("grain_work", ns(grains.work[row])),
            ("creation", ns(grains.creation[row])),
            ("worker", grains.worker[row].to_string()),
            ("critical", critical),
        ];
        if !grains.benefit[row].is_nan() {
            values.push(("benefit", grains.benefit[row].to_string()));
        }
        if !symbol.file.is_empty() {
            values.push(("site", format!("{}:{}", symbol.file, symbol.line)));
        }
        if !symbol.function.is_empty() {
            values.push(("function", symbol.function));
        }
        self.node(&format!("f{fragment}"), &values)
    }

    fn node(&mut self, id: &str, values: &[(&str, String)]) -> io::Result<()> {
        let element = self.xml.create_element("node").with_attribute(("id", id));
        let content = |xml: &mut Writer<W>| {
            for (key, value) in values {
                data(xml, key, value)?;
            }
            Ok(())
        };
        element.write_inner_content(content).map(drop)
    }

    fn edge(&mut self, from: &str, to: &str, kind: &str) -> io::Result<()> {
        let id = format!("e{}", self.edges);
        self.edges += 1;
        let attributes = [("id", id.as_str()), ("source", from), ("target", to)];
        let element = self.xml.create_element("edge").with_attributes(attributes);
        element.write_inner_content(|xml| data(xml, "edge_kind", kind)).map(drop)
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
        Ok(())
    }

    /// Edges between the items of one grain.
    fn continuations(&mut self, grain: u32) -> io::Result<()> {
        let items = self.profile.items.of(grain);
        for item in items.clone().skip(1) {
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
        // A chunk stands in the chain of its thread.
        if fork_item == NONE || self.profile.grains.kind[grain as usize] == GrainKind::Chunk {
            return Ok(());
        }
        if let Some(first) = entry(self.profile, grain) {
            self.edge(&fork(fork_item as usize), &first, "creation")?;
        }
        if let (Some(last), Some(join_item)) = (exit(self.profile, grain), joins.of_grain(grain)) {
            self.edge(&last, &join_node(self.profile, join_item as usize), "join")?;
        }
        Ok(())
    }
}

fn data<W: Write>(xml: &mut Writer<W>, key: &str, value: &str) -> io::Result<()> {
    xml.create_element("data")
        .with_attribute(("key", key))
        .write_text_content(BytesText::new(&printable(value))) // XML has no way to write control characters
        .map(drop)
}

fn fork(item: usize) -> String {
    format!("k{item}")
}

fn join(item: usize) -> String {
    format!("j{item}")
}

/// The node of a join, or of the join behind a region or an inline task.
fn join_node(profile: &Profile, item: usize) -> String {
    let row = profile.items.row[item] as usize;
    match profile.items.kind[item] {
        ItemKind::Join if profile.barrier_of[row] != NONE => format!("b{}", profile.barrier_of[row]),
        _ => join(item),
    }
}

/// Node at which `grain` begins.
fn entry(profile: &Profile, grain: u32) -> Option<String> {
    profile.items.of(grain).next().and_then(|item| item_entry(profile, item))
}

/// Node at which `grain` ends.
fn exit(profile: &Profile, grain: u32) -> Option<String> {
    profile.items.of(grain).next_back().and_then(|item| item_exit(profile, item))
}

fn item_entry(profile: &Profile, item: usize) -> Option<String> {
    let row = profile.items.row[item];
    match profile.items.kind[item] {
        ItemKind::Fragment => Some(format!("f{row}")),
        ItemKind::Fork | ItemKind::Region => Some(fork(item)),
        ItemKind::Join => Some(join_node(profile, item)),
        ItemKind::Chunk => entry(profile, row),
    }
}

fn item_exit(profile: &Profile, item: usize) -> Option<String> {
    let row = profile.items.row[item];
    match profile.items.kind[item] {
        ItemKind::Fork if profile.grains.has(row, flag::INLINE) => Some(join(item)),
        ItemKind::Region => Some(join(item)),
        ItemKind::Chunk => exit(profile, row),
        _ => item_entry(profile, item),
    }
}
