// SPDX-License-Identifier: Apache-2.0
//! Folded stacks: a line for each path of constructs from an initial task to a grain, by which task
//! created which, with the work of all grains there.
//!
//! Paths are a tree, with a node for each that differs. The tree is bounded: what is created deeper
//! than [`DEEPEST`], or would make more than [`MOST_PATHS`], counts at the last node on its way
//! that is known.

use std::collections::HashMap;
use std::io::{Result, Write};

use grains::{Profile, Ticks, NONE};

use super::names::Names;
use crate::console::say;
use crate::symbols::Symbols;

const DEEPEST: u32 = 250;
const MOST_PATHS: usize = 250_000;

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    let names = Names::of(profile, symbols);
    let paths = Paths::of(profile, &names);
    let frames: Vec<String> = names.texts().iter().map(|name| name.replace(';', ",")).collect();
    let mut line = Vec::new();
    for (row, node) in paths.nodes.iter().enumerate() {
        let ns = profile.ns(node.work).round();
        if ns < 1.0 {
            continue;
        }
        paths.way_to(row as u32, &mut line);
        for (at, &name) in line.iter().enumerate() {
            let separator = if at > 0 { ";" } else { "" };
            write!(out, "{separator}{}", frames[name as usize])?;
        }
        writeln!(out, " {ns}")?;
    }
    if paths.cut > 0 {
        say(format!(
            "{} grains lie deeper than {DEEPEST} levels, or on more than {MOST_PATHS} paths: their work counts at \
             their ancestors.",
            paths.cut
        ));
    }
    Ok(())
}

struct Node {
    parent: u32,
    name: u32,
    depth: u32,
    work: Ticks,
}

struct Paths {
    nodes: Vec<Node>,
    /// By parent's node and name.
    known: HashMap<(u32, u32), u32>,
    /// Grains that have no node of their own.
    cut: u64,
}

impl Paths {
    fn of(profile: &Profile, names: &Names) -> Self {
        let mut this = Self { nodes: Vec::new(), known: HashMap::new(), cut: 0 };
        let mut node_of = vec![NONE; profile.grains.len()];
        let mut way = Vec::new();
        for grain in 0..profile.grains.len() as u32 {
            let mut at = grain;
            while at != NONE && node_of[at as usize] == NONE {
                way.push(at);
                at = profile.grains.parent[at as usize];
            }
            let mut node = if at == NONE { NONE } else { node_of[at as usize] };
            while let Some(grain) = way.pop() {
                node = this.below(node, names.of_grain(profile, grain));
                node_of[grain as usize] = node;
                this.nodes[node as usize].work += profile.grains.work[grain as usize];
            }
        }
        this
    }

    /// The node of that name below another.
    fn below(&mut self, parent: u32, name: u32) -> u32 {
        let depth = self.nodes.get(parent as usize).map_or(0, |node| node.depth + 1);
        if let Some(&node) = self.known.get(&(parent, name)) {
            return node;
        }
        if parent != NONE && (depth == DEEPEST || self.nodes.len() >= MOST_PATHS) {
            self.cut += 1;
            return parent;
        }
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { parent, name, depth, work: Ticks::ZERO });
        self.known.insert((parent, name), node);
        node
    }

    fn way_to(&self, node: u32, names: &mut Vec<u32>) {
        names.clear();
        let mut at = node;
        while let Some(node) = self.nodes.get(at as usize) {
            names.push(node.name);
            at = node.parent;
        }
        names.reverse();
    }
}
