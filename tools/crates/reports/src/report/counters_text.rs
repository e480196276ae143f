// SPDX-License-Identifier: Apache-2.0
//! What was counted in the grains, as text.

use comfy_table::Table;
use grains::units::{count, time};

use super::counters::CounterFacts;
use super::facts::{Facts, Site};
use super::style::Style;
use super::tables::{section, table};

/// The events of the kernel that are times, in nanoseconds.
const TIMES: [&str; 2] = ["task-clock", "cpu-clock"];

/// The kind of the sites of serial parts.
const INITIAL: &str = "initial";

pub fn by_site(out: &mut String, facts: &Facts, limit: usize, style: &Style) {
    let Some(counters) = &facts.counters else { return };
    let shown: Vec<&Site> = facts.sites.iter().take(limit).collect();
    if shown.is_empty() {
        return;
    }
    let table = of_sites(counters, &shown, style, Means::Hidden);
    let left_out = facts.sites.len().saturating_sub(limit);
    section(out, style, "Counters: what was counted in the grains of each site", &table, left_out);
}

type RatioOfSite = fn(&Site) -> Option<f64>;

/// Ratios of counts, which have a column if a site has one.
const RATIOS: [(&str, RatioOfSite); 2] = [
    ("memory utilisation", |site| site.memory_hierarchy_utilisation),
    ("intensity", |site| site.computational_intensity),
];

/// Whether a table has the mean of a site's grains beside each sum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Means {
    Shown,
    Hidden,
}

/// The counts of some sites, and those of all grains and outside of them.
pub fn of_sites(counters: &CounterFacts, sites: &[&Site], style: &Style, means: Means) -> Table {
    let has_means = means == Means::Shown;
    let ratios = RATIOS.iter().filter(|(_, of)| sites.iter().any(|site| of(site).is_some()));
    let ratios: Vec<_> = ratios.collect();
    let mut header = vec!["site", "kind"];
    header.extend(has_means.then_some("grains"));
    for event in &counters.events {
        header.push(event);
        header.extend(has_means.then_some("a grain"));
    }
    header.extend(ratios.iter().map(|(name, _)| *name));
    let mut table = table(&header);
    let words = |counts: &[u64], grains: Option<u64>| {
        let mut words = Vec::new();
        for (event, &value) in counters.events.iter().zip(counts) {
            words.push(in_words(event, value));
            words.extend(
                has_means.then(|| grains.map_or_else(String::new, |grains| mean(event, value, grains))),
            );
        }
        words
    };
    for (site, name) in sites.iter().zip(style.names(sites)) {
        let mut row = vec![name, site.kind.to_owned()];
        row.extend(has_means.then(|| count(site.count)));
        let is_known = !(counters.lacks_initial && site.kind == INITIAL);
        let counts = site.counters.as_deref().unwrap_or_default();
        let counts = words(counts, Some(site.count)).into_iter();
        row.extend(counts.map(|word| if is_known { word } else { "-".to_owned() }));
        let ratios = ratios.iter().map(|(_, of)| of(site));
        row.extend(ratios.map(|ratio| ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))));
        table.add_row(row);
    }
    let outside = counters.outside.iter().map(|counts| ("(outside of grains)", counts));
    for (name, counts) in [("(in all grains)", &counters.in_grains)].into_iter().chain(outside) {
        let mut row = vec![name.to_owned(), String::new()];
        row.extend(has_means.then(String::new));
        row.extend(words(counts, None));
        table.add_row(row);
    }
    table
}

/// What one of several grains has on average.
fn mean(event: &str, sum: u64, grains: u64) -> String {
    let mean = sum as f64 / grains.max(1) as f64;
    if TIMES.contains(&event) {
        time(mean)
    } else if mean < 100.0 {
        format!("{mean:.2}")
    } else {
        count(mean.round() as u64)
    }
}

fn in_words(event: &str, value: u64) -> String {
    if TIMES.contains(&event) {
        time(value as f64)
    } else {
        count(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_time_are_shown_as_times() {
        assert_eq!(in_words("task-clock", 2_500_000), "2.50 ms");
        assert_eq!(in_words("page-faults", 2_500_000), "2,500,000");
    }

    #[test]
    fn means_of_few_events_have_decimals() {
        let means = [("task-clock", 3_000, 2), ("page-faults", 7, 3), ("page-faults", 9_000_000, 4)];
        let means = means.map(|(event, sum, grains)| mean(event, sum, grains));
        assert_eq!(means, [time(1500.0), "2.33".to_owned(), "2,250,000".to_owned()]);
    }
}
