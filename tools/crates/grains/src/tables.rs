// SPDX-License-Identifier: Apache-2.0
//! The tables of a profile. All are columnar or small; times are in ticks since the start of the
//! recording.

use std::collections::HashMap;

use trace::{DeviceConstruct, LockKind, RequestEnd, WaitKind, WakeCause};

use crate::bits::Bits;
use crate::instants::Instants;
use crate::lengths::Lengths;
use crate::place::PlaceRow;
use crate::row::Row;
use crate::ticks::Ticks;
use crate::{Column, NONE};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum GrainKind {
    Task = 0,
    Implicit = 1,
    Chunk = 2,
    /// The initial task: the implicit task of a thread of the program outside of all parallel
    /// regions.
    Initial = 4,
}

/// Bits of [`Grains::flags`].
pub mod flag {
    pub const CRITICAL: u8 = 1;
    pub const LOW_BENEFIT: u8 = 2;
    pub const UNFINISHED: u8 = 4;
    pub const STOLEN: u8 = 8;
    /// Undeferred or included: ran on top of its creator, which waited for it.
    pub const INLINE: u8 = 16;
    pub const CANCELLED: u8 = 32;
}

pub type GrainRow = Row<Grains>;

/// One row per grain: first the tasks, by stream and ordinal, then the chunks.
#[derive(Default)]
pub struct Grains {
    pub kind: Column<Grains, GrainKind>,
    /// The creating grain, which is a chunk if the construct was met inside a chunk. For a chunk:
    /// the implicit task that ran it.
    pub parent: Column<Grains, Option<GrainRow>>,
    /// Row of the place of its construct.
    pub place: Column<Grains, Option<PlaceRow>>,
    /// The instant at which the construct of each task was met: see [`Grains::create`].
    pub(crate) created: Instants<Grains>,
    pub start: Instants<Grains>,
    /// For an unfinished grain: the last instant at which something of it was recorded.
    pub end: Instants<Grains>,
    /// Creation cost: from meeting the construct until the task was ready or ran, paid by the
    /// parent (saturates at 2^32 ticks). Of a chunk: the book-keeping before it, that is from the
    /// end of the thread's chunk before it in the loop, or from entry into the loop. 0 for implicit
    /// and initial tasks.
    pub creation: Lengths<Grains>,
    /// Work: the sum of the net lengths of the grain's fragments, that is [start, end] less its
    /// waits, the creation cost of its children, its chunks and the book-keeping before each, the
    /// parallel regions it met, and the inline children that ran on top of it; less the recorder's
    /// work and the time descheduled meanwhile. What its worker ran during its waits is therefore
    /// never its work.
    pub work: Lengths<Grains>,
    /// Time that its worker lost to its waits ([`WaitInfo::lost`]).
    pub wait: Lengths<Grains>,
    /// The part of its work that was waits for memory, for each task. Empty if none was counted.
    pub memory_stall: Column<Grains, Option<Ticks>>,
    /// Parallel benefit, a ratio; NaN when it has none. `benefit.rs` has the definition.
    pub benefit: Column<Grains, f32>,
    /// Number of the stream of the worker that ended it.
    pub worker: Column<Grains, u16>,
    /// The processor on which it ended; [`UNKNOWN_CPU`]: not known.
    pub processor: Column<Grains, u16>,
    pub flags: Column<Grains, u8>,
    /// The priority of each task. Empty if no task has a priority above 0.
    pub priority: Column<Grains, i32>,
    /// Number of task rows: those before the chunks.
    pub tasks: usize,
}

impl Grains {
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    pub fn rows(&self) -> impl Iterator<Item = GrainRow> + Clone {
        (0..self.len()).map(Row::new)
    }

    pub fn task_rows(&self) -> impl Iterator<Item = GrainRow> + Clone {
        (0..self.tasks).map(Row::new)
    }

    pub fn is_task(&self, row: GrainRow) -> bool {
        row.at() < self.tasks
    }

    /// The instant at which its construct was met. For a chunk: its start.
    #[inline]
    pub fn create(&self, row: GrainRow) -> Ticks {
        if row.at() < self.created.len() {
            self.created.of(row)
        } else {
            self.start.of(row)
        }
    }

    /// The chunk that the grain is.
    pub fn chunk(&self, row: GrainRow) -> Option<ChunkRow> {
        row.at().checked_sub(self.tasks).map(Row::new)
    }

    pub fn of_chunk(&self, chunk: ChunkRow) -> GrainRow {
        Row::new(self.tasks + chunk.at())
    }

    /// The task itself, or the implicit task that ran the chunk.
    pub fn task_of(&self, row: GrainRow) -> Option<GrainRow> {
        if self.is_task(row) {
            Some(row)
        } else {
            self.parent[row]
        }
    }

    pub fn has(&self, row: GrainRow, flag: u8) -> bool {
        self.flags[row] & flag != 0
    }

    /// None: it was not counted.
    pub fn memory_stall_of(&self, row: GrainRow) -> Option<Ticks> {
        *self.memory_stall.of(Some(row))?
    }

    pub fn priority_of(&self, task: GrainRow) -> i32 {
        self.priority.of(Some(task)).copied().unwrap_or(0)
    }
}

pub type ChunkRow = Row<ChunkInfo>;

/// What a chunk has beyond a grain; row = grain row - [`Grains::tasks`]. Packed, because there may
/// be many millions.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(4))]
pub struct ChunkInfo {
    /// The loop instance.
    pub loop_row: LoopRow,
    /// First value of the loop variable.
    pub first: i64,
    pub iterations: u64,
}

pub type LoopRow = Row<LoopInfo>;

/// One loop instance.
#[derive(Clone, Copy, Debug)]
pub struct LoopInfo {
    pub place: Option<PlaceRow>,
    pub begin: Ticks,
    /// Bits of [`trace::layout::schedule`].
    pub flags: u8,
    pub threads: u32,
    pub lb: i64,
    pub ub: i64,
    pub step: i64,
    pub chunk: i64,
}

pub type RegionRow = Row<RegionInfo>;

/// One instance of a parallel region.
#[derive(Clone, Copy, Debug)]
pub struct RegionInfo {
    /// The task that met the construct.
    pub parent: Option<GrainRow>,
    pub place: Option<PlaceRow>,
    pub begin: Ticks,
    /// For an unfinished region: the end of the recording.
    pub end: Ticks,
    pub threads: u32,
    pub requested: u32,
    pub level: u32,
}

pub type WaitRow = Row<WaitInfo>;

/// One stay of a task at a synchronisation point.
#[derive(Clone, Copy, Debug)]
pub struct WaitInfo {
    pub task: GrainRow,
    pub place: Option<PlaceRow>,
    pub begin: Ticks,
    pub end: Ticks,
    /// The part of the wait that the worker lost: it ran no task, and had no later wait open.
    pub lost: Ticks,
    pub kind: WaitKind,
    /// How often the task left its stack to other tasks during the wait.
    pub departures: u16,
    pub worker: u16,
}

/// A barrier of a team, which its members' waits share. Barriers are only counted: their table has
/// no columns of its own.
pub struct Barrier;

pub type BarrierRow = Row<Barrier>;

/// One hold of a lock, in the order of [`LockInfo::key`] and then of [`LockInfo::had`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LockInfo {
    /// The task that held it.
    pub task: GrainRow,
    pub place: Option<PlaceRow>,
    /// The address of the lock, or of the word for the critical construct's name. For
    /// [`LockKind::Ordered`]: the id of the loop instance.
    pub address: u64,
    /// How long the task waited for the lock, before `had`.
    pub waited: Ticks,
    pub had: Ticks,
    pub held: Ticks,
    pub kind: LockKind,
    /// The number of the stream in which the lock was released.
    pub worker: u16,
}

impl LockInfo {
    pub fn released(&self) -> Ticks {
        self.had + self.held
    }

    /// The identity of a lock.
    pub fn key(&self) -> (u8, u64) {
        (self.kind as u8, self.address)
    }
}

pub type PointRow = Row<DoacrossInfo>;

/// A point of a doacross loop: an iteration reaches its `depend(source)`, or waits for another
/// iteration to do so.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DoacrossInfo {
    pub task: GrainRow,
    pub loop_row: LoopRow,
    /// The number of the iteration in the nest. For a sink: the number of the iteration for which
    /// it waits.
    pub iteration: u64,
    /// When it was posted, or the wait was over.
    pub when: Ticks,
    /// For a sink: the time that it waited.
    pub waited: Ticks,
    /// The time of the construct, which is not work of the task. For a sink, it ends at `when` and
    /// includes the wait; for a source, it begins at `when`. 0 if it is not known.
    pub took: Ticks,
    pub sink: bool,
}

impl DoacrossInfo {
    /// When the task came to the construct.
    pub fn met(&self) -> Ticks {
        if self.sink {
            self.when - self.took.max(self.waited)
        } else {
            self.when
        }
    }
}

pub type FulfilRow = Row<FulfilInfo>;

/// The event of a detachable task was fulfilled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FulfilInfo {
    pub task: GrainRow,
    pub when: Ticks,
    /// The time of the call; none if it is not known.
    pub took: Ticks,
    /// The task that fulfilled the event; `None`: no task is known to have run there.
    pub by: Option<GrainRow>,
    /// The body had ended, so the fulfilment finished the task.
    pub late: bool,
}

/// A worker was asked to leave its task for a task of a higher priority, and has looked for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestInfo {
    /// The worker's task when it looked; `None`: the task had ended or waited, or is not known.
    pub task: Option<GrainRow>,
    pub asked: Ticks,
    pub looked: Ticks,
    /// If false, `asked` is the time at which the worker looked.
    pub is_time_known: bool,
    /// The highest priority that was requested.
    pub priority: i32,
    pub end: RequestEnd,
}

/// A construct on a device, at its host. The times follow one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// The task that met it; if it is deferred, its own. `None`: it is not recorded.
    pub task: Option<GrainRow>,
    pub place: Option<PlaceRow>,
    pub device: u32,
    pub worker: u16,
    pub construct: DeviceConstruct,
    /// A thread of the runtime carried it out; else the thread that met it waited.
    pub is_deferred: bool,
    /// Of a copy between two devices, which is a construct of both: the row of the other one. Its
    /// data do not pass through the host.
    pub other: Option<u32>,
    /// Bytes of data.
    pub bytes_to: u64,
    pub bytes_from: u64,
    /// When it was ready.
    pub ready: Ticks,
    /// No other construct had the device.
    pub had: Ticks,
    /// Sending began.
    pub sent: Ticks,
    /// Data and message were at the device, and the region began. If the device's clock is not
    /// known, it is assumed that the region ended when the answer came.
    pub began: Ticks,
    /// The region ended, and the answer was sent.
    pub finished: Ticks,
    /// The answer's data were there.
    pub ended: Ticks,
}

impl DeviceInfo {
    /// For how long data and messages were under way.
    pub fn moving(&self) -> Ticks {
        self.began - self.sent + (self.ended - self.finished)
    }

    pub fn running(&self) -> Ticks {
        self.finished - self.began
    }

    /// Whether another row stands for the copy between two devices: that of the device that
    /// receives the data.
    pub fn is_sender(&self, all: &[Self]) -> bool {
        let other = self.other.and_then(|row| all.get(row as usize));
        other.is_some_and(|other| (self.bytes_to, self.device) < (other.bytes_to, other.device))
    }

    /// The device at the other end of a copy between two.
    pub fn other_device(&self, all: &[Self]) -> Option<u32> {
        all.get(self.other? as usize).map(|other| other.device)
    }

    /// It ran a region of the program.
    pub fn ran(&self) -> bool {
        self.construct == DeviceConstruct::Target && self.sent < self.ended
    }

    /// When it had the device.
    pub fn busy(&self) -> (Ticks, Ticks) {
        (self.had, self.ended)
    }

    /// The two stretches in which data and messages were under way.
    pub fn moves(&self) -> [(Ticks, Ticks); 2] {
        [(self.sent, self.began), (self.finished, self.ended)]
    }
}

pub type CallRow = Row<CallInfo>;

/// The time of the runtime in a fulfilment, or at a point of a doacross loop without the wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallInfo {
    pub task: GrainRow,
    pub place: Option<PlaceRow>,
    pub worker: u16,
    pub begin: Ticks,
    pub end: Ticks,
    /// The runtime's own part of that time: without the recorder's work and the time descheduled.
    pub own: Ticks,
    /// The time descheduled.
    pub descheduled: Ticks,
}

/// A named span of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpanInfo {
    pub name: String,
    /// The stream of the thread that began it.
    pub worker: u16,
    /// It began outside of parallel regions: what all threads did meanwhile belongs to it.
    pub of_all: bool,
    pub begin: Ticks,
    pub end: Ticks,
}

/// A fragment that is its thread's share of work that the team divides by thread number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Share {
    /// Its row.
    pub fragment: u32,
    /// Of the whole loop, if the program asked the runtime for its bounds. None: the thread only
    /// asked for the size of its team before.
    pub iterations: Option<u64>,
    /// What of it the thread did alone before, in the body of a `single`.
    pub alone: Ticks,
}

impl Share {
    /// The rest of it.
    pub fn divided(&self, fragments: &Fragments) -> Ticks {
        let net = fragments.net(self.fragment);
        net - self.alone.min(net)
    }
}

/// Stretches of execution of one grain between the things it meets.
#[derive(Default)]
pub struct Fragments {
    pub grain: Vec<GrainRow>,
    start: Instants<Self>,
    /// From the start to the end. In damaged recordings an end may come before its start: then this
    /// wraps around.
    length: Lengths<Self>,
    /// The part of the fragment that was not the grain's: the recorder's work, or descheduled. At
    /// most the length of the fragment. Most fragments are short, and have little of the recorder's
    /// work: what is less than [`MUCH`] is whole ticks. Empty if no fragment has such a part.
    taken: Vec<u16>,
    /// If it is more: f32 is exact to a part in 10^7.
    much_taken: HashMap<u32, f32>,
    /// The part of that in which the thread slept by what the grain did: in a system call of the
    /// program, or for a lock that is not OpenMP's. Few fragments have such a part.
    slept: HashMap<u32, f32>,
}

/// In [`Fragments::taken`]: it is in the map beside.
const MUCH: u16 = u16::MAX;

impl Fragments {
    pub fn len(&self) -> usize {
        self.grain.len()
    }

    pub fn is_empty(&self) -> bool {
        self.grain.is_empty()
    }

    #[inline]
    pub fn start(&self, row: u32) -> Ticks {
        self.start.of(Row::of_number(row))
    }

    #[inline]
    pub fn end(&self, row: u32) -> Ticks {
        Ticks(self.start(row).0.wrapping_add(self.length.of(Row::of_number(row)).0))
    }

    /// The start and the end of each.
    pub fn intervals(&self) -> impl Iterator<Item = (Ticks, Ticks)> + '_ {
        (0..self.len() as u32).map(|row| (self.start(row), self.end(row)))
    }

    pub(crate) fn push(&mut self, grain: GrainRow, start: Ticks, end: Ticks) {
        self.grain.push(grain);
        self.start.push(start);
        self.length.push(Ticks(end.0.wrapping_sub(start.0)));
    }

    /// The length, without the time of the recorder and the time descheduled.
    #[inline]
    pub fn net(&self, row: u32) -> Ticks {
        self.end(row) - self.start(row) - Ticks(self.taken(row) as u64)
    }

    #[inline]
    pub(crate) fn taken(&self, row: u32) -> f32 {
        match self.taken.get(row as usize) {
            None => 0.0,
            Some(&MUCH) => self.much_taken.get(&row).copied().unwrap_or_default(),
            Some(&ticks) => f32::from(ticks),
        }
    }

    pub(crate) fn take(&mut self, row: u32, ticks: Ticks) {
        let taken = self.taken(row) + ticks.0 as f32;
        let at = row as usize;
        if self.taken.len() <= at {
            self.taken.resize(at + 1, 0);
        }
        self.taken[at] = if taken < f32::from(MUCH) {
            taken as u16
        } else {
            self.much_taken.insert(row, taken);
            MUCH
        };
    }

    /// For how long the thread slept by what the grain did.
    pub fn slept(&self, row: u32) -> Ticks {
        Ticks(self.slept.get(&row).copied().unwrap_or_default() as u64)
    }

    /// ... in all fragments.
    pub fn all_slept(&self) -> Ticks {
        self.slept.keys().map(|&row| self.slept(row)).sum()
    }

    pub(crate) fn take_sleep(&mut self, row: u32, ticks: Ticks) {
        self.take(row, ticks);
        *self.slept.entry(row).or_default() += ticks.0 as f32;
    }
}

/// The recorder's own time. It is not part of any work, creation, wait or path.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct RecorderTime {
    /// All of the time.
    pub total: Ticks,
    /// What reading counters took of it.
    pub counters: Ticks,
    /// By number of stream.
    pub by_worker: Vec<Ticks>,
    /// What it would have been of, of the total.
    pub from_work: Ticks,
    pub from_creation: Ticks,
    pub from_waits: Ticks,
    /// See [`CallInfo`].
    pub from_calls: Ticks,
    /// Time in which a worker neither ran a task nor waited.
    pub apart: Vec<Apart>,
    /// Time in which no task ran and one waited: the wait, the instant, and the length.
    pub(crate) in_waits: Vec<(WaitRow, Ticks, Ticks)>,
    /// The start and end of the time in the first initial task before its first record.
    pub before: Vec<(Ticks, Ticks)>,
}

/// The recorder's work in no task and no wait.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Apart {
    /// Number of the stream.
    pub worker: u16,
    pub begin: Ticks,
    pub ticks: Ticks,
    /// The part in which its thread can have worked; during the rest it was descheduled.
    pub own: Ticks,
}

impl Apart {
    pub(crate) fn new(worker: u16, begin: Ticks, ticks: Ticks) -> Self {
        Self { worker, begin, ticks, own: ticks }
    }

    pub fn end(&self) -> Ticks {
        self.begin + self.ticks
    }
}

impl RecorderTime {
    pub(crate) fn add(&mut self, worker: u16, ticks: Ticks) {
        let at = usize::from(worker);
        if self.by_worker.len() <= at {
            self.by_worker.resize(at + 1, Ticks::ZERO);
        }
        self.by_worker[at] += ticks;
        self.total += ticks;
    }

    pub(crate) fn less(&mut self, worker: u16, ticks: Ticks) {
        self.total = self.total - ticks;
        if let Some(of_worker) = self.by_worker.get_mut(usize::from(worker)) {
            *of_worker = *of_worker - ticks;
        }
    }

    pub(crate) fn creation(&mut self, worker: u16, ticks: Ticks) {
        self.add(worker, ticks);
        self.from_creation += ticks;
    }

    pub(crate) fn work(&mut self, worker: u16, ticks: Ticks) {
        self.add(worker, ticks);
        self.from_work += ticks;
    }
}

/// Time in which the thread had a task to run, or work for the recorder, but did not run: it had no
/// processor, or slept.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Descheduled {
    pub total: Ticks,
    /// The part in which threads only gave up their processors, in calls of the program's own.
    pub slept: Ticks,
    /// The part in which threads both gave up their processors and lost them, where it is not known
    /// which took how long.
    pub undecided: Ticks,
    /// The part in which threads had lost their processors to other workers of the process, as far
    /// as the kernel and the runtime have told.
    pub shared: Ticks,
    /// ... to threads of the recorder's.
    pub to_recorder: Ticks,
    /// By number of stream.
    pub by_worker: Vec<Ticks>,
    /// For each grain that has any, in the order of the rows: the time taken from its work, and
    /// from the recorder's work in it.
    pub by_grain: Vec<(GrainRow, Ticks)>,
    /// The same of their creation, or the book-keeping before them.
    pub by_creation: Vec<(GrainRow, Ticks)>,
    /// The same of what the recorder did in waits.
    pub by_wait: Vec<(WaitRow, Ticks)>,
}

/// The steps of a grain, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ItemKind {
    /// Row of [`Fragments`].
    Fragment,
    /// Row of the child grain.
    Fork,
    /// Row of the wait.
    Join,
    /// Row of the chunk's grain.
    Chunk,
    /// Row of the region: forks its implicit tasks and joins them.
    Region,
    /// Row of the hold that begins: it follows the lock's hold before it.
    Acquire,
    /// Row of the hold that ends.
    Release,
    /// Row of the fulfilment: an edge to the end of the task whose event it was.
    Fulfil,
    /// Row of the doacross point: an edge to what waits for it.
    Source,
    /// Row of the doacross point: it waited for a source.
    Sink,
}

/// A step of a grain, with its row in the table that its kind names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    Fragment(u32),
    Fork(GrainRow),
    Join(WaitRow),
    Chunk(GrainRow),
    Region(RegionRow),
    Acquire(u32),
    Release(u32),
    Fulfil(FulfilRow),
    Source(PointRow),
    Sink(PointRow),
}

impl Item {
    /// The item as [`Items`] keeps it.
    fn parts(self) -> (ItemKind, u32) {
        match self {
            Self::Fragment(row) => (ItemKind::Fragment, row),
            Self::Fork(row) => (ItemKind::Fork, row.number()),
            Self::Join(row) => (ItemKind::Join, row.number()),
            Self::Chunk(row) => (ItemKind::Chunk, row.number()),
            Self::Region(row) => (ItemKind::Region, row.number()),
            Self::Acquire(row) => (ItemKind::Acquire, row),
            Self::Release(row) => (ItemKind::Release, row),
            Self::Fulfil(row) => (ItemKind::Fulfil, row.number()),
            Self::Source(row) => (ItemKind::Source, row.number()),
            Self::Sink(row) => (ItemKind::Sink, row.number()),
        }
    }

    fn of(kind: ItemKind, row: u32) -> Self {
        match kind {
            ItemKind::Fragment => Self::Fragment(row),
            ItemKind::Fork => Self::Fork(Row::of_number(row)),
            ItemKind::Join => Self::Join(Row::of_number(row)),
            ItemKind::Chunk => Self::Chunk(Row::of_number(row)),
            ItemKind::Region => Self::Region(Row::of_number(row)),
            ItemKind::Acquire => Self::Acquire(row),
            ItemKind::Release => Self::Release(row),
            ItemKind::Fulfil => Self::Fulfil(Row::of_number(row)),
            ItemKind::Source => Self::Source(Row::of_number(row)),
            ItemKind::Sink => Self::Sink(Row::of_number(row)),
        }
    }
}

/// Little more than five bytes for each item, where a vector of [`Item`]s would take eight.
#[derive(Default)]
pub struct Items {
    pub kind: Vec<ItemKind>,
    pub row: Vec<u32>,
    /// The edges into these items are on the critical path.
    pub(crate) critical: Bits,
    /// For each grain: where its items begin, and where they end.
    pub start: Column<Grains, u32>,
    /// Empty if there are no chunks: then the items of a task end where those of the next begin.
    pub(crate) end: Column<Grains, u32>,
}

impl Items {
    #[inline]
    pub fn of(&self, grain: GrainRow) -> std::ops::Range<usize> {
        let next = || self.start.of(Some(Row::new(grain.at() + 1)));
        let end = self.end.of(Some(grain)).or_else(next);
        self.start[grain] as usize..end.map_or(self.kind.len(), |&end| end as usize)
    }

    #[inline]
    pub fn at(&self, item: usize) -> Item {
        Item::of(self.kind[item], self.row[item])
    }

    pub fn last(&self) -> Option<Item> {
        self.kind.len().checked_sub(1).map(|last| self.at(last))
    }

    pub fn iter(&self) -> impl Iterator<Item = Item> + '_ {
        self.kind.iter().zip(&self.row).map(|(&kind, &row)| Item::of(kind, row))
    }

    pub(crate) fn push(&mut self, item: Item) {
        let (kind, row) = item.parts();
        self.kind.push(kind);
        self.row.push(row);
    }

    /// Whether the edge into this item is on the critical path.
    pub fn is_critical(&self, item: usize) -> bool {
        self.critical.has(item)
    }
}

/// A worker had nothing to do.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    pub worker: u16,
    pub start: Ticks,
    pub end: Ticks,
    /// The worker that ended its sleep. `None`: no worker did, the worker did not sleep, or it is
    /// not known.
    pub woken: Option<Woken>,
}

/// A worker has woken another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Woken {
    /// The waker.
    pub by: u16,
    pub at: Ticks,
    pub cause: WakeCause,
}

/// Records left out because they name something that is not in the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strays {
    /// Tasks, regions and loops that two records define.
    pub repeated: u64,
    /// Records about a task, region or loop whose own record is missing.
    pub unknown: u64,
    /// Tasks that no chain of creations connects to an initial task.
    pub rootless: u64,
}

// There may be one of these for each record.
const _: () = {
    assert!(size_of::<Option<GrainRow>>() == 4);
    assert!(size_of::<ChunkInfo>() == 20);
    assert!(size_of::<LoopInfo>() == 56);
    assert!(size_of::<RegionInfo>() == 40);
    assert!(size_of::<WaitInfo>() == 40);
    assert!(size_of::<LockInfo>() == 48);
    assert!(size_of::<DoacrossInfo>() == 48);
    assert!(size_of::<FulfilInfo>() == 32);
    assert!(size_of::<RequestInfo>() == 32);
    assert!(size_of::<DeviceInfo>() == 88);
    assert!(size_of::<CallInfo>() == 48);
};

/// The number, or `None` for [`NONE`].
pub fn some_row(row: u32) -> Option<u32> {
    (row != NONE).then_some(row)
}
