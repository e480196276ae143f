// SPDX-License-Identifier: Apache-2.0
//! The budget and the findings as data, with names in place of rows.

use grains::budget::{Budget, Class, Sums, CLASSES};
use grains::findings::{self, Disturbance, Finding};
use grains::{PlaceRow, Profile};
use serde::Serialize;
use symbols::call_paths::CallPaths;
use symbols::{variables, Symbol, Symbols};

use super::inside::InSerialParts;

/// Where the workers' time went. Times are in nanoseconds.
#[derive(Serialize)]
pub struct BudgetFacts {
    pub workers: u32,
    pub processors: u32,
    pub wall_ns: f64,
    /// Workers x wall.
    pub whole_ns: f64,
    pub classes: Vec<ClassFacts>,
    /// The part of the whole that is in no class.
    pub rest_ns: f64,
    /// By falling time; the last one may be what ran outside of regions.
    pub regions: Vec<PlaceFacts>,
    /// By falling time.
    pub sites: Vec<PlaceFacts>,
}

#[derive(Serialize)]
pub struct ClassFacts {
    pub name: &'static str,
    pub ns: f64,
}

/// What was spent at a construct.
#[derive(Serialize)]
pub struct PlaceFacts {
    pub file: String,
    pub line: u32,
    pub function: String,
    /// Instances, of a region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Sum of its instances' lengths, of a region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ns: Option<f64>,
    pub whole_ns: f64,
    /// Those that are not 0.
    pub classes: Vec<ClassFacts>,
}

#[derive(Clone, Serialize)]
pub struct FindingFacts {
    pub rule: &'static str,
    pub title: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    /// Worker time lost to it.
    pub lost_ns: f64,
    /// Wall time that the cure would gain.
    pub gain_ns: f64,
    /// Of the wall time that it is a part of.
    pub gain_share: f64,
    pub evidence: Vec<String>,
    pub remedy: String,
    pub estimate: String,
    /// When it was, from begin to end, if it is about a stretch of time.
    #[serde(skip)]
    pub when_ns: Option<(f64, f64)>,
}

pub fn budget_facts(profile: &Profile, budget: &Budget, symbols: &Symbols) -> BudgetFacts {
    BudgetFacts {
        workers: budget.workers,
        processors: profile.meta.processors,
        wall_ns: profile.ns(budget.wall),
        whole_ns: profile.ns(budget.whole()),
        classes: total_classes(profile, budget),
        rest_ns: profile.ns(budget.rest()),
        regions: regions(profile, budget, symbols),
        sites: sites(profile, budget, symbols),
    }
}

/// All, but for inflation where there is no baseline.
fn total_classes(profile: &Profile, budget: &Budget) -> Vec<ClassFacts> {
    let mut all = classes(profile, &budget.total, true);
    all.retain(|class| class.name != Class::Inflation.name() || budget.inflation.is_some());
    all
}

fn classes(profile: &Profile, sums: &Sums, all: bool) -> Vec<ClassFacts> {
    let ns = |class: Class| ClassFacts { name: class.name(), ns: profile.ns(sums.of(class)) };
    CLASSES.into_iter().map(ns).filter(|class| all || class.ns > 0.0).collect()
}

fn place_facts(profile: &Profile, symbol: Symbol, sums: &Sums) -> PlaceFacts {
    PlaceFacts {
        file: symbol.file,
        line: symbol.line,
        function: symbol.function,
        count: None,
        wall_ns: None,
        whole_ns: profile.ns(sums.sum()),
        classes: classes(profile, sums, false),
    }
}

fn regions(profile: &Profile, budget: &Budget, symbols: &Symbols) -> Vec<PlaceFacts> {
    let mut rows: Vec<_> = findings::regions(profile, budget)
        .into_iter()
        .map(|group| PlaceFacts {
            count: Some(group.regions.len() as u64),
            wall_ns: Some(group.wall),
            ..place_facts(profile, symbols.of(group.place), &group.sums)
        })
        .collect();
    rows.sort_by(|a, b| b.whole_ns.total_cmp(&a.whole_ns));
    let outside = Symbol { function: "(outside of parallel regions)".to_owned(), ..Symbol::default() };
    rows.push(place_facts(profile, outside, &budget.outside));
    rows
}

fn sites(profile: &Profile, budget: &Budget, symbols: &Symbols) -> Vec<PlaceFacts> {
    let places = profile.places.places.rows().map(Some).chain([None]);
    let rows = places.zip(&budget.places).filter(|(_, sums)| sums.sum().0 > 0);
    let mut rows: Vec<_> = rows.map(|(row, sums)| place_facts(profile, symbols.of(row), sums)).collect();
    rows.sort_by(|a, b| b.whole_ns.total_cmp(&a.whole_ns));
    rows
}

/// The findings, and those that are held back because of a disturbed machine.
pub struct FoundFacts {
    pub findings: Vec<FindingFacts>,
    pub held_back: Vec<FindingFacts>,
}

/// Where call paths were recorded, the evidence ends with that by which most came there; that of
/// serial parts ends with the functions that ran, where there are samples.
pub fn found_facts(
    profile: &Profile,
    budget: &Budget,
    symbols: &Symbols,
    paths: Option<&CallPaths>,
    in_serial_parts: &InSerialParts,
) -> FoundFacts {
    let found = findings::found(profile, budget, &Named { profile, symbols });
    let walls = Disturbance::of(profile, budget).walls(profile, budget);
    let facts = |mut found: Vec<Finding>| {
        add_evidence(&mut found, paths, in_serial_parts);
        let facts = |finding: Finding| {
            let when_ns = finding.when.map(|(begin, end)| (profile.ns(begin), profile.ns(end)));
            FindingFacts { when_ns, ..with_place(walls.gain_share(&finding), finding, symbols) }
        };
        found.into_iter().map(facts).collect()
    };
    FoundFacts { findings: facts(found.findings), held_back: facts(found.held_back) }
}

fn add_evidence(found: &mut [Finding], paths: Option<&CallPaths>, in_serial_parts: &InSerialParts) {
    if let Some(paths) = paths {
        let places: Vec<_> = found.iter().map(|finding| finding.place).collect();
        let reached = paths.dominant(&places);
        // A serial part lies between regions, whoever reached that at its place.
        for finding in found.iter_mut().filter(|finding| finding.rule != "serial-part") {
            finding.evidence.extend(reached.get(&finding.place).cloned());
        }
    }
    for finding in found.iter_mut().filter(|finding| finding.rule == "serial-part") {
        finding.evidence.extend(in_serial_parts.get(finding.place).cloned());
    }
}

/// What findings call places and variables.
struct Named<'a> {
    profile: &'a Profile,
    symbols: &'a Symbols,
}

impl findings::Names for Named<'_> {
    fn place(&self, row: Option<PlaceRow>) -> String {
        place_name(&self.symbols.of(row))
    }

    fn variable(&self, address: u64) -> Option<String> {
        variables::name(self.profile, address)
    }

    fn function(&self, row: PlaceRow) -> Option<String> {
        Some(self.symbols.of(Some(row)).function).filter(|function| !function.is_empty())
    }
}

fn with_place(gain_share: f64, finding: Finding, symbols: &Symbols) -> FindingFacts {
    let symbol = symbols.of(finding.place);
    FindingFacts {
        rule: finding.rule,
        title: finding.title,
        file: symbol.file,
        line: symbol.line,
        function: symbol.function,
        lost_ns: finding.lost_ns,
        gain_ns: finding.gain_ns,
        gain_share,
        evidence: finding.evidence,
        remedy: finding.remedy,
        estimate: finding.estimate,
        when_ns: None,
    }
}

/// As a sentence names it: the file's own name is enough.
pub(super) fn place_name(symbol: &Symbol) -> String {
    match symbol.file.rsplit('/').next() {
        Some(file) if !file.is_empty() && symbol.line != 0 => format!("{file}:{}", symbol.line),
        _ => symbol.function.clone(),
    }
}
