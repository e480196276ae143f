// SPDX-License-Identifier: Apache-2.0
//! `teff view`: the recording in a browser.

mod answers;
mod columns;
mod find;
mod fold;
mod kept;
#[cfg(test)]
mod kept_test;
mod model;
#[cfg(test)]
mod model_test;
mod page;
mod part;
mod rows;
mod serve;
mod speedup;
mod sums;
mod time;
mod tree;
mod whole;

use std::path::Path;
use std::process::ExitCode;

use grains::budget::Budget;

use crate::args::ViewArgs;
use crate::console::{print, printable};
use crate::failure::{Failure, Result};
use crate::open::{open, readers};
use crate::output;
use crate::report::Facts;
use crate::sites::Sites;
use crate::symbols::Symbols;
use kept::Kept;
use model::{Folding, Model};

/// Rows of grains that a page gets; more would make it slow. What it can ask for need not come with
/// it: less is there sooner.
const IN_A_FILE: Folding = Folding { from: 200_000, to: 200_000, opens: false };
const SERVED: Folding = Folding { from: 200_000, to: 40_000, opens: true };

pub fn view(args: &ViewArgs) -> Result<ExitCode> {
    let template = page::template()?; // before the long part
    match &args.html {
        Some(file) => {
            let (json, _) = model_json(args, IN_A_FILE)?;
            let page = page::with_data(template, &json)?;
            output::write(file, |out| out.write_all(page.as_bytes()))?;
            if file != Path::new("-") {
                print(&format!("{}\n", printable(&file.to_string_lossy())))?;
            }
        }
        None => {
            let listener = serve::listen(args.port)?; // before the long part, too
            let (json, kept) = model_json(args, SERVED)?;
            serve::serve(listener, template, json, kept, !args.no_open)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn model_json(args: &ViewArgs, folding: Folding) -> Result<(String, Kept)> {
    let recording = &args.recording;
    let profile = open(recording)?;
    let symbols = Symbols::resolve(&profile);
    let readers = readers(profile.workers as usize)?;
    let budget = readers.install(|| Budget::of(&profile));
    let facts = Facts::of(&profile, &budget, &symbols);
    let name = std::path::absolute(&recording.directory).ok();
    let name = name.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let speedup = readers.install(|| speedup::speedups(&profile, &symbols));
    let sites = Sites::of(&profile, &symbols);
    let kept = readers.install(|| Kept::of(profile, sites));
    let model = Model::of(&kept, &facts, &symbols, speedup, &name, folding, !args.no_source);
    let json = serde_json::to_string(&model)
        .map_err(|error| Failure::new(format!("cannot write the view model: {error}.")))?;
    Ok((json, kept))
}
