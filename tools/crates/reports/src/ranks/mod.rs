// SPDX-License-Identifier: Apache-2.0
//! `teff report` on the ranks of a job, each with a recording of its own: which of them is the
//! slowest, and what the difference costs.

mod facts;
mod text;

use std::process::ExitCode;

use terminal::{print, printable_json, shows_colours, Failure, Result};

use crate::args::ReportArgs;
use crate::report::Style;
use facts::Facts;

pub fn report(args: &ReportArgs) -> Result<ExitCode> {
    let facts = Facts::of(args)?;
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
