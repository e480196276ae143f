// SPDX-License-Identifier: Apache-2.0
//! The recording with which another recording is compared.

use std::path::Path;

use grains::budget::{Budget, Detail, OverTime};
use grains::metrics::{Baseline, Deviation, Inflation};
use grains::units::{count, percent};
use grains::Profile;
use terminal::{say, Result};

use crate::args::RecordingArgs;
use crate::commands::unlike_commands;
use crate::memory::Purpose;
use crate::open::{open, readers};
use crate::set_runs::{one_recording, Wanted};

/// Reads the baseline, and keeps only what the comparison needs: its profile is dropped before the
/// other profile is read.
pub fn baseline(directory: Option<&Path>, of: &RecordingArgs) -> Result<Option<Baseline>> {
    let Some(directory) = directory else { return Ok(None) };
    let directory = one_recording(directory, Wanted::FewestThreads)?;
    let args = RecordingArgs::all_of(directory, None, of.any_size);
    let profile = open(&args, Purpose::Report)?;
    let readers = readers(profile.workers as usize)?;
    Ok(Some(readers.install(|| Baseline::of(&profile))))
}

/// The budget of a recording, and how its grains deviate from the baseline. With a baseline, the
/// additional work of grains is inflation.
pub fn budget_beside(profile: &Profile, baseline: Option<&Baseline>) -> (Budget, Option<Deviation>) {
    let mut budget = Budget::of(profile);
    let deviation = inflate(&mut budget, profile, baseline);
    (budget, deviation)
}

/// The budget of a recording, and what the workers did over time, where inflation is a part of the
/// work.
pub fn lanes_beside(
    profile: &Profile,
    baseline: Option<&Baseline>,
    detail: Detail,
) -> (Budget, OverTime, Option<Deviation>) {
    let (mut budget, time) = Budget::over_time(profile, detail);
    let deviation = inflate(&mut budget, profile, baseline);
    (budget, time, deviation)
}

fn inflate(budget: &mut Budget, profile: &Profile, baseline: Option<&Baseline>) -> Option<Deviation> {
    baseline.map(|baseline| {
        let found = Deviation::of(profile, baseline);
        if let Some(note) = unlike_commands(&baseline.command, &profile.meta.command) {
            say(note);
        }
        say_matched(&found);
        budget.inflate(profile, Inflation::of(&found, baseline, &profile.meta.command));
        found
    })
}

/// Says how much of the recording the baseline covers, if it does not cover all of it.
pub fn say_matched(deviation: &Deviation) {
    if deviation.unmatched > 0 {
        say(format!(
            "{} of {} grains, with {} of the work, have no counterpart in the baseline and are not compared.",
            count(deviation.unmatched),
            count(deviation.matched + deviation.unmatched),
            percent((1.0 - deviation.matched_work).max(0.0), 1.0)
        ));
    }
}
