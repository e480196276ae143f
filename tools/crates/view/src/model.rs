// SPDX-License-Identifier: Apache-2.0
//! The view model, version 13, as docs/formats/view.md defines it.

use grains::budget::{Budget, OverTime};
use grains::Profile;
use reports::predict::trust;
use reports::report::{Facts, Problem};
use serde::Serialize;
use symbols::call_paths::{CallPaths, PathFacts};
use symbols::functions::Functions;
use symbols::sites::{self, Sites};
use symbols::Symbols;
use terminal::printable;

use super::answers::Answers;
use super::columns::Column;
use super::inside::Inside;
use super::kept::Kept;
use super::part::Part;
use super::speedup::Speedup;
use super::time::Tile;
use super::title::{Other, Title};
use super::whole::outline::plan::Plan;
use super::whole::Whole;

const VERSION: u32 = 13;

/// No worker.
const NOBODY: u16 = u16::MAX;

#[derive(Serialize)]
pub struct Model {
    version: u32,
    run: Run,
    answers: Answers,
    speedup: Vec<Speedup>,
    /// How many grains have each problem, as `teff report --metrics` says.
    problems: Vec<ProblemFacts>,
    /// The names of the counters.
    counters: Vec<String>,
    sites: Vec<Site>,
    #[serde(flatten)]
    part: Part,
    idle: IdleColumns,
    whole: Whole,
    /// Present only if grains are folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Tile>,
}

#[derive(Serialize)]
struct Run {
    name: String,
    process: String,
    others: Vec<Other>,
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
    opens: bool,
    /// Empty if the recording is whole.
    lacks: String,
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
    /// As in the report; absent if no call paths were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_paths: Option<Vec<PathFacts>>,
    /// Absent if no samples were taken in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<Inside>,
}

#[derive(Serialize)]
struct ProblemFacts {
    metric: &'static str,
    side: &'static str,
    /// None: the time lost decides, or no value is a problem.
    limit: Option<f32>,
    judged: bool,
    known: u64,
    grains: u64,
    grains_share: f64,
    work_share: f64,
}

impl ProblemFacts {
    fn of(of: &Problem) -> Self {
        let &Problem { metric, side, limit, judged, known, grains, grains_share, work_share, .. } = of;
        Self { metric, side, limit, judged, known, grains, grains_share, work_share }
    }
}

#[derive(Serialize, Default)]
struct IdleColumns {
    worker: Column<u16>,
    start: Column<f64>,
    end: Column<f64>,
    woken_by: Column<u16>,
    woken: Column<f64>,
    cause: Column<u8>,
}

/// What a model is made from, beside the recording.
pub struct About<'a> {
    pub budget: &'a Budget,
    pub time: &'a OverTime,
    pub plan: &'a Plan,
    pub facts: &'a Facts,
    pub symbols: &'a Symbols,
    pub speedup: Vec<Speedup>,
}

impl Model {
    /// `texts`: whether with the text of the source.
    pub fn of(
        kept: &Kept,
        About { budget, time, plan, facts, symbols, speedup }: About,
        title: Title,
        folding: Folding,
        texts: bool,
    ) -> Self {
        let profile = &kept.profile;
        let limit = folding.limit(profile);
        let part = Part::whole(&kept.source(), limit);
        let shown = part.rows();
        let is_folded = shown < profile.grains.len();
        let functions = Functions::of(profile, symbols);
        Self {
            version: VERSION,
            run: Run { opens: folding.opens, ..run(profile, facts, title, shown) },
            answers: Answers::of(facts, &speedup_notes(profile, &speedup)),
            speedup,
            problems: kept.measures.facts.iter().map(ProblemFacts::of).collect(),
            counters: profile.counters.names.clone(),
            sites: site_rows(profile, symbols, &kept.sites, functions.as_ref()),
            part,
            idle: idles(profile, limit),
            whole: Whole::of(kept, (budget, time, plan), symbols, functions.as_ref(), texts),
            time: is_folded.then(|| kept.whole_time()),
        }
    }
}

/// How many rows of grains a page gets.
#[derive(Clone, Copy)]
pub struct Folding {
    /// A recording with more grains is folded.
    pub from: usize,
    /// The number of rows to which it is folded.
    pub to: usize,
    /// Whether the page can request folded grains.
    pub opens: bool,
}

impl Folding {
    /// That of each of several recordings on one page.
    pub fn divided(self, recordings: usize, fewest: usize) -> Self {
        let part = |rows: usize| (rows / recordings.max(1)).max(fewest.min(rows));
        Self { from: part(self.from), to: part(self.to), ..self }
    }

    fn limit(&self, profile: &Profile) -> usize {
        if profile.grains.len() <= self.from {
            self.from
        } else {
            self.to
        }
    }
}

fn speedup_notes(profile: &Profile, speedup: &[Speedup]) -> Vec<String> {
    let notes = if speedup.is_empty() { Vec::new() } else { trust(profile) };
    notes.into_iter().map(|note| format!("Predicted speed-up: {note}")).collect()
}

fn run(profile: &Profile, facts: &Facts, title: Title, shown: usize) -> Run {
    let modelled = profile.meta.modelled.as_ref();
    let names = modelled.map_or(&[][..], |run| &run.workers);
    Run {
        name: printable(&title.name),
        process: title.process,
        others: title.others,
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
        opens: false,
        lacks: printable(&facts.wholeness.text),
        notes: facts
            .notes
            .iter()
            .filter(|note| **note != facts.wholeness.text)
            .map(|note| printable(note))
            .collect(),
    }
}

fn site_rows(
    profile: &Profile,
    symbols: &Symbols,
    sites: &Sites,
    functions: Option<&Functions>,
) -> Vec<Site> {
    let paths = CallPaths::of(profile, symbols).map(|paths| paths.of_sites(sites));
    let mut paths = paths.into_iter().flatten();
    let inside = functions.map(|functions| functions.of_sites(sites));
    let mut inside = inside.into_iter().flatten();
    let row = |site| {
        let inside = inside.next().filter(|inside| inside.samples > 0);
        Site { inside: inside.as_ref().map(Inside::of), ..site_row(profile, site, paths.next()) }
    };
    sites.rows.iter().map(row).collect()
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
    Site {
        file: printable(&symbol.file),
        line: symbol.line,
        function: printable(&symbol.function),
        kind: site.kind.name(),
        count: site.count,
        work_ns,
        mean_ns: work_ns / site.count.max(1) as f64,
        low_benefit: site.low_benefit,
        call_paths,
        inside: None,
    }
}

/// The `limit` longest times without a task.
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
        columns.woken_by.push(idle.woken.map_or(NOBODY, |woken| woken.by));
        columns.woken.push(idle.woken.map_or(f64::NAN, |woken| profile.ns(woken.at)));
        columns.cause.push(idle.woken.map_or(0, |woken| woken.cause as u8));
    }
    columns
}
