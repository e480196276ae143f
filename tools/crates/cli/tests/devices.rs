// SPDX-License-Identifier: Apache-2.0
//! Tests of what the verbs make of a recording of a host and its devices.

mod common;

use std::fs;
use std::path::Path;

use common::{teff, text};
use serde_json::Value;
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

const EXPORTS: &str = include_str!("../../../../docs/formats/exports.md");
const DIFF: &str = include_str!("../../../../docs/formats/diff.md");

fn new(path: &Path, meta: Meta) -> RecordingWriter {
    let meta = Meta { device_transport: Some("sockets".to_owned()), devices: Some(2), ..meta };
    let mut out = RecordingWriter::create(path, 1, &meta).unwrap();
    let create = Create { task: TaskId::new(0, 1), flags: IMPLICIT, ..Default::default() };
    out.put(0, 0, Record::Create(create)).unwrap();
    out
}

fn end(mut out: RecordingWriter, end: u64) {
    let run = Run { task: TaskId::new(0, 1), ticks: end, ..Default::default() };
    out.put(0, 0, Record::Run(run)).unwrap();
    out.end(end).unwrap();
}

/// A host whose thread waits for a region on each of two devices, the second of which ran for
/// `ran_ns`, and then copies 1,000 bytes from one device to the other.
fn host(path: &Path, ran_ns: u64) {
    let mut out = new(path, RecordingWriter::plain_meta(2));
    let mut put = |at, construct, device, bytes_to, ran_ns| {
        let device = Device {
            task: TaskId::new(0, 1),
            device,
            bytes_to,
            construct,
            prepared: 2_000,
            there: 6_000 + ran_ns,
            received: 2_000,
            ran_ns,
            ..Default::default()
        };
        out.put(0, at, Record::Device(device)).unwrap();
    };
    put(10_000, DeviceConstruct::Target, 0, 500, 100_000);
    put(130_000, DeviceConstruct::Target, 1, 500, ran_ns);
    for (device, bytes) in [(0, 0), (1, 1_000)] {
        put(600_000, DeviceConstruct::Routine, device, bytes, 0);
    }
    end(out, 700_000);
}

/// The devices `devices`, as processes of that recording. The first one does more than the host.
fn devices(path: &Path, devices: &[u32]) {
    for &device in devices {
        let process = path.join(format!("process-{}", 10 + device));
        let meta =
            Meta { device: Some(device), pid: 10 + u64::from(device), ..RecordingWriter::plain_meta(2) };
        end(new(&process, meta), 900_000 + u64::from(device));
    }
}

#[test]
fn constructs_on_devices_are_a_table() {
    let place = tempfile::tempdir().unwrap();
    host(&place.path().join("a.teff"), 100_000);
    let output = teff(place.path(), &["export", "--format", "devices", "-o", "-", "a.teff"]);
    let out = text(&output.stdout);
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split(',').collect()).collect();
    assert!(output.status.success() && rows.iter().all(|row| row.len() == rows[0].len()), "{out}");
    for name in &rows[0] {
        assert!(EXPORTS.contains(&format!("`{name}`")), "{name} is not in docs/formats/exports.md");
    }
    let of = |name: &str| {
        let at = rows[0].iter().position(|column| *column == name).unwrap();
        rows[1..].iter().map(|row| row[at]).collect::<Vec<_>>()
    };
    assert_eq!(of("device"), ["0", "0", "1", "1"]);
    assert_eq!(of("kind"), ["target", "memory routine", "target", "memory routine"]);
    assert_eq!(of("other_device"), ["", "1", "", "0"]);
    assert_eq!(of("bytes_to"), ["500", "0", "500", "1000"]);
    assert_eq!(of("transfer_ns"), ["8000"; 4]);
    assert_eq!(of("run_begin_ns"), ["18000", "", "138000", ""]);
    assert_eq!((of("run_ns"), of("wait_ns")), (vec!["100000", "0", "100000", "0"], vec!["0"; 4]));
    assert_eq!(of("end_ns"), ["120000", "610000", "240000", "610000"]);
    let output = teff(place.path(), &["export", "--format", "taskgraph", "-o", "-", "a.teff"]);
    assert!(!output.status.success() && text(&output.stderr).contains("modelled machines have none"));
    let output = teff(place.path(), &["export", "--format", "parquet", "-o", "tables", "a.teff"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(place.path().join("tables/device_constructs.parquet").is_file());
}

#[test]
fn without_devices_there_is_no_table() {
    let place = tempfile::tempdir().unwrap();
    end(new(&place.path().join("a.teff"), RecordingWriter::plain_meta(2)), 9);
    let output = teff(place.path(), &["export", "--format", "devices", "-o", "-", "a.teff"]);
    assert!(!output.status.success() && text(&output.stderr).contains("no construct ran on a device"));
    let output = teff(place.path(), &["export", "--format", "parquet", "-o", "tables", "a.teff"]);
    assert!(output.status.success() && !place.path().join("tables/device_constructs.parquet").exists());
}

#[test]
fn comparisons_have_the_constructs_of_each_device() {
    let place = tempfile::tempdir().unwrap();
    host(&place.path().join("a.teff"), 100_000);
    host(&place.path().join("b.teff"), 300_000);
    let output = teff(place.path(), &["diff", "--json", "a.teff", "b.teff"]);
    let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = facts["devices"].as_array().unwrap();
    assert_eq!(rows.len(), 4, "{rows:?}");
    // The largest change comes first.
    let first = &rows[0];
    assert_eq!((&first["device"], &first["construct"]), (&1.into(), &"target".into()));
    let ran = |side: &str| first[side]["running_ns"].as_f64();
    assert_eq!((ran("before"), ran("after")), (Some(100e3), Some(300e3)));
    for name in first.as_object().unwrap().keys() {
        assert!(DIFF.contains(&format!("`{name}`")), "{name} is not in docs/formats/diff.md");
    }
    devices(&place.path().join("a.teff"), &[0, 1]);
    let output = text(&teff(place.path(), &["diff", "--json", "a.teff", "b.teff"]).stdout);
    assert!(output.contains("a.teff has 3 processes: the host of the devices is compared"), "{output}");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let output = text(&teff(place.path(), &["diff", "a.teff", "b.teff"]).stdout);
    assert!(output.lines().any(|line| words(line).ends_with(" 8.00 us 100 us -> 300 us")), "{output}");
    let output = text(&teff(place.path(), &["diff", "--markdown", "a.teff", "b.teff"]).stdout);
    assert!(output.contains(" | 1 | target | 1 | 500 B | 0 B | 8.00 us | 100 us -> 300 us |"), "{output}");
}

/// The process that is shown is the host, also if a device has more work.
#[test]
fn a_device_without_a_recording_is_named() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.teff");
    host(&path, 100_000);
    devices(&path, &[0, 1]);
    let output = teff(place.path(), &["report", "--json", "a.teff"]);
    let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success() && facts["devices"].is_object(), "{}", text(&output.stderr));
    fs::remove_dir_all(path.join("process-11")).unwrap();
    for words in
        [&["report"][..], &["predict", "--devices", "2"], &["export", "--format", "devices", "-o", "-"]]
    {
        let output = teff(place.path(), &[words, &["a.teff"]].concat());
        let all = text(&output.stdout) + &text(&output.stderr);
        assert!(
            all.contains("device 1 ran regions and left no recording that can be read"),
            "{words:?}: {all}"
        );
        assert_eq!(output.status.code(), Some(3), "{words:?}: {all}");
    }
}

#[test]
fn a_host_without_a_recording_is_said_to_be_missing() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.teff");
    devices(&path, &[0, 1]);
    for words in [&["report"][..], &["export", "--format", "parquet", "-o", "tables"]] {
        let output = teff(place.path(), &[words, &["a.teff"]].concat());
        let all = text(&output.stdout) + &text(&output.stderr);
        assert!(
            all.contains("the host's part of this recording is missing: this is device 1"),
            "{words:?}: {all}"
        );
        assert_eq!(output.status.code(), Some(3), "{words:?}: {all}");
    }
    let output = teff(place.path(), &["report", "--process", "10", "a.teff"]);
    assert!(output.status.success(), "a device that was chosen is no surprise");
}

/// Over MPI, the recording of a device's rank may be opened without the others.
#[test]
fn a_device_that_is_opened_alone_says_whose_times_it_has() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.teff");
    devices(&path, &[1]);
    let line = "the times of device 1 count from its own start, by its own clock: nothing here compares it with the \
                host's.";
    let output = text(&teff(place.path(), &["report", "a.teff/process-11"]).stdout);
    assert_eq!(output.lines().filter(|shown| *shown == line).count(), 1, "{output}");
    let facts: Value =
        serde_json::from_slice(&teff(place.path(), &["report", "--json", "a.teff/process-11"]).stdout)
            .unwrap();
    assert!(facts["notes"].as_array().unwrap().contains(&line.into()), "{}", facts["notes"]);
    let words = ["export", "--format", "csv", "-o", "-", "a.teff/process-11"];
    assert!(text(&teff(place.path(), &words).stderr).contains(line));
    host(&path, 100_000);
    assert!(!text(&teff(place.path(), &["report", "a.teff"]).stdout).contains("its own clock"));
    let of_device = text(&teff(place.path(), &["report", "--process", "11", "a.teff"]).stdout);
    assert!(of_device.contains(line), "the host has not compared them: {of_device}");
}

/// A host that was killed before its first construct had ended, beside a device that has work.
#[test]
fn a_host_that_was_killed_early_is_still_the_host() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.teff");
    new(&path, RecordingWriter::plain_meta(2)).killed().unwrap();
    devices(&path, &[0]);
    let output = teff(place.path(), &["report", "--json", "a.teff"]);
    let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
    let shown: Vec<_> =
        facts["processes"].as_array().unwrap().iter().filter(|process| process["shown"] == true).collect();
    assert!(shown.len() == 1 && shown[0]["device"].is_null(), "{shown:?}");
    let said = text(&teff(place.path(), &["predict", "--devices", "2", "a.teff"]).stderr);
    assert!(said.contains("it ends before the first one had ended"), "{said}");
    let said = text(&teff(place.path(), &["predict", "--devices", "2", "--process", "10", "a.teff"]).stderr);
    assert!(said.contains("is device 0. Predict from the host"), "{said}");
}
