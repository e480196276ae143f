// SPDX-License-Identifier: Apache-2.0
//! Call paths as the report and the page show them: the calls that led to each construct, outermost
//! first, with the construct's figures on this path. Paths with the same names and lines count as
//! one, because a compiler that unrolls or clones code gives a call several addresses.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use grains::call_paths::{self, Node, Reached};
use grains::units::percent;
use grains::{Column, PlaceRow, Profile, Row, Ticks};
use serde::Serialize;
use terminal::printable;

use crate::call_table::{CallTable, Key};
use crate::sites::Sites;
use crate::symbols::Symbols;

/// How often, and for how long, one construct was reached by these calls.
#[derive(Clone, Serialize)]
pub struct PathFacts {
    /// The number of grains of the construct, or of waits if it is a synchronisation point.
    pub count: u64,
    pub work_ns: f64,
    /// The time that workers lost in waits there.
    pub wait_ns: f64,
    /// The outermost first; without the construct itself.
    pub calls: Vec<Call>,
    /// There are further calls outside of the first call, which were not recorded or are not shown.
    pub cut: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Call {
    pub file: Arc<str>,
    pub line: u32,
    pub function: Arc<str>,
    /// How often the call occurs in a row, at most. It occurs repeatedly if the function calls
    /// itself, or if it belongs to several functions that call each other in a cycle.
    pub times: u32,
}

/// The largest number of paths of one construct; nobody reads more.
const MOST_PATHS: usize = 1000;
/// The largest number of calls of one path; the innermost calls are kept.
const MOST_CALLS: usize = 128;
/// The largest number of calls of all paths in a small recording.
const FEW_CALLS: usize = 1 << 16;
const MOST_ALIKE: usize = 16;

pub struct CallPaths<'a> {
    profile: &'a Profile,
    paths: call_paths::CallPaths,
    table: CallTable,
    keys: Column<Node, Key>,
}

impl<'a> CallPaths<'a> {
    /// `None`: none were recorded.
    pub fn of(profile: &'a Profile, symbols: &Symbols) -> Option<Self> {
        let paths = call_paths::CallPaths::of(profile)?;
        let table = CallTable::of(profile, symbols);
        let keys = table.keys(&paths.nodes);
        Some(Self { profile, paths, table, keys })
    }

    /// The paths of each row of `sites` that has grains, by falling time. If there are too many
    /// paths, the last rows have none.
    pub fn of_sites(&self, sites: &Sites) -> Vec<Vec<PathFacts>> {
        let mut reached: HashMap<(u32, Row<Node>), Reached> = HashMap::new();
        for (grain, &node) in self.paths.of_grain.entries() {
            let Some(node) = node else { continue };
            let site = sites.of_grain[grain];
            let reached = reached.entry((site, node)).or_default();
            reached.count += 1;
            reached.work += self.profile.grains.work.of(grain);
            reached.wait += self.profile.grains.wait.of(grain);
        }
        let mut by_site: Vec<Vec<(Row<Node>, Reached)>> = vec![Vec::new(); sites.rows.len()];
        for ((site, node), reached) in reached {
            by_site[site as usize].push((node, reached));
        }
        let mut left = self.most_calls();
        by_site.iter_mut().map(|nodes| self.facts(in_order(nodes), &mut left)).collect()
    }

    /// For each place of a finding: the path that took most of the time there, in words.
    pub fn dominant(&self, places: &[Option<PlaceRow>]) -> HashMap<Option<PlaceRow>, String> {
        let (grains, waits) = self.paths.reached(self.profile);
        let mut by_place: HashMap<_, Vec<(Row<Node>, Reached)>> = HashMap::new();
        for (row, node) in self.paths.nodes.entries() {
            let (grain, wait) = (grains[row], waits[row]);
            let all = Reached { count: grain.count + wait.count, work: grain.work, wait: wait.wait };
            if all.count > 0 && places.contains(&node.place) {
                by_place.entry(node.place).or_default().push((row, all));
            }
        }
        let facts = |nodes: &[_]| self.facts(nodes, &mut self.most_calls());
        let sentences = by_place.into_iter().map(|(place, nodes)| (place, dominant(&facts(&nodes))));
        sentences.filter_map(|(place, sentence)| Some((place, sentence?))).collect()
    }

    /// The paths that took most time, where paths with the same names and lines are combined. The
    /// shown paths are chosen before their texts are made.
    fn facts(&self, nodes: &[(Row<Node>, Reached)], left: &mut usize) -> Vec<PathFacts> {
        let mut alike: HashMap<Key, Alike> = HashMap::new();
        for &(node, reached) in nodes {
            alike.entry(self.keys[node]).or_default().add(node, reached);
        }
        let mut alike: Vec<Alike> = alike.into_values().collect();
        alike.sort_unstable_by_key(|alike| {
            let Reached { count, work, wait } = alike.reached;
            (Reverse(work + wait), Reverse(count), alike.nodes.first().copied())
        });
        let mut facts = Vec::new();
        for alike in alike.into_iter().take(MOST_PATHS) {
            if *left == 0 {
                break;
            }
            let path = self.path(&alike, MOST_CALLS.min(*left));
            *left -= path.calls.len().max(1);
            facts.push(path);
        }
        facts
    }

    fn path(&self, alike: &Alike, most: usize) -> PathFacts {
        let mut nodes = alike.nodes.iter().map(|&node| self.table.steps(&self.paths.nodes, node, most));
        let (mut steps, cut) = nodes.next().unwrap_or_default();
        for (others, _) in nodes {
            for (step, other) in steps.iter_mut().zip(others) {
                step.times = step.times.max(other.times);
            }
        }
        let calls = steps.iter().rev().map(|step| {
            let (file, line, function) = self.table.call(step.call);
            Call { file, line, function, times: step.times }
        });
        let Reached { count, work, wait } = alike.reached;
        let ns = |ticks: Ticks| self.profile.ns(ticks);
        PathFacts { count, work_ns: ns(work), wait_ns: ns(wait), calls: calls.collect(), cut }
    }

    /// A few calls for each grain. So the paths take no more memory than the recording, however
    /// deep they are.
    fn most_calls(&self) -> usize {
        FEW_CALLS + 4 * self.profile.grains.len()
    }
}

/// Sorts the nodes in an order that is the same in each run.
fn in_order(nodes: &mut [(Row<Node>, Reached)]) -> &[(Row<Node>, Reached)] {
    nodes.sort_unstable_by_key(|(node, _)| *node);
    nodes
}

/// Nodes whose paths have the same text.
#[derive(Default)]
struct Alike {
    reached: Reached,
    /// Some of these nodes; their paths differ only in how often functions call themselves.
    nodes: Vec<Row<Node>>,
}

impl Alike {
    fn add(&mut self, node: Row<Node>, reached: Reached) {
        self.reached.count += reached.count;
        self.reached.work += reached.work;
        self.reached.wait += reached.wait;
        if self.nodes.len() < MOST_ALIKE {
            self.nodes.push(node);
        }
    }
}

/// `main (a.c:10) > solve (b.c:20)`; of a line of Python, `a.py:10 main`.
pub fn in_words(path: &PathFacts) -> String {
    let mut words: Vec<String> = path.calls.iter().map(call_in_words).collect();
    if path.cut {
        words.insert(0, "…".to_owned());
    }
    if words.is_empty() {
        words.push("(no call above it)".to_owned());
    }
    words.join(" > ")
}

fn call_in_words(call: &Call) -> String {
    let file = call.file.rsplit('/').next().unwrap_or_default();
    let name = match (file, call.line) {
        ("", _) | (_, 0) => call.function.to_string(),
        (file, line) if Path::new(file).extension().is_some_and(|extension| extension == "py") => {
            format!("{file}:{line} {}", call.function)
        }
        (file, line) => format!("{} ({file}:{line})", call.function),
    };
    let name = printable(&name);
    if call.times > 1 {
        format!("{name} x{}", call.times)
    } else {
        name
    }
}

/// Work and waits of all of them.
fn time(paths: &[PathFacts]) -> f64 {
    paths.iter().map(|path| path.work_ns + path.wait_ns).sum()
}

/// Each path's share of the work and waits of all paths. If the paths have no time, each path's
/// share of their counts.
pub fn shares(paths: &[PathFacts]) -> Vec<String> {
    let time = time(paths);
    let count: u64 = paths.iter().map(|path| path.count).sum();
    let share = |path: &PathFacts| {
        if time > 0.0 {
            percent(path.work_ns + path.wait_ns, time)
        } else {
            percent(path.count as f64, count as f64)
        }
    };
    paths.iter().map(share).collect()
}

fn dominant(paths: &[PathFacts]) -> Option<String> {
    let first = paths.first().filter(|path| !path.calls.is_empty())?;
    let of = if time(paths) > 0.0 { "work and waits" } else { "grains" };
    let share = format!("{} of its {of}", shares(paths).swap_remove(0));
    Some(match paths.len() {
        1 => format!("Reached by {}.", in_words(first)),
        _ => format!("Reached by {}: {share}.", in_words(first)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(file: &str, line: u32, function: &str, times: u32) -> Call {
        Call { file: file.into(), line, function: function.into(), times }
    }

    fn path(work_ns: f64, calls: Vec<Call>, cut: bool) -> PathFacts {
        PathFacts { count: 1, work_ns, wait_ns: 0.0, calls, cut }
    }

    #[test]
    fn a_path_reads_from_the_outside() {
        let calls = vec![call("/src/a.c", 10, "main", 1), call("/src/b.c", 20, "solve", 3)];
        assert_eq!(in_words(&path(1.0, calls.clone(), false)), "main (a.c:10) > solve (b.c:20) x3");
        assert_eq!(in_words(&path(1.0, calls, true)), "… > main (a.c:10) > solve (b.c:20) x3");
        let python = vec![call("/x/run.py", 7, "<module>", 1), call("", 0, "libblas.so+0x10", 1)];
        assert_eq!(in_words(&path(1.0, python, false)), "run.py:7 <module> > libblas.so+0x10");
    }

    #[test]
    fn the_path_with_most_time_is_named_with_its_share() {
        let paths = [path(3.0, vec![call("a.c", 1, "f", 1)], false), path(1.0, Vec::new(), false)];
        assert_eq!(dominant(&paths).unwrap(), "Reached by f (a.c:1): 75 % of its work and waits.");
        assert_eq!(dominant(&paths[..1]).unwrap(), "Reached by f (a.c:1).");
        assert_eq!(dominant(&paths[1..]), None);
    }
}
