// SPDX-License-Identifier: Apache-2.0
//! Decodes the streams, in parallel, into one list per kind of record.

use rayon::prelude::*;
use trace::{
    Chunk, Clock, ClockPair, Create, Dep, Fulfil, Loop, LoopThread, Record, Recording, Region, RegionId, Run,
    Site, StreamFile, TaskId, Wait,
};

use crate::lost::Intervals;
use crate::ticks::Ticks;

/// A record and its instant.
#[derive(Clone, Copy)]
pub(crate) struct At<T> {
    pub at: Ticks,
    pub record: T,
}

/// A wait, and how much of it the worker lost (`lost.rs`).
#[derive(Clone, Copy)]
pub(crate) struct WaitEvent {
    pub wait: Wait,
    pub lost: Ticks,
}

pub(crate) struct OwnedModule {
    pub module: u32,
    pub bias: u64,
    pub path: Vec<u8>,
}

#[derive(Default)]
pub(crate) struct StreamEvents {
    pub stream: u16,
    pub modules: Vec<OwnedModule>,
    pub sites: Vec<Site>,
    pub creates: Vec<At<Create>>,
    pub starts: Vec<At<(TaskId, RegionId)>>,
    pub runs: Vec<At<Run>>,
    pub waits: Vec<At<WaitEvent>>,
    pub regions: Vec<At<Region>>,
    pub region_ends: Vec<At<RegionId>>,
    pub loops: Vec<At<Loop>>,
    pub chunks: Vec<At<Chunk>>,
    pub loop_threads: Vec<At<LoopThread>>,
    pub deps: Vec<Dep>,
    pub group_begins: Vec<At<TaskId>>,
    pub priorities: Vec<(TaskId, i32)>,
    pub fulfils: Vec<At<Fulfil>>,
    pub idles: Vec<At<Ticks>>,
    pub lost_records: u64,
    /// Records that are of no type or kind that the reader knows.
    pub passed_over: u64,
    /// The latest instant seen.
    pub last: Ticks,
    clock: Option<(ClockPair, ClockPair)>,
}

/// All streams of a recording, and the clock that their records' times go by. `decoded` is told the
/// bytes of each stream that is done.
pub(crate) fn load(
    recording: &Recording,
    decoded: &(dyn Fn(u64) + Sync),
) -> Result<(Vec<StreamEvents>, Clock), trace::Error> {
    let streams: Vec<_> = recording
        .streams
        .par_iter()
        .map(|file| {
            let events = StreamEvents::decode(file, recording.meta.start_ticks);
            decoded(file.bytes().len() as u64);
            events
        })
        .collect::<Result<_, _>>()?;
    let clock = clock_of(recording, &streams);
    Ok((streams, clock))
}

fn clock_of(recording: &Recording, streams: &[StreamEvents]) -> Clock {
    let meta = &recording.meta;
    let start = ClockPair { ticks: meta.start_ticks, ns: meta.start_monotonic_ns };
    let end = recording.end.as_ref().map(|end| ClockPair { ticks: end.end_ticks, ns: end.end_monotonic_ns });
    let pairs = streams.iter().filter_map(|stream| stream.clock).flat_map(|(first, last)| [first, last]);
    let pairs = || pairs.clone().chain([start]).chain(end);
    let first = pairs().min_by_key(|pair| pair.ticks).unwrap_or(start);
    let last = pairs().max_by_key(|pair| pair.ticks).unwrap_or(start);
    Clock::new(meta.start_ticks, meta.ticks_per_second, first, last)
}

impl StreamEvents {
    fn decode(file: &StreamFile, start_ticks: u64) -> Result<Self, trace::Error> {
        let mut events = Self { stream: file.number, ..Self::default() };
        let mut intervals = Intervals::default();
        let mut reader = file.reader();
        for entry in &mut reader {
            let entry = entry?;
            let at = Ticks(entry.ticks.saturating_sub(start_ticks));
            events.take(at, entry.record, &mut intervals);
        }
        intervals.sweep(|row, ticks| events.waits[row as usize].record.lost += ticks);
        events.clock = reader.clock_pairs();
        events.passed_over = reader.passed_over();
        Ok(events)
    }

    fn take(&mut self, at: Ticks, record: Record, intervals: &mut Intervals) {
        let mut until = at;
        match record {
            Record::Site(site) => self.sites.push(site),
            Record::Module(m) => {
                self.modules.push(OwnedModule { module: m.module, bias: m.bias, path: m.path.to_owned() })
            }
            Record::Create(record) => self.creates.push(At { at, record }),
            Record::Start { task, region } => self.starts.push(At { at, record: (task, region) }),
            Record::Run(record) => {
                until = at + Ticks(record.ticks);
                intervals.run(at, Ticks(record.ticks));
                self.runs.push(At { at, record });
            }
            Record::Wait(wait) => {
                until = at + Ticks(wait.ticks);
                intervals.wait(at, Ticks(wait.ticks), self.waits.len() as u32);
                self.waits.push(At { at, record: WaitEvent { wait, lost: Ticks::ZERO } });
            }
            Record::Region(record) => self.regions.push(At { at, record }),
            Record::RegionEnd { region } => self.region_ends.push(At { at, record: region }),
            Record::Loop(record) => self.loops.push(At { at, record }),
            Record::Chunk(record) => {
                until = at + Ticks(record.ticks);
                self.chunks.push(At { at, record });
            }
            Record::LoopThread(record) => self.loop_threads.push(At { at, record }),
            Record::Dep(dep) => self.deps.push(dep),
            Record::GroupBegin { task } => self.group_begins.push(At { at, record: task }),
            Record::Idle { ticks } => {
                until = at + Ticks(ticks);
                self.idles.push(At { at, record: Ticks(ticks) });
            }
            Record::Lost { records } => self.lost_records = self.lost_records.max(records),
            Record::Priority { task, priority } => self.priorities.push((task, priority)),
            Record::Fulfil(record) => self.fulfils.push(At { at, record }),
            // Nothing is made of these yet.
            Record::Steal { .. } | Record::Clock(_) => {}
            Record::Thread(_) | Record::Lock(_) | Record::Memory(_) | Record::Processor(_) => {}
            Record::Counter(_) | Record::Counts(_) | Record::Sampling(_) => {}
        }
        self.last = self.last.max(until);
    }
}
