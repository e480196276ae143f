// SPDX-License-Identifier: Apache-2.0
//! Gives every task, chunk, region and loop its row and brings the records about it together.

use trace::layout::{doacross, fulfil, run, task, UNKNOWN_CPU};
use trace::{Clock, Create, Run, ShareMark, TaskId};

use crate::cores::Cores;
use crate::costs::Costs;
use crate::counters::{Counters, Gathering};
use crate::descheduled::{self, concerns, Slow, Start};
use crate::device_copies;
use crate::hits::Samples;
use crate::index::{order_by_id, Index};
use crate::load::{At, OnDevice, StreamEvents};
use crate::places::{Places, SegmentRows};
use crate::row::{Column, Row};
use crate::shared_processors::Prepared;
use crate::sparse::Sparse;
use crate::switches::Switches;
use crate::tables::{
    flag, CallInfo, ChunkInfo, Descheduled, DeviceInfo, DoacrossInfo, FulfilInfo, GrainKind, GrainRow,
    Grains, Idle, LockInfo, LoopInfo, LoopRow, RecorderTime, RegionInfo, RegionRow, RequestInfo, Strays,
    WaitInfo, WaitRow,
};
use crate::ticks::{Ticks, MOST_SKEW};
use crate::wakes;

/// Instant that stands for "not known".
pub(crate) const UNKNOWN: Ticks = Ticks(u64::MAX);

pub(crate) struct Assembled {
    /// Work, wait, benefit and end of unfinished grains come later.
    pub grains: Grains,
    pub chunks: Column<ChunkInfo>,
    pub loops: Column<LoopInfo>,
    pub regions: Column<RegionInfo>,
    /// The region that each implicit task belongs to, by task row.
    pub member_of: Sparse<Grains, Option<RegionRow>>,
    pub waits: Column<WaitInfo>,
    /// The waits at barriers, and the number of the barrier within the region.
    barriers: Vec<(WaitRow, u32)>,
    /// Where taskgroups begin: the task that opens one, and when.
    pub group_begins: Vec<(GrainRow, Ticks)>,
    /// Where implicit tasks asked for the size of their team.
    pub team_sizes: Vec<(GrainRow, Ticks, ShareMark)>,
    /// (predecessor, successor) rows.
    pub edges: Vec<(GrainRow, GrainRow)>,
    pub edge_addresses: Vec<u64>,
    /// Which children tasks waited for in taskwaits with depend clauses: the task, when, the child.
    /// In that order.
    pub wait_deps: Vec<(GrainRow, Ticks, GrainRow)>,
    pub idles: Vec<Idle>,
    pub cores: Cores,
    pub fulfils: Column<FulfilInfo>,
    pub requests: Vec<RequestInfo>,
    pub device_constructs: Vec<DeviceInfo>,
    pub locks: Vec<LockInfo>,
    pub doacross: Column<DoacrossInfo>,
    /// Found when tasks are cut.
    pub calls: Column<CallInfo>,
    /// The recorder's work while a task ran: which one, when, for how long.
    pub stalls: Vec<(GrainRow, Ticks, Ticks)>,
    pub recorder: RecorderTime,
    pub descheduled: Descheduled,
    /// By number of stream.
    pub slow: Vec<Vec<Slow>>,
    /// The same, where the kernel has told when the threads were off their processors.
    pub switches: Vec<Switches>,
    /// When threads of the recorder's prepared its files, and where.
    pub prepared: Vec<Prepared>,
    pub samples: Samples,
    pub costs: Costs,
    pub counters: Counters,
    pub places: Places,
    pub segments: SegmentRows,
    pub strays: Strays,
    pub task_rows: Index<Grains>,
}

/// `last` is the end of the recording, where what is unfinished was going on. `None`: that is not
/// known, because a part is missing or the recording has several parts.
pub(crate) fn assemble(
    mut streams: Vec<StreamEvents>,
    last: Option<Ticks>,
    clock: &Clock,
    costs: Costs,
    start: Start,
) -> Assembled {
    let mut strays = Strays::default();
    let places = Places::collect(&mut streams);
    let samples =
        Samples::of(streams.iter_mut().map(|stream| (stream.stream, std::mem::take(&mut stream.hits))));
    let index = Indices::new(&mut streams, &mut strays);
    let mut rows = Assembled {
        grains: Grains::default(),
        chunks: Column::default(),
        loops: Column::default(),
        regions: Column::default(),
        member_of: Sparse::default(),
        waits: Column::default(),
        barriers: Vec::new(),
        group_begins: Vec::new(),
        team_sizes: Vec::new(),
        edges: Vec::new(),
        edge_addresses: Vec::new(),
        wait_deps: Vec::new(),
        idles: Vec::new(),
        cores: Cores::default(),
        fulfils: Column::default(),
        requests: Vec::new(),
        device_constructs: Vec::new(),
        locks: Vec::new(),
        doacross: Column::default(),
        calls: Column::default(),
        stalls: Vec::new(),
        recorder: RecorderTime::default(),
        descheduled: Descheduled::default(),
        slow: Vec::new(),
        switches: Vec::new(),
        prepared: Vec::new(),
        samples,
        costs,
        counters: Counters::default(),
        places,
        segments: SegmentRows::default(),
        strays,
        task_rows: Index::default(),
    };
    for stream in &mut streams {
        rows.add_creates(stream, &index);
        rows.add_regions(stream, &index);
        rows.add_loops(stream);
        rows.add_idles(stream);
    }
    rows.grains.tasks = rows.grains.len();
    rows.member_of = Sparse::filled(None, rows.grains.tasks);
    for stream in &mut streams {
        rows.add_region_ends(stream, &index);
        rows.add_starts(stream, &index);
        rows.add_runs(stream, &index);
        rows.add_waits(stream, &index);
        rows.add_edges(stream, &index);
        rows.add_group_begins(stream, &index);
        rows.add_team_sizes(stream, &index);
        rows.add_priorities(stream, &index);
        rows.add_memory_stalls(stream, &index);
        rows.add_fulfils(stream, &index);
        rows.add_requests(stream, &index);
        rows.add_device_constructs(stream, &index, clock);
        rows.add_locks(stream, &index);
        rows.add_doacross(stream, &index);
        rows.add_own_time(stream, &index, clock);
    }
    wakes::tell(&mut rows.idles, &streams);
    rows.cores = Cores::of(&mut streams);
    rows.begin_at_start(&streams, clock, start);
    let mut counts = Gathering::default();
    for stream in &mut streams {
        counts.add_stream(stream.stream, &mut stream.counts, |task| index.tasks.row(task.0));
        rows.add_chunks(stream, &index, &mut counts);
    }
    rows.counters = counts.finish(&rows.grains);
    rows.order_barriers();
    rows.end_regions(last);
    rows.locks.sort_by_key(|hold| (hold.key(), hold.had));
    rows.device_constructs.sort_by_key(|construct| (construct.device, construct.had));
    device_copies::pair(&mut rows.device_constructs);
    rows.wait_deps.sort_unstable();
    rows.task_rows = index.tasks;
    rows
}

struct Indices {
    tasks: Index<Grains>,
    regions: Index<RegionInfo>,
    loops: Index<LoopInfo>,
}

impl Indices {
    fn new(streams: &mut [StreamEvents], strays: &mut Strays) -> Self {
        let mut this = Self { tasks: Index::default(), regions: Index::default(), loops: Index::default() };
        for s in streams {
            let number = s.stream;
            add(&mut this.tasks, number, &mut s.creates, |e| e.record.task.0, strays);
            add(&mut this.regions, number, &mut s.regions, |e| e.record.region.0, strays);
            add(&mut this.loops, number, &mut s.loops, |e| e.record.id.0, strays);
        }
        this
    }
}

/// Orders the definitions of one stream, drops those it has no right to make, and gives them rows.
fn add<T, E>(
    index: &mut Index<T>,
    stream: u16,
    items: &mut Vec<E>,
    id: impl Fn(&E) -> u64,
    strays: &mut Strays,
) {
    let before = items.len();
    items.retain(|item| (id(item) >> 48) as u16 == stream);
    strays.unknown += (before - items.len()) as u64;
    strays.repeated += order_by_id(items, &id) as u64;
    let ids: Vec<u64> = items.iter().map(id).collect();
    index.add_stream(stream, &ids);
}

/// Hands the items over in order, and gives their memory back meanwhile: beside many of them, their
/// rows are made.
fn consume<T>(mut items: Vec<T>, mut each: impl FnMut(T)) {
    const SLICE: usize = 1 << 20;
    items.reverse();
    while let Some(item) = items.pop() {
        each(item);
        if items.len() % SLICE == 0 {
            items.shrink_to_fit();
        }
    }
}

fn grain_kind(create: &Create) -> GrainKind {
    match (create.flags & task::IMPLICIT != 0, create.parent.is_none()) {
        (false, _) => GrainKind::Task,
        (true, true) => GrainKind::Initial,
        (true, false) => GrainKind::Implicit,
    }
}

impl Assembled {
    fn add_creates(&mut self, stream: &mut StreamEvents, index: &Indices) {
        let grains = &mut self.grains;
        consume(std::mem::take(&mut stream.creates), |At { at, record }| {
            let kind = grain_kind(&record);
            let parent = index.tasks.row(record.parent.0);
            if parent.is_none() && !record.parent.is_none() {
                self.strays.unknown += 1;
            }
            let inline = record.flags & (task::UNDEFERRED | task::INCLUDED) != 0;
            let cost = if kind == GrainKind::Task { u64::from(record.cost) } else { 0 };
            grains.kind.push(kind);
            grains.parent.push(parent);
            grains.place.push(self.places.of(stream.stream, record.site));
            SegmentRows::note(&mut self.segments.tasks, &self.places, stream.stream, record.site);
            grains.created.push(at);
            grains.start.push(UNKNOWN);
            grains.end.push(UNKNOWN);
            grains.creation.push(Ticks(cost));
            grains.worker.push(stream.stream);
            grains.processor.push(UNKNOWN_CPU);
            grains.flags.push(flag::UNFINISHED | if inline { flag::INLINE } else { 0 });
        });
    }

    fn add_regions(&mut self, stream: &mut StreamEvents, index: &Indices) {
        for At { at, record } in &stream.regions {
            SegmentRows::note(&mut self.segments.regions, &self.places, stream.stream, record.site);
            self.regions.push(RegionInfo {
                parent: index.tasks.row(record.parent.0),
                place: self.places.of(stream.stream, record.site),
                begin: *at,
                end: UNKNOWN,
                threads: record.threads,
                requested: record.requested,
                level: record.level,
            });
        }
    }

    fn add_loops(&mut self, stream: &StreamEvents) {
        for At { at, record } in &stream.loops {
            SegmentRows::note(&mut self.segments.loops, &self.places, stream.stream, record.site);
            self.loops.push(LoopInfo {
                place: self.places.of(stream.stream, record.site),
                begin: *at,
                flags: record.flags,
                threads: record.threads,
                lb: record.lb,
                ub: record.ub,
                step: record.step,
                chunk: record.chunk,
            });
        }
    }

    fn add_idles(&mut self, stream: &StreamEvents) {
        let worker = stream.stream;
        let idles = stream.idles.iter().map(|idle| Idle {
            worker,
            start: idle.at,
            end: idle.at + idle.record.0,
            woken: None,
        });
        self.idles.extend(idles);
    }

    /// The row, or one more stray.
    fn known<T>(strays: &mut Strays, row: Option<Row<T>>) -> Option<Row<T>> {
        strays.unknown += u64::from(row.is_none());
        row
    }

    fn add_region_ends(&mut self, stream: &StreamEvents, index: &Indices) {
        for At { at, record } in &stream.region_ends {
            if let Some(row) = Self::known(&mut self.strays, index.regions.row(record.0)) {
                self.regions[row].end = *at;
            }
        }
    }

    /// A region whose end is not recorded had not finished; or, where records are lost, it ends
    /// with what is recorded of its members.
    fn end_regions(&mut self, unfinished: Option<Ticks>) {
        let is_open: Vec<bool> = self.regions.iter().map(|region| region.end == UNKNOWN).collect();
        for (region, _) in self.regions.iter_mut().zip(&is_open).filter(|open| *open.1) {
            region.end = unfinished.unwrap_or(region.begin);
        }
        if unfinished.is_some() {
            return;
        }
        let (grains, regions) = (&self.grains, &mut self.regions);
        let mut reaches = |task: GrainRow, at: Ticks| {
            let region = self.member_of.of(Some(task)).copied().flatten();
            if let Some(region) = region.filter(|region| at != UNKNOWN && is_open[region.at()]) {
                regions[region].end = at.max(regions[region].end);
            }
        };
        for row in grains.rows() {
            let Some(task) = grains.task_of(row) else { continue };
            reaches(task, grains.start.of(row));
            reaches(task, grains.end.of(row));
        }
        self.waits.iter().for_each(|wait| reaches(wait.task, wait.end));
    }

    fn add_starts(&mut self, stream: &StreamEvents, index: &Indices) {
        for &At { at, record: (id, region) } in &stream.starts {
            let Some(row) = Self::known(&mut self.strays, index.tasks.row(id.0)) else { continue };
            if self.grains.start.of(row) == UNKNOWN {
                self.grains.start.set(row, at);
                self.grains.worker[row] = stream.stream;
            }
            self.join_team(row, region.0, index);
        }
    }

    fn add_runs(&mut self, stream: &mut StreamEvents, index: &Indices) {
        consume(std::mem::take(&mut stream.runs), |At { at, record }| {
            let Some(row) = Self::known(&mut self.strays, index.tasks.row(record.task.0)) else { return };
            self.grains.start.set(row, at);
            self.grains.end.set(row, at + Ticks(record.ticks));
            self.grains.worker[row] = stream.stream;
            self.grains.processor[row] = record.cpu;
            let flags = &mut self.grains.flags[row];
            *flags = *flags & !flag::UNFINISHED | run_flags(&record);
            self.join_team(row, record.region.0, index);
        });
    }

    /// The first thread ran before it met its first construct, where its record begins: its initial
    /// task begins with the recording.
    fn begin_at_start(&mut self, streams: &[StreamEvents], clock: &Clock, start: Start) {
        let grains = &mut self.grains;
        let initial = grains.task_rows().filter(|&row| grains.kind[row] == GrainKind::Initial);
        let Some(first) = initial.min_by_key(|&row| grains.create(row)) else { return };
        grains.created.set(first, start.began);
        let recorded = grains.start.of(first);
        grains.start.set(first, start.began);
        // The recorder began before that record, and the task stood still meanwhile.
        let worker = grains.worker[first];
        let (before, apart): (Vec<_>, Vec<_>) = std::mem::take(&mut self.recorder.apart)
            .into_iter()
            .partition(|apart| apart.worker == worker && apart.begin < recorded);
        self.recorder.apart = apart;
        self.stalls.extend(before.iter().map(|apart| (first, apart.begin, apart.ticks)));
        self.recorder.before = before.iter().map(|apart| (apart.begin, apart.end())).collect();
        let met = self.recorder.before.iter().map(|stall| stall.0).fold(recorded, Ticks::min);
        let stream = streams.iter().find(|stream| stream.stream == worker);
        let sample = stream.and_then(|stream| stream.samples.first());
        if let Some(sample) = sample {
            let met = start.met(sample, clock).map_or(met, |known| known.max(met));
            let slow = &mut self.slow[usize::from(worker)];
            slow.retain(|slow| !slow.is_until(sample.at));
            slow.splice(..0, descheduled::at_first(sample, met, clock, start));
        }
    }

    fn join_team(&mut self, row: GrainRow, region: u64, index: &Indices) {
        if self.grains.kind[row] == GrainKind::Implicit {
            self.member_of.set(row, index.regions.row(region));
        }
    }

    fn add_waits(&mut self, stream: &mut StreamEvents, index: &Indices) {
        let mut rows = Vec::with_capacity(stream.waits.len());
        consume(std::mem::take(&mut stream.waits), |At { at, record: event }| {
            let wait = event.wait;
            let task = Self::known(&mut self.strays, index.tasks.row(wait.task.0));
            let Some(task) = task else { return rows.push(None) };
            SegmentRows::note(&mut self.segments.waits, &self.places, stream.stream, wait.site);
            let row = self.waits.add(WaitInfo {
                task,
                place: self.places.of(stream.stream, wait.site),
                begin: at,
                end: at + Ticks(wait.ticks),
                lost: event.lost,
                kind: wait.kind,
                departures: wait.departures,
                worker: stream.stream,
            });
            if wait.kind.is_barrier() {
                self.barriers.push((row, wait.barrier));
            }
            rows.push(Some(row));
        });
        let stalls = std::mem::take(&mut stream.stalls_in_waits).into_iter();
        let stalls = stalls.filter_map(|(wait, at, ticks)| Some((rows[wait as usize]?, at, ticks)));
        self.recorder.in_waits.extend(stalls);
    }

    /// The processors' clocks may be some ticks apart: a thread leaves a barrier when all have
    /// arrived. If a thread leaves long before, the region was cancelled, or the recording is
    /// damaged.
    fn order_barriers(&mut self) {
        let waits = std::mem::take(&mut self.barriers).into_iter();
        let region = |row: WaitRow| self.member_of[self.waits[row].task];
        let mut barriers: Vec<_> = waits
            .filter(|&(_, ordinal)| ordinal != 0)
            .filter_map(|(row, ordinal)| Some((region(row)?, ordinal, row)))
            .collect();
        barriers.sort_unstable();
        for members in barriers.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let begins = members.iter().map(|member| self.waits[member.2].begin);
            let last = begins.max().unwrap_or_default();
            for &(.., row) in members {
                let end = &mut self.waits[row].end;
                if *end < last && last - *end < MOST_SKEW {
                    *end = last;
                }
            }
        }
    }

    fn add_edges(&mut self, stream: &StreamEvents, index: &Indices) {
        for At { at, record: dep } in &stream.deps {
            let rows = index.tasks.row(dep.predecessor.0).zip(index.tasks.row(dep.successor.0));
            match rows {
                Some((predecessor, task)) if dep.of_wait => {
                    self.wait_deps.push((task, *at, predecessor));
                }
                Some((from, to)) if self.are_sibling_tasks(from, to) => {
                    self.edges.push((from, to));
                    self.edge_addresses.push(dep.address);
                }
                Some(_) => {}
                None => self.strays.unknown += 1,
            }
        }
    }

    /// Early recordings name the waiting parent as the successor of what a wait with dependences
    /// waits for; damaged ones name implicit tasks, which depend on nothing.
    fn are_sibling_tasks(&self, a: GrainRow, b: GrainRow) -> bool {
        let grains = &self.grains;
        let is_task = |row: GrainRow| grains.kind[row] == GrainKind::Task;
        is_task(a) && is_task(b) && grains.parent[a] == grains.parent[b]
    }

    fn add_group_begins(&mut self, stream: &StreamEvents, index: &Indices) {
        for At { at, record } in &stream.group_begins {
            if let Some(row) = Self::known(&mut self.strays, index.tasks.row(record.0)) {
                self.group_begins.push((row, *at));
            }
        }
    }

    fn add_team_sizes(&mut self, stream: &StreamEvents, index: &Indices) {
        for At { at, record } in &stream.team_sizes {
            if let Some(row) = Self::known(&mut self.strays, index.tasks.row(record.0 .0)) {
                self.team_sizes.push((row, *at, record.1));
            }
        }
    }

    fn add_priorities(&mut self, stream: &StreamEvents, index: &Indices) {
        for &(task, priority) in &stream.priorities {
            if let Some(row) = Self::known(&mut self.strays, index.tasks.row(task.0)) {
                self.grains.priority.resize(self.grains.tasks, 0);
                self.grains.priority[row] = priority;
            }
        }
    }

    fn add_memory_stalls(&mut self, stream: &StreamEvents, index: &Indices) {
        for &(task, ticks) in &stream.memory_stalls {
            if let Some(row) = Self::known(&mut self.strays, index.tasks.row(task.0)) {
                self.grains.memory_stall.resize(self.grains.tasks, None);
                *self.grains.memory_stall[row].get_or_insert(Ticks::ZERO) += ticks;
            }
        }
    }

    fn add_fulfils(&mut self, stream: &StreamEvents, index: &Indices) {
        for (event, by) in stream.fulfils.iter().zip(&stream.fulfilled_by) {
            if let Some(row) = Self::known(&mut self.strays, index.tasks.row(event.record.task.0)) {
                self.fulfils.push(FulfilInfo {
                    task: row,
                    when: event.at,
                    took: Ticks(event.record.ticks),
                    by: index.tasks.row(by.0),
                    late: event.record.flags & fulfil::LATE != 0,
                });
            }
        }
    }

    fn add_requests(&mut self, stream: &StreamEvents, index: &Indices) {
        for &At { at, record } in &stream.requests {
            self.requests.push(RequestInfo {
                task: index.tasks.row(record.task.0),
                asked: at,
                looked: at + Ticks(record.ticks),
                is_time_known: record.ticks != 0,
                priority: record.priority,
                end: record.end,
            });
        }
    }

    fn add_device_constructs(&mut self, stream: &StreamEvents, index: &Indices, clock: &Clock) {
        for &At { at, record: OnDevice { construct: record, ran } } in &stream.devices {
            let had = at + Ticks(record.waited);
            let sent = had + Ticks(record.prepared);
            let answered = sent + Ticks(record.there);
            let computed = answered - clock.ticks(record.ran_ns).min(Ticks(record.there));
            let (began, finished) = ran.unwrap_or((computed, answered));
            let began = began.clamp(sent, answered);
            self.device_constructs.push(DeviceInfo {
                task: index.tasks.row(record.task.0),
                place: self.places.of(stream.stream, record.site),
                device: record.device,
                worker: stream.stream,
                construct: record.construct,
                is_deferred: record.is_deferred,
                other: None,
                bytes_to: record.bytes_to,
                bytes_from: record.bytes_from,
                ready: at,
                had,
                sent,
                began,
                finished: finished.clamp(began, answered),
                ended: answered + Ticks(record.received),
            });
        }
    }

    fn add_locks(&mut self, stream: &mut StreamEvents, index: &Indices) {
        for At { at, record } in std::mem::take(&mut stream.locks) {
            let Some(row) = Self::known(&mut self.strays, index.tasks.row(record.task.0)) else {
                continue;
            };
            self.locks.push(LockInfo {
                task: row,
                place: self.places.of(stream.stream, record.site),
                address: record.address,
                waited: Ticks(record.waited),
                had: at,
                held: Ticks(record.held),
                kind: record.kind,
                worker: stream.stream,
            });
        }
    }

    fn add_doacross(&mut self, stream: &StreamEvents, index: &Indices) {
        for At { at, record } in &stream.doacross {
            let task = Self::known(&mut self.strays, index.tasks.row(record.task.0));
            let loop_row = Self::known(&mut self.strays, index.loops.row(record.id.0));
            let (Some(task), Some(loop_row)) = (task, loop_row) else { continue };
            self.doacross.push(DoacrossInfo {
                task,
                loop_row,
                iteration: record.iteration,
                when: *at,
                waited: Ticks(record.waited),
                took: Ticks(record.ticks),
                sink: record.flags & doacross::SINK != 0,
            });
        }
    }

    /// What the stream's thread did not do for the program: the recorder's work, and what it was
    /// descheduled.
    fn add_own_time(&mut self, stream: &StreamEvents, index: &Indices, clock: &Clock) {
        let worker = usize::from(stream.stream);
        self.recorder.add(stream.stream, stream.recorder);
        self.recorder.counters += stream.reading;
        self.recorder.from_waits += stream.recorder_in_waits;
        self.recorder.apart.extend(&stream.stalls_apart);
        for &At { at, record: (task, ticks) } in &stream.stalls {
            if let Some(row) = index.tasks.row(task.0) {
                self.stalls.push((row, at, ticks));
            }
        }
        self.slow.resize(worker, Vec::new());
        let mut slow = descheduled::slow(&stream.samples, clock);
        descheduled::tell_waits(&mut slow, &stream.waits_for_devices());
        self.slow.push(slow);
        self.switches.resize(worker, Switches::default());
        self.switches.push(Switches::of(&stream.samples, &stream.offs));
        self.prepared.extend(stream.prepared.iter().map(|prepared| Prepared {
            begin: prepared.at,
            end: prepared.at + prepared.record.0,
            processor: prepared.record.1,
        }));
    }

    pub fn is_initial(&self, task: TaskId) -> bool {
        self.task_rows.row(task.0).is_some_and(|row| self.grains.kind[row] == GrainKind::Initial)
    }

    /// Whether a stretch of a worker's may have lost time between two instants.
    pub fn was_off(&self, worker: u16, begin: Ticks, end: Ticks) -> bool {
        let worker = usize::from(worker);
        let is_told = || self.switches.get(worker).is_some_and(|told| !told.between(begin, end).is_empty());
        self.slow.get(worker).is_some_and(|slow| concerns(slow, begin, end)) || is_told()
    }

    /// The chunks of one stream. A thread's chunks and its entries into loops stand in the stream
    /// by their ends: book-keeping is measured once they are in order of their starts.
    fn add_chunks(&mut self, stream: &mut StreamEvents, index: &Indices, counts: &mut Gathering) {
        let mut chunks = std::mem::take(&mut stream.chunks);
        chunks.sort_by_key(|chunk| chunk.at);
        let mut entries = std::mem::take(&mut stream.loop_threads);
        entries.sort_by_key(|entry| entry.at);
        let mut entries = entries.iter().peekable();
        let mut free_since = None;
        consume(chunks, |At { at, record }| {
            while let Some(entry) = entries.next_if(|entry| entry.at <= at) {
                free_since = Some((entry.record.id, entry.at));
            }
            let owner = Self::known(&mut self.strays, index.tasks.row(record.task.0));
            let loop_row = Self::known(&mut self.strays, index.loops.row(record.id.0));
            let (Some(owner), Some(loop_row)) = (owner, loop_row) else { return };
            let end = at + Ticks(record.ticks);
            let same_loop = free_since.filter(|(id, _)| *id == record.id);
            let book_keeping = same_loop.map_or(Ticks::ZERO, |(_, since)| at - since);
            free_since = Some((record.id, end));
            self.chunks.push(ChunkInfo { loop_row, first: record.first, iterations: record.iterations });
            self.push_chunk_grain(owner, loop_row, at, end, book_keeping, stream.stream);
            self.grains.processor.push(record.cpu);
            counts.add_chunk(&stream.counts, at, record.task, Row::new(self.grains.len() - 1));
        });
    }

    fn push_chunk_grain(
        &mut self,
        owner: GrainRow,
        loop_row: LoopRow,
        start: Ticks,
        end: Ticks,
        cost: Ticks,
        worker: u16,
    ) {
        let grains = &mut self.grains;
        grains.kind.push(GrainKind::Chunk);
        grains.parent.push(Some(owner));
        grains.place.push(self.loops[loop_row].place);
        grains.start.push(start);
        grains.end.push(end);
        grains.creation.push(cost);
        grains.worker.push(worker);
        grains.flags.push(0);
    }
}

fn run_flags(record: &Run) -> u8 {
    let mut flags = 0;
    if record.flags & run::STOLEN != 0 {
        flags |= flag::STOLEN;
    }
    if record.flags & run::CANCELLED != 0 {
        flags |= flag::CANCELLED;
    }
    flags
}
