// SPDX-License-Identifier: Apache-2.0
//! What the kernel and the processor counted in the grains, by site and by region.

use grains::units::time;
use grains::{GrainKind, Profile, Ratio, RegionRow, Ticks};
use serde::Serialize;
use symbols::sites::Sites;
use symbols::Symbols;

use super::phases::Where;

/// `null` in a report of a recording without counters. Each list of counts is in the order of
/// `events`.
#[derive(Serialize)]
pub struct CounterFacts {
    pub events: Vec<String>,
    /// The sums over all grains.
    pub in_grains: Vec<u64>,
    /// What the threads counted in no grain: in the runtime, or in a fragment that had not ended.
    /// `None` if the profile is of a part of the run: threads count on in the time left out.
    pub outside: Option<Vec<u64>>,
    /// The sums over the grains of each region's construct.
    pub regions: Vec<RegionCounts>,
    /// The CPU time of the first thread before its first construct, which has no counts.
    pub uncounted_ns: u64,
    /// That is a large part of the work of initial tasks.
    #[serde(skip)]
    pub lacks_initial: bool,
}

#[derive(Serialize)]
pub struct RegionCounts {
    /// `null`: outside of all regions.
    pub region: Option<Where>,
    pub counts: Vec<u64>,
}

impl CounterFacts {
    pub fn of(profile: &Profile, symbols: &Symbols) -> Option<Self> {
        let counters = &profile.counters;
        let all = 0..counters.names.len();
        let uncounted_ns = uncounted_ns(profile);
        let initial = profile.grains.rows().filter(|&row| profile.grains.kind[row] == GrainKind::Initial);
        let work_ns: f64 = initial.map(|row| profile.ns(profile.grains.work.of(row))).sum();
        (!counters.is_empty()).then(|| Self {
            events: counters.names.clone(),
            in_grains: all.clone().map(|counter| counters.in_grains(counter)).collect(),
            outside: (!profile.is_part()).then(|| all.map(|counter| counters.outside(counter)).collect()),
            regions: by_region(profile, symbols),
            uncounted_ns,
            lacks_initial: uncounted_ns > 0 && uncounted_ns as f64 >= LARGE_SHARE * work_ns,
        })
    }

    /// What the reader must know about the counts, in a whole sentence.
    pub fn note(&self) -> Option<String> {
        self.lacks_initial.then(|| {
            format!(
                "Counters count from a thread's first region or other construct on: {} of CPU time in the serial part \
                 before that have no counts, so those of the initial task are left out of the table.",
                time(self.uncounted_ns as f64)
            )
        })
    }
}

/// The share of the initial tasks' work without counts from which on theirs say nothing about it.
const LARGE_SHARE: f64 = 0.1;

/// 0 in a part of the run that begins later, and if the program alone has counted.
fn uncounted_ns(profile: &Profile) -> u64 {
    let has_start = profile.chosen.first().is_some_and(|part| part.from == Ticks::ZERO);
    if has_start && profile.counters.are_recorded() {
        profile.meta.met_cpu_ns.saturating_sub(profile.meta.start_cpu_ns)
    } else {
        0
    }
}

fn by_region(profile: &Profile, symbols: &Symbols) -> Vec<RegionCounts> {
    let regions = profile.regions_of_grains();
    let place = |region: RegionRow| profile.regions[region].place;
    let sums = profile.counters.sums(&profile.grains, |row| regions[row].map(place));
    let facts = sums.into_iter().map(|(region, counts)| RegionCounts {
        region: region.map(|place| symbols.of(place).into()),
        counts,
    });
    facts.collect()
}

/// The counts of a site's grains, in the order of the events, and ratios of them, if they were
/// counted.
#[derive(Default)]
pub struct OfSite {
    pub counts: Vec<u64>,
    pub memory_hierarchy_utilisation: Option<f64>,
    pub computational_intensity: Option<f64>,
}

/// For each row of the sites.
pub struct OfSites(Vec<OfSite>);

impl OfSites {
    pub fn of(profile: &Profile, sites: &Sites) -> Option<Self> {
        let counters = &profile.counters;
        if counters.is_empty() {
            return None;
        }
        let mut counts = vec![vec![0; counters.names.len()]; sites.rows.len()];
        for (site, sums) in counters.sums(&profile.grains, |row| sites.of_grain[row]) {
            counts[site as usize] = sums;
        }
        let of_site = |counts: Vec<u64>| {
            let value = |ratio: Option<Ratio>| {
                ratio.map(|ratio| ratio.of(|counter| Some(counts[counter]))).filter(|value| value.is_finite())
            };
            let memory_hierarchy_utilisation = value(counters.memory_hierarchy());
            let computational_intensity = value(counters.intensity());
            OfSite { counts, memory_hierarchy_utilisation, computational_intensity }
        };
        Some(Self(counts.into_iter().map(of_site).collect()))
    }

    pub fn take(&mut self, site: usize) -> OfSite {
        std::mem::take(&mut self.0[site])
    }
}
