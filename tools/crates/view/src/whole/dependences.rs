// SPDX-License-Identifier: Apache-2.0
//! Dependences in total: their number from site to site, and the number of tasks on each level of
//! their graph. A chain has one task on each of many levels; a wavefront has an increasing and then
//! a decreasing number.

use std::cmp::Reverse;
use std::collections::HashMap;

use grains::{Grains, Profile, NONE};
use serde::Serialize;
use symbols::sites::Sites;

use crate::columns::Column;

const PAIRS: usize = 500;
const BARS: usize = 512;

#[derive(Serialize)]
pub struct Dependences {
    /// The number of all dependences, including those of folded grains.
    count: usize,
    /// The number of tasks that have dependences.
    tasks: usize,
    /// Tasks on the longest chain.
    levels: u32,
    /// The number of tasks on each level. If one bar represents several levels, their average.
    width: Column<f32>,
    /// The pairs of sites with the most dependences from one to the other.
    pairs: Vec<Pair>,
}

#[derive(Serialize)]
struct Pair {
    from: u32,
    to: u32,
    count: u64,
}

pub fn of(profile: &Profile, sites: &Sites) -> Dependences {
    let level = levels(profile);
    let levels = level.iter().filter(|&&level| level != NONE).max().map_or(0, |&last| last + 1);
    Dependences {
        count: profile.edges.len(),
        tasks: level.iter().filter(|&&level| level != NONE).count(),
        levels,
        width: width(&level, levels),
        pairs: pairs(profile, sites),
    }
}

/// For each grain: how many tasks precede it on the longest chain; [`NONE`]: it has no dependence.
fn levels(profile: &Profile) -> grains::Column<Grains, u32> {
    let create = |task| profile.grains.create(task);
    // A task is created after all tasks on which it depends.
    let mut edges: Vec<u32> = (0..profile.edges.len() as u32).collect();
    edges.sort_by_key(|&edge| {
        let (from, to) = profile.edges[edge as usize];
        (create(to), to, create(from))
    });
    let mut level = grains::Column::filled(NONE, profile.grains.len());
    for edge in edges {
        let (from, to) = profile.edges[edge as usize];
        let before = &mut level[from];
        if *before == NONE {
            *before = 0;
        }
        let next = *before + 1;
        let after = &mut level[to];
        *after = if *after == NONE { next } else { next.max(*after) };
    }
    level
}

fn width(level: &[u32], levels: u32) -> Column<f32> {
    let bars = (levels as usize).min(BARS);
    let mut tasks = vec![0u64; bars];
    let mut stands_for = vec![0u64; bars];
    let bar = |level: u32| level as usize * bars / levels as usize;
    for at in 0..levels {
        stands_for[bar(at)] += 1;
    }
    for &level in level.iter().filter(|&&level| level != NONE) {
        tasks[bar(level)] += 1;
    }
    Column(tasks.iter().zip(stands_for).map(|(&tasks, levels)| tasks as f32 / levels.max(1) as f32).collect())
}

fn pairs(profile: &Profile, sites: &Sites) -> Vec<Pair> {
    let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
    for &(from, to) in &profile.edges {
        *counts.entry((sites.of_grain[from], sites.of_grain[to])).or_default() += 1;
    }
    let mut pairs: Vec<Pair> =
        counts.into_iter().map(|((from, to), count)| Pair { from, to, count }).collect();
    pairs.sort_by_key(|pair| (Reverse(pair.count), pair.from, pair.to));
    pairs.truncate(PAIRS);
    pairs
}
