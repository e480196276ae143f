// SPDX-License-Identifier: Apache-2.0
//! The named spans of the program, summed by name.

use std::collections::{BTreeMap, HashMap};

use crate::tables::SpanInfo;
use crate::ticks::Ticks;
use crate::windows::{Part, Windows};
use crate::Profile;

/// All spans of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanTotals {
    pub name: String,
    pub count: u64,
    /// The time during which some thread was in such a span.
    pub wall: Ticks,
    /// The program's work in it, in ticks: that of all threads, where the span began outside of
    /// parallel regions, else that of the span's thread.
    pub work: f64,
}

/// By name.
pub fn span_totals(profile: &Profile) -> Vec<SpanTotals> {
    let mut by_name: BTreeMap<&str, Vec<&SpanInfo>> = BTreeMap::new();
    for span in &profile.spans {
        by_name.entry(&span.name).or_default().push(span);
    }
    by_name.into_iter().map(|(name, spans)| totals(profile, name, &spans)).collect()
}

fn windows_of<'a>(spans: impl Iterator<Item = &'a SpanInfo>) -> Windows {
    Windows::of(spans.map(|span| Part { from: span.begin, to: span.end }).collect())
}

fn totals(profile: &Profile, name: &str, spans: &[&SpanInfo]) -> SpanTotals {
    let all = windows_of(spans.iter().copied());
    let of_all = windows_of(spans.iter().copied().filter(|span| span.of_all));
    let mut of_worker: HashMap<u16, Vec<&SpanInfo>> = HashMap::new();
    for span in spans.iter().filter(|span| !span.of_all) {
        of_worker.entry(span.worker).or_default().push(span);
    }
    let of_worker: HashMap<u16, Windows> =
        of_worker.into_iter().map(|(worker, spans)| (worker, windows_of(spans.into_iter()))).collect();
    let inside = |worker: u16, from: Ticks, to: Ticks| {
        let own = of_worker.get(&worker).map_or(Ticks::ZERO, |own| own.until(to) - own.until(from));
        (of_all.until(to) - of_all.until(from)).max(own)
    };
    let fragments = &profile.fragments;
    let work = (0..fragments.grain.len()).map(|row| {
        let (from, to) = (fragments.start(row as u32), fragments.end(row as u32));
        let worker = profile.grains.worker[fragments.grain[row]];
        let share = inside(worker, from, to).0 as f64 / (to - from).0.max(1) as f64;
        fragments.net(row as u32).0 as f64 * share
    });
    SpanTotals {
        name: name.to_owned(),
        count: spans.len() as u64,
        wall: all.parts().map(|part| part.to - part.from).sum(),
        work: work.sum(),
    }
}
