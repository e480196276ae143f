// SPDX-License-Identifier: Apache-2.0
//! Decodes the streams, in parallel, into one list per kind of record.

use rayon::prelude::*;
use trace::layout::{self, kind, CHUNK_BYTES};
use trace::{
    Chunk, Clock, ClockPair, Counts, Create, Dep, Device, Doacross, End, Fulfil, Lock, Loop, LoopThread,
    Record, Recording, Region, RegionId, Request, Run, ShareMark, Site, Span, Stamp, StreamFile, TaskId,
    Thread, Wait, WaitKind, Wake, Window,
};

use crate::costs::Costs;
use crate::counters::RawCounts;
use crate::cpu_sample::Sample;
use crate::descheduled;
use crate::hits::Recorded;
use crate::initial::InitialTasks;
use crate::loaded_file::LoadedFile;
use crate::origin::Origin;
use crate::raw_stacks::RecordedStacks;
use crate::sweep::{Instant, Intervals, Swept};
use crate::switches::Off;
use crate::tables::Apart;
use crate::ticks::Ticks;
use crate::windows::{Cutter, Side, Windows};

/// A record and its instant.
#[derive(Clone, Copy)]
pub(crate) struct At<T> {
    pub at: Ticks,
    pub record: T,
}

/// A construct on a device, and when its region began and ended there, if the device's clock is
/// known.
#[derive(Clone, Copy)]
pub(crate) struct OnDevice {
    pub construct: Device,
    pub ran: Option<(Ticks, Ticks)>,
}

/// A wait, and how much of it the worker lost (`sweep.rs`).
#[derive(Clone, Copy)]
pub(crate) struct WaitEvent {
    pub wait: Wait,
    pub lost: Ticks,
}

pub(crate) struct OwnedModule {
    pub module: u32,
    pub bias: u64,
    pub file: LoadedFile,
}

/// The calls above a site of the stream.
#[derive(Default)]
pub(crate) struct OwnedPath {
    pub site: u32,
    pub flags: u8,
    /// Absolute addresses, and modules of the stream.
    pub frames: Vec<(u64, u32)>,
    pub python: Vec<u8>,
}

#[derive(Default)]
pub(crate) struct StreamEvents {
    pub stream: u16,
    pub modules: Vec<OwnedModule>,
    pub sites: Vec<Site>,
    pub paths: Vec<OwnedPath>,
    pub creates: Vec<At<Create>>,
    pub starts: Vec<At<(TaskId, RegionId)>>,
    pub runs: Vec<At<Run>>,
    pub waits: Vec<At<WaitEvent>>,
    pub regions: Vec<At<Region>>,
    pub region_ends: Vec<At<RegionId>>,
    pub loops: Vec<At<Loop>>,
    pub chunks: Vec<At<Chunk>>,
    pub loop_threads: Vec<At<LoopThread>>,
    pub deps: Vec<At<Dep>>,
    pub group_begins: Vec<At<TaskId>>,
    /// And whether the body of a `single` begins.
    pub team_sizes: Vec<At<(TaskId, ShareMark)>>,
    pub priorities: Vec<(TaskId, i32)>,
    pub fulfils: Vec<At<Fulfil>>,
    pub requests: Vec<At<Request>>,
    pub devices: Vec<At<OnDevice>>,
    /// For each of the fulfilments: the task that did it, or none.
    pub fulfilled_by: Vec<TaskId>,
    pub locks: Vec<At<Lock>>,
    pub doacross: Vec<At<Doacross>>,
    /// For how long tasks waited for memory.
    pub memory_stalls: Vec<(TaskId, Ticks)>,
    /// The stream's counters for that.
    stall_counters: Vec<u32>,
    pub counts: RawCounts,
    /// The recorder's work while a task ran.
    pub stalls: Vec<At<(TaskId, Ticks)>>,
    /// ... while it neither ran a task nor waited.
    pub stalls_apart: Vec<Apart>,
    /// ... while none ran: the wait, when, for how long.
    pub stalls_in_waits: Vec<(u32, Ticks, Ticks)>,
    /// All of the recorder's work that has its own record, and what storing records took in waits.
    pub recorder: Ticks,
    pub recorder_in_waits: Ticks,
    /// What reading counters took of it.
    pub reading: Ticks,
    pub samples: Vec<Sample>,
    /// When the thread was off its processor.
    pub offs: Vec<Off>,
    /// When threads of the recorder's prepared chunks of this stream, for how long, and where.
    pub prepared: Vec<At<(Ticks, u16)>>,
    /// Where the thread was, by samples.
    pub hits: Recorded,
    /// The calls by which samples were reached.
    pub stacks: RecordedStacks,
    sleeps: u32,
    /// For how long, and the number of the sleep that another ended.
    pub idles: Vec<At<(Ticks, u32)>>,
    pub wakes: Vec<At<Wake>>,
    /// Where the thread was found, and since when.
    pub moves: Vec<At<u16>>,
    /// Where recording was switched on and off, in ticks since the start of the recording.
    pub switches: Vec<(Ticks, Window)>,
    pub spans: Vec<At<Span>>,
    pub span_names: Vec<(u32, String)>,
    /// What a ring has kept begins then.
    pub kept_from: Option<Ticks>,
    /// Chunks that the ring had, and that its file has no longer.
    pub gone: u64,
    pub left_out: LeftOut,
    pub records: u64,
    /// Where its last record ends in the file.
    pub reached: u64,
    pub lost_records: u64,
    /// Records that are of no type or kind that the reader knows.
    pub passed_over: u64,
    /// The latest instant seen.
    pub last: Ticks,
    /// The stream was ended then: nothing but that has been recorded since.
    closed: Option<Ticks>,
    clock: Option<(ClockPair, ClockPair)>,
}

/// What of a stream lies outside of the windows, at its real instants.
#[derive(Default)]
pub(crate) struct LeftOut {
    pub ran: Vec<TaskId>,
    pub created: Vec<TaskId>,
    pub created_late: Vec<TaskId>,
    pub regions: Vec<(RegionId, Ticks)>,
    pub region_ends: Vec<(RegionId, Ticks)>,
    /// The first initial task of the stream, left out or not, and when it was created.
    pub first_initial: Option<(Ticks, TaskId)>,
}

/// All streams, with the time outside of the windows cut out. `decoded` is told the bytes of each
/// stream that is done.
pub(crate) fn decode(
    recording: &Recording,
    costs: &Costs,
    windows: &Windows,
    decoded: &(dyn Fn(u64) + Sync),
) -> Result<Vec<StreamEvents>, trace::Error> {
    let decode = |file| {
        let events = StreamEvents::decode(file, recording, costs, windows);
        decoded(file.bytes().len() as u64);
        events
    };
    recording.streams.par_iter().map(decode).collect()
}

/// The thread that ends the program works for the recorder from when it ends its stream, the last
/// one, until the recording is over; with no more CPU time than the process has used beyond what
/// the streams' threads say.
pub(crate) fn end_recording(streams: &mut [StreamEvents], recording: &Recording, said: &End) {
    let end = Origin::of(recording).at(said.end());
    let known = streams.iter().map(|stream| descheduled::cpu_ns(&stream.samples));
    let left_ns = said.cpu_ns.saturating_sub(known.fold(0, u64::saturating_add));
    let left = match said.cpu_ns {
        0 => end,
        _ => Ticks((left_ns as f64 * recording.meta.ticks_per_second as f64 / 1e9) as u64),
    };
    let last = streams.iter().map(|stream| stream.last).max().unwrap_or_default();
    let closed =
        |stream: &&mut StreamEvents| stream.closed.is_some_and(|closed| last <= closed && closed < end);
    if let Some(stream) = streams.iter_mut().find(closed) {
        let closed = stream.closed.unwrap_or(end);
        let mut apart = Apart::new(stream.stream, closed, end - closed);
        apart.own = apart.ticks.min(left);
        stream.recorder += apart.own;
        stream.stalls_apart.push(apart);
    }
}

pub(crate) fn clock_of(recording: &Recording, streams: &[StreamEvents]) -> Clock {
    if let Some(device) = recording.clocks.of_host {
        return device.clock();
    }
    let pairs = streams.iter().filter_map(|stream| stream.clock);
    Clock::of(&recording.meta, recording.end.as_ref(), pairs)
}

impl StreamEvents {
    /// When the thread waited for constructs on devices, in order. Those of a copy between two
    /// devices overlap.
    pub fn waits_for_devices(&self) -> Vec<(Ticks, Ticks)> {
        let waits = self.devices.iter().filter(|device| !device.record.construct.is_deferred);
        let wait = |&At { at, record: OnDevice { construct, .. } }: &At<OnDevice>| {
            let took = construct.waited + construct.prepared + construct.there + construct.received;
            (at, at + Ticks(took))
        };
        let mut waits: Vec<_> = waits.map(wait).collect();
        waits.sort_unstable();
        waits
    }

    /// Without any yet.
    pub fn of_stream(stream: u16) -> Self {
        Self { stream, ..Self::default() }
    }

    /// Takes what defines a place; other records are not its matter.
    pub fn place(&mut self, record: Record) {
        match record {
            Record::Site(site) => self.sites.push(site),
            Record::Module(m) => {
                let path = m.path.to_owned();
                let file = LoadedFile { path, build_id: m.build_id, build_mark: m.build_mark };
                self.modules.push(OwnedModule { module: m.module, bias: m.bias, file });
            }
            _ => {}
        }
    }

    fn decode(
        file: &StreamFile,
        recording: &Recording,
        costs: &Costs,
        windows: &Windows,
    ) -> Result<Self, trace::Error> {
        let origin = Origin::of(recording);
        let (windows, is_whole) = (&origin.windows(windows), windows.is_whole());
        let mut events = Self::of_stream(file.number);
        let mut intervals = Intervals::default();
        let mut reader = file.reader();
        let mut cutter = Cutter::new(windows);
        let mut initial = InitialTasks::default();
        let mut chunk = 0;
        for entry in &mut reader {
            let entry = entry?;
            let begun = entry.offset as usize / CHUNK_BYTES * CHUNK_BYTES;
            if begun != chunk {
                file.release_chunk(chunk);
                chunk = begun;
            }
            events.records += 1;
            let at = origin.uncut(entry.stamp);
            if let Record::Window(switch) = entry.record {
                events.switches.push((origin.since(at), switch));
            }
            let (at, record) = initial.look_at(at, entry.record);
            let (side, cut, record) = cutter.cut(at, record);
            if side == Side::Inside || events.keeps(side, origin.since(at), &record) {
                let ran = match &record {
                    Record::Device(construct) => on_host(recording, construct),
                    _ => None,
                };
                events.take(cut, record, &mut intervals);
                if let (Some((began, ended)), Some(construct)) = (ran, events.devices.last_mut()) {
                    let cut = |stamp| windows.until(origin.uncut(stamp));
                    construct.record.ran = Some((cut(began), cut(ended)));
                }
            }
        }
        if let Some(end) = recording.end.as_ref().filter(|_| is_whole) {
            events.last_sample(end, origin, &mut intervals);
        }
        let swept = intervals.sweep(costs, |row, ticks| events.waits[row as usize].record.lost += ticks);
        events.take_swept(swept);
        events.pay_within_waits(costs.within(kind::WAIT));
        events.clock = reader.clock_pairs();
        events.passed_over = reader.passed_over();
        events.reached = if events.records > 0 { reader.reached() } else { 0 };
        events.gone = reader.gone();
        events.left_out.first_initial = initial.first().map(|(at, task)| (origin.since(at), task));
        events.kept_from = reader.kept_from().map(|stamp| origin.at(stamp));
        Ok(events)
    }

    /// Whether a record from outside of the windows explains what lies inside. Notes what
    /// `complete` has to know.
    fn keeps(&mut self, side: Side, at: Ticks, record: &Record) -> bool {
        match *record {
            Record::Create(create) if side == Side::Late => self.left_out.created_late.push(create.task),
            Record::Create(create) => self.left_out.created.push(create.task),
            Record::Run(run) => self.left_out.ran.push(run.task),
            Record::Region(region) => self.left_out.regions.push((region.region, at)),
            Record::RegionEnd { region } => self.left_out.region_ends.push((region, at)),
            _ => {}
        }
        match record {
            Record::Site(_)
            | Record::Module(_)
            | Record::CallPath(_)
            | Record::Counter(_)
            | Record::Create(_)
            | Record::Region(_)
            | Record::RegionEnd { .. }
            | Record::Loop(_)
            | Record::Priority { .. }
            | Record::Lost { .. }
            | Record::Samples(_)
            | Record::Stack(_)
            | Record::Code(_)
            | Record::Name(_) => true,
            Record::Start { .. } | Record::GroupBegin { .. } | Record::TeamSize { .. } => side != Side::Late,
            _ => false,
        }
    }

    /// What the stream's thread had used when the program ended.
    fn last_sample(&mut self, end: &End, origin: Origin, intervals: &mut Intervals) {
        let cpu_ns = end.thread_cpu_ns.get(usize::from(self.stream)).copied().unwrap_or_default();
        let at = origin.at(end.end());
        if cpu_ns > 0 && self.samples.last().is_some_and(|sample| sample.at < at) {
            self.sample(at, &Thread { cpu_ns, ..Thread::default() }, intervals);
        }
    }

    fn count(&mut self, at: Ticks, counts: &Counts, intervals: &mut Intervals) {
        // Where the program's call began before the second reading, that is part of the call, and
        // the first one of the fragment before. Where exactly does not matter.
        let mut until = at;
        for reading in [counts.after, counts.before] {
            let reading = Ticks(u64::from(reading)).min(until);
            until = until - reading;
            intervals.recorder(until, reading);
            self.reading += reading;
        }
        self.recorder += at - until;
        self.counts.take(counts);
        if counts.flags & layout::counts::TASK == 0 {
            return;
        }
        let is_stall = |counter| self.stall_counters.contains(&counter);
        let stalls = (counts.first..=u32::MAX).zip(counts.values()).filter(|&(counter, _)| is_stall(counter));
        let stalls = stalls.map(|(_, value)| (counts.task, Ticks(value.min(layout::MASK_48))));
        self.memory_stalls.extend(stalls);
    }

    fn sample(&mut self, at: Ticks, thread: &Thread, intervals: &mut Intervals) {
        intervals.instant(at, Instant::Sample);
        let has = |flag: u8| thread.flags & flag != 0;
        let (begins, told) = (has(layout::thread::BEGINS), has(layout::thread::TOLD));
        let switches = (thread.waits, thread.preemptions);
        let switches = (switches != (0, 0)).then_some(switches);
        let (cpu_ns, sleeps) = (thread.cpu_ns, self.sleeps);
        let (ran, stalled) = (Ticks::ZERO, Ticks::ZERO);
        self.samples.push(Sample {
            at,
            cpu_ns,
            ran,
            stalled,
            switches,
            sleeps,
            begins,
            thread: thread.os_thread,
            told,
        });
    }

    fn take_swept(&mut self, swept: Swept) {
        let task_of = |run: u32| self.runs.get(run as usize).map_or(TaskId::NONE, |run| run.record.task);
        self.stalls = swept
            .stalls
            .into_iter()
            .map(|(run, at, ticks)| At { at, record: (task_of(run), ticks) })
            .collect();
        self.fulfilled_by = swept.fulfilled_in.into_iter().map(task_of).collect();
        for (sample, ran) in self.samples.iter_mut().zip(swept.ran) {
            (sample.ran, sample.stalled) = ran;
        }
        let stream = self.stream;
        for (wait, at, ticks) in swept.in_wait {
            match wait {
                Some(wait) => self.stalls_in_waits.push((wait, at, ticks)),
                None => self.stalls_apart.push(Apart::new(stream, at, ticks)),
            }
        }
        self.recorder += swept.recorder;
        self.recorder_in_waits += swept.recorder;
    }

    /// What a wait's own record adds to the wait is not lost to it.
    fn pay_within_waits(&mut self, cost: Ticks) {
        for wait in self.waits.iter_mut().map(|wait| &mut wait.record) {
            let paid = wait.lost.min(cost);
            wait.lost = wait.lost - paid;
            self.recorder += paid;
            self.recorder_in_waits += paid;
        }
    }

    fn take(&mut self, at: Ticks, record: Record, intervals: &mut Intervals) {
        let mut until = at;
        self.sleeps += u32::from(may_sleep(&record));
        self.closed = match record {
            Record::Thread(_) | Record::Lost { .. } => self.closed.map(|_| at),
            _ => matches!(record, Record::Clock(_)).then_some(at),
        };
        match record {
            Record::Site(_) | Record::Module(_) => self.place(record),
            Record::Create(record) => self.creates.push(At { at, record }),
            Record::Start { task, region } => self.starts.push(At { at, record: (task, region) }),
            Record::Run(record) => {
                until = at + Ticks(record.ticks);
                intervals.run(at, Ticks(record.ticks), self.runs.len() as u32);
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
                self.counts.chunk_ends(at, record.task);
                self.chunks.push(At { at, record });
            }
            Record::LoopThread(record) => self.loop_threads.push(At { at, record }),
            Record::Dep(record) => self.deps.push(At { at, record }),
            Record::TeamSize { task, share } => self.team_sizes.push(At { at, record: (task, share) }),
            Record::GroupBegin { task } => self.group_begins.push(At { at, record: task }),
            Record::Idle { ticks, sleep } => {
                until = at + Ticks(ticks);
                intervals.instant(until, Instant::Idle);
                self.idles.push(At { at, record: (Ticks(ticks), sleep) });
            }
            Record::Wake(record) => self.wakes.push(At { at, record }),
            Record::Moved { processor } => self.moves.push(At { at, record: known_processor(processor) }),
            Record::Lost { records } => self.lost_records = self.lost_records.max(records),
            Record::Priority { task, priority } => self.priorities.push((task, priority)),
            Record::Fulfil(record) => {
                intervals.instant(at, Instant::Fulfil);
                self.fulfils.push(At { at, record });
            }
            Record::Off { ticks, preempted } => {
                self.offs.push(Off { begin: at, end: at + Ticks(ticks), preempted });
            }
            Record::Prepared { ticks, processor } => {
                self.prepared.push(At { at, record: (Ticks(ticks), known_processor(processor)) });
            }
            Record::Sample(sample) => self.hits.sample(at, &sample),
            Record::Samples(about) => self.hits.about(&about),
            Record::Stack(stack) => self.stacks.stack(&stack),
            Record::Code(code) => self.stacks.code(&code),
            Record::Sampled { stack } => self.hits.sampled(at, stack),
            Record::Request(record) => {
                until = at + Ticks(record.ticks);
                self.requests.push(At { at, record });
            }
            Record::Device(record) => {
                until = at + Ticks(record.waited + record.prepared + record.there + record.received);
                self.devices.push(At { at, record: OnDevice { construct: record, ran: None } });
            }
            Record::Steal { .. } => intervals.instant(at, Instant::Steal),
            Record::Thread(thread) => self.sample(at, &thread, intervals),
            Record::Lock(record) => {
                until = at + Ticks(record.held);
                self.locks.push(At { at, record });
            }
            Record::Doacross(record) => self.doacross.push(At { at, record }),
            Record::Recorder { ticks } => {
                until = at + Ticks(ticks);
                intervals.recorder(at, Ticks(ticks));
                self.recorder += Ticks(ticks);
            }
            Record::CallPath(path) => self.paths.push(OwnedPath {
                site: path.site,
                flags: path.flags,
                frames: path.frames().collect(),
                python: path.python.to_owned(),
            }),
            Record::Counter(counter) if counter.name == layout::MEMORY_STALL => {
                self.stall_counters.push(counter.counter);
            }
            Record::Counter(counter) => self.counts.define(&counter),
            Record::Counts(counts) => self.count(at, &counts, intervals),
            Record::Span(record) => self.spans.push(At { at, record }),
            Record::Name(name) => {
                self.span_names.push((name.name, String::from_utf8_lossy(name.text).into_owned()));
            }
            // Nothing is made of these yet; a Window is taken before.
            Record::Clock(_)
            | Record::Exchange { .. } // read before
            | Record::Memory(_)
            | Record::Processor(_)
            | Record::Sampling(_)
            | Record::Sums { .. } // of what is read here
            | Record::Window(_) => {}
        }
        self.last = self.last.max(until);
    }
}

/// When the data were at the device, and when the answer was about to leave it, as the host's clock
/// shows it.
fn on_host(recording: &Recording, construct: &Device) -> Option<(Stamp, Stamp)> {
    let line = recording.clocks.of_devices.get(&construct.device)?.line;
    construct.on_device.map(|(began, ended)| (line.on_host(began), line.on_host(ended)))
}

/// The thread may have slept in it.
fn may_sleep(record: &Record) -> bool {
    match record {
        Record::Idle { .. } => true,
        Record::Wait(wait) => matches!(wait.kind, WaitKind::Lock | WaitKind::Critical | WaitKind::Ordered),
        Record::Doacross(point) => point.waited > 0,
        _ => false,
    }
}

fn known_processor(processor: u32) -> u16 {
    u16::try_from(processor).unwrap_or(layout::UNKNOWN_CPU)
}
