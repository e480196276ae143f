// SPDX-License-Identifier: Apache-2.0
//! Samples as a flame graph: below each site, the functions in which its grains were, with the
//! calls that led there if the samples have stacks. `teff export --format folded` has the same
//! functions, from the same source.
//!
//! Only the nodes with most samples are kept. A node has no more samples than its parent, so the
//! kept nodes form a connected tree, and the samples of the other nodes count for the innermost
//! kept one above them. Samples are rows of their own, so that the page can count those of a time
//! range. If there are too many, samples of one node in the same part of the run become one row.

use std::cmp::Reverse;
use std::collections::HashMap;

use grains::{Profile, Ticks, NONE};
use serde::Serialize;
use symbols::functions::Functions;
use symbols::sites::Sites;
use terminal::printable;

use crate::columns::Column;

/// The most nodes while counting, and in the page.
const MOST: usize = 1 << 18;
const SHOWN: usize = 4_000;
/// The most rows of samples, and the numbers of parts of the run that are tried. The last number is
/// always small enough.
const SAMPLES: usize = 1 << 16;
const PARTS: [u64; 6] = [1 << 24, 1 << 16, 1 << 12, 1 << 9, 64, 16];

/// One row per node; a node comes after the node above it.
#[derive(Serialize, Default)]
pub struct Stacks {
    /// CPU time between two samples; 0: no samples were taken.
    period_ns: f64,
    /// Whether samples have the calls that led to them.
    has_calls: bool,
    names: Vec<String>,
    parent: Column<u32>,
    /// Row of `sites`, also of the functions below it; `u32::MAX`: what ran in no grain.
    site: Column<u32>,
    /// Row of `names`; `u32::MAX`: the node is the site.
    name: Column<u32>,
    sample: Samples,
    /// Nodes that are left out because they have fewer samples.
    more: usize,
}

#[derive(Serialize, Default)]
struct Samples {
    node: Column<u32>,
    at: Column<f64>,
    count: Column<u32>,
}

/// A sample, or several.
#[derive(Clone, Copy)]
struct Taken {
    node: u32,
    at: Ticks,
    count: u32,
}

#[derive(Default)]
struct Tree {
    parent: Vec<u32>,
    site: Vec<u32>,
    name: Vec<u32>,
    known: HashMap<(u32, u32, u32), u32>,
}

pub fn of(profile: &Profile, sites: &Sites, functions: Option<&Functions>) -> Stacks {
    let Some(functions) = functions else { return Stacks::default() };
    let mut tree = Tree::default();
    let mut names: HashMap<String, u32> = HashMap::new();
    let mut taken = Vec::new();
    let hits = profile.samples.hits.iter().zip(functions.of_hits()).zip(functions.grains());
    for ((hit, (calls, count)), grain) in hits {
        let site = grain.map_or(NONE, |grain| sites.of_grain[grain]);
        let mut node = tree.below(NONE, site, NONE);
        let calls = if calls.is_empty() { vec!["[kernel]".to_owned()] } else { calls };
        for call in calls {
            let next = names.len() as u32;
            let name = *names.entry(call).or_insert(next);
            node = tree.below(node, site, name);
        }
        taken.push(Taken { node, at: hit.at, count });
    }
    let mut texts: Vec<(String, u32)> = names.into_iter().collect();
    texts.sort_unstable_by_key(|text| text.1);
    let (kept, taken) = tree.kept(taken, SHOWN);
    let mut sample = Samples::default();
    for Taken { node, at, count } in joined(taken, profile.wall) {
        sample.node.push(node);
        sample.at.push(profile.ns(at));
        sample.count.push(count);
    }
    Stacks {
        period_ns: profile.samples.period_ns as f64,
        has_calls: profile.samples.hits.iter().any(|hit| hit.stack.is_some()),
        names: texts.into_iter().map(|(text, _)| printable(&text)).collect(),
        sample,
        ..kept
    }
}

impl Tree {
    fn below(&mut self, parent: u32, site: u32, name: u32) -> u32 {
        if let Some(&node) = self.known.get(&(parent, site, name)) {
            return node;
        }
        if parent != NONE && self.parent.len() >= MOST {
            return parent;
        }
        let node = self.parent.len() as u32;
        self.parent.push(parent);
        self.site.push(site);
        self.name.push(name);
        self.known.insert((parent, site, name), node);
        node
    }

    /// For each node, the samples in it and in all nodes below it.
    fn totals(&self, taken: &[Taken]) -> Vec<u64> {
        let mut totals = vec![0; self.parent.len()];
        for sample in taken {
            totals[sample.node as usize] += u64::from(sample.count);
        }
        for node in (0..totals.len()).rev() {
            if self.parent[node] != NONE {
                totals[self.parent[node] as usize] += totals[node];
            }
        }
        totals
    }

    /// The `most` nodes with most samples, and the samples by the rows of these.
    fn kept(&self, mut taken: Vec<Taken>, most: usize) -> (Stacks, Vec<Taken>) {
        let totals = self.totals(&taken);
        let mut nodes: Vec<usize> = (0..totals.len()).collect();
        nodes.sort_by_key(|&node| (Reverse(totals[node]), node));
        nodes.truncate(most);
        nodes.sort_unstable();
        let mut stacks = Stacks { more: totals.len() - nodes.len(), ..Stacks::default() };
        let mut row_of = vec![NONE; totals.len()];
        let mut nodes = nodes.into_iter().peekable();
        for node in 0..totals.len() {
            let parent = self.parent[node];
            let above = if parent == NONE { NONE } else { row_of[parent as usize] };
            if nodes.next_if_eq(&node).is_none() {
                row_of[node] = above;
                continue;
            }
            row_of[node] = stacks.parent.0.len() as u32;
            stacks.parent.push(above);
            stacks.site.push(self.site[node]);
            stacks.name.push(self.name[node]);
        }
        for sample in &mut taken {
            sample.node = row_of[sample.node as usize];
        }
        taken.retain(|sample| sample.node != NONE);
        (stacks, taken)
    }
}

/// The samples in the order of time, in so few rows that a page can have them.
fn joined(mut taken: Vec<Taken>, wall: Ticks) -> Vec<Taken> {
    taken.sort_by_key(|sample| sample.at);
    for parts in PARTS {
        if taken.len() <= SAMPLES {
            break;
        }
        let mut rows: Vec<Taken> = Vec::new();
        let mut known: HashMap<(u128, u32), usize> = HashMap::new();
        for sample in &taken {
            let part = u128::from(sample.at.0) * u128::from(parts) / u128::from(wall.0.max(1) + 1);
            let row = *known.entry((part, sample.node)).or_insert(rows.len());
            match rows.get_mut(row) {
                Some(first) => first.count = first.count.saturating_add(sample.count),
                None => rows.push(*sample),
            }
        }
        taken = rows;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(samples: &[(u32, u64, u32)]) -> Vec<Taken> {
        samples.iter().map(|&(node, at, count)| Taken { node, at: Ticks(at), count }).collect()
    }

    #[test]
    fn samples_of_nodes_that_are_left_out_count_for_the_node_above() {
        let mut tree = Tree::default();
        let root = tree.below(NONE, 7, NONE);
        let main = tree.below(root, 7, 0);
        let leaf = tree.below(main, 7, 1);
        let rare = tree.below(main, 7, 2);
        assert_eq!(tree.below(main, 7, 1), leaf);
        let samples = taken(&[(leaf, 30, 5), (rare, 10, 1), (main, 20, 2)]);
        assert_eq!(tree.totals(&samples), [8, 8, 5, 1]);
        let (stacks, samples) = tree.kept(samples, 3);
        assert_eq!((stacks.parent.0, stacks.site.0), (vec![NONE, 0, 1], vec![7; 3]));
        assert_eq!((stacks.name.0, stacks.more), (vec![NONE, 0, 1], 1));
        assert_eq!(samples.iter().map(|sample| sample.node).collect::<Vec<_>>(), [2, 1, 1]);
    }

    #[test]
    fn too_many_samples_are_joined_by_node_and_time() {
        let wall = 10 * SAMPLES as u64;
        let many: Vec<_> = (0..wall).map(|at| ((at % 3) as u32, at, 1)).collect();
        let rows = joined(taken(&many), Ticks(wall));
        assert!((SAMPLES / 32..=SAMPLES).contains(&rows.len()), "{}", rows.len());
        assert_eq!(rows.iter().map(|row| u64::from(row.count)).sum::<u64>(), wall);
        let half = |row: &&Taken| row.at < Ticks(wall / 2);
        let before: u64 = rows.iter().filter(half).map(|row| u64::from(row.count)).sum();
        assert!(before.abs_diff(wall / 2) <= wall / 1000, "{before}");
        assert!(rows.is_sorted_by_key(|row| row.at));
        let few = taken(&[(0, 9, 1), (0, 9, 1)]);
        assert_eq!(joined(few, Ticks(10)).len(), 2);
    }
}
