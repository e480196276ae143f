// SPDX-License-Identifier: Apache-2.0
//! A set of recordings on one page: the scaling table of `teff report`, and a view model of the
//! median run of each number of threads (docs/formats/view.md).

use grains::metrics::Limits;
use recordings::same_process::open_same;
use recordings::Purpose;
use reports::scaling::{self, Factor, Facts};
use serde::Serialize;
use terminal::{printable, Result};
use trace::Set;

use super::model::Folding;
use super::shown::{base_name, printable_value, to_json, One, Shown};
use super::title::Title;
use crate::args::ViewArgs;

const VERSION: u32 = 1;

/// The page has the models of all median runs, so each of them gets a part of the rows, but at
/// least these.
const FEWEST_ROWS: usize = 2_000;

/// What the report says of the table in words.
#[derive(Serialize)]
struct Words {
    /// Empty if there is only one number of threads.
    verdict: String,
    /// The factors that differ from 1, in the order of the report.
    factors: Vec<Factor>,
    /// The names of the others.
    near: Vec<&'static str>,
}

/// Whether the page shows the whole set. The options that mean one recording choose the median run
/// on the most threads.
pub fn is_shown(args: &ViewArgs) -> bool {
    let one = args.recording.process.is_some() || !args.recording.part.selection().is_all();
    trace::is_set(&args.recording.directory) && args.baseline.is_none() && !one
}

pub fn shown(args: &ViewArgs, limits: &Limits, folding: Folding) -> Result<Shown> {
    let set = Set::open(&args.recording.directory)?;
    let any_size = args.recording.any_size;
    let facts = Facts::of(&set, any_size)?;
    let name = printable(&base_name(&set.directory));
    let (mut models, mut kept, mut choice) = (Vec::new(), Vec::new(), None);
    for (row, point) in facts.points.iter().enumerate() {
        let run = set.directory.join(&point.run);
        let opened = open_same(&run, any_size, Purpose::Page, &mut choice)?.opened;
        let title = Title::of(format!("{name}/{}", point.run), &run, &opened);
        // Only the run on the most threads is kept for requests: the runs together may need more
        // memory than there is.
        let opens = folding.opens && row + 1 == facts.points.len();
        let folding = Folding { opens, ..folding.divided(facts.points.len(), FEWEST_ROWS) };
        let one = One::of(opened.profile, (None, limits), title, folding, !args.no_source)?;
        models.push(one.json);
        if opens {
            kept.push((format!("run-{row}/"), one.kept));
        }
    }
    let (factors, near) = scaling::shown_factors(&facts);
    let verdict = scaling::verdict(&facts).unwrap_or_default();
    let json = format!(
        r#"{{"set":{VERSION},"name":{},"scaling":{},"words":{},"runs":[{}]}}"#,
        to_json(&name)?,
        to_json(&printable_value(&facts)?)?,
        to_json(&Words { verdict, factors, near: near.iter().map(|factor| factor.name).collect() })?,
        models.join(",")
    );
    Ok(Shown { json, kept })
}
