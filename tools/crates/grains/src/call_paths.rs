// SPDX-License-Identifier: Apache-2.0
//! The call paths by which a program reached its constructs, where they were recorded.
//!
//! The recorder knows the calls within one task, up to the call from the runtime. So the path of a
//! construct continues with the path of the task's own creation, up to the start of the program. If
//! a task creates another one by the same calls by which it was created itself, both have the same
//! path: recursion adds nothing, and there are few paths, however deep the recursion is.

use std::collections::HashMap;

use crate::tables::{some_row, GrainKind};
use crate::ticks::Ticks;
use crate::{Profile, NONE};

/// A construct and the calls above it, in one task; then what has created that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// Row of the construct's place.
    pub place: u32,
    /// Row of [`crate::Places::segments`]; [`NONE`]: not recorded.
    pub segment: u32,
    /// Row of the path of the task's creation; [`NONE`]: it is an initial task.
    pub above: u32,
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
    pub nodes: Vec<Node>,
    /// Row of the path of each grain; [`NONE`] for initial tasks.
    pub of_grain: Vec<u32>,
    /// ... of each wait.
    pub of_wait: Vec<u32>,
}

impl CallPaths {
    /// `None`: none were recorded.
    pub fn of(profile: &Profile) -> Option<Self> {
        profile.places.have_paths().then(|| Builder::new(profile).build())
    }

    /// What each path has brought to its place: of grains, and of waits.
    pub fn reached(&self, profile: &Profile) -> (Vec<Reached>, Vec<Reached>) {
        let mut grains = vec![Reached::default(); self.nodes.len()];
        for (row, &node) in self.of_grain.iter().enumerate() {
            let Some(reached) = grains.get_mut(node as usize) else { continue };
            reached.count += 1;
            reached.work += profile.grains.work[row];
        }
        let mut waits = vec![Reached::default(); self.nodes.len()];
        for (wait, &node) in profile.waits.iter().zip(&self.of_wait) {
            let Some(reached) = waits.get_mut(node as usize) else { continue };
            reached.count += 1;
            reached.wait += wait.lost;
        }
        (grains, waits)
    }
}

/// Not known yet.
const PENDING: u32 = NONE - 1;
/// More paths than anybody reads: what is beyond them has no more than its own place.
const MOST_NODES: usize = 1 << 20;
/// Constructs of one recursion: a chain of tasks may be as long as the recording, and each would
/// look at all of those above it.
const MOST_IN_RECURSION: usize = 256;

struct Builder<'a> {
    profile: &'a Profile,
    nodes: Vec<Node>,
    rows: HashMap<Node, u32>,
    /// What a node below a row has become: itself, or one above with the same calls.
    folded: HashMap<Node, u32>,
    of_grain: Vec<u32>,
}

impl<'a> Builder<'a> {
    fn new(profile: &'a Profile) -> Self {
        let of_grain = vec![PENDING; profile.grains.len()];
        Self { profile, nodes: Vec::new(), rows: HashMap::new(), folded: HashMap::new(), of_grain }
    }

    fn build(mut self) -> CallPaths {
        for row in 0..self.of_grain.len() as u32 {
            self.settle(row);
        }
        let profile = self.profile;
        let mut of_wait = Vec::with_capacity(profile.waits.len());
        for (row, wait) in profile.waits.iter().enumerate() {
            let segment = profile.segment_rows.waits.get(row).copied().unwrap_or(NONE);
            let above = self.of_grain[wait.task as usize];
            // Waits create nothing: they are no part of a recursion.
            of_wait.push(self.row(Node { place: wait.place, segment, above }));
        }
        CallPaths { nodes: self.nodes, of_grain: self.of_grain, of_wait }
    }

    /// The path of a grain, after those of what it came from.
    fn settle(&mut self, grain: u32) {
        let mut open = vec![grain];
        while let Some(&row) = open.last() {
            let from = self.creator(row);
            match from.map(|from| self.of_grain[from as usize]) {
                Some(PENDING) if open.len() <= self.of_grain.len() => open.extend(from),
                above => {
                    open.pop();
                    if self.of_grain[row as usize] == PENDING {
                        let above = above.filter(|&above| above != PENDING).unwrap_or(NONE);
                        self.of_grain[row as usize] = self.path_below(row, above);
                    }
                }
            }
        }
    }

    /// The grain whose path its own goes on with.
    fn creator(&self, row: u32) -> Option<u32> {
        let grains = &self.profile.grains;
        let region = self.region_of(row);
        match (grains.kind[row as usize], region) {
            (GrainKind::Initial, _) => None,
            (GrainKind::Implicit, Some(region)) => some_row(self.profile.regions[region].parent),
            _ => some_row(grains.parent[row as usize]),
        }
    }

    fn region_of(&self, row: u32) -> Option<usize> {
        let region = self.profile.member_of.get(row as usize).copied().and_then(some_row);
        region.map(|region| region as usize)
    }

    fn path_below(&mut self, row: u32, above: u32) -> u32 {
        let profile = self.profile;
        let at = |rows: &[u32], row: usize| rows.get(row).copied().unwrap_or(NONE);
        let segments = &profile.segment_rows;
        let (place, segment) = match profile.grains.kind[row as usize] {
            GrainKind::Initial => return NONE,
            GrainKind::Task => (profile.grains.place[row as usize], at(&segments.tasks, row as usize)),
            GrainKind::Implicit => match self.region_of(row) {
                Some(region) => (profile.regions[region].place, at(&segments.regions, region)),
                None => (profile.grains.place[row as usize], NONE),
            },
            GrainKind::Chunk => {
                let info = &profile.chunks[row as usize - profile.grains.tasks];
                (profile.grains.place[row as usize], at(&segments.loops, info.loop_row as usize))
            }
        };
        self.fold(Node { place, segment, above })
    }

    /// The same calls to the same construct further out mean a recursion: that is the path.
    fn fold(&mut self, node: Node) -> u32 {
        if let Some(&known) = self.folded.get(&node) {
            return known;
        }
        let mut at = node.above;
        let is_same = |other: Node| (other.place, other.segment) == (node.place, node.segment);
        let mut looked_at = 0;
        while at != NONE && looked_at < MOST_IN_RECURSION && !is_same(self.nodes[at as usize]) {
            at = self.nodes[at as usize].above;
            looked_at += 1;
        }
        let is_known = at != NONE && looked_at < MOST_IN_RECURSION;
        let row = if is_known { at } else { self.row(node) };
        self.folded.insert(node, row);
        row
    }

    fn row(&mut self, node: Node) -> u32 {
        let node = match self.nodes.len() {
            0..MOST_NODES => node,
            _ => Node { segment: NONE, above: NONE, ..node },
        };
        let nodes = &mut self.nodes;
        *self.rows.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }
}
