// SPDX-License-Identifier: Apache-2.0
//! The parts of a run for which the budget keeps sums, beside those for regions and places: each
//! instant of each worker counts for one part, and where a piece of its time lies in several parts,
//! each gets its share. So the sum of a part is never more than workers x its time, and the parts
//! of the whole run have the sums of the lanes.
//!
//! Time that belongs to a region counts for a part of this region, also while another region is
//! open, as in a program with several initial threads. All other time counts for the part of the
//! run in which it lies.

use crate::budget::sums::CLASSES;
use crate::tables::{RegionInfo, RegionRow};
use crate::ticks::Ticks;
use crate::{Column, Profile};

/// Ticks of each class.
pub type Spent = [f64; CLASSES.len()];

/// A stretch of time, and the part that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub begin: Ticks,
    pub end: Ticks,
    pub part: u32,
}

pub struct Cuts {
    /// The whole run, in order of time and without gaps.
    pub run: Vec<Cut>,
    /// The outermost regions, one after the other; each in order of time and without gaps.
    pub regions: Vec<Cut>,
    /// For each region, which of these the outermost region around it has.
    pub of_region: Column<RegionInfo, (u32, u32)>,
    /// The number of parts.
    pub parts: usize,
}

impl Cuts {
    /// The whole run as one part.
    pub fn whole(profile: &Profile) -> Self {
        let run = vec![Cut { begin: Ticks::ZERO, end: profile.wall, part: 0 }];
        let of_region = Column::filled((0, 0), profile.regions.len());
        Self { run, regions: Vec::new(), of_region, parts: 1 }
    }

    /// The cuts of the outermost region around a region.
    pub fn within(&self, region: Option<RegionRow>) -> &[Cut] {
        let (first, end) = self.of_region.of(region).copied().unwrap_or_default();
        &self.regions[first as usize..end as usize]
    }

    /// Divides `time`, which lies evenly between `begin` and `end`.
    pub(crate) fn spread(
        &self,
        (begin, end): (Ticks, Ticks),
        time: Ticks,
        region: Option<RegionRow>,
        mut add: impl FnMut(u32, f64),
    ) {
        let rate = time.0 as f64 / (end.0.saturating_sub(begin.0)).max(1) as f64;
        let own = self.within(region);
        let (Some(first), Some(last)) = (own.first(), own.last()) else {
            return divide(&self.run, begin, end, rate, &mut add);
        };
        divide(own, begin, end, rate, &mut add);
        divide(&self.run, begin, end.min(first.begin), rate, &mut add);
        divide(&self.run, begin.max(last.end), end, rate, &mut add);
    }
}

fn divide(cuts: &[Cut], begin: Ticks, end: Ticks, rate: f64, add: &mut impl FnMut(u32, f64)) {
    let first = cuts.partition_point(|cut| cut.end <= begin);
    for cut in cuts[first..].iter().take_while(|cut| cut.begin < end) {
        let (from, to) = (cut.begin.max(begin), cut.end.min(end));
        if from < to {
            add(cut.part, (to - from).0 as f64 * rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;

    /// Serial until 10; a region with two parts until 30, and one until 40 that begins at 20;
    /// serial until 50.
    fn cuts() -> Cuts {
        let cuts = |cuts: &[(u64, u64, u32)]| {
            let cut = |&(begin, end, part)| Cut { begin: Ticks(begin), end: Ticks(end), part };
            cuts.iter().map(cut).collect::<Vec<_>>()
        };
        Cuts {
            run: cuts(&[(0, 10, 0), (10, 16, 1), (16, 20, 2), (20, 40, 3), (40, 50, 0)]),
            regions: cuts(&[(10, 16, 1), (16, 30, 2), (20, 40, 3)]),
            of_region: vec![(0, 2), (2, 3)].into(),
            parts: 4,
        }
    }

    fn spread(begin: u64, end: u64, time: u64, region: Option<usize>) -> [f64; 4] {
        let mut out = [0.0; 4];
        let add = |part: u32, time: f64| out[part as usize] += time;
        cuts().spread((Ticks(begin), Ticks(end)), Ticks(time), region.map(Row::new), add);
        out
    }

    #[test]
    fn each_part_gets_the_share_that_lies_in_it() {
        assert_eq!(spread(0, 50, 100, None), [40.0, 12.0, 8.0, 40.0]);
        assert_eq!(spread(12, 18, 6, None), [0.0, 4.0, 2.0, 0.0]);
    }

    #[test]
    fn time_of_a_region_is_in_its_parts_while_it_is_open() {
        assert_eq!(spread(12, 28, 16, Some(0)), [0.0, 4.0, 12.0, 0.0]);
        assert_eq!(spread(22, 28, 6, Some(1)), [0.0, 0.0, 0.0, 6.0]);
        assert_eq!(spread(5, 45, 40, Some(0)), [10.0, 6.0, 14.0, 10.0]);
    }
}
