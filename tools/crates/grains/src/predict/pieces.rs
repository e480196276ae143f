// SPDX-License-Identifier: Apache-2.0
//! The pieces that the threads of a team take from a loop, one after the other.
//!
//! Chunks are taken as they were recorded, in the order in which they began. If the team has
//! another size than in the recording, static and guided chunks would have other sizes. So the
//! iterations of such loops are divided again, and each iteration takes the mean time of the
//! iterations in its recorded chunk. Chunks that do more than work (create tasks, hold locks) stay
//! as they are.

use trace::layout::schedule;

use crate::predict::changed::Changed;
use crate::predict::graph::Graph;
use crate::predict::spent::Spent;
use crate::tables::{ChunkRow, GrainRow, LoopRow};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece {
    /// The grain of a recorded chunk, whose items are replayed.
    Chunk(GrainRow),
    /// Only work, and sleeps.
    Work(Spent),
}

/// If there would be more pieces than this, there is one piece for each thread instead.
const MOST_PIECES: u64 = 1 << 20;

pub(super) fn pieces(
    graph: &Graph,
    changed: &Changed,
    loop_row: LoopRow,
    team: u32,
    resized: bool,
) -> Vec<Piece> {
    pieces_by(graph, changed, loop_row, (team, resized), |chunk| graph.is_flat(chunk))
}

/// `is_flat`: whether a chunk is work alone.
pub(super) fn pieces_by(
    graph: &Graph,
    changed: &Changed,
    loop_row: LoopRow,
    (team, resized): (u32, bool),
    is_flat: impl Fn(GrainRow) -> bool,
) -> Vec<Piece> {
    if let Some(divided) = graph.divided(loop_row) {
        let work = changed.spent(divided.place, divided.spent);
        return match divided.iterations {
            Some(iterations) => {
                let line = Iterations::of([(iterations, work)].into_iter());
                line.shares(u64::from(team), 0).into_iter().map(Piece::Work).collect()
            }
            None => evenly(work, u64::from(team)),
        };
    }
    let profile = graph.profile;
    let grains = &profile.grains;
    let chunks = graph.chunks.of(loop_row);
    let info = &profile.loops[loop_row];
    let by_iteration = || {
        let mut sorted = chunks.to_vec();
        sorted.sort_by_key(|&chunk| {
            let first = i128::from(profile.chunks[chunk].first);
            if info.step < 0 {
                -first
            } else {
                first
            }
        });
        sorted
    };
    let ordered = info.flags & schedule::ORDERED != 0;
    if !chunks.iter().all(|&chunk| is_flat(grains.of_chunk(chunk))) {
        // In an ordered loop, a chunk with a later turn must not be taken first: it would wait for
        // a chunk that no thread has begun.
        let line = if ordered { by_iteration() } else { chunks.to_vec() };
        return line.into_iter().map(|chunk| Piece::Chunk(grains.of_chunk(chunk))).collect();
    }
    let work = |chunk: ChunkRow| changed.spent(info.place, graph.chunk(grains.of_chunk(chunk)));
    let kind = info.flags & schedule::MASK;
    if !resized || ordered || (kind != schedule::STATIC && kind != schedule::GUIDED) {
        let works = chunks.iter().map(|&chunk| work(chunk));
        return together(works, if ordered { 0 } else { changed.merge_below.0 });
    }
    let recorded = by_iteration().into_iter().map(|chunk| (profile.chunks[chunk].iterations, work(chunk)));
    let line = Iterations::of(recorded);
    let least = info.chunk.max(0) as u64;
    let works = match kind {
        schedule::STATIC => line.shares(u64::from(team), least),
        _ => line.guided(u64::from(team), least.max(1)),
    };
    match kind {
        schedule::STATIC => works.into_iter().map(Piece::Work).collect(),
        _ => together(works.into_iter(), changed.merge_below.0),
    }
}

/// A piece for each thread.
fn evenly(work: Spent, threads: u64) -> Vec<Piece> {
    let part = |of: u64, thread: u64| (u128::from(of) * u128::from(thread) / u128::from(threads)) as u64;
    let up_to = |thread: u64| work.map(|of| part(of, thread));
    (0..threads).map(|thread| Piece::Work(up_to(thread + 1) - up_to(thread))).collect()
}

/// Merges neighbours into pieces that work at least as long as `least`.
fn together(works: impl Iterator<Item = Spent>, least: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut open: Option<Spent> = None;
    for work in works {
        let sum = open.take().unwrap_or_default() + work;
        if sum.work < least {
            open = Some(sum);
        } else {
            pieces.push(Piece::Work(sum));
        }
    }
    pieces.extend(open.map(Piece::Work));
    pieces
}

/// The work up to each iteration, linear within a chunk.
struct Iterations {
    /// (iterations, work) up to the end of each chunk.
    ends: Vec<(u64, Spent)>,
}

impl Iterations {
    fn of(chunks: impl Iterator<Item = (u64, Spent)>) -> Self {
        let mut sum = (0u64, Spent::default());
        let ends = chunks.map(|(iterations, work)| {
            sum = (sum.0.saturating_add(iterations), sum.1 + work);
            sum
        });
        Self { ends: ends.collect() }
    }

    fn number(&self) -> u64 {
        self.ends.last().map_or(0, |end| end.0)
    }

    fn before(&self, iteration: u64) -> Spent {
        let at = self.ends.partition_point(|end| end.0 < iteration);
        let from = at.checked_sub(1).map_or((0, Spent::default()), |at| self.ends[at]);
        let Some(to) = self.ends.get(at) else { return from.1 };
        let part = (iteration - from.0) as f64 / (to.0 - from.0).max(1) as f64;
        from.1 + (to.1 - from.1).map(|ticks| (ticks as f64 * part).round() as u64)
    }

    /// The share of each of `threads` threads by schedule(static) or schedule(static, chunk).
    fn shares(&self, threads: u64, chunk: u64) -> Vec<Spent> {
        let number = self.number();
        let even = number.div_ceil(threads.max(1)).max(1);
        let size = if chunk == 0 || number / chunk.max(1) > MOST_PIECES { even } else { chunk };
        let mut shares = vec![Spent::default(); threads.max(1) as usize];
        let mut first = 0;
        for at in (0..shares.len()).cycle() {
            if first >= number {
                break;
            }
            let end = first.saturating_add(size).min(number);
            shares[at] += self.before(end) - self.before(first);
            first = end;
        }
        shares.retain(|work| work.whole() > 0);
        shares
    }

    fn guided(&self, threads: u64, least: u64) -> Vec<Spent> {
        let number = self.number();
        let (mut works, mut first) = (Vec::new(), 0);
        while first < number {
            let left = number - first;
            let size = if works.len() as u64 >= MOST_PIECES {
                left
            } else {
                left.div_ceil(threads.max(1)).max(least).min(left)
            };
            works.push(self.before(first + size) - self.before(first));
            first += size;
        }
        works
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(work: u64) -> Spent {
        Spent { work, slept: 0 }
    }

    fn works(shares: &[Spent]) -> Vec<u64> {
        shares.iter().map(|share| share.work).collect()
    }

    #[test]
    fn iterations_are_dealt_as_the_schedule_says() {
        let line = Iterations::of([(8, work(80)), (2, work(200))].into_iter());
        assert_eq!(works(&line.shares(2, 0)), [50, 230]);
        assert_eq!(works(&line.shares(2, 2)), [20 + 20 + 200, 20 + 20]);
        assert_eq!(works(&line.shares(20, 0)), [10, 10, 10, 10, 10, 10, 10, 10, 100, 100]);
        assert_eq!(works(&line.guided(2, 1)), [50, 30, 100, 100]);
        let long = Iterations::of([(10_000_000_000, work(8))].into_iter());
        assert_eq!(works(&long.shares(2, 1)), [4, 4]);
    }

    #[test]
    fn iterations_keep_their_sleeps() {
        let line = Iterations::of([(8, work(80)), (2, Spent { work: 0, slept: 300 })].into_iter());
        let shares = [work(50), Spent { work: 30, slept: 300 }];
        assert_eq!(line.shares(2, 0), shares);
        let (work, slept) = (80, 300);
        assert_eq!(evenly(Spent { work, slept }, 4), [Piece::Work(Spent { work: 20, slept: 75 }); 4]);
    }

    #[test]
    fn short_ones_go_together() {
        let all = |works: &[u64], least| together(works.iter().copied().map(work), least);
        let pieces = |works: &[u64]| works.iter().map(|&ticks| Piece::Work(work(ticks))).collect::<Vec<_>>();
        assert_eq!(all(&[1, 2, 3, 1], 3), pieces(&[3, 3, 1]));
        assert_eq!(all(&[0, 2], 0), pieces(&[0, 2]));
    }
}
