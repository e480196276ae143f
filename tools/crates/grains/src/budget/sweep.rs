// SPDX-License-Identifier: Apache-2.0
//! Cuts a worker's time into pieces by what the worker was in.
//!
//! The sweep merges three lists of intervals, each in the order in which the intervals began:
//! fragments of grains; intervals above them (creation of a task, book-keeping of a loop, other
//! work of the runtime); and contexts below them (waits, also for locks and other iterations, and
//! teams). At any instant the highest open interval says what the worker does. Contexts nest: of
//! several open contexts, the one that began last counts.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::budget::above::Above;
use crate::by_time;
use crate::csr::Groups;
use crate::near::Near;
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

/// The intervals of all workers.
pub(crate) struct Workers<'a> {
    profile: &'a Profile,
    intervals: &'a Above<'a>,
    lists: Vec<Lists>,
    initial: Groups<u32, GrainRow>,
    /// The number of each worker's stream.
    streams: Vec<u16>,
}

/// The rows of one worker's intervals. Intervals without length are left out, and the others are
/// in the order in which they began. Of those that began at the same time, the outer one comes
/// first.
struct Lists {
    fragments: Vec<u32>,
    above: Vec<u32>,
    contexts: Vec<u32>,
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
            if grains.start.of(row) <= grains.end.of(row) {
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
        let initial = Groups::new(number, grains.task_rows().map(initial));
        let streams = dense.streams.clone();
        let mut this = Self { profile, intervals, lists: Vec::new(), initial, streams };
        let fragments = (0..).zip(&profile.fragments.grain).map(|(row, &grain)| (of_grain(grain), row));
        let fragments = in_order(deal(number, fragments), |row, _| this.fragment(row), |_| 0);
        let above = grains.rows().map(|row| (creator(row), row.number()));
        let apart = (0..).zip(&profile.recorder.apart);
        let apart = apart.map(|(row, apart)| (dense.row(apart.worker), row | APART));
        let calls = profile.calls.entries();
        let calls = calls.map(|(row, call)| (dense.row(call.worker), row.number() | CALL));
        let above = deal(number, above.chain(apart).chain(calls));
        let above = in_order(above, |row, near| this.above_interval(row, near), |_| 0);
        let waits = profile.waits.entries().map(|(row, wait)| (dense.row(wait.worker), row.number()));
        let members = grains.task_rows().map(|row| (member(row), row.number() | TEAM));
        let locks = (0..).zip(&profile.locks).map(|(row, hold)| (dense.row(hold.worker), row | LOCK));
        let sinks = profile.doacross.entries();
        let sinks = sinks.map(|(row, point)| (of_grain(point.task), row.number() | SINK));
        let contexts = deal(number, waits.chain(members).chain(locks).chain(sinks));
        let contexts = in_order(contexts, |row, _| this.context(row), height);
        let lists = fragments.into_iter().zip(above).zip(contexts);
        let lists = lists.map(|((fragments, above), contexts)| Lists { fragments, above, contexts });
        this.lists = lists.collect();
        this
    }

    /// Workers that recorded something.
    pub fn len(&self) -> usize {
        self.lists.len()
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
        let mut all: Vec<_> = rows.map(|&row| (grains.start.of(row), grains.end.of(row))).collect();
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
        let lists = &self.lists[worker];
        let near = Near::default();
        Sweep {
            fragments: List::new(&lists.fragments, |row| self.fragment(row)),
            above: List::new(&lists.above, |row| self.above_interval(row, &near)),
            contexts: List::new(&lists.contexts, |row| self.context(row)),
            wall: profile.wall,
        }
        .run(|row| profile.grains.kind[row], out);
    }

    fn fragment(&self, row: u32) -> Interval {
        let fragments = &self.profile.fragments;
        (fragments.start(row), fragments.end(row))
    }

    fn above_interval(&self, row: u32, near: &Near) -> Interval {
        if row & APART != 0 {
            let apart = &self.profile.recorder.apart[(row & !APART) as usize];
            return (apart.begin, apart.end());
        }
        if row & CALL == 0 {
            return self.intervals.interval(Row::of_number(row), near);
        }
        let call = &self.profile.calls[Row::of_number(row & !CALL)];
        (call.begin, call.end)
    }

    fn context(&self, row: u32) -> Interval {
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

struct Sweep<'a, F, A, C> {
    fragments: List<'a, F>,
    above: List<'a, A>,
    contexts: List<'a, C>,
    wall: Ticks,
}

type Interval = (Ticks, Ticks);

impl<F, A, C> Sweep<'_, F, A, C>
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

/// The order of equal contexts, from below: a team lies below the waits in it, and a wait below
/// those that were recorded before it, also where an end of a window cuts all of them.
fn height(context: u32) -> u32 {
    match context & KIND {
        0 => u32::MAX - 1 - context, // a wait
        TEAM => 0,
        _ => u32::MAX,
    }
}

/// The rows of each worker. [`NONE`] is no worker.
fn deal(workers: usize, rows: impl Iterator<Item = (u32, u32)> + Clone) -> Vec<Vec<u32>> {
    let mut count = vec![0; workers];
    for (worker, _) in rows.clone() {
        if let Some(count) = count.get_mut(worker as usize) {
            *count += 1;
        }
    }
    let mut dealt: Vec<_> = count.into_iter().map(Vec::with_capacity).collect();
    for (worker, row) in rows {
        if let Some(of_worker) = dealt.get_mut(worker as usize) {
            of_worker.push(row);
        }
    }
    dealt
}

/// For each worker: its rows in the order in which their intervals began.
fn in_order(
    rows: Vec<Vec<u32>>,
    interval: impl Fn(u32, &Near) -> Interval + Sync,
    height: impl Fn(u32) -> u32 + Sync,
) -> Vec<Vec<u32>> {
    let of_worker = |mut rows: Vec<u32>| {
        let key = |row, (begin, end)| (begin, (Reverse(end), height(row)));
        let (mut last, mut is_in_order, near) = (None, true, Near::default());
        rows.retain(|&row| {
            let (begin, end) = interval(row, &near);
            let has_length = begin < end;
            if has_length {
                let key = Some((key(row, (begin, end)), row));
                is_in_order &= last < key;
                last = key;
            }
            has_length
        });
        if is_in_order {
            return rows; // as the creations of most workers are
        }
        by_time::sorted(rows.iter().copied(), |row| key(row, interval(row, &Near::default())))
    };
    rows.into_par_iter().map(of_worker).collect()
}

/// Intervals in the order in which they began, and the open intervals.
struct List<'a, I> {
    rows: std::slice::Iter<'a, u32>,
    /// The first one that has not begun yet.
    next: Option<(u32, Interval)>,
    open: Vec<Open>,
    interval: I,
}

impl<'a, I: Fn(u32) -> Interval> List<'a, I> {
    fn new(rows: &'a [u32], interval: I) -> Self {
        let mut this = Self { rows: rows.iter(), next: None, open: Vec::new(), interval };
        this.next = this.advance();
        this
    }

    fn advance(&mut self) -> Option<(u32, Interval)> {
        self.rows.next().map(|&row| (row, (self.interval)(row)))
    }

    /// Opens the intervals that have begun by `now`, and forgets those that have ended. Returns for
    /// how long the newly opened intervals overlap with intervals that were open.
    fn open_at(&mut self, now: Ticks) -> Ticks {
        let mut beside = Ticks::ZERO;
        self.forget(now);
        while let Some((row, (begin, end))) = self.next.filter(|(_, interval)| interval.0 <= now) {
            self.next = self.advance();
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

    fn next(&self) -> Option<Ticks> {
        self.next.map(|(_, interval)| interval.0)
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
