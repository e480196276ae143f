// SPDX-License-Identifier: Apache-2.0
//! Finds what a worker did at each instant, and thereby how much time each wait, and the recorder's
//! work, took from the worker.
//!
//! At any instant a worker runs one task, works for the recorder, or does neither. The sweep
//! processes the RUN, WAIT and RECORDER intervals of a stream by these rules:
//!
//! - where a RUN begins, its task runs, on top of the task that ran until then, if any (an
//!   undeferred child, or the leader's part of a region);
//! - where a WAIT begins, no task runs; where it ends, the task that ran before it continues;
//! - where the recorder begins to work, the running task stops, and continues when the recorder is
//!   done;
//! - where a RUN ends, the task below it continues; else no task runs.
//!
//! Time during which no task runs is charged to the open wait that began last. As long as tasks are
//! nested, this is the innermost wait: the time charged to a wait is the wait's length, minus the
//! time of the tasks that ran during the wait. If tasks run beside a wait and wait themselves, each
//! instant still counts once. The time for storing a record while no task runs is charged to the
//! recorder, and to no wait.
//!
//! The same pass finds which task fulfilled an event, and how long tasks ran until each sample of
//! the thread's CPU time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use trace::layout::kind;

use crate::costs::Costs;
use crate::ticks::Ticks;
use crate::NONE;

/// The intervals of one worker in order of their ends, as it writes them. Runs and waits without
/// length are left out: they take no time, and could not be ordered.
#[derive(Default)]
pub(crate) struct Intervals {
    /// With the row of each. Of those that begin together, the outer one ends later.
    begins: Vec<(Ticks, Reverse<u32>)>,
    rows: Vec<Interval>,
    /// What the recorder may have written down before a record of what was before: its own work, by
    /// which it made room for that record, and instants in it. The first to end is on top; of those
    /// that end together, the one that came first.
    early: BinaryHeap<Reverse<Early>>,
    /// How many have been early.
    earlier: u64,
}

/// (end, number, begin, what)
type Early = (Ticks, u64, Ticks, u32);

struct Interval {
    end: Ticks,
    /// What it is, and which one of these: see [`What`].
    what: u32,
    /// While it is open: what it interrupts, or [`NONE`].
    under: u32,
}

/// Instead of what an interval interrupts: it has ended.
const ENDED: u32 = NONE - 1;

/// A kind of interval or instant, in two bits beside a row: a stream has less than 2^30 records.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum What {
    Run = 0,
    Wait = 1,
    Recorder = 2,
    /// An instant; its row is one of [`Instant`]s.
    Instant = 3,
}

/// What an instant of the stream asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Instant {
    /// The task that fulfilled an event.
    Fulfil,
    /// How long tasks have run so far.
    Sample,
    /// Nothing; a record was stored.
    Idle,
    Steal,
}

impl What {
    fn with(self, row: u32) -> u32 {
        row << 2 | self as u32
    }
}

impl Interval {
    fn is(&self, what: What) -> bool {
        self.what & 3 == what as u32
    }

    fn row(&self) -> u32 {
        self.what >> 2
    }

    fn instant(&self) -> Instant {
        match self.row() {
            0 => Instant::Fulfil,
            1 => Instant::Sample,
            2 => Instant::Idle,
            _ => Instant::Steal,
        }
    }
}

/// What the sweep finds, beside what each wait has lost.
#[derive(Default)]
pub(crate) struct Swept {
    /// The recorder's work while a task ran: row of the RUN, when, for how long.
    pub stalls: Vec<(u32, Ticks, Ticks)>,
    /// ... while none ran: row of the wait that would have lost that time, if there is one.
    pub in_wait: Vec<(Option<u32>, Ticks, Ticks)>,
    /// The RUN in which each event was fulfilled; [`NONE`]: in none.
    pub fulfilled_in: Vec<u32>,
    /// At each sample of CPU time: for how long tasks have run since the stream began, and the
    /// recorder has worked.
    pub ran: Vec<(Ticks, Ticks)>,
    /// What storing records took where no task ran.
    pub recorder: Ticks,
}

impl Intervals {
    pub fn run(&mut self, begin: Ticks, ticks: Ticks, row: u32) {
        self.interval(begin, ticks, What::Run.with(row));
    }

    pub fn wait(&mut self, begin: Ticks, ticks: Ticks, row: u32) {
        self.interval(begin, ticks, What::Wait.with(row));
    }

    pub fn recorder(&mut self, begin: Ticks, ticks: Ticks) {
        if ticks > Ticks::ZERO {
            self.push_early(begin, begin + ticks, What::Recorder.with(0));
        }
    }

    pub fn instant(&mut self, at: Ticks, instant: Instant) {
        self.put_early(at);
        self.push_early(at, at, What::Instant.with(instant as u32));
    }

    fn push_early(&mut self, begin: Ticks, end: Ticks, what: u32) {
        self.early.push(Reverse((end, self.earlier, begin, what)));
        self.earlier += 1;
    }

    fn interval(&mut self, begin: Ticks, ticks: Ticks, what: u32) {
        if ticks > Ticks::ZERO {
            let end = begin + ticks;
            self.put_early(end);
            self.put(begin, end, what);
        }
    }

    fn put(&mut self, begin: Ticks, end: Ticks, what: u32) {
        self.begins.push((begin, Reverse(self.rows.len() as u32)));
        self.rows.push(Interval { end, what, under: NONE });
    }

    fn put_early(&mut self, until: Ticks) {
        while self.early.peek().is_some_and(|Reverse(early)| early.0 <= until) {
            let Some(Reverse((end, _, begin, what))) = self.early.pop() else { return };
            if begin < end {
                self.put(begin, end, what);
            } else {
                self.rows.push(Interval { end, what, under: NONE });
            }
        }
    }

    /// Calls `lose` with rows of waits, and how much more is lost to each.
    pub fn sweep(mut self, costs: &Costs, lose: impl FnMut(u32, Ticks)) -> Swept {
        self.put_early(Ticks(u64::MAX));
        self.begins.sort_unstable();
        let mut begins = self.begins.into_iter().peekable();
        let mut sweep = Sweep {
            rows: self.rows,
            costs,
            now: Ticks::ZERO,
            runs: NONE,
            waits: Vec::new(),
            ran: Ticks::ZERO,
            stalled: Ticks::ZERO,
            debt: Ticks::ZERO,
            lose,
            out: Swept::default(),
        };
        for row in 0..sweep.rows.len() as u32 {
            let end = sweep.rows[row as usize].end;
            while let Some((at, Reverse(begins))) = begins.next_if(|&(begin, _)| begin < end) {
                sweep.begin(at, begins);
            }
            sweep.end(row);
        }
        sweep.out
    }
}

struct Sweep<'a, F> {
    rows: Vec<Interval>,
    costs: &'a Costs,
    now: Ticks,
    /// The RUN whose task runs, or the work of the recorder.
    runs: u32,
    /// In the order in which they began; some have ended.
    waits: Vec<u32>,
    /// For how long tasks have run.
    ran: Ticks,
    /// ... and the recorder has worked.
    stalled: Ticks,
    /// What the last records have cost, and the stretch that follows pays.
    debt: Ticks,
    lose: F,
    out: Swept,
}

impl<F: FnMut(u32, Ticks)> Sweep<'_, F> {
    fn pass_until(&mut self, at: Ticks) {
        let passed = at - self.now;
        self.now += passed;
        if passed == Ticks::ZERO {
            return;
        }
        if self.runs != NONE {
            if self.rows[self.runs as usize].is(What::Run) {
                self.ran += passed;
            } else {
                self.stalled += passed;
            }
            return;
        }
        while let Some(&last) = self.waits.last() {
            let wait = &self.rows[last as usize];
            if wait.under != ENDED {
                let paid = passed.min(std::mem::take(&mut self.debt));
                self.out.recorder += paid;
                return (self.lose)(wait.row(), passed - paid);
            }
            self.waits.pop();
        }
    }

    fn begin(&mut self, at: Ticks, row: u32) {
        self.pass_until(at);
        let runs = self.runs;
        let interval = &mut self.rows[row as usize];
        interval.under = runs;
        if interval.is(What::Wait) {
            self.runs = NONE;
            return self.waits.push(row);
        }
        self.runs = row;
        self.debt = Ticks::ZERO;
        if interval.is(What::Recorder) {
            let ticks = interval.end - at;
            self.stall(runs, at, ticks);
        }
    }

    /// How long the recorder worked instead of the running task.
    fn stall(&mut self, runs: u32, at: Ticks, ticks: Ticks) {
        if ticks == Ticks::ZERO {
            return;
        }
        match self.rows.get(runs as usize) {
            Some(run) if run.is(What::Run) => self.out.stalls.push((run.row(), at, ticks)),
            Some(_) => {}
            None => {
                let wait = self.open_wait();
                self.out.in_wait.push((wait, at, ticks));
            }
        }
    }

    /// The row of the wait that began last, of those that are open.
    fn open_wait(&mut self) -> Option<u32> {
        while self.waits.last().is_some_and(|&last| self.rows[last as usize].under == ENDED) {
            self.waits.pop();
        }
        self.waits.last().map(|&last| self.rows[last as usize].row())
    }

    fn end(&mut self, row: u32) {
        self.pass_until(self.rows[row as usize].end);
        if self.rows[row as usize].is(What::Instant) {
            return self.instant(row);
        }
        let under = std::mem::replace(&mut self.rows[row as usize].under, ENDED);
        let goes_on = under != NONE && self.rows[under as usize].under != ENDED;
        let next = if goes_on { under } else { NONE };
        // Where a task ends while the recorder works, that is not over.
        match self.rows.get_mut(self.runs as usize) {
            Some(runs) if self.runs != row && runs.is(What::Recorder) => runs.under = next,
            _ => self.runs = next,
        }
        if self.runs == NONE && self.rows[row as usize].is(What::Run) {
            self.debt = self.costs.after(kind::RUN);
        }
    }

    fn instant(&mut self, row: u32) {
        let record = match self.rows[row as usize].instant() {
            Instant::Fulfil => {
                let runs = self.rows.get(self.runs as usize).filter(|runs| runs.is(What::Run));
                return self.out.fulfilled_in.push(runs.map_or(NONE, Interval::row));
            }
            Instant::Sample => {
                self.out.ran.push((self.ran, self.stalled));
                kind::THREAD
            }
            Instant::Idle => kind::IDLE,
            Instant::Steal => kind::STEAL,
        };
        let cost = self.costs.after(record);
        match self.runs {
            NONE => self.debt += cost,
            runs => self.stall(runs, self.now, cost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the waits have lost, of intervals given as (is a wait, begin, end), in order of their
    /// ends.
    fn lost(intervals: &[(bool, u64, u64)]) -> Vec<u64> {
        let mut all = Intervals::default();
        let mut waits = 0;
        for &(is_wait, begin, end) in intervals {
            if is_wait {
                all.wait(Ticks(begin), Ticks(end - begin), waits);
                waits += 1;
            } else {
                all.run(Ticks(begin), Ticks(end - begin), 0);
            }
        }
        let mut lost = vec![0; waits as usize];
        all.sweep(&Costs::default(), |row, ticks| lost[row as usize] += ticks.0);
        lost
    }

    const RUN: bool = false;
    const WAIT: bool = true;

    #[test]
    fn a_wait_loses_what_is_not_run_in_it() {
        let outer = [
            (RUN, 0, 5),   // before the waits
            (RUN, 12, 14), // on top of the next one
            (RUN, 11, 17),
            (RUN, 20, 23),
            (WAIT, 10, 25),
            (WAIT, 30, 33),
            (WAIT, 8, 40),
        ];
        // The outer one loses what lies beside the inner ones, and they lose the rest.
        assert_eq!(lost(&outer), [15 - 9, 3, 2 + 5 + 7]);
    }

    #[test]
    fn intervals_that_meet_are_in_order_and_empty_ones_do_not_count() {
        let all =
            [(RUN, 10, 12), (WAIT, 12, 12), (RUN, 12, 15), (WAIT, 10, 16), (RUN, 0, 16), (WAIT, 16, 18)];
        assert_eq!(lost(&all), [0, 1, 2]);
    }

    #[test]
    fn waits_side_by_side_lose_each_instant_once() {
        // The first task waits, then the second one, and the first one goes on before it.
        let all = [(WAIT, 2, 10), (RUN, 0, 12), (WAIT, 6, 14), (RUN, 4, 20)];
        //   0-2 first, 2-4 lost to the first wait, 4-6 second, 6-10 lost to the second wait,
        //   10-12 first, 12-14 lost to the second wait, 14-20 second
        assert_eq!(lost(&all), [2, 4 + 2]);
    }

    #[test]
    fn an_undeferred_task_gives_the_worker_back_to_its_creator() {
        let all = [(WAIT, 4, 8), (RUN, 2, 10), (RUN, 0, 20), (WAIT, 0, 30)];
        assert_eq!(lost(&all), [4, 10]);
    }

    #[test]
    fn any_intervals_are_borne() {
        assert_eq!(lost(&[(RUN, 5, 9), (WAIT, 3, 7), (RUN, 1, 4), (WAIT, 0, 9)]).len(), 2);
    }

    fn costs(run: f64, idle: f64) -> Costs {
        let mut meta = trace::writer::RecordingWriter::plain_meta(1);
        meta.record_cost_ticks = [("run", run), ("idle", idle)].map(|(n, c)| (n.to_owned(), c)).into();
        Costs::of(&meta)
    }

    #[test]
    fn the_recorder_stops_what_runs_and_is_lost_to_no_wait() {
        let mut all = Intervals::default();
        all.recorder(Ticks(4), Ticks(3)); // in the first task
        all.recorder(Ticks(10), Ticks(5)); // behind it, written before its RUN
        all.run(Ticks(2), Ticks(8), 7);
        all.wait(Ticks(1), Ticks(20), 0);
        let mut lost = 0;
        let swept = all.sweep(&Costs::default(), |_, ticks| lost += ticks.0);
        assert_eq!(swept.stalls, [(7, Ticks(4), Ticks(3))]);
        assert_eq!(lost, 1 + (21 - 15));
    }

    #[test]
    fn instants_in_the_recorders_work_do_not_come_before_what_it_made_room_for() {
        let mut all = Intervals::default();
        all.run(Ticks(3), Ticks(2), 1);
        all.instant(Ticks(12), Instant::Sample); // begins the new memory
        all.recorder(Ticks(9), Ticks(6));
        all.wait(Ticks(2), Ticks(6), 0); // the record that the memory was for
        all.run(Ticks(1), Ticks(20), 2);
        let mut lost = 0;
        let swept = all.sweep(&Costs::default(), |_, ticks| lost += ticks.0);
        assert_eq!(swept.stalls, [(2, Ticks(9), Ticks(6))]);
        assert_eq!((swept.ran, lost), (vec![(Ticks(1 + 2 + 1), Ticks(3))], 1 + 3));
    }

    #[test]
    fn a_task_that_ends_while_the_recorder_works_does_not_go_on() {
        let mut all = Intervals::default();
        all.recorder(Ticks(8), Ticks(6));
        all.run(Ticks(2), Ticks(8), 0);
        all.wait(Ticks(1), Ticks(20), 0);
        let mut lost = 0;
        let swept = all.sweep(&Costs::default(), |_, ticks| lost += ticks.0);
        assert_eq!((swept.stalls.len(), lost), (1, 1 + (21 - 14)));
    }

    #[test]
    fn records_stored_in_a_wait_are_paid_by_it_once() {
        let mut all = Intervals::default();
        all.run(Ticks(2), Ticks(8), 0); // 4 after it
        all.instant(Ticks(20), Instant::Idle); // 3 after it
        all.run(Ticks(22), Ticks(8), 1); // 2 of the 3 are paid
        all.wait(Ticks(0), Ticks(31), 0); // 1 of 4
        let mut lost = 0;
        let swept = all.sweep(&costs(4.0, 3.0), |_, ticks| lost += ticks.0);
        assert_eq!((swept.recorder.0, lost), (4 + 2 + 1, 2 + 6));
    }

    #[test]
    fn samples_tell_for_how_long_tasks_ran_and_events_who_fulfilled_them() {
        let mut all = Intervals::default();
        all.recorder(Ticks(12), Ticks(1));
        all.instant(Ticks(14), Instant::Fulfil);
        all.instant(Ticks(15), Instant::Sample);
        all.wait(Ticks(15), Ticks(5), 0);
        all.run(Ticks(10), Ticks(20), 5);
        all.instant(Ticks(40), Instant::Fulfil);
        all.instant(Ticks(40), Instant::Sample);
        let swept = all.sweep(&Costs::default(), |_, _| ());
        assert_eq!(swept.fulfilled_in, [5, NONE]);
        assert_eq!(swept.ran, [(Ticks(4), Ticks(1)), (Ticks(14), Ticks(1))]);
    }
}
