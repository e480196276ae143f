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
    record_command(path, ms, &["./prog"]);
}

fn record_command(path: &Path, ms: u64, command: &[&str]) {
    let mut meta = RecordingWriter::plain_meta(2);
    meta.command = command.iter().map(|&word| word.to_owned()).collect::<Vec<_>>().into();
    let mut out = RecordingWriter::create(path, 2, &meta).unwrap();
    let root = TaskId::new(0, 1);
    out.put(0, 0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() })).unwrap();
    for ordinal in [2, 3] {
        let task = TaskId::new(0, ordinal);
        let create = Create { task, parent: root, site: 1, cost: 100, flags: 0 };
        out.put(0, ordinal * 1000, Record::Create(create)).unwrap();
    }
    for (stream, ordinal) in [(0, 2), (1, 3)] {
        let task = TaskId::new(0, ordinal);
        let run = Run { task, ticks: ms * MS, cpu: stream, ..Default::default() };
        out.put(stream, 10_000, Record::Run(run)).unwrap();
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

/// The two tasks work 5 ms each, 2 ms in the baseline, on workers whose numbers differ by 1; the
/// initial task works 12 us beside its wait. So two of three grains have 2.5 as their deviation.
#[test]
fn thresholds_are_numbers() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), 5);
    record(&place.path().join("b.teff"), 2);
    let flagged = |threshold: &str| {
        let words = ["--baseline", "b.teff", "--thresholds", "thesis", "--threshold", threshold];
        let metric = threshold.split('=').next().unwrap();
        let rows = csv(place.path(), &words);
        let has = |row: &&Vec<String>| row.last().unwrap().split(' ').any(|problem| problem == metric);
        let in_csv = rows[1..].iter().filter(has).count();
        let all = [&["report", "--json", "--metrics", "a.teff"], &words[..]].concat();
        let output = teff(place.path(), &all);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let problems = report["metrics"]["problems"].as_array().unwrap();
        let problem = problems.iter().find(|problem| problem["metric"] == metric).unwrap().clone();
        assert_eq!(problem["grains"], in_csv, "the report and the CSV agree: {problem}");
        (in_csv, problem)
    };
    for (threshold, truth) in [
        ("work_deviation=2.49", 2),
        ("work_deviation=2.51", 0),
        ("scatter=0.5", 2),
        ("scatter=1", 0),
        ("instantaneous_parallelism=1.5", 0),
        ("load_balance=1", 0),
    ] {
        assert_eq!(flagged(threshold).0, truth, "{threshold}");
    }
    let (_, problem) = flagged("work_deviation=2.25");
    assert_eq!((problem["limit"].as_f64(), problem["side"].as_str()), (Some(2.25), Some("above")));
    let share = |name: &str| problem[name].as_f64().unwrap();
    assert!((share("grains_share") - 2.0 / 3.0).abs() < 1e-9, "{problem}");
    assert!((share("work_share") - 10.0 / 10.006).abs() < 0.005, "{problem}");
}

#[test]
fn thresholds_that_cannot_be_met_are_refused() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), 5);
    let refused = |words: &[&str], because: &str| {
        let output = teff(place.path(), words);
        assert!(!output.status.success());
        assert!(text(&output.stderr).contains(because), "{}", text(&output.stderr));
    };
    let report = ["report", "--metrics", "a.teff", "--threshold"];
    refused(&[&report[..], &["work_deviation=1.2"]].concat(), "--baseline");
    refused(&[&report[..], &["load_balance=0.5"]].concat(), "a number from 1, without a unit");
    refused(&[&report[..], &["benefit=1"]].concat(), "parallel_benefit, load_balance");
    refused(&["report", "a.teff", "--threshold", "load_balance=2"], "--metrics");
    let dot = ["export", "--format", "dot", "-o", "-", "a.teff", "--threshold", "load_balance=2"];
    refused(&dot, "--format csv");
    refused(&["export", "--format", "csv", "-o", "-", "a.teff", "--metrics"], "--format parquet");
}

#[test]
fn tables_have_the_metrics_on_request() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), 5);
    for (folder, words, truth) in [("with", &["--metrics"][..], true), ("without", &[], false)] {
        let all = [&["export", "--format", "parquet", "-o", folder, "a.teff"], words].concat();
        let output = teff(place.path(), &all);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(place.path().join(folder).join("metrics.parquet").exists(), truth, "{folder}");
    }
}

#[test]
fn the_table_of_problems_has_all_metrics_with_their_limits() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), 5);
    let words = ["report", "--metrics", "--thresholds", "thesis", "--threshold", "load_balance=3", "a.teff"];
    let shown = text(&teff(place.path(), &words).stdout);
    let line = |metric: &str| {
        let line = shown.lines().find(|line| line.trim_start().starts_with(metric)).expect(metric);
        line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert!(line("parallel_benefit").ends_with(" below 1 0 0 % 0 %"), "{shown}");
    assert_eq!(line("load_balance"), "1 1 above 3 0 0 % 0 %", "{shown}");
    assert_eq!(line("work_deviation"), "not known", "there is no baseline: {shown}");
    assert_eq!(line("scatter"), "1 1 not judged", "{shown}");
    assert_eq!(line("instantaneous_parallelism"), "3 3 optimistic below 2 0 0 % 0 %", "{shown}");
    let topology = r#"{"format":"teff-topology","version":1,"processors":[
        {"processor":0,"package":0,"core":0},{"processor":1,"package":1,"core":0}]}"#;
    std::fs::write(place.path().join("a.teff/topology.json"), topology).unwrap();
    let shown = text(&teff(place.path(), &words).stdout);
    let scatter = shown.lines().find(|line| line.trim_start().starts_with("scatter")).unwrap();
    assert!(scatter.contains("above 1"), "a package has one core: {shown}");
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

/// The baseline has as many threads: that they disturb each other does not follow.
#[test]
fn inflation_has_a_cause_only_if_the_baseline_is_alike_but_for_its_threads() {
    let place = tempfile::tempdir().unwrap();
    record_command(&place.path().join("a.teff"), 5, &["./prog", "1.5"]);
    record_command(&place.path().join("like.teff"), 2, &["/elsewhere/prog", "1.5"]);
    record_command(&place.path().join("other.teff"), 2, &["./prog", "1"]);
    record_command(&place.path().join("program.teff"), 2, &["./another", "1.5"]);
    let said = |baseline: &str| {
        let output = teff(place.path(), &["report", "--baseline", baseline, "a.teff"]);
        let words = text(&output.stdout) + &text(&output.stderr);
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("work-inflation") && !words.contains("false sharing"), "{words}");
        words
    };
    let words = said("like.teff");
    assert!(words.contains("Why is not known: the baseline has no fewer threads"), "{words}");
    assert!(!words.contains("different arguments"), "{words}");
    let words = said("other.teff");
    assert!(words.contains("runs with different arguments: ./prog 1 and ./prog 1.5."), "{words}");
    assert!(words.contains("the baseline is of another command: ./prog 1"), "{words}");
    let of_diff = teff(place.path(), &["diff", "other.teff", "a.teff"]);
    let of_diff = text(&of_diff.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(of_diff.contains("runs with different arguments: ./prog 1 and ./prog 1.5."), "{of_diff}");
    let words = said("program.teff");
    assert!(words.contains("different programs: another and prog."), "{words}");
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
