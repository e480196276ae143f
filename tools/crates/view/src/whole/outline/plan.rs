// SPDX-License-Identifier: Apache-2.0
//! Which parts the run has: serial parts, and regions divided by their barriers. The budget sums
//! the workers' time by these parts.
//!
//! A part of the outline is a step of the program's sequence, or what ends at one barrier within a
//! step's regions; it has many stretches of time. The budget keeps sums for each stretch. Where
//! there are too many, it keeps sums for the short stretches of a part that begin in one interval.

use std::collections::HashMap;
use std::ops::Range;

use grains::budget::{Cut, Cuts};
use grains::{Column, PlaceRow, Profile, RegionInfo, RegionRow, Ticks, NONE};
use trace::WaitKind;

use super::fold::{push, Step, What};

/// The most sums of the budget: fewer where there are many workers, each of which has them.
const MOST: usize = 16_384;
const MOST_OF_ALL: usize = 1 << 20;

/// What ends a part of a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    Barrier(Option<PlaceRow>),
    Region,
}

/// A part of the outline.
pub struct Part {
    /// Of a serial part: the end of the region, which has no meaning.
    pub end: End,
    pub count: u64,
    pub wall: Ticks,
}

/// One or several stretches of a part, for which the budget has one sum.
pub struct Piece {
    pub part: u32,
    pub begin: Ticks,
    pub end: Ticks,
    /// The sum of the stretches, and their number.
    pub time: Ticks,
    pub count: u32,
}

/// A step of the sequence, or a repetition of several.
pub enum Planned {
    Step { what: What, count: u64, parts: Vec<u32> },
    Repeat { count: u64, body: Vec<Planned> },
}

pub struct Plan {
    pub steps: Vec<Planned>,
    pub parts: Vec<Part>,
    pub pieces: Vec<Piece>,
    /// Their parts are the rows of `pieces`.
    pub cuts: Cuts,
}

/// The begin and the end of a serial part.
type Stretch = (Ticks, Ticks);

impl Plan {
    pub fn of(profile: &Profile) -> Self {
        let mut regions: Vec<RegionRow> =
            profile.regions.entries().filter(|(_, region)| region.level <= 1).map(|(row, _)| row).collect();
        regions.sort_by_key(|&row| profile.regions[row].begin);
        let serial = serial_parts(profile, &regions);
        let steps = sequence(profile, &regions, &serial);
        let ends = Ends::of(profile, &regions);
        let mut parts = Parts::of(serial.len(), &ends);
        let steps = steps.into_iter().map(|step| parts.planned(step)).collect();
        let mut pieces = Pieces::of(profile, &parts);
        let mut inside = Vec::new();
        let mut run = Vec::new();
        let mut ranges = Vec::with_capacity(regions.len());
        let mut at = Ticks::ZERO;
        for (number, &(begin, end)) in serial.iter().enumerate() {
            run.extend(pieces.cut(&mut parts.all, parts.serial[number], begin, end));
            at = at.max(end);
            let Some(&row) = regions.get(number) else { continue };
            let first = inside.len();
            let mut from = profile.regions[row].begin;
            for ending in ends.of_region(number) {
                let until = ends.all[ending].0;
                inside.extend(pieces.cut(&mut parts.all, parts.within[ending], from, until));
                from = until;
            }
            ranges.push((row, (first as u32, inside.len() as u32)));
            // While several regions are open, the run is in the first of them.
            let beyond = inside[first..].iter().filter(|cut| cut.end > at);
            run.extend(beyond.map(|cut| Cut { begin: cut.begin.max(at), ..*cut }));
            at = at.max(profile.regions[row].end);
        }
        let of_region = Column::filled((0, 0), profile.regions.len());
        let (parts, pieces) = (parts.all, pieces.all);
        let mut cuts = Cuts { run, regions: inside, of_region, parts: pieces.len() };
        for (row, range) in ranges {
            cuts.of_region[row] = range;
        }
        nested(profile, &mut cuts.of_region);
        Self { steps, parts, pieces, cuts }
    }
}

/// Gives each nested region the cuts of the outermost region that it is in.
fn nested(profile: &Profile, of_region: &mut Column<RegionInfo, (u32, u32)>) {
    let inner = || profile.regions.entries().filter(|(_, region)| region.level > 1);
    if inner().next().is_none() {
        return;
    }
    let region_of = grains::budget::regions_of_tasks(profile);
    for (row, region) in inner() {
        let (mut at, mut left) = (region.parent, region.level);
        while let Some(above) = at.and_then(|task| region_of.of(Some(task)).copied().flatten()) {
            left -= 1;
            if profile.regions[above].level <= 1 || left == 0 {
                of_region[row] = of_region[above];
                break;
            }
            at = profile.regions[above].parent;
        }
    }
}

/// The part before each of the outermost regions, and the one after the last of them. A part
/// without length keeps the sequence regular.
fn serial_parts(profile: &Profile, regions: &[RegionRow]) -> Vec<Stretch> {
    let mut at = Ticks::ZERO;
    let mut parts = Vec::with_capacity(regions.len() + 1);
    for &row in regions {
        let region = &profile.regions[row];
        // A region's end may be later than the begin of the next one: a thread that lost its
        // processor left late.
        parts.push((at, region.begin.max(at)));
        at = at.max(region.end);
    }
    parts.push((at, profile.wall.max(at)));
    parts
}

fn sequence(profile: &Profile, regions: &[RegionRow], serial: &[Stretch]) -> Vec<Step> {
    let mut steps = Vec::new();
    let step = |what, number: usize| Step { what, count: 1, of: vec![number as u32] };
    for (number, &(begin, end)) in serial.iter().enumerate() {
        if number == 0 {
            if begin < end {
                steps.push(step(What::Start, number));
            }
        } else if number < regions.len() {
            push(&mut steps, step(What::Serial, number));
        } else {
            // What the last round has none of: what follows may be of another kind, and long.
            push(&mut steps, Step { what: What::Serial, count: 0, of: Vec::new() });
            if begin < end {
                steps.push(step(What::End, number));
            }
        }
        if let Some(&row) = regions.get(number) {
            push(&mut steps, step(What::Region(profile.regions[row].place), number));
        }
    }
    steps
}

/// For each outermost region, in their order: where its parts end, and at what.
struct Ends {
    all: Vec<(Ticks, End)>,
    /// Where those of each region begin, and the end of all.
    first: Vec<u32>,
}

impl Ends {
    fn of(profile: &Profile, regions: &[RegionRow]) -> Self {
        let mut number_of = Column::filled(NONE, profile.regions.len());
        for (number, &row) in regions.iter().enumerate() {
            number_of[row] = number as u32;
        }
        // A part ends where the last thread arrives.
        let mut arrivals: Vec<Option<(u32, Ticks, Option<PlaceRow>)>> = vec![None; profile.barriers as usize];
        for (wait, &barrier) in profile.waits.iter().zip(&profile.barrier_of) {
            let number = number_of.of(profile.member_of[wait.task]).copied().filter(|&row| row != NONE);
            let (Some(number), Some(barrier)) = (number, barrier) else { continue };
            if !wait.kind.is_barrier() || wait.kind == WaitKind::RegionEnd {
                continue;
            }
            if let Some(arrival) = arrivals.get_mut(barrier.at()) {
                let last = arrival.map_or(wait.begin, |(_, last, _)| last.max(wait.begin));
                *arrival = Some((number, last, wait.place));
            }
        }
        let mut arrivals: Vec<_> = arrivals.into_iter().flatten().collect();
        arrivals.sort_by_key(|&(number, last, _)| (number, last));
        let mut this = Self { all: Vec::new(), first: Vec::with_capacity(regions.len() + 1) };
        let mut next = arrivals.into_iter().peekable();
        for (number, &row) in regions.iter().enumerate() {
            this.first.push(this.all.len() as u32);
            let region = &profile.regions[row];
            while let Some((_, last, place)) = next.next_if(|arrival| arrival.0 as usize == number) {
                this.all.push((last.clamp(region.begin, region.end), End::Barrier(place)));
            }
            this.all.push((region.end, End::Region));
        }
        this.first.push(this.all.len() as u32);
        this
    }

    /// Which of `all` are of a region.
    fn of_region(&self, number: usize) -> Range<usize> {
        self.first[number] as usize..self.first[number + 1] as usize
    }
}

/// The parts, and which of them each stretch belongs to.
struct Parts<'a> {
    all: Vec<Part>,
    /// By the number of a serial part.
    serial: Vec<u32>,
    /// By the row of an end.
    within: Vec<u32>,
    ends: &'a Ends,
}

impl<'a> Parts<'a> {
    fn of(serial: usize, ends: &'a Ends) -> Self {
        Self { all: Vec::new(), serial: vec![NONE; serial], within: vec![NONE; ends.all.len()], ends }
    }

    fn add(&mut self, end: End) -> u32 {
        self.all.push(Part { end, count: 0, wall: Ticks::ZERO });
        self.all.len() as u32 - 1
    }

    fn planned(&mut self, step: Step) -> Planned {
        let Step { what, count, of } = step;
        let mut parts = Vec::new();
        match what {
            What::Repeat(body) => {
                let body = body.into_iter().map(|step| self.planned(step)).collect();
                return Planned::Repeat { count, body };
            }
            What::Region(_) => {
                let mut known = HashMap::new();
                for region in of {
                    for at in self.ends.of_region(region as usize) {
                        let end = self.ends.all[at].1;
                        let part = *known.entry(end).or_insert_with(|| {
                            parts.push(self.add(end));
                            self.all.len() as u32 - 1
                        });
                        self.within[at] = part;
                    }
                }
            }
            What::Start | What::End | What::Serial => {
                let part = self.add(End::Region);
                parts.push(part);
                for at in of {
                    self.serial[at as usize] = part;
                }
            }
        }
        Planned::Step { what, count, parts }
    }
}

/// The stretches of all parts, as pieces.
struct Pieces {
    all: Vec<Piece>,
    /// The length of an interval, if there are too many stretches; shorter ones of one part that
    /// begin in one interval are one piece.
    interval: Option<u64>,
    known: HashMap<(u32, u64), u32>,
}

impl Pieces {
    fn of(profile: &Profile, parts: &Parts) -> Self {
        let most = (MOST_OF_ALL / (profile.workers as usize).max(1)).clamp(MOST / 16, MOST);
        let intervals = (most / (parts.all.len() + 1)).max(1) as u64;
        let is_too_much = parts.serial.len() + parts.within.len() > most;
        let interval = is_too_much.then(|| profile.wall.0 / intervals + 1);
        Self { all: Vec::new(), interval, known: HashMap::new() }
    }

    /// Adds a stretch to its part. None: it has no length, or no part.
    fn cut(&mut self, parts: &mut [Part], part: u32, begin: Ticks, end: Ticks) -> Option<Cut> {
        let of = parts.get_mut(part as usize)?;
        of.count += 1;
        if begin >= end {
            return None;
        }
        of.wall += end - begin;
        let next = self.all.len() as u32;
        let interval = self.interval.filter(|&interval| (end - begin).0 < interval);
        let piece =
            interval.map_or(next, |interval| *self.known.entry((part, begin.0 / interval)).or_insert(next));
        if piece == next {
            self.all.push(Piece { part, begin, end, time: Ticks::ZERO, count: 0 });
        }
        let all = &mut self.all[piece as usize];
        all.end = all.end.max(end);
        all.time += end - begin;
        all.count += 1;
        Some(Cut { begin, end, part: piece })
    }
}
