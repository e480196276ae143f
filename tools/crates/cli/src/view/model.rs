// SPDX-License-Identifier: Apache-2.0
//! The view model, version 5, as docs/formats/view.md defines it.

use grains::summary::SiteKind;
use grains::{ChunkInfo, GrainKind, Profile, Ticks, NONE};
use serde::Serialize;
use trace::layout::schedule;

use super::answers::Answers;
use super::columns::Column;
use super::fold;
use super::rows::{Row, Rows, What};
use super::speedup::Speedup;
use super::tree::Tree;
use super::whole::Whole;
use crate::call_paths::{CallPaths, PathFacts};
use crate::console::printable;
use crate::predict::trust;
use crate::report::Facts;
use crate::sites::{self, Sites};
use crate::symbols::Symbols;

const VERSION: u32 = 5;
/// Kind of a row that stands for a group.
const GROUP: u8 = 3;

#[derive(Serialize)]
pub struct Model {
    version: u32,
    run: Run,
    answers: Answers,
    speedup: Vec<Speedup>,
    sites: Vec<Site>,
    grain: GrainColumns,
    fragment: FragmentColumns,
    item: ItemColumns,
    item_start: Column<u32>,
    edge: EdgeColumns,
    idle: IdleColumns,
    whole: Whole,
}

#[derive(Serialize)]
struct Run {
    name: String,
    command: String,
    complete: bool,
    modelled: String,
    worker_names: Vec<String>,
    wall_ns: f64,
    work_ns: f64,
    span_ns: f64,
    span_any_schedule_ns: f64,
    parallelism: f64,
    parallelism_any_schedule: f64,
    workers: u32,
    processors: u32,
    grains: usize,
    shown: usize,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Site {
    file: String,
    line: u32,
    function: String,
    kind: &'static str,
    count: u64,
    work_ns: f64,
    mean_ns: f64,
    low_benefit: u64,
    /// As in the report; not there where none were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_paths: Option<Vec<PathFacts>>,
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
    count: Column<u32>,
    first: Column<f64>,
    iterations: Column<f64>,
}

#[derive(Serialize, Default)]
struct FragmentColumns {
    grain: Column<u32>,
    start: Column<f64>,
    end: Column<f64>,
    worker: Column<u16>,
    critical: Column<u8>,
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

#[derive(Serialize, Default)]
struct IdleColumns {
    worker: Column<u16>,
    start: Column<f64>,
    end: Column<f64>,
}

impl Model {
    /// `limit`: the most rows of grains; `texts`: whether with the text of the source.
    pub fn of(
        profile: &Profile,
        facts: &Facts,
        symbols: &Symbols,
        speedup: Vec<Speedup>,
        name: &str,
        limit: usize,
        texts: bool,
    ) -> Self {
        let tree = Tree::of(profile);
        let shown = fold::shown(&tree, limit);
        let rows = Rows::of(profile, &tree, &shown, limit);
        let sites = Sites::of(profile, symbols);
        let builder = Builder { profile, tree: &tree, sites: &sites };
        let grain = builder.grains(&rows);
        Self {
            version: VERSION,
            run: run(profile, facts, name, rows.rows.len()),
            answers: Answers::of(facts, &speedup_notes(profile, &speedup)),
            speedup,
            sites: site_rows(profile, symbols, &sites),
            fragment: builder.fragments(&rows, &grain),
            item: items(&rows),
            item_start: item_start(&rows),
            edge: edges(profile, &rows),
            idle: idles(profile, limit),
            whole: Whole::of(profile, &tree, &sites, symbols, texts),
            grain,
        }
    }
}

fn speedup_notes(profile: &Profile, speedup: &[Speedup]) -> Vec<String> {
    let notes = if speedup.is_empty() { Vec::new() } else { trust(profile) };
    notes.into_iter().map(|note| format!("Predicted speed-up: {note}")).collect()
}

fn run(profile: &Profile, facts: &Facts, name: &str, shown: usize) -> Run {
    let modelled = profile.meta.modelled.as_ref();
    let names = modelled.map_or(&[][..], |run| &run.workers);
    Run {
        name: printable(name),
        command: printable(&facts.command),
        complete: facts.complete,
        modelled: modelled.map_or_else(String::new, |run| printable(&run.machine)),
        worker_names: names.iter().map(|name| printable(name)).collect(),
        wall_ns: facts.wall_ns,
        work_ns: facts.work_ns,
        span_ns: facts.span_ns,
        span_any_schedule_ns: facts.span_any_schedule_ns,
        parallelism: facts.parallelism,
        parallelism_any_schedule: facts.parallelism_any_schedule,
        workers: facts.workers,
        processors: facts.processors,
        grains: profile.grains.len(),
        shown,
        notes: facts.notes.iter().map(|note| printable(note)).collect(),
    }
}

fn site_rows(profile: &Profile, symbols: &Symbols, sites: &Sites) -> Vec<Site> {
    let paths = CallPaths::of(profile, symbols).map(|paths| paths.of_sites(sites));
    let mut paths = paths.into_iter().flatten();
    sites.rows.iter().map(|site| site_row(profile, site, paths.next())).collect()
}

fn site_row(profile: &Profile, row: &sites::Row, mut call_paths: Option<Vec<PathFacts>>) -> Site {
    for call in call_paths.iter_mut().flatten().flat_map(|path| &mut path.calls) {
        for name in [&mut call.file, &mut call.function] {
            let shown = printable(name);
            if *shown != **name {
                *name = shown.into();
            }
        }
    }
    let (symbol, site) = (&row.symbol, &row.total);
    let work_ns = profile.ns(site.work);
    // The model has one word for both: an initial task is an implicit one.
    let kind = if site.kind == SiteKind::Initial { SiteKind::Implicit } else { site.kind };
    Site {
        file: printable(&symbol.file),
        line: symbol.line,
        function: printable(&symbol.function),
        kind: kind.name(),
        count: site.count,
        work_ns,
        mean_ns: work_ns / site.count.max(1) as f64,
        low_benefit: site.low_benefit,
        call_paths,
    }
}

/// The values of one row.
struct Values {
    kind: u8,
    /// Grain that gives the row its site and worker.
    lead: u32,
    start: Ticks,
    end: Ticks,
    create: Ticks,
    work: Ticks,
    creation: Ticks,
    wait: Ticks,
    /// None: it was not counted.
    stall: Option<Ticks>,
    benefit: f32,
    flags: u8,
    count: u32,
    first: f64,
    iterations: f64,
}

struct Builder<'a> {
    profile: &'a Profile,
    tree: &'a Tree,
    sites: &'a Sites,
}

impl Builder<'_> {
    fn grains(&self, rows: &Rows) -> GrainColumns {
        let mut columns = GrainColumns::default();
        for row in &rows.rows {
            let values = match &row.what {
                What::Grain(grain) => self.grain(*grain),
                What::Group(tops) => self.group(tops),
            };
            self.push(&mut columns, row, &values);
        }
        columns
    }

    fn push(&self, columns: &mut GrainColumns, row: &Row, values: &Values) {
        let ns = |ticks| self.profile.ns(ticks);
        columns.kind.push(values.kind);
        columns.parent.push(row.parent);
        columns.site.push(self.sites.of_grain[values.lead as usize]);
        columns.start.push(ns(values.start));
        columns.end.push(ns(values.end));
        columns.create.push(ns(values.create));
        columns.work.push(ns(values.work));
        columns.creation.push(ns(values.creation));
        columns.wait.push(ns(values.wait));
        columns.stall.push(values.stall.map_or(f64::NAN, ns));
        columns.benefit.push(values.benefit);
        columns.worker.push(self.profile.grains.worker[values.lead as usize]);
        columns.flags.push(values.flags);
        columns.count.push(values.count);
        columns.first.push(values.first);
        columns.iterations.push(values.iterations);
    }

    fn grain(&self, grain: u32) -> Values {
        let grains = &self.profile.grains;
        let row = grain as usize;
        let chunk = row.checked_sub(grains.tasks).map(|at| self.profile.chunks[at]).unwrap_or_default();
        Values {
            kind: grains.kind[row] as u8,
            lead: grain,
            start: grains.start[row],
            end: grains.end[row],
            create: grains.create[row],
            work: grains.work[row],
            creation: grains.creation[row],
            wait: grains.wait[row],
            stall: grains.memory_stall_of(grain),
            benefit: grains.benefit[row],
            flags: grains.flags[row],
            count: 1,
            first: self.first_value(&chunk),
            iterations: chunk.iterations as f64,
        }
    }

    /// Of the loop variable, which may be an unsigned 64-bit number.
    fn first_value(&self, chunk: &ChunkInfo) -> f64 {
        let info = self.profile.loops.get(chunk.loop_row as usize);
        if info.is_some_and(|info| info.flags & schedule::ULL != 0) {
            chunk.first as u64 as f64
        } else {
            chunk.first as f64
        }
    }

    /// Sums over the subtrees of `tops`; the flags of any. Benefit is work over cost of those
    /// grains that have one.
    fn group(&self, tops: &[u32]) -> Values {
        let grains = &self.profile.grains;
        let (mut benefit_work, mut benefit_cost) = (0.0, 0.0);
        let mut values = Values { kind: GROUP, count: 0, ..self.grain(tops[0]) };
        (values.work, values.creation, values.wait) = (Ticks::ZERO, Ticks::ZERO, Ticks::ZERO);
        (values.first, values.iterations, values.stall) = (0.0, 0.0, None);
        for &grain in tops.iter().flat_map(|&top| self.tree.subtree(top)) {
            let row = grain as usize;
            values.start = values.start.min(grains.start[row]);
            values.end = values.end.max(grains.end[row]);
            values.create = values.create.min(grains.create[row]);
            values.work += grains.work[row];
            values.creation += grains.creation[row];
            values.wait += grains.wait[row];
            values.stall = sum_of_known(values.stall, grains.memory_stall_of(grain));
            values.flags |= grains.flags[row];
            values.count += 1;
            if grains.kind[row] == GrainKind::Chunk {
                values.iterations += self.profile.chunks[row - grains.tasks].iterations as f64;
            }
            if grains.benefit[row] > 0.0 {
                benefit_work += grains.work[row].0 as f64;
                benefit_cost += grains.work[row].0 as f64 / f64::from(grains.benefit[row]);
            }
        }
        values.benefit = (benefit_work / benefit_cost) as f32; // NaN when none has one
        values
    }

    fn fragments(&self, rows: &Rows, grains: &GrainColumns) -> FragmentColumns {
        let fragments = &self.profile.fragments;
        let ns = |ticks| self.profile.ns(ticks);
        let mut columns = FragmentColumns::default();
        for &(row, source) in &rows.fragments {
            let at = row as usize;
            let (start, end) = match source {
                NONE => (grains.start.0[at], grains.end.0[at]),
                source => (ns(fragments.start[source as usize]), ns(fragments.end[source as usize])),
            };
            columns.grain.push(row);
            columns.start.push(start);
            columns.end.push(end);
            columns.worker.push(grains.worker.0[at]);
            columns.critical.push(0);
        }
        for item in rows.items.iter().filter(|item| item.kind == super::rows::item::FRAGMENT) {
            columns.critical.0[item.row as usize] = u8::from(item.critical);
        }
        columns
    }
}

fn sum_of_known(sum: Option<Ticks>, more: Option<Ticks>) -> Option<Ticks> {
    more.map_or(sum, |more| Some(sum.unwrap_or(Ticks::ZERO) + more))
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
    let mut row_of = vec![NONE; profile.grains.len()];
    for (row, shown) in rows.rows.iter().enumerate() {
        if let What::Grain(grain) = shown.what {
            row_of[grain as usize] = row as u32;
        }
    }
    let mut columns = EdgeColumns::default();
    for &(from, to) in &profile.edges {
        let (from, to) = (row_of[from as usize], row_of[to as usize]);
        if from != NONE && to != NONE {
            columns.from.push(from);
            columns.to.push(to);
        }
    }
    columns
}

/// The longest `limit` times without a task.
fn idles(profile: &Profile, limit: usize) -> IdleColumns {
    let mut idles = profile.idles.clone();
    if idles.len() > limit {
        idles.select_nth_unstable_by_key(limit, |idle| std::cmp::Reverse(idle.end - idle.start));
        idles.truncate(limit);
    }
    idles.sort_unstable_by_key(|idle| (idle.worker, idle.start));
    let mut columns = IdleColumns::default();
    for idle in &idles {
        columns.worker.push(idle.worker);
        columns.start.push(profile.ns(idle.start));
        columns.end.push(profile.ns(idle.end));
    }
    columns
}
