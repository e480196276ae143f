// SPDX-License-Identifier: Apache-2.0
//! `--metrics`: how many grains have each problem of the grains thesis, and at which sites; and
//! burdened parallelism. docs/formats/metrics.md defines them.

use grains::metrics::{burdened_span, Columns, Deviation, Thresholds, PROBLEMS};
use grains::units::{count, percent, time};
use grains::{PlaceRow, Profile, Row, Ticks};
use serde::Serialize;
use symbols::Symbols;
use terminal::printable;

use super::style::Style;

const MOST_SITES: usize = 3; // of a problem

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct MetricsFacts {
    /// What is a problem: teff, thesis or published.
    pub thresholds: &'static str,
    /// The longest path with creation and book-keeping on it.
    pub burdened_span_ns: f64,
    pub burdened_parallelism: f64,
    pub problems: Vec<Problem>,
}

#[derive(Serialize)]
pub struct Problem {
    pub metric: &'static str,
    pub grains: u64,
    pub work_ns: f64,
    /// Those with most work in such grains.
    pub sites: Vec<ProblemSite>,
}

#[derive(Serialize)]
pub struct ProblemSite {
    pub file: String,
    pub line: u32,
    pub function: String,
    pub grains: u64,
    pub work_ns: f64,
}

impl MetricsFacts {
    pub fn of(
        profile: &Profile,
        deviation: Option<Deviation>,
        thresholds: Thresholds,
        symbols: &Symbols,
    ) -> Self {
        let burdened = burdened_span(profile);
        let columns = Columns::of(profile, deviation);
        let places = profile.places.places.len();
        let mut sums = vec![[(0_u64, Ticks::ZERO); PROBLEMS.len()]; places + 1];
        for row in profile.grains.rows() {
            let place = profile.grains.place[row].map_or(places, Row::at);
            for (sum, has) in sums[place].iter_mut().zip(columns.problems(row, thresholds)) {
                if has {
                    sum.0 += 1;
                    sum.1 += profile.grains.work[row];
                }
            }
        }
        let problem = |(at, &metric)| Problem::of(metric, sums.iter().map(|sum| sum[at]), profile, symbols);
        Self {
            thresholds: match thresholds {
                Thresholds::Teff => "teff",
                Thresholds::Thesis => "thesis",
                Thresholds::Published => "published",
            },
            burdened_span_ns: profile.ns(burdened),
            burdened_parallelism: profile.work.0 as f64 / burdened.0.max(1) as f64,
            problems: PROBLEMS.iter().enumerate().map(problem).collect(),
        }
    }
}

impl Problem {
    fn of(
        metric: &'static str,
        by_place: impl Iterator<Item = (u64, Ticks)>,
        profile: &Profile,
        symbols: &Symbols,
    ) -> Self {
        let places = profile.places.places.rows().map(Some).chain([None]);
        let mut of_place: Vec<(Option<PlaceRow>, u64, Ticks)> = places
            .zip(by_place)
            .filter(|(_, (grains, _))| *grains > 0)
            .map(|(place, (grains, work))| (place, grains, work))
            .collect();
        of_place.sort_by_key(|&(_, grains, work)| std::cmp::Reverse((work, grains)));
        let grains = of_place.iter().map(|(_, grains, _)| grains).sum();
        let work: u64 = of_place.iter().map(|(_, _, work)| work.0).sum();
        let site = |&(place, grains, work): &(Option<PlaceRow>, u64, Ticks)| {
            let symbol = symbols.of(place);
            ProblemSite {
                file: symbol.file.clone(),
                line: symbol.line,
                function: symbol.function.clone(),
                grains,
                work_ns: profile.ns(work),
            }
        };
        let sites = of_place.iter().take(MOST_SITES).map(site).collect();
        Self { metric, grains, work_ns: profile.ns(Ticks(work)), sites }
    }
}

pub fn render(facts: &MetricsFacts, all_grains: u64, work_ns: f64, style: &Style) -> String {
    let mut out = format!("\n{}\n", style.bold(&format!("Problems of grains ({})", facts.thresholds)));
    out.push_str(&format!(
        "  burdened parallelism {:.2}: work / {}, the longest path with creation and book-keeping\n",
        facts.burdened_parallelism,
        time(facts.burdened_span_ns)
    ));
    for problem in facts.problems.iter().filter(|problem| problem.grains > 0) {
        out.push_str(&format!(
            "  {:<26} {} of {} grains, {} of the work\n",
            problem.metric,
            count(problem.grains),
            count(all_grains),
            percent(problem.work_ns, work_ns)
        ));
        for site in &problem.sites {
            let place = printable(&format!("{}:{} {}", site.file, site.line, site.function));
            out.push_str(&format!("    {:>12}  {place}\n", count(site.grains)));
        }
    }
    if facts.problems.iter().all(|problem| problem.grains == 0) {
        out.push_str("  no grain has one\n");
    }
    out
}
