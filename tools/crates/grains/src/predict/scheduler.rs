// SPDX-License-Identifier: Apache-2.0
//! What the virtual machine asks of a scheduler: which worker runs which ready strand, and whether
//! a worker leaves a strand for another. `stealing` and `priorities` implement it.

use crate::predict::strand::Strand;

/// A strand that a worker takes, and the time that it costs the worker to get there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Taken {
    pub strand: u32,
    pub owes: u64,
}

/// What happens at a worker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Event {
    /// It has done what it was busy with, or looks for something to do.
    Step,
    /// A request to give way arrives.
    Look,
    /// Nobody was asked to give way a while ago.
    Watch,
}

/// What a worker does at an instant, as others see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Running {
    /// The explicit task that it runs, and how long this task has run.
    pub task: Option<(u32, u64)>,
    pub idle: bool,
}

/// Tasks are numbers of their rows; [`NONE`](crate::NONE) is a strand without a task.
pub(super) trait Scheduler {
    /// The strand is ready for any worker. `worker` has made it ready.
    fn push(&mut self, now: u64, worker: u32, strand: u32, what: &Strand);
    /// The strand is ready, and this worker alone may run it.
    fn pin(&mut self, worker: u32, strand: u32, what: &Strand);
    /// The only worker that may run the strand; `None`: any worker may.
    fn stays_on(&self, what: &Strand) -> Option<u32>;
    /// What the worker runs next, before it helps with loops.
    fn own(&mut self, worker: u32) -> Option<Taken>;
    /// The same, if there is no loop either.
    fn steal(&mut self, worker: u32) -> Option<Taken>;

    /// How long a task waits before it may create the child.
    fn until_creation(&mut self, _now: u64, _creator: u32, _child: u32) -> u64 {
        0
    }
    /// A wait of the task is over, which ended at `recorded` in the recording.
    fn continues(&mut self, _now: u64, _task: u32, _recorded: u64) {}
    /// It runs its task from this instant on.
    fn starts(&mut self, _at: u64, _worker: u32, _task: u32, _strand: u32) {}
    /// The task's body is over. It has run for `ran`.
    fn ended(&mut self, _task: u32, _ran: u64) {}
    /// The body is over and the task's event fulfilled.
    fn finished(&mut self, _now: u64, _task: u32) {}

    /// The priority of the strand, if workers may be asked to give way to it.
    fn asks_for(&self, _what: &Strand) -> Option<i32> {
        None
    }
    /// A strand of this priority is ready for any worker. Returns which event happens at which
    /// worker because of it, and when.
    fn ask(&mut self, _now: u64, _by: u32, _priority: i32, _all: &[Running]) -> Option<(u64, u32, Event)> {
        None
    }
    /// The same for a strand that only `home` may run.
    fn ask_home(&mut self, _now: u64, _home: u32, _priority: i32, _all: &[Running]) -> Option<u64> {
        None
    }
    /// [`Event::Watch`] happens at the worker.
    fn watched(&mut self, _now: u64, _worker: u32, _all: &[Running]) -> Option<(u64, u32, Event)> {
        None
    }
    /// [`Event::Look`] happens at the worker.
    fn is_asked(&mut self, _worker: u32) {}
    /// Whether the worker leaves the strand that it runs.
    fn gives_way(&mut self, _worker: u32, _what: &Strand) -> bool {
        false
    }
    /// It leaves the strand, which is ready.
    fn leave(&mut self, _worker: u32, _strand: u32, _what: &Strand) {}
}
