// SPDX-License-Identifier: Apache-2.0
//! The identity of a grain: its name in other runs of the same program.
//!
//! The identity is a hash of the path of creation. It combines the identity of the scope (what the
//! grain was created in), the construct (object and address in it), the grain's number among the
//! grains that the construct made in this scope, in order of creation, and the count of these
//! grains. The count separates work that is not the same: a taskloop that is divided among two
//! threads and one that is not.
//!
//! - The scope of what an implicit task creates is its region, because it is chance which thread of
//!   the team reaches a single construct. If several threads create grains at the same place, the
//!   order is that of the times of creation.
//! - Regions and instances of loops have identities of the same kind.
//! - The identity of a chunk is that of its loop instance and its first iteration.
//! - The identity of an implicit task is that of its region and its number among the members' rows.
//!
//! Two grains of one run have the same identity only by chance: among 16 million grains, with a
//! probability of 10^-5.

use rayon::prelude::*;

use crate::row::number_or_none;
use crate::tables::{GrainKind, GrainRow, LoopRow, RegionRow};
use crate::ticks::Ticks;
use crate::{Column, Place, PlaceRow, Profile, Row, NONE};

/// Hashes; equal in two runs for what is the same.
pub struct Identities {
    ids: Vec<u64>,
    grains: usize,
    regions: usize,
    names: Column<Place, u64>,
}

/// The hash for grains without a place.
const NO_NAME: u64 = 1;

impl Identities {
    /// Time: sorting the grains by their scope. Memory: 16 bytes a grain, 12 of them for as long as
    /// it takes.
    pub fn of(profile: &Profile) -> Self {
        let places = &profile.places.places;
        Self::named(profile, places.iter().map(|place| place_hash(profile, place)).collect())
    }

    /// With other names than their addresses for the places, by row: the same for what is the same
    /// construct, in this run and in others.
    pub fn named(profile: &Profile, names: Column<Place, u64>) -> Self {
        let nodes = Nodes::of(profile, &names);
        let ids = nodes.resolve(nodes.steps());
        Self { ids, grains: profile.grains.len(), regions: profile.regions.len(), names }
    }

    pub fn name(&self, place: Option<PlaceRow>) -> u64 {
        self.names.of(place).copied().unwrap_or(NO_NAME)
    }

    /// The scope in which a grain was created: for a chunk its loop, for an implicit task its
    /// region. `None`: it is an initial task, or that is not known.
    pub fn scope(&self, profile: &Profile, row: GrainRow) -> Option<u64> {
        let parent = match profile.grains.kind[row] {
            GrainKind::Initial => return None,
            GrainKind::Implicit => profile.regions.of(profile.member_of[row])?.parent,
            GrainKind::Task | GrainKind::Chunk => profile.grains.parent[row],
        };
        self.ids.get(created_in(profile, parent) as usize).copied()
    }

    pub fn grain(&self, row: GrainRow) -> u64 {
        self.ids[row.at()]
    }

    pub fn region(&self, row: RegionRow) -> u64 {
        self.ids[self.grains + row.at()]
    }

    pub fn loop_instance(&self, row: LoopRow) -> u64 {
        self.ids[self.grains + self.regions + row.at()]
    }
}

/// Grains, then regions, then loops, by one number; each with the node that it was created in.
struct Nodes<'a> {
    profile: &'a Profile,
    scope: Vec<u32>,
    names: &'a Column<Place, u64>,
}

/// The node that stands for the task: of an implicit task, its region.
fn created_in(profile: &Profile, parent: Option<GrainRow>) -> u32 {
    match profile.member_of.of(parent) {
        Some(&Some(region)) => profile.grains.len() as u32 + region.number(),
        _ => number_or_none(parent),
    }
}

impl<'a> Nodes<'a> {
    fn of(profile: &'a Profile, names: &'a Column<Place, u64>) -> Self {
        let (grains, regions) = (profile.grains.len(), profile.regions.len());
        let created_in = |parent: Option<GrainRow>| created_in(profile, parent);
        let mut scope = Vec::with_capacity(grains + regions + profile.loops.len());
        for row in profile.grains.rows() {
            scope.push(match profile.grains.kind[row] {
                GrainKind::Initial => NONE,
                GrainKind::Task => created_in(profile.grains.parent[row]),
                GrainKind::Implicit => {
                    profile.member_of[row].map_or(NONE, |region| grains as u32 + region.number())
                }
                GrainKind::Chunk => profile
                    .chunk(row)
                    .map_or(NONE, |chunk| (grains + regions) as u32 + chunk.loop_row.number()),
            });
        }
        scope.extend(profile.regions.iter().map(|region| created_in(region.parent)));
        scope.resize(scope.len() + profile.loops.len(), NONE);
        for (at, chunk) in profile.chunks.entries() {
            let met_by = profile.grains.parent[profile.grains.of_chunk(at)];
            scope[grains + regions + chunk.loop_row.at()] = created_in(met_by);
        }
        Self { profile, scope, names }
    }

    fn name(&self, node: usize) -> u64 {
        let (grains, regions) = (self.profile.grains.len(), self.profile.regions.len());
        let place = match node {
            row if row < grains => self.profile.grains.place[Row::new(row)],
            row if row < grains + regions => self.profile.regions[Row::new(row - grains)].place,
            row => self.profile.loops[Row::new(row - grains - regions)].place,
        };
        self.names.of(place).copied().unwrap_or(NO_NAME)
    }

    fn created(&self, node: usize) -> Ticks {
        let (grains, regions) = (self.profile.grains.len(), self.profile.regions.len());
        match node {
            row if row < grains => match self.profile.grains.kind[Row::new(row)] {
                GrainKind::Task => self.profile.grains.create(Row::new(row)),
                _ => Ticks::ZERO, // by row
            },
            row if row < grains + regions => self.profile.regions[Row::new(row - grains)].begin,
            row => self.profile.loops[Row::new(row - grains - regions)].begin,
        }
    }

    /// Tells the nodes of one scope apart that are counted apart.
    fn kind(&self, node: usize) -> u8 {
        let (grains, regions) = (self.profile.grains.len(), self.profile.regions.len());
        match node {
            row if row < grains => self.profile.grains.kind[Row::new(row)] as u8,
            row if row < grains + regions => 8,
            _ => 9,
        }
    }

    /// For each node: a hash of its identity within its scope.
    fn steps(&self) -> Vec<u64> {
        let group = |node: u32| {
            let at = node as usize;
            (self.scope[at], self.kind(at), self.name(at))
        };
        let mut out = vec![0; self.scope.len()];
        let is_chunk = |node: usize| self.kind(node) == GrainKind::Chunk as u8;
        let mut order: Vec<u32> =
            (0..self.scope.len() as u32).filter(|&node| !is_chunk(node as usize)).collect();
        order.par_sort_unstable_by_key(|&node| (group(node), self.created(node as usize), node));
        for members in order.chunk_by(|&a, &b| group(a) == group(b)) {
            // A team may have other numbers of threads in the two runs: its first member is known.
            let counted = self.kind(members[0] as usize) != GrainKind::Implicit as u8;
            let count = if counted { members.len() as u64 } else { 0 };
            for (number, &node) in (0..).zip(members) {
                let (_, kind, name) = group(node);
                out[node as usize] = hash(&[kind.into(), name, number, count]);
            }
        }
        for (at, chunk) in self.profile.chunks.iter().enumerate() {
            out[self.profile.grains.tasks + at] = hash(&[GrainKind::Chunk as u64, chunk.first as u64]);
        }
        out
    }

    /// Hashes each step with its scope's identity, from the roots on.
    fn resolve(&self, mut ids: Vec<u64>) -> Vec<u64> {
        let mut done = vec![false; ids.len()];
        let mut path = Vec::new();
        for node in 0..ids.len() as u32 {
            let mut at = node;
            // A circle, in a damaged recording, ends where it began.
            while at != NONE && !done[at as usize] {
                done[at as usize] = true;
                path.push(at);
                at = self.scope[at as usize];
            }
            let mut scope = if at == NONE { 0 } else { ids[at as usize] };
            while let Some(node) = path.pop() {
                scope = hash(&[scope, ids[node as usize]]);
                ids[node as usize] = scope;
            }
        }
        ids
    }
}

fn place_hash(profile: &Profile, place: &Place) -> u64 {
    let module = profile.places.modules.of(place.module);
    let name = module.and_then(|module| module.path.rsplit(|&byte| byte == b'/').next());
    let name = name.unwrap_or_default().iter().fold(0, |sum, &byte| hash(&[sum, byte.into()]));
    hash(&[name, place.call_site, place.function])
}

/// The finaliser of SplitMix64 over each word: the same in all versions, unlike the library's.
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |sum: u64, &word| {
        let mut mixed = (sum ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    })
}
