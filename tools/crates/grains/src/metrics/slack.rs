// SPDX-License-Identifier: Apache-2.0
//! Slack, in ticks: by how much a grain could be longer before the longest path grows. It is the
//! span minus the longest path through one of the grain's fragments, and 0 on the critical path.
//!
//! The graph, as recorded, is traversed from its begin to its end and back. Each node is visited
//! once all nodes before it are done (Kahn). Nodes are items, the end of each grain, and each
//! barrier of a team. The successor of an item within its grain is not stored.
//!
//! *Burdened span* is the longest path including the costs of tasks on it: the creation at each
//! fork and the book-keeping before each chunk. Burdened parallelism is work / burdened span
//! (Cilkview's idea, with the costs of this run instead of a constant).

use rayon::prelude::*;

use crate::csr::Groups;
use crate::tables::{
    flag, BarrierRow, GrainRow, Grains, Item, ItemKind, PointRow, RegionInfo, RegionRow, WaitInfo,
};
use crate::ticks::Ticks;
use crate::{Column, Profile, Row, NONE};

/// By grain row; `None`: not known, in a damaged recording.
pub fn slack(profile: &Profile) -> Column<Grains, Option<Ticks>> {
    let graph = Graph::of(profile);
    let weight = |node: u32| graph.own_work(node);
    let (order, mut depth) = graph.forward(weight);
    let span = order.iter().map(|&node| depth[node as usize]).max().unwrap_or_default();
    let mut through: Column<Grains, Option<Ticks>> = Column::filled(None, profile.grains.len());
    for &node in order.iter().rev() {
        let behind = graph.behind(node).map(|next| depth[next as usize]).max().unwrap_or_default();
        let longest = depth[node as usize] + behind;
        // What was the depth becomes the longest path from here on.
        depth[node as usize] = behind + weight(node);
        let of_grain = match (graph.fragment(node), graph.end_of(node)) {
            (Some(fragment), _) => Some(profile.fragments.grain[fragment as usize]),
            (None, Some(grain)) if !has_fragments(profile, grain) => Some(grain),
            _ => None,
        };
        if let Some(grain) = of_grain {
            let known = &mut through[grain];
            *known = (*known).max(Some(longest));
        }
    }
    through.into_iter().map(|through: Option<Ticks>| through.map(|length| span - length)).collect()
}

/// The longest path as it ran, creation and book-keeping included.
pub fn burdened_span(profile: &Profile) -> Ticks {
    let graph = Graph::of(profile);
    let weight = |node: u32| graph.own_work(node) + graph.burden(node);
    let (order, depth) = graph.forward(weight);
    order.iter().map(|&node| depth[node as usize]).max().unwrap_or_default()
}

fn has_fragments(profile: &Profile, grain: GrainRow) -> bool {
    profile.items.of(grain).any(|item| profile.items.kind[item] == ItemKind::Fragment)
}

struct Graph<'a> {
    profile: &'a Profile,
    items: u32,
    grains: u32,
    nodes: usize,
    /// (from, to), sorted; but for the edges from an item to the next of its grain.
    edges: Vec<(u32, u32)>,
    /// Whether an item is its grain's last.
    last: Vec<bool>,
}

impl<'a> Graph<'a> {
    fn of(profile: &'a Profile) -> Self {
        let (items, grains) = (profile.items.kind.len() as u32, profile.grains.len() as u32);
        let mut graph = Self {
            profile,
            items,
            grains,
            nodes: (items + grains) as usize + profile.barriers as usize,
            edges: Vec::new(),
            last: vec![false; items as usize],
        };
        for grain in profile.grains.rows().filter(|&row| !profile.items.of(row).is_empty()) {
            graph.last[profile.items.of(grain).end - 1] = true;
        }
        let members = Groups::new(profile.regions.len(), profile.member_of.iter().copied());
        for grain in profile.grains.rows() {
            graph.along(grain, &members);
        }
        graph.joins();
        graph.cross();
        graph.edges.par_sort_unstable();
        graph
    }

    fn end(&self, grain: GrainRow) -> u32 {
        self.items + grain.number()
    }

    fn end_of(&self, node: u32) -> Option<GrainRow> {
        node.checked_sub(self.items).filter(|&grain| grain < self.grains).map(Row::of_number)
    }

    fn barrier(&self, barrier: BarrierRow) -> u32 {
        self.items + self.grains + barrier.number()
    }

    fn first(&self, grain: GrainRow) -> u32 {
        let items = self.profile.items.of(grain);
        if items.is_empty() {
            self.end(grain)
        } else {
            items.start as u32
        }
    }

    fn fragment(&self, node: u32) -> Option<u32> {
        let kind = self.profile.items.kind.get(node as usize)?;
        (*kind == ItemKind::Fragment).then(|| self.profile.items.row[node as usize])
    }

    fn own_work(&self, node: u32) -> Ticks {
        self.fragment(node).map_or(Ticks::ZERO, |fragment| self.profile.fragments.net(fragment))
    }

    fn burden(&self, node: u32) -> Ticks {
        if node >= self.items {
            return Ticks::ZERO;
        }
        match self.profile.items.at(node as usize) {
            Item::Fork(row) | Item::Chunk(row) => self.profile.grains.creation.of(row),
            _ => Ticks::ZERO,
        }
    }

    /// The edges that a grain's own items have.
    fn along(&mut self, grain: GrainRow, members: &Groups<RegionRow, GrainRow>) {
        let items = self.profile.items.of(grain);
        for item in items.clone() {
            let node = item as u32;
            let next = if item + 1 < items.end { node + 1 } else { self.end(grain) };
            if next == self.end(grain) {
                self.edges.push((node, next));
            }
            let item = self.profile.items.at(item);
            match item {
                Item::Fork(row) | Item::Chunk(row) => {
                    self.edges.push((node, self.first(row)));
                    if matches!(item, Item::Chunk(_)) || self.profile.grains.has(row, flag::INLINE) {
                        self.edges.push((self.end(row), next));
                    }
                }
                Item::Region(row) => {
                    for &member in members.of(row) {
                        self.edges.push((node, self.first(member)));
                        self.edges.push((self.end(member), next));
                    }
                }
                Item::Join(row) => {
                    if let Some(barrier) = self.profile.barrier_of[row] {
                        let barrier = self.barrier(barrier);
                        self.edges.push((node, barrier));
                        self.edges.push((barrier, next));
                    }
                }
                _ => {}
            }
        }
    }

    /// From the ends of tasks to what joins them.
    fn joins(&mut self) {
        let mut of_wait: Column<WaitInfo, _> = Column::filled(NONE, self.profile.waits.len());
        let mut of_region: Column<RegionInfo, _> = Column::filled(NONE, self.profile.regions.len());
        for (number, item) in (0..).zip(self.profile.items.iter()) {
            match item {
                Item::Join(row) => of_wait[row] = number,
                Item::Region(row) => of_region[row] = number,
                _ => {}
            }
        }
        for (task, &wait) in self.profile.joined_by.entries() {
            let Some(wait) = wait else { continue };
            let to = match self.profile.barrier_of[wait] {
                Some(barrier) => self.barrier(barrier),
                None => of_wait[wait],
            };
            if to != NONE {
                self.edges.push((self.end(task), to));
            }
        }
        for &(task, region) in &self.profile.left_to_region {
            let item = of_region[region];
            if item != NONE && !self.last[item as usize] {
                self.edges.push((self.end(task), item + 1));
            }
        }
    }

    /// Dependences, locks, doacross loops and events.
    fn cross(&mut self) {
        let profile = self.profile;
        for &(before, after) in &profile.edges {
            self.edges.push((self.end(before), self.first(after)));
        }
        let (mut had, mut released) = (vec![NONE; profile.locks.len()], vec![NONE; profile.locks.len()]);
        let mut sources = std::collections::HashMap::new();
        let key = |row: PointRow| (profile.doacross[row].loop_row, profile.doacross[row].iteration);
        let mut sinks = Vec::new();
        for (number, item) in (0..).zip(profile.items.iter()) {
            match item {
                Item::Acquire(row) => had[row as usize] = number,
                Item::Release(row) => released[row as usize] = number,
                Item::Source(row) => drop(sources.insert(key(row), number)),
                Item::Sink(row) => sinks.push((number, key(row))),
                Item::Fulfil(row) => {
                    let task = profile.fulfils[row].task;
                    self.edges.push((number, self.end(task)));
                }
                _ => {}
            }
        }
        for (sink, key) in sinks {
            self.edges.extend(sources.get(&key).map(|&source| (source, sink)));
        }
        for later in 1..profile.locks.len() {
            let same = profile.locks[later - 1].key() == profile.locks[later].key();
            let (from, to) = (released[later - 1], had[later]);
            if same && from != NONE && to != NONE {
                self.edges.push((from, to));
            }
        }
    }

    fn behind(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let next = (node < self.items && !self.last[node as usize]).then_some(node + 1);
        let from = self.edges.partition_point(|edge| edge.0 < node);
        let stored = self.edges[from..].iter().take_while(move |edge| edge.0 == node);
        next.into_iter().chain(stored.map(|edge| edge.1))
    }

    /// The nodes in an order in which all edges go forwards, and the longest path to behind each.
    fn forward(&self, weight: impl Fn(u32) -> Ticks) -> (Vec<u32>, Vec<Ticks>) {
        let mut before = vec![0u32; self.nodes];
        for node in 0..self.nodes as u32 {
            self.behind(node).for_each(|next| before[next as usize] += 1);
        }
        let mut order: Vec<u32> = (0..self.nodes as u32).filter(|&node| before[node as usize] == 0).collect();
        let mut depth = vec![Ticks::ZERO; self.nodes];
        let mut at = 0;
        while let Some(&node) = order.get(at) {
            at += 1;
            let reached = depth[node as usize] + weight(node);
            depth[node as usize] = reached;
            for next in self.behind(node) {
                depth[next as usize] = depth[next as usize].max(reached);
                before[next as usize] -= 1;
                if before[next as usize] == 0 {
                    order.push(next);
                }
            }
        }
        (order, depth)
    }
}
