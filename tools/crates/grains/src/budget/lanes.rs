// SPDX-License-Identifier: Apache-2.0
//! What each worker did over time, by the classes of the budget: the shares of the classes in
//! intervals of equal length, the stretches in which the worker ran no grain, and sums for the
//! parts of the run that the caller names (`cuts`), also for the grains of each site in a part.
//!
//! The accounts of a worker (`lost`) say before each piece of its time how the classes of the piece
//! lie in it, and then add these classes. So the sums of a lane, and those of all parts, are the
//! sums of the budget.

use std::collections::{BTreeMap, HashMap};

use crate::budget::cuts::{Cuts, Spent};
use crate::budget::outside::Outside;
use crate::budget::sums::Class;
use crate::tables::{GrainRow, Grains, RegionRow};
use crate::ticks::Ticks;
use crate::{Column, NONE};

/// How detailed the lanes are.
#[derive(Clone, Copy)]
pub struct Detail<'a> {
    /// The number of intervals of the whole run.
    pub intervals: usize,
    /// The most stretches of one worker. The longest are kept.
    pub stretches: usize,
    pub cuts: &'a Cuts,
    /// The number of the site of each grain that gets sums of its site; [`NONE`]: it gets none.
    pub site_of: &'a Column<Grains, u32>,
}

/// What the workers did over time.
#[derive(Default)]
pub struct OverTime {
    /// In the order of the workers.
    pub lanes: Vec<Lane>,
    /// For each part of the cuts, the sums over the workers.
    pub parts: Vec<Spent>,
    /// Of these, by part and site: while a grain of the site ran, was created, or had its
    /// book-keeping done.
    pub sites: BTreeMap<(u32, u32), Spent>,
}

impl OverTime {
    pub(crate) fn add(&mut self, written: Written) {
        for (key, more) in &written.sites {
            let sums = self.sites.entry(*key).or_default();
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        self.parts.resize(written.parts.len(), Spent::default());
        for (sums, more) in self.parts.iter_mut().zip(&written.parts) {
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum += more;
            }
        }
        self.lanes.push(written.lane);
    }
}

/// A stretch of time in which a worker ran no grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub begin: Ticks,
    pub end: Ticks,
    pub class: Class,
}

impl Stretch {
    fn length(&self) -> Ticks {
        self.end - self.begin
    }
}

/// The time of one worker.
pub struct Lane {
    pub worker: u16,
    /// For each interval, the ticks of each class in it.
    pub spent: Vec<Spent>,
    /// In order of time.
    pub stretches: Vec<Stretch>,
}

/// How the classes of a piece lie in it.
#[derive(Clone, Copy)]
enum Piece {
    /// One after the other, from here on.
    InTurn(Ticks),
    /// When within the piece is not known: each interval gets the same share. `is_grain`: the piece
    /// is of a grain; otherwise its first class names the stretch.
    Even { begin: Ticks, end: Ticks, is_grain: bool, site: Option<u32> },
}

/// What is known of one worker.
pub(crate) struct Written {
    lane: Lane,
    parts: Vec<Spent>,
    sites: HashMap<(u32, u32), Spent>,
}

/// Writes the lane of one worker.
pub(crate) struct Writer<'a> {
    lane: Lane,
    cuts: &'a Cuts,
    site_of: &'a Column<Grains, u32>,
    parts: Vec<Spent>,
    sites: HashMap<(u32, u32), Spent>,
    /// The length of an interval.
    interval: f64,
    most: usize,
    piece: Piece,
}

impl<'a> Writer<'a> {
    pub fn new(worker: u16, detail: Detail<'a>, wall: Ticks) -> Self {
        let intervals = detail.intervals.max(1);
        Self {
            lane: Lane { worker, spent: vec![Spent::default(); intervals], stretches: Vec::new() },
            cuts: detail.cuts,
            site_of: detail.site_of,
            parts: vec![Spent::default(); detail.cuts.parts],
            sites: HashMap::new(),
            interval: wall.0.max(1) as f64 / intervals as f64,
            most: detail.stretches,
            piece: Piece::InTurn(Ticks::ZERO),
        }
    }

    /// The classes that follow lie one after the other.
    pub fn in_turn(&mut self, begin: Ticks) {
        self.piece = Piece::InTurn(begin);
    }

    /// The classes that follow lie evenly in a piece, in which the worker ran a grain.
    pub fn in_grain(&mut self, begin: Ticks, end: Ticks, grain: GrainRow) {
        self.piece = Piece::Even { begin, end, is_grain: true, site: self.site(Some(grain)) };
    }

    /// The classes that follow lie evenly in a piece without a grain. `grain`: for which the worker
    /// did something.
    pub fn evenly(&mut self, begin: Ticks, end: Ticks, grain: Option<GrainRow>) {
        self.piece = Piece::Even { begin, end, is_grain: false, site: self.site(grain) };
    }

    fn site(&self, grain: Option<GrainRow>) -> Option<u32> {
        self.site_of.of(grain).copied().filter(|&site| site != NONE)
    }

    /// `region`: where the time belongs to one.
    pub fn add(&mut self, class: Class, time: Ticks, region: Option<RegionRow>) {
        if time == Ticks::ZERO {
            return;
        }
        match self.piece {
            Piece::InTurn(begin) => {
                let end = begin + time;
                self.spread((begin, end), class, time, (region, None));
                self.stretch(Stretch { begin, end, class });
                self.piece = Piece::InTurn(end);
            }
            Piece::Even { begin, end, is_grain, site } => {
                self.spread((begin, end), class, time, (region, site));
                if !is_grain {
                    self.stretch(Stretch { begin, end, class });
                    self.piece = Piece::Even { begin, end, is_grain: true, site };
                }
            }
        }
    }

    /// The lane of a worker that recorded nothing.
    pub fn outside(mut self, outside: &Outside, wall: Ticks) -> Written {
        for (begin, end, class) in outside.stretches(Ticks::ZERO, wall) {
            self.in_turn(begin);
            self.add(class, end - begin, None);
        }
        self.finish()
    }

    pub fn finish(mut self) -> Written {
        self.keep_longest();
        Written { lane: self.lane, parts: self.parts, sites: self.sites }
    }

    fn spread(
        &mut self,
        (begin, end): (Ticks, Ticks),
        class: Class,
        time: Ticks,
        (region, site): (Option<RegionRow>, Option<u32>),
    ) {
        let (parts, sites) = (&mut self.parts, &mut self.sites);
        self.cuts.spread((begin, end), time, region, |part, time| {
            parts[part as usize][class as usize] += time;
            if let Some(site) = site {
                sites.entry((part, site)).or_default()[class as usize] += time;
            }
        });
        let last = self.lane.spent.len() - 1;
        let (from, to) = (begin.0 as f64 / self.interval, end.0 as f64 / self.interval);
        let rate = time.0 as f64 / (to - from).max(f64::MIN_POSITIVE);
        let (first, end) = ((from as usize).min(last), (to as usize).min(last));
        for at in first..=end {
            let low = if at == first { from } else { at as f64 };
            let high = if at == end { to } else { (at + 1) as f64 };
            self.lane.spent[at][class as usize] += (high - low).max(0.0) * rate;
        }
    }

    fn stretch(&mut self, next: Stretch) {
        match self.lane.stretches.last_mut() {
            Some(last) if last.end == next.begin && last.class == next.class => last.end = next.end,
            _ => self.lane.stretches.push(next),
        }
        if self.lane.stretches.len() >= self.most.max(1) * 2 {
            self.keep_longest();
        }
    }

    fn keep_longest(&mut self) {
        let stretches = &mut self.lane.stretches;
        let Some(shorter) = stretches.len().checked_sub(self.most).filter(|&shorter| shorter > 0) else {
            return;
        };
        let mut lengths: Vec<Ticks> = stretches.iter().map(Stretch::length).collect();
        let (below, &mut limit, _) = lengths.select_nth_unstable(shorter - 1);
        // Several stretches may be as long as the limit: the first of them are left out.
        let mut left = shorter - below.iter().filter(|&&length| length < limit).count();
        stretches.retain(|stretch| {
            let is_at_limit = stretch.length() == limit && left > 0;
            left -= usize::from(is_at_limit);
            stretch.length() >= limit && !is_at_limit
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::budget::cuts::Cut;
    use crate::Row;

    /// Two parts: until 100, and until 400.
    fn cuts() -> Cuts {
        let cut = |begin, end, part| Cut { begin: Ticks(begin), end: Ticks(end), part };
        let run = vec![cut(0, 100, 0), cut(100, 400, 1)];
        Cuts { run, regions: Vec::new(), of_region: Column::default(), parts: 2 }
    }

    /// Two grains: of site 7, and of one that has no sums.
    static SITES: LazyLock<Column<Grains, u32>> = LazyLock::new(|| vec![7, NONE].into());

    fn writer(cuts: &Cuts, stretches: usize) -> Writer<'_> {
        Writer::new(0, Detail { intervals: 4, stretches, cuts, site_of: &SITES }, Ticks(400))
    }

    fn of(lane: &Lane, class: Class) -> Vec<f64> {
        lane.spent.iter().map(|spent| spent[class as usize]).collect()
    }

    #[test]
    fn classes_in_turn_follow_each_other_and_fill_their_intervals() {
        let cuts = cuts();
        let mut writer = writer(&cuts, 8);
        writer.in_turn(Ticks(50));
        writer.add(Class::Imbalance, Ticks(200), None);
        writer.add(Class::Scheduling, Ticks(30), None);
        writer.in_turn(Ticks(280));
        writer.add(Class::Scheduling, Ticks(20), None);
        let Written { lane, parts, sites } = writer.finish();
        assert!(sites.is_empty(), "no grain ran");
        assert_eq!(of(&lane, Class::Imbalance), [50.0, 100.0, 50.0, 0.0]);
        assert_eq!(of(&lane, Class::Scheduling), [0.0, 0.0, 50.0, 0.0]);
        let stretch = |begin, end, class| Stretch { begin: Ticks(begin), end: Ticks(end), class };
        let expected = [stretch(50, 250, Class::Imbalance), stretch(250, 300, Class::Scheduling)];
        assert_eq!(lane.stretches, expected);
        assert_eq!(
            parts.iter().map(|part| part[Class::Imbalance as usize]).collect::<Vec<_>>(),
            [50.0, 150.0]
        );
    }

    #[test]
    fn classes_of_a_grain_lie_evenly_and_are_no_stretch() {
        let cuts = cuts();
        let mut writer = writer(&cuts, 8);
        writer.in_grain(Ticks(0), Ticks(200), Row::new(0));
        writer.add(Class::Work, Ticks(120), None);
        writer.add(Class::Descheduled, Ticks(80), None);
        writer.evenly(Ticks(200), Ticks(300), Some(Row::new(0)));
        writer.add(Class::Creation, Ticks(90), None);
        writer.add(Class::Recorder, Ticks(10), None);
        writer.in_grain(Ticks(300), Ticks(400), Row::new(1));
        writer.add(Class::Descheduled, Ticks(0), None);
        let Written { lane, mut sites, .. } = writer.finish();
        let mut of_site = |part| {
            let spent = sites.remove(&(part, 7)).unwrap();
            [Class::Work, Class::Creation, Class::Descheduled, Class::Recorder]
                .map(|class| spent[class as usize])
        };
        assert_eq!((of_site(0), of_site(1)), ([60.0, 0.0, 40.0, 0.0], [60.0, 90.0, 40.0, 10.0]));
        assert!(sites.is_empty());
        assert_eq!(of(&lane, Class::Work), [60.0, 60.0, 0.0, 0.0]);
        assert_eq!(of(&lane, Class::Descheduled), [40.0, 40.0, 0.0, 0.0]);
        assert_eq!(of(&lane, Class::Recorder), [0.0, 0.0, 10.0, 0.0]);
        let creation = Stretch { begin: Ticks(200), end: Ticks(300), class: Class::Creation };
        assert_eq!(lane.stretches, [creation]);
    }

    #[test]
    fn the_longest_stretches_are_kept_in_order() {
        let cuts = cuts();
        let mut writer = writer(&cuts, 2);
        for at in 0..8 {
            writer.in_turn(Ticks(at * 50));
            writer.add(Class::Locks, Ticks(if at % 3 == 1 { 20 + at } else { at + 1 }), None);
        }
        let begins: Vec<u64> = writer.finish().lane.stretches.iter().map(|stretch| stretch.begin.0).collect();
        assert_eq!(begins, [200, 350]);
    }
}
