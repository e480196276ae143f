// SPDX-License-Identifier: Apache-2.0
//! Folded stacks: a line for each path of creation. Such a path consists of the constructs from an
//! initial task to a grain, each of which created the next. The line has the work of all grains on
//! the path. If samples were taken, each function in which these grains were has a line of its own,
//! with the time of its samples. If the samples have stacks, each stack has a line, with all its
//! functions. Work without samples, as before a thread's first use of OpenMP, stays with the path.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use grains::{Column, Grains, Profile, Ticks, NONE};
use symbols::functions::Functions;
use symbols::Symbols;
use terminal::{printable, say};

use super::names::Names;
use super::paths::Paths;

const DEEPEST: u32 = 250;
const MOST_PATHS: usize = 250_000;

/// With how many paths at most to try it until the file is small enough.
pub fn most_paths(whole: bool) -> Vec<usize> {
    let tries = if whole { 1 } else { 8 };
    (0..tries).map(|halved| MOST_PATHS >> halved).collect()
}

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols, most_paths: usize) -> Result<()> {
    let names = Names::of(profile, symbols);
    let Tree { paths, work, node_of, cut } = Tree::of(profile, &names, most_paths);
    let inside = inside(profile, symbols, &node_of, paths.nodes.len());
    let frames: Vec<String> = names.texts().iter().map(|name| frame(name)).collect();
    let mut line = Vec::new();
    for (row, &work) in work.iter().enumerate() {
        let ns = profile.ns(work).round();
        if ns < 1.0 {
            continue;
        }
        paths.way_to(row as u32, &mut line);
        let stack: Vec<_> = line.iter().map(|&name| &*frames[name as usize]).collect();
        let stack = stack.join(";");
        let Some(functions) = inside.get(row).filter(|functions| !functions.is_empty()) else {
            writeln!(out, "{stack} {ns}")?;
            continue;
        };
        let samples: u64 = functions.values().sum();
        let ns_per_sample = (profile.samples.period_ns as f64).min(ns / samples as f64);
        let mut rest = ns;
        for (function, &count) in functions {
            let share = (ns_per_sample * count as f64).round().min(rest);
            rest -= share;
            writeln!(out, "{stack};{function} {share}")?;
        }
        if rest > 0.0 {
            writeln!(out, "{stack} {rest}")?;
        }
    }
    if cut > 0 {
        let whole = if most_paths < MOST_PATHS { " --whole writes more paths." } else { "" };
        say(format!(
            "{cut} grains lie deeper than {DEEPEST} levels, or on more than {most_paths} paths: their work is counted \
             at their ancestors.{whole}"
        ));
    }
    Ok(())
}

/// The name in a stack: a semicolon ends a frame, and a line break ends the stack.
fn frame(name: &str) -> String {
    printable(name).replace(';', ",")
}

/// The functions of each path, with their samples; empty if no samples were taken.
fn inside(
    profile: &Profile,
    symbols: &Symbols,
    node_of: &Column<Grains, u32>,
    nodes: usize,
) -> Vec<BTreeMap<String, u64>> {
    let Some(functions) = Functions::of(profile, symbols) else { return Vec::new() };
    let mut inside = vec![BTreeMap::new(); nodes];
    for (grain, calls, count) in functions.of_grains() {
        let calls: Vec<String> = calls.iter().map(|name| frame(name)).collect();
        let name = if calls.is_empty() { "[kernel]".to_owned() } else { calls.join(";") };
        *inside[node_of[grain] as usize].entry(name).or_default() += u64::from(count);
    }
    inside
}

/// The paths of all grains.
struct Tree {
    paths: Paths,
    /// For each path, the work of the grains that end there.
    work: Vec<Ticks>,
    /// For each grain, its path.
    node_of: Column<Grains, u32>,
    /// The number of grains that have no path of their own and count for their ancestor's path.
    cut: u64,
}

impl Tree {
    fn of(profile: &Profile, names: &Names, most_paths: usize) -> Self {
        let mut paths = Paths::new(DEEPEST, most_paths);
        let (mut work, mut cut) = (Vec::new(), 0);
        let mut node_of: Column<Grains, u32> = Column::filled(NONE, profile.grains.len());
        let mut way = Vec::new();
        for grain in profile.grains.rows() {
            let mut next = Some(grain);
            while let Some(at) = next.filter(|&at| node_of[at] == NONE) {
                way.push(at);
                next = profile.grains.parent[at];
            }
            let mut node = next.map_or(NONE, |at| node_of[at]);
            while let Some(grain) = way.pop() {
                node = paths.below(node, names.of_grain(profile, grain)).unwrap_or_else(|| {
                    cut += 1;
                    node
                });
                work.resize(paths.nodes.len(), Ticks::ZERO);
                node_of[grain] = node;
                work[node as usize] += profile.grains.work.of(grain);
            }
        }
        Self { paths, work, node_of, cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_neither_ends_a_frame_nor_a_stack() {
        assert_eq!(frame("quick sort;a\nb\t\u{202e}c"), r"quick sort,a\nb\t\u{202e}c");
    }
}
