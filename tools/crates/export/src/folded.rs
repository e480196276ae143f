// SPDX-License-Identifier: Apache-2.0
//! Folded stacks: a line for each path of creation. Such a path consists of the constructs from an
//! initial task to a grain, each of which created the next. The line has the work of all grains on
//! the path.

use std::io::{Result, Write};

use grains::{Column, Grains, Profile, Ticks, NONE};
use symbols::Symbols;
use terminal::say;

use super::names::Names;
use super::paths::Paths;

const DEEPEST: u32 = 250;
const MOST_PATHS: usize = 250_000;

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    let names = Names::of(profile, symbols);
    let (paths, work, cut) = paths_of(profile, &names);
    let frames: Vec<String> = names.texts().iter().map(|name| name.replace(';', ",")).collect();
    let mut line = Vec::new();
    for (row, &work) in work.iter().enumerate() {
        let ns = profile.ns(work).round();
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
    if cut > 0 {
        say(format!(
            "{cut} grains lie deeper than {DEEPEST} levels, or on more than {MOST_PATHS} paths: their work is counted \
             at their ancestors."
        ));
    }
    Ok(())
}

/// The paths of all grains; for each path, the work of the grains that end there; and the number of
/// grains that have no path of their own and count for their ancestor's path.
fn paths_of(profile: &Profile, names: &Names) -> (Paths, Vec<Ticks>, u64) {
    let mut paths = Paths::new(DEEPEST, MOST_PATHS);
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
            work[node as usize] += profile.grains.work[grain];
        }
    }
    (paths, work, cut)
}
