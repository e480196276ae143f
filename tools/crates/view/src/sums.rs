// SPDX-License-Identifier: Apache-2.0
//! Sums over the grains of any stretch of the preorder. Because sums of blocks are kept, this takes
//! a thousandth of the time of adding the grains up.

use std::ops::Range;

use grains::{flag, GrainRow, Profile, Ticks};
use rayon::prelude::*;

use super::measures::{worse, Measures, METRICS};
use super::tree::Tree;

const BLOCK: usize = 256;

/// The sums of one grain, or of several.
#[derive(Clone, Debug)]
pub struct Sum {
    pub start: Ticks,
    pub end: Ticks,
    pub create: Ticks,
    pub work: Ticks,
    pub creation: Ticks,
    pub wait: Ticks,
    /// None: it was not counted.
    pub stall: Option<Ticks>,
    /// The union of the flags.
    pub flags: u8,
    pub count: u32,
    pub iterations: f64,
    /// The lowest benefit of a grain with low benefit; NaN: there is none.
    pub worst: f32,
    /// The worst value of each metric; NaN: not known.
    pub metrics: [f32; METRICS],
    /// The union of the problems.
    pub problems: u8,
    /// By counter; NaN: it was not counted. Empty if nothing was counted.
    pub counts: Vec<f64>,
    /// For the grains that have a benefit: their work, and the cost that the work has to outweigh.
    benefit_work: f64,
    benefit_cost: f64,
}

impl Sum {
    pub fn of(profile: &Profile, measures: &Measures, grain: GrainRow) -> Self {
        let count =
            |counter| profile.counters.of_grain(counter, grain).map_or(f64::NAN, |count| count as f64);
        let grains = &profile.grains;
        let chunk = profile.chunk(grain);
        let benefit = grains.benefit[grain];
        let (work, cost) = if benefit > 0.0 {
            let work = grains.work.of(grain).0 as f64;
            (work, work / f64::from(benefit))
        } else {
            (0.0, 0.0)
        };
        Self {
            start: grains.start.of(grain),
            end: grains.end.of(grain),
            create: grains.create(grain),
            work: grains.work.of(grain),
            creation: grains.creation.of(grain),
            wait: grains.wait.of(grain),
            stall: grains.memory_stall_of(grain),
            flags: grains.flags[grain],
            count: 1,
            iterations: chunk.map_or(0.0, |chunk| chunk.iterations as f64),
            worst: if grains.has(grain, flag::LOW_BENEFIT) { benefit } else { f32::NAN },
            metrics: measures.values(grain),
            problems: measures.problems(grain),
            counts: (0..profile.counters.names.len()).map(count).collect(),
            benefit_work: work,
            benefit_cost: cost,
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.start = self.start.min(other.start);
        self.end = self.end.max(other.end);
        self.create = self.create.min(other.create);
        self.work += other.work;
        self.creation += other.creation;
        self.wait += other.wait;
        if let Some(more) = other.stall {
            self.stall = Some(self.stall.unwrap_or(Ticks::ZERO) + more);
        }
        self.flags |= other.flags;
        self.count += other.count;
        self.iterations += other.iterations;
        self.worst = self.worst.min(other.worst); // of a number and NaN: the number
        for (metric, value) in self.metrics.iter_mut().enumerate() {
            *value = worse(metric, *value, other.metrics[metric]);
        }
        self.problems |= other.problems;
        for (sum, &more) in self.counts.iter_mut().zip(&other.counts) {
            *sum = if sum.is_nan() { more } else { *sum + if more.is_nan() { 0.0 } else { more } };
        }
        self.benefit_work += other.benefit_work;
        self.benefit_cost += other.benefit_cost;
    }

    /// Work over cost of those grains that have a benefit; NaN when none has one.
    pub fn benefit(&self) -> f32 {
        (self.benefit_work / self.benefit_cost) as f32
    }
}

/// Sums of the preorder's blocks.
pub struct Sums(Vec<Sum>);

impl Sums {
    pub fn of(profile: &Profile, measures: &Measures, tree: &Tree) -> Self {
        let sum = |block: &[GrainRow]| add_up(block.iter().map(|&grain| Sum::of(profile, measures, grain)));
        Self(tree.preorder.par_chunks(BLOCK).filter_map(sum).collect())
    }

    /// The sums of the grains at these positions of the preorder; `None`: there are none.
    pub fn range(
        &self,
        (profile, measures): (&Profile, &Measures),
        tree: &Tree,
        range: Range<u32>,
    ) -> Option<Sum> {
        let (start, end) = (range.start as usize, range.end as usize);
        let whole = start.div_ceil(BLOCK)..(end / BLOCK).max(start.div_ceil(BLOCK));
        let one = |&grain: &GrainRow| Sum::of(profile, measures, grain);
        if whole.is_empty() {
            return add_up(tree.preorder.get(start..end)?.iter().map(one));
        }
        let before = tree.preorder[start..whole.start * BLOCK].iter().map(one);
        let after = tree.preorder[whole.end * BLOCK..end].iter().map(one);
        add_up(before.chain(self.0[whole].iter().cloned()).chain(after))
    }
}

fn add_up(sums: impl Iterator<Item = Sum>) -> Option<Sum> {
    sums.reduce(|mut all, one| {
        all.add(&one);
        all
    })
}
