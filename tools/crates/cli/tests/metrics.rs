// SPDX-License-Identifier: Apache-2.0
//! Tests the metrics as CSV, and what a baseline changes in the report.

mod common;

use std::path::Path;

use common::{teff, text};
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

const MS: u64 = 1_000_000;

/// Two tasks beside each other, of `ms` ms, whose names of the program need quotes.
fn record(path: &Path, ms: u64) {
    let mut out = RecordingWriter::create(path, 2, &RecordingWriter::plain_meta(2)).unwrap();
    let root = TaskId::new(0, 1);
    out.put(0, 0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() })).unwrap();
    for ordinal in [2, 3] {
        let task = TaskId::new(0, ordinal);
        let create = Create { task, parent: root, site: 1, cost: 100, flags: 0 };
        out.put(0, ordinal * 1000, Record::Create(create)).unwrap();
    }
    for (stream, ordinal) in [(0, 2), (1, 3)] {
        let task = TaskId::new(0, ordinal);
        out.put(stream, 10_000, Record::Run(Run { task, ticks: ms * MS, ..Default::default() })).unwrap();
    }
    let (kind, ticks) = (WaitKind::Taskwait, 6000 + ms * MS);
    let wait = Wait { kind, task: root, ticks, site: 1, barrier: 0, departures: 0 };
    out.put(0, 5000, Record::Wait(wait)).unwrap();
    out.put(0, 0, Record::Run(Run { task: root, ticks: ms * MS + 12_000, ..Default::default() })).unwrap();
    out.end(ms * MS + 12_000).unwrap();
}

fn csv(place: &Path, words: &[&str]) -> Vec<Vec<String>> {
    let mut all = vec!["export", "--format", "csv", "-o", "-", "a.teff"];
    all.extend(words);
    let output = teff(place, &all);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn each_grain_has_a_row_with_its_metrics() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), 5);
    record(&place.path().join("b.teff"), 2);
    let rows = csv(place.path(), &["--baseline", "b.teff"]);
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let value = |row: usize, name: &str| {
        let column = rows[0].iter().position(|column| column == name).expect(name);
        rows[row][column].clone()
    };
    for row in [2, 3] {
        assert_eq!(value(row, "kind"), "task");
        assert_eq!(value(row, "work_ns"), "5000000");
        assert_eq!(value(row, "work_deviation"), "2.5");
        assert_eq!(value(row, "load_balance"), "1");
        assert_eq!(value(row, "scatter"), "1");
        assert!(value(row, "slack_ns").parse::<u64>().unwrap() < 5000);
        assert_eq!(value(row, "instantaneous_parallelism"), "2");
        assert_eq!(value(row, "problems"), "work_deviation");
    }
    assert_ne!(value(2, "identity"), value(3, "identity"));
    let without = csv(place.path(), &["--thresholds", "thesis"]);
    let column = rows[0].iter().position(|column| column == "work_deviation").unwrap();
    assert!(without[1..].iter().all(|row| row[column].is_empty()));
}

#[test]
fn a_report_with_a_baseline_has_inflation_and_its_finding() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), 5);
    record(&place.path().join("b.teff"), 2);
    let report = |words: &[&str]| {
        let output = teff(place.path(), words);
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let class = |report: &serde_json::Value, name: &str| {
        let classes = report["budget"]["classes"].as_array().unwrap().clone();
        classes.into_iter().find(|class| class["name"] == name).map(|class| class["ns"].as_f64().unwrap())
    };
    let alone = report(&["report", "--json", "a.teff"]);
    assert_eq!(class(&alone, "inflation"), None);
    let compared = report(&["report", "--json", "--baseline", "b.teff", "a.teff"]);
    let inflation = class(&compared, "inflation").unwrap();
    assert!((5.99e6..6.01e6).contains(&inflation), "{inflation}");
    let finding = &compared["findings"][0];
    assert_eq!(finding["rule"], "work-inflation", "{compared}");
    assert!((2.99e6..3.01e6).contains(&finding["gain_ns"].as_f64().unwrap()), "{finding}");
}

#[test]
fn a_page_with_a_baseline_has_its_finding() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), 5);
    record(&place.path().join("b.teff"), 2);
    let page = |words: &[&str]| {
        let output = teff(place.path(), &[&["view", "--html", "-"], words].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let finding = "\"rule\":\"work-inflation\"";
    assert!(!page(&["a.teff"]).contains(finding));
    assert!(page(&["--baseline", "b.teff", "a.teff"]).contains(finding));
}
