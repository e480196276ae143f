// SPDX-License-Identifier: Apache-2.0
//! The processors on which workers ran. The runtime checks the processor at the ends of tasks,
//! waits, chunks and sleeps, and records when a worker is on another one than at the last check.
//! Between two checks, the worker counts as on the processor of the first one.

use trace::layout::UNKNOWN_CPU;

use crate::load::{At, StreamEvents};
use crate::tables::{Fragments, GrainRow, Grains};
use crate::ticks::Ticks;

#[derive(Default)]
pub struct Cores {
    /// For each stream, by number: the times of its moves and the new processors, by time.
    by_worker: Vec<Vec<(Ticks, u16)>>,
}

impl Cores {
    pub(crate) fn of(streams: &mut [StreamEvents]) -> Self {
        let mut cores = Self::default();
        for stream in streams {
            let worker = usize::from(stream.stream);
            cores.by_worker.resize_with(cores.by_worker.len().max(worker + 1), Vec::new);
            let mut moves: Vec<_> =
                std::mem::take(&mut stream.moves).into_iter().map(|At { at, record }| (at, record)).collect();
            moves.sort_by_key(|&(at, _)| at);
            // Each chunk of a stream says it again.
            moves.dedup_by_key(|&mut (_, processor)| processor);
            cores.by_worker[worker] = moves;
        }
        cores
    }

    pub(crate) fn by_worker_mut(&mut self) -> &mut [Vec<(Ticks, u16)>] {
        &mut self.by_worker
    }

    /// The processor on which a fragment began. Recordings of older runtimes have only the
    /// processor on which its grain ended.
    pub fn of_fragment(&self, grains: &Grains, fragments: &Fragments, row: u32) -> Option<u16> {
        let grain = fragments.grain[row as usize];
        let known = match self.moves_of(grains.worker[grain]) {
            [] => grains.processor[grain],
            moves => processor_at(moves, fragments.start(row)),
        };
        (known != UNKNOWN_CPU).then_some(known)
    }

    /// The processor on which a grain began.
    pub fn of_grain(&self, grains: &Grains, grain: GrainRow) -> Option<u16> {
        let known = match self.moves_of(grains.worker[grain]) {
            [] => grains.processor[grain],
            moves => processor_at(moves, grains.start.of(grain)),
        };
        (known != UNKNOWN_CPU).then_some(known)
    }

    /// The processor of a worker at an instant; `None`: the runtime has not told.
    pub(crate) fn at(&self, worker: u16, at: Ticks) -> Option<u16> {
        let moves = Some(self.moves_of(worker)).filter(|moves| !moves.is_empty())?;
        Some(processor_at(moves, at)).filter(|&processor| processor != UNKNOWN_CPU)
    }

    /// The intervals between two instants in which the worker was on this processor.
    pub(crate) fn stays(
        &self,
        worker: u16,
        processor: u16,
        begin: Ticks,
        end: Ticks,
    ) -> impl Iterator<Item = (Ticks, Ticks)> + '_ {
        let moves = self.moves_of(worker);
        let first = moves.partition_point(|&(at, _)| at <= begin).saturating_sub(1);
        let until = move |row: usize| moves.get(row + 1).map_or(end, |next| next.0.min(end));
        let stays = (first..moves.len()).map(move |row| (moves[row], until(row)));
        stays
            .take_while(move |&((at, _), _)| at < end)
            .filter(move |&((_, on), _)| on == processor)
            .map(move |((at, _), until)| (at.max(begin), until))
    }

    /// How often a worker was on another processor than before; `None`: the runtime has not told.
    pub fn moves(&self) -> Option<u64> {
        let told = self.by_worker.iter().filter(|moves| !moves.is_empty());
        told.map(|moves| moves.len() as u64 - 1).reduce(|a, b| a + b)
    }

    fn moves_of(&self, worker: u16) -> &[(Ticks, u16)] {
        self.by_worker.get(usize::from(worker)).map_or(&[], Vec::as_slice)
    }
}

/// Before the first one, the worker counts as on its first processor.
fn processor_at(moves: &[(Ticks, u16)], at: Ticks) -> u16 {
    moves[moves.partition_point(|&(since, _)| since <= at).saturating_sub(1)].1
}
