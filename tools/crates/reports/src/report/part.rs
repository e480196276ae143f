// SPDX-License-Identifier: Apache-2.0
//! Which part of the run a report is about, and the program's named spans.

use grains::spans::span_totals;
use grains::Profile;
use serde::Serialize;

/// A stretch of the run that was recorded. Times are in nanoseconds since the start of the
/// recording.
#[derive(Serialize)]
pub struct WindowFacts {
    pub from_ns: f64,
    pub to_ns: f64,
}

impl WindowFacts {
    pub fn all(profile: &Profile) -> Vec<Self> {
        let window =
            |part: &grains::Part| Self { from_ns: profile.ns(part.from), to_ns: profile.ns(part.to) };
        profile.chosen.iter().map(window).collect()
    }
}

/// Which regions were recorded, if only some were.
#[derive(Serialize)]
pub struct EveryFacts {
    /// Of each construct, the regions with a multiple of this number.
    pub nth: u64,
    /// How many outermost regions the program had, and how many of them were recorded; `null`: not
    /// known.
    pub regions: Option<u64>,
    pub recorded: Option<u64>,
}

impl EveryFacts {
    pub fn of(profile: &Profile) -> Option<Self> {
        let of = |every: grains::Every| Self {
            nth: every.nth,
            regions: every.regions.map(|(all, _)| all),
            recorded: every.regions.map(|(_, recorded)| recorded),
        };
        profile.every.map(of)
    }
}

/// Which part of the run a verb's figures are about.
#[derive(Serialize)]
pub struct PartFacts {
    /// From the start of the recording to its end, whatever of it was recorded.
    pub recording_ns: f64,
    /// The stretches of the run that the figures are about, in order.
    pub windows: Vec<WindowFacts>,
    /// Which regions were recorded, if only some were (`teff record --every`); else `null`.
    pub every: Option<EveryFacts>,
}

impl PartFacts {
    pub fn of(profile: &Profile) -> Self {
        Self {
            recording_ns: profile.ns(profile.recording),
            windows: WindowFacts::all(profile),
            every: EveryFacts::of(profile),
        }
    }

    /// The sum of the windows.
    pub fn wall_ns(&self) -> f64 {
        self.windows.iter().map(|window| window.to_ns - window.from_ns).sum()
    }
}

/// How much of a run was recorded and chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    pub is_part: bool,
    /// Of each construct, only each N-th region was recorded.
    pub nth: Option<u64>,
}

impl Extent {
    pub fn of(profile: &Profile) -> Self {
        Self { is_part: profile.is_part(), nth: profile.every.map(|every| every.nth) }
    }
}

/// All spans of one name. Times are in nanoseconds.
#[derive(Serialize)]
pub struct SpanFacts {
    pub name: String,
    pub count: u64,
    /// The time during which some thread was in such a span.
    pub wall_ns: f64,
    /// The work in it: of all threads, where it began outside of parallel regions, else of its
    /// thread.
    pub work_ns: f64,
}

impl SpanFacts {
    pub fn all(profile: &Profile) -> Vec<Self> {
        let facts = span_totals(profile).into_iter().map(|span| Self {
            name: span.name,
            count: span.count,
            wall_ns: profile.ns(span.wall),
            work_ns: profile.clock.ns(grains::Ticks(span.work as u64)),
        });
        let mut facts: Vec<_> = facts.collect();
        facts.sort_by(|a, b| b.wall_ns.total_cmp(&a.wall_ns));
        facts
    }
}
