// SPDX-License-Identifier: Apache-2.0
//! Loops whose threads end at different times. The chunks are replayed with other sizes.

use std::collections::HashMap;

use trace::layout::schedule;

use crate::csr::Groups;
use crate::findings::chunks::round;
use crate::findings::loops::{chunks_of, loop_sites, LoopSite};
use crate::findings::packing::{fewest_threads, longest_first, makespan};
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::tables::{ChunkRow, LoopRow};
use crate::units::{percent, several, time};

/// A chunk of one instance: its work in ns, and its iterations.
#[derive(Clone, Copy)]
struct Piece {
    work: f64,
    iterations: u64,
}

/// The chunks of one instance in the order in which they began.
struct Instance<'a> {
    subject: &'a Subject<'a>,
    rows: Vec<ChunkRow>,
}

/// Replays of one instance, in ns.
#[derive(Default)]
struct Replays {
    /// In the order, or by the threads, that they ran in, with their book-keeping.
    as_run: f64,
    even: f64,
    sorted: f64,
    fewest: usize,
    longest: f64,
    work: f64,
}

pub(crate) fn dynamic_imbalance(subject: &Subject) -> Vec<Finding> {
    let chunks = chunks_of(subject);
    let sites = loop_sites(subject, &chunks);
    sites
        .iter()
        .filter(|site| site.chunks > 0.0 && !site.ordered)
        .filter_map(|site| of_site(subject, site, &chunks))
        .collect()
}

fn of_site(subject: &Subject, site: &LoopSite, chunks: &Groups<LoopRow, ChunkRow>) -> Option<Finding> {
    let threads = subject.at_once(site.threads) as usize;
    let instances: Vec<_> = site.instances.iter().map(|&row| Instance::of(subject, chunks.of(row))).collect();
    let mut sum = Replays::default();
    for (instance, &row) in instances.iter().zip(&site.instances) {
        let as_run = as_run(subject, site, instance.pieces(), chunks.of(row), threads);
        let one = replay(instance.pieces(), threads, site.cost(), as_run);
        sum.as_run += one.as_run;
        sum.even += one.even;
        sum.sorted += one.sorted;
        sum.work += one.work;
        sum.longest = sum.longest.max(one.longest);
        sum.fewest = sum.fewest.max(one.fewest);
    }
    if sum.as_run - sum.even < 0.01 * subject.wall {
        return None;
    }
    let per_chunk = site.iterations / site.chunks;
    let pieces: Vec<_> = instances.iter().map(Instance::pieces).collect();
    let (finer, after) = best_chunk(&pieces, threads, site.cost());
    let reorder = per_chunk < 2.0 || sum.as_run - after < 0.5 * (sum.as_run - sum.sorted);
    let is_static = site.schedule == schedule::STATIC;
    let is_sections = site.schedule == schedule::SECTIONS;
    let divide = (is_sections || reorder) && sum.as_run - sum.sorted < 0.3 * (sum.as_run - sum.even);
    let (gain, remedy, estimate) = if divide {
        (sum.as_run - sum.even, dividing(is_sections).to_owned(), "its work, evenly divided".to_owned())
    } else if is_sections {
        let remedy = "Put the longest section first.";
        (sum.as_run - sum.sorted, remedy.to_owned(), "the sections, longest first".to_owned())
    } else if reorder {
        let remedy =
            "Begin with the longest iterations (reverse the loop, or sort them), or divide the longest ones \
                      (collapse, or tasks inside).";
        (sum.as_run - sum.sorted, remedy.to_owned(), "its chunks replayed, longest first".to_owned())
    } else {
        let chunk = round(finer as f64);
        let remedy = format!("Give the loop schedule(dynamic, {chunk}).");
        (
            sum.as_run - after,
            remedy,
            format!(
                "its chunks replayed in pieces of {}, each taken when a thread is free",
                several(finer, "iteration")
            ),
        )
    };
    Some(Finding {
        rule: if is_static { "static-imbalance" } else { "dynamic-imbalance" },
        title: format!(
            "threads end the {} far apart: {} where {} would do",
            if is_sections { "sections" } else { "loop" },
            time(sum.as_run),
            time(sum.as_run - gain)
        ),
        place: site.place,
        region: site.region,
        when: None,
        lost_ns: (sum.as_run - sum.even) * threads as f64,
        gain_ns: gain,
        evidence: vec![
            format!(
                "{} on {threads} threads; the longest one takes {}, {} of it all",
                pieces_text(site, is_sections),
                time(sum.longest),
                percent(sum.longest * site.instances.len() as f64, sum.as_run)
            ),
            format!("{} would be enough for these to end as early", several(sum.fewest as u64, "thread")),
        ],
        remedy,
        estimate,
    })
}

fn dividing(is_sections: bool) -> &'static str {
    if is_sections {
        "Divide the longest section: alone it takes longer than the others on the other threads."
    } else {
        "Divide the longest iterations (collapse, a loop or tasks inside): alone they take longer than the others on the \
         other threads."
    }
}

fn pieces_text(site: &LoopSite, is_sections: bool) -> String {
    let number = site.chunks as u64;
    if is_sections {
        several(number, "section")
    } else {
        let iterations = several((site.iterations / site.chunks) as u64, "iteration");
        format!("{} of {iterations}", several(number, "chunk"))
    }
}

impl<'a> Instance<'a> {
    fn of(subject: &'a Subject, chunks: &[ChunkRow]) -> Self {
        let grains = &subject.profile.grains;
        let mut rows = chunks.to_vec();
        rows.sort_unstable_by_key(|&row| grains.start.of(grains.of_chunk(row)));
        Self { subject, rows }
    }

    fn pieces(&self) -> impl Iterator<Item = Piece> + Clone + '_ {
        let profile = self.subject.profile;
        self.rows.iter().map(|&row| {
            let work = self.subject.ns(profile.grains.work.of(profile.grains.of_chunk(row)));
            Piece { work, iterations: profile.chunks[row].iterations }
        })
    }
}

/// A static schedule says which thread has which chunk.
fn as_run(
    subject: &Subject,
    site: &LoopSite,
    pieces: impl Iterator<Item = Piece>,
    chunks: &[ChunkRow],
    threads: usize,
) -> f64 {
    if site.schedule != schedule::STATIC {
        return makespan(pieces.map(|piece| piece.work + site.cost()), threads);
    }
    let grains = &subject.profile.grains;
    let mut workers: HashMap<u16, f64> = HashMap::new();
    for &row in chunks {
        let grain = grains.of_chunk(row);
        *workers.entry(grains.worker[grain]).or_default() += subject.ns(grains.work.of(grain)) + site.cost();
    }
    workers.into_values().fold(0.0, f64::max)
}

fn replay(pieces: impl Iterator<Item = Piece> + Clone, threads: usize, cost: f64, as_run: f64) -> Replays {
    let works = pieces.map(|piece| piece.work + cost);
    let work: f64 = works.clone().sum();
    let even = (work / threads as f64).min(as_run);
    // Where little is lost the rest does not matter, and there may be many chunks.
    if as_run - even < 0.02 * as_run {
        return Replays { as_run, even, sorted: as_run, fewest: 1, longest: 0.0, work };
    }
    let works = longest_first(works.collect());
    Replays {
        as_run,
        even,
        sorted: makespan(works.iter().copied(), threads).min(as_run),
        fewest: fewest_threads(&works, work, as_run, threads),
        longest: works.first().map_or(0.0, |longest| longest.max(0.0)),
        work,
    }
}

/// The size of chunks with which the loops would end first, and after what time. Iterations of one
/// chunk count as alike.
fn best_chunk(instances: &[impl Iterator<Item = Piece> + Clone], threads: usize, cost: f64) -> (u64, f64) {
    let largest = instances.iter().cloned().flatten().map(|piece| piece.iterations).max().unwrap_or(1);
    let sizes = std::iter::successors(Some(largest.max(1)), |&size| (size > 1).then_some(size / 2));
    let after = |size: u64| -> f64 {
        let loops = instances.iter().map(|pieces| makespan(divided(pieces.clone(), size, cost), threads));
        loops.sum()
    };
    let replays = sizes.take_while(|&size| number_of(instances, size) < MOST).map(|size| (size, after(size)));
    let best = replays.reduce(|best, next| if next.1 < 0.98 * best.1 { next } else { best });
    best.unwrap_or((largest, f64::INFINITY))
}

/// No more pieces are replayed than this: a size between is near enough.
const MOST: u64 = 4_000_000;

fn number_of(instances: &[impl Iterator<Item = Piece> + Clone], size: u64) -> u64 {
    instances
        .iter()
        .cloned()
        .flatten()
        .map(|piece| piece.iterations.div_ceil(size.max(1)))
        .fold(0, u64::saturating_add)
}

fn divided(pieces: impl Iterator<Item = Piece>, size: u64, cost: f64) -> impl Iterator<Item = f64> {
    pieces.flat_map(move |piece| {
        let parts = piece.iterations.div_ceil(size).max(1);
        (0..parts).map(move |_| piece.work / parts as f64 + cost)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_last_chunk_is_divided() {
        let piece = |work| Piece { work, iterations: 100 };
        let instances = [vec![piece(1000.0), piece(1000.0), piece(4000.0)].into_iter()];
        let (size, after) = best_chunk(&instances, 2, 1.0);
        assert!(size <= 50, "{size}");
        assert!((3000.0..3300.0).contains(&after), "{after}");
    }
}
