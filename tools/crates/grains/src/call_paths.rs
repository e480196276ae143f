// SPDX-License-Identifier: Apache-2.0
//! The call paths by which a program reached its constructs, where they were recorded.
//!
//! The recorder knows the calls within one task, up to the call from the runtime. So the path of a
//! construct continues with the path of the task's own creation, up to the start of the program. If
//! a task creates another one by the same calls by which it was created itself, both have the same
//! path: recursion adds nothing, and there are few paths, however deep the recursion is.

use std::collections::HashMap;

use crate::tables::{GrainKind, GrainRow, Grains, RegionRow};
use crate::ticks::Ticks;
use crate::{Column, PlaceRow, Profile, Row, Segment};

/// A construct and the calls above it, in one task; then what has created that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub place: Option<PlaceRow>,
    /// `None`: not recorded.
    pub segment: Option<Row<Segment>>,
    /// The path of the task's creation; `None`: it is an initial task.
    pub above: Option<Row<Node>>,
}

/// What came by one path to one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// Grains, or waits.
    pub count: u64,
    /// The work of the grains.
    pub work: Ticks,
    /// What workers lost to the waits.
    pub wait: Ticks,
}

pub struct CallPaths {
    pub nodes: Column<Node>,
    /// The path of each grain; `None` for initial tasks.
    pub of_grain: Column<Grains, Option<Row<Node>>>,
    /// ... of each wait.
    pub of_wait: Vec<Row<Node>>,
}

impl CallPaths {
    /// `None`: none were recorded.
    pub fn of(profile: &Profile) -> Option<Self> {
        profile.places.have_paths().then(|| Builder::new(profile).build())
    }

    /// What each path has brought to its place: of grains, and of waits.
    pub fn reached(&self, profile: &Profile) -> (Column<Node, Reached>, Column<Node, Reached>) {
        let mut grains: Column<Node, Reached> = vec![Reached::default(); self.nodes.len()].into();
        for (row, &node) in self.of_grain.entries() {
            let Some(reached) = grains.of_mut(node) else { continue };
            reached.count += 1;
            reached.work += profile.grains.work.of(row);
        }
        let mut waits: Column<Node, Reached> = vec![Reached::default(); self.nodes.len()].into();
        for (wait, &node) in profile.waits.iter().zip(&self.of_wait) {
            let reached = &mut waits[node];
            reached.count += 1;
            reached.wait += wait.lost;
        }
        (grains, waits)
    }
}

/// More paths than anybody reads: what is beyond them has no more than its own place.
const MOST_NODES: usize = 1 << 20;
/// Constructs of one recursion: a chain of tasks may be as long as the recording, and each would
/// look at all of those above it.
const MOST_IN_RECURSION: usize = 256;

struct Builder<'a> {
    profile: &'a Profile,
    nodes: Column<Node>,
    rows: HashMap<Node, Row<Node>>,
    /// What a node below a row has become: itself, or one above with the same calls.
    folded: HashMap<Node, Row<Node>>,
    of_grain: Column<Grains, Option<Row<Node>>>,
    /// Of each grain: its path is known.
    settled: Column<Grains, bool>,
}

impl<'a> Builder<'a> {
    fn new(profile: &'a Profile) -> Self {
        Self {
            profile,
            nodes: Column::default(),
            rows: HashMap::new(),
            folded: HashMap::new(),
            of_grain: Column::filled(None, profile.grains.len()),
            settled: Column::filled(false, profile.grains.len()),
        }
    }

    fn build(mut self) -> CallPaths {
        for row in self.profile.grains.rows() {
            self.settle(row);
        }
        let profile = self.profile;
        let mut of_wait = Vec::with_capacity(profile.waits.len());
        for (row, wait) in profile.waits.entries() {
            let segment = profile.segment_rows.waits.of(Some(row)).copied().flatten();
            let above = self.of_grain[wait.task];
            // Waits create nothing: they are no part of a recursion.
            of_wait.push(self.row(Node { place: wait.place, segment, above }));
        }
        CallPaths { nodes: self.nodes, of_grain: self.of_grain, of_wait }
    }

    /// The path of a grain, after those of what it came from.
    fn settle(&mut self, grain: GrainRow) {
        let mut open = vec![grain];
        while let Some(&row) = open.last() {
            let from = self.creator(row);
            match from {
                Some(from) if !self.settled[from] && open.len() <= self.settled.len() => {
                    open.push(from);
                }
                _ => {
                    open.pop();
                    if !self.settled[row] {
                        let above = from.and_then(|from| self.of_grain[from]);
                        self.of_grain[row] = self.path_below(row, above);
                        self.settled[row] = true;
                    }
                }
            }
        }
    }

    /// The grain whose path its own goes on with.
    fn creator(&self, row: GrainRow) -> Option<GrainRow> {
        let grains = &self.profile.grains;
        let region = self.region_of(row);
        match (grains.kind[row], region) {
            (GrainKind::Initial, _) => None,
            (GrainKind::Implicit, Some(region)) => self.profile.regions[region].parent,
            _ => grains.parent[row],
        }
    }

    fn region_of(&self, row: GrainRow) -> Option<RegionRow> {
        self.profile.member_of.of(Some(row)).copied().flatten()
    }

    fn path_below(&mut self, row: GrainRow, mut above: Option<Row<Node>>) -> Option<Row<Node>> {
        let profile = self.profile;
        let segments = &profile.segment_rows;
        let (place, segment) = match profile.grains.kind[row] {
            GrainKind::Initial => return None,
            GrainKind::Task => (profile.grains.place[row], segments.tasks.of(Some(row)).copied().flatten()),
            GrainKind::Implicit => match self.region_of(row) {
                Some(region) => {
                    (profile.regions[region].place, segments.regions.of(Some(region)).copied().flatten())
                }
                None => (profile.grains.place[row], None),
            },
            GrainKind::Chunk => {
                let info = profile.chunk(row)?;
                let place = profile.grains.place[row];
                let segment = segments.loops.of(Some(info.loop_row)).copied().flatten();
                let region = above.map(|node| self.nodes[node]).filter(|node| node.segment == segment);
                if let Some(region) = region.filter(|node| self.is_one_call(node.place, place)) {
                    above = region.above;
                }
                (place, segment)
            }
        };
        Some(self.fold(Node { place, segment, above }))
    }

    /// A combined construct begins its region and its loop by one call, and their places differ in
    /// the function alone. So the loop has no calls below those of the region.
    fn is_one_call(&self, region: Option<PlaceRow>, in_it: Option<PlaceRow>) -> bool {
        let call = |place: Option<PlaceRow>| {
            let place = &self.profile.places.places[place?];
            Some((place.module, place.call_site))
        };
        call(region).is_some() && call(region) == call(in_it)
    }

    /// The same calls to the same construct further out mean a recursion: that is the path.
    fn fold(&mut self, node: Node) -> Row<Node> {
        if let Some(&known) = self.folded.get(&node) {
            return known;
        }
        let mut at = node.above;
        let is_same = |other: Node| (other.place, other.segment) == (node.place, node.segment);
        let mut looked_at = 0;
        while let Some(row) = at.filter(|&row| looked_at < MOST_IN_RECURSION && !is_same(self.nodes[row])) {
            at = self.nodes[row].above;
            looked_at += 1;
        }
        let row = match at.filter(|_| looked_at < MOST_IN_RECURSION) {
            Some(row) => row,
            None => self.row(node),
        };
        self.folded.insert(node, row);
        row
    }

    fn row(&mut self, node: Node) -> Row<Node> {
        let node = match self.nodes.len() {
            0..MOST_NODES => node,
            _ => Node { segment: None, above: None, ..node },
        };
        let nodes = &mut self.nodes;
        *self.rows.entry(node).or_insert_with(|| nodes.add(node))
    }
}
