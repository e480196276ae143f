// SPDX-License-Identifier: Apache-2.0
//! What the recorder counted in the grains of the compared programs, by site, as `teff report` has
//! it. The study does not use it: programs are compared by properties that do not depend on the
//! machine.

use std::path::{Path, PathBuf};

use grains::Profile;
use serde_json::{json, Value};
use symbols::Symbols;

use crate::report::{counted, table_of_counters, CounterFacts, Means, Site, Style};

/// The sites of each program that the text shows: those with the most work.
const MOST: usize = 5;

/// What was counted in one recording.
pub struct Counted {
    pub recording: PathBuf,
    pub counters: CounterFacts,
    /// By falling work.
    pub sites: Vec<Site>,
}

impl Counted {
    /// `None`: the recording has no counters.
    pub fn of(directory: &Path, profile: &mut Profile) -> Option<Self> {
        if profile.counters.is_empty() {
            return None; // names of sites take long to find
        }
        let symbols = Symbols::resolve_and_unite(profile);
        let (counters, sites) = counted(profile, &symbols)?;
        Some(Self { recording: directory.to_owned(), counters, sites })
    }

    pub fn text(&self, out: &mut String, program: &str) {
        out.push_str(&format!("\nCounters of {program}: sums, and means of a grain\n"));
        let shown: Vec<&Site> = self.sites.iter().take(MOST).collect();
        let style = Style { colour: false, columns: None };
        for line in table_of_counters(&self.counters, &shown, &style, Means::Shown).lines() {
            out.push_str(&format!("{}\n", line.trim_end()));
        }
        if self.sites.len() > MOST {
            let more = grains::units::several((self.sites.len() - MOST) as u64, "more site");
            out.push_str(&format!("  and {more}: see --json or -o\n"));
        }
    }

    pub fn json(&self) -> Value {
        let CounterFacts { events, in_grains, outside, .. } = &self.counters;
        let sites = self.sites.iter().map(|site| {
            json!({
                "file": site.file,
                "line": site.line,
                "function": site.function,
                "kind": site.kind,
                "count": site.count,
                "counters": site.counters,
                "per_grain": site.counters.iter().flatten().map(|&sum| mean(sum, site)).collect::<Vec<_>>(),
                "memory_hierarchy_utilisation": site.memory_hierarchy_utilisation,
                "computational_intensity": site.computational_intensity,
            })
        });
        json!({
            "recording": self.recording.display().to_string(),
            "events": events,
            "in_grains": in_grains,
            "outside": outside,
            "sites": sites.collect::<Vec<_>>(),
        })
    }

    /// The cells of a row for each site and event.
    pub fn rows(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.sites.iter().flat_map(|site| {
            let counts = self.counters.events.iter().zip(site.counters.iter().flatten());
            counts.map(|(event, &sum)| {
                let cell = |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| ratio.to_string());
                vec![
                    site.file.clone(),
                    site.line.to_string(),
                    site.function.clone(),
                    site.kind.to_owned(),
                    site.count.to_string(),
                    event.clone(),
                    sum.to_string(),
                    mean(sum, site).to_string(),
                    cell(site.memory_hierarchy_utilisation),
                    cell(site.computational_intensity),
                ]
            })
        })
    }
}

fn mean(sum: u64, site: &Site) -> f64 {
    sum as f64 / site.count.max(1) as f64
}
