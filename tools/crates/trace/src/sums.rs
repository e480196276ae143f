// SPDX-License-Identifier: Apache-2.0
//! Sums over all records of a stream (`teff_rec_sums`). They count modulo 2^64: some are
//! differences of instants whose other half is not there yet.

use crate::layout::{run, task, u64_at};
use crate::record::Record;
use crate::ticks::Stamp;

/// The fields of `teff_rec_sums`, in their order. Times are in ticks; instants in ticks from the
/// beginning of the time-stamp counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub tasks: u64,
    pub implicit_tasks: u64,
    pub creation: u64,
    /// Of all tasks that did not run on top of their creators: from begin to end, without waits.
    pub in_tasks: u64,
    pub waits: u64,
    pub dependences: u64,
    pub loops: u64,
    pub chunks: u64,
    /// The threads' time in loops, without that in chunks.
    pub beside_chunks: u64,
    pub regions: u64,
    pub open_regions: u64,
    /// The ends of regions minus their beginnings.
    pub in_regions: u64,
    pub open_initial_tasks: u64,
    pub initial_tasks_began: u64,
    /// When the stream's first initial task began; 0: there was none.
    pub first_initial_task: u64,
    pub idle: u64,
    pub windows: u64,
    /// Off the processor, where the kernel told.
    pub off: u64,
}

impl Sums {
    const WORDS: usize = 18;
    /// With a word that is reserved.
    pub const BYTES: usize = 8 * (Self::WORDS + 1);

    /// From the fields of a record.
    pub fn read(fields: &[u8]) -> Self {
        Self::from_words(std::array::from_fn(|at| u64_at(fields, 8 * at)))
    }

    /// The fields of a record.
    pub fn to_bytes(self) -> Vec<u8> {
        let words = self.to_words();
        words.iter().chain(&[0]).flat_map(|word| word.to_le_bytes()).collect()
    }

    fn from_words(words: [u64; Self::WORDS]) -> Self {
        let [tasks, implicit_tasks, creation, in_tasks, waits, dependences, loops, chunks, beside_chunks, rest @ ..] =
            words;
        let [regions, open_regions, in_regions, open_initial_tasks, initial_tasks_began, first_initial_task, idle, windows, off] =
            rest;
        Self {
            tasks,
            implicit_tasks,
            creation,
            in_tasks,
            waits,
            dependences,
            loops,
            chunks,
            beside_chunks,
            regions,
            open_regions,
            in_regions,
            open_initial_tasks,
            initial_tasks_began,
            first_initial_task,
            idle,
            windows,
            off,
        }
    }

    fn to_words(self) -> [u64; Self::WORDS] {
        [
            self.tasks,
            self.implicit_tasks,
            self.creation,
            self.in_tasks,
            self.waits,
            self.dependences,
            self.loops,
            self.chunks,
            self.beside_chunks,
            self.regions,
            self.open_regions,
            self.in_regions,
            self.open_initial_tasks,
            self.initial_tasks_began,
            self.first_initial_task,
            self.idle,
            self.windows,
            self.off,
        ]
    }

    /// These sums and those of another stream, or of what follows.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let firsts = [self.first_initial_task, other.first_initial_task];
        let first = firsts.into_iter().filter(|&when| when != 0).min().unwrap_or(0);
        let (mut words, others) = (self.to_words(), other.to_words());
        for (word, other) in words.iter_mut().zip(others) {
            *word = word.wrapping_add(other);
        }
        Self { first_initial_task: first, ..Self::from_words(words) }
    }

    /// What remains without the stream's records before.
    #[must_use]
    pub fn minus(self, before: Self) -> Self {
        let first = self.first_initial_task;
        let (mut words, others) = (self.to_words(), before.to_words());
        for (word, other) in words.iter_mut().zip(others) {
            *word = word.wrapping_sub(other);
        }
        Self { first_initial_task: first, ..Self::from_words(words) }
    }

    /// Adds a record. `follows`: it is a part of the record before it (SHORT_TASK).
    pub fn add(&mut self, stamp: Stamp, record: &Record, follows: bool) {
        let when = stamp.0;
        let one = |sum: &mut u64| *sum = sum.wrapping_add(1);
        let add = |sum: &mut u64, ticks: u64| *sum = sum.wrapping_add(ticks);
        match *record {
            Record::Create(create) if create.flags & task::IMPLICIT != 0 => {
                one(&mut self.implicit_tasks);
                if create.parent.is_none() {
                    one(&mut self.open_initial_tasks);
                    add(&mut self.initial_tasks_began, when);
                    if self.first_initial_task == 0 {
                        self.first_initial_task = when;
                    }
                }
            }
            Record::Create(create) => {
                one(&mut self.tasks);
                add(&mut self.creation, u64::from(create.cost));
            }
            Record::Run(ran) => {
                if ran.flags & run::ON_TOP == 0 {
                    add(&mut self.in_tasks, ran.ticks);
                }
                if ran.flags & run::INITIAL != 0 {
                    self.open_initial_tasks = self.open_initial_tasks.wrapping_sub(1);
                    self.initial_tasks_began = self.initial_tasks_began.wrapping_sub(when);
                }
            }
            Record::Wait(wait) => {
                if !follows {
                    one(&mut self.waits);
                }
                self.in_tasks = self.in_tasks.wrapping_sub(wait.ticks);
            }
            Record::Dep(_) => one(&mut self.dependences),
            Record::Loop(_) => one(&mut self.loops),
            Record::Chunk(chunk) => {
                one(&mut self.chunks);
                self.beside_chunks = self.beside_chunks.wrapping_sub(chunk.ticks);
            }
            Record::LoopThread(part) => add(&mut self.beside_chunks, part.ticks),
            Record::Region(_) => {
                one(&mut self.regions);
                one(&mut self.open_regions);
                self.in_regions = self.in_regions.wrapping_sub(when);
            }
            Record::RegionEnd { .. } => {
                self.open_regions = self.open_regions.wrapping_sub(1);
                add(&mut self.in_regions, when);
            }
            Record::Idle { ticks, .. } => add(&mut self.idle, ticks),
            Record::Off { ticks, .. } => add(&mut self.off, ticks),
            Record::Window(_) => one(&mut self.windows),
            _ => {}
        }
    }
}
