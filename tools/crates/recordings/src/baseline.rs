// SPDX-License-Identifier: Apache-2.0
//! The recording with which another recording is compared.

use std::path::Path;

use grains::budget::Budget;
use grains::metrics::{Baseline, Deviation, Inflation};
use grains::units::{count, percent};
use grains::Profile;
use terminal::{say, Result};

use crate::args::RecordingArgs;
use crate::open::{open, readers};
use crate::set_runs::{one_recording, Wanted};

/// What is kept of it: its profile is gone before the other one is read.
pub fn baseline(directory: Option<&Path>, of: &RecordingArgs) -> Result<Option<Baseline>> {
    let Some(directory) = directory else { return Ok(None) };
    let directory = one_recording(directory, Wanted::FewestThreads)?;
    let args = RecordingArgs { directory, process: None, any_size: of.any_size };
    let profile = open(&args)?;
    let readers = readers(profile.workers as usize)?;
    Ok(Some(readers.install(|| Baseline::of(&profile))))
}

/// The budget of a recording. With a baseline, what grains worked beyond it is inflation; also how
/// the grains deviate from it.
pub fn budget_beside(profile: &Profile, baseline: Option<&Baseline>) -> (Budget, Option<Deviation>) {
    let mut budget = Budget::of(profile);
    let deviation = baseline.map(|baseline| {
        let found = Deviation::of(profile, baseline);
        say_matched(&found);
        budget.inflate(profile, Inflation::of(&found, baseline));
        found
    });
    (budget, deviation)
}

/// Says how much of the recording the baseline has, where that is not all.
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
