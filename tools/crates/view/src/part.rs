// SPDX-License-Identifier: Apache-2.0
//! The tables of grains that a page gets: of the whole recording, and of a group that is opened.

use std::ops::Range;

use grains::{ChunkInfo, GrainRow, Grains, Profile, NONE};
use serde::Serialize;
use trace::layout::{schedule, UNKNOWN_CPU};

use super::columns::Column;
use super::fold::Cut;
use super::measures::Measures;
use super::rows::{Row, Rows, What};
use super::sums::{Sum, Sums};
use super::tree::Tree;

/// Kind of a row that stands for a group.
pub const GROUP: u8 = 3;

#[derive(Serialize)]
pub struct Part {
    grain: GrainColumns,
    /// A column for each counter, by row of `grain`.
    counts: Vec<Column<f64>>,
    fragment: FragmentColumns,
    item: ItemColumns,
    item_start: Column<u32>,
    edge: EdgeColumns,
}

impl Part {
    /// The tables of the whole recording, in at most `limit` rows.
    pub fn whole(source: &Source, limit: usize) -> Self {
        let range = 0..source.tree.preorder.len() as u32;
        let cut = Cut::of(source.profile, source.tree, range, None, limit);
        source.part(&Rows::of(source.profile, source.tree, &cut, false, limit))
    }

    /// The tables of the grains at the positions `range` of the preorder, which are a group, with
    /// the group's own row. The grain at the position `focus` is shown.
    pub fn opened(source: &Source, range: Range<u32>, focus: Option<u32>, limit: usize) -> Self {
        let cut = Cut::of(source.profile, source.tree, range, focus, limit);
        source.part(&Rows::of(source.profile, source.tree, &cut, true, limit + 1))
    }

    pub fn rows(&self) -> usize {
        self.grain.kind.0.len()
    }
}

#[derive(Serialize, Default)]
struct GrainColumns {
    kind: Column<u8>,
    parent: Column<u32>,
    site: Column<u32>,
    start: Column<f64>,
    end: Column<f64>,
    create: Column<f64>,
    work: Column<f64>,
    creation: Column<f64>,
    wait: Column<f64>,
    stall: Column<f64>,
    benefit: Column<f32>,
    worker: Column<u16>,
    flags: Column<u8>,
    number: Column<u32>,
    worst: Column<f32>,
    count: Column<u32>,
    first: Column<f64>,
    iterations: Column<f64>,
    load_balance: Column<f32>,
    work_deviation: Column<f32>,
    instantaneous_parallelism: Column<f32>,
    scatter: Column<f32>,
    problems: Column<u8>,
}

#[derive(Serialize, Default)]
struct FragmentColumns {
    grain: Column<u32>,
    start: Column<f64>,
    end: Column<f64>,
    work: Column<f32>,
    worker: Column<u16>,
    critical: Column<u8>,
    core: Column<u16>,
}

#[derive(Serialize, Default)]
struct ItemColumns {
    kind: Column<u8>,
    #[serde(rename = "ref")]
    row: Column<u32>,
    critical: Column<u8>,
}

#[derive(Serialize, Default)]
struct EdgeColumns {
    from: Column<u32>,
    to: Column<u32>,
}

/// The values of one row.
struct Values {
    kind: u8,
    /// Grain that gives the row its site and worker.
    lead: GrainRow,
    benefit: f32,
    first: f64,
    sum: Sum,
}

/// The data from which the tables are made.
pub struct Source<'a> {
    pub profile: &'a Profile,
    pub tree: &'a Tree,
    pub measures: &'a Measures,
    pub sums: &'a Sums,
    /// Row of the site of each grain.
    pub site_of: &'a grains::Column<Grains, u32>,
}

impl Source<'_> {
    fn part(&self, rows: &Rows) -> Part {
        let (grain, counts) = self.grains(rows);
        Part {
            counts,
            fragment: self.fragments(rows, &grain),
            item: items(rows),
            item_start: item_start(rows),
            edge: edges(self.profile, rows),
            grain,
        }
    }

    /// With the columns of the counters.
    fn grains(&self, rows: &Rows) -> (GrainColumns, Vec<Column<f64>>) {
        let mut columns = GrainColumns::default();
        let mut counts = vec![Column::default(); self.profile.counters.names.len()];
        for row in &rows.rows {
            let values = match &row.what {
                What::Grain(grain) => Some(self.grain(*grain)),
                What::Group(range) => self.group(range),
            };
            if let Some(values) = values {
                self.push(&mut columns, row, &values);
                for (column, &count) in counts.iter_mut().zip(&values.sum.counts) {
                    column.push(count);
                }
            }
        }
        (columns, counts)
    }

    fn push(&self, columns: &mut GrainColumns, row: &Row, values: &Values) {
        let ns = |ticks| self.profile.ns(ticks);
        let sum = &values.sum;
        columns.kind.push(values.kind);
        columns.parent.push(row.parent);
        columns.site.push(self.site_of[values.lead]);
        columns.start.push(ns(sum.start));
        columns.end.push(ns(sum.end));
        columns.create.push(ns(sum.create));
        columns.work.push(ns(sum.work));
        columns.creation.push(ns(sum.creation));
        columns.wait.push(ns(sum.wait));
        columns.stall.push(sum.stall.map_or(f64::NAN, ns));
        columns.benefit.push(values.benefit);
        columns.worker.push(self.profile.grains.worker[values.lead]);
        columns.flags.push(sum.flags);
        columns.number.push(self.tree.position[values.lead]);
        columns.worst.push(sum.worst);
        columns.count.push(sum.count);
        columns.first.push(values.first);
        columns.iterations.push(sum.iterations);
        let [load_balance, work_deviation, instantaneous_parallelism, scatter] = sum.metrics;
        columns.load_balance.push(load_balance);
        columns.work_deviation.push(work_deviation);
        columns.instantaneous_parallelism.push(instantaneous_parallelism);
        columns.scatter.push(scatter);
        columns.problems.push(sum.problems);
    }

    fn grain(&self, grain: GrainRow) -> Values {
        let grains = &self.profile.grains;
        let chunk = self.profile.chunk(grain);
        Values {
            kind: grains.kind[grain] as u8,
            lead: grain,
            benefit: grains.benefit[grain],
            first: chunk.map_or(0.0, |chunk| self.first_value(chunk)),
            sum: Sum::of(self.profile, self.measures, grain),
        }
    }

    /// The first value of the loop variable, which may be an unsigned 64-bit number.
    fn first_value(&self, chunk: &ChunkInfo) -> f64 {
        if self.profile.loops[chunk.loop_row].flags & schedule::ULL != 0 {
            chunk.first as u64 as f64
        } else {
            chunk.first as f64
        }
    }

    fn group(&self, range: &Range<u32>) -> Option<Values> {
        let sum = self.sums.range((self.profile, self.measures), self.tree, range.clone())?;
        let lead = self.tree.preorder[range.start as usize];
        Some(Values { kind: GROUP, lead, benefit: sum.benefit(), first: 0.0, sum })
    }

    fn fragments(&self, rows: &Rows, grains: &GrainColumns) -> FragmentColumns {
        let fragments = &self.profile.fragments;
        let ns = |ticks| self.profile.ns(ticks);
        let mut columns = FragmentColumns::default();
        for &(row, source) in &rows.fragments {
            let at = row as usize;
            let (start, end, work, worker) = match source as usize {
                _ if source == NONE => {
                    (grains.start.0[at], grains.end.0[at], grains.work.0[at], grains.worker.0[at])
                }
                of => {
                    let worker = self.profile.grains.worker[fragments.grain[of]];
                    (
                        ns(fragments.start(of as u32)),
                        ns(fragments.end(of as u32)),
                        ns(fragments.net(source)),
                        worker,
                    )
                }
            };
            columns.grain.push(row);
            columns.start.push(start);
            columns.end.push(end);
            columns.work.push(work as f32);
            columns.worker.push(worker);
            columns.critical.push(0);
            columns.core.push(self.core(source));
        }
        for item in rows.items.iter().filter(|item| item.kind == super::rows::item::FRAGMENT) {
            columns.critical.0[item.row as usize] = u8::from(item.critical);
        }
        columns
    }

    /// Where a fragment began to run.
    fn core(&self, fragment: u32) -> u16 {
        let Profile { cores, grains, fragments, .. } = self.profile;
        let known = (fragment != NONE).then(|| cores.of_fragment(grains, fragments, fragment)).flatten();
        known.unwrap_or(UNKNOWN_CPU)
    }
}

fn items(rows: &Rows) -> ItemColumns {
    let mut columns = ItemColumns::default();
    for item in &rows.items {
        columns.kind.push(item.kind);
        columns.row.push(item.row);
        columns.critical.push(u8::from(item.critical));
    }
    columns
}

fn item_start(rows: &Rows) -> Column<u32> {
    let starts = rows.rows.iter().map(|row| row.first_item);
    Column(starts.chain([rows.items.len() as u32]).collect())
}

/// Dependences between shown grains.
fn edges(profile: &Profile, rows: &Rows) -> EdgeColumns {
    let mut columns = EdgeColumns::default();
    if profile.edges.is_empty() {
        return columns;
    }
    let mut row_of: grains::Column<Grains, u32> = grains::Column::filled(NONE, profile.grains.len());
    for (row, shown) in rows.rows.iter().enumerate() {
        if let What::Grain(grain) = shown.what {
            row_of[grain] = row as u32;
        }
    }
    for &(from, to) in &profile.edges {
        let (from, to) = (row_of[from], row_of[to]);
        if from != NONE && to != NONE {
            columns.from.push(from);
            columns.to.push(to);
        }
    }
    columns
}
