// SPDX-License-Identifier: Apache-2.0
//! `--metrics`: how many grains have each problem of the grains thesis, and at which sites; and
//! burdened parallelism. docs/formats/metrics.md defines them.

use grains::metrics::{burdened_span, is_problem_below, Columns, Deviation, Limits, Thresholds, PROBLEMS};
use grains::units::{count, percent, time};
use grains::{GrainKind, PlaceRow, Profile, Row, Ticks};
use serde::Serialize;
use symbols::Symbols;
use terminal::printable;

use super::style::Style;
use super::tables::aligned_table;

const MOST_SITES: usize = 3; // of a problem
/// The metric of which the kind that is judged depends on the limit.
const PARALLELISM: &str = "instantaneous_parallelism";

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
    /// Which values are a problem: those below or above the limit.
    pub side: &'static str,
    /// None: the time lost decides, or no value is a problem.
    pub limit: Option<f32>,
    /// False: no value is a problem.
    pub judged: bool,
    /// Those that have a value.
    pub known: u64,
    /// The median of these values, and the one that is the farthest on the problem's side.
    pub median: Option<f32>,
    pub worst: Option<f32>,
    /// A grain with this value.
    pub worst_grain: Option<u32>,
    pub grains: u64,
    pub work_ns: f64,
    /// Of all grains and of all work.
    pub grains_share: f64,
    pub work_share: f64,
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
    pub fn of(profile: &Profile, deviation: Option<Deviation>, limits: &Limits, symbols: &Symbols) -> Self {
        let burdened = burdened_span(profile);
        let columns = Columns::of(profile, deviation);
        Self {
            thresholds: match limits.preset {
                Thresholds::Teff => "teff",
                Thresholds::Thesis => "thesis",
                Thresholds::Published => "published",
            },
            burdened_span_ns: profile.ns(burdened),
            burdened_parallelism: profile.work.0 as f64 / burdened.0.max(1) as f64,
            problems: Tally::of(profile, &columns, limits).problems(symbols),
        }
    }
}

/// How many grains have each problem, in the order of [`PROBLEMS`], without sites.
pub fn problems(profile: &Profile, columns: &Columns, limits: &Limits) -> Vec<Problem> {
    let tally = Tally::of(profile, columns, limits);
    (0..PROBLEMS.len()).map(|at| tally.problem(at).0).collect()
}

/// The grains with problems, counted by place.
struct Tally<'a> {
    profile: &'a Profile,
    columns: &'a Columns<'a>,
    limits: &'a Limits,
    /// By place (the last one: none), then by problem.
    sums: Vec<[(u64, Ticks); PROBLEMS.len()]>,
    known: [u64; PROBLEMS.len()],
}

impl<'a> Tally<'a> {
    fn of(profile: &'a Profile, columns: &'a Columns<'a>, limits: &'a Limits) -> Self {
        let places = profile.places.places.len();
        let mut sums = vec![[(0_u64, Ticks::ZERO); PROBLEMS.len()]; places + 1];
        let mut known = [0_u64; PROBLEMS.len()];
        for row in profile.grains.rows() {
            for (known, value) in known.iter_mut().zip(columns.values(row, limits)) {
                *known += u64::from(!value.is_nan());
            }
            let place = profile.grains.place[row].map_or(places, Row::at);
            for (sum, has) in sums[place].iter_mut().zip(columns.problems(row, limits)) {
                if has {
                    sum.0 += 1;
                    sum.1 += profile.grains.work.of(row);
                }
            }
        }
        Self { profile, columns, limits, sums, known }
    }

    fn problems(&self, symbols: &Symbols) -> Vec<Problem> {
        let of = |at| {
            let (problem, places) = self.problem(at);
            let sites = places.iter().take(MOST_SITES);
            Problem {
                sites: sites.map(|site| ProblemSite::of(site, self.profile, symbols)).collect(),
                ..problem
            }
        };
        (0..PROBLEMS.len()).map(of).collect()
    }

    /// With the places of its grains.
    fn problem(&self, at: usize) -> (Problem, Vec<OfPlace>) {
        let Self { profile, columns, limits, .. } = self;
        let all = profile.grains.rows().map(|row| (columns.values(row, limits)[at], row.number()));
        let spread = Spread::of(all, is_problem_below(at));
        let of_place = by_site(self.sums.iter().map(|sum| sum[at]), profile);
        let grains = of_place.iter().map(|(_, grains, _)| grains).sum();
        let work = Ticks(of_place.iter().map(|(_, _, work)| work.0).sum());
        let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
        let problem = Problem {
            metric: PROBLEMS[at],
            side: if is_problem_below(at) { "below" } else { "above" },
            limit: limits.value(at, columns.machine),
            judged: limits.judges(at, columns.machine),
            known: self.known[at],
            median: spread.median,
            worst: spread.worst.map(|(value, _)| value),
            worst_grain: spread.worst.map(|(_, grain)| grain),
            grains,
            work_ns: profile.ns(work),
            grains_share: share(grains, profile.grains.len() as u64),
            work_share: share(work.0, profile.work.0),
            sites: Vec::new(),
        };
        (problem, of_place)
    }
}

/// Of one metric.
#[derive(Default)]
struct Spread {
    median: Option<f32>,
    /// With the number of its grain, the first one of several.
    worst: Option<(f32, u32)>,
}

impl Spread {
    /// Values that are not finite are no part of it.
    fn of(values: impl Iterator<Item = (f32, u32)>, is_below: bool) -> Self {
        let mut known: Vec<(f32, u32)> = values.filter(|(value, _)| value.is_finite()).collect();
        let worse = |a: &(f32, u32), b: &(f32, u32)| {
            let by_value = if is_below { a.0.total_cmp(&b.0) } else { b.0.total_cmp(&a.0) };
            by_value.then(a.1.cmp(&b.1))
        };
        let Some(&worst) = known.iter().min_by(|a, b| worse(a, b)) else { return Self::default() };
        let middle = (known.len() - 1) / 2;
        let median = known.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0)).1 .0;
        Self { median: Some(median), worst: Some(worst) }
    }
}

/// A place, its grains with a problem, and their work.
type OfPlace = (Option<PlaceRow>, u64, Ticks);

/// The place with most work first. The last entry of `sums` is that of grains without a place.
fn by_site(sums: impl Iterator<Item = (u64, Ticks)>, profile: &Profile) -> Vec<OfPlace> {
    let places = profile.places.places.rows().map(Some).chain([None]);
    let mut out: Vec<OfPlace> = places
        .zip(sums)
        .filter(|(_, (grains, _))| *grains > 0)
        .map(|(place, (grains, work))| (place, grains, work))
        .collect();
    out.sort_by_key(|&(_, grains, work)| std::cmp::Reverse((work, grains)));
    out
}

impl ProblemSite {
    fn of(&(place, grains, work): &OfPlace, profile: &Profile, symbols: &Symbols) -> Self {
        let mut symbol = symbols.of(place);
        let of = &profile.grains;
        let is_initial = |row| of.place[row].is_some() || of.kind[row] == GrainKind::Initial;
        if place.is_none() && of.rows().all(is_initial) {
            "(outside of parallel regions)".clone_into(&mut symbol.function);
        }
        Self {
            file: symbol.file,
            line: symbol.line,
            function: symbol.function,
            grains,
            work_ns: profile.ns(work),
        }
    }
}

impl Problem {
    fn is_judged(&self) -> bool {
        self.judged && self.known > 0
    }

    /// Which values are a problem, in words.
    fn limit(&self) -> String {
        match self.limit {
            _ if !self.judged => "not judged".to_owned(),
            _ if self.known == 0 => "not known".to_owned(),
            Some(limit) if self.metric == PARALLELISM => format!("optimistic {} {limit}", self.side),
            Some(limit) => format!("{} {limit}", self.side),
            None if self.metric == PARALLELISM => "mean, by time lost".to_owned(),
            None => "by time lost".to_owned(),
        }
    }
}

/// With three digits, or as many as it has before the point.
fn short(value: f32) -> String {
    match value.abs() {
        large if large >= 100.0 || value == value.round() => count_of(value),
        small if small < 0.01 => format!("{value:.0e}"),
        medium if medium < 10.0 => format!("{value:.2}"),
        _ => format!("{value:.1}"),
    }
}

fn count_of(value: f32) -> String {
    count(value.round().max(0.0) as u64)
}

pub fn render(facts: &MetricsFacts, style: &Style) -> String {
    let mut out = format!("\n{}\n", style.bold(&format!("Problems of grains ({})", facts.thresholds)));
    out.push_str(&format!(
        "  burdened parallelism {:.2}: work / {}, the longest path with creation and book-keeping\n",
        facts.burdened_parallelism,
        time(facts.burdened_span_ns)
    ));
    let mut table =
        aligned_table(&["metric", "median", "worst", "a problem", "grains", "of all", "of the work"], 4);
    for problem in &facts.problems {
        let share = |share: f64| if problem.is_judged() { percent(share, 1.0) } else { String::new() };
        let grains = if problem.is_judged() { count(problem.grains) } else { String::new() };
        let shares = [problem.grains_share, problem.work_share].map(share);
        let [of_grains, of_work] = shares;
        let [median, worst] =
            [problem.median, problem.worst].map(|value| value.map_or_else(String::new, short));
        table.add_row([
            problem.metric.to_owned(),
            median,
            worst,
            problem.limit(),
            grains,
            of_grains,
            of_work,
        ]);
    }
    for line in table.lines() {
        out.push_str(&format!(" {}\n", line.trim_end()));
    }
    for problem in facts.problems.iter().filter(|problem| problem.grains > 0) {
        out.push_str(&format!("  {}, by site:\n", problem.metric));
        for site in &problem.sites {
            let place = match &*site.file {
                "" if site.function.is_empty() => "(unknown)".to_owned(),
                "" => printable(&site.function),
                file => printable(&format!("{file}:{} {}", site.line, site.function)),
            };
            out.push_str(&format!("    {:>12}  {place}\n", count(site.grains)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_median_and_the_first_of_the_worst() {
        let values = [(3.0, 7), (f32::NAN, 8), (1.0, 9), (1.0, 10), (9.0, 11), (f32::INFINITY, 12)];
        let below = Spread::of(values.into_iter(), true);
        assert_eq!((below.median, below.worst), (Some(1.0), Some((1.0, 9))));
        assert_eq!(Spread::of(values.into_iter(), false).worst, Some((9.0, 11)));
        assert_eq!(Spread::of([(f32::NAN, 0)].into_iter(), true).median, None);
    }

    #[test]
    fn values_are_short() {
        assert_eq!(
            [0.004, 0.25, 1.0, 9.876, 54.32, 12_345.6].map(short),
            ["4e-3", "0.25", "1", "9.88", "54.3", "12,346"]
        );
    }
}
