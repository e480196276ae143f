// SPDX-License-Identifier: Apache-2.0
//! The data of a recording that the page gets, and the data that is kept for the page's later
//! questions.

use std::path::Path;

use grains::metrics::{Baseline, Limits};
use grains::Profile;
use recordings::{add_counts, lanes_beside, readers};
use reports::report::Facts;
use serde::Serialize;
use serde_json::Value;
use symbols::sites::Sites;
use symbols::Symbols;
use terminal::{printable, Failure, Result};

use super::kept::Kept;
use super::measures::Measures;
use super::model::{About, Folding, Model};
use super::speedup;
use super::title::Title;
use super::whole::lanes;
use super::whole::outline::{self, plan::Plan};

/// The page's data, and the recordings to which requests of a served page may refer, by the folder
/// in the address of the request.
pub struct Shown {
    pub json: String,
    pub kept: Vec<(String, Kept)>,
}

pub fn base_name(directory: &Path) -> String {
    let Ok(path) = std::path::absolute(directory) else { return String::new() };
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match (trace::rank_of(&path), path.parent()) {
        (Some(rank), Some(all)) => of_rank(&name(all), &rank),
        _ => name(&path),
    }
}

/// "heat.teff, rank 2 of 4, on processors 0-3"
fn of_rank(all: &str, rank: &trace::Rank) -> String {
    let of = rank.size.map_or_else(String::new, |size| format!(" of {size}"));
    let on = match rank.bound_to.as_str() {
        "" => String::new(),
        one if one.parse::<u32>().is_ok() => format!(", on processor {one}"),
        list => format!(", on processors {list}"),
    };
    format!("{all}, rank {}{of}{on}", rank.rank)
}

/// One recording: its view model, and the data from which the model was made.
pub struct One {
    pub json: String,
    pub kept: Kept,
    pub symbols: Symbols,
}

impl One {
    /// `limits`: which values of metrics are problems. `texts`: whether with the text of the
    /// source.
    pub fn of(
        mut profile: Profile,
        (baseline, limits): (Option<&Baseline>, &Limits),
        title: Title,
        folding: Folding,
        texts: bool,
    ) -> Result<Self> {
        add_counts(&mut profile);
        let symbols = Symbols::resolve_and_unite(&mut profile);
        let readers = readers(profile.workers as usize)?;
        let plan = Plan::of(&profile);
        let sites = Sites::of(&profile, &symbols);
        let site_of = outline::sites_of_rows(&profile, &sites);
        let detail = lanes::detail(&profile, &plan.cuts, &site_of);
        let (budget, time, deviation) = readers.install(|| lanes_beside(&profile, baseline, detail));
        let facts = Facts::of(&profile, &budget, &symbols);
        let speedup = readers.install(|| speedup::speedups(&profile, &symbols));
        let measures = readers.install(|| Measures::of(&profile, deviation, limits));
        let kept = readers.install(|| Kept::of(profile, sites, measures));
        let about =
            About { budget: &budget, time: &time, plan: &plan, facts: &facts, symbols: &symbols, speedup };
        let model = Model::of(&kept, about, title, folding, texts);
        let json = to_json(&model)?;
        Ok(Self { json, kept, symbols })
    }
}

pub fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Failure::cannot("write the view model", error))
}

/// A report as data, without characters that would change how the surrounding text is shown.
pub fn printable_value(value: &impl Serialize) -> Result<Value> {
    let mut value =
        serde_json::to_value(value).map_err(|error| Failure::cannot("write the view model", error))?;
    make_printable(&mut value);
    Ok(value)
}

fn make_printable(value: &mut Value) {
    match value {
        Value::String(text) => *text = printable(text),
        Value::Array(list) => list.iter_mut().for_each(make_printable),
        Value::Object(fields) => fields.values_mut().for_each(make_printable),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_rank_is_named_with_its_job_s_recording_and_its_processors() {
        let place = tempfile::tempdir().unwrap();
        let all = place.path().join("heat.teff");
        fs::create_dir(&all).unwrap();
        let of = |rank: u64, size: Option<u64>, bound_to: &str| {
            let says = trace::Rank {
                format: trace::RANK_FORMAT.to_owned(),
                version: trace::RANK_VERSION,
                bound_to: bound_to.to_owned(),
                rank,
                size,
                ..trace::Rank::default()
            };
            let file = all.join(trace::Rank::file_name(rank));
            fs::write(file, serde_json::to_string(&says).unwrap()).unwrap();
            base_name(&all.join(trace::Rank::directory_name(rank)))
        };
        assert_eq!(of(0, Some(4), "3"), "heat.teff, rank 0 of 4, on processor 3");
        assert_eq!(of(2, Some(4), "0-3,8"), "heat.teff, rank 2 of 4, on processors 0-3,8");
        assert_eq!(of(1, None, ""), "heat.teff, rank 1");
        assert_eq!(base_name(&all), "heat.teff");
    }
}
