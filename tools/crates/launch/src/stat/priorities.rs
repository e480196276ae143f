// SPDX-License-Identifier: Apache-2.0
//! The counters of a process for the tasks of each priority: teff_stat_priority in
//! runtime/include/teff_stat.h. The file is hostile input, and may change while it is read.

use std::collections::BTreeMap;

use super::bytes::Bytes;

pub const PRIORITIES: usize = 8;
const BUCKETS: usize = 512;
/// The size of a worker's block, and of the slot of one priority in it.
pub const BLOCK_BYTES: usize = PRIORITIES * SLOT_BYTES;
const SLOT_BYTES: usize = 4288;
const AWAY: usize = 72;
const TO_SWITCH: usize = 96;
const GAINED: usize = 120;
const DELAY: usize = 144;
const TURNAROUND: usize = 2216;

/// The counters for the tasks of one priority, of all workers together.
#[derive(Clone, Default)]
pub struct Priority {
    pub priority: i32,
    pub tasks: u64,
    pub preempting: u64,
    pub requests: u64,
    pub not_worth: u64,
    pub away: Times,
    pub to_switch: Times,
    pub gained: Times,
    pub delay: Lengths,
    pub turnaround: Lengths,
}

/// Durations in nanoseconds: their number, their sum, and the longest of them.
#[derive(Clone, Copy, Default)]
pub struct Times {
    pub count: u64,
    pub sum_ns: u64,
    pub max_ns: u64,
}

/// Durations, and their histogram (teff_stat_lengths).
#[derive(Clone, Default)]
pub struct Lengths {
    pub all: Times,
    tick_ns: f64,
    buckets: Vec<u64>,
}

impl Times {
    pub fn mean_ns(&self) -> u64 {
        self.sum_ns / self.count.max(1)
    }

    fn add(&mut self, block: &Bytes, at: usize, tick_ns: f64) {
        let ns = |at| (block.u64(at) as f64 * tick_ns) as u64;
        self.count = self.count.saturating_add(block.u64(at));
        self.sum_ns = self.sum_ns.saturating_add(ns(at + 8));
        self.max_ns = self.max_ns.max(ns(at + 16));
    }
}

impl Lengths {
    fn add(&mut self, block: &Bytes, at: usize, tick_ns: f64) {
        self.all.add(block, at, tick_ns);
        self.tick_ns = tick_ns;
        self.buckets.resize(BUCKETS, 0);
        for (number, bucket) in self.buckets.iter_mut().enumerate() {
            *bucket += u64::from(block.u32(at + 24 + 4 * number));
        }
    }

    /// An estimate of the duration that `percent` percent of the durations do not exceed. The
    /// durations in a bucket count as spread evenly over the bucket.
    pub fn percentile_ns(&self, percent: u64) -> u64 {
        let count: u64 = self.buckets.iter().sum();
        let rank = (count * percent).div_ceil(100).max(1);
        let mut before = 0;
        for (number, &inside) in self.buckets.iter().enumerate() {
            if before + inside >= rank {
                let (begin, end) = bounds(number);
                let part = ((rank - before) as f64 - 0.5) / inside as f64;
                let ticks = begin as f64 + (end - begin) as f64 * part;
                return ((ticks * self.tick_ns) as u64).min(self.all.max_ns);
            }
            before += inside;
        }
        0
    }
}

/// The bounds of a bucket in ticks: the shortest length in it, and the shortest beyond it.
fn bounds(number: usize) -> (u64, u64) {
    const UNIT: u64 = 64;
    const PARTS: u64 = 16;
    let number = number as u64;
    if number < PARTS {
        return (number * UNIT, (number + 1) * UNIT);
    }
    let unit = UNIT << (number / PARTS - 1);
    let begin = (PARTS + number % PARTS) * unit;
    (begin, begin + unit)
}

/// Adds up the workers' blocks. Returns one row for each priority, in falling order.
pub fn read<'a>(blocks: impl Iterator<Item = &'a [u8]>, tick_ns: f64) -> Vec<Priority> {
    let mut table = BTreeMap::new();
    for slot in blocks.flat_map(|block| block.chunks_exact(SLOT_BYTES)).map(Bytes) {
        if slot.u32(4) == 1 {
            add(&mut table, &slot, tick_ns);
        }
    }
    table.into_values().rev().collect()
}

fn add(table: &mut BTreeMap<i32, Priority>, slot: &Bytes, tick_ns: f64) {
    let priority = slot.u32(0) as i32;
    let row = table.entry(priority).or_insert_with(|| Priority { priority, ..Priority::default() });
    let counts = [&mut row.tasks, &mut row.preempting, &mut row.requests, &mut row.not_worth];
    for (at, count) in counts.into_iter().enumerate() {
        *count = count.saturating_add(slot.u64(8 + 8 * at));
    }
    row.away.add(slot, AWAY, tick_ns);
    row.to_switch.add(slot, TO_SWITCH, tick_ns);
    row.gained.add(slot, GAINED, tick_ns);
    row.delay.add(slot, DELAY, tick_ns);
    row.turnaround.add(slot, TURNAROUND, tick_ns);
}

/// Adds the tasks of priority 0 to the rows of a process that ran `tasks_run` tasks. Returns no
/// rows if all tasks had the same priority.
pub fn that_matter(mut rows: Vec<Priority>, tasks_run: u64) -> Vec<Priority> {
    let with_priority = rows.iter().map(|row| row.tasks).fold(0, u64::saturating_add);
    let others = tasks_run.saturating_sub(with_priority);
    let values = rows.iter().filter(|row| row.priority > 0 && row.tasks > 0).count();
    if values + usize::from(others > 0) < 2 {
        return Vec::new();
    }
    match rows.iter_mut().find(|row| row.priority == 0) {
        Some(row) => row.tasks = others,
        None if others > 0 => rows.push(Priority { tasks: others, ..Priority::default() }),
        None => {}
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block with one used slot: two tasks of priority 3, which waited for 640 and 65,000 ticks.
    fn block() -> Vec<u8> {
        let mut bytes = vec![0; BLOCK_BYTES];
        let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        put(0, 3 | 1 << 32);
        put(8, 2);
        put(32, 7);
        put(AWAY, 1);
        put(AWAY + 8, 100);
        put(AWAY + 16, 100);
        put(DELAY, 2);
        put(DELAY + 8, 65_640);
        put(DELAY + 16, 65_000);
        put(DELAY + 24 + 4 * 10, 1);
        put(DELAY + 24 + 4 * (6 * 16 + 15), 1); // 31 * 32 units
        bytes
    }

    #[test]
    fn buckets_are_those_of_the_writer() {
        assert_eq!(bounds(0), (0, 64));
        assert_eq!(bounds(15), (15 * 64, 16 * 64));
        assert_eq!(bounds(16), (16 * 64, 17 * 64));
        assert_eq!(bounds(32), (32 * 64, 34 * 64));
        assert_eq!(bounds(33), (34 * 64, 36 * 64));
        for number in 1..BUCKETS {
            assert_eq!(bounds(number - 1).1, bounds(number).0);
        }
    }

    #[test]
    fn workers_add_up() {
        let block = block();
        let rows = read([&block[..], &block[..]].into_iter(), 0.5);
        assert_eq!(rows.len(), 1);
        let row = &rows[0];
        assert_eq!((row.priority, row.tasks, row.not_worth), (3, 4, 14));
        assert_eq!((row.away.count, row.away.sum_ns, row.away.max_ns), (2, 100, 50));
        assert_eq!((row.delay.all.count, row.delay.all.max_ns), (4, 32_500));
        let median = row.delay.percentile_ns(50);
        assert!((320..=352).contains(&median), "{median}");
        let most = row.delay.percentile_ns(99);
        assert!((31_744..=32_500).contains(&most), "{most}");
    }

    #[test]
    fn one_priority_does_not_matter() {
        let rows = || read([&block()[..]].into_iter(), 1.0);
        assert!(that_matter(rows(), 2).is_empty());
        assert!(that_matter(Vec::new(), 9).is_empty());
        let both = that_matter(rows(), 9);
        assert_eq!(both.iter().map(|row| (row.priority, row.tasks)).collect::<Vec<_>>(), [(3, 2), (0, 7)]);
    }
}
