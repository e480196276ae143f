// SPDX-License-Identifier: Apache-2.0
//! `teff view`: the recording in a browser.

mod answers;
mod columns;
mod fold;
mod model;
#[cfg(test)]
mod model_test;
mod page;
mod rows;
mod serve;
mod speedup;
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
use crate::symbols::Symbols;

/// Rows of grains that a page gets; more would make it slow.
pub const MAX_ROWS: usize = 200_000;

pub fn view(args: &ViewArgs) -> Result<ExitCode> {
    let template = page::template()?; // before the long part
    match &args.html {
        Some(file) => {
            let page = page::with_data(template, &model_json(args)?)?;
            output::write(file, |out| out.write_all(page.as_bytes()))?;
            if file != Path::new("-") {
                print(&format!("{}\n", printable(&file.to_string_lossy())))?;
            }
        }
        None => {
            let listener = serve::listen(args.port)?; // before the long part, too
            serve::serve(listener, template, model_json(args)?, !args.no_open)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn model_json(args: &ViewArgs) -> Result<String> {
    let recording = &args.recording;
    let profile = open(recording)?;
    let symbols = Symbols::resolve(&profile);
    let readers = readers(profile.workers as usize)?;
    let budget = readers.install(|| Budget::of(&profile));
    let facts = Facts::of(&profile, &budget, &symbols);
    let name = std::path::absolute(&recording.directory).ok();
    let name = name.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let speedup = readers.install(|| speedup::speedups(&profile, &symbols));
    let model = model::Model::of(&profile, &facts, &symbols, speedup, &name, MAX_ROWS, !args.no_source);
    serde_json::to_string(&model)
        .map_err(|error| Failure::new(format!("cannot write the view model: {error}.")))
}
