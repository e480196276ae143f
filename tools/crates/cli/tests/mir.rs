// SPDX-License-Identifier: Apache-2.0
//! Tests that a profile of MIR is converted to a recording, and a recording to a profile of MIR.

mod common;

use std::collections::HashMap;
use std::fs;

use common::{teff, text};
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

/// A task on processor 4 creates two; it runs the second one while it waits for both. Of its 1000
/// cycles 100 and 150 are for creating them, 350 for the wait.
const PROFILE: &str =
    "task,parent,joins_at,cpu_id,child_number,num_children,exec_cycles,creation_cycles,overhead_cycles,\
queue_size,create_instant,exec_end_instant,tag,metadata,outline_function,wait_instants
1,0,0,4,1,2,1000,50,600,0,0,3000,root,NA,4096,[0;900]
2,1,0,9,1,0,700,100,0,1,200,2700,left,NA,4196,[0]
3,1,0,4,2,0,500,150,0,1,400,2500,right,NA,4296,[0]
7,NA,0,0,0,0,0,0,0,0,0,0,idle,NA,0,[0]
";

fn imported(profile: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("mir-task-stats"), profile).unwrap();
    let output = teff(place.path(), &["import", "--format", "mir", "mir-task-stats", "-o", "a.teff"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    place
}

#[test]
fn a_profile_becomes_a_recording() {
    let place = imported(PROFILE);
    let report = teff(place.path(), &["report", "--json", "a.teff"]);
    let facts: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(facts["grains"]["tasks"], 3);
    assert_eq!((facts["wall_ns"].as_f64(), facts["work_ns"].as_f64()), (Some(3000.0), Some(1600.0)));
    // 100 until the first child is created, its 700, 100 behind the wait
    assert_eq!(facts["span_ns"], 900.0);
}

#[test]
fn what_a_profile_says_comes_out_again() {
    let place = imported(PROFILE);
    let output = teff(place.path(), &["export", "--format", "mir", "a.teff", "-o", "-"]);
    let csv = text(&output.stdout);
    let mut lines =
        csv.lines().map(|line| line.split(',').map(|word| word.trim_matches('"')).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<HashMap<&str, &str>> = lines.map(|row| header.iter().copied().zip(row).collect()).collect();
    let of = |lineage: &str, columns: &[&str]| -> Vec<String> {
        let row = rows
            .iter()
            .find(|row| row["lineage"] == lineage)
            .unwrap_or_else(|| panic!("no {lineage}:\n{csv}"));
        columns.iter().map(|column| row[column].to_owned()).collect()
    };
    let raw = ["exec_cycles", "creation_cycles", "overhead_cycles", "exec_end_instant", "work_cycles"];
    // The program itself is the root.
    assert_eq!(of("R-1-1", &raw), ["1000", "50", "600", "3000", "400"]);
    assert_eq!(of("R-1-1-1", &raw), ["700", "100", "0", "2700", "700"]);
    assert_eq!(of("R-1-1-2", &raw), ["500", "150", "0", "2500", "500"]);
    assert_eq!(of("R-1-1", &["wait_instants", "num_children", "outline_function"]), ["[0;900]", "2", "4096"]);
    let derived =
        ["create_instant", "sync_cycles_per_child", "sibling_work_balance", "sibling_scatter", "leaf"];
    // (600 - 250) / 2, 700 / 600; processors 4 and 9 have the streams 0 and 1
    assert_eq!(of("R-1-1-1", &derived), ["200", "175", "1.1666666666666667", "1", "TRUE"]);
    let benefit: f64 = of("R-1-1-2", &["parallel_benefit"])[0].parse().unwrap();
    assert!((benefit - 500.0 / 325.0).abs() < 1e-12, "{benefit}");
}

#[test]
fn what_is_no_profile_is_named_with_its_line() {
    let place = tempfile::tempdir().unwrap();
    let far = PROFILE.replace(",3000,", ",18446744073709551615,");
    let bad = PROFILE.replace("9,1,0,700", "9,1,0,seven");
    for (profile, parts) in [
        (bad.as_str(), ["line 3: exec_cycles is", "mir-task-stats"]),
        ("a,b\n1,2\n", ["there is no column task", "line 1"]),
        ("", ["line 1: it is empty", "p.csv"]),
        (far.as_str(), ["its times or processors are too many", "cannot write"]),
    ] {
        fs::write(place.path().join("p.csv"), profile).unwrap();
        let output = teff(place.path(), &["import", "--format", "mir", "p.csv", "-o", "a.teff"]);
        let message = text(&output.stderr);
        assert!(!output.status.success() && parts.iter().all(|part| message.contains(part)), "{message}");
        assert!(!place.path().join("a.teff").exists(), "nothing is left behind");
    }
}

#[test]
fn a_fifo_is_refused_and_not_waited_for() {
    let place = tempfile::tempdir().unwrap();
    common::mkfifo(&place.path().join("p.csv"));
    let output = teff(place.path(), &["import", "--format", "mir", "p.csv", "-o", "a.teff"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("not a regular file"), "{}", text(&output.stderr));
}

#[test]
fn times_that_cannot_be_are_no_panic() {
    for (from, to) in [
        ("1,0,0,4,1,2,1000", "1,3,0,4,1,2,1000"), // a circle of parents
        ("1000,50,600", "1000000,50,999999"),     // longer than there was time
        ("[0;900]", "[0;5;99999;3]"),
        ("400,2500", "4000000,2500"),
        (",2700,", ",0,"),
    ] {
        let place = imported(&PROFILE.replace(from, to));
        for words in [&["report", "a.teff"][..], &["export", "--format", "mir", "a.teff", "-o", "-"]] {
            let output = teff(place.path(), words);
            assert!(matches!(output.status.code(), Some(0 | 3)), "{from}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn the_members_of_a_team_are_children_of_the_task_that_met_the_region() {
    let place = tempfile::tempdir().unwrap();
    let (region, root) = (RegionId::new(0, 1), TaskId::new(0, 1));
    let mut out =
        RecordingWriter::create(&place.path().join("a.teff"), 2, &RecordingWriter::plain_meta(2)).unwrap();
    let create = Create { task: root, flags: IMPLICIT, ..Default::default() };
    out.put(0, 0, Record::Create(create)).unwrap();
    let begin = Region { region, parent: root, threads: 2, requested: 2, level: 1, site: 0 };
    out.put(0, 10, Record::Region(begin)).unwrap();
    for (stream, task) in [(0, TaskId::new(0, 2)), (1, TaskId::new(1, 1))] {
        out.put(stream, 10, Record::Create(Create { task, parent: root, ..create })).unwrap();
        out.put(stream, 10, Record::Run(Run { task, region, ticks: 30, ..Default::default() })).unwrap();
    }
    out.put(0, 50, Record::RegionEnd { region }).unwrap();
    out.put(0, 0, Record::Run(Run { task: root, ticks: 60, ..Default::default() })).unwrap();
    out.end(60).unwrap();
    let csv = text(&teff(place.path(), &["export", "--format", "mir", "a.teff", "-o", "-"]).stdout);
    let mut lineages: Vec<_> = csv.split('"').filter(|word| word.starts_with("R-")).collect();
    lineages.sort_unstable();
    assert_eq!(lineages, ["R-1", "R-1-1", "R-1-2"]);
}
