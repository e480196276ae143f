// SPDX-License-Identifier: Apache-2.0
//! `teff report` on a set: how the program scales, and what limits its scaling.

mod facts;
mod text;

use std::process::ExitCode;

use terminal::{print, printable_json, shows_colours, Failure, Result};
use trace::Set;

use crate::args::ReportArgs;
use crate::report::Style;
use facts::Facts;

pub fn report(args: &ReportArgs) -> Result<ExitCode> {
    refuse_what_is_for_one(args)?;
    let set = Set::open(&args.recording.directory)?;
    let facts = Facts::of(&set, args.recording.any_size)?;
    let text = if args.json {
        let json = serde_json::to_string_pretty(&facts);
        let json = json.map_err(|error| Failure::cannot("write JSON", error))?;
        printable_json(&json) + "\n"
    } else {
        text::render(&facts, &Style { colour: shows_colours(), columns: None })
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn refuse_what_is_for_one(args: &ReportArgs) -> Result<()> {
    let given = [
        ("--process", args.recording.process.is_some()),
        ("--baseline", args.baseline.is_some()),
        ("--metrics", args.metrics),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Usage(format!(
            "{option} works on one recording, but {} is a set of several. Name one of the directories in it.",
            args.recording.directory.display()
        ))),
    }
}
