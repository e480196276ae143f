// SPDX-License-Identifier: Apache-2.0
//! Makes overlapping slices nest. If a slice ends before slices that began later, the later slices
//! are cut at its end, and continue after the cut.

use std::io::Result;

use grains::Ticks;

use super::slice::Slice;

/// The start or the end of a slice, or of a part of a slice. The part that begins last ends first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub at: Ticks,
    pub begins: bool,
    /// Whether this is the first part of the slice.
    pub first: bool,
    pub slice: Slice,
}

/// Perfetto shows 512 nested slices. Of the slices that are not grains, the deepest are left out;
/// work is never left out.
const DEEPEST: usize = 500;
/// A slice continues at most this number of times. Otherwise a damaged recording, in which
/// everything overlaps, would make a file of any size.
const MOST_CUTS: u32 = 8;

/// The slices that are open, the outer ones first.
#[derive(Default)]
pub struct Nest {
    open: Vec<Open>,
    left_out: u64,
}

#[derive(Clone, Copy)]
struct Open {
    slice: Slice,
    cuts: u32,
    /// The earliest end of this slice and the slices below it.
    first_end: Ticks,
}

impl Nest {
    /// Slices come in the order in which they began, outer ones first.
    pub fn begin(&mut self, slice: Slice, each: &mut impl FnMut(Event) -> Result<()>) -> Result<()> {
        self.end_until(slice.begin, each)?;
        if self.open.len() >= DEEPEST && !slice.what.is_grain() {
            self.left_out += 1;
            return Ok(());
        }
        each(Event { at: slice.begin, begins: true, first: true, slice })?;
        self.push(slice, 0);
        Ok(())
    }

    /// Returns how many slices were left out.
    pub fn finish(mut self, each: &mut impl FnMut(Event) -> Result<()>) -> Result<u64> {
        self.end_until(Ticks(u64::MAX), each)?;
        Ok(self.left_out)
    }

    fn push(&mut self, slice: Slice, cuts: u32) {
        let below = self.open.last().map_or(slice.end, |open| open.first_end);
        self.open.push(Open { slice, cuts, first_end: below.min(slice.end) });
    }

    /// Ends the slices that have ended by `now`.
    fn end_until(&mut self, now: Ticks, each: &mut impl FnMut(Event) -> Result<()>) -> Result<()> {
        while let Some(at) = self.open.last().map(|open| open.first_end).filter(|&end| end <= now) {
            let mut above = Vec::new();
            while let Some(open) = self.open.pop() {
                each(Event { at, begins: false, first: open.cuts == 0, slice: open.slice })?;
                if open.slice.end > at {
                    above.push(open);
                } else if self.open.last().is_none_or(|below| below.first_end > at) {
                    break;
                }
            }
            for Open { slice, cuts, .. } in above.into_iter().rev() {
                if slice.what.goes_on() && cuts < MOST_CUTS {
                    each(Event { at, begins: true, first: false, slice })?;
                    self.push(slice, cuts + 1);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::slice::What;
    use super::*;

    fn slice(begin: u64, end: u64, row: u32) -> Slice {
        Slice { begin: Ticks(begin), end: Ticks(end), what: What::Wait, row }
    }

    /// `(row@time` begins a slice, `)` ends it, and `~` continues it.
    fn nested(slices: &[Slice]) -> String {
        let mut out = String::new();
        let mut nest = Nest::default();
        let mut each = |event: Event| {
            let (at, row) = (event.at.0, event.slice.row);
            match (event.begins, event.first) {
                (true, true) => out.push_str(&format!("({row}@{at} ")),
                (true, false) => out.push_str(&format!("(~{row}@{at} ")),
                (false, _) => out.push_str(&format!("{at}){row} ")),
            }
            Ok(())
        };
        slices.iter().try_for_each(|&slice| nest.begin(slice, &mut each)).unwrap();
        assert_eq!(nest.finish(&mut each).unwrap(), 0);
        out.trim_end().to_owned()
    }

    #[test]
    fn what_nests_stays_whole() {
        let slices = [slice(0, 9, 0), slice(1, 4, 1), slice(2, 3, 2), slice(4, 9, 3), slice(9, 9, 4)];
        assert_eq!(nested(&slices), "(0@0 (1@1 (2@2 3)2 4)1 (3@4 9)3 9)0 (4@9 9)4");
    }

    #[test]
    fn what_overlaps_is_cut_where_the_outer_one_ends() {
        let slices = [slice(0, 4, 0), slice(2, 6, 1), slice(3, 6, 2), slice(5, 9, 3)];
        assert_eq!(nested(&slices), "(0@0 (1@2 (2@3 4)2 4)1 4)0 (~1@4 (~2@4 (3@5 6)3 6)2 6)1 (~3@6 9)3");
    }

    #[test]
    fn there_is_a_deepest_level_for_all_but_work() {
        let mut nest = Nest::default();
        let mut events = 0;
        let mut each = |_: Event| {
            events += 1;
            Ok(())
        };
        let count = DEEPEST as u32 + 7;
        (0..count).try_for_each(|row| nest.begin(slice(0, 9, row), &mut each)).unwrap();
        nest.begin(Slice { what: What::Fragment, ..slice(1, 2, 0) }, &mut each).unwrap();
        assert_eq!(nest.finish(&mut each).unwrap(), 7);
        assert_eq!(events, 2 * (DEEPEST + 1));
    }

    #[test]
    fn what_overlaps_all_others_does_not_go_on_for_ever() {
        let slices: Vec<_> = (0..100).map(|row| slice(row, 1_000 + row, row as u32)).collect();
        let text = nested(&slices);
        assert_eq!(text.matches("(99@").count() + text.matches("(~99@").count(), 1 + MOST_CUTS as usize);
        let left = [slice(0, 4, 0), Slice { what: What::Departed, ..slice(1, 9, 1) }];
        assert_eq!(nested(&left), "(0@0 (1@1 4)1 4)0");
    }
}
