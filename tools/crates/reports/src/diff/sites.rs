// SPDX-License-Identifier: Apache-2.0
//! What changed at each construct, and which of these changes are larger than the noise.

use std::collections::BTreeMap;

use grains::compare::noise::{verdicts, Samples, Verdict};
use grains::compare::{Construct, How, Pair, Role, Totals};
use grains::metrics::median;
use grains::summary::SiteKind;
use serde::Serialize;

use super::change::{Change, Judgement, NamedChange};
use super::machine::{Figure, Machine};
use super::read::{Both, Run};

/// The share of workers x wall below which times are not tested, because they do not matter.
const LEAST: f64 = 0.001;

/// The grains of one construct, or the waits there. Times are in nanoseconds.
#[derive(Serialize)]
pub struct SiteFacts {
    /// `null`: there was none.
    pub before: Option<Place>,
    pub after: Option<Place>,
    pub kind: &'static str,
    /// Their rows among the constructs of the median runs.
    #[serde(skip)]
    pub constructs: [Option<usize>; 2],
    /// By what the two were joined: address, line, order or alone.
    pub joined: &'static str,
    pub count_before: f64,
    pub count_after: f64,
    pub mean_before_ns: f64,
    pub mean_after_ns: f64,
    pub work: Change,
    pub creation: Change,
    pub wait: Change,
    /// Grain by grain, of the median runs; `null`: these are waits, or the grains of another row.
    pub grains: Option<GrainFacts>,
}

#[derive(Clone, PartialEq, Serialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub function: String,
}

#[derive(Serialize)]
pub struct GrainFacts {
    pub matched: u64,
    pub matched_before_ns: f64,
    pub matched_after_ns: f64,
    /// Median of the matched grains' work deviation, after / before.
    pub deviation: Option<f64>,
    pub no_construct: u64,
    pub no_scope: u64,
    pub other_number: u64,
}

impl SiteFacts {
    /// Worker time by which it has changed, whatever the direction.
    pub fn weight(&self) -> f64 {
        [&self.work, &self.creation, &self.wait].iter().map(|change| change.difference().abs()).sum()
    }

    pub fn is_change(&self) -> bool {
        [&self.work, &self.creation, &self.wait].iter().any(|change| change.verdict == Judgement::Change)
    }
}

type Quantity = fn(&Totals) -> f64;
const QUANTITIES: [Quantity; 3] = [|sums| sums.work_ns, |sums| sums.creation_ns, |sums| sums.wait_ns];

const OF_SITES: [Figure; QUANTITIES.len()] = [Figure::Done, Figure::Done, Figure::Waited];

fn of_total(name: &str) -> Figure {
    match name {
        "wall" => Figure::Wall,
        "work" | "creation" => Figure::Done,
        _ => Figure::Waited,
    }
}

/// What one row has of each run.
struct Row {
    pair: usize,
    kind: SiteKind,
    before: Vec<Totals>,
    after: Vec<Totals>,
}

impl Row {
    fn samples(&self, quantity: Quantity) -> Samples {
        let of = |runs: &[Totals]| runs.iter().map(quantity).collect();
        Samples { before: of(&self.before), after: of(&self.after) }
    }
}

/// The totals that the caller names are tested in one family with what the sites did.
pub fn sites(
    both: &Both,
    whole: &Samples,
    machine: &Machine,
    (names, totals): (Vec<&'static str>, Vec<Samples>),
) -> (Vec<NamedChange>, Vec<SiteFacts>) {
    let rows = rows(both);
    let quantities = |row: &Row| QUANTITIES.map(|quantity| row.samples(quantity));
    let all: Vec<Samples> = totals.into_iter().chain(rows.iter().flat_map(quantities)).collect();
    let least = LEAST * mean(whole);
    let matters: Vec<bool> =
        all.iter().map(|samples| mean(samples) >= least && mean(samples) > 0.0).collect();
    let tested: Vec<Samples> = all
        .iter()
        .zip(&matters)
        .filter(|(_, matters)| **matters)
        .map(|(samples, _)| samples.clone())
        .collect();
    let mut found = verdicts(&tested).into_iter();
    let mut verdict = |matters: &bool| -> Option<Verdict> { matters.then(|| found.next()).flatten() };
    let mut changes = all.iter().zip(&matters).enumerate().map(|(at, (samples, matters))| {
        let figure = match at.checked_sub(names.len()) {
            Some(of_site) => OF_SITES[of_site % OF_SITES.len()],
            None => of_total(names[at]),
        };
        Change::of(samples, verdict(matters).map(|verdict| machine.judge(figure, verdict, samples)))
    });
    let named = |name: &&'static str, change| NamedChange { name, change };
    let totals = names.iter().map(|name| named(name, changes.next().expect("one for each"))).collect();
    let mut sites: Vec<SiteFacts> = Vec::new();
    for row in &rows {
        let mut next = || changes.next().expect("one for each");
        sites.push(site(both, row, [next(), next(), next()]));
    }
    sites.sort_by(|a, b| b.is_change().cmp(&a.is_change()).then(b.weight().total_cmp(&a.weight())));
    (totals, sites)
}

fn mean(samples: &Samples) -> f64 {
    let all = || samples.before.iter().chain(&samples.after);
    all().sum::<f64>() / all().count().max(1) as f64
}

/// A row for each pair of constructs and kind that any run has.
fn rows(both: &Both) -> Vec<Row> {
    let (befores, afters) = (&both.before.runs, &both.after.runs);
    let mut rows: BTreeMap<(usize, &'static str), Row> = BTreeMap::new();
    let mut add = |runs: &[Run], of: &[usize], is_before: bool| {
        for (at, run) in runs.iter().enumerate() {
            for (&(construct, kind), sums) in &run.totals {
                let pair = of[construct];
                let row = rows.entry((pair, kind.name())).or_insert_with(|| Row {
                    pair,
                    kind,
                    before: vec![Totals::default(); befores.len()],
                    after: vec![Totals::default(); afters.len()],
                });
                if is_before {
                    row.before[at] = *sums;
                } else {
                    row.after[at] = *sums;
                }
            }
        }
    };
    add(befores, &both.joined.of_before, true);
    add(afters, &both.joined.of_after, false);
    rows.into_values().collect()
}

fn site(both: &Both, row: &Row, [work, creation, wait]: [Change; 3]) -> SiteFacts {
    let pair = both.joined.pairs[row.pair];
    let count = |runs: &[Totals]| {
        let mut counts: Vec<f64> = runs.iter().map(|sums| sums.count as f64).collect();
        if counts.is_empty() {
            0.0
        } else {
            median(&mut counts)
        }
    };
    let (count_before, count_after) = (count(&row.before), count(&row.after));
    let per = |ns: f64, count: f64| if count > 0.0 { ns / count } else { 0.0 };
    SiteFacts {
        before: pair.before.map(|at| place(&both.before.median.constructs[at])),
        after: pair.after.map(|at| place(&both.after.median.constructs[at])),
        kind: row.kind.name(),
        constructs: [pair.before, pair.after],
        joined: match pair.how {
            How::Address => "address",
            How::Line => "line",
            How::Order => "order",
            How::Alone => "alone",
        },
        count_before,
        count_after,
        mean_before_ns: per(work.before_ns, count_before),
        mean_after_ns: per(work.after_ns, count_after),
        work,
        creation,
        wait,
        grains: grain_facts(both, pair, row.kind),
    }
}

fn place(construct: &Construct) -> Place {
    let label = &construct.label;
    let function = match construct.role {
        Role::Outside if label.function.is_empty() => "(outside of parallel regions)".to_owned(),
        _ => label.function.clone(),
    };
    Place { file: label.file.clone(), line: label.line, function }
}

/// A construct's grains are of one kind, but for a loop that is combined with its region: they
/// stand in the row of its chunks.
fn grain_facts(both: &Both, pair: Pair, kind: SiteKind) -> Option<GrainFacts> {
    let row = pair.after?;
    let has_chunks = || both.after.runs.iter().any(|run| run.totals.contains_key(&(row, SiteKind::Chunk)));
    let is_its = match kind {
        SiteKind::Sync => false,
        SiteKind::Implicit => !has_chunks(),
        _ => true,
    };
    let compared = is_its.then(|| both.matching.constructs[row])?;
    let [no_construct, no_scope, other_number] = compared.unmatched;
    Some(GrainFacts {
        matched: compared.matched,
        matched_before_ns: compared.there_ns,
        matched_after_ns: compared.here_ns,
        deviation: both.matching.deviation[row],
        no_construct,
        no_scope,
        other_number,
    })
}
