// SPDX-License-Identifier: Apache-2.0
//! The processors on which workers ran. The runtime checks the processor at the ends of tasks,
//! waits, chunks and sleeps, and records when a worker is on another one than at the last check.
//! Between two checks, the worker counts as on the processor of the first one.

use trace::layout::UNKNOWN_CPU;

use crate::load::{At, StreamEvents};
use crate::tables::{Fragments, Grains};
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

    /// The processor on which a fragment began. Recordings of older runtimes have only the
    /// processor on which its grain ended.
    pub fn of_fragment(&self, grains: &Grains, fragments: &Fragments, row: u32) -> Option<u16> {
        let grain = fragments.grain[row as usize];
        let known = match self.moves_of(grains.worker[grain]) {
            [] => grains.processor[grain],
            moves => {
                let start = fragments.start[row as usize];
                let after = moves.partition_point(|&(at, _)| at <= start);
                moves[after.saturating_sub(1)].1
            }
        };
        (known != UNKNOWN_CPU).then_some(known)
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
