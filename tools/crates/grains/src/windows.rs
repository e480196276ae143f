// SPDX-License-Identifier: Apache-2.0
//! The windows of a recording: the stretches of time that a profile is about.
//!
//! Recording may have been switched on and off, and a report may be asked for a part of the run.
//! The time outside of the windows is cut out of all records when they are decoded: an instant
//! becomes the time that lay in windows until then. So an interval that reaches out of the windows
//! keeps the part within them, what lies wholly outside is left out, and everything that is
//! computed later holds for the windows alone: `wall` is their length, and no figure knows of the
//! rest.
//!
//! What was known outside must not be lost where it explains the inside: the places in the program,
//! and the records by which tasks, regions and loops were created. These records are kept, at the
//! edge of a window; `whole.rs` then leaves out those that have no part in any window.

use std::collections::BTreeMap;

use trace::layout::{task, thread, window};
use trace::{Device, Doacross, Fulfil, Lock, Record, Request, Thread, Window};

use crate::ticks::Ticks;

/// One window, in ticks since the start of the recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub from: Ticks,
    pub to: Ticks,
}

/// In order, and apart from each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Windows {
    /// And the length of all windows before.
    parts: Vec<(Part, Ticks)>,
}

impl Windows {
    pub const END: Ticks = Ticks(u64::MAX);

    /// All of a recording.
    pub fn whole() -> Self {
        Self::of(vec![Part { from: Ticks::ZERO, to: Self::END }])
    }

    /// Those that overlap become one.
    pub fn of(mut parts: Vec<Part>) -> Self {
        parts.retain(|part| part.from < part.to);
        parts.sort_unstable_by_key(|part| part.from);
        let mut merged: Vec<Part> = Vec::new();
        for part in parts {
            match merged.last_mut() {
                Some(last) if part.from <= last.to => last.to = last.to.max(part.to),
                _ => merged.push(part),
            }
        }
        let mut before = Ticks::ZERO;
        let with_before = |part: Part| {
            let so_far = before;
            before += part.to - part.from;
            (part, so_far)
        };
        Self { parts: merged.into_iter().map(with_before).collect() }
    }

    pub fn is_whole(&self) -> bool {
        *self == Self::whole()
    }

    pub fn parts(&self) -> impl DoubleEndedIterator<Item = Part> + '_ {
        self.parts.iter().map(|&(part, _)| part)
    }

    /// The time that lies in both.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        let both = |a: Part, b: Part| Part { from: a.from.max(b.from), to: a.to.min(b.to) };
        let (mut ours, mut theirs) = (self.parts().peekable(), other.parts().peekable());
        let mut parts = Vec::new();
        while let (Some(&a), Some(&b)) = (ours.peek(), theirs.peek()) {
            parts.push(both(a, b));
            // The one that ends first overlaps nothing that follows.
            if a.to <= b.to {
                ours.next();
            } else {
                theirs.next();
            }
        }
        Self::of(parts)
    }

    /// The row of the last window that begins no later.
    fn row_at(&self, at: Ticks) -> Option<usize> {
        self.parts.partition_point(|(part, _)| part.from <= at).checked_sub(1)
    }

    /// The window that has this instant.
    fn row_of(&self, at: Ticks) -> Option<usize> {
        self.row_at(at).filter(|&row| at <= self.parts[row].0.to)
    }

    pub fn contains(&self, at: Ticks) -> bool {
        self.row_of(at).is_some()
    }

    /// Some of it lies in a window.
    pub fn overlaps(&self, from: Ticks, to: Ticks) -> bool {
        self.row_at(to).is_some_and(|row| self.parts[row].0.to >= from)
    }

    /// How much time lay in windows until this instant.
    pub fn until(&self, at: Ticks) -> Ticks {
        let Some(row) = self.row_at(at) else { return Ticks::ZERO };
        let (part, before) = self.parts[row];
        before + (at.min(part.to) - part.from)
    }
}

/// Whether a record is about what happened in a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Inside,
    /// Wholly before or after a window; after all of them, it is `Late`.
    Outside,
    Late,
}

/// Cuts the records of one stream.
pub(crate) struct Cutter<'a> {
    windows: &'a Windows,
    sampled: Sampled,
}

/// The last sample of the thread's CPU time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampled {
    /// In this window, or in none.
    At(Option<usize>),
    /// The thread began with it, or came back.
    Anew,
}

impl<'a> Cutter<'a> {
    pub fn new(windows: &'a Windows) -> Self {
        Self { windows, sampled: Sampled::At(None) }
    }

    fn side(&self, from: Ticks, to: Ticks) -> Side {
        if self.windows.overlaps(from, to) {
            return Side::Inside;
        }
        let is_late = self.windows.parts().next_back().is_none_or(|part| part.to < from);
        if is_late {
            Side::Late
        } else {
            Side::Outside
        }
    }

    /// The record with its instant and its lengths as time in windows.
    pub fn cut<'r>(&mut self, at: Ticks, record: Record<'r>) -> (Side, Ticks, Record<'r>) {
        let windows = self.windows;
        let begin = windows.until(at);
        let length = |ticks: u64| (windows.until(at + Ticks(ticks)) - begin).0;
        let lasting = |ticks: u64, record| (self.side(at, at + Ticks(ticks)), begin, record);
        match record {
            Record::Run(run) => {
                lasting(run.ticks, Record::Run(trace::Run { ticks: length(run.ticks), ..run }))
            }
            Record::Wait(wait) => {
                lasting(wait.ticks, Record::Wait(trace::Wait { ticks: length(wait.ticks), ..wait }))
            }
            Record::Chunk(chunk) => {
                lasting(chunk.ticks, Record::Chunk(trace::Chunk { ticks: length(chunk.ticks), ..chunk }))
            }
            Record::LoopThread(entry) => {
                let cut = trace::LoopThread { ticks: length(entry.ticks), ..entry };
                lasting(entry.ticks, Record::LoopThread(cut))
            }
            Record::Idle { ticks, sleep } => lasting(ticks, Record::Idle { ticks: length(ticks), sleep }),
            Record::Off { ticks, preempted } => {
                lasting(ticks, Record::Off { ticks: length(ticks), preempted })
            }
            Record::Prepared { ticks, processor } => {
                lasting(ticks, Record::Prepared { ticks: length(ticks), processor })
            }
            Record::Recorder { ticks } => lasting(ticks, Record::Recorder { ticks: length(ticks) }),
            Record::Request(request) => {
                lasting(request.ticks, Record::Request(Request { ticks: length(request.ticks), ..request }))
            }
            Record::Device(construct) => {
                let Device { waited, prepared, there, received, .. } = construct;
                let mut from = at;
                let mut next = |ticks: u64| {
                    let since = from;
                    from = since + Ticks(ticks);
                    (windows.until(from) - windows.until(since)).0
                };
                let cut = Device {
                    waited: next(waited),
                    prepared: next(prepared),
                    there: next(there),
                    received: next(received),
                    ..construct
                };
                lasting(waited + prepared + there + received, Record::Device(cut))
            }
            Record::Fulfil(fulfil) => {
                lasting(fulfil.ticks, Record::Fulfil(Fulfil { ticks: length(fulfil.ticks), ..fulfil }))
            }
            // Of an implicit task, the field is no time.
            Record::Create(create) if create.flags & task::IMPLICIT == 0 => {
                let cost = length(u64::from(create.cost)) as u32;
                (self.side(at, at), begin, Record::Create(trace::Create { cost, ..create }))
            }
            Record::Lock(lock) => {
                let waited = (begin - windows.until(at - Ticks(lock.waited))).0;
                let side = self.side(at - Ticks(lock.waited), at + Ticks(lock.held));
                (side, begin, Record::Lock(Lock { waited, held: length(lock.held), ..lock }))
            }
            Record::Doacross(point) => {
                let waited = (begin - windows.until(at - Ticks(point.waited))).0;
                (self.side(at, at), begin, Record::Doacross(Doacross { waited, ..point }))
            }
            Record::Thread(sample) => {
                let (side, sample) = self.sample(at, sample);
                (side, begin, Record::Thread(sample))
            }
            other => (self.side(at, at), begin, other),
        }
    }

    /// Where the kernel has told when the thread was off its processor, it has told so between two
    /// windows, too: such a sample ends a stretch that is cut like all else. So is the sample with
    /// which a thread begins or comes back, and the next one is of the time since.
    ///
    /// Of other samples: what the thread used between two windows is no part of either, so its
    /// first sample in a window begins anew. The first sample behind a window counts as taken at
    /// the window's end: the thread had used no more than that.
    fn sample(&mut self, at: Ticks, sample: Thread) -> (Side, Thread) {
        let window = self.windows.row_of(at);
        let before = std::mem::replace(&mut self.sampled, Sampled::At(window));
        if sample.flags & thread::BEGINS != 0 {
            self.sampled = Sampled::Anew;
            return (Side::Inside, sample);
        }
        if sample.flags & thread::TOLD != 0 || before == Sampled::Anew || self.windows.is_whole() {
            return (Side::Inside, sample);
        }
        match (window, before) {
            (None, Sampled::At(Some(_))) => (Side::Inside, sample),
            (None, _) => (self.side(at, at), sample),
            (Some(_), before) if before == Sampled::At(window) => (Side::Inside, sample),
            (Some(_), _) => (Side::Inside, Thread { flags: sample.flags | thread::BEGINS, ..sample }),
        }
    }
}

/// The windows that were recorded. `switches`: the WINDOW records of all streams. `end`: when the
/// last record ends. `kept_from`: before this instant a ring has lost records.
pub(crate) fn recorded(switches: &[(Ticks, Window)], end: Ticks, kept_from: Option<Ticks>) -> Windows {
    // The first beginning and the last end of each window, by its number.
    let mut edges: BTreeMap<u64, (Option<Ticks>, Option<Ticks>)> = BTreeMap::new();
    for &(at, switch) in switches {
        let (from, to) = edges.entry(switch.number).or_default();
        if switch.flags & window::BEGINS != 0 {
            *from = Some(from.map_or(at, |first| first.min(at)));
        }
        if switch.flags & window::ENDS != 0 {
            *to = (*to).max(Some(at));
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut until = end;
    for &(from, to) in edges.values().rev() {
        let from = from.unwrap_or_default();
        parts.push(Part { from, to: to.unwrap_or(until) });
        until = from;
    }
    let all = if edges.is_empty() { Windows::whole() } else { Windows::of(parts) };
    match kept_from {
        Some(from) => all.within(&Windows::of(vec![Part { from, to: Windows::END }])),
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::{Run, TaskId};

    fn windows(parts: &[(u64, u64)]) -> Windows {
        Windows::of(parts.iter().map(|&(from, to)| Part { from: Ticks(from), to: Ticks(to) }).collect())
    }

    #[test]
    fn time_outside_is_cut_out() {
        let both = windows(&[(10, 20), (50, 60)]);
        let at = |at| both.until(Ticks(at)).0;
        assert_eq!([5, 10, 15, 20, 30, 50, 55, 60, 99].map(at), [0, 0, 5, 10, 10, 10, 15, 20, 20]);
        assert!(both.overlaps(Ticks(0), Ticks(10)) && both.overlaps(Ticks(30), Ticks(70)));
        assert!(!both.overlaps(Ticks(21), Ticks(49)) && !both.overlaps(Ticks(61), Ticks(70)));
        assert_eq!(Windows::whole().until(Ticks(77)), Ticks(77));
    }

    #[test]
    fn overlapping_windows_are_one() {
        assert_eq!(windows(&[(30, 40), (10, 20), (15, 25), (7, 7)]), windows(&[(10, 25), (30, 40)]));
        assert_eq!(
            windows(&[(0, 20), (30, 40)]).within(&windows(&[(10, 35)])),
            windows(&[(10, 20), (30, 35)])
        );
        let (ours, theirs) =
            (windows(&[(0, 10), (20, 50), (60, 70)]), windows(&[(5, 22), (25, 30), (45, 65)]));
        let both = windows(&[(5, 10), (20, 22), (25, 30), (45, 50), (60, 65)]);
        assert_eq!((ours.within(&theirs), theirs.within(&ours)), (both.clone(), both));
        assert!(Windows::whole().within(&Windows::whole()).is_whole());
    }

    #[test]
    fn an_interval_keeps_what_lies_inside() {
        let both = windows(&[(10, 20), (50, 60)]);
        let mut cutter = Cutter::new(&both);
        let mut cut = |at, ticks| {
            let run = Record::Run(Run { task: TaskId(1), ticks, ..Run::default() });
            match cutter.cut(Ticks(at), run) {
                (side, at, Record::Run(run)) => (side, at.0, run.ticks),
                _ => unreachable!("it stays a RUN"),
            }
        };
        assert_eq!(cut(5, 10), (Side::Inside, 0, 5));
        assert_eq!(cut(15, 40), (Side::Inside, 5, 10));
        assert_eq!(cut(25, 10), (Side::Outside, 10, 0));
        assert_eq!(cut(70, 10), (Side::Late, 20, 0));
    }

    #[test]
    fn a_threads_samples_in_a_window_begin_anew_and_end_behind_it() {
        let both = windows(&[(10, 20), (50, 60)]);
        let mut cutter = Cutter::new(&both);
        let mut begins = |at| match cutter.cut(Ticks(at), Record::Thread(Thread::default())) {
            (Side::Inside, _, Record::Thread(sample)) => Some(sample.flags & thread::BEGINS != 0),
            _ => None,
        };
        assert_eq!(
            [5, 12, 15, 30, 31, 55, 56].map(&mut begins),
            [None, Some(true), Some(false), Some(false), None, Some(true), Some(false)]
        );
    }

    #[test]
    fn what_the_kernel_has_told_between_windows_counts() {
        let both = windows(&[(10, 20), (50, 60)]);
        let mut cutter = Cutter::new(&both);
        let mut cut = |at, flags| {
            let (side, at, record) =
                cutter.cut(Ticks(at), Record::Thread(Thread { flags, ..Thread::default() }));
            match record {
                Record::Thread(sample) if side == Side::Inside => Some((at.0, sample.flags)),
                _ => None,
            }
        };
        let (begins, told) = (thread::BEGINS, thread::TOLD);
        // The thread begins just before the window, and is asked again in the next one.
        assert_eq!(cut(9, begins), Some((0, begins)));
        assert_eq!(cut(15, told), Some((5, told)));
        assert_eq!(cut(52, told), Some((12, told)));
        assert_eq!(cut(70, told), Some((20, told)));
        assert_eq!(cut(80, 0), None);
    }

    #[test]
    fn a_thread_that_comes_back_is_sampled_from_then_on() {
        let both = windows(&[(10, 20), (50, 60)]);
        let mut cutter = Cutter::new(&both);
        let mut cut = |at, flags| {
            let (side, _, record) =
                cutter.cut(Ticks(at), Record::Thread(Thread { flags, ..Thread::default() }));
            match record {
                Record::Thread(sample) if side == Side::Inside => Some(sample.flags & thread::BEGINS != 0),
                _ => None,
            }
        };
        assert_eq!([cut(9, thread::BEGINS), cut(15, 0), cut(21, 0)], [Some(true), Some(false), Some(false)]);
        assert_eq!([cut(30, 0), cut(49, thread::BEGINS), cut(61, 0)], [None, Some(true), Some(false)]);
    }

    fn switch(at: u64, number: u64, flags: u8) -> (Ticks, Window) {
        (Ticks(at), Window { number, flags })
    }

    #[test]
    fn windows_are_what_the_records_say() {
        let of = |switches: &[(Ticks, Window)]| recorded(switches, Ticks(100), None);
        assert!(of(&[]).is_whole());
        // Two threads join the second window; the third is open when the program ends.
        let switches =
            [switch(10, 0, 2), switch(31, 1, 1), switch(30, 1, 1), switch(50, 1, 2), switch(80, 2, 1)];
        assert_eq!(of(&switches), windows(&[(0, 10), (30, 50), (80, 100)]));
        // The end of the first window is missing: it ends no later than the next one begins.
        assert_eq!(
            of(&[switch(30, 1, 1), switch(60, 2, 1), switch(70, 2, 2)]),
            windows(&[(30, 60), (60, 70)])
        );
    }

    #[test]
    fn a_ring_begins_where_nothing_is_lost() {
        let from = |from: u64| Some(Ticks(from));
        assert_eq!(recorded(&[], Ticks(100), from(40)), windows(&[(40, u64::MAX)]));
        assert_eq!(recorded(&[switch(50, 0, 2)], Ticks(100), from(40)), windows(&[(40, 50)]));
    }
}
