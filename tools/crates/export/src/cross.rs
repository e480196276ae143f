// SPDX-License-Identifier: Apache-2.0
//! Edges of the exported graph between points in tasks: from each release of a lock to its next
//! hold, from an iteration to the iterations that waited for it, and from the fulfilment of an
//! event to the point where its task is joined.

use std::collections::HashMap;

use grains::{FulfilRow, GrainRow, Item, LoopRow, PointRow, Profile};

pub struct Edge {
    /// Item of the point from which the edge leads.
    pub from: usize,
    pub to: To,
    pub kind: &'static str,
}

pub enum To {
    /// Item of the point.
    Point(usize),
    /// Where this task is joined.
    End(GrainRow),
}

pub fn edges(profile: &Profile) -> Vec<Edge> {
    let points = Points::of(profile);
    let mut edges = Vec::new();
    for (row, pair) in profile.locks.windows(2).enumerate().filter(|(_, pair)| pair[0].key() == pair[1].key())
    {
        let ends = (points.releases.get(&(row as u32)), points.acquires.get(&(row as u32 + 1)));
        // In a damaged recording, holds may overlap; such holds are no chain.
        if let ((Some(&from), Some(&to)), true) = (ends, pair[0].released() <= pair[1].had) {
            edges.push(Edge { from, to: To::Point(to), kind: "lock" });
        }
    }
    for &(row, to) in &points.sinks {
        let sink = &profile.doacross[row];
        if let Some(&(from, when)) = points.sources.get(&(sink.loop_row, sink.iteration)) {
            if when <= sink.when {
                edges.push(Edge { from, to: To::Point(to), kind: "doacross" });
            }
        }
    }
    for &(row, from) in &points.fulfils {
        let fulfil = &profile.fulfils[row];
        if fulfil.late {
            edges.push(Edge { from, to: To::End(fulfil.task), kind: "event" });
        }
    }
    edges
}

/// Items of points, by their rows.
#[derive(Default)]
struct Points {
    acquires: HashMap<u32, usize>,
    releases: HashMap<u32, usize>,
    /// By loop and iteration, with the instant.
    sources: HashMap<(LoopRow, u64), (usize, grains::Ticks)>,
    sinks: Vec<(PointRow, usize)>,
    fulfils: Vec<(FulfilRow, usize)>,
}

impl Points {
    fn of(profile: &Profile) -> Self {
        let mut this = Self::default();
        for (item, kind) in profile.items.iter().enumerate() {
            match kind {
                Item::Acquire(row) => drop(this.acquires.insert(row, item)),
                Item::Release(row) => drop(this.releases.insert(row, item)),
                Item::Source(row) => {
                    let source = &profile.doacross[row];
                    this.sources.insert((source.loop_row, source.iteration), (item, source.when));
                }
                Item::Sink(row) => this.sinks.push((row, item)),
                Item::Fulfil(row) => this.fulfils.push((row, item)),
                _ => {}
            }
        }
        this
    }
}
