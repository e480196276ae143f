// SPDX-License-Identifier: Apache-2.0
//! What the program is made of: its parallel regions and the serial parts between them, in order of
//! time, with repetitions folded; below each region the parts between its barriers, its loops, and
//! its tasks. What is in a nested region belongs to the outermost region around it.
//!
//! The figures of a row are those of its own instances, and of all rounds together. The workers'
//! time is divided where it was spent, as in the lanes: a row never has more of it than workers x
//! its time. A loop or task has the time in which its grains ran, were created, or had their
//! book-keeping done. What is left of a region or phase is its own: so the own time of all rows is
//! the budget's.

mod fold;
pub mod plan;

use std::collections::HashMap;

use grains::budget::{Class, Cut, OverTime, Spent, CLASSES};
use grains::summary::SiteKind;
use grains::{GrainKind, Grains, PlaceRow, Profile, RegionRow, Ticks, NONE};
use serde::Serialize;
use symbols::sites::Sites;

use crate::columns::Column;
use fold::What;
use plan::{End, Plan, Planned};

/// The most rows; nobody reads more.
const MOST: usize = 400;
const WHOLE: f64 = 255.0;

/// What the program is made of.
#[derive(Serialize)]
pub struct Outline {
    /// The names of the classes of the workers' time that occur.
    classes: Vec<&'static str>,
    row: Vec<Row>,
    /// Rows that are left out.
    more: usize,
    piece: Pieces,
}

#[derive(Serialize)]
pub struct Row {
    /// 0: a step of the whole run. A row belongs to the last row before it with a lower depth.
    depth: u32,
    /// repeat, start, serial, end, region, phase, loop or task; start and end: serial, before the
    /// first region and after the last one.
    kind: &'static str,
    /// Row of the model's `sites`. Of a phase: what ends it. `u32::MAX`: none.
    site: u32,
    /// How often: rounds of a repetition, instances, tasks.
    count: u64,
    /// The time from begin to end, summed over the instances; of a loop or task: in which any of
    /// its grains ran.
    wall_ns: f64,
    work_ns: f64,
    /// The workers' time in it by class, in the order of `classes`.
    classes: Vec<f64>,
    /// The workers' time in it that is in no row below it.
    own_ns: f64,
}

/// When the rows without rows of kind phase were, for figures of a part of the run.
#[derive(Serialize, Default)]
struct Pieces {
    row: Column<u16>,
    start: Column<f64>,
    /// From the begin of the first stretch to the end of the last one.
    length: Column<f32>,
    /// The sum of the stretches, and their number.
    time: Column<f32>,
    count: Column<u32>,
    /// By piece and class, in 255ths of workers x time.
    share: Column<u8>,
    inside: Inside,
}

/// What the loops and tasks have of the pieces.
#[derive(Serialize, Default)]
struct Inside {
    /// A row of `piece`, and the row of the loop or task.
    piece: Column<u32>,
    row: Column<u16>,
    /// As of the piece.
    share: Column<u8>,
}

/// For [`Detail::site_of`](grains::budget::Detail): the sites of the grains that have rows.
pub fn sites_of_rows(profile: &Profile, sites: &Sites) -> grains::Column<Grains, u32> {
    let rows = profile.grains.rows();
    rows.map(|row| if kind_of(profile.grains.kind[row]).is_some() { sites.of_grain[row] } else { NONE })
        .collect()
}

/// The kind of the row that has a grain.
fn kind_of(kind: GrainKind) -> Option<&'static str> {
    match kind {
        GrainKind::Task => Some("task"),
        GrainKind::Chunk => Some("loop"),
        _ => None,
    }
}

/// `time`: the sums of the budget for the plan's pieces.
pub fn of(
    profile: &Profile,
    sites: &Sites,
    region_of: &grains::Sparse<Grains, Option<RegionRow>>,
    plan: &Plan,
    time: &OverTime,
) -> Outline {
    let mut sums = vec![Spent::default(); plan.parts.len()];
    for (piece, spent) in plan.pieces.iter().zip(&time.parts) {
        add(&mut sums[piece.part as usize], spent);
    }
    let occurs = |class: &Class| sums.iter().any(|sums| sums[*class as usize] > 0.0);
    let classes: Vec<Class> = CLASSES.into_iter().filter(occurs).collect();
    let leaves = leaves(profile, sites, region_of, plan, time);
    let row_of = vec![NONE; plan.parts.len()];
    let leaf_row = HashMap::new();
    let mut writer =
        Writer { profile, sites, plan, sums, classes, leaves, row_of, leaf_row, rows: Vec::new() };
    writer.write(&plan.steps, 0);
    let more = writer.rows.len().saturating_sub(MOST);
    writer.rows.truncate(MOST);
    let piece = writer.pieces(time);
    let classes = writer.classes.into_iter().map(Class::name).collect();
    Outline { classes, row: writer.rows, more, piece }
}

fn add(sums: &mut Spent, more: &Spent) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// A loop or the tasks of a site, in a part.
struct Leaf {
    kind: &'static str,
    site: u32,
    count: u64,
    wall: Ticks,
    spent: Spent,
}

/// The loops and tasks that ran in each part, by falling work.
fn leaves(
    profile: &Profile,
    sites: &Sites,
    region_of: &grains::Sparse<Grains, Option<RegionRow>>,
    plan: &Plan,
    time: &OverTime,
) -> Vec<Vec<Leaf>> {
    let mut leaves = Leaves { of: plan.parts.iter().map(|_| Vec::new()).collect(), known: HashMap::new() };
    let grains = &profile.grains;
    let cuts_of = |row| {
        let kind = kind_of(grains.kind[row])?;
        let task = if kind == "loop" { grains.parent[row] } else { Some(row) };
        let region = task.and_then(|task| region_of.of(Some(task)).copied().flatten());
        Some((kind, plan.cuts.within(region))).filter(|(_, cuts)| !cuts.is_empty())
    };
    let part_of = |cut: &Cut| plan.pieces[cut.part as usize].part;
    for row in grains.rows() {
        let Some((kind, cuts)) = cuts_of(row) else { continue };
        let at = cuts.partition_point(|cut| cut.end <= grains.start.of(row));
        let Some(cut) = cuts.get(at).or(cuts.last()) else { continue };
        leaves.leaf(part_of(cut), sites.of_grain[row], kind).count += 1;
    }
    let mut ran = Vec::new();
    for (at, &row) in profile.fragments.grain.iter().enumerate() {
        let Some((kind, cuts)) = cuts_of(row) else { continue };
        let (begin, end) = (profile.fragments.start(at as u32), profile.fragments.end(at as u32));
        let first = cuts.partition_point(|cut| cut.end <= begin);
        for cut in cuts[first..].iter().take_while(|cut| cut.begin < end) {
            let (part, site) = (part_of(cut), sites.of_grain[row]);
            leaves.leaf(part, site, kind); // a grain may run in a later part than it began in
            ran.push((part, site, begin.max(cut.begin), end.min(cut.end)));
        }
    }
    ran.sort_unstable();
    let mut until = (NONE, NONE, Ticks::ZERO);
    for (part, site, begin, end) in ran {
        let from = if (until.0, until.1) == (part, site) { begin.max(until.2) } else { begin };
        if let Some(leaf) = leaves.get(part, site) {
            leaf.wall += end - from;
        }
        until = (part, site, end.max(from));
    }
    for (&(piece, site), spent) in &time.sites {
        // What lies outside of regions is the serial part's own.
        if let Some(leaf) = leaves.get(plan.pieces[piece as usize].part, site) {
            add(&mut leaf.spent, spent);
        }
    }
    for leaves in &mut leaves.of {
        let work = |leaf: &Leaf| leaf.spent[Class::Work as usize];
        leaves.sort_by(|one, other| work(other).total_cmp(&work(one)).then(one.site.cmp(&other.site)));
    }
    leaves.of
}

struct Leaves {
    /// By part.
    of: Vec<Vec<Leaf>>,
    /// By part and site: the position in the part.
    known: HashMap<(u32, u32), usize>,
}

impl Leaves {
    fn leaf(&mut self, part: u32, site: u32, kind: &'static str) -> &mut Leaf {
        let leaves = &mut self.of[part as usize];
        let at = *self.known.entry((part, site)).or_insert_with(|| {
            leaves.push(Leaf { kind, site, count: 0, wall: Ticks::ZERO, spent: Spent::default() });
            leaves.len() - 1
        });
        &mut leaves[at]
    }

    fn get(&mut self, part: u32, site: u32) -> Option<&mut Leaf> {
        let at = *self.known.get(&(part, site))?;
        self.of[part as usize].get_mut(at)
    }
}

struct Writer<'a> {
    profile: &'a Profile,
    sites: &'a Sites,
    plan: &'a Plan,
    /// By part of the plan.
    sums: Vec<Spent>,
    classes: Vec<Class>,
    leaves: Vec<Vec<Leaf>>,
    /// The row of each part.
    row_of: Vec<u32>,
    /// By part and site.
    leaf_row: HashMap<(u32, u32), u32>,
    rows: Vec<Row>,
}

impl Writer<'_> {
    /// Returns the time of the steps, and what the workers did in it.
    fn write(&mut self, steps: &[Planned], depth: u32) -> (Ticks, Spent) {
        let (mut wall, mut spent) = (Ticks::ZERO, Spent::default());
        for step in steps {
            if matches!(step, Planned::Step { count: 0, .. }) {
                continue;
            }
            let at = self.rows.len();
            let (of, below) = match step {
                Planned::Repeat { count, body } => {
                    self.row("repeat", NONE, *count, depth);
                    let of = self.write(body, depth + 1);
                    (of, of.1)
                }
                Planned::Step { what, count, parts } => {
                    let below = match *what {
                        What::Region(place) => self.region(place, *count, parts, depth),
                        What::Start => self.serial("start", parts, *count, depth),
                        What::End => self.serial("end", parts, *count, depth),
                        _ => self.serial("serial", parts, *count, depth),
                    };
                    (self.sum(parts), below)
                }
            };
            self.fill(at, of, &below);
            wall += of.0;
            add(&mut spent, &of.1);
        }
        (wall, spent)
    }

    fn row(&mut self, kind: &'static str, site: u32, count: u64, depth: u32) {
        let (wall_ns, work_ns, own_ns) = (0.0, 0.0, 0.0); // filled in once the rows below it are known
        self.rows.push(Row { depth, kind, site, count, wall_ns, work_ns, classes: Vec::new(), own_ns });
    }

    fn serial(&mut self, kind: &'static str, parts: &[u32], count: u64, depth: u32) -> Spent {
        self.stand_for(parts);
        self.row(kind, NONE, count, depth);
        Spent::default()
    }

    /// Returns the workers' time in the rows below the region's.
    fn region(&mut self, place: Option<PlaceRow>, count: u64, parts: &[u32], depth: u32) -> Spent {
        let site = |place, kind| self.sites.row(place, kind).unwrap_or(NONE);
        let own = site(place, SiteKind::Region);
        let end = |&part: &u32| match self.plan.parts[part as usize].end {
            End::Barrier(place) => site(place, SiteKind::Sync),
            End::Region => own,
        };
        let ends: Vec<u32> = parts.iter().map(end).collect();
        self.stand_for(parts);
        self.row("region", own, count, depth);
        let is_divided = parts.len() > 1;
        let mut below = Spent::default();
        for (&part, end) in parts.iter().zip(ends) {
            if !is_divided {
                add(&mut below, &self.leaves(part, depth + 1));
                continue;
            }
            let at = self.rows.len();
            self.stand_for(&[part]);
            self.row("phase", end, self.plan.parts[part as usize].count, depth + 1);
            let inside = self.leaves(part, depth + 2);
            let of = self.sum(&[part]);
            self.fill(at, of, &inside);
            add(&mut below, &of.1);
        }
        below
    }

    /// Writes the loops and tasks of a part, and returns the workers' time in them.
    fn leaves(&mut self, part: u32, depth: u32) -> Spent {
        let mut sum = Spent::default();
        for leaf in std::mem::take(&mut self.leaves[part as usize]) {
            let at = self.rows.len();
            self.leaf_row.insert((part, leaf.site), at as u32);
            self.row(leaf.kind, leaf.site, leaf.count, depth);
            self.fill(at, (leaf.wall, leaf.spent), &Spent::default());
            add(&mut sum, &leaf.spent);
        }
        sum
    }

    /// The next row has the pieces of the parts.
    fn stand_for(&mut self, parts: &[u32]) {
        for &part in parts {
            self.row_of[part as usize] = self.rows.len() as u32;
        }
    }

    fn sum(&self, parts: &[u32]) -> (Ticks, Spent) {
        let (mut wall, mut spent) = (Ticks::ZERO, Spent::default());
        for &part in parts {
            wall += self.plan.parts[part as usize].wall;
            add(&mut spent, &self.sums[part as usize]);
        }
        (wall, spent)
    }

    /// `below`: what is in the rows below it.
    fn fill(&mut self, at: usize, (wall, spent): (Ticks, Spent), below: &Spent) {
        let ns = |ticks: f64| self.profile.ns(Ticks(1)) * ticks;
        let row = &mut self.rows[at];
        row.wall_ns = self.profile.ns(wall);
        row.work_ns = ns(spent[Class::Work as usize]);
        row.classes = self.classes.iter().map(|&class| ns(spent[class as usize])).collect();
        row.own_ns = ns(spent.iter().zip(below).map(|(of, below)| of - below).sum::<f64>().max(0.0));
    }

    fn pieces(&self, time: &OverTime) -> Pieces {
        let mut out = Pieces::default();
        let shown = |row: u32| u16::try_from(row).ok().filter(|&row| usize::from(row) < self.rows.len());
        let mut numbers = vec![NONE; self.plan.pieces.len()];
        for (at, (piece, spent)) in self.plan.pieces.iter().zip(&time.parts).enumerate() {
            let Some(row) = shown(self.row_of[piece.part as usize]) else { continue };
            numbers[at] = out.row.0.len() as u32;
            out.row.push(row);
            out.start.push(self.profile.ns(piece.begin));
            out.length.push(self.profile.ns(piece.end - piece.begin) as f32);
            out.time.push(self.profile.ns(piece.time) as f32);
            out.count.push(piece.count);
            self.shares(&mut out.share, piece.time, spent);
        }
        for (&(piece, site), spent) in &time.sites {
            let of = &self.plan.pieces[piece as usize];
            let row = self.leaf_row.get(&(of.part, site)).and_then(|&row| shown(row));
            let (Some(row), number) = (row, numbers[piece as usize]) else { continue };
            if number != NONE {
                out.inside.piece.push(number);
                out.inside.row.push(row);
                self.shares(&mut out.inside.share, of.time, spent);
            }
        }
        out
    }

    /// What the classes have of a stretch of time of all workers.
    fn shares(&self, out: &mut Column<u8>, time: Ticks, spent: &Spent) {
        let whole = time.0 as f64 * f64::from(self.profile.workers.max(1));
        let share = |class: &Class| (spent[*class as usize] / whole * WHOLE).round().clamp(0.0, WHOLE) as u8;
        self.classes.iter().for_each(|class| out.push(share(class)));
    }
}
