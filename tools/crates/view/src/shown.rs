// SPDX-License-Identifier: Apache-2.0
//! The data of a recording that the page gets, and the data that is kept for the page's later
//! questions.

use std::path::Path;

use grains::metrics::Baseline;
use grains::Profile;
use recordings::{lanes_beside, readers};
use reports::report::Facts;
use serde::Serialize;
use symbols::sites::Sites;
use symbols::Symbols;
use terminal::{Failure, Result};

use super::kept::Kept;
use super::model::{About, Folding, Model};
use super::speedup;
use super::whole::lanes;

/// The page's data, and the recordings to which requests of a served page may refer, by the folder
/// in the address of the request.
pub struct Shown {
    pub json: String,
    pub kept: Vec<(&'static str, Kept)>,
}

pub fn base_name(directory: &Path) -> String {
    let name = std::path::absolute(directory).ok();
    name.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// One recording: its view model, and the data from which the model was made.
pub struct One {
    pub json: String,
    pub kept: Kept,
    pub symbols: Symbols,
}

impl One {
    /// `texts`: whether with the text of the source.
    pub fn of(
        mut profile: Profile,
        baseline: Option<&Baseline>,
        name: &str,
        folding: Folding,
        texts: bool,
    ) -> Result<Self> {
        let symbols = Symbols::resolve_and_unite(&mut profile);
        let readers = readers(profile.workers as usize)?;
        let detail = lanes::detail(&profile);
        let (budget, lanes) = readers.install(|| lanes_beside(&profile, baseline, detail));
        let facts = Facts::of(&profile, &budget, &symbols);
        let speedup = readers.install(|| speedup::speedups(&profile, &symbols));
        let sites = Sites::of(&profile, &symbols);
        let kept = readers.install(|| Kept::of(profile, sites));
        let about = About { budget: &budget, lanes: &lanes, facts: &facts, symbols: &symbols, speedup };
        let model = Model::of(&kept, about, name, folding, texts);
        let json = to_json(&model)?;
        Ok(Self { json, kept, symbols })
    }
}

pub fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Failure::cannot("write the view model", error))
}
