// SPDX-License-Identifier: Apache-2.0
//! Phases: what the threads of a team do on their own between two barriers.

use grains::phases::{phases, Phase};
use grains::Profile;
use serde::Serialize;
use symbols::{Symbol, Symbols};

/// One phase of a parallel region, summed over all its instances. Times are in nanoseconds.
#[derive(Serialize)]
pub struct PhaseFacts {
    /// Of the region's construct.
    pub region: Where,
    /// Of the barrier that ends the phase; of the region, if its end does.
    pub until: Where,
    /// "barrier" or "region end"
    pub ends_at: &'static str,
    pub times: u64,
    /// The work of the implicit tasks in the phase, over all threads.
    pub work_ns: f64,
    /// Of one time: the mean over the threads, and the thread with most, in the mean over the
    /// times.
    pub mean_ns: f64,
    pub longest_ns: f64,
    /// What the threads lost at the barrier: they waited and ran no task.
    pub waited_ns: f64,
    /// The wall time that even shares would gain.
    pub gain_ns: f64,
    /// Threads create tasks in the phase.
    pub creates_tasks: bool,
    /// The work of each thread of the team, by its number.
    pub threads_ns: Vec<f64>,
}

#[derive(Serialize)]
pub struct Where {
    pub file: String,
    pub line: u32,
    pub function: String,
}

impl From<Symbol> for Where {
    fn from(symbol: Symbol) -> Self {
        Self { file: symbol.file, line: symbol.line, function: symbol.function }
    }
}

impl PhaseFacts {
    /// By falling work.
    pub fn all(profile: &Profile, symbols: &Symbols) -> Vec<Self> {
        let mut rows: Vec<_> = phases(profile).into_iter().map(|phase| Self::of(phase, symbols)).collect();
        rows.sort_by(|a, b| b.work_ns.total_cmp(&a.work_ns));
        rows
    }

    fn of(phase: Phase, symbols: &Symbols) -> Self {
        let times = phase.times.max(1) as f64;
        Self {
            region: symbols.of(phase.region).into(),
            until: symbols.of(phase.place).into(),
            ends_at: if phase.is_last { "region end" } else { "barrier" },
            times: phase.times,
            work_ns: phase.work(),
            mean_ns: phase.mean / times,
            longest_ns: phase.longest / times,
            waited_ns: phase.waited,
            gain_ns: phase.gain,
            creates_tasks: phase.creates,
            threads_ns: phase.threads,
        }
    }
}
