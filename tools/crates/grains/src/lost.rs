// SPDX-License-Identifier: Apache-2.0
//! How much of each wait its worker has lost.
//!
//! At any instant a worker runs one task or none. It goes through its tasks' RUN and WAIT intervals
//! by these rules:
//!
//! - where a RUN begins, that task runs, on top of what ran until then, if any did (an undeferred
//!   child, or the leader's part of a region);
//! - where a WAIT begins, none runs; where it ends, what ran before it goes on;
//! - where a RUN ends, what it is on top of goes on; else none runs.
//!
//! An instant at which none runs is lost to the wait that began last, of those that are open. As
//! long as tasks are nested that is the innermost one: what is lost to a wait is what no task that
//! ran in it took. Where tasks run by the side of a wait, too, and wait in their turn, each instant
//! still counts once.

use std::cmp::Reverse;

use crate::ticks::Ticks;
use crate::NONE;

/// The intervals of one worker in order of their ends, as it writes them. Those without length are
/// left out: they take no time, and could not be ordered.
#[derive(Default)]
pub(crate) struct Intervals {
    /// With the row of each. Of those that begin together, the outer one ends later.
    begins: Vec<(Ticks, Reverse<u32>)>,
    rows: Vec<Interval>,
}

struct Interval {
    end: Ticks,
    /// Its row among the worker's waits; [`NONE`] for a RUN.
    wait: u32,
    /// While it is open: the RUN that it interrupts, or [`NONE`].
    under: u32,
}

/// Instead of the RUN that an interval interrupts: it has ended.
const ENDED: u32 = NONE - 1;

impl Intervals {
    pub fn run(&mut self, begin: Ticks, ticks: Ticks) {
        self.wait(begin, ticks, NONE);
    }

    pub fn wait(&mut self, begin: Ticks, ticks: Ticks, row: u32) {
        if ticks > Ticks::ZERO {
            self.begins.push((begin, Reverse(self.rows.len() as u32)));
            self.rows.push(Interval { end: begin + ticks, wait: row, under: NONE });
        }
    }

    /// Calls `lose` with rows of waits, and how much more is lost to each.
    pub fn sweep(mut self, lose: impl FnMut(u32, Ticks)) {
        self.begins.sort_unstable();
        let mut begins = self.begins.into_iter().peekable();
        let mut sweep = Sweep { rows: self.rows, now: Ticks::ZERO, runs: NONE, waits: Vec::new(), lose };
        for row in 0..sweep.rows.len() as u32 {
            let end = sweep.rows[row as usize].end;
            while let Some((at, Reverse(begins))) = begins.next_if(|&(begin, _)| begin < end) {
                sweep.begin(at, begins);
            }
            sweep.end(row);
        }
    }
}

struct Sweep<F> {
    rows: Vec<Interval>,
    now: Ticks,
    /// The RUN whose task runs.
    runs: u32,
    /// In order of their begins; some have ended.
    waits: Vec<u32>,
    lose: F,
}

impl<F: FnMut(u32, Ticks)> Sweep<F> {
    fn pass_until(&mut self, at: Ticks) {
        let passed = at - self.now;
        self.now += passed;
        if self.runs != NONE || passed == Ticks::ZERO {
            return;
        }
        while let Some(&last) = self.waits.last() {
            let wait = &self.rows[last as usize];
            if wait.under != ENDED {
                return (self.lose)(wait.wait, passed);
            }
            self.waits.pop();
        }
    }

    fn begin(&mut self, at: Ticks, row: u32) {
        self.pass_until(at);
        let interval = &mut self.rows[row as usize];
        interval.under = self.runs;
        if interval.wait == NONE {
            self.runs = row;
        } else {
            self.runs = NONE;
            self.waits.push(row);
        }
    }

    fn end(&mut self, row: u32) {
        self.pass_until(self.rows[row as usize].end);
        let under = std::mem::replace(&mut self.rows[row as usize].under, ENDED);
        let goes_on = under != NONE && self.rows[under as usize].under != ENDED;
        self.runs = if goes_on { under } else { NONE };
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
            let row = if is_wait { waits } else { NONE };
            waits += u32::from(is_wait);
            all.wait(Ticks(begin), Ticks(end - begin), row);
        }
        let mut lost = vec![0; waits as usize];
        all.sweep(|row, ticks| lost[row as usize] += ticks.0);
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
}
