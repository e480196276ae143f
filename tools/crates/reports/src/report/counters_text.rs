// SPDX-License-Identifier: Apache-2.0
//! What was counted in the grains, as text.

use grains::units::{count, time};

use super::facts::{Facts, Site};
use super::style::Style;
use super::tables::{section, table};

/// The events of the kernel that are times, in nanoseconds.
const TIMES: [&str; 2] = ["task-clock", "cpu-clock"];

pub fn by_site(out: &mut String, facts: &Facts, limit: usize, style: &Style) {
    let Some(counters) = &facts.counters else { return };
    let shown: Vec<&Site> = facts.sites.iter().take(limit).collect();
    if shown.is_empty() {
        return;
    }
    let has_utilisation = shown.iter().any(|site| site.memory_hierarchy_utilisation.is_some());
    let mut header = vec!["site", "kind"];
    header.extend(counters.events.iter().map(String::as_str));
    header.extend(has_utilisation.then_some("memory utilisation"));
    let mut table = table(&header);
    let words = |counts: &[u64]| {
        let values = counters.events.iter().zip(counts).map(|(event, &value)| in_words(event, value));
        values.collect::<Vec<_>>()
    };
    for (site, name) in shown.iter().zip(style.names(&shown)) {
        let mut row = vec![name, site.kind.to_owned()];
        row.extend(words(site.counters.as_deref().unwrap_or_default()));
        let utilisation = site.memory_hierarchy_utilisation;
        row.extend(
            has_utilisation.then(|| utilisation.map_or_else(String::new, |ratio| format!("{ratio:.2}"))),
        );
        table.add_row(row);
    }
    for (name, counts) in
        [("(in all grains)", &counters.in_grains), ("(outside of grains)", &counters.outside)]
    {
        let mut row = vec![name.to_owned(), String::new()];
        row.extend(words(counts));
        table.add_row(row);
    }
    let left_out = facts.sites.len().saturating_sub(limit);
    section(out, style, "Counters: what was counted in the grains of each site", &table, left_out);
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
}
