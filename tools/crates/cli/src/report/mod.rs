// SPDX-License-Identifier: Apache-2.0
//! `teff report`: where the time of a recorded run went.

mod facts;
mod text;

use std::io::{stdout, IsTerminal};
use std::process::ExitCode;

use crate::args::ReportArgs;
use crate::console::{print, shows_colours};
use crate::failure::{Failure, Result};
use crate::open::open;
use crate::symbols::Symbols;
use text::Style;

pub fn report(args: &ReportArgs) -> Result<ExitCode> {
    let profile = open(&args.recording)?;
    let symbols = Symbols::resolve(&profile);
    let facts = facts::Facts::of(&profile, &symbols);
    let text = if args.json {
        let json = serde_json::to_string_pretty(&facts);
        json.map_err(|error| Failure::new(format!("cannot write JSON: {error}.")))? + "\n"
    } else {
        text::render(&facts, args.sites, &Style { colour: shows_colours(), cut: stdout().is_terminal() })
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
