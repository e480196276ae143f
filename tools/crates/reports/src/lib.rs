// SPDX-License-Identifier: Apache-2.0
//! Prints results of recordings as text and as JSON: `teff report`, also of a set (`scaling`),
//! `teff diff`, `teff predict` and `teff characterise`.

mod args;
mod characterise;
pub mod diff;
pub mod predict;
pub mod report;
mod scaling;

use std::process::ExitCode;

use terminal::Result;

pub use args::{CharacteriseArgs, DiffArgs, PredictArgs, ReportArgs};
pub use characterise::characterise;

/// The report of a recording, or of a set of several.
pub fn report(args: &ReportArgs) -> Result<ExitCode> {
    if trace::is_set(&args.recording.directory) {
        scaling::report(args)
    } else {
        report::report(args)
    }
}
