// SPDX-License-Identifier: Apache-2.0
//! `teff view`: a recording in a browser, or two side by side.

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
mod pair;
#[cfg(test)]
mod pair_test;
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

use grains::metrics::Baseline;
use grains::Profile;
use serde::Serialize;

use crate::args::ViewArgs;
use crate::baseline::{baseline, budget_beside};
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

/// The page's data, and the recordings that a served page can ask about, by the folder of their
/// questions.
struct Shown {
    json: String,
    kept: Vec<(&'static str, Kept)>,
}

pub fn view(args: &ViewArgs) -> Result<ExitCode> {
    let template = page::template()?; // before the long part
    match &args.html {
        Some(file) => {
            let shown = shown(args, IN_A_FILE)?;
            let page = page::with_data(template, &shown.json)?;
            output::write(file, |out| out.write_all(page.as_bytes()))?;
            if file != Path::new("-") {
                print(&format!("{}\n", printable(&file.to_string_lossy())))?;
            }
        }
        None => {
            let listener = serve::listen(args.port)?; // before the long part, too
            serve::serve(listener, template, shown(args, SERVED)?, !args.no_open)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(args: &ViewArgs, folding: Folding) -> Result<Shown> {
    if let Some(after) = &args.after {
        return pair::shown(args, after, folding);
    }
    let recording = &args.recording;
    let baseline = baseline(args.baseline.as_deref(), recording)?; // one profile at a time
    let one = One::of(
        open(recording)?,
        baseline.as_ref(),
        &base_name(&recording.directory),
        folding,
        !args.no_source,
    )?;
    Ok(Shown { json: one.json, kept: vec![("", one.kept)] })
}

fn base_name(directory: &Path) -> String {
    let name = std::path::absolute(directory).ok();
    name.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// One recording: its view model, and what that was made of.
struct One {
    json: String,
    kept: Kept,
    symbols: Symbols,
}

impl One {
    /// `texts`: whether with the text of the source.
    fn of(
        profile: Profile,
        baseline: Option<&Baseline>,
        name: &str,
        folding: Folding,
        texts: bool,
    ) -> Result<Self> {
        let symbols = Symbols::resolve(&profile);
        let readers = readers(profile.workers as usize)?;
        let (budget, _) = readers.install(|| budget_beside(&profile, baseline));
        let facts = Facts::of(&profile, &budget, &symbols);
        let speedup = readers.install(|| speedup::speedups(&profile, &symbols));
        let sites = Sites::of(&profile, &symbols);
        let kept = readers.install(|| Kept::of(profile, sites));
        let model = Model::of(&kept, &facts, &symbols, speedup, name, folding, texts);
        let json = to_json(&model)?;
        Ok(Self { json, kept, symbols })
    }
}

fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Failure::new(format!("cannot write the view model: {error}.")))
}
