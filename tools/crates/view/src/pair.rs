// SPDX-License-Identifier: Apache-2.0
//! Two recordings on one page: a view model of each recording, and the results of `teff diff` for
//! the two. Each model has its own tables; the rows of the comparison's sites link them
//! (docs/formats/view.md).

use std::collections::HashMap;
use std::path::Path;

use grains::metrics::{Limits, Thresholds};
use recordings::same_process::{open_same, SameProcess};
use recordings::Purpose;
use reports::diff::{compare, constructs, Asked, Compared, Facts, Side, SiteFacts};
use serde::Serialize;
use terminal::Result;

use super::model::Folding;
use super::shown::{base_name, printable_value, to_json, One, Shown};
use super::title::Title;
use crate::args::ViewArgs;

const VERSION: u32 = 1;

/// For a site of the comparison: its rows among the sites of the two models.
#[derive(Serialize)]
struct Row {
    before: Option<u32>,
    after: Option<u32>,
}

/// The row of the model's site, by the row of the construct in the run and by the kind.
type SiteRows = HashMap<(usize, &'static str), u32>;

pub fn shown(args: &ViewArgs, after: &Path, folding: Folding) -> Result<Shown> {
    let before = &args.recording.directory;
    let any_size = args.recording.any_size;
    let compared = compare(&Asked { before, after, threads: &args.threads }, any_size)?;
    let Compared { facts, before, after } = &compared;
    // The first side chooses the process, as it did for the comparison.
    let choice = &mut None;
    let mut kept = Vec::new();
    let mut model = |side: &Side, folder: &str| -> Result<(String, SiteRows)> {
        let one = one(side, (any_size, choice), folding, !args.no_source)?;
        let rows = site_rows(&one);
        if folding.opens {
            kept.push((folder.to_owned(), one.kept));
        }
        Ok((one.json, rows))
    };
    let (before, rows_before) = model(before, "before/")?;
    let (after, rows_after) = model(after, "after/")?;
    let rows = to_json(&joined(facts, &rows_before, &rows_after))?;
    let diff = to_json(&printable_value(facts)?)?;
    let json =
        format!(r#"{{"pair":{VERSION},"before":{before},"after":{after},"diff":{diff},"rows":{rows}}}"#);
    Ok(Shown { json, kept })
}

fn one(
    side: &Side,
    (any_size, choice): (bool, &mut Option<SameProcess>),
    folding: Folding,
    texts: bool,
) -> Result<One> {
    let run = side.median_run();
    let of_set = if run == side.name { String::new() } else { base_name(&side.name) + "/" };
    let opened = open_same(run, any_size, Purpose::Page, choice)?.opened;
    let title = Title::of(of_set + &base_name(run), run, &opened);
    let limits = Limits::of(Thresholds::Teff, &[]);
    One::of(opened.profile, (None, &limits), title, folding, texts)
}

fn site_rows(one: &One) -> SiteRows {
    let constructs = constructs(&one.kept.profile, &one.symbols);
    let mut rows = SiteRows::new();
    for (row, site) in one.kept.sites.rows.iter().enumerate() {
        // Of several sites without a line, the first has the most work.
        let key = (constructs.of_place(site.total.place), site.total.kind.name());
        rows.entry(key).or_insert(row as u32);
    }
    rows
}

fn joined(facts: &Facts, before: &SiteRows, after: &SiteRows) -> Vec<Row> {
    let row = |rows: &SiteRows, construct: Option<usize>, kind| rows.get(&(construct?, kind)).copied();
    let of_site = |site: &SiteFacts| {
        let [first, last] = site.constructs;
        Row { before: row(before, first, site.kind), after: row(after, last, site.kind) }
    };
    facts.sites.iter().map(of_site).collect()
}
