// SPDX-License-Identifier: Apache-2.0
//! Records as values. The times of a record are not in it but in [`crate::Entry`]; durations are in
//! ticks.

use crate::id::{LoopId, RegionId, TaskId};
use crate::layout::{u32_at, u64_at};
use crate::ticks::Stamp;

/// What a TEAM_SIZE record says of the share of its implicit task's thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShareMark {
    /// The task asked for the size of its team: what follows is its thread's share.
    Asked,
    /// It begins the body of a `single`: up to its next barrier nothing is.
    Single,
    /// It has got its part of a static loop, or of sections: what follows is its thread's share.
    LoopBegins {
        /// Of the whole loop.
        iterations: u64,
    },
    /// It is past that loop.
    LoopEnds,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Record<'a> {
    Site(Site),
    Module(Module<'a>),
    Create(Create),
    Run(Run),
    Wait(Wait),
    Region(Region),
    RegionEnd {
        region: RegionId,
    },
    Loop(Loop),
    Chunk(Chunk),
    LoopThread(LoopThread),
    Dep(Dep),
    Idle {
        ticks: u64,
        /// The number of the sleep that another ended; 0: none did, or it is not known.
        sleep: u32,
    },
    Steal {
        task: TaskId,
        victim: u32,
    },
    Clock(crate::ClockPair),
    Start {
        task: TaskId,
        region: RegionId,
    },
    Lost {
        records: u64,
    },
    GroupBegin {
        task: TaskId,
    },
    Priority {
        task: TaskId,
        priority: i32,
    },
    Fulfil(Fulfil),
    Thread(Thread),
    Lock(Lock),
    Memory(Memory),
    Processor(Processor),
    Counter(Counter<'a>),
    Counts(Counts<'a>),
    Sampling(Sampling),
    /// The thread worked for the recorder: what ran there stood still.
    Recorder {
        ticks: u64,
    },
    Doacross(Doacross),
    CallPath(CallPath<'a>),
    /// Something by which a thread's share of work is known.
    TeamSize {
        task: TaskId,
        share: ShareMark,
    },
    Wake(Wake),
    /// The thread was found on another processor than at the look before.
    Moved {
        processor: u32,
    },
    Request(Request),
    /// The host of devices has carried out a construct.
    Device(Device),
    /// It has asked a device what its counter shows. The record's instant is when it asked.
    Exchange {
        device: u32,
        /// Until the answer.
        ticks: u32,
        /// The device's readings meanwhile.
        began: Stamp,
        ended: Stamp,
    },
    /// The thread was off its processor.
    Off {
        ticks: u64,
        /// It could have gone on; else it slept.
        preempted: bool,
    },
    /// Recording was switched on or off.
    Window(Window),
    Span(Span),
    Name(Name<'a>),
    Sample(Sample),
    Samples(Samples),
    Stack(Stack<'a>),
    Code(Code<'a>),
    /// The stack of the sample before this record.
    Sampled {
        stack: u32,
    },
    /// A thread of the recorder's prepared the stream's chunk.
    /// The fields of [`crate::Sums`].
    Sums {
        fields: &'a [u8],
    },
    Prepared {
        ticks: u64,
        processor: u32,
    },
}

/// Where the thread was when it had used another period of CPU time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sample {
    /// Absolute; 0: not known.
    pub address: u64,
    pub module: u32,
    /// How many samples before this one fell into the kernel, and are not shown.
    pub unseen: u32,
    pub period_ns: u64,
    /// Bits of [`crate::layout::sample`].
    pub flags: u8,
}

/// Samples begin, were refused, or were lost.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Samples {
    pub lost: u64,
    pub period_ns: u64,
    /// Bits of [`crate::layout::samples`].
    pub flags: u8,
}

/// The calls by which samples were reached; what it names is local to the stream.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stack<'a> {
    pub stack: u32,
    /// Bits of [`crate::layout::path`].
    pub flags: u8,
    /// [`PATH_FRAME_BYTES`] for each frame.
    pub frames: &'a [u8],
}

/// In a [`Stack`].
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StackFrame {
    /// The absolute address to which the call returns; of Python: the line.
    pub address: u64,
    /// Of Python: the code.
    pub module: u32,
    /// Bits of [`crate::layout::stack_frame`].
    pub flags: u32,
}

impl Stack<'_> {
    /// From the sampled function's caller outwards, then those of Python, innermost first.
    pub fn frames(&self) -> impl Iterator<Item = StackFrame> + '_ {
        self.frames.chunks_exact(PATH_FRAME_BYTES).map(|frame| StackFrame {
            address: u64_at(frame, 0),
            module: u32_at(frame, 8),
            flags: u32_at(frame, 12),
        })
    }
}

/// A function of Python.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Code<'a> {
    pub code: u32,
    /// The source file, a newline, and the name of the function; not necessarily UTF-8.
    pub text: &'a [u8],
}

/// A place in the program; addresses are absolute, `site` and `module` are local to the stream.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Site {
    pub site: u32,
    pub module: u32,
    pub call_site: u64,
    pub function: u64,
}

/// By which calls the program has come to a site; what it names is local to the stream.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CallPath<'a> {
    pub site: u32,
    /// Bits of [`crate::layout::path`].
    pub flags: u8,
    /// [`PATH_FRAME_BYTES`] for each frame.
    pub frames: &'a [u8],
    /// Lines of Python above them, as CPython's faulthandler prints them; not necessarily UTF-8.
    pub python: &'a [u8],
}

/// In a [`CallPath`].
pub const PATH_FRAME_BYTES: usize = 16;

impl CallPath<'_> {
    /// From the construct's function outwards: the absolute address to which its call returns, and
    /// the module.
    pub fn frames(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.frames.chunks_exact(PATH_FRAME_BYTES).map(|frame| (u64_at(frame, 0), u32_at(frame, 8)))
    }
}

/// A loaded object: file address = absolute address - `bias`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Module<'a> {
    pub module: u32,
    pub bias: u64,
    /// The first 8 bytes of its GNU build id; 0: not known.
    pub build_id: u64,
    /// Tells builds apart that have no such id; 0: not known.
    pub build_mark: u64,
    /// As the program's loader named it; not necessarily UTF-8.
    pub path: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Create {
    pub task: TaskId,
    pub parent: TaskId,
    pub site: u32,
    /// Ticks from meeting the construct until the task was ready or ran.
    /// In an implicit task: its thread number in the team.
    pub cost: u32,
    /// Bits of [`crate::layout::task`].
    pub flags: u8,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Run {
    pub task: TaskId,
    /// From start to end, all waits included.
    pub ticks: u64,
    pub cpu: u16,
    pub region: RegionId,
    /// Bits of [`crate::layout::run`].
    pub flags: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum WaitKind {
    Taskwait = 1,
    Taskgroup = 2,
    Barrier = 3,
    ImplicitBarrier = 4,
    RegionEnd = 5,
    Depend = 6,
    Taskyield = 7,
    Critical = 8,
    Lock = 9,
    Ordered = 10,
    /// For a task that its creator ran at once, as its queue was full. Version 1 has a yield there.
    RunAtOnce = 11,
    /// The worker was taken away from the task.
    Preempted = 12,
}

impl WaitKind {
    /// One more than the greatest number of a kind.
    pub(crate) const COUNT: usize = Self::Preempted as usize + 1;

    pub const fn from_u8(value: u8) -> Option<Self> {
        Some(match value {
            1 => Self::Taskwait,
            2 => Self::Taskgroup,
            3 => Self::Barrier,
            4 => Self::ImplicitBarrier,
            5 => Self::RegionEnd,
            6 => Self::Depend,
            7 => Self::Taskyield,
            8 => Self::Critical,
            9 => Self::Lock,
            10 => Self::Ordered,
            11 => Self::RunAtOnce,
            12 => Self::Preempted,
            _ => return None,
        })
    }

    /// Waits for the whole team.
    pub const fn is_barrier(self) -> bool {
        matches!(self, Self::Barrier | Self::ImplicitBarrier | Self::RegionEnd)
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wait {
    pub kind: WaitKind,
    pub task: TaskId,
    pub ticks: u64,
    pub site: u32,
    /// The number of the barrier within the region, from 1; 0 if it is not a barrier.
    pub barrier: u32,
    /// How often the task left its stack to others meanwhile.
    pub departures: u16,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Region {
    pub region: RegionId,
    pub parent: TaskId,
    pub site: u32,
    pub threads: u32,
    pub requested: u32,
    pub level: u32,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Loop {
    pub id: LoopId,
    pub region: RegionId,
    pub site: u32,
    pub threads: u32,
    pub lb: i64,
    /// Not included.
    pub ub: i64,
    pub step: i64,
    /// 0: not given.
    pub chunk: i64,
    /// Bits of [`crate::layout::schedule`].
    pub flags: u8,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Chunk {
    pub id: LoopId,
    /// The implicit task that ran it.
    pub task: TaskId,
    pub first: i64,
    pub iterations: u64,
    pub ticks: u64,
    pub cpu: u16,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LoopThread {
    pub id: LoopId,
    pub task: TaskId,
    pub ticks: u64,
}

/// What a depend clause says of a list item.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum DepKind {
    /// A record of version 1, or a kind that this reader does not know.
    #[default]
    Unknown = 0,
    In = 1,
    /// Only from a depend object; otherwise recorded as [`DepKind::Inout`].
    Out = 2,
    Inout = 3,
    Mutexinoutset = 4,
    Inoutset = 5,
    AllMemory = 6,
}

impl DepKind {
    pub const fn from_u8(value: u8) -> Self {
        match value {
            1 => Self::In,
            2 => Self::Out,
            3 => Self::Inout,
            4 => Self::Mutexinoutset,
            5 => Self::Inoutset,
            6 => Self::AllMemory,
            _ => Self::Unknown,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Dep {
    pub successor: TaskId,
    pub predecessor: TaskId,
    pub address: u64,
    /// What the successor says of the address.
    pub kind: DepKind,
    /// What the predecessor did to it: in, inoutset, or inout for all that exclude others.
    pub predecessor_kind: DepKind,
    /// The predecessor had finished already.
    pub fulfilled: bool,
    /// For a taskwait: the successor is the task that waits itself, in the wait of kind
    /// [`WaitKind::Depend`] that follows in the stream.
    pub of_wait: bool,
}

/// The event of a detachable task was fulfilled.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Fulfil {
    pub task: TaskId,
    /// How long the call took; 0: not known.
    pub ticks: u64,
    /// Bits of [`crate::layout::fulfil`].
    pub flags: u8,
}

/// What the thread that has the stream has used so far.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Thread {
    /// Since the thread began.
    pub cpu_ns: u64,
    /// The recorder's work on files and places, by all threads that had the stream.
    pub recorder_ticks: u64,
    pub os_thread: u32,
    /// How often it gave its processor up, to sleep or wait, modulo 2^16; both 0: not known.
    pub waits: u16,
    /// ... and lost it to another, or yielded it.
    pub preemptions: u16,
    /// Bits of [`crate::layout::thread`].
    pub flags: u8,
}

/// What is held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum LockKind {
    Critical = 1,
    #[default]
    Lock = 2,
    NestLock = 3,
    Atomic = 4,
    /// An ordered region of a loop.
    Ordered = 5,
}

impl LockKind {
    pub const fn from_u8(value: u8) -> Option<Self> {
        Some(match value {
            1 => Self::Critical,
            2 => Self::Lock,
            3 => Self::NestLock,
            4 => Self::Atomic,
            5 => Self::Ordered,
            _ => return None,
        })
    }
}

/// One hold of a lock, from the record's time on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lock {
    pub task: TaskId,
    pub address: u64,
    /// Ticks before the record's time.
    pub waited: u64,
    /// Ticks from the record's time on.
    pub held: u64,
    pub site: u32,
    pub kind: LockKind,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Memory {
    pub footprint_bytes: u64,
    pub runtime_bytes: u64,
    pub allocations: u64,
    pub allocated_bytes: u64,
}

/// Why a sleeper was woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum WakeCause {
    /// One that this reader does not know.
    #[default]
    Unknown = 0,
    /// A task was ready.
    Task = 1,
    /// What a task there waited for had come about.
    Event = 2,
    /// All of the team that slept were woken.
    Team = 3,
    /// It got its place in a region, or was sent away from its team.
    Region = 4,
    /// The leader: the last of the others had ended its part of the region.
    Join = 5,
}

impl WakeCause {
    pub const fn from_u8(value: u8) -> Self {
        match value {
            1 => Self::Task,
            2 => Self::Event,
            3 => Self::Team,
            4 => Self::Region,
            5 => Self::Join,
            _ => Self::Unknown,
        }
    }
}

/// The worker of the stream has woken another.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Wake {
    /// Its stream.
    pub sleeper: u32,
    /// The number of its sleep.
    pub sleep: u32,
    /// How long the waker was at it.
    pub ticks: u64,
    pub cause: WakeCause,
}

/// The outcome of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum RequestEnd {
    /// An outcome that this reader does not know.
    #[default]
    Unknown = 0,
    /// The worker's task was preempted.
    Preempted = 1,
    /// No task was to run instead of the worker's task.
    Nothing = 2,
    /// The worker's task ended or waited before it was preempted.
    ByItself = 3,
}

impl RequestEnd {
    pub const fn from_u8(value: u8) -> Self {
        match value {
            1 => Self::Preempted,
            2 => Self::Nothing,
            3 => Self::ByItself,
            _ => Self::Unknown,
        }
    }
}

/// The worker of the stream was asked to leave its task for a task of a higher priority, and has
/// looked for one.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Request {
    /// The worker's task when it looked; none: the task had ended or waited.
    pub task: TaskId,
    /// The time from the request until the worker looked; 0: not known.
    pub ticks: u64,
    /// The highest priority that was requested.
    pub priority: i32,
    pub end: RequestEnd,
}

/// The constructs that a device carries out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[repr(u8)]
pub enum DeviceConstruct {
    /// A kind that this reader does not know.
    #[default]
    Unknown = 0,
    Target = 1,
    /// `target data` begins.
    Data = 2,
    EndData = 3,
    EnterData = 4,
    ExitData = 5,
    Update = 6,
    /// `omp_target_memcpy`, and the like.
    Routine = 7,
}

impl DeviceConstruct {
    pub const fn from_u8(value: u8) -> Self {
        match value {
            1 => Self::Target,
            2 => Self::Data,
            3 => Self::EndData,
            4 => Self::EnterData,
            5 => Self::ExitData,
            6 => Self::Update,
            7 => Self::Routine,
            _ => Self::Unknown,
        }
    }
}

/// A construct on a device, at the host. The times follow one another, from when it was ready.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Device {
    /// The task that met it; if it is deferred, its own.
    pub task: TaskId,
    pub site: u32,
    pub device: u32,
    /// Of data.
    pub bytes_to: u64,
    pub bytes_from: u64,
    /// Until no other construct had the device.
    pub waited: u64,
    /// Until sending began.
    pub prepared: u64,
    /// Until the answer began.
    pub there: u64,
    /// Until the answer's data were there.
    pub received: u64,
    /// The part of `there` in which the region ran, in ns by the device's clock.
    pub ran_ns: u64,
    /// Readings of the device's counter when the data were there, and before the answer was sent;
    /// `None`: not known.
    pub on_device: Option<(Stamp, Stamp)>,
    pub construct: DeviceConstruct,
    /// A thread of the runtime carried it out.
    pub is_deferred: bool,
}

/// An iteration of a doacross loop, as its source or a sink names it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Doacross {
    pub id: LoopId,
    /// The implicit task that came to the construct.
    pub task: TaskId,
    /// The linear number of the source in the nest, from 0.
    pub iteration: u64,
    /// How long a sink waited for it.
    pub waited: u64,
    /// How long the construct took: a source from then on, a sink until then. 0: not known.
    pub ticks: u64,
    /// Bits of [`crate::layout::doacross`].
    pub flags: u8,
}

/// Where a processor is in the machine. [`u32::MAX`]: not known.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Processor {
    pub processor: u32,
    pub core: u32,
    pub cache: u32,
    pub numa_node: u32,
    pub package: u32,
    pub place: u32,
}

/// A hardware counter; its number is local to the stream.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counter<'a> {
    pub counter: u32,
    pub name: &'a [u8],
}

/// Values of the counters from `first` on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts<'a> {
    pub first: u32,
    pub task: TaskId,
    /// What reading the counters took at the start of the fragment, and at its end.
    pub before: u32,
    pub after: u32,
    /// `TEFF_COUNTS_*`
    pub flags: u8,
    /// 8 for each value.
    pub bytes: &'a [u8],
}

impl Counts<'_> {
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        self.bytes.chunks_exact(8).map(|word| u64_at(word, 0))
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sampling {
    /// 0: nanoseconds.
    pub counter: u32,
    /// The number of counts between two samples.
    pub period: u64,
}

/// A stretch of time in which the process was recorded begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Window {
    /// Number 0 begins with the recording.
    pub number: u64,
    /// Bits of [`crate::layout::window`].
    pub flags: u8,
}

/// A named span of the program begins or ends on the stream's thread. Spans nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    pub task: TaskId,
    /// A number of the stream; 0: there were too many names.
    pub name: u32,
    /// The number of spans around it.
    pub depth: u32,
    /// Bits of [`crate::layout::span`].
    pub flags: u8,
}

/// The name of spans; its number is local to the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Name<'a> {
    pub name: u32,
    /// Not necessarily UTF-8.
    pub text: &'a [u8],
}
