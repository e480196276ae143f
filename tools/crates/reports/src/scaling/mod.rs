// SPDX-License-Identifier: Apache-2.0
//! `teff report` on a set: how the program scales, and what limits its scaling.

mod facts;
mod text;

use std::process::ExitCode;

use terminal::{print, printable_json, shows_colours, Failure, Result};
use trace::Set;

use crate::args::ReportArgs;
use crate::report::Style;
pub use facts::{Facts, Point};
pub use text::{shown_factors, verdict, Factor};

pub fn report(args: &ReportArgs) -> Result<ExitCode> {
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
