// SPDX-License-Identifier: Apache-2.0
//! `teff diff`: compares two programs, or one program before and after a change, construct by
//! construct and grain by grain.

mod change;
mod choose;
mod devices;
mod facts;
mod junit;
mod limits;
mod machine;
mod markdown;
mod read;
mod sites;
mod text;

use std::process::ExitCode;

use terminal::{output, print, printable_json, shows_colours, Failure, Result};

use crate::args::DiffArgs;
use crate::report::Style;
use choose::{choose, Chosen};

pub use choose::{Asked, Side};
pub use facts::Facts;
pub use read::constructs;
pub use sites::SiteFacts;

/// What a comparison says, and of which recordings it says so.
pub struct Compared {
    pub facts: Facts,
    pub before: Side,
    pub after: Side,
}

pub fn compare(asked: &Asked, any_size: bool) -> Result<Compared> {
    let Chosen { before, after, by_threads } = choose(asked)?;
    let facts = Facts::of(&before, &after, by_threads, any_size)?;
    Ok(Compared { facts, before, after })
}

pub fn diff(args: &DiffArgs) -> Result<ExitCode> {
    let asked = Asked { before: &args.before, after: &args.after, threads: &args.threads };
    let Compared { mut facts, .. } = compare(&asked, args.any_size)?;
    facts.hold_against(&args.fail_if);
    let text = if args.json {
        let json = serde_json::to_string_pretty(&facts);
        let json = json.map_err(|error| Failure::cannot("write JSON", error))?;
        printable_json(&json) + "\n"
    } else if args.markdown {
        markdown::render(&facts, args.sites)
    } else {
        text::render(&facts, args.sites, &Style { colour: shows_colours(), columns: None })
    };
    print(&text)?;
    if let Some(file) = &args.junit {
        output::write(file, |out| junit::write(&facts, out))?;
    }
    Ok(limits::exit_code(&facts.limits))
}
