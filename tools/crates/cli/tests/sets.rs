// SPDX-License-Identifier: Apache-2.0
//! Tests what `teff report` and `teff diff` print for sets of recordings that are damaged or
//! hostile, or whose runs differ.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Output;

use common::{mkfifo, teff, text};
use serde_json::Value;
use tempfile::{tempdir, TempDir};
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

/// An initial task that creates `tasks` other tasks of `ticks` ticks each, one after another.
fn recording(directory: &Path, program: &str, tasks: u64, ticks: u64) {
    let mut meta = RecordingWriter::plain_meta(1);
    meta.command = vec![program.to_owned()].into();
    let mut out = RecordingWriter::create(directory, 1, &meta).unwrap();
    out.put(0, 0, Record::Site(Site { site: 1, module: 0, call_site: 0x40_0010, function: 0 })).unwrap();
    let initial = TaskId::new(0, 1);
    let create = Create { task: initial, parent: TaskId::NONE, site: 0, cost: 0, flags: IMPLICIT };
    out.put(0, 0, Record::Create(create)).unwrap();
    out.put(0, 0, Record::Start { task: initial, region: RegionId::NONE }).unwrap();
    let mut now = 10_000;
    for number in 0..tasks {
        let task = TaskId::new(0, number + 2);
        out.put(0, now, Record::Create(Create { task, parent: initial, site: 1, cost: 10, flags: 0 }))
            .unwrap();
        let run = Run { task, ticks, cpu: 0, region: RegionId::NONE, flags: 0 };
        let kind = WaitKind::Taskwait;
        let wait = Wait { kind, task: initial, ticks, site: 2, barrier: 0, departures: 0 };
        out.put(0, now + 10, Record::Run(run)).unwrap();
        out.put(0, now + 10, Record::Wait(wait)).unwrap();
        now += 10 + ticks;
    }
    out.put(0, 0, Record::Run(Run { task: initial, ticks: now, ..Default::default() })).unwrap();
    out.end(now).unwrap();
}

/// A manifest of runs (directory, threads, exit status); null stands for none.
fn manifest(directory: &Path, runs: &[(&str, u32, &str)]) {
    let run = |(at, (name, threads, status)): (usize, &(&str, u32, &str))| {
        format!(
            r#"{{"directory": "{name}", "threads": {threads}, "repeat": {}, "exit_status": {status}, "wall_ns": 5}}"#,
            at + 1
        )
    };
    let runs: Vec<_> = runs.iter().enumerate().map(run).collect();
    let head = r#""format": "teff-set", "version": 1, "complete": true, "command": ["./prog"]"#;
    fs::write(directory.join(SET_FILE), format!("{{{head}, \"runs\": [{}]}}", runs.join(","))).unwrap();
}

/// Five runs of 100 tasks, whose lengths differ by a per cent or two.
fn set(directory: &Path, ticks: u64) {
    let names = ["threads-1-1", "threads-1-2", "threads-1-3", "threads-1-4", "threads-1-5"];
    for (name, more) in names.iter().zip([0, 13, 5, 21, 9]) {
        recording(&directory.join(name), "./prog", 100, ticks * (1000 + more) / 1000);
    }
    manifest(directory, &names.map(|name| (name, 1, "0")));
}

fn said(output: &Output) -> String {
    let words = text(&output.stdout) + &text(&output.stderr);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(place: &TempDir, words: &[&str]) -> Value {
    let output = teff(place.path(), words);
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn refused(place: &TempDir, words: &[&str], why: &str) {
    let output = teff(place.path(), words);
    assert!(!output.status.success() && said(&output).contains(why), "{}", said(&output));
}

#[test]
fn runs_that_cannot_be_read_are_named_and_the_others_reported() {
    let place = tempdir().unwrap();
    let directory = place.path().join("s");
    recording(&directory.join("good"), "./prog", 10, 5_000);
    recording(&directory.join("cut"), "./prog", 10, 5_000);
    fs::remove_file(directory.join("cut/end.json")).unwrap();
    recording(&directory.join("bad"), "./prog", 10, 5_000);
    fs::write(directory.join("bad/meta.json"), r#"{"format": "teff-trace", "version": 99}"#).unwrap();
    fs::create_dir(directory.join("empty")).unwrap();
    symlink(directory.join("good"), directory.join("link")).unwrap();
    mkfifo(&directory.join("fifo"));
    recording(&directory.join("failed"), "./prog", 10, 5_000);
    recording(&directory.join("unseen"), "./prog", 10, 5_000);
    let names = ["cut", "bad", "empty", "link", "fifo", "gone", "good"];
    let mut runs = names.map(|name| (name, 1, "0")).to_vec();
    runs.extend([("failed", 2, "1"), ("unseen", 3, "null")]);
    manifest(&directory, &runs);
    let facts = json(&place, &["report", "--json", "s"]);
    assert_eq!(facts["points"].as_array().unwrap().len(), 1);
    assert_eq!(facts["points"][0]["run"], "good");
    let notes = facts["notes"].to_string();
    for (name, why) in [
        ("cut", "Incomplete recording"),
        ("bad", "format version 99"),
        ("empty", "nothing was recorded"),
        ("link", "it is not a directory"),
        ("fifo", "it is not a directory"),
        ("gone", "its directory is not there"),
        ("failed", "exit status was 1"),
        ("unseen", "was not seen to end"),
    ] {
        let found = notes.contains(&format!("{name} is left out: ")) && notes.contains(why);
        assert!(found, "{name}: {notes}");
    }
    let output = teff(place.path(), &["report", "s"]);
    assert!(output.status.success() && said(&output).contains("left out"), "{}", said(&output));
}

#[test]
fn a_manifest_that_leads_elsewhere_is_refused_by_all() {
    let place = tempdir().unwrap();
    recording(&place.path().join("mine"), "./prog", 10, 5_000);
    let directory = place.path().join("s");
    fs::create_dir(&directory).unwrap();
    let absolute = place.path().join("mine").display().to_string();
    for name in ["../mine", &absolute, "..", ""] {
        manifest(&directory, &[(name, 1, "0")]);
        let verbs: [&[&str]; 4] = [
            &["report", "s"],
            &["diff", "s", "mine"],
            &["export", "--format", "csv", "-o", "-", "s"],
            &["predict", "s"],
        ];
        for words in verbs {
            refused(&place, words, "no name of a directory in it");
        }
    }
    fs::write(directory.join(SET_FILE), r#"{"format": "teff-set", "version": 1, "runs": 7}"#).unwrap();
    refused(&place, &["report", "s"], "not the JSON it should be");
    manifest(&directory, &[]);
    refused(&place, &["report", "s"], "no run that can be read");
    refused(&place, &["diff", "mine", "s"], "no run that can be read");
}

#[test]
fn a_set_is_not_written_over() {
    let place = tempdir().unwrap();
    let directory = place.path().join("s");
    recording(&directory.join("run-1"), "./prog", 10, 5_000);
    manifest(&directory, &[("run-1", 1, "0")]);
    for name in ["s/set.json", "s/run-1/meta.json", "s/run-1/stream-0000.bin"] {
        let file = place.path().join(name);
        let before = fs::read(&file).unwrap();
        let junit = ["diff", "--fail-if", "wall>5%", "s", "--junit"];
        for words in [["export", "--format", "csv", "-o"].as_slice(), &["view", "--html"], &junit] {
            refused(&place, &[words, &[name, "s"]].concat(), "is a file of a recording");
            assert_eq!(fs::read(&file).unwrap(), before);
        }
    }
    refused(&place, &["characterise", "-o", "s", "s"], "s is a recording");
    assert!(teff(place.path(), &["export", "--format", "csv", "-o", "s/csv", "s"]).status.success());
}

#[test]
fn names_in_a_manifest_cannot_write_to_the_terminal() {
    let place = tempdir().unwrap();
    let directory = place.path().join("s");
    fs::create_dir(&directory).unwrap();
    manifest(&directory, &[(r"\u001b[2J", 1, "0")]);
    let output = teff(place.path(), &["report", "s"]);
    assert!(!output.status.success() && !said(&output).contains('\u{1b}'), "{}", said(&output));
}

#[test]
fn unlike_runs_are_said_to_be() {
    let place = tempdir().unwrap();
    let directory = place.path().join("s");
    recording(&directory.join("a"), "./prog", 10, 5_000);
    recording(&directory.join("b"), "./other", 10, 5_000);
    manifest(&directory, &[("a", 1, "0"), ("b", 2, "0")]);
    assert!(said(&teff(place.path(), &["report", "s"])).contains("different commands: ./prog and ./other"));
    let words = said(&teff(place.path(), &["diff", "s/a", "s/b"]));
    assert!(words.contains("different programs: prog and other"), "{words}");
}

#[test]
fn what_is_twice_as_slow_is_more_than_noise_and_what_is_the_same_is_none() {
    let place = tempdir().unwrap();
    set(&place.path().join("a"), 50_000);
    set(&place.path().join("b"), 100_000);
    set(&place.path().join("c"), 50_100);
    let slower = json(&place, &["diff", "--json", "a", "b"]);
    let task = |facts: &Value| {
        facts["sites"].as_array().unwrap().iter().find(|site| site["kind"] == "task").unwrap().clone()
    };
    assert_eq!(slower["wall"]["verdict"], "change");
    assert_eq!(
        (&task(&slower)["work"]["verdict"], &task(&slower)["joined"]),
        (&"change".into(), &"address".into())
    );
    assert!((task(&slower)["work"]["ratio"].as_f64().unwrap() - 2.0).abs() < 0.01);
    assert_eq!(task(&slower)["grains"]["matched"], 100);
    let low = slower["wall"]["ratio_low"].as_f64().unwrap();
    assert!((1.9..2.0).contains(&low), "{low}");
    let same = json(&place, &["diff", "--json", "a", "c"]);
    assert_eq!(
        (&same["wall"]["verdict"], &task(&same)["work"]["verdict"]),
        (&"noise".into(), &"noise".into())
    );
    let words = said(&teff(place.path(), &["diff", "--sites", "0", "a", "b"]));
    assert!(
        words.contains("wall time") && !words.contains("Sites,") && !words.contains("--sites"),
        "{words}"
    );
    let words = said(&teff(place.path(), &["diff", "a", "b"]));
    assert!(words.contains("Sites, those that changed"), "{words}");
    assert!(
        words.contains("more than noise (p 0.008") && words.contains("100 %) have a counterpart"),
        "{words}"
    );
}

#[test]
fn limits_are_held_exceeded_undecided_or_not_judged() {
    let place = tempdir().unwrap();
    set(&place.path().join("a"), 50_000);
    set(&place.path().join("b"), 100_000);
    set(&place.path().join("c"), 50_100);
    let status = |words: &[&str]| {
        let output = teff(place.path(), &[&["diff"], words].concat());
        (output.status.code(), said(&output))
    };
    let (code, words) = status(&["--fail-if", "wall>5%", "--fail-if", "locks>5%", "a", "b"]);
    assert_eq!(code, Some(3), "{words}");
    assert!(words.contains("wall>5% exceeded: It changed by +"), "{words}");
    assert!(words.contains("locks>5% held: "), "{words}");
    assert_eq!(status(&["--fail-if", "wall>150%", "a", "b"]).0, Some(0), "it has grown by less");
    let (code, words) = status(&["--fail-if", "wall>0%", "--junit", "x.xml", "a", "c"]);
    assert_eq!(code, Some(0), "it has grown by noise");
    assert!(words.contains("wall>0% undecided: It changed by +"), "{words}");
    assert!(words.contains("which may be noise; with 95 % confidence it is between -"), "{words}");
    let xml = fs::read_to_string(place.path().join("x.xml")).unwrap();
    assert!(xml.contains("errors=\"0\" skipped=\"1\">"), "{xml}");
    assert!(xml.contains("<skipped message=\"It changed by +"), "{xml}");
    assert_eq!(status(&["--fail-if", "wall>0%", "b", "a"]).0, Some(0), "it has shrunk");
    let (code, words) = status(&["--fail-if", "wall>5%", "a/threads-1-1", "b/threads-1-1"]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("not judged: ") && words.contains("record at least 4 runs"), "{words}");
    fs::remove_file(place.path().join("b/threads-1-1/end.json")).unwrap();
    let (code, words) = status(&["--fail-if", "wall>5%", "a/threads-1-1", "b/threads-1-1"]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("a part of a recording is missing"), "{words}");
    refused(&place, &["diff", "--fail-if", "wall>5", "a", "b"], "a limit is METRIC>N%");
    refused(&place, &["diff", "--junit", "x.xml", "a", "b"], "--fail-if");
}

#[test]
fn machines_read_the_limits() {
    let place = tempdir().unwrap();
    set(&place.path().join("a"), 50_000);
    set(&place.path().join("b<"), 100_000);
    let limits = ["diff", "--fail-if", "wall>5%", "--fail-if", "serial>5%", "--junit", "x.xml"];
    let output = teff(place.path(), &[limits.as_slice(), &["--markdown", "a", "b<"]].concat());
    let words = said(&output);
    assert!(words.contains("| wall time | ") && words.contains("| **yes** (p 0.008) |"), "{words}");
    assert!(words.contains("- `wall>5%` **exceeded**: It changed by +"), "{words}");
    let xml = fs::read_to_string(place.path().join("x.xml")).unwrap();
    assert!(
        xml.contains("<testsuite name=\"teff diff a b&lt;\" tests=\"2\" failures=\"1\" errors=\"0\""),
        "{xml}"
    );
    assert!(xml.contains("<testcase classname=\"teff.diff\" name=\"wall&gt;5%\">"), "{xml}");
    assert!(xml.contains("<failure message=\"It changed by +"), "{xml}");
    let output = teff(place.path(), &[limits.as_slice(), &["--json", "a", "b<"]].concat());
    let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
    let outcomes: Vec<_> =
        facts["limits"].as_array().unwrap().iter().map(|limit| &limit["outcome"]).collect();
    assert_eq!((outcomes, output.status.code()), (vec![&"exceeded".into(), &"held".into()], Some(3)));
}

#[test]
fn numbers_of_threads_are_chosen_or_asked_for() {
    let place = tempdir().unwrap();
    for (name, threads) in [("a", [1, 2]), ("b", [2, 4]), ("c", [8, 16])] {
        let directory = place.path().join(name);
        recording(&directory.join("x"), "./prog", 10, 5_000);
        recording(&directory.join("y"), "./prog", 10, 5_000);
        manifest(&directory, &[("x", threads[0], "0"), ("y", threads[1], "0")]);
    }
    let threads = |words: &[&str]| {
        let facts = json(&place, &[&["diff", "--json"], words].concat());
        (facts["before"]["threads"].clone(), facts["after"]["threads"].clone())
    };
    assert_eq!(threads(&["a", "b"]), (2.into(), 2.into()));
    assert_eq!(threads(&["a", "c", "--threads", "1,16"]), (1.into(), 16.into()));
    assert_eq!(threads(&["a", "a/y"]), (1.into(), Value::Null), "the recording is of one thread");
    refused(&place, &["diff", "a", "c"], "no number of threads in common");
    refused(&place, &["diff", "a", "b", "--threads", "4"], "has no run on 4 threads");
    refused(&place, &["diff", "a/x", "b/x", "--threads", "4"], "these are two recordings");
    refused(&place, &["diff", "a", "b", "--threads", "1,2,3"], "one for each side");
    refused(&place, &["diff", "a", "absent"], "absent");
}

#[test]
fn the_same_run_stands_for_a_set_wherever_one_is_looked_at() {
    let place = tempdir().unwrap();
    let directory = place.path().join("s");
    let names = ["long", "cut", "short", "middle"];
    for (name, tasks) in names.iter().zip([30, 5, 10, 20]) {
        recording(&directory.join(name), "./prog", tasks, 5_000);
    }
    fs::remove_file(directory.join("cut/end.json")).unwrap();
    manifest(&directory, &names.map(|name| (name, 1, "0")));
    assert_eq!(json(&place, &["report", "--json", "s"])["points"][0]["run"], "middle");
    let diff = json(&place, &["diff", "--json", "s", "s"]);
    assert!(diff["before"]["median_run"].as_str().unwrap().ends_with("middle"), "{}", diff["before"]);
    let words = said(&teff(place.path(), &["export", "--format", "csv", "-o", "x", "s"]));
    assert!(words.contains("this is middle, the median of its runs"), "{words}");
}

/// Two processes of one program; the second one has most work on two threads.
fn set_of_two_processes(directory: &Path) {
    let names = ["threads-1-1", "threads-2-1"];
    for (name, of_second) in names.iter().zip([5, 40]) {
        recording(&directory.join(name), "./prog", 10, 5_000);
        recording(&directory.join(name).join("process-7"), "./prog", of_second, 5_000);
    }
    manifest(directory, &[(names[0], 1, "0"), (names[1], 2, "0")]);
}

#[test]
fn a_process_is_found_by_its_name_in_the_recording_s_folder() {
    let place = tempdir().unwrap();
    set_of_two_processes(&place.path().join("s"));
    let run = place.path().join("s/threads-1-1");
    for (from, name) in [(run.clone(), "process-7"), (run.join("process-7"), ".")] {
        let output = teff(&from, &["export", "--format", "csv", "-o", "-", name]);
        assert!(output.status.success(), "{name}: {}", said(&output));
    }
}

#[test]
fn of_several_processes_the_same_one_is_compared_in_all_runs() {
    let place = tempdir().unwrap();
    set_of_two_processes(&place.path().join("s"));
    let facts = json(&place, &["report", "--json", "s"]);
    let grains: Vec<_> = (0..2).map(|at| facts["points"][at]["runs"][0]["grains"].clone()).collect();
    assert_eq!(grains, [11, 11], "10 tasks and the initial one");
    assert!(
        facts["notes"][0].as_str().unwrap().contains("2 processes: the one with the most work"),
        "{facts}"
    );
    let facts = json(&place, &["diff", "--json", "s", "s", "--threads", "1,2"]);
    assert_eq!((&facts["before"]["grains"], &facts["after"]["grains"]), (&11.into(), &11.into()));
    assert!(facts["notes"].to_string().contains("2 processes: the one with the most work"), "{facts}");
    recording(&place.path().join("t"), "./other", 10, 5_000);
    let facts = json(&place, &["diff", "--json", "t", "s/threads-2-1"]);
    assert_eq!(facts["after"]["grains"], 41);
    assert!(
        facts["notes"].to_string().contains("no process that corresponds to the one compared"),
        "{facts}"
    );
}

#[test]
fn programs_are_named_with_their_blanks() {
    let place = tempdir().unwrap();
    recording(&place.path().join("a"), "/my dir/prog one", 10, 5_000);
    recording(&place.path().join("b"), "/my dir/prog two", 10, 5_000);
    let words = said(&teff(place.path(), &["diff", "a", "b"]));
    assert!(words.contains("different programs: prog one and prog two"), "{words}");
}

#[test]
fn there_are_fewer_clusters_than_programs() {
    let place = tempdir().unwrap();
    for (name, tasks) in [("a", 10), ("b", 20), ("c", 40)] {
        recording(&place.path().join(name), &format!("./{name}"), tasks, 500 * tasks * tasks);
    }
    let words = ["characterise", "a", "b", "c", "--clusters"];
    for number in ["3", "99"] {
        let why = format!("--clusters {number} is too many for 3 programs and inputs: give at most 2.");
        refused(&place, &[&words[..], &[number]].concat(), &why);
    }
    let output = teff(place.path(), &[&words[..], &["2"]].concat());
    assert!(said(&output).contains("Clusters (Ward, of autoscaled scores): 2"), "{}", said(&output));
}

#[test]
fn runs_that_all_failed_are_said_to() {
    let place = tempdir().unwrap();
    let directory = place.path().join("s");
    recording(&directory.join("a"), "./prog", 10, 5_000);
    recording(&directory.join("b"), "./prog", 10, 5_000);
    manifest(&directory, &[("a", 1, "3"), ("b", 1, "4")]);
    let note = "failed in all runs, with exit status 3, 4";
    for words in [&["report", "s"][..], &["diff", "s", "s"], &["report", "--json", "s"]] {
        let words = said(&teff(place.path(), words));
        assert_eq!(words.matches(note).count(), 1, "{words}");
    }
    manifest(&directory, &[("a", 1, "3"), ("b", 1, "0"), ("gone", 1, "0")]);
    assert!(!said(&teff(place.path(), &["report", "s"])).contains(note));
    let words = said(&teff(place.path(), &["diff", "s", "s"]));
    assert_eq!(words.matches("gone is left out").count(), 1, "{words}");
}

#[test]
fn an_error_of_several_causes_has_no_escaped_line_breaks() {
    let place = tempdir().unwrap();
    fs::create_dir(place.path().join("s")).unwrap();
    manifest(&place.path().join("s"), &[("a", 1, "0"), ("b", 1, "0")]);
    let words = said(&teff(place.path(), &["report", "s"]));
    assert!(words.contains("a is left out") && words.contains("b is left out"), "{words}");
    assert!(!words.contains(r"\n"), "{words}");
}

#[test]
fn what_is_in_no_construct_is_no_construct_that_was_joined() {
    let place = tempdir().unwrap();
    recording(&place.path().join("a"), "./prog", 0, 5_000);
    let joined = json(&place, &["diff", "--json", "a", "a"])["joined"].clone();
    assert_eq!((&joined["by_address"], &joined["constructs"]), (&0.into(), &0.into()));
    assert!(said(&teff(place.path(), &["diff", "a", "a"])).contains("constructs none."));
}
