// SPDX-License-Identifier: Apache-2.0
//! What the program is made of: its parallel regions and the serial parts between them, in order of
//! time, with repetitions folded; below each region the parts between its barriers, its loops, and
//! its tasks. What is in a nested region belongs to the outermost region around it.
//!
//! The figures of a row are those of its own instances, and of all rounds together. The workers'
//! time is divided where it was spent, as in the lanes: a row never has more of it than workers x
//! its time.

mod fold;
pub mod plan;

use std::collections::HashMap;

use grains::budget::{Class, Spent, CLASSES};
use grains::summary::SiteKind;
use grains::{GrainKind, PlaceRow, Profile, RegionRow, Ticks, NONE};
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
    /// The time from begin to end, summed over the instances; 0: not known.
    wall_ns: f64,
    work_ns: f64,
    /// The workers' time in it by class, in the order of `classes`; empty: not known.
    classes: Vec<f64>,
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
}

/// `spent`: the sums of the budget for the plan's pieces.
pub fn of(
    profile: &Profile,
    sites: &Sites,
    region_of: &grains::Column<grains::Grains, Option<RegionRow>>,
    plan: &Plan,
    spent: &[Spent],
) -> Outline {
    let mut sums = vec![Spent::default(); plan.parts.len()];
    for (piece, spent) in plan.pieces.iter().zip(spent) {
        add(&mut sums[piece.part as usize], spent);
    }
    let occurs = |class: &Class| sums.iter().any(|sums| sums[*class as usize] > 0.0);
    let classes: Vec<Class> = CLASSES.into_iter().filter(occurs).collect();
    let inside = inside(profile, sites, region_of, plan);
    let row_of = vec![NONE; plan.parts.len()];
    let mut writer = Writer { profile, sites, plan, sums, classes, inside, row_of, rows: Vec::new() };
    writer.write(&plan.steps, 0);
    let more = writer.rows.len().saturating_sub(MOST);
    writer.rows.truncate(MOST);
    let piece = writer.pieces(spent);
    let classes = writer.classes.into_iter().map(Class::name).collect();
    Outline { classes, row: writer.rows, more, piece }
}

fn add(sums: &mut Spent, more: &Spent) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// The loops and tasks that ran in each part.
fn inside(
    profile: &Profile,
    sites: &Sites,
    region_of: &grains::Column<grains::Grains, Option<RegionRow>>,
    plan: &Plan,
) -> Vec<Vec<Row>> {
    let mut inside: Vec<Vec<Row>> = plan.parts.iter().map(|_| Vec::new()).collect();
    let mut known: HashMap<(u32, u32), usize> = HashMap::new();
    for row in profile.grains.rows() {
        let kind = match profile.grains.kind[row] {
            GrainKind::Task => "task",
            GrainKind::Chunk => "loop",
            _ => continue,
        };
        let task = if kind == "loop" { profile.grains.parent[row] } else { Some(row) };
        let region = task.and_then(|task| region_of.of(Some(task)).copied().flatten());
        let cuts = plan.cuts.within(region);
        let at = cuts.partition_point(|cut| cut.end <= profile.grains.start[row]);
        let Some(cut) = cuts.get(at).or(cuts.last()) else { continue };
        let part = plan.pieces[cut.part as usize].part;
        let site = sites.of_grain[row];
        let rows = &mut inside[part as usize];
        let at = *known.entry((part, site)).or_insert_with(|| {
            rows.push(Row::leaf(kind, site));
            rows.len() - 1
        });
        rows[at].count += 1;
        rows[at].work_ns += profile.ns(profile.grains.work.of(row));
    }
    for rows in &mut inside {
        rows.sort_by(|one, other| other.work_ns.total_cmp(&one.work_ns));
    }
    inside
}

impl Row {
    fn leaf(kind: &'static str, site: u32) -> Self {
        Self { depth: 0, kind, site, count: 0, wall_ns: 0.0, work_ns: 0.0, classes: Vec::new() }
    }
}

struct Writer<'a> {
    profile: &'a Profile,
    sites: &'a Sites,
    plan: &'a Plan,
    /// By part of the plan.
    sums: Vec<Spent>,
    classes: Vec<Class>,
    inside: Vec<Vec<Row>>,
    /// The row of each part.
    row_of: Vec<u32>,
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
            let of = match step {
                Planned::Repeat { count, body } => {
                    self.row("repeat", NONE, *count, depth);
                    self.write(body, depth + 1)
                }
                Planned::Step { what, count, parts } => {
                    let of = self.sum(parts);
                    match *what {
                        What::Region(place) => self.region(place, *count, parts, depth),
                        What::Start => self.serial("start", parts, *count, depth),
                        What::End => self.serial("end", parts, *count, depth),
                        _ => self.serial("serial", parts, *count, depth),
                    }
                    of
                }
            };
            self.fill(at, of);
            wall += of.0;
            add(&mut spent, &of.1);
        }
        (wall, spent)
    }

    fn row(&mut self, kind: &'static str, site: u32, count: u64, depth: u32) {
        self.rows.push(Row { depth, count, ..Row::leaf(kind, site) });
    }

    fn serial(&mut self, kind: &'static str, parts: &[u32], count: u64, depth: u32) {
        self.stand_for(parts);
        self.row(kind, NONE, count, depth);
    }

    fn region(&mut self, place: Option<PlaceRow>, count: u64, parts: &[u32], depth: u32) {
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
        for (&part, end) in parts.iter().zip(ends) {
            if is_divided {
                let at = self.rows.len();
                self.stand_for(&[part]);
                self.row("phase", end, self.plan.parts[part as usize].count, depth + 1);
                self.fill(at, self.sum(&[part]));
            }
            let depth = depth + 1 + u32::from(is_divided);
            let inside = std::mem::take(&mut self.inside[part as usize]);
            self.rows.extend(inside.into_iter().map(|row| Row { depth, ..row }));
        }
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

    fn fill(&mut self, at: usize, (wall, spent): (Ticks, Spent)) {
        let ns = |class: Class| self.profile.ns(Ticks(spent[class as usize].round() as u64));
        let row = &mut self.rows[at];
        row.wall_ns = self.profile.ns(wall);
        row.work_ns = ns(Class::Work);
        row.classes = self.classes.iter().map(|&class| ns(class)).collect();
    }

    fn pieces(&self, spent: &[Spent]) -> Pieces {
        let mut out = Pieces::default();
        for (piece, spent) in self.plan.pieces.iter().zip(spent) {
            let Ok(row) = u16::try_from(self.row_of[piece.part as usize]) else { continue };
            if usize::from(row) >= self.rows.len() {
                continue;
            }
            out.row.push(row);
            out.start.push(self.profile.ns(piece.begin));
            out.length.push(self.profile.ns(piece.end - piece.begin) as f32);
            out.time.push(self.profile.ns(piece.time) as f32);
            out.count.push(piece.count);
            let whole = piece.time.0 as f64 * f64::from(self.profile.workers.max(1));
            let share =
                |&class: &Class| (spent[class as usize] / whole * WHOLE).round().clamp(0.0, WHOLE) as u8;
            self.classes.iter().for_each(|class| out.share.push(share(class)));
        }
        out
    }
}
