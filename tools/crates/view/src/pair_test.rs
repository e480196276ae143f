// SPDX-License-Identifier: Apache-2.0
//! The page of two recordings has the figures of `teff diff`, and rows that name the same sites.

use std::fs;
use std::path::Path;

use recordings::{RecordingArgs, ThresholdArgs, Thresholds};
use reports::diff::{compare, Asked};
use serde_json::Value;
use tempfile::tempdir;
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

use super::model::Folding;
use super::pair;
use super::shown::Shown;
use crate::args::ViewArgs;

/// An initial task that creates the tasks of each site, one after the other.
fn recording(directory: &Path, sites: &[(u64, u64)]) {
    let mut meta = RecordingWriter::plain_meta(1);
    meta.command = vec!["./prog\u{1b}[31m".to_owned()].into();
    let mut out = RecordingWriter::create(directory, 1, &meta).unwrap();
    let initial = TaskId::new(0, 1);
    let create = Create { task: initial, parent: TaskId::NONE, site: 0, cost: 0, flags: IMPLICIT };
    out.put(0, 0, Record::Create(create)).unwrap();
    out.put(0, 0, Record::Start { task: initial, region: RegionId::NONE }).unwrap();
    let (mut now, mut number) = (10_000, 1);
    for (row, &(address, tasks)) in sites.iter().enumerate() {
        let site = row as u32 + 1;
        let ticks = 1000 * u64::from(site);
        let place = Site { site, module: 0, call_site: address, function: 0 };
        out.put(0, now, Record::Site(place)).unwrap();
        for _ in 0..tasks {
            number += 1;
            let task = TaskId::new(0, number);
            out.put(0, now, Record::Create(Create { task, parent: initial, site, cost: 10, flags: 0 }))
                .unwrap();
            let run = Run { task, ticks, cpu: 0, region: RegionId::NONE, flags: 0 };
            out.put(0, now + 10, Record::Run(run)).unwrap();
            now += 10 + ticks;
        }
    }
    out.put(0, 0, Record::Run(Run { task: initial, ticks: now, ..Default::default() })).unwrap();
    out.end(now).unwrap();
}

const ALL: Folding = Folding { from: 1000, to: 1000, opens: true };

fn shown(before: &Path, after: &Path, folding: Folding) -> (Value, Vec<String>) {
    let recording = RecordingArgs::all_of(before.to_owned(), None, false);
    let after_path = after.to_owned();
    let args = ViewArgs {
        recording,
        limits: ThresholdArgs { thresholds: Thresholds::Teff, threshold: Vec::new() },
        after: Some(after_path),
        threads: Vec::new(),
        baseline: None,
        html: None,
        port: 0,
        no_open: true,
        no_source: true,
    };
    let Shown { json, kept } = pair::shown(&args, after, folding).unwrap();
    (serde_json::from_str(&json).unwrap(), kept.into_iter().map(|(folder, _)| folder).collect())
}

fn row(value: &Value) -> Option<usize> {
    value.as_u64().map(|row| row as usize)
}

#[test]
fn the_page_of_two_has_the_figures_of_the_comparison_and_joins_their_sites() {
    let place = tempdir().unwrap();
    let (before, after) = (place.path().join("before.teff"), place.path().join("after.teff"));
    recording(&before, &[(0x40_0010, 40), (0x40_0020, 30), (0x40_0030, 5)]);
    recording(&after, &[(0x40_0010, 50), (0x40_0040, 3), (0x40_0020, 10)]);
    let (page, kept) = shown(&before, &after, ALL);
    assert_eq!(kept, ["before/", "after/"]);
    assert_eq!(page["pair"], 1);

    let facts = compare(&Asked { before: &before, after: &after, threads: &[] }, false).unwrap().facts;
    let of_diff = serde_json::to_value(&facts).unwrap();
    for field in ["wall", "totals", "sites", "joined", "findings", "notes"] {
        assert_eq!(page["diff"][field], of_diff[field], "{field}");
    }
    assert!(!page.to_string().contains("\\u001b"), "nothing that a terminal obeys");

    let (sites, rows) = (page["diff"]["sites"].as_array().unwrap(), page["rows"].as_array().unwrap());
    assert_eq!(sites.len(), rows.len());
    let mut joined = 0;
    for (site, joined_rows) in sites.iter().zip(rows) {
        let found = ["before", "after"].map(|side| {
            let shown = &page[side]["sites"][row(&joined_rows[side])?];
            let count = site[format!("count_{side}")].as_f64().unwrap();
            assert_eq!(shown["count"].as_f64().unwrap(), count, "{site}");
            assert_eq!(shown["work_ns"], site["work"][format!("{side}_ns")], "{site}");
            Some(shown)
        });
        assert_eq!(
            found.map(|shown| shown.is_some()),
            ["before", "after"].map(|side| site[side].is_object())
        );
        joined += usize::from(found.iter().all(Option::is_some));
    }
    assert_eq!(joined, 3, "the two addresses that both have, and what is outside of all constructs");
}

#[test]
fn a_file_keeps_nothing_to_ask_and_folds_each_side() {
    let place = tempdir().unwrap();
    let (before, after) = (place.path().join("before.teff"), place.path().join("after.teff"));
    recording(&before, &[(0x40_0010, 40)]);
    recording(&after, &[(0x40_0010, 400)]);
    let (page, kept) = shown(&before, &after, Folding { from: 100, to: 100, opens: false });
    assert!(kept.is_empty());
    let run = |side: &str, field: &str| page[side]["run"][field].as_u64().unwrap();
    assert_eq!((run("before", "grains"), run("before", "shown")), (41, 41));
    assert_eq!(run("after", "grains"), 401);
    assert!(run("after", "shown") <= 100);
}

#[test]
fn of_a_set_the_median_run_is_shown_under_the_sets_name() {
    let place = tempdir().unwrap();
    let set = place.path().join("set.teff");
    let names = ["threads-1-1", "threads-1-2", "threads-1-3"];
    for (name, tasks) in names.iter().zip([30, 10, 20]) {
        recording(&set.join(name), &[(0x40_0010, tasks)]);
    }
    let runs = names.map(|name| {
        format!(r#"{{"directory": "{name}", "threads": 1, "repeat": 1, "exit_status": 0, "wall_ns": 5}}"#)
    });
    let head = r#""format": "teff-set", "version": 1, "complete": true, "command": ["./prog"]"#;
    fs::write(set.join(SET_FILE), format!("{{{head}, \"runs\": [{}]}}", runs.join(","))).unwrap();
    let after = place.path().join("after.teff");
    recording(&after, &[(0x40_0010, 20)]);
    let (page, _) = shown(&set, &after, ALL);
    assert_eq!(page["before"]["run"]["name"], "set.teff/threads-1-3");
    assert_eq!(page["before"]["run"]["wall_ns"], page["diff"]["wall"]["before_ns"]);
    assert_eq!(page["after"]["run"]["name"], "after.teff");
    assert_eq!(page["diff"]["before"]["runs"], 3);
}
