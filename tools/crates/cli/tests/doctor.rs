// SPDX-License-Identifier: Apache-2.0
//! Tests `teff doctor` as a user sees it, on the machine on which the tests run.

mod common;

use std::fs;

use common::{command, finish, teff, text};
use serde_json::Value;

fn json(words: &[&str]) -> Value {
    let place = tempfile::tempdir().unwrap();
    let output = teff(place.path(), &[&["doctor", "--json"][..], words].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn finding<'a>(document: &'a Value, name: &str) -> &'a Value {
    let findings = document["findings"].as_array().unwrap();
    findings
        .iter()
        .find(|finding| finding["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {findings:?}"))
}

#[test]
fn it_says_what_a_bug_report_needs() {
    let place = tempfile::tempdir().unwrap();
    let output = finish(command(place.path(), &["doctor"]).env("OMP_NUM_THREADS", "100000"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for words in
        [env!("CARGO_PKG_VERSION"), "Linux ", "glibc 2.", "OMP_NUM_THREADS=100000", "asks for 100000 threads"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let names =
        ["affinity", "quota", "stack", "processes", "counters", "ptrace", "seccomp", "directory", "/dev/shm"];
    for name in names {
        assert!(said.lines().any(|line| line.contains(name)), "{name}: {said}");
    }
    assert!(said.lines().all(|line| line.len() <= 100 || line.contains("environment")), "{said}");
}

#[test]
fn it_has_the_same_as_data() {
    let document = json(&[]);
    assert_eq!(document["schema"], "teff-doctor");
    assert_eq!(document["version"], 1);
    assert!(document["about"]["processors_online"].as_u64().unwrap() > 0);
    let findings = document["findings"].as_array().unwrap();
    for finding in findings {
        let state = finding["state"].as_str().unwrap();
        assert!(["ok", "note", "problem"].contains(&state), "{finding}");
        assert_eq!(finding["remedy"].is_string(), state != "ok", "{finding}");
    }
}

#[test]
fn a_missing_runtime_is_a_problem() {
    let document = json(&[]); // in an empty folder
    assert_eq!(finding(&document, "teff run")["state"], "problem");
    assert!(document["about"]["library"].is_null());
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("libgomp.so.1"), "").unwrap();
    let output = teff(place.path(), &["doctor", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(finding(&document, "teff run")["state"], "ok");
}

#[test]
fn a_program_without_openmp_has_no_runtime() {
    let document = json(&["--", "sh", "-c", "true"]);
    assert_eq!(document["runtimes"].as_array().unwrap().len(), 0);
    let says = finding(&document, "runtime")["says"].as_str().unwrap();
    assert!(says.contains("loads no OpenMP runtime"), "{says}");
}

#[test]
fn a_file_that_cannot_be_started_is_a_problem() {
    let document = json(&["--", "/etc/passwd"]);
    assert_eq!(finding(&document, "program")["state"], "problem");
}

#[test]
fn a_runtime_that_the_loader_cannot_load_is_a_problem() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a b");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("libgomp.so.1"), "").unwrap();
    let output = teff(&folder, &["doctor", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let finding = finding(&document, "teff run");
    assert_eq!(finding["state"], "problem");
    assert!(finding["says"].as_str().unwrap().contains("ends at a blank"), "{finding}");
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let output = teff(place.path(), &["doctor", "--", "./absent"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no program ./absent"), "{}", text(&output.stderr));
}
