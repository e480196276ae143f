// SPDX-License-Identifier: Apache-2.0
//! Work deviation: the work of a grain in this run / its work in a baseline. A baseline is another
//! run of the same program, usually on one thread (a ratio; grains thesis, section 5.4.2; the
//! published code: `work_deviation`).
//!
//! - Explicit tasks are compared by identity.
//! - A chunk is compared with the cost of its iterations in the baseline, whose chunks may differ:
//!   the cost of an iteration is the cost of its chunk, evenly divided.
//! - Implicit tasks are compared by team: by the sum of all members' work, because its division
//!   depends on their number. So all members have the same deviation.
//! - Initial tasks are compared by their order.
//!
//! A grain has no deviation (NaN), and is counted, if it is not matched, was not finished, or had
//! no work in the baseline. Times are compared in nanoseconds, because the clocks may differ.
//!
//! Inflation is the work in this run minus the work in the baseline, summed with its sign over the
//! matched grains of a place, so that the noise of single grains cancels. A place with less work
//! than in the baseline has no inflation.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use trace::Command;

use super::identity::Identities;
use crate::tables::{flag, ChunkInfo, GrainKind, GrainRow, Grains, RegionInfo};
use crate::{Column, PlaceRow, Profile, Row};

/// What is kept of the baseline.
pub struct Baseline {
    /// (identity, work in ns), sorted. The first of two with the same identity is taken.
    tasks: Vec<(u64, f64)>,
    /// Work of the implicit tasks, by identity of the region, in ns.
    teams: HashMap<u64, f64>,
    loops: HashMap<u64, Iterations>,
    /// Names of the places of its grains.
    names: HashSet<u64>,
    pub workers: u32,
    pub work_ns: f64,
    pub command: Command,
}

impl Baseline {
    pub fn of(profile: &Profile) -> Self {
        Self::by(profile, &Identities::of(profile))
    }

    pub fn by(profile: &Profile, ids: &Identities) -> Self {
        let grains = &profile.grains;
        let by_id = |&row: &GrainRow| is_alone(grains, row);
        let mut tasks: Vec<_> = grains
            .task_rows()
            .filter(by_id)
            .map(|row| (ids.grain(row), profile.ns(grains.work.of(row))))
            .collect();
        tasks.par_sort_by_key(|task| task.0);
        let teams = team_work(profile).entries().map(|(region, &ns)| (ids.region(region), ns)).collect();
        let mut chunks: HashMap<u64, Vec<(u64, u64, f64)>> = HashMap::new();
        for (at, chunk) in profile.chunks.entries() {
            let row = grains.of_chunk(at);
            if grains.has(row, flag::UNFINISHED) {
                continue;
            }
            if let Some(first) = first_iteration(profile, chunk) {
                let entry = (first, chunk.iterations, profile.ns(grains.work.of(row)));
                chunks.entry(ids.loop_instance(chunk.loop_row)).or_default().push(entry);
            }
        }
        let loops = chunks.into_iter().map(|(id, chunks)| (id, Iterations::of(chunks))).collect();
        let places: HashSet<Option<PlaceRow>> = grains.place.iter().copied().collect();
        let names = places.into_iter().map(|place| ids.name(place)).collect();
        let (workers, work_ns) = (profile.workers, profile.ns(profile.work));
        Self { tasks, teams, loops, names, workers, work_ns, command: profile.meta.command.clone() }
    }

    /// Whether a grain or region of this identity was there.
    fn has(&self, id: u64) -> bool {
        self.teams.contains_key(&id) || self.task(id).is_some()
    }

    fn task(&self, id: u64) -> Option<f64> {
        let at = self.tasks.partition_point(|task| task.0 < id);
        self.tasks.get(at).filter(|task| task.0 == id).map(|task| task.1)
    }
}

/// Compared with one grain of the baseline.
fn is_alone(grains: &Grains, row: GrainRow) -> bool {
    matches!(grains.kind[row], GrainKind::Task | GrainKind::Initial)
        && !grains.has(row, flag::UNFINISHED | flag::CANCELLED)
}

/// The work of each region's implicit tasks, in ns.
fn team_work(profile: &Profile) -> Column<RegionInfo, f64> {
    let mut work = Column::filled(0.0, profile.regions.len());
    for (row, &region) in profile.member_of.entries() {
        if let Some(sum) = work.of_mut(region) {
            *sum += profile.ns(profile.grains.work.of(row));
        }
    }
    work
}

/// The number of a chunk's first iteration in its loop.
fn first_iteration(profile: &Profile, chunk: &ChunkInfo) -> Option<u64> {
    let info = profile.loops.of(Some(chunk.loop_row))?;
    let distance = i128::from(chunk.first) - i128::from(info.lb);
    u64::try_from(distance.checked_div(i128::from(info.step))?).ok()
}

/// What the iterations of a loop cost up to each of them.
struct Iterations {
    /// (first, end, cost before the first, cost): chunks in order, none over another.
    chunks: Vec<(u64, u64, f64, f64)>,
}

impl Iterations {
    fn of(mut chunks: Vec<(u64, u64, f64)>) -> Self {
        chunks.sort_by_key(|chunk| (chunk.0, chunk.1));
        let mut out: Vec<(u64, u64, f64, f64)> = Vec::with_capacity(chunks.len());
        for (first, count, cost) in chunks {
            let (end, sum) = out.last().map_or((0, 0.0), |last| (last.1, last.2 + last.3));
            if first >= end && count > 0 {
                out.push((first, first.saturating_add(count), sum, cost));
            }
        }
        Self { chunks: out }
    }

    /// What `first..first + count` cost; `None`: some of them did not run.
    fn cost(&self, first: u64, count: u64) -> Option<f64> {
        let end = first.checked_add(count)?;
        let from = self.chunks.partition_point(|chunk| chunk.1 <= first);
        let (mut at, mut cost) = (first, 0.0);
        for &(begin, stop, _, of_chunk) in &self.chunks[from..] {
            if at >= end || begin > at {
                break;
            }
            let until = stop.min(end);
            cost += of_chunk * (until - at) as f64 / (stop - begin) as f64;
            at = until;
        }
        (at >= end && count > 0).then_some(cost)
    }
}

/// By grain row; NaN: not matched.
pub struct Deviation {
    pub ratio: Column<Grains, f32>,
    pub matched: u64,
    pub unmatched: u64,
    /// Share of the work that the matched grains have.
    pub matched_work: f64,
    /// By row of the place (the last one: none).
    pub places: Vec<Compared>,
}

/// Sums over the grains of one place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compared {
    pub matched: u64,
    /// Work of the matched ones, here and in the baseline, in ns.
    pub here_ns: f64,
    pub there_ns: f64,
    /// The others, by [`Reason`].
    pub unmatched: [u64; 3],
}

impl Compared {
    pub fn add(&mut self, other: &Self) {
        self.matched += other.matched;
        self.here_ns += other.here_ns;
        self.there_ns += other.there_ns;
        for (sum, more) in self.unmatched.iter_mut().zip(other.unmatched) {
            *sum += more;
        }
    }

    /// Work here less work there in ns, with its sign.
    pub fn more_ns(&self) -> f64 {
        self.here_ns - self.there_ns
    }
}

/// Why a grain has no counterpart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Its construct made no grains in the baseline.
    NoConstruct = 0,
    /// What it was created in has no counterpart itself.
    NoScope = 1,
    /// What it was created in has one, where this construct made another number of grains, or other
    /// iterations.
    OtherNumber = 2,
}

impl Deviation {
    pub fn of(profile: &Profile, baseline: &Baseline) -> Self {
        Self::by(profile, &Identities::of(profile), baseline)
    }

    pub fn by(profile: &Profile, ids: &Identities, baseline: &Baseline) -> Self {
        let teams = team_work(profile);
        let grains = &profile.grains;
        let places = profile.places.places.len() + 1;
        let mut out = Self {
            ratio: Column::filled(f32::NAN, grains.len()),
            matched: 0,
            unmatched: 0,
            matched_work: 0.0,
            places: vec![Compared::default(); places],
        };
        let mut matched_ns = 0.0;
        for row in grains.rows() {
            if grains.has(row, flag::UNFINISHED | flag::CANCELLED) {
                continue;
            }
            let here = profile.ns(grains.work.of(row));
            let place = &mut out.places[grains.place[row].map_or(places - 1, Row::at)];
            let Some((mine, there)) = compared(profile, baseline, ids, &teams, row) else {
                let why = why_not(profile, baseline, ids, row) as usize;
                place.unmatched[why] += 1;
                out.unmatched += 1;
                continue;
            };
            out.matched += 1;
            matched_ns += here;
            place.matched += 1;
            // A member's share of what its team did in the baseline.
            let share = if mine > 0.0 { there * here / mine } else { there };
            place.here_ns += here;
            place.there_ns += share;
            if there > 0.0 {
                out.ratio[row] = (mine / there) as f32;
            }
        }
        out.matched_work = matched_ns / profile.ns(profile.work).max(f64::MIN_POSITIVE);
        out
    }
}

fn why_not(profile: &Profile, baseline: &Baseline, ids: &Identities, row: GrainRow) -> Reason {
    if !baseline.names.contains(&ids.name(profile.grains.place[row])) {
        return Reason::NoConstruct;
    }
    match ids.scope(profile, row) {
        Some(scope) if !baseline.has(scope) => Reason::NoScope,
        _ => Reason::OtherNumber,
    }
}

/// What is compared, here and there, in ns.
fn compared(
    profile: &Profile,
    baseline: &Baseline,
    ids: &Identities,
    teams: &Column<RegionInfo, f64>,
    row: GrainRow,
) -> Option<(f64, f64)> {
    let here = profile.ns(profile.grains.work.of(row));
    match profile.grains.kind[row] {
        GrainKind::Task | GrainKind::Initial => Some((here, baseline.task(ids.grain(row))?)),
        GrainKind::Implicit => {
            let region = profile.member_of[row]?;
            Some((teams[region], *baseline.teams.get(&ids.region(region))?))
        }
        GrainKind::Chunk => {
            let chunk = profile.chunk(row)?;
            let iterations = baseline.loops.get(&ids.loop_instance(chunk.loop_row))?;
            Some((here, iterations.cost(first_iteration(profile, chunk)?, chunk.iterations)?))
        }
    }
}

/// What the budget knows of the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Inflation {
    /// By row of the place, the last one of what has none: (inflation, work in the baseline) in ns.
    /// Places without inflation have 0.
    pub places: Vec<(f64, f64)>,
    pub matched: u64,
    pub unmatched: u64,
    pub matched_work: f64,
    pub baseline_workers: u32,
    /// The baseline's command, if it differs in the program or in the arguments.
    pub other_command: Option<String>,
}

impl Inflation {
    pub fn of(deviation: &Deviation, baseline: &Baseline, command: &Command) -> Self {
        let of = |place: &Compared| (place.more_ns().max(0.0), place.there_ns);
        Self {
            places: deviation.places.iter().map(of).collect(),
            matched: deviation.matched,
            unmatched: deviation.unmatched,
            matched_work: deviation.matched_work,
            baseline_workers: baseline.workers,
            other_command: (!baseline.command.is_like(command)).then(|| baseline.command.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_range_is_that_of_its_iterations() {
        let loop_of = Iterations::of(vec![(4, 4, 40.0), (0, 4, 4.0), (10, 2, 9.0)]);
        assert_eq!(loop_of.cost(0, 4), Some(4.0));
        assert_eq!(loop_of.cost(2, 4), Some(22.0));
        assert_eq!(loop_of.cost(11, 1), Some(4.5));
        assert_eq!([loop_of.cost(7, 4), loop_of.cost(11, 2), loop_of.cost(0, 0)], [None; 3]);
    }
}
