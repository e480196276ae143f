// SPDX-License-Identifier: Apache-2.0
//! Finds how much of a stretch was the recorder's work, and for how much of it the thread was
//! descheduled.
//!
//! When these happened within the stretch is not known, so each piece of the stretch gets the same
//! share.

use crate::budget::above::Above;
use crate::lengths::Lengths;
use crate::near::Near;
use crate::tables::{CallRow, GrainRow, Item, WaitInfo, WaitRow};
use crate::ticks::Ticks;
use crate::Profile;

pub(crate) struct Net<'a> {
    above: &'a Above<'a>,
    /// For each grain that was descheduled, in the order of the rows: for how long, and the whole
    /// time that is taken from it, which includes the recorder's work.
    descheduled: Vec<(GrainRow, Ticks, f64)>,
    /// For waits with work of the recorder, in the order of the rows: the part of this work in
    /// which the thread was off its processor.
    in_waits: &'a [(WaitRow, Ticks)],
    /// For each wait: how long its worker ran no task, including the recorder's work.
    gross: Lengths<WaitInfo>,
}

/// A piece, divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Parts {
    pub own: Ticks,
    pub recorder: Ticks,
    pub descheduled: Ticks,
}

impl<'a> Net<'a> {
    /// `gross`: for each wait, how long its worker ran no task, including the recorder's work.
    pub fn of(profile: &'a Profile, above: &'a Above<'a>, gross: Lengths<WaitInfo>) -> Self {
        let by_grain = profile.descheduled.by_grain.iter();
        let descheduled = by_grain.map(|&(grain, ticks)| (grain, ticks, all_taken(profile, grain)));
        let (descheduled, in_waits) = (descheduled.collect(), &profile.descheduled.by_wait);
        Self { above, descheduled, in_waits, gross }
    }

    pub fn fragment(&self, profile: &Profile, row: u32, piece: Ticks) -> Parts {
        let fragments = &profile.fragments;
        let length = fragments.end(row) - fragments.start(row);
        let taken = length - fragments.net(row);
        let not_own = share(piece, taken, length);
        let grain = fragments.grain[row as usize];
        let known = self.descheduled.binary_search_by_key(&grain, |entry| entry.0);
        let descheduled = known.map_or(Ticks::ZERO, |at| {
            let (_, ticks, taken) = self.descheduled[at];
            share(not_own, ticks, Ticks(taken as u64))
        });
        Parts { own: piece - not_own, recorder: not_own - descheduled, descheduled }
    }

    /// Divides a piece of a creation or of book-keeping.
    pub fn above(&self, profile: &Profile, row: GrainRow, piece: Ticks, near: &Near) -> Parts {
        let (begin, end) = self.above.interval(row, near);
        let paid = (end - begin) - profile.grains.creation.of(row);
        let not_own = share(piece, paid, end - begin);
        let descheduled = share(not_own, self.above.descheduled(row), paid);
        Parts { own: piece - not_own, recorder: not_own - descheduled, descheduled }
    }

    /// Divides a piece of the runtime's work in another construct.
    pub fn call(profile: &Profile, row: CallRow, piece: Ticks) -> Parts {
        let call = &profile.calls[row];
        let length = call.end - call.begin;
        let not_own = share(piece, length - call.own, length);
        let descheduled = share(not_own, call.descheduled, length - call.own);
        Parts { own: piece - not_own, recorder: not_own - descheduled, descheduled }
    }

    /// Divides a piece of the recorder's work outside of tasks.
    pub fn apart(profile: &Profile, row: u32, piece: Ticks) -> Parts {
        let apart = &profile.recorder.apart[row as usize];
        let own = share(piece, apart.own, apart.ticks);
        Parts { own, recorder: Ticks::ZERO, descheduled: piece - own }
    }

    pub fn wait(&self, profile: &Profile, row: WaitRow, piece: Ticks) -> Parts {
        let gross = self.gross.of(row);
        let paid = gross - profile.waits[row].lost;
        let not_own = share(piece, paid, gross);
        let off = self.in_waits.binary_search_by_key(&row, |entry| entry.0);
        let off = off.map_or(Ticks::ZERO, |at| self.in_waits[at].1);
        let descheduled = share(not_own, off, paid);
        Parts { own: piece - not_own, recorder: not_own - descheduled, descheduled }
    }
}

/// What is taken from the fragments of a grain.
fn all_taken(profile: &Profile, grain: GrainRow) -> f64 {
    let items = profile.items.of(grain).map(|item| profile.items.at(item));
    let taken = items.map(|item| match item {
        Item::Fragment(row) => f64::from(profile.fragments.taken(row)),
        _ => 0.0,
    });
    taken.sum()
}

/// `piece` x `part` / `whole`, and never more than `piece`.
fn share(piece: Ticks, part: Ticks, whole: Ticks) -> Ticks {
    if part == Ticks::ZERO || whole == Ticks::ZERO {
        return Ticks::ZERO;
    }
    Ticks((piece.0 as f64 * part.0 as f64 / whole.0 as f64) as u64).min(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_exceed_the_piece() {
        let of = |piece, part, whole| share(Ticks(piece), Ticks(part), Ticks(whole)).0;
        assert_eq!((of(100, 50, 200), of(100, 300, 200), of(100, 1, 0), of(7, 0, 9)), (25, 100, 0, 0));
    }
}
