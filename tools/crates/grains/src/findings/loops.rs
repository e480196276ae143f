// SPDX-License-Identifier: Apache-2.0
//! The chunks of each loop construct.

use std::collections::HashMap;

use crate::csr::Groups;
use crate::findings::subject::Subject;
use crate::tables::{ChunkRow, GrainRow, LoopInfo, LoopRow};
use crate::typical::Typical;
use crate::PlaceRow;

/// All instances of one loop construct. Times are in ns.
pub(crate) struct LoopSite {
    pub place: Option<PlaceRow>,
    /// The place of the region that it is in.
    pub region: Option<PlaceRow>,
    pub instances: Vec<LoopRow>,
    pub threads: f64,
    pub chunks: f64,
    pub iterations: f64,
    pub work: f64,
    /// Book-keeping.
    pub books: Typical,
    /// As the program gave it; 1 where it gave none.
    pub chunk: i64,
    /// One of [`trace::layout::schedule`].
    pub schedule: u8,
    /// Its iterations have an order: no schedule frees them of it.
    pub ordered: bool,
}

/// Once in a while a thread gets many chunks at once: that is no disturbance.
const RARE: f64 = 0.002;

impl LoopSite {
    /// Iterations of a chunk.
    pub fn mean(&self) -> f64 {
        self.iterations / self.chunks.max(1.0)
    }

    /// Book-keeping for one chunk.
    pub fn cost(&self) -> f64 {
        self.books.mean_without(RARE)
    }
}

/// The chunks of each loop, by row.
pub(crate) fn chunks_of(subject: &Subject) -> Groups<LoopRow, ChunkRow> {
    let profile = subject.profile;
    Groups::new(profile.loops.len(), profile.chunks.iter().map(|chunk| chunk.loop_row))
}

pub(crate) fn loop_sites(subject: &Subject, chunks: &Groups<LoopRow, ChunkRow>) -> Vec<LoopSite> {
    let profile = subject.profile;
    let grains = &profile.grains;
    let mut sites: Vec<LoopSite> = Vec::new();
    let mut rows: HashMap<Option<PlaceRow>, usize> = HashMap::new();
    for (row, info) in profile.loops.entries() {
        let at = *rows.entry(info.place).or_insert_with(|| {
            sites.push(LoopSite::new(info));
            sites.len() - 1
        });
        let site = &mut sites[at];
        site.instances.push(row);
        for &chunk in chunks.of(row) {
            let grain = grains.of_chunk(chunk);
            site.chunks += 1.0;
            site.iterations += profile.chunks[chunk].iterations as f64;
            site.work += subject.ns(grains.work.of(grain));
            site.books.add(subject.ns(grains.creation.of(grain)));
            if site.region.is_none() {
                site.region = region_place(subject, grains.parent[grain]);
            }
        }
    }
    sites
}

fn region_place(subject: &Subject, task: Option<GrainRow>) -> Option<PlaceRow> {
    let region = subject.budget.region_of.of(task).copied().flatten();
    subject.profile.regions.of(region).and_then(|region| region.place)
}

impl LoopSite {
    fn new(info: &LoopInfo) -> Self {
        Self {
            place: info.place,
            region: None,
            instances: Vec::new(),
            threads: f64::from(info.threads.max(1)),
            chunks: 0.0,
            iterations: 0.0,
            work: 0.0,
            books: Typical::default(),
            chunk: info.chunk.max(1),
            schedule: info.flags & trace::layout::schedule::MASK,
            ordered: info.flags & trace::layout::schedule::ORDERED != 0,
        }
    }
}
