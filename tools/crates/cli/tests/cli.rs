// SPDX-License-Identifier: Apache-2.0
//! Tests the program as a user sees it: its output, its messages, its exit status.

mod common;

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use common::{copy_program, finish, teff, text};
use tempfile::TempDir;
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

/// A root of 30 us with two children of 40 and 10 us; the second one is not worth its cost of 20
/// us.
fn recording(directory: &Path, complete: bool) {
    let meta = RecordingWriter::plain_meta(2);
    let mut out = RecordingWriter::create(directory, 2, &meta).unwrap();
    let (root, large, small) = (TaskId::new(0, 1), TaskId::new(0, 2), TaskId::new(0, 3));
    let site = |site, call_site| Record::Site(Site { site, module: 0, call_site, function: 0 });
    let create = |task, parent, site, cost, flags| Record::Create(Create { task, parent, site, cost, flags });
    let run = |task, ticks| Record::Run(Run { task, ticks, cpu: 0, ..Default::default() });
    out.put(0, 0, site(1, 0x1001)).unwrap();
    out.put(0, 0, site(2, 0x2001)).unwrap();
    out.put(0, 0, create(root, TaskId::NONE, 0, 0, IMPLICIT)).unwrap();
    out.put(0, 0, Record::Start { task: root, region: RegionId::NONE }).unwrap();
    out.put(0, 10_000, create(large, root, 1, 1_000, 0)).unwrap();
    out.put(0, 11_000, create(small, root, 2, 20_000, 0)).unwrap();
    out.put(1, 12_000, run(large, 40_000)).unwrap();
    out.put(0, 31_000, run(small, 10_000)).unwrap();
    let wait =
        Wait { kind: WaitKind::Taskwait, task: root, ticks: 22_000, site: 1, barrier: 0, departures: 0 };
    out.put(0, 31_000, Record::Wait(wait)).unwrap();
    out.put(0, 0, run(root, 73_000)).unwrap();
    if complete {
        out.end(80_000).unwrap();
    } else {
        out.killed().unwrap();
    }
}

fn place_with_recording(complete: bool) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    recording(&place.path().join("a.teff"), complete);
    place
}

#[test]
fn report_says_where_the_time_went() {
    let place = place_with_recording(true);
    let output = teff(place.path(), &["report", "a.teff"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    for line in [
        "./prog arg",
        "  wall time         80.0 us   2 workers on 2 processors",
        "  work              80.0 us    50 %   in the program's own code",
        "  creation          21.0 us    13 %   creating tasks",
        "  span              70.0 us   the longest path with this schedule; 70.0 us with any",
        "  parallelism          1.14   work / span with this schedule; 1.14 with any",
        "  grains                  3   2 tasks, 1 initial",
        "0x1000                         task         1  40.0 us   50 %  40.0 us",
    ] {
        assert!(report.contains(line), "no '{line}' in:\n{report}");
    }
    let low = report.split("Low parallel benefit").nth(1).expect("a table of low benefit");
    assert!(low.contains("0x2000") && !low.contains("0x1000"), "{low}");
    assert!(report.lines().all(|line| line.chars().count() <= 100), "{report}");
    assert!(!report.contains('\x1b'), "colours on something that is no terminal");
    assert!(!report.contains("By priority"), "there are no priorities");
    assert!(!report.contains("How far to trust"), "there is nothing to say:\n{report}");
}

#[test]
fn no_sites_have_no_tables() {
    let place = place_with_recording(true);
    let report = text(&teff(place.path(), &["report", "--sites", "0", "a.teff"]).stdout);
    assert!(report.contains("wall time"), "{report}");
    for words in ["Work by site", "Low parallel benefit", "see --sites N"] {
        assert!(!report.contains(words), "{report}");
    }
}

#[test]
fn report_says_how_far_to_trust_it() {
    let place = tempfile::tempdir().unwrap();
    let mut out =
        RecordingWriter::create(&place.path().join("a.teff"), 2, &RecordingWriter::plain_meta(1)).unwrap();
    let root = TaskId::new(0, 1);
    out.put(0, 0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() })).unwrap();
    out.put(0, 20_000, Record::Recorder { ticks: 16_000 }).unwrap();
    out.put(0, 0, Record::Run(Run { task: root, ticks: 100_000, ..Default::default() })).unwrap();
    out.end(100_000).unwrap();

    let report = teff(place.path(), &["report", "a.teff"]);
    let report = text(&report.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "How far to trust these numbers - 2 workers shared 1 processor: with a task to run they were without a processor for 0 ns, 0 %",
        "- Recording took 16.0 us, 8.0 % of the workers' time: 16.0 us a grain,",
    ] {
        assert!(report.contains(line), "no '{line}' in: {report}");
    }
    let json = teff(place.path(), &["report", "--json", "a.teff"]);
    let facts: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let quality = &facts["quality"];
    assert_eq!((&quality["oversubscribed"], &quality["recorder_ns"]), (&true.into(), &16_000.0.into()));
    assert_eq!((&quality["recorder_share"], &quality["lost_records"]), (&0.08.into(), &0.into()));
    assert_eq!((&quality["records"], &quality["cpu_ns"]), (&3.into(), &serde_json::Value::Null));
    assert!(quality["bytes_per_grain"].as_f64().unwrap() > 100.0, "{quality}");
}

#[test]
fn report_says_how_long_tasks_of_each_priority_were_ready() {
    let place = tempfile::tempdir().unwrap();
    let mut out =
        RecordingWriter::create(&place.path().join("a.teff"), 1, &RecordingWriter::plain_meta(2)).unwrap();
    let task = |ordinal| TaskId::new(0, ordinal);
    let create = |ordinal, parent, flags| {
        Record::Create(Create { task: task(ordinal), parent, flags, ..Default::default() })
    };
    out.put(0, 0, create(1, TaskId::NONE, IMPLICIT)).unwrap();
    out.put(0, 0, Record::Start { task: task(1), region: RegionId::NONE }).unwrap();
    for ordinal in 2..102 {
        let priority = if ordinal < 92 { 4 } else { 0 };
        if priority > 0 {
            out.put(0, 1_000, Record::Priority { task: task(ordinal), priority }).unwrap();
        }
        out.put(0, 1_000, create(ordinal, task(1), 0)).unwrap();
        let run = Run { task: task(ordinal), ticks: 1_000, ..Default::default() };
        out.put(0, ordinal * 1_000, Record::Run(run)).unwrap();
    }
    let preempted =
        Wait { kind: WaitKind::Preempted, task: task(101), ticks: 500, site: 0, barrier: 0, departures: 1 };
    out.put(0, 101_100, Record::Wait(preempted)).unwrap();
    let request = Request { task: task(101), ticks: 50, priority: 4, end: RequestEnd::Preempted };
    out.put(0, 101_050, Record::Request(request)).unwrap();
    let suspended = Wait { kind: WaitKind::Taskwait, departures: 3, ..preempted };
    out.put(0, 101_700, Record::Wait(suspended)).unwrap();
    out.put(0, 0, Record::Run(Run { task: task(1), ticks: 110_000, ..Default::default() })).unwrap();
    out.end(110_000).unwrap();

    let report = text(&teff(place.path(), &["report", "a.teff"]).stdout);
    assert!(report.lines().all(|line| line.chars().count() <= 100), "{report}");
    let rows = |title: &str| -> Vec<String> {
        let section = report.split(title).nth(1).expect("a table of priorities");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        section.lines().skip(1).take(3).map(words).collect()
    };
    assert_eq!(
        rows("By priority"),
        [
            "priority tasks to run: median 99 % max to end: median 99 % max overtaken",
            "4 90 45.0 us 90.0 us 90.0 us 46.0 us 91.0 us 91.0 us 0",
            "0 10 95.0 us 100 us 100 us 96.0 us 101 us 101 us 0",
        ]
    );
    assert_eq!(
        rows("Preemptions of tasks"),
        [
            "priority preempted away preempting switch 99 % gained in all asked wasted",
            "4 0 - 0 - - - - 1 0",
            "0 1 500 ns 0 - - - - 0 0",
        ]
    );

    let json = teff(place.path(), &["report", "--json", "a.teff"]);
    let facts: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(facts["priorities"][0]["p90_ns"], 81_000.0);
    assert_eq!(facts["priorities"][1]["preempted"], 1);
}

#[test]
fn report_as_json() {
    let place = place_with_recording(true);
    let output = teff(place.path(), &["report", "--json", "a.teff"]);
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(facts["work_ns"], 80_000.0);
    assert_eq!(facts["span_ns"], 70_000.0);
    assert_eq!(facts["span_any_schedule_ns"], 70_000.0);
    assert_eq!(facts["parallelism_any_schedule"], 80.0 / 70.0);
    assert_eq!(facts["grains"]["low_benefit"], 1);
    assert_eq!(facts["complete"], true);
}

#[test]
fn an_incomplete_recording_is_reported_as_such() {
    let place = place_with_recording(false);
    let output = teff(place.path(), &["report", "a.teff"]);
    let report = text(&output.stdout);
    assert!(report.starts_with("Incomplete recording: the program did not end normally"), "{report}");
    assert!(report.contains("Findings are withheld"), "{report}");
    assert_eq!(output.status.code(), Some(3));
    let output = teff(place.path(), &["report", "--partial", "a.teff"]);
    assert!(!text(&output.stdout).contains("withheld"), "{}", text(&output.stdout));
}

#[test]
fn messages_say_what_where_and_what_to_do() {
    let place = place_with_recording(true);
    let fails = |words: &[&str], parts: &[&str]| {
        let output = teff(place.path(), words);
        let message = text(&output.stderr);
        assert!(!output.status.success());
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    fails(&["report", "missing.teff"], &["missing.teff", "cannot be read", "Check the path"]);
    fails(&["report", "."], &["no meta.json", "teff record"]);
    fails(&["report", "a.teff", "--from", "5us", "--to", "3us"], &["--from is not before --to"]);
    fails(&["export", "a.teff", "--format", "svg", "-o", "x"], &["svg", "graphml"]);
    fails(&["run", "--", "./nothing"], &["libgomp.so.1", "TEFF_LIB"]);
    fs::write(place.path().join("a.teff/stream-0001.bin"), [7; 4096]).unwrap();
    fails(&["report", "a.teff"], &["stream-0001.bin, byte 0", "magic", "record again"]);
}

/// The command's output goes to `sink`.
fn teff_into(place: &Path, sink: &str, words: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    let teff = env!("CARGO_BIN_EXE_teff");
    shell.current_dir(place).args(["-c", &format!(r#""$@" {sink}"#), "sh", teff]).args(words);
    finish(&mut shell)
}

/// The other end of a datagram socket gets each piece that was written by itself.
#[test]
fn a_message_is_written_in_one_piece() {
    let place = tempfile::tempdir().unwrap();
    let (ours, its) = UnixDatagram::pair().unwrap();
    let mut command = common::command(place.path(), &["report", "missing.teff"]);
    let status = command.stderr(OwnedFd::from(its)).status().unwrap();
    assert!(!status.success());
    let mut piece = [0; 4096];
    let bytes = ours.recv(&mut piece).unwrap();
    let piece = text(&piece[..bytes]);
    assert!(
        piece.starts_with("teff: ") && piece.contains("missing.teff") && piece.ends_with('\n'),
        "{piece}"
    );
}

#[test]
fn a_recording_that_does_not_fit_into_memory_is_read_only_on_demand() {
    let place = place_with_recording(true);
    let graph = ["export", "a.teff", "--format", "graphml", "-o", "-"];
    let verbs = [&["report", "a.teff"][..], &["view", "--html", "-", "a.teff"], &graph];
    let on_demand = |words: &[&str]| teff(place.path(), &[words, &["--any-size"]].concat());
    for words in verbs {
        let output = on_demand(words);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    // A hole, which takes no room on the disk.
    let stream = fs::File::create(place.path().join("a.teff/stream-0002.bin")).unwrap();
    stream.set_len(1 << 39).unwrap();
    for words in verbs {
        let output = teff(place.path(), words);
        let message = text(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{words:?}");
        assert!(message.contains("a.teff has 550 GB") && message.contains("--any-size"), "{message}");
        let message = text(&on_demand(words).stderr);
        assert!(message.contains("can be analysed"), "nothing is too large for memory: {message}");
    }
}

#[test]
fn results_that_nobody_takes_or_that_do_not_fit_are_no_panic() {
    let place = place_with_recording(true);
    let graph = ["export", "a.teff", "--format", "graphml", "-o", "-"];
    for words in [&["report", "a.teff"][..], &["report", "--json", "a.teff"], &graph, &["--help"]] {
        let early = teff_into(place.path(), "2>err | true; cat err", words);
        assert_eq!(text(&early.stdout), "", "{words:?}");
        if words == ["--help"] {
            assert_eq!(teff_into(place.path(), ">&-", words).status.code(), Some(0));
            continue;
        }
        for (out, reason) in [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
            let lost = teff_into(place.path(), out, words);
            assert_eq!(lost.status.code(), Some(1), "{out} {words:?}");
            assert!(text(&lost.stderr).contains(reason), "{}", text(&lost.stderr));
        }
    }
    let nothing_said = teff_into(place.path(), "2>/dev/full", &["report", "absent"]);
    assert_eq!(nothing_said.status.code(), Some(1));
}

#[test]
fn a_graph_that_cannot_be_written_leaves_the_one_before() {
    let place = place_with_recording(true);
    fs::write(place.path().join("old.graphml"), "precious").unwrap();
    std::os::unix::fs::symlink("/dev/full", place.path().join("full")).unwrap();
    for (file, reason) in [("full", "No space"), (".", "directory"), ("absent/x", "No such file")] {
        let output = teff(place.path(), &["export", "a.teff", "--format", "graphml", "-o", file]);
        assert!(
            !output.status.success() && text(&output.stderr).contains(reason),
            "{file}: {}",
            text(&output.stderr)
        );
    }
    fs::write(place.path().join("a.teff/stream-0001.bin"), [7; 4096]).unwrap();
    let output = teff(place.path(), &["export", "a.teff", "--format", "graphml", "-o", "old.graphml"]);
    assert!(!output.status.success());
    assert_eq!(fs::read_to_string(place.path().join("old.graphml")).unwrap(), "precious");
}

/// A shell line that gets teff as its first argument; without root's rights, where we have them.
fn as_nobody(place: &Path, line: &str) -> Command {
    let teff = place.join("teff");
    copy_program(env!("CARGO_BIN_EXE_teff"), &teff);
    fs::set_permissions(place, fs::Permissions::from_mode(0o777)).unwrap();
    let mut shell = Command::new("sh");
    shell.current_dir(place).args(["-c", line, "sh"]).arg(&teff);
    if nix::unistd::geteuid().is_root() {
        shell.uid(65534);
    }
    shell
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    let place = place_with_recording(true);
    let file = place.path().join("old.graphml");
    fs::write(&file, "precious").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let mut shell = as_nobody(place.path(), r#"exec "$@""#);
    let output = finish(shell.args(["export", "a.teff", "--format", "graphml", "-o", "old.graphml"]));
    assert!(text(&output.stderr).contains("Permission denied"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

const EXPORT: [&str; 6] = ["export", "a.teff", "--format", "graphml", "-o", "old.graphml"];

/// Permissions, owner and group.
fn rights(file: &Path) -> (u32, u32, u32) {
    let file = fs::metadata(file).unwrap();
    (file.mode() & 0o7777, file.uid(), file.gid())
}

#[test]
fn a_file_that_is_replaced_keeps_its_owner_and_permissions() {
    let place = place_with_recording(true);
    let file = place.path().join("old.graphml");
    fs::write(&file, "old").unwrap();
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::chown(&file, Some(12345), Some(54321)).unwrap();
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let before = (rights(&file), fs::metadata(&file).unwrap().ino());
    let mut shell = Command::new("sh");
    shell.current_dir(place.path()).args(["-c", r#"umask 077; exec "$@""#, "sh"]);
    let output = finish(shell.arg(env!("CARGO_BIN_EXE_teff")).args(EXPORT));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(rights(&file), before.0);
    assert_ne!(fs::metadata(&file).unwrap().ino(), before.1, "a new file takes its place");
}

#[test]
fn a_file_whose_owner_cannot_be_kept_is_written_in_place() {
    let place = place_with_recording(true);
    let file = place.path().join("old.graphml");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let before = rights(&file);
    let mut shell = as_nobody(place.path(), r#"exec "$@""#);
    let output = finish(shell.args(EXPORT));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(rights(&file), before);
    assert!(fs::read_to_string(&file).unwrap().trim_end().ends_with("</graphml>"));
}

#[test]
fn a_recording_is_read_by_one_thread_where_no_other_can_be_had() {
    let place = place_with_recording(true);
    let mut shell = as_nobody(place.path(), r#"ulimit -u 0; exec "$@""#);
    let output = finish(shell.args(["report", "a.teff"]).env("RAYON_NUM_THREADS", "1000000"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("2 tasks, 1 initial"));
}

#[test]
fn what_a_recording_holds_cannot_command_the_terminal() {
    let place = tempfile::tempdir().unwrap();
    let mut meta = RecordingWriter::plain_meta(1);
    meta.command = vec!["./\x1b]0;title\x07prog".to_owned(), "a\nb\u{202e}".to_owned()].into();
    let mut out = RecordingWriter::create(&place.path().join("a.teff"), 1, &meta).unwrap();
    out.put(0, 0, Record::Idle { ticks: 1, sleep: 0 }).unwrap();
    out.end(9).unwrap();
    let report = text(&teff(place.path(), &["report", "a.teff"]).stdout);
    assert!(report.starts_with("./\\u{1b}]0;title\\u{7}prog a\\nb\\u{202e}\n"), "{report}");
    let json = text(&teff(place.path(), &["report", "--json", "a.teff"]).stdout);
    assert!(!json.contains('\x1b') && json.contains("\\u001b]0;title"), "{json}");
    let c1 = "\u{9b}31m";
    meta.command = vec![format!("./prog{c1}")].into();
    let mut out = RecordingWriter::create(&place.path().join("b.teff"), 1, &meta).unwrap();
    let (path, task) = ("/gone\x1b[5m\u{202e}".as_bytes(), TaskId::new(0, 1));
    for record in [
        Record::Module(Module { module: 1, path, ..Default::default() }),
        Record::Site(Site { site: 1, module: 1, call_site: 9, function: 0 }),
        Record::Create(Create { task, site: 1, ..Default::default() }),
        Record::Run(Run { task, ticks: 5, ..Default::default() }),
    ] {
        out.put(0, 0, record).unwrap();
    }
    out.end(9).unwrap();
    let graph = ["export", "b.teff", "--format", "graphml", "-o", "-"];
    let table = ["export", "b.teff", "--format", "csv", "-o", "-"];
    for words in [
        &["report", "b.teff"][..],
        &["report", "--json", "b.teff"],
        &["view", "--html", "-", "b.teff"],
        &graph,
        &table,
    ] {
        let shown = text(&teff(place.path(), words).stdout);
        assert!(shown.contains("gone"), "{words:?}: {shown}");
        assert!(!shown.contains(['\x1b', '\u{9b}', '\u{202e}']), "{words:?}: {shown}");
    }
    let message = text(&teff(place.path(), &["report", "\x1b[2J"]).stderr);
    assert!(message.contains("\\u{1b}[2J: cannot be read"), "{message}");
}

#[test]
fn a_long_command_line_is_cut_and_the_report_says_so() {
    let place = tempfile::tempdir().unwrap();
    let mut meta = RecordingWriter::plain_meta(1);
    meta.command = vec!["argument-number".to_owned(); 400_000].into();
    let mut out = RecordingWriter::create(&place.path().join("a.teff"), 1, &meta).unwrap();
    out.put(0, 0, Record::Idle { ticks: 1, sleep: 0 }).unwrap();
    out.end(9).unwrap();
    let report = text(&teff(place.path(), &["report", "a.teff"]).stdout);
    assert!(report.lines().all(|line| line.chars().count() <= 100), "{report}");
    assert!(report.contains("The command line is too long to be shown: 39"), "{report}");
}

#[test]
fn every_verb_explains_itself_with_an_example() {
    let place = tempfile::tempdir().unwrap();
    for verb in ["run", "record", "report", "view", "export"] {
        let help = text(&teff(place.path(), &[verb, "-h"]).stdout);
        assert!(help.contains("Example:\n  "), "{help}");
        assert!(help.contains(&format!("teff {verb} ")), "{help}");
    }
}

#[test]
fn export_writes_a_graph_whose_edges_have_ends() {
    let place = place_with_recording(true);
    let output = teff(place.path(), &["export", "a.teff", "--format", "graphml", "-o", "a.graphml"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let graph = fs::read_to_string(place.path().join("a.graphml")).unwrap();
    let values = |name: &str| -> Vec<String> {
        let start = format!(" {name}=\"");
        let edges = graph.lines().filter(|line| line.contains("<edge "));
        let edges: String = edges.map(|line| line.split('>').next().unwrap()).collect();
        edges.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let nodes: Vec<_> = graph.lines().filter(|line| line.contains("<node ")).collect();
    // 2 fragments of the root (none between the forks), 2 of its children, 2 forks, 1 join, 2 ends
    assert_eq!(nodes.len(), 9);
    let ends = values("source").into_iter().chain(values("target"));
    for end in ends {
        assert!(nodes.iter().any(|node| node.contains(&format!("id=\"{end}\""))), "no node {end}");
    }
    assert_eq!(graph.matches(">creation<").count(), 2);
    assert_eq!(graph.matches("<data key=\"v\">join<").count(), 2);
}

/// Each task creates the next one, at a site of its own with a call of its own.
fn chain(directory: &Path, tasks: u32) {
    let mut out = RecordingWriter::create(directory, 1, &RecordingWriter::plain_meta(1)).unwrap();
    let id = |number: u32| TaskId::new(0, u64::from(number) + 1);
    let create = |task, parent, site, flags| Record::Create(Create { task, parent, site, cost: 0, flags });
    out.put(0, 0, create(id(0), TaskId::NONE, 0, IMPLICIT)).unwrap();
    for site in 1..=tasks {
        let (at, call_site) = (u64::from(site), 0x1000 + 16 * u64::from(site));
        out.put(0, at, Record::Site(Site { site, module: 0, call_site, function: 0 })).unwrap();
        let frames: Vec<u8> = [call_site + 0x1000_0000, 0].into_iter().flat_map(u64::to_le_bytes).collect();
        let flags = trace::layout::path::OF_TASK;
        out.put(0, at, Record::CallPath(CallPath { site, flags, frames: &frames, python: b"" })).unwrap();
        out.put(0, at, create(id(site), id(site - 1), site, 0)).unwrap();
    }
    for task in (0..=tasks).rev() {
        let run = Run { task: id(task), ticks: 10, cpu: 0, ..Default::default() };
        out.put(0, u64::from(tasks), Record::Run(run)).unwrap();
    }
    out.end(u64::from(2 * tasks)).unwrap();
}

#[test]
fn long_call_paths_are_cut_and_bounded_in_all() {
    let place = tempfile::tempdir().unwrap();
    chain(&place.path().join("chain.teff"), 1500);
    let output = teff(place.path(), &["report", "--json", "chain.teff"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let sites = report["sites"].as_array().unwrap();
    let paths = || sites.iter().flat_map(|site| site["call_paths"].as_array().unwrap());
    let calls = |path: &serde_json::Value| path["calls"].as_array().unwrap().len();
    assert!(sites.len() >= 1500 && paths().all(|path| calls(path) <= 128));
    assert!(paths().map(calls).sum::<usize>() <= (1 << 16) + 4 * 1501);
    assert!(paths().any(|path| path["cut"] == true && calls(path) == 128), "says that there are more");
    assert!(paths().any(|path| path["cut"] == false));
}

/// A region from 10 to 30 us whose end is among what was lost, of 90 us.
#[test]
fn where_records_are_lost_nobody_knows_what_share_was_parallel() {
    let place = tempfile::tempdir().unwrap();
    let mut out =
        RecordingWriter::create(&place.path().join("a.teff"), 1, &RecordingWriter::plain_meta(1)).unwrap();
    let (task, member, region) = (TaskId::new(0, 1), TaskId::new(0, 2), RegionId::new(0, 1));
    out.put(0, 0, Record::Create(Create { task, flags: IMPLICIT, ..Default::default() })).unwrap();
    out.put(0, 10_000, Record::Region(Region { region, parent: task, threads: 1, ..Default::default() }))
        .unwrap();
    let create = Create { task: member, parent: task, flags: IMPLICIT, ..Default::default() };
    out.put(0, 10_000, Record::Create(create)).unwrap();
    out.put(0, 10_000, Record::Run(Run { task: member, ticks: 20_000, region, ..Default::default() }))
        .unwrap();
    out.put(0, 80_000, Record::Lost { records: 5 }).unwrap();
    out.put(0, 0, Record::Run(Run { task, ticks: 90_000, ..Default::default() })).unwrap();
    out.end(90_000).unwrap();
    let report = text(&teff(place.path(), &["report", "a.teff"]).stdout);
    let line = report.lines().find(|line| line.trim_start().starts_with("in parallel")).unwrap();
    let said = "20.0 us   in the parallel regions that were recorded; records are lost";
    assert!(line.ends_with(said), "{report}");
}

#[test]
fn what_is_not_recorded_is_said() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("a.teff");
    let mut out = RecordingWriter::create(&directory, 1, &RecordingWriter::plain_meta(1)).unwrap();
    let task = TaskId::new(0, 1);
    out.put(0, 0, Record::Create(Create { task, flags: IMPLICIT, ..Default::default() })).unwrap();
    out.put(0, 0, Record::Lost { records: 5 }).unwrap();
    out.put(0, 0, Record::Run(Run { task, ticks: 90_000, ..Default::default() })).unwrap();
    out.end(90_000).unwrap();
    fs::write(directory.join("full"), "").unwrap();
    let output = teff(place.path(), &["report", "a.teff"]);
    let report = text(&output.stdout);
    assert!(report.starts_with("Records are lost: the runtime could not store 5 records"), "{report}");
    assert!(report.lines().nth(1).unwrap().contains("processes that began later"), "{report}");
    assert!(report.contains("processes that began later are not recorded"), "{report}");
    let json = text(&teff(place.path(), &["report", "--json", "a.teff"]).stdout);
    assert!(json.contains("processes that began later are not recorded"), "{json}");
}
