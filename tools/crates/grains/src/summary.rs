// SPDX-License-Identifier: Apache-2.0
//! Totals of a profile by site and by kind of grain, and the notes about the recording that the
//! reader of a report needs.

use std::collections::HashMap;

use trace::Modelled;

use crate::tables::{flag, GrainKind, GrainRow, Grains, Strays};
use crate::ticks::Ticks;
use crate::{Column, PlaceRow, Profile};

/// What a construct at some place makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SiteKind {
    Task,
    Implicit,
    Initial,
    Chunk,
    Loop,
    Region,
    Sync,
}

impl SiteKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Implicit => "implicit",
            Self::Initial => "initial",
            Self::Chunk => "chunk",
            Self::Loop => "loop",
            Self::Region => "region",
            Self::Sync => "sync",
        }
    }

    pub const fn of_grain(kind: GrainKind) -> Self {
        match kind {
            GrainKind::Task => Self::Task,
            GrainKind::Implicit => Self::Implicit,
            GrainKind::Chunk => Self::Chunk,
            GrainKind::Initial => Self::Initial,
        }
    }
}

/// All that one construct did.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub kind: SiteKind,
    pub place: Option<PlaceRow>,
    /// Grains, instances of loops or regions, or waits.
    pub count: u64,
    /// Sum of the work of its grains.
    pub work: Ticks,
    /// Sum of the creation cost (book-keeping) of its grains.
    pub creation: Ticks,
    /// Time that the workers lost to waits. Of grains: their own waits; of a sync
    /// site: the waits there.
    pub wait: Ticks,
    /// Grains with parallel benefit below 1.
    pub low_benefit: u64,
    /// What these cost beyond their work, in ticks: what running them in their parents would gain.
    pub low_lost: f64,
    /// Grains that have a parallel benefit at all.
    pub with_benefit: u64,
    /// What these cost, as their benefit counts it, in ticks.
    pub cost: f64,
    /// The lowest parallel benefit; infinite when there is none.
    pub worst_benefit: f32,
    /// Grains of it on the critical path.
    pub critical: u64,
}

impl Site {
    fn new(kind: SiteKind, place: Option<PlaceRow>) -> Self {
        Self {
            kind,
            place,
            count: 0,
            work: Ticks::ZERO,
            creation: Ticks::ZERO,
            wait: Ticks::ZERO,
            low_benefit: 0,
            low_lost: 0.0,
            cost: 0.0,
            with_benefit: 0,
            worst_benefit: f32::INFINITY,
            critical: 0,
        }
    }

    /// Whether it made grains; else instances of loops or regions, or waits.
    pub const fn has_grains(&self) -> bool {
        !matches!(self.kind, SiteKind::Loop | SiteKind::Region | SiteKind::Sync)
    }

    /// Takes what another place of the same construct did as its own.
    pub fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.work += other.work;
        self.creation += other.creation;
        self.wait += other.wait;
        self.low_benefit += other.low_benefit;
        self.low_lost += other.low_lost;
        self.cost += other.cost;
        self.with_benefit += other.with_benefit;
        self.worst_benefit = self.worst_benefit.min(other.worst_benefit);
        self.critical += other.critical;
    }

    /// By this they fall: first those that made grains, by work, then the others by waits.
    pub fn rank(&self) -> (bool, std::cmp::Reverse<Ticks>) {
        let weight = if self.has_grains() { self.work } else { self.wait };
        (!self.has_grains(), std::cmp::Reverse(weight))
    }
}

/// The sites of a profile, and which one each grain belongs to.
pub struct Sites {
    pub sites: Vec<Site>,
    /// Row of the site of each grain.
    pub of_grain: Column<Grains, u32>,
}

/// Sites with grains first, by falling work; then loops, regions and synchronisation points.
pub fn sites(profile: &Profile) -> Sites {
    let mut table = Table::default();
    let grains = &profile.grains;
    let mut of_grain = Column::default();
    of_grain.reserve(grains.len());
    for row in grains.rows() {
        let site = table.row(SiteKind::of_grain(grains.kind[row]), grains.place[row]);
        of_grain.add(site);
        add_grain(&mut table.sites[site as usize], grains, row);
    }
    for info in &profile.loops {
        table.at(SiteKind::Loop, info.place).count += 1;
    }
    for info in &profile.regions {
        table.at(SiteKind::Region, info.place).count += 1;
    }
    for wait in &profile.waits {
        let site = table.at(SiteKind::Sync, wait.place);
        site.count += 1;
        site.wait += wait.lost;
    }
    order(&table.sites, of_grain)
}

fn add_grain(site: &mut Site, grains: &Grains, row: GrainRow) {
    if grains.has(row, flag::CANCELLED) {
        return; // it did not run
    }
    let benefit = grains.benefit[row];
    site.count += 1;
    site.work += grains.work.of(row);
    site.creation += grains.creation.of(row);
    site.wait += grains.wait.of(row);
    site.low_benefit += u64::from(grains.flags[row] & flag::LOW_BENEFIT != 0);
    if grains.flags[row] & flag::LOW_BENEFIT != 0 {
        site.low_lost += lost_by(grains, row);
    }
    site.critical += u64::from(grains.flags[row] & flag::CRITICAL != 0);
    if !benefit.is_nan() {
        site.with_benefit += 1;
        site.cost += cost(grains, row);
        site.worst_benefit = site.worst_benefit.min(benefit);
    }
}

/// Where a grain has no work, its creation cost is what is known.
fn cost(grains: &Grains, row: GrainRow) -> f64 {
    let (work, benefit) = (grains.work.of(row).0 as f64, f64::from(grains.benefit[row]));
    if benefit > 0.0 {
        work / benefit
    } else {
        grains.creation.of(row).0 as f64
    }
}

/// A grain's cost less its work.
fn lost_by(grains: &Grains, row: GrainRow) -> f64 {
    (cost(grains, row) - grains.work.of(row).0 as f64).max(0.0)
}

fn order(sites: &[Site], mut of_grain: Column<Grains, u32>) -> Sites {
    let mut ranks: Vec<u32> = (0..sites.len() as u32).collect();
    ranks.sort_by_key(|&row| sites[row as usize].rank());
    let mut new_row = vec![0; sites.len()];
    for (rank, &row) in ranks.iter().enumerate() {
        new_row[row as usize] = rank as u32;
    }
    for row in of_grain.iter_mut() {
        *row = new_row[*row as usize];
    }
    Sites { sites: ranks.iter().map(|&row| sites[row as usize]).collect(), of_grain }
}

#[derive(Default)]
struct Table {
    sites: Vec<Site>,
    rows: HashMap<(SiteKind, Option<PlaceRow>), u32>,
    /// The grains of one site mostly stand together.
    last: Option<((SiteKind, Option<PlaceRow>), u32)>,
}

impl Table {
    fn row(&mut self, kind: SiteKind, place: Option<PlaceRow>) -> u32 {
        let key = (kind, place);
        if let Some((_, row)) = self.last.filter(|(last, _)| *last == key) {
            return row;
        }
        let row = *self.rows.entry(key).or_insert_with(|| {
            self.sites.push(Site::new(kind, place));
            self.sites.len() as u32 - 1
        });
        self.last = Some((key, row));
        row
    }

    fn at(&mut self, kind: SiteKind, place: Option<PlaceRow>) -> &mut Site {
        let row = self.row(kind, place);
        &mut self.sites[row as usize]
    }
}

/// Numbers of grains by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub tasks: u64,
    /// Tasks that cancellation has discarded, and so never ran. No other number has them.
    pub discarded: u64,
    pub implicit: u64,
    pub initial: u64,
    pub chunks: u64,
    pub unfinished: u64,
    pub low_benefit: u64,
    pub stolen: u64,
    pub inline: u64,
}

pub fn counts(grains: &Grains) -> Counts {
    let mut counts = Counts::default();
    for row in grains.rows() {
        if grains.has(row, flag::CANCELLED) {
            counts.discarded += 1;
            continue;
        }
        let counter = match grains.kind[row] {
            GrainKind::Task => &mut counts.tasks,
            GrainKind::Implicit => &mut counts.implicit,
            GrainKind::Initial => &mut counts.initial,
            GrainKind::Chunk => &mut counts.chunks,
        };
        *counter += 1;
        let has = |flag: u8| u64::from(grains.flags[row] & flag != 0);
        counts.unfinished += has(flag::UNFINISHED);
        counts.low_benefit += has(flag::LOW_BENEFIT);
        counts.stolen += has(flag::STOLEN);
        counts.inline += has(flag::INLINE);
    }
    counts
}

/// What the reader must know to trust the numbers, in whole sentences.
pub fn notes(profile: &Profile) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(Modelled { machine, policy, seed, .. }) = &profile.meta.modelled {
        notes.push(format!(
            "Modelled, not measured: a run on the modelled machine {machine} in virtual time, with {policy}, seed \
             {seed}. docs/machines.md says what the model leaves out."
        ));
    }
    notes.extend(profile.wholeness.line());
    if !profile.complete {
        let unfinished = counts(&profile.grains).unfinished;
        notes.push(format!(
            "{unfinished} grains had not finished; the parts of them that were recorded count."
        ));
    }
    if profile.passed_over > 0 {
        notes.push(format!(
            "{} records are of kinds that this version of Teff does not know, because a later version wrote them. They \
             are skipped.",
            profile.passed_over
        ));
    }
    if profile.meta.command.left_out > 0 {
        notes.push(format!(
            "The command line is too long to be shown: {} of its arguments are left out or cut.",
            profile.meta.command.left_out
        ));
    }
    let Strays { repeated, unknown, rootless } = profile.strays;
    if repeated + unknown > 0 {
        notes.push(format!(
            "{} records name tasks, regions or loops that are missing in the recording, or are there twice; these \
             records are left out.",
            repeated + unknown
        ));
    }
    if rootless > 0 {
        notes.push(format!(
            "{rootless} tasks have no recorded creator: they are treated as tasks without a creator."
        ));
    }
    notes.extend(tiny(profile));
    notes.extend(hasty_threads(profile));
    notes
}

/// Recording one takes some ten to a hundred ns. Below this mean length that is much.
const TINY_NS: f64 = 1000.0;
/// Smaller numbers do not matter.
const MANY: u64 = 1000;

/// For tasks, chunks or holds of locks: where they are many and short.
fn tiny(profile: &Profile) -> impl Iterator<Item = String> + '_ {
    let grains = &profile.grains;
    let ended = |&row: &GrainRow| grains.flags[row] & (flag::CANCELLED | flag::UNFINISHED) == 0;
    let work = |kind: GrainKind| {
        let rows = grains.rows().filter(move |&row| grains.kind[row] == kind).filter(ended);
        rows.fold((0, Ticks::ZERO), |(number, sum), row| (number + 1, sum + grains.work.of(row)))
    };
    let held = profile.locks.iter().map(|hold| hold.held).sum::<Ticks>();
    let all = [
        ("tasks", work(GrainKind::Task)),
        ("chunks of loops", work(GrainKind::Chunk)),
        ("holds of locks", (profile.locks.len() as u64, held)),
    ];
    all.into_iter().filter_map(move |(what, (number, sum))| {
        let mean_ns = profile.ns(sum) / (number.max(1) as f64);
        (number >= MANY && mean_ns < TINY_NS).then(|| {
            format!(
                "The {what} are short, {mean_ns:.0} ns on average: recording one costs a good part of that. This cost \
                 is subtracted from all times, but its effect on caches is not. Without the recorder the program is \
                 faster."
            )
        })
    })
}

fn hasty_threads(profile: &Profile) -> impl Iterator<Item = String> + '_ {
    profile.hasty.iter().map(|thread| {
        let apart_ns = profile.ns(thread.hasty) / thread.hasty_turns as f64;
        format!(
            "Thread {}: {} of its {} changes from task to task were only {apart_ns:.0} ns apart. A change takes some \
             100 ns; let the tasks do more between their waits and yields.",
            thread.stream, thread.hasty_turns, thread.turns
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_one_construct_add_up() {
        let site = |count, work, worst_benefit, with_benefit| Site {
            count,
            work: Ticks(work),
            worst_benefit,
            with_benefit,
            creation: Ticks(1),
            critical: 1,
            ..Site::new(SiteKind::Task, None)
        };
        let mut sum = site(3, 900, f32::INFINITY, 0);
        sum.add(&site(1, 300, 0.5, 1));
        sum.add(&site(1, 300, 0.25, 1));
        assert_eq!((sum.count, sum.work, sum.creation, sum.critical), (5, Ticks(1500), Ticks(3), 3));
        assert_eq!((sum.with_benefit, sum.worst_benefit), (2, 0.25));
    }
}
