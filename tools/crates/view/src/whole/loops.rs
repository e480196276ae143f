// SPDX-License-Identifier: Apache-2.0
//! Loops, chunk by chunk: the instances with the most work. If an instance has more chunks than a
//! drawing can show, chunks of neighbouring iterations are combined into one row.

use std::cmp::Reverse;

use grains::{ChunkRow, LoopInfo, Profile, Ticks};
use serde::Serialize;
use symbols::sites::Sites;
use trace::layout::schedule;

use crate::columns::Column;

const INSTANCES: usize = 32;
const ROWS: usize = 512;

#[derive(Serialize)]
pub struct Instance {
    /// Row of the model's `sites`: that of its chunks.
    site: u32,
    schedule: &'static str,
    /// The iterations per chunk that the program requests; 0: it requests none.
    chunk: i64,
    threads: u32,
    begin_ns: f64,
    iterations: f64,
    chunks: usize,
    work_ns: f64,
    /// By rising `first`.
    row: Rows,
}

#[derive(Serialize, Default)]
struct Rows {
    /// The number of iterations before its first iteration, and the number of its iterations.
    first: Column<f64>,
    iterations: Column<f64>,
    start: Column<f64>,
    end: Column<f64>,
    work: Column<f64>,
    /// The worker that did most of the work.
    worker: Column<u16>,
    /// The number of chunks that the row represents.
    count: Column<u32>,
}

/// A chunk, or several.
#[derive(Clone, Copy)]
struct Stretch {
    first: f64,
    iterations: f64,
    start: Ticks,
    end: Ticks,
    work: Ticks,
    worker: u16,
    most: Ticks,
    count: u32,
}

/// The instances, and how many are left out.
pub fn of(profile: &Profile, sites: &Sites) -> (Vec<Instance>, usize) {
    let mut chunks: Vec<ChunkRow> = profile.chunks.rows().collect();
    chunks.sort_by_key(|&chunk| profile.chunks[chunk].loop_row);
    let loop_of = |chunk: &ChunkRow| profile.chunks[*chunk].loop_row;
    let mut instances: Vec<(Ticks, &[ChunkRow])> = chunks
        .chunk_by(|one, other| loop_of(one) == loop_of(other))
        .map(|of| (of.iter().map(|&chunk| profile.grains.work.of(profile.grains.of_chunk(chunk))).sum(), of))
        .collect();
    let all = instances.len();
    instances.sort_by_key(|(work, of)| (Reverse(*work), loop_of(&of[0])));
    instances.truncate(INSTANCES);
    let shown =
        instances.into_iter().map(|(work, of)| instance(profile, sites, work, of)).collect::<Vec<_>>();
    let more = all - shown.len();
    (shown, more)
}

fn instance(profile: &Profile, sites: &Sites, work: Ticks, chunks: &[ChunkRow]) -> Instance {
    let info = &profile.loops[profile.chunks[chunks[0]].loop_row];
    let mut stretches: Vec<Stretch> = chunks.iter().map(|&chunk| stretch(profile, info, chunk)).collect();
    stretches.sort_by(|one, other| one.first.total_cmp(&other.first));
    let mut row = Rows::default();
    for stretch in merged(&stretches) {
        row.push(profile, &stretch);
    }
    Instance {
        site: sites.of_grain[profile.grains.of_chunk(chunks[0])],
        schedule: name(info.flags),
        chunk: info.chunk,
        threads: info.threads,
        begin_ns: profile.ns(info.begin),
        iterations: stretches.iter().map(|stretch| stretch.iterations).sum(),
        chunks: chunks.len(),
        work_ns: profile.ns(work),
        row,
    }
}

fn stretch(profile: &Profile, info: &LoopInfo, chunk: ChunkRow) -> Stretch {
    let row = profile.grains.of_chunk(chunk);
    let grains = &profile.grains;
    let chunk = &profile.chunks[chunk];
    Stretch {
        first: before(info, chunk.first),
        iterations: chunk.iterations as f64,
        start: grains.start.of(row),
        end: grains.end.of(row),
        work: grains.work.of(row),
        worker: grains.worker[row],
        most: grains.work.of(row),
        count: 1,
    }
}

/// The number of iterations before the iteration with this value of the loop variable.
fn before(info: &LoopInfo, first: i64) -> f64 {
    let wide = |value: i64| match info.flags & schedule::ULL {
        0 => i128::from(value),
        _ => i128::from(value as u64),
    };
    // An unsigned loop that runs down has its step as a negative number, too.
    let step = i128::from(info.step);
    let distance = wide(first) - wide(info.lb);
    if step == 0 {
        0.0
    } else {
        (distance / step) as f64
    }
}

/// Merges the chunks into at most [`ROWS`] rows with equal numbers of iterations.
fn merged(stretches: &[Stretch]) -> Vec<Stretch> {
    if stretches.len() <= ROWS {
        return stretches.to_vec();
    }
    let low = stretches[0].first;
    let high = stretches.iter().map(|stretch| stretch.first + stretch.iterations).fold(low, f64::max);
    let bin = |stretch: &Stretch| {
        let at = (stretch.first - low) / (high - low).max(1.0) * ROWS as f64;
        (at as usize).min(ROWS - 1)
    };
    stretches.chunk_by(|one, other| bin(one) == bin(other)).map(sum).collect()
}

fn sum(of: &[Stretch]) -> Stretch {
    let mut sum = of[0];
    let mut by_worker: Vec<(u16, Ticks)> = Vec::new();
    for one in of {
        sum.start = sum.start.min(one.start);
        sum.end = sum.end.max(one.end);
        match by_worker.iter_mut().find(|(worker, _)| *worker == one.worker) {
            Some((_, work)) => *work += one.work,
            None => by_worker.push((one.worker, one.work)),
        }
    }
    sum.iterations = of.iter().map(|one| one.iterations).sum();
    sum.work = of.iter().map(|one| one.work).sum();
    sum.count = of.iter().map(|one| one.count).sum();
    (sum.worker, sum.most) =
        by_worker.into_iter().max_by_key(|&(worker, work)| (work, Reverse(worker))).unwrap_or_default();
    sum
}

impl Rows {
    fn push(&mut self, profile: &Profile, stretch: &Stretch) {
        self.first.push(stretch.first);
        self.iterations.push(stretch.iterations);
        self.start.push(profile.ns(stretch.start));
        self.end.push(profile.ns(stretch.end));
        self.work.push(profile.ns(stretch.work));
        self.worker.push(stretch.worker);
        self.count.push(stretch.count);
    }
}

fn name(flags: u8) -> &'static str {
    match flags & schedule::MASK {
        schedule::STATIC => "static",
        schedule::DYNAMIC => "dynamic",
        schedule::GUIDED => "guided",
        schedule::SECTIONS => "sections",
        _ => "",
    }
}
