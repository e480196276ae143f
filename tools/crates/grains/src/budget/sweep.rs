// SPDX-License-Identifier: Apache-2.0
//! Cuts a worker's time into pieces by what the worker was in.
//!
//! The sweep merges three lists of intervals, each in the order in which the intervals began:
//! fragments of grains; intervals above them (creation of a task, book-keeping of a loop, other
//! work of the runtime); and contexts below them (waits, also for locks and other iterations, and
//! teams). At any instant the highest open interval says what the worker does. Contexts nest: of
//! several open contexts, the one that began last counts.

use std::cmp::Reverse;

use crate::budget::above::Above;
use crate::csr::Groups;
use crate::switches::Switches;
use crate::tables::{CallRow, GrainKind, GrainRow, PointRow, WaitRow};
use crate::ticks::Ticks;
use crate::{Profile, Row, NONE};

/// The state of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Row of the fragment.
    Work(u32),
    /// Row of the task being created.
    Creation(GrainRow),
    /// Row of the chunk's grain.
    Books(GrainRow),
    /// Row of the wait; no task runs.
    Wait(WaitRow),
    /// Row of the hold that is waited for.
    Lock(u32),
    /// Row of the point of a doacross loop that is waited for.
    Sink(PointRow),
    /// Row of what the runtime did in a fulfilment or at a point of a doacross loop.
    Call(CallRow),
    /// Row of its implicit task; no task runs.
    Team(GrainRow),
    /// Row of the recorder's work, where no task ran and none waited.
    Recorder(u32),
    Outside,
}

/// Receives the pieces of one worker in the order of time. The pieces cover the time from 0 to the
/// wall time without gaps.
pub(crate) trait Pieces {
    fn piece(&mut self, begin: Ticks, end: Ticks, state: State);
    /// Two fragments, or two intervals above fragments, overlap by `time`.
    fn conflict(&mut self, time: Ticks);
}

/// The rows of each worker's intervals.
pub(crate) struct Workers<'a> {
    profile: &'a Profile,
    intervals: &'a Above<'a>,
    fragments: Groups<u32, u32>,
    above: Groups<u32, GrainRow>,
    waits: Groups<u32, WaitRow>,
    members: Groups<u32, GrainRow>,
    locks: Groups<u32, u32>,
    sinks: Groups<u32, PointRow>,
    calls: Groups<u32, CallRow>,
    /// The work of the recorder outside of tasks.
    recorder: Groups<u32, u32>,
    initial: Groups<u32, GrainRow>,
    /// The number of each worker's stream.
    streams: Vec<u16>,
    number: usize,
}

/// What is known of a worker beside its intervals.
pub(crate) struct Worker<'a> {
    /// The start and end of each initial task that it ran, in order.
    pub initial: Vec<(Ticks, Ticks)>,
    pub switches: Option<&'a Switches>,
}

impl<'a> Workers<'a> {
    pub fn of(profile: &'a Profile, intervals: &'a Above<'a>) -> Self {
        let grains = &profile.grains;
        let dense = Dense::of(profile);
        let of_grain = |row: GrainRow| {
            if grains.start[row] <= grains.end[row] {
                dense.row(grains.worker[row])
            } else {
                NONE
            }
        };
        let creator = |row: GrainRow| match grains.kind[row] {
            GrainKind::Task => grains.parent[row].map_or(NONE, of_grain),
            GrainKind::Chunk => of_grain(row),
            _ => NONE,
        };
        let member = |row: GrainRow| match profile.member_of[row] {
            None => NONE,
            Some(_) => of_grain(row),
        };
        let initial = |row: GrainRow| match grains.kind[row] {
            GrainKind::Initial => of_grain(row),
            _ => NONE,
        };
        let number = dense.number;
        Self {
            fragments: Groups::new(number, profile.fragments.grain.iter().map(|&grain| of_grain(grain))),
            above: Groups::new(number, grains.rows().map(creator)),
            waits: Groups::new(number, profile.waits.iter().map(|wait| dense.row(wait.worker))),
            members: Groups::new(number, grains.task_rows().map(member)),
            locks: Groups::new(number, profile.locks.iter().map(|hold| dense.row(hold.worker))),
            sinks: Groups::new(number, profile.doacross.iter().map(|point| of_grain(point.task))),
            calls: Groups::new(number, profile.calls.iter().map(|call| dense.row(call.worker))),
            profile,
            recorder: Groups::new(number, profile.recorder.apart.iter().map(|apart| dense.row(apart.worker))),
            initial: Groups::new(number, grains.task_rows().map(initial)),
            intervals,
            streams: dense.streams,
            number,
        }
    }

    /// Workers that recorded something.
    pub fn len(&self) -> usize {
        self.number
    }

    pub fn worker(&self, worker: usize) -> Worker<'a> {
        let stream = self.stream(worker);
        Worker { initial: self.initial(worker), switches: self.profile.switches.get(usize::from(stream)) }
    }

    pub fn stream(&self, worker: usize) -> u16 {
        self.streams.get(worker).copied().unwrap_or_default()
    }

    fn initial(&self, worker: usize) -> Vec<(Ticks, Ticks)> {
        let grains = &self.profile.grains;
        let rows = self.initial.of(worker as u32).iter();
        let mut all: Vec<_> = rows.map(|&row| (grains.start[row], grains.end[row])).collect();
        all.sort_unstable();
        all
    }

    /// Returns `out` after it has received all pieces of the worker.
    pub fn swept<P: Pieces>(&self, worker: usize, mut out: P) -> P {
        self.sweep(worker, &mut out);
        out
    }

    pub fn sweep(&self, worker: usize, out: &mut impl Pieces) {
        let profile = self.profile;
        let worker = worker as u32;
        let (fragments, grains) = (&profile.fragments, &profile.grains);
        let run = |row: u32| (fragments.start[row as usize], fragments.end[row as usize]);
        let contexts = self.waits.of(worker).iter().map(|wait| wait.number());
        let members = self.members.of(worker).iter().map(|row| row.number() | TEAM);
        let locks = self.locks.of(worker).iter().map(|row| row | LOCK);
        let sinks = self.sinks.of(worker).iter().map(|row| row.number() | SINK);
        let contexts = contexts.chain(members).chain(locks).chain(sinks);
        let apart = self.recorder.of(worker).iter().map(|row| row | APART);
        let calls = self.calls.of(worker).iter().map(|row| row.number() | CALL);
        let above = self.above.of(worker).iter().map(|row| row.number()).chain(apart).chain(calls).collect();
        Sweep {
            fragments: List::new(self.fragments.of(worker).to_vec(), run),
            above: List::new(above, |row| self.above_interval(row)),
            contexts: List::new(contexts.collect(), |row| self.context(row)),
            wall: profile.wall,
        }
        .run(|row| grains.kind[row], out);
    }

    fn above_interval(&self, row: u32) -> (Ticks, Ticks) {
        if row & APART != 0 {
            let apart = &self.profile.recorder.apart[(row & !APART) as usize];
            return (apart.begin, apart.end());
        }
        if row & CALL == 0 {
            return self.intervals.interval(Row::of_number(row));
        }
        let call = &self.profile.calls[Row::of_number(row & !CALL)];
        (call.begin, call.end)
    }

    fn context(&self, row: u32) -> (Ticks, Ticks) {
        let profile = self.profile;
        let at = (row & !KIND) as usize;
        match row & KIND {
            TEAM => {
                let region = profile.regions.of(profile.member_of[Row::new(at)]);
                region.map_or_else(Default::default, |region| (region.begin, region.end))
            }
            LOCK => (profile.locks[at].had - profile.locks[at].waited, profile.locks[at].had),
            SINK => {
                let point = &profile.doacross[Row::new(at)];
                (point.when - point.waited, point.when)
            }
            _ => {
                let wait = &profile.waits[Row::new(at)];
                (wait.begin, wait.end)
            }
        }
    }
}

/// In a row of an interval above fragments: the interval is the recorder's work, not a creation.
const APART: u32 = 1 << 31;
/// ... the interval is work of the runtime in another construct.
const CALL: u32 = 1 << 30;
/// In a row of a context: the row of an implicit task, not of a wait.
const TEAM: u32 = 1 << 30;
/// ... the row of a hold.
const LOCK: u32 = 2 << 30;
/// ... the row of a point of a doacross loop.
const SINK: u32 = 3 << 30;
const KIND: u32 = 3 << 30;

struct Sweep<F, A, C> {
    fragments: List<F>,
    above: List<A>,
    contexts: List<C>,
    wall: Ticks,
}

type Interval = (Ticks, Ticks);

impl<F, A, C> Sweep<F, A, C>
where
    F: Fn(u32) -> Interval,
    A: Fn(u32) -> Interval,
    C: Fn(u32) -> Interval,
{
    fn run(mut self, kind: impl Fn(GrainRow) -> GrainKind, out: &mut impl Pieces) {
        let mut now = Ticks::ZERO;
        while now < self.wall {
            let conflict = self.fragments.open_at(now) + self.above.open_at(now);
            if conflict > Ticks::ZERO {
                out.conflict(conflict);
            }
            self.contexts.open_at(now);
            let tops = [self.above.top(), self.fragments.top(), self.contexts.top()];
            let state = match tops {
                [Some(top), ..] if top.row & APART != 0 => State::Recorder(top.row & !APART),
                [Some(top), ..] if top.row & CALL != 0 => State::Call(Row::of_number(top.row & !CALL)),
                [Some(top), ..] => {
                    let grain = GrainRow::of_number(top.row);
                    if kind(grain) == GrainKind::Chunk {
                        State::Books(grain)
                    } else {
                        State::Creation(grain)
                    }
                }
                [_, Some(top), _] => State::Work(top.row),
                [_, _, Some(top)] => match top.row & KIND {
                    TEAM => State::Team(Row::of_number(top.row & !KIND)),
                    LOCK => State::Lock(top.row & !KIND),
                    SINK => State::Sink(Row::of_number(top.row & !KIND)),
                    _ => State::Wait(Row::of_number(top.row)),
                },
                _ => State::Outside,
            };
            let begins = [self.fragments.next(), self.above.next(), self.contexts.next()];
            let ends = tops.iter().flatten().map(|top| top.end);
            let until = begins.into_iter().flatten().chain(ends).fold(self.wall, Ticks::min);
            out.piece(now, until, state);
            now = until;
        }
    }
}

#[derive(Clone, Copy)]
struct Open {
    row: u32,
    end: Ticks,
}

/// Intervals in the order in which they began, and the open intervals.
struct List<I> {
    rows: std::iter::Peekable<std::vec::IntoIter<u32>>,
    open: Vec<Open>,
    interval: I,
}

impl<I: Fn(u32) -> Interval> List<I> {
    /// Intervals without length are left out.
    fn new(mut rows: Vec<u32>, interval: I) -> Self {
        rows.retain(|&row| interval(row).0 < interval(row).1);
        // Of intervals that begin at the same time, the outer one comes first.
        rows.sort_unstable_by_key(|&row| (interval(row).0, Reverse(interval(row).1)));
        Self { rows: rows.into_iter().peekable(), open: Vec::new(), interval }
    }

    /// Opens the intervals that have begun by `now`, and forgets those that have ended. Returns for
    /// how long the newly opened intervals overlap with intervals that were open.
    fn open_at(&mut self, now: Ticks) -> Ticks {
        let mut beside = Ticks::ZERO;
        self.forget(now);
        while let Some(row) = self.rows.next_if(|&row| (self.interval)(row).0 <= now) {
            let (begin, end) = (self.interval)(row);
            if let Some(top) = self.top() {
                beside += top.end.min(end) - begin;
            }
            if end > now {
                self.open.push(Open { row, end });
            }
        }
        beside
    }

    fn forget(&mut self, now: Ticks) {
        while self.open.last().is_some_and(|open| open.end <= now) {
            self.open.pop();
        }
    }

    fn top(&self) -> Option<Open> {
        self.open.last().copied()
    }

    fn next(&mut self) -> Option<Ticks> {
        self.rows.peek().map(|&row| (self.interval)(row).0)
    }
}

/// Numbers the streams consecutively, without gaps for missing streams.
struct Dense {
    of_stream: Vec<u32>,
    streams: Vec<u16>,
    number: usize,
}

impl Dense {
    fn of(profile: &Profile) -> Self {
        let streams =
            profile.grains.worker.iter().copied().chain(profile.waits.iter().map(|wait| wait.worker));
        let mut seen = Vec::new();
        for stream in streams {
            let at = usize::from(stream);
            if seen.len() <= at {
                seen.resize(at + 1, false);
            }
            seen[at] = true;
        }
        let mut number = 0;
        let of_stream = seen.iter().map(|&seen| {
            number += usize::from(seen);
            if seen {
                number as u32 - 1
            } else {
                NONE
            }
        });
        let of_stream = of_stream.collect();
        let streams = (0..=u16::MAX).zip(&seen).filter(|stream| *stream.1).map(|stream| stream.0).collect();
        Self { of_stream, streams, number }
    }

    fn row(&self, stream: u16) -> u32 {
        self.of_stream.get(usize::from(stream)).copied().unwrap_or(NONE)
    }
}
