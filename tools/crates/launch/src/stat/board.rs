// SPDX-License-Identifier: Apache-2.0
//! Reads the counters of one process, in the format that runtime/include/teff_stat.h defines. The
//! file is untrusted input, and may change while it is read.

use std::fs;
use std::path::{Path, PathBuf};

use super::bytes::Bytes;
use super::late::Late;
use super::priorities::{self, Priority};

const MAGIC: u64 = 0x3154_4154_4646_4554;
/// The versions that are read, each with the size of a worker's block.
const VERSIONS: [(u32, usize); 2] = [(3, WITHOUT_PROCESSOR), (4, LARGEST_BLOCK)];
pub const HEADER_BYTES: usize = 4096;
/// In version 3, blocks end before the times with a processor.
const WITHOUT_PROCESSOR: usize = 576;
const LARGEST_BLOCK: usize = 640;
const MOST_WORKERS: usize = 4096;
const MOST_EVENTS: usize = 8;
pub const MOST_BYTES: u64 = (HEADER_BYTES + MOST_WORKERS * (LARGEST_BLOCK + priorities::BLOCK_BYTES)) as u64;

/// By teff_stat_state and teff_stat_count: the words of the output.
pub const STATES: [&str; 6] = ["user", "dependences", "queues", "regions", "waiting", "idle"];
pub const COUNTS: [&str; 25] = [
    "tasks_created",
    "tasks_undeferred",
    "tasks_dependent",
    "tasks_run",
    "tasks_stolen",
    "tasks_cancelled",
    "tasks_run_at_once",
    "queue_takes",
    "priority_takes",
    "dependences",
    "dependences_unfulfilled",
    "waits",
    "barriers",
    "regions_led",
    "implicit_tasks",
    "parks",
    "wakes",
    "lost_steals",
    "queue_contended",
    "queue_contended_ns",
    "priority_contended",
    "priority_contended_ns",
    "contended_locks",
    "contended_locks_ns",
    "tasks_preempted",
];
/// The counters whose values are ticks.
const WAITS: [usize; 3] = [19, 21, 23];

const TASKS_RUN: usize = 3;
const IDLE: usize = 5;

const USED: u32 = 1;
const HAS_SWITCHES: u32 = 2;
const ENDED: u32 = 4;
const FILLED: u32 = 8;
const LOST: u32 = 16;
const BY_PRIORITY: u32 = 32;
const KNOWN_BEFORE: u32 = 64;
const HAS_PROCESSOR: u32 = 128;
const UNKNOWN: u32 = 256;

/// The two clocks at one moment.
#[derive(Clone, Copy)]
pub struct Instant {
    pub ticks: u64,
    pub ns: u64,
}

#[derive(Clone)]
pub struct Worker {
    pub number: usize,
    pub thread: u32,
    /// The worker has a block of priorities.
    by_priority: bool,
    /// Time in each state. Where `without_processor` is known, without that part of it.
    pub ns: [u64; STATES.len()],
    /// The time in which its threads could have run and had no processor. None: unknown.
    pub without_processor: Option<u64>,
    /// The time in which its threads had a processor. None: unknown.
    pub with_processor: Option<u64>,
    /// What the kernel says about its present thread is missing from the two times above.
    pub present: Option<Present>,
    pub counts: [u64; COUNTS.len()],
    /// Voluntary and involuntary switches. None if those of its present thread have not been
    /// requested.
    pub switches: Option<[u64; 2]>,
    /// The switches of earlier threads with the same number.
    pub former_switches: [u64; 2],
    /// In the requested order. None: not counted, or not yet.
    pub events: Vec<Option<u64>>,
}

/// A thread whose times the runtime has not asked for: the kernel's values when it began to be
/// counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Present {
    pub processor_before: u64,
    pub delay_before: u64,
}

#[derive(Clone)]
pub struct Board {
    pub process: u32,
    pub start_ns: u64,
    pub wall_ns: u64,
    /// The process has ended normally, so all fields are filled in.
    pub ended: bool,
    /// The process still runs. If it neither runs nor has `ended`, it was killed or called `_exit`.
    pub runs: bool,
    /// None: ended in order.
    pub running: Option<Running>,
    /// The workers took their times themselves.
    pub timed: bool,
    /// How late the samples of the process were (`samples`).
    pub late: Late,
    pub left_out: u32,
    pub workers: Vec<Worker>,
    /// One row for each priority, in falling order; empty if all tasks had the same priority.
    pub priorities: Vec<Priority>,
    /// For each event: the errno value of its failure.
    pub event_errors: Vec<i32>,
}

pub fn now() -> Instant {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC)
        .map_or(0, |time| time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64);
    // SAFETY: the instruction reads a counter, and nothing else.
    Instant { ticks: unsafe { core::arch::x86_64::_rdtsc() }, ns: time }
}

impl Instant {
    /// Returns the instant of `ticks` if that is later. It is computed by the rate of the clocks
    /// since `start`.
    fn no_earlier_than(self, ticks: u64, start: Instant) -> Instant {
        let (Some(more), Some(passed)) = (ticks.checked_sub(self.ticks), self.ticks.checked_sub(start.ticks))
        else {
            return self;
        };
        let ns = more as f64 * self.ns.saturating_sub(start.ns) as f64 / passed.max(1) as f64;
        Instant { ticks, ns: self.ns.saturating_add(ns as u64) }
    }
}

/// The fields of the header of a process that has not ended.
#[derive(Clone)]
pub struct Running {
    pub process: u32,
    /// The namespace in which the process has this number.
    pub namespace: u32,
    /// When it has started, as the system says; 0: unknown.
    pub started: u64,
    /// Blocks that it uses.
    pub workers: usize,
    /// The size of a block.
    pub worker_bytes: usize,
}

pub fn running(header: &[u8]) -> Option<Running> {
    let header = Bytes(header);
    let worker_bytes = worker_bytes(&header)?;
    (header.u64(48) == 0).then(|| Running {
        process: header.u32(16),
        namespace: header.u32(100),
        started: header.u64(104),
        workers: (header.u32(20) as usize).min(MOST_WORKERS),
        worker_bytes,
    })
}

/// The size of a worker's block. None: the file is no board of a known version.
fn worker_bytes(header: &Bytes) -> Option<usize> {
    let known = (header.u32(8), header.u32(12) as usize);
    (header.u64(0) == MAGIC && VERSIONS.contains(&known)).then_some(known.1)
}

/// The version of a board that this `teff` cannot read.
pub fn unknown_version(header: &[u8]) -> Option<u32> {
    let header = Bytes(header);
    (header.u64(0) == MAGIC && worker_bytes(&header).is_none()).then(|| header.u32(8))
}

/// In order, by its header.
pub fn has_ended(header: &[u8]) -> bool {
    let header = Bytes(header);
    header.u64(0) == MAGIC && header.u64(48) != 0
}

/// The files in the folder that can be boards. Other files that a program puts there are not
/// touched. None if the folder is gone.
pub fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())).map(|entry| entry.path())
}

/// What a worker does, and its thread; None: there is none.
pub fn look(block: &[u8]) -> Option<Look> {
    let block = Bytes(block);
    let there = block.u32(0) & (USED | ENDED) == USED;
    let state = Some(block.u32(8) as usize).filter(|&state| there && state < STATES.len())?;
    Some(Look { state, thread: block.u32(4), present: present(&block) })
}

/// What a worker was seen to do.
pub struct Look {
    pub state: usize,
    pub thread: u32,
    pub present: Option<Present>,
}

fn present(block: &Bytes) -> Option<Present> {
    let asked = block.u32(0) & (KNOWN_BEFORE | HAS_PROCESSOR | UNKNOWN | ENDED) == KNOWN_BEFORE;
    asked.then(|| Present {
        processor_before: block.u64(WITHOUT_PROCESSOR + 16),
        delay_before: block.u64(WITHOUT_PROCESSOR + 24),
    })
}

impl Board {
    /// None: the file is no board, or not yet. `now`: the last time at which a process that has not
    /// ended was seen.
    pub fn read(bytes: &[u8], now: Instant) -> Option<Board> {
        let header = Bytes(bytes);
        let worker_bytes = worker_bytes(&header)?;
        let start = Instant { ticks: header.u64(24), ns: header.u64(32) };
        let end = Instant { ticks: header.u64(40), ns: header.u64(48) };
        let ended = end.ns != 0;
        let blocks = bytes.get(HEADER_BYTES..)?.chunks_exact(worker_bytes);
        let blocks = blocks.take((header.u32(20) as usize).min(MOST_WORKERS));
        let until = if ended { end } else { now }.no_earlier_than(latest_change(blocks.clone()), start);
        let event_count = (header.u32(56) as usize).min(MOST_EVENTS);
        let event_errors: Vec<_> = (0..event_count).map(|at| header.u32(60 + 4 * at) as i32).collect();
        let wall_ns = until.ns.saturating_sub(start.ns);
        let tick_ns = wall_ns as f64 / until.ticks.saturating_sub(start.ticks).max(1) as f64;
        let workers: Vec<_> = blocks
            .enumerate()
            .filter_map(|(at, block)| worker(at, block, until, tick_ns, &event_errors))
            .collect();
        let counted = priorities::read(priority_blocks(bytes, &workers), tick_ns);
        let run = workers.iter().map(|worker| worker.counts[TASKS_RUN]).fold(0, u64::saturating_add);
        Some(Board {
            process: header.u32(16),
            start_ns: start.ns,
            wall_ns,
            ended,
            runs: !ended,
            running: running(bytes),
            timed: header.u32(96) != 0,
            late: Late::default(),
            left_out: header.u32(92),
            workers,
            priorities: priorities::that_matter(counted, run),
            event_errors,
        })
    }

    /// Ensures that no time is less than in an earlier sample of the process. With each sample the
    /// rate of its clock is known better, so a time that has not increased might otherwise be
    /// computed as less.
    pub fn go_on_from(&mut self, earlier: &Board) {
        self.wall_ns = self.wall_ns.max(earlier.wall_ns);
        for worker in &mut self.workers {
            let found = earlier.workers.binary_search_by_key(&worker.number, |before| before.number);
            if let Ok(at) = found {
                worker.go_on_from(&earlier.workers[at], self.wall_ns);
            }
        }
    }

    pub fn has_something(&self) -> bool {
        let of = |worker: &Worker| worker.counts.iter().sum::<u64>();
        self.ended || self.workers.iter().map(of).sum::<u64>() > 0
    }
}

impl Worker {
    /// Ensures the same for one worker, and that the worker is in only one state at a time.
    fn go_on_from(&mut self, before: &Worker, wall_ns: u64) {
        for at in WAITS {
            self.counts[at] = self.counts[at].max(before.counts[at]);
        }
        let parts = |worker: &Worker| {
            let states = worker.ns.into_iter();
            states.chain([worker.without_processor.unwrap_or(0)]).collect::<Vec<_>>()
        };
        let sum = |parts: &[u64]| parts.iter().copied().fold(0, u64::saturating_add);
        let (now, then) = (parts(self), parts(before));
        let more: Vec<_> = now.iter().zip(&then).map(|(now, then)| now.saturating_sub(*then)).collect();
        let part = (wall_ns.saturating_sub(sum(&then)) as f64 / sum(&more) as f64).min(1.0); // of 0: 1
        let next = |at: usize| then[at].saturating_add((more[at] as f64 * part) as u64);
        self.ns = std::array::from_fn(next);
        self.without_processor = self.without_processor.map(|_| next(STATES.len()));
        self.with_processor = self.with_processor.map(|ns| ns.max(before.with_processor.unwrap_or(0)));
    }

    /// Adds what the kernel says of the present thread: for how long it had a processor, and for
    /// how long it waited for one. None: nobody could ask.
    pub fn complete(&mut self, kernel: Option<[u64; 2]>) {
        let Some(present) = self.present.take() else { return };
        let add = |sum: Option<u64>, now: Option<u64>, before: u64| {
            sum.zip(now).map(|(sum, now)| sum.saturating_add(now.saturating_sub(before)))
        };
        let [had, delay] = [0, 1].map(|at| kernel.map(|kernel| kernel[at]));
        self.with_processor = add(self.with_processor, had, present.processor_before);
        self.without_processor = add(self.without_processor, delay, present.delay_before);
    }

    /// Takes the time without a processor out of the states: of each state what was seen there, and
    /// the rest of `without_processor` in proportion to the time in all states awake. What the
    /// states cannot give was not theirs.
    pub fn take_out(&mut self, seen: &[f64; STATES.len()]) {
        let Some(whole) = self.without_processor else { return };
        let seen_whole: f64 = seen.iter().sum();
        let scale = (whole as f64 / seen_whole).min(1.0); // of 0: 1
        let mut parts = seen.map(|ns| ns * scale);
        let rest = (whole as f64 - seen_whole).max(0.0);
        let awake: f64 = self.ns[..IDLE].iter().map(|&ns| ns as f64).sum();
        for (part, &ns) in parts[..IDLE].iter_mut().zip(&self.ns) {
            *part += rest * ns as f64 / awake.max(1.0);
        }
        let mut taken = 0;
        for (ns, part) in self.ns.iter_mut().zip(parts) {
            let part = (part as u64).min(*ns);
            *ns -= part;
            taken += part;
        }
        self.without_processor = Some(taken);
    }
}

/// When a worker last changed its state, in ticks. Another thread may do this while the first
/// thread ends the process, or while the file is read.
fn latest_change<'a>(blocks: impl Iterator<Item = &'a [u8]>) -> u64 {
    blocks.map(|block| Bytes(block).u64(16)).max().unwrap_or(0)
}

/// The blocks of priorities of those workers that have such a block.
fn priority_blocks<'a>(bytes: &'a [u8], workers: &'a [Worker]) -> impl Iterator<Item = &'a [u8]> {
    let header = Bytes(bytes);
    let there = header.u32(112) as usize == priorities::BLOCK_BYTES;
    let blocks = bytes.get(header.u32(116) as usize..).filter(|_| there).unwrap_or_default();
    let mut blocks = blocks.chunks_exact(priorities::BLOCK_BYTES).enumerate();
    let mut numbers = workers.iter().filter(|worker| worker.by_priority).map(|worker| worker.number);
    std::iter::from_fn(move || {
        let wanted = numbers.next()?;
        blocks.find(|&(number, _)| number == wanted).map(|(_, block)| block)
    })
}

fn worker(number: usize, block: &[u8], until: Instant, tick_ns: f64, errors: &[i32]) -> Option<Worker> {
    let block = Bytes(block);
    let flags = block.u32(0);
    if flags & USED == 0 {
        return None;
    }
    let mut ticks: [u64; STATES.len()] = std::array::from_fn(|at| block.u64(24 + 8 * at));
    if flags & ENDED == 0 && block.u64(16) != 0 {
        if let Some(current) = ticks.get_mut(block.u32(8) as usize) {
            *current = current.saturating_add(until.ticks.saturating_sub(block.u64(16)));
        }
    }
    let mut counts: [u64; COUNTS.len()] = std::array::from_fn(|at| block.u64(72 + 8 * at));
    for at in WAITS {
        counts[at] = (counts[at] as f64 * tick_ns) as u64;
    }
    let switches = [block.u64(272), block.u64(280)];
    let has_processor = flags & UNKNOWN == 0 && flags & (HAS_PROCESSOR | KNOWN_BEFORE) != 0;
    let has_events = flags & (FILLED | LOST) == FILLED;
    Some(Worker {
        number,
        thread: block.u32(4),
        by_priority: flags & BY_PRIORITY != 0,
        without_processor: has_processor.then(|| block.u64(WITHOUT_PROCESSOR + 8)),
        with_processor: has_processor.then(|| block.u64(WITHOUT_PROCESSOR)),
        present: present(&block),
        ns: ticks.map(|ticks| (ticks as f64 * tick_ns) as u64),
        counts,
        switches: (flags & HAS_SWITCHES != 0).then_some(switches),
        former_switches: if flags & HAS_SWITCHES == 0 { switches } else { [0; 2] },
        events: errors
            .iter()
            .enumerate()
            .map(|(at, &error)| (error == 0 && has_events).then(|| event(&block, at)))
            .collect(),
    })
}

/// Scaled up if the counter was shared with other events.
fn event(block: &Bytes, at: usize) -> u64 {
    let of = |field: usize| block.u64(288 + 24 * at + 8 * field);
    let (value, enabled, running) = (of(0), of(1), of(2));
    if running == 0 || running >= enabled {
        return value;
    }
    (value as f64 * enabled as f64 / running as f64) as u64
}

/// The sum of all workers; its `number` and `thread` have no meaning.
pub fn total(workers: &[Worker]) -> Option<Worker> {
    let mut sum = workers.first()?.clone();
    for worker in &workers[1..] {
        sum.ns.iter_mut().zip(worker.ns).for_each(|(sum, ns)| *sum = sum.saturating_add(ns));
        sum.counts.iter_mut().zip(worker.counts).for_each(|(sum, count)| *sum = sum.saturating_add(count));
        let add = |sum: Option<u64>, ns: Option<u64>| sum.zip(ns).map(|(a, b)| a.saturating_add(b));
        sum.without_processor = add(sum.without_processor, worker.without_processor);
        sum.with_processor = add(sum.with_processor, worker.with_processor);
        sum.switches = sum.switches.zip(worker.switches).map(|(a, b)| [a[0] + b[0], a[1] + b[1]]);
        let events = sum.events.iter().zip(&worker.events);
        sum.events = events.map(|(a, b)| a.zip(*b).map(|(a, b)| a.saturating_add(b))).collect();
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant { ticks: 3_000, ns: 2_000 };

    /// One worker, which is in its second state since tick 1,500; two ticks are a nanosecond.
    fn board(end: bool) -> Vec<u8> {
        board_of(VERSIONS[1], end)
    }

    fn board_of((version, worker_bytes): (u32, usize), end: bool) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES + worker_bytes];
        let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        put(0, MAGIC);
        put(8, u64::from(version) | (worker_bytes as u64) << 32);
        put(16, 77 + (1 << 32));
        put(24, 1_000);
        put(32, 1_000);
        if end {
            put(40, 2_000);
            put(48, 1_500);
        }
        put(96, 1);
        put(HEADER_BYTES, u64::from(USED) | 5 << 32);
        put(HEADER_BYTES + 8, 1);
        put(HEADER_BYTES + 16, 1_500);
        put(HEADER_BYTES + 24, 200);
        put(HEADER_BYTES + 72, 9);
        bytes
    }

    #[test]
    fn what_a_worker_does_counts_until_the_end() {
        let ended = Board::read(&board(true), NOW).unwrap();
        assert_eq!((ended.process, ended.wall_ns, ended.ended), (77, 500, true));
        assert_eq!(ended.workers[0].ns[..3], [100, 250, 0]);
        assert_eq!(ended.workers[0].counts[0], 9);
        let runs = Board::read(&board(false), NOW).unwrap();
        assert_eq!(runs.workers[0].ns[..3], [100, 750, 0]);
    }

    #[test]
    fn a_worker_that_goes_on_after_the_end_moves_the_end() {
        let mut bytes = board(true);
        bytes[HEADER_BYTES + 16..HEADER_BYTES + 24].copy_from_slice(&2_600u64.to_le_bytes());
        let ended = Board::read(&bytes, NOW).unwrap();
        assert_eq!(ended.wall_ns, 800);
        assert_eq!(ended.workers[0].ns[..3], [100, 0, 0]);
    }

    /// According to the later sample, the clock ticks three times in a nanosecond.
    #[test]
    fn no_time_goes_back() {
        let earlier = Board::read(&board(false), NOW).unwrap();
        let mut later = Board::read(&board(false), Instant { ticks: 4_000, ns: 2_000 }).unwrap();
        assert_eq!((later.workers[0].ns[0], later.workers[0].ns[1]), (66, 833));
        later.go_on_from(&earlier);
        assert_eq!((later.wall_ns, &later.workers[0].ns[..3]), (1_000, &[100, 833, 0][..]));
        let mut slow = Board::read(&board(false), Instant { ticks: 12_000, ns: 2_000 }).unwrap();
        slow.go_on_from(&later);
        assert_eq!(slow.workers[0].ns[..3], [100, 900, 0], "together no more than the wall time");
        let mut back = Board::read(&board(true), NOW).unwrap();
        back.go_on_from(&slow);
        assert_eq!((back.wall_ns, &back.workers[0].ns[..3]), (1_000, &[100, 900, 0][..]));
    }

    /// A worker whose former threads had a processor for 170 ns, and none for 60.
    fn delayed(flags: u32) -> Vec<u8> {
        let mut bytes = board(true);
        let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        put(HEADER_BYTES, u64::from(USED | flags) | 5 << 32);
        put(HEADER_BYTES + WITHOUT_PROCESSOR, 170);
        put(HEADER_BYTES + WITHOUT_PROCESSOR + 8, 60);
        put(HEADER_BYTES + WITHOUT_PROCESSOR + 16, 1_000);
        put(HEADER_BYTES + WITHOUT_PROCESSOR + 24, 2_000);
        bytes
    }

    #[test]
    fn a_present_thread_is_asked_for_its_times() {
        let read = |flags| Board::read(&delayed(flags), NOW).unwrap().workers.remove(0);
        let mut ended = read(KNOWN_BEFORE | HAS_PROCESSOR);
        ended.complete(None);
        assert_eq!((ended.with_processor, ended.without_processor), (Some(170), Some(60)));
        let mut present = read(KNOWN_BEFORE);
        present.complete(Some([1_005, 2_007]));
        assert_eq!((present.with_processor, present.without_processor), (Some(175), Some(67)));
        let mut unasked = read(KNOWN_BEFORE);
        unasked.complete(None);
        assert_eq!(unasked.without_processor, None);
        for flags in [0, KNOWN_BEFORE | UNKNOWN, KNOWN_BEFORE | HAS_PROCESSOR | UNKNOWN] {
            assert_eq!(read(flags).without_processor, None);
        }
    }

    #[test]
    fn time_without_a_processor_leaves_its_state() {
        let worker = |ns: [u64; 6]| {
            let mut worker =
                Board::read(&delayed(KNOWN_BEFORE | HAS_PROCESSOR), NOW).unwrap().workers.remove(0);
            worker.ns = ns;
            worker
        };
        let mut seen = worker([100, 0, 0, 0, 0, 50]);
        seen.take_out(&[40.0, 0.0, 0.0, 0.0, 0.0, 20.0]);
        assert_eq!((seen.ns, seen.without_processor), ([60, 0, 0, 0, 0, 30], Some(60)));
        let mut unseen = worker([90, 0, 30, 0, 0, 500]);
        unseen.take_out(&[0.0; 6]);
        assert_eq!((unseen.ns, unseen.without_processor), ([45, 0, 15, 0, 0, 500], Some(60)));
        let mut more = worker([10, 0, 0, 0, 0, 0]);
        more.take_out(&[600.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((more.ns[0], more.without_processor), (0, Some(10)), "the states have no more");
    }

    #[test]
    fn boards_of_version_3_have_no_times_with_a_processor() {
        let old = Board::read(&board_of(VERSIONS[0], true), NOW).unwrap();
        assert_eq!((old.workers[0].counts[0], old.workers[0].without_processor), (9, None));
        assert_eq!(running(&board_of(VERSIONS[0], false)).unwrap().worker_bytes, WITHOUT_PROCESSOR);
        let future = board_of((5, 704), true);
        assert!(Board::read(&future, NOW).is_none() && running(&future).is_none());
        assert_eq!((unknown_version(&future), unknown_version(&board(true))), (Some(5), None));
    }

    #[test]
    fn a_total_is_the_sum_of_what_is_shown() {
        let mut workers = vec![Board::read(&board(true), NOW).unwrap().workers.remove(0); 2];
        (workers[0].ns[0], workers[1].ns[0]) = (33, 34);
        assert_eq!(total(&workers).unwrap().ns[0], 67);
    }

    #[test]
    fn odd_files_are_no_boards() {
        let whole = board(true);
        for length in 0..whole.len() {
            let cut = Board::read(&whole[..length], NOW);
            assert!(cut.is_none_or(|board| board.workers.is_empty()), "{length}");
        }
        let mut wild = whole;
        wild[16..].fill(0xff);
        assert!(Board::read(&wild, NOW).is_some_and(|board| board.workers.len() == 1));
    }

    #[test]
    fn a_sum_is_unknown_where_a_part_is() {
        let mut workers = vec![Board::read(&board(true), NOW).unwrap().workers.remove(0); 2];
        workers[0].switches = Some([1, 2]);
        assert_eq!(total(&workers).unwrap().switches, None);
        assert_eq!(total(&workers).unwrap().counts[0], 18);
    }
}
