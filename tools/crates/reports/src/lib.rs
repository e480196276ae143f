// SPDX-License-Identifier: Apache-2.0
//! Prints results of recordings as text and as JSON: `teff report`, also of a set (`scaling`) and
//! of the ranks of a job (`ranks`), `teff diff`, `teff predict` and `teff characterise`.

mod args;
mod characterise;
pub mod diff;
mod limit;
pub mod predict;
mod ranks;
pub mod report;
pub mod scaling;

use std::process::ExitCode;

use terminal::{Failure, Result};

pub use args::{CharacteriseArgs, DiffArgs, PredictArgs, ReportArgs};
pub use characterise::characterise;

/// The report of a recording, of a set of several, or of several that are ranks of one job.
pub fn report(args: &ReportArgs) -> Result<ExitCode> {
    if !args.metrics && args.limits.are_given() {
        return Err(Failure::Usage("--thresholds and --threshold work only with --metrics.".to_owned()));
    }
    let directory = &args.recording.directory;
    let are_ranks = || trace::is_ranks(directory) && !trace::are_ranks_of_one_program(directory);
    if !args.more.is_empty() || are_ranks() {
        refuse_what_is_for_one(args)?;
        ranks::report(args)
    } else if trace::is_set(directory) {
        refuse_what_is_for_one(args)?;
        scaling::report(args)
    } else {
        report::report(args)
    }
}

fn refuse_what_is_for_one(args: &ReportArgs) -> Result<()> {
    let given = [
        ("--process", args.recording.process.is_some()),
        ("--baseline", args.baseline.is_some()),
        ("--metrics", args.metrics),
        ("--partial", args.partial),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) if !args.more.is_empty() => Err(Failure::Usage(format!(
            "{option} works on one recording, but several are named. Name one of them."
        ))),
        Some((option, _)) => Err(Failure::Usage(format!(
            "{option} works on one recording, but {} is a set of several. Name one of the directories in it.",
            args.recording.directory.display()
        ))),
    }
}
