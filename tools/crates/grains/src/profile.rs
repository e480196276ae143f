// SPDX-License-Identifier: Apache-2.0
//! A recording, read and analysed.

use std::fmt;
use std::path::PathBuf;

use trace::{Clock, Clocks, End, Meta, Recording, TaskId, Topology};

use crate::assemble::{assemble, Assembled};
use crate::carriers::Carriers;
use crate::cores::Cores;
use crate::costs::Costs;
use crate::counters::{regions_of_grains, Counters};
use crate::every::Every;
use crate::hits::Samples;
use crate::index::Index;
use crate::load::StreamEvents;
use crate::origin::Origin;
use crate::parts::{load, Loaded};
use crate::places::{Places, SegmentRows};
use crate::row::Column;
use crate::selection::Selection;
use crate::sparse::Sparse;
use crate::switches::{Basis, Switches};
use crate::tables::{
    BarrierRow, CallInfo, ChunkInfo, Descheduled, DeviceInfo, DoacrossInfo, Fragments, FulfilInfo, GrainRow,
    Grains, Idle, Items, LockInfo, LoopInfo, RecorderTime, RegionInfo, RegionRow, RequestInfo, Share,
    SpanInfo, Strays, WaitInfo, WaitRow,
};
use crate::ticks::Ticks;
use crate::usage::Usage;
use crate::wholeness::{Gaps, Kind, Wholeness};
use crate::windows::{Part, Windows};
use crate::{
    benefit, critical, descheduled, path, raw_spans, roots, shared_processors, singles, timeline, NONE,
};

/// Rows are u32. A record takes 32 bytes or more and gives at most three rows, so this much always
/// fits.
const MAX_BYTES: u64 = 32 << 30;

pub struct Profile {
    /// The directory of the recording.
    pub directory: PathBuf,
    pub meta: Meta,
    pub clock: Clock,
    /// What is known of other clocks.
    pub clocks: Clocks,
    /// Whether the program ended regularly.
    pub complete: bool,
    /// Whether all is there that the program did.
    pub wholeness: Wholeness,
    /// From the start of the recording to its end (incomplete: to the last instant recorded).
    pub wall: Ticks,
    /// Number of workers that wrote a stream. Threads that only carry out constructs on devices
    /// with nowait are none.
    pub workers: u32,
    /// The number of records in all streams, and their bytes.
    pub records: u64,
    pub bytes: u64,
    /// CPU time of the process or, if its end was not recorded, of the threads that recorded
    /// theirs.
    pub cpu_ns: Option<u64>,
    pub usage: Usage,
    /// Records that the runtime could not store.
    pub lost_records: u64,
    /// Records of types, or kinds of wait, that this program does not know.
    pub passed_over: u64,
    /// The threads that were seen to go from task to task too fast.
    pub hasty: Vec<Hasty>,
    pub strays: Strays,
    /// The stretches of time that were recorded, and those among them that this profile is about,
    /// in ticks since the start of the recording. All other times of a profile are times within the
    /// chosen stretches: what lies outside of them is cut out.
    pub windows: Vec<Part>,
    pub chosen: Vec<Part>,
    /// From the start of the recording to its end, whatever of it was recorded or chosen.
    pub recording: Ticks,
    /// Set if only some regions were recorded.
    pub every: Option<Every>,
    /// The named spans, in no order; and all names, also of spans outside of what was chosen.
    pub spans: Vec<SpanInfo>,
    pub span_names: Vec<String>,

    pub grains: Grains,
    /// By [`Grains::chunk`].
    pub chunks: Column<ChunkInfo>,
    pub loops: Column<LoopInfo>,
    pub regions: Column<RegionInfo>,
    /// For each task: its region; `None` for all but implicit tasks.
    pub member_of: Sparse<Grains, Option<RegionRow>>,
    pub waits: Column<WaitInfo>,
    pub fragments: Fragments,
    /// The fragments that are their thread's share of a loop that the compiler has divided, or of
    /// work that the program divides by thread number, by rising rows.
    pub shares: Vec<Share>,
    pub items: Items,
    /// For each grain: the item of its parent that forks it; [`NONE`]: it has no parent.
    pub fork_item: Column<Grains, u32>,
    /// For each task: the wait that joined it, of its parent or of the task that took it over.
    /// `None`: the task is implicit or inline, the end of a region joined it, or nothing did.
    pub joined_by: Column<Grains, Option<WaitRow>>,
    /// Tasks that only the end of a region joined, and the region.
    pub left_to_region: Vec<(GrainRow, RegionRow)>,
    /// For each wait: the team's barrier that it was at; `None`: it concerns one task alone.
    pub barrier_of: Column<WaitInfo, Option<BarrierRow>>,
    /// Number of those barriers.
    pub barriers: u32,
    /// Dependences: (predecessor, successor) grain rows.
    pub edges: Vec<(GrainRow, GrainRow)>,
    /// For each dependence: the address that both name.
    pub edge_addresses: Vec<u64>,
    pub idles: Vec<Idle>,
    /// Where the processors are, if the recording says it.
    pub topology: Option<Topology>,
    /// On which processors workers ran.
    pub cores: Cores,
    /// In no order.
    pub fulfils: Column<FulfilInfo>,
    /// Sorted by stream. Within a stream, in the order in which the worker looked for tasks.
    pub requests: Vec<RequestInfo>,
    /// The constructs on devices, of a host of devices. By device; within one, in the order in
    /// which they had it.
    pub device_constructs: Vec<DeviceInfo>,
    /// The holds of each lock, one after the other.
    pub locks: Vec<LockInfo>,
    /// In no order.
    pub doacross: Column<DoacrossInfo>,
    /// In no order.
    pub calls: Column<CallInfo>,
    pub recorder: RecorderTime,
    pub descheduled: Descheduled,
    /// By number of stream: when the threads were off their processors, as the kernel has told.
    pub switches: Vec<Switches>,
    /// Where threads were, by samples.
    pub samples: Samples,
    /// What the kernel and the processor counted in each grain.
    pub counters: Counters,
    pub places: Places,
    pub(crate) segment_rows: SegmentRows,
    task_rows: Index<Grains>,

    /// Work, in ticks: the sum of all grains' work; what one worker would need without any cost of
    /// the runtime (T1).
    pub work: Ticks,
    /// Span, in ticks: the work on the longest path through the graph as it ran, with the chunks
    /// of loops and the holds of locks in the order in which they ran (T∞ of this schedule).
    pub span: Ticks,
    /// The time that any number of workers would need, in ticks, with any schedule. It is the
    /// longest path in which the iterations of loops run beside each other, each as long as its
    /// chunk's mean (except in ordered and doacross loops), and the holds of a lock have no order.
    /// It is at least the sum of the holds of any lock, and never more than `span`. Iterations of
    /// loops that the compiler itself divides are not seen: see `unseen_static`.
    pub span_any_schedule: Ticks,
    /// Work of implicit tasks of teams outside of any chunk, in ticks: loops with schedule(static)
    /// that GCC compiles into the program are in it. If such loops are on the longest path, the
    /// span of any schedule is only an upper bound.
    pub unseen_static: Ticks,
}

/// A thread that went from task to task so fast that it did not pay, as the runtime has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hasty {
    pub stream: u32,
    /// The total number of times that it changed from task to task, or looked for another task
    /// without success.
    pub turns: u64,
    /// Those turns that followed each other too fast.
    pub hasty_turns: u64,
    /// From one of them to the next, altogether.
    pub hasty: Ticks,
}

/// What [`Profile::of`] is at, for a progress bar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// This number of further bytes of the streams is decoded.
    Decoded(u64),
    Assembling,
    LayingOut,
    FindingSpan,
}

#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    Trace(trace::Error),
    /// The streams together have more bytes than row numbers reach.
    TooLarge {
        bytes: u64,
    },
}

fn readable_bytes(recording: &Recording) -> Result<u64, Error> {
    let bytes = recording.bytes();
    if bytes > MAX_BYTES {
        return Err(Error::TooLarge { bytes });
    }
    Ok(bytes)
}

impl Profile {
    /// Reads and analyses. Time and memory are linear in the size of the recording, whose mappings
    /// are gone once it is read.
    pub fn of(recording: Recording, progress: &(dyn Fn(Step) + Sync)) -> Result<Self, Error> {
        Self::of_part(recording, &Selection::default(), progress)
    }

    /// Does the same for a part of the recording.
    pub fn of_part(
        recording: Recording,
        selection: &Selection,
        progress: &(dyn Fn(Step) + Sync),
    ) -> Result<Self, Error> {
        let bytes = readable_bytes(&recording)?;
        let loaded = load(&recording, selection, &|bytes| progress(Step::Decoded(bytes)));
        let Loaded { mut streams, carriers, clock, recorded, chosen, end: last, mut spans } =
            loaded.map_err(Error::Trace)?;
        let origin = Origin::of(&recording);
        let Recording { directory, meta, end, streams: files, clocks } = recording;
        drop(files);
        let every = Every::of(&meta, end.as_ref());
        let is_whole = chosen.is_whole();
        let wall = chosen.until(last);
        let lost = streams.iter().map(|stream| stream.lost_records).fold(0, u64::saturating_add);
        let passed_over = streams.iter().map(|stream| stream.passed_over).sum();
        let records = streams.iter().map(|stream| stream.records).sum();
        // Of a part, it is not known; nor is the usage below.
        let cpu_ns = cpu_ns(end.as_ref(), &streams).filter(|_| is_whole);
        let gaps = Gaps::of(&streams, end.as_ref(), |ticks| clock.ns(ticks));
        let lacks_some = lost > 0 || !gaps.are_none();

        progress(Step::Assembling);
        let carriers = Carriers::set_apart(&mut streams, &carriers);
        carriers.renumber_spans(&mut spans);
        let mut start = if is_whole { descheduled::Start::of(&meta) } else { descheduled::Start::default() };
        start.began = chosen.until(origin.began);
        let known_end = (chosen.parts().count() < 2 && !lacks_some).then_some(wall);
        let mut all = assemble(streams, known_end, &clock, Costs::of(&meta), start);
        carriers.renumber_all(&mut all);
        if !is_whole {
            all.strays.unknown = 0; // records name what lies outside
        }
        progress(Step::LayingOut);
        let mut timeline = timeline::lay_out(&mut all);
        progress(Step::FindingSpan);
        cut_off(&mut all, &mut timeline.fork_item);
        let longest = path::longest(&all, &timeline);
        critical::mark(&mut all, &mut timeline, &longest);
        benefit::derive(&mut all.grains, &all.waits, &longest, &all.device_constructs);

        find_shared_processors(&mut all, &timeline);
        let lost_records = lost.max(end.as_ref().map_or(0, |end| end.lost_records));

        let mut profile = Self {
            topology: Topology::read(&directory),
            directory,
            meta,
            clock,
            clocks,
            complete: end.is_some(),
            wholeness: gaps.wholeness(end.as_ref(), lost_records, &all.strays, clock.ns(last)),
            wall,
            workers: carriers.workers,
            records,
            bytes,
            cpu_ns,
            usage: end.as_ref().filter(|_| is_whole).map(Usage::of).unwrap_or_default(),
            lost_records,
            passed_over,
            hasty: end.as_ref().map(hasty_threads).unwrap_or_default(),
            strays: all.strays,
            span_names: raw_spans::names(&spans),
            windows: parts(&recorded, last),
            chosen: parts(&chosen, last),
            recording: last,
            every,
            spans: raw_spans::cut(&spans, &chosen, |task| all.is_initial(task)),
            work: all.grains.work.iter().sum(),
            span: longest.span,
            span_any_schedule: longest.span_any_schedule,
            unseen_static: Ticks::ZERO,
            grains: all.grains,
            chunks: all.chunks,
            loops: all.loops,
            regions: all.regions,
            member_of: all.member_of,
            waits: all.waits,
            fragments: timeline.fragments,
            shares: timeline.shares,
            items: timeline.items,
            fork_item: timeline.fork_item,
            joined_by: longest.joined_by,
            left_to_region: longest.left_to_region,
            barrier_of: longest.barrier_of,
            barriers: longest.barriers,
            edges: all.edges,
            edge_addresses: all.edge_addresses,
            idles: all.idles,
            cores: all.cores,
            fulfils: all.fulfils,
            requests: all.requests,
            device_constructs: all.device_constructs,
            locks: all.locks,
            doacross: all.doacross,
            calls: all.calls,
            recorder: all.recorder,
            descheduled: all.descheduled,
            switches: all.switches,
            samples: all.samples,
            counters: all.counters,
            places: all.places,
            segment_rows: all.segments,
            task_rows: all.task_rows,
        };
        profile.tell_singles_apart();
        profile.unseen_static = unseen_static(&profile);
        Ok(profile)
    }

    fn tell_singles_apart(&mut self) {
        let known = singles::Known {
            regions: &self.regions,
            member_of: &self.member_of,
            fragments: &self.fragments,
            shares: &self.shares,
            items: &self.items,
            barrier_of: &self.barrier_of,
        };
        self.shares = singles::told_apart(&known);
    }

    /// Whether something is missing amid what is there. So its absence says nothing about the
    /// program.
    pub fn has_gaps(&self) -> bool {
        self.lost_records > 0 || self.wholeness.kind == Kind::Damaged
    }

    /// Average parallelism that the program exposed as it ran: work / span.
    pub fn parallelism(&self) -> f64 {
        ratio(self.work, self.span)
    }

    /// The same with any schedule.
    pub fn parallelism_any_schedule(&self) -> f64 {
        ratio(self.work, self.span_any_schedule)
    }

    /// How many of so many threads can run at once: never more than the process has processors.
    pub fn at_once(&self, threads: f64) -> f64 {
        match self.meta.processors {
            0 => threads.max(1.0),
            processors => threads.min(f64::from(processors)).max(1.0),
        }
    }

    /// Whether a part of the run was not recorded or not chosen.
    pub fn is_part(&self) -> bool {
        self.chosen != [Part { from: Ticks::ZERO, to: self.recording }]
    }

    /// The region that each grain ran in; `None` outside of all regions.
    pub fn regions_of_grains(&self) -> Column<Grains, Option<RegionRow>> {
        regions_of_grains(&self.grains, &self.member_of)
    }

    /// The constructs on devices that are tasks of their own: those with nowait.
    pub(crate) fn constructs_of_tasks(&self) -> impl Iterator<Item = (GrainRow, &DeviceInfo)> {
        let deferred = self.device_constructs.iter().filter(|construct| construct.is_deferred);
        deferred.filter_map(|construct| Some((construct.task?, construct)))
    }

    /// What the grain has beyond other grains, if it is a chunk.
    pub fn chunk(&self, grain: GrainRow) -> Option<&ChunkInfo> {
        self.chunks.of(self.grains.chunk(grain))
    }

    /// The row of the task with this id.
    pub fn task_row(&self, task: TaskId) -> Option<GrainRow> {
        self.task_rows.row(task.0)
    }

    pub fn ns(&self, ticks: Ticks) -> f64 {
        self.clock.ns(ticks)
    }

    /// What the time is based on that threads were off their processors.
    pub fn basis(&self) -> Basis {
        Basis::of(&self.switches)
    }
}

/// The windows; one that is open ends with the recording.
fn parts(windows: &Windows, last: Ticks) -> Vec<Part> {
    let begun = windows.parts().filter(|part| part.from <= last);
    begun.map(|part| Part { to: part.to.min(last), ..part }).collect()
}

fn ratio(work: Ticks, span: Ticks) -> f64 {
    if span == Ticks::ZERO {
        return 0.0;
    }
    work.0 as f64 / span.0 as f64
}

fn unseen_static(profile: &Profile) -> Ticks {
    let grains = &profile.grains;
    let is_of_several =
        |task: GrainRow| profile.member_of[task].is_some_and(|region| profile.regions[region].threads > 1);
    let tasks = grains.task_rows().filter(|&task| is_of_several(task));
    let of_teams: Ticks = tasks.map(|task| grains.work.of(task)).sum();
    // A thread alone has work to divide only where it asks for the size of its team.
    let fragments = &profile.fragments;
    let shares =
        profile.shares.iter().filter(|share| !is_of_several(fragments.grain[share.fragment as usize]));
    of_teams + shares.map(|share| share.divided(fragments)).sum()
}

fn cpu_ns(end: Option<&End>, streams: &[StreamEvents]) -> Option<u64> {
    let of_process = end.map(|end| end.cpu_ns).filter(|&ns| ns > 0);
    of_process.or_else(|| {
        let of_threads = streams.iter().map(|stream| descheduled::cpu_ns(&stream.samples));
        of_threads.reduce(u64::saturating_add).filter(|&ns| ns > 0)
    })
}

fn hasty_threads(end: &End) -> Vec<Hasty> {
    let of = |column: &[u64], stream: usize| column.get(stream).copied().unwrap_or_default();
    (0..end.hasty_turns.len())
        .map(|stream| Hasty {
            stream: stream as u32,
            turns: of(&end.turns, stream),
            hasty_turns: end.hasty_turns[stream],
            hasty: Ticks(of(&end.hasty_ticks, stream)),
        })
        .filter(|thread| thread.hasty_turns > 0)
        .collect()
}

/// Who took the processors that threads had lost.
fn find_shared_processors(all: &mut Assembled, timeline: &timeline::Timeline) {
    let of_workers = (all.switches.as_slice(), &all.cores);
    let of_grains = (&all.grains, &timeline.fragments);
    let known = shared_processors::Workers::of(of_workers, of_grains, (&all.idles, &all.prepared));
    (all.descheduled.shared, all.descheduled.to_recorder) = known.shared();
}

/// Tasks that no initial task leads to become roots, so that the graph has no circle.
fn cut_off(all: &mut Assembled, fork_item: &mut Column<Grains, u32>) {
    let rootless = roots::rootless(&all.grains, fork_item);
    all.strays.rootless = rootless.len() as u64;
    for row in rootless {
        fork_item[row] = NONE;
        all.grains.parent[row] = None;
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trace(error) => error.fmt(f),
            Self::TooLarge { bytes } => write!(
                f,
                "the recording has {bytes} bytes of records, more than the {MAX_BYTES} that can be analysed. \
                 Record a shorter run."
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Trace(error) => Some(error),
            Self::TooLarge { .. } => None,
        }
    }
}
