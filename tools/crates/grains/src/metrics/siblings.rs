// SPDX-License-Identifier: Apache-2.0
//! Siblings: the grains that belong to one construct of their parent, and the metrics that compare
//! them: load balance and scatter.
//!
//! Siblings are: the tasks of one parent that the same wait joined (or all its tasks that no wait
//! joined); the implicit tasks of one region; the chunks of one loop instance.
//!
//! *Load balance* (a ratio; grains thesis, section 5.4.2) is the length of the longest grain
//! divided by the median length of the chains. A chain is the sequence of all chunks of a loop that
//! one implicit task runs; any other grain is a chain by itself. Length means the amount of work. A
//! value much greater than 1 means that one grain is nearly as long as the whole section. All
//! siblings have the same load balance.
//!
//! *Scatter* (a distance; the same section) is the median distance of all pairs of siblings.
//! `distance.rs` defines the distance. All siblings have the same scatter; an only child has none.

use rayon::prelude::*;

use super::distance::Positions;
use super::quantiles::median;
use crate::row::number_or_none;
use crate::tables::{flag, GrainKind, GrainRow, Grains};
use crate::{Column, Profile, NONE};

pub struct Siblings {
    /// Rows of grains; those of one group stand together.
    order: Vec<GrainRow>,
}

/// Kind, parent or loop or region, wait.
type Key = (u8, u32, u32);

fn key(profile: &Profile, row: GrainRow) -> Key {
    let kind = profile.grains.kind[row];
    let (of, joined) = match kind {
        GrainKind::Task => {
            (number_or_none(profile.grains.parent[row]), number_or_none(profile.joined_by[row]))
        }
        GrainKind::Implicit => (number_or_none(profile.member_of[row]), NONE),
        GrainKind::Initial => (row.number(), NONE),
        GrainKind::Chunk => (profile.chunk(row).map_or(NONE, |chunk| chunk.loop_row.number()), NONE),
    };
    (kind as u8, of, joined)
}

impl Siblings {
    /// Those that were cancelled never ran: they are in no group.
    pub fn of(profile: &Profile) -> Self {
        let rows = profile.grains.rows();
        let mut order: Vec<GrainRow> =
            rows.filter(|&row| !profile.grains.has(row, flag::CANCELLED)).collect();
        // In a loop, the chunks of one implicit task are next to each other.
        order.par_sort_unstable_by_key(|&row| (key(profile, row), profile.grains.parent[row], row));
        Self { order }
    }

    pub fn groups<'a>(&'a self, profile: &'a Profile) -> impl Iterator<Item = &'a [GrainRow]> {
        self.order.chunk_by(|&a, &b| key(profile, a) == key(profile, b))
    }

    /// By grain row; NaN: none.
    pub fn load_balance(&self, profile: &Profile) -> Column<Grains, f32> {
        self.each(profile, |group| load_balance(profile, group))
    }

    /// By grain row; NaN: none.
    pub fn scatter(&self, profile: &Profile, positions: &Positions) -> Column<Grains, f32> {
        self.each(profile, |group| scatter(group.iter().map(|&row| positions.of[row])))
    }

    fn each(&self, profile: &Profile, of: impl Fn(&[GrainRow]) -> f64) -> Column<Grains, f32> {
        let mut out = Column::filled(f32::NAN, profile.grains.len());
        for group in self.groups(profile) {
            let value = of(group) as f32;
            for &row in group {
                out[row] = value;
            }
        }
        out
    }
}

fn load_balance(profile: &Profile, group: &[GrainRow]) -> f64 {
    let grains = &profile.grains;
    let work = |row: &GrainRow| grains.work.of(*row).0 as f64;
    let longest = group.iter().map(work).fold(0.0, f64::max);
    let parent = |row: &GrainRow| grains.parent[*row];
    let is_loop = group.first().is_some_and(|&row| grains.kind[row] == GrainKind::Chunk);
    let mut chains: Vec<f64> = if is_loop {
        group.chunk_by(|a, b| parent(a) == parent(b)).map(|run| run.iter().map(work).sum()).collect()
    } else {
        group.iter().map(work).collect()
    };
    match median(&mut chains) {
        middle if middle > 0.0 => longest / middle,
        _ => f64::NAN,
    }
}

/// By the number of grains at each distance: memory for the positions, not for the pairs.
fn scatter(positions: impl Iterator<Item = u16>) -> f64 {
    let mut positions: Vec<u16> = positions.collect();
    positions.sort_unstable();
    let counts: Vec<(u16, u64)> =
        positions.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
    let (Some(first), Some(last)) = (counts.first(), counts.last()) else { return f64::NAN };
    let mut pairs = vec![0u64; usize::from(last.0 - first.0) + 1];
    for (at, &(position, count)) in counts.iter().enumerate() {
        pairs[0] += count * (count - 1) / 2;
        for &(other, others) in &counts[at + 1..] {
            pairs[usize::from(other - position)] += count * others;
        }
    }
    let all: u64 = pairs.iter().sum();
    if all == 0 {
        return f64::NAN;
    }
    let nth = |number: u64| {
        let mut before = 0;
        let found = pairs.iter().position(|&count| {
            before += count;
            before > number
        });
        found.unwrap_or_default() as f64
    };
    f64::midpoint(nth((all - 1) / 2), nth(all / 2))
}
