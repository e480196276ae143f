// SPDX-License-Identifier: Apache-2.0
//! `teff diff`: two programs, or one before and after a change, construct by construct and grain by
//! grain.

mod choose;
mod facts;
mod read;
mod sites;
mod text;

use std::process::ExitCode;

use crate::args::DiffArgs;
use crate::console::{print, printable_json, shows_colours};
use crate::failure::{Failure, Result};
use crate::report::Style;
use choose::{choose, Chosen};
use facts::Facts;

pub fn diff(args: &DiffArgs) -> Result<ExitCode> {
    let Chosen { before, after, by_threads } = choose(args)?;
    let facts = Facts::of(&before, &after, by_threads, args.any_size)?;
    let text = if args.json {
        let json = serde_json::to_string_pretty(&facts);
        let json = json.map_err(|error| Failure::new(format!("cannot write JSON: {error}.")))?;
        printable_json(&json) + "\n"
    } else {
        text::render(&facts, args.sites, &Style { colour: shows_colours(), columns: None })
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
