// SPDX-License-Identifier: Apache-2.0
//! What the kernel and the processor counted in each grain: the recorder's counters (COUNTER and
//! COUNTS records). Readers can add what the program itself has counted (`GrainCounts::add_to`).

use std::collections::BTreeMap;

use trace::layout::{counts, MEMORY_STALL};
use trace::{Counter, Counts, TaskId};

use crate::row::Column;
use crate::sparse::Sparse;
use crate::tables::{GrainKind, GrainRow, Grains, RegionRow};
use crate::ticks::Ticks;

/// A recorder has six. More of them in a damaged recording are left out.
const MOST: usize = 16;
/// Longer names are cut.
const LONGEST_NAME: usize = 64;

/// The values of the recording's counters. Empty if nothing was counted.
#[derive(Default)]
pub struct Counters {
    pub names: Vec<String>,
    /// By counter. `None`: the grain's worker did not count it.
    values: Vec<Column<Grains, Option<u64>>>,
    /// By counter: all that the threads counted, the runtime's part included.
    totals: Vec<u64>,
    /// How many of them the program itself has counted; the last ones.
    of_program: usize,
}

impl Counters {
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether the recorder has counted.
    pub fn are_recorded(&self) -> bool {
        self.names.len() > self.of_program
    }

    /// Adds what the program itself has counted, by grain and in no grain.
    pub(crate) fn add(&mut self, name: &str, values: Column<Grains, Option<u64>>, outside: u64) {
        let in_grains = values.iter().flatten().copied().fold(0, add);
        self.names.push(name.to_owned());
        self.values.push(values);
        self.totals.push(add(in_grains, outside));
        self.of_program += 1;
    }

    pub fn of_grain(&self, counter: usize, row: GrainRow) -> Option<u64> {
        self.values.get(counter).and_then(|column| *column.of(Some(row))?)
    }

    /// In all grains together.
    pub fn in_grains(&self, counter: usize) -> u64 {
        self.values.get(counter).map_or(0, |column| column.iter().flatten().copied().fold(0, add))
    }

    /// In no grain: in the runtime, and in grains that had not ended their fragment when the
    /// recording ended.
    pub fn outside(&self, counter: usize) -> u64 {
        self.totals.get(counter).map_or(0, |total| total.saturating_sub(self.in_grains(counter)))
    }

    /// For each key that `key_of` gives some grains: the sums of their counts, by counter.
    pub fn sums<K: Ord>(&self, grains: &Grains, key_of: impl Fn(GrainRow) -> K) -> BTreeMap<K, Vec<u64>> {
        let mut sums = BTreeMap::new();
        for row in grains.rows() {
            let sums = sums.entry(key_of(row)).or_insert_with(|| vec![0; self.names.len()]);
            for (counter, sum) in sums.iter_mut().enumerate() {
                *sum = add(*sum, self.of_grain(counter, row).unwrap_or(0));
            }
        }
        sums
    }

    /// Memory hierarchy utilisation: cycles for each cycle in which the processor waited for memory
    /// (grains thesis, chapter 4).
    pub fn memory_hierarchy(&self) -> Option<Ratio> {
        let cycles = self.find(&["cycles", "PAPI_TOT_CYC"])?;
        let stalled = self.find(&["stalled-cycles-backend", "PAPI_RES_STL"])?;
        Some(Ratio { over: cycles, under: [Some(stalled), None] })
    }

    /// Computational intensity: instructions for each access to memory outside of the stack (grains
    /// thesis, chapter 4), as the program has counted them.
    pub fn intensity(&self) -> Option<Ratio> {
        let [instructions, reads, writes] = PROGRAM.map(|name| self.find(&[name]));
        Some(Ratio { over: instructions?, under: [Some(reads?), Some(writes?)] })
    }

    fn find(&self, names: &[&str]) -> Option<usize> {
        self.names.iter().position(|name| names.contains(&&**name))
    }
}

/// What a program counts itself: instructions, and reads and writes of memory outside of the stack.
pub(crate) const PROGRAM: [&str; 3] = ["program-instructions", "program-reads", "program-writes"];

/// One counter divided by the sum of others.
#[derive(Clone, Copy)]
pub struct Ratio {
    over: usize,
    under: [Option<usize>; 2],
}

impl Ratio {
    /// From counts by counter. NaN if one is missing, or the divisor is 0.
    pub fn of(self, counts: impl Fn(usize) -> Option<u64>) -> f64 {
        let under =
            self.under.into_iter().flatten().try_fold(0, |sum, counter| Some(add(sum, counts(counter)?)));
        match (counts(self.over), under) {
            (Some(over), Some(under)) if under > 0 => over as f64 / under as f64,
            _ => f64::NAN,
        }
    }
}

fn add(a: u64, b: u64) -> u64 {
    a.saturating_add(b)
}

/// The region that each grain ran in; `None` outside of all regions.
pub(crate) fn regions_of_grains(
    grains: &Grains,
    member_of: &Sparse<Grains, Option<RegionRow>>,
) -> Column<Grains, Option<RegionRow>> {
    let mut regions = Column::filled(None, grains.len());
    let mut is_known: Column<Grains, bool> = Column::filled(false, grains.len());
    let mut path = Vec::new();
    for row in grains.rows() {
        let mut next = Some(row);
        let mut found = None;
        while let Some(at) = next.filter(|_| path.len() <= grains.len()) {
            if is_known[at] {
                found = regions[at];
                break;
            }
            path.push(at);
            if matches!(grains.kind[at], GrainKind::Implicit | GrainKind::Initial) {
                found = member_of.of(Some(at)).copied().flatten();
                break;
            }
            next = grains.parent[at];
        }
        for at in path.drain(..) {
            (regions[at], is_known[at]) = (found, true);
        }
    }
    regions
}

/// What one stream has of counts.
#[derive(Default)]
pub(crate) struct RawCounts {
    /// The position of each of its counters in `names`.
    counters: BTreeMap<u32, usize>,
    names: Vec<String>,
    of_tasks: Vec<(TaskId, usize, u64)>,
    /// Of the fragments of chunks whose CHUNK record is still to come.
    pending: Vec<(TaskId, usize, u64)>,
    /// By the chunk's start and task, in the order of its CHUNK records.
    of_chunks: Vec<((Ticks, TaskId), usize, u64)>,
    /// The latest totals of each counter.
    totals: BTreeMap<u32, u64>,
}

impl RawCounts {
    pub fn define(&mut self, counter: &Counter) {
        if counter.name == MEMORY_STALL {
            return;
        }
        let name = name_of(counter.name);
        let known = self.names.iter().position(|known| *known == name);
        if let Some(position) = known.or_else(|| (self.names.len() < MOST).then_some(self.names.len())) {
            if known.is_none() {
                self.names.push(name);
            }
            self.counters.insert(counter.counter, position);
        }
    }

    pub fn take(&mut self, counts: &Counts) {
        let has = |flag: u8| counts.flags & flag != 0;
        for (id, value) in (counts.first..=u32::MAX).zip(counts.values()) {
            let Some(&counter) = self.counters.get(&id) else { continue };
            if has(counts::THREAD) {
                self.totals.insert(id, value);
            } else if value != 0 {
                if has(counts::FRAGMENT) && has(counts::CHUNK) {
                    self.pending.push((counts.task, counter, value));
                } else if has(counts::FRAGMENT) || has(counts::TASK) {
                    self.of_tasks.push((counts.task, counter, value));
                }
            }
        }
    }

    /// A CHUNK record, which the counts of the chunk's fragments precede.
    pub fn chunk_ends(&mut self, start: Ticks, task: TaskId) {
        for (of, counter, value) in std::mem::take(&mut self.pending) {
            if of == task {
                self.of_chunks.push(((start, task), counter, value));
            } else {
                self.pending.push((of, counter, value));
            }
        }
    }

    /// Puts the chunks into the order in which `of_chunk` finds them.
    pub fn sort_chunks(&mut self) {
        self.of_chunks.sort_by_key(|count| count.0);
    }
}

/// A recorder's names have letters, digits, hyphens and underscores. Whatever else a damaged
/// recording has there cannot confuse a reader of tables.
fn name_of(bytes: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
    let plain =
        bytes.iter().take(LONGEST_NAME).map(|byte| if is_plain(byte) { char::from(*byte) } else { '_' });
    let name: String = plain.collect();
    if name.is_empty() || name == "grain" {
        return "_".to_owned();
    }
    name
}

/// Brings the counts of all streams together.
#[derive(Default)]
pub(crate) struct Gathering {
    names: Vec<String>,
    /// Which counters the worker of a stream had, by number of stream.
    had: BTreeMap<u16, u32>,
    totals: Vec<u64>,
    counts: Vec<(GrainRow, usize, u64)>,
}

impl Gathering {
    /// Adds what belongs to tasks, and puts the chunks into the order in which they are found.
    pub fn add_stream(
        &mut self,
        stream: u16,
        raw: &mut RawCounts,
        row_of: impl Fn(TaskId) -> Option<GrainRow>,
    ) {
        let positions: Vec<usize> = raw.names.iter().map(|name| self.position(name)).collect();
        let had = positions.iter().fold(0, |had, &position| had | 1 << position);
        *self.had.entry(stream).or_default() |= had;
        for (id, total) in &raw.totals {
            let position = positions[raw.counters[id]];
            self.totals[position] = add(self.totals[position], *total);
        }
        for (task, counter, value) in std::mem::take(&mut raw.of_tasks) {
            if let Some(row) = row_of(task) {
                self.counts.push((row, positions[counter], value));
            }
        }
        raw.sort_chunks();
    }

    /// Adds what belongs to a chunk, which has got its row.
    pub fn add_chunk(&mut self, raw: &RawCounts, start: Ticks, task: TaskId, row: GrainRow) {
        let key = (start, task);
        let first = raw.of_chunks.partition_point(|count| count.0 < key);
        for &(_, counter, value) in raw.of_chunks[first..].iter().take_while(|count| count.0 == key) {
            let position = self.position(&raw.names[counter]);
            self.counts.push((row, position, value));
        }
    }

    fn position(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            if self.names.len() == MOST {
                return MOST - 1;
            }
            self.names.push(name.to_owned());
            self.totals.push(0);
            self.names.len() - 1
        })
    }

    pub fn finish(self, grains: &Grains) -> Counters {
        let had = |row: GrainRow, counter: usize| {
            self.had.get(&grains.worker[row]).is_some_and(|had| had >> counter & 1 == 1)
        };
        let column = |counter| grains.rows().map(|row| had(row, counter).then_some(0)).collect();
        let mut values: Vec<Column<Grains, Option<u64>>> = (0..self.names.len()).map(column).collect();
        for (row, counter, value) in self.counts {
            let sum = values[counter][row].get_or_insert(0);
            *sum = add(*sum, value);
        }
        Counters { names: self.names, values, totals: self.totals, of_program: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: &[u64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn counts(task: u64, flags: u8, bytes: &[u8]) -> Counts<'_> {
        Counts { first: 1, task: TaskId(task), flags, bytes, ..Counts::default() }
    }

    fn defined(names: &[&str]) -> RawCounts {
        let mut raw = RawCounts::default();
        for (at, name) in names.iter().enumerate() {
            raw.define(&Counter { counter: at as u32 + 1, name: name.as_bytes() });
        }
        raw
    }

    #[test]
    fn fragments_of_a_chunk_belong_to_the_next_chunk_of_their_task() {
        let mut raw = defined(&["faults", "time"]);
        let (one, two) = (words(&[1, 10]), words(&[2, 0]));
        raw.take(&counts(7, counts::FRAGMENT | counts::CHUNK, &one));
        raw.take(&counts(8, counts::FRAGMENT | counts::CHUNK, &two));
        raw.take(&counts(7, counts::FRAGMENT, &two));
        raw.chunk_ends(Ticks(5), TaskId(7));
        assert_eq!(raw.of_chunks, [((Ticks(5), TaskId(7)), 0, 1), ((Ticks(5), TaskId(7)), 1, 10)]);
        assert_eq!(raw.pending, [(TaskId(8), 0, 2)]);
        assert_eq!(raw.of_tasks, [(TaskId(7), 0, 2)], "a zero says nothing");
    }

    #[test]
    fn undefined_counters_and_too_many_names_are_left_out() {
        let mut raw = RawCounts::default();
        raw.take(&counts(7, counts::FRAGMENT, &words(&[1])));
        assert!(raw.of_tasks.is_empty());
        let names: Vec<String> = (0..MOST + 3).map(|at| at.to_string()).collect();
        let raw = defined(&names.iter().map(|name| &**name).collect::<Vec<_>>());
        assert_eq!((raw.names.len(), raw.counters.len()), (MOST, MOST));
        let raw = defined(&["memory_stall", "faults"]);
        assert_eq!(raw.names, ["faults"], "the other has a column of its own");
        assert_eq!(defined(&["a,\"\u{e9}<", "", "grain"]).names, ["a_____", "_"]);
    }

    #[test]
    fn a_stream_has_counters_of_its_own_numbers() {
        let mut raw = defined(&["faults", "time"]);
        raw.define(&Counter { counter: 3, name: b"time" }); // of the stream's next thread
        let bytes = words(&[4, 5]);
        let (first, task, flags) = (2, TaskId(7), counts::FRAGMENT);
        raw.take(&Counts { first, task, flags, bytes: &bytes, ..Counts::default() });
        assert_eq!(raw.of_tasks, [(TaskId(7), 1, 4), (TaskId(7), 1, 5)]);
        raw.take(&Counts { first: 2, flags: counts::THREAD, bytes: &bytes, ..Counts::default() });
        let mut all = Gathering::default();
        all.add_stream(0, &mut raw, |_| None);
        assert_eq!(all.totals, [0, 9], "of both threads");
    }

    #[test]
    fn utilisation_of_the_memory_hierarchy_needs_both_counters() {
        let of = |names: &[&str]| Counters {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            ..Counters::default()
        };
        assert!(of(&["cycles", "task-clock"]).memory_hierarchy().is_none());
        let both = of(&["stalled-cycles-backend", "cycles"]).memory_hierarchy().unwrap();
        let counts = [50, 200];
        assert_eq!(both.of(|counter| Some(counts[counter])), 4.0);
        assert!(both.of(|_| Some(0)).is_nan());
        assert!(both.of(|_| None).is_nan());
    }

    #[test]
    fn intensity_needs_the_three_counters_of_a_program() {
        let of = |names: &[&str]| Counters {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            ..Counters::default()
        };
        assert!(of(&["program-instructions", "program-reads"]).intensity().is_none());
        let all =
            of(&["cycles", "program-instructions", "program-reads", "program-writes"]).intensity().unwrap();
        let counts = [7, 120, 10, 30];
        assert_eq!(all.of(|counter| Some(counts[counter])), 3.0);
        assert!(all.of(|counter| (counter != 3).then_some(1)).is_nan(), "the writes are missing");
        assert!(all.of(|_| Some(0)).is_nan());
    }
}
