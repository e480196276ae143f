// SPDX-License-Identifier: Apache-2.0
//! `teff predict`: what it prints, and what it refuses.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{finish, teff, text, TIME_OUT};
use serde_json::Value;
use trace::layout::schedule;
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

const MS: u64 = 1_000_000;
const FORMAT: &str = include_str!("../../../../docs/formats/predict.md");

#[derive(Clone, Copy, PartialEq)]
enum End {
    InOrder,
    Killed,
    Lost,
    /// It had a processor for 4 of its 9 ms.
    Crowded,
}

/// A program of one thread: it works 1 ms, creates four tasks of 2 ms and waits for them.
fn record(path: &Path, end: End) {
    let mut out = RecordingWriter::create(path, 1, &RecordingWriter::plain_meta(2)).unwrap();
    let mut put = |at, record| out.put(0, at, record).unwrap();
    let root = TaskId::new(0, 1);
    put(0, Record::Site(Site { site: 1, module: 0, call_site: 0x1001, function: 0 }));
    put(0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
    let crowded = end == End::Crowded;
    if crowded {
        put(0, Record::Thread(Thread::default()));
    }
    for at in 0..4 {
        let task = TaskId::new(0, 2 + at);
        put(MS, Record::Create(Create { task, parent: root, site: 1, cost: 0, flags: 0 }));
        put((1 + 2 * at) * MS, Record::Run(Run { task, ticks: 2 * MS, ..Default::default() }));
    }
    let (kind, ticks) = (WaitKind::Taskwait, 8 * MS);
    put(MS, Record::Wait(Wait { kind, task: root, ticks, site: 1, barrier: 0, departures: 0 }));
    put(0, Record::Run(Run { task: root, ticks: 9 * MS, ..Default::default() }));
    if crowded {
        put(9 * MS, Record::Thread(Thread { cpu_ns: 4 * MS, preemptions: 9, ..Default::default() }));
    }
    if end == End::Lost {
        put(9 * MS, Record::Lost { records: 7 });
    }
    if end == End::Killed { out.killed() } else { out.end(9 * MS) }.unwrap();
}

fn predict(end: End, options: &[&str]) -> std::process::Output {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), end);
    teff(place.path(), &[&["predict", "a.teff"], options].concat())
}

fn shown(end: End, options: &[&str]) -> String {
    let output = predict(end, options);
    let status = if matches!(end, End::Killed | End::Lost) { 3 } else { 0 };
    assert_eq!(output.status.code(), Some(status), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn json(options: &[&str]) -> Value {
    serde_json::from_str(&shown(End::InOrder, &[&["--json"], options].concat())).unwrap()
}

#[test]
fn the_replay_comes_first_and_then_the_curve() {
    let out = shown(End::InOrder, &["--threads", "4,1,2,2"]);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines[0], "Replay on 1 thread as recorded: 9.00 ms predicted, 9.00 ms measured: +0.0 % off.");
    let words = |line: &str| line.split_whitespace().take(5).collect::<Vec<_>>().join(" ");
    let rows: Vec<_> = lines.iter().filter(|line| line.contains('#')).map(|line| words(line)).collect();
    assert_eq!(
        rows,
        ["1 9.00 ms 1.00 #######", "2 5.00 ms 1.80 ############", "4 3.00 ms 3.00 ####################"]
    );
    assert!(out.lines().all(|line| line.chars().count() <= 100) && !out.contains("How far"), "{out}");
}

#[test]
fn each_change_stands_beside_the_plain_prediction() {
    let site = "0x1000";
    let all = json(&["--threads", "2"]);
    let name = all["what_if"].as_array().unwrap();
    assert!(name.is_empty());
    let changes = [
        "--threads=2",
        "--what-if=0x1000=0.5",
        "--what-if=0x1000:serial",
        "--merge-below=1ms",
        "--cutoff-depth=0",
    ];
    let found = json(&changes);
    let times: Vec<_> = found["what_if"]
        .as_array()
        .unwrap()
        .iter()
        .map(|what| {
            (
                what["change"].as_str().unwrap().to_owned(),
                what["points"][0]["time_ns"].as_f64().unwrap() / 1e6,
            )
        })
        .collect();
    let expected = [
        (format!("grains of {site} took 0.5 of their time"), 3.0),
        (format!("{site} ran on one thread"), 9.0),
        ("grains shorter than 1.00 ms ran inside their parent".to_owned(), 5.0),
        ("tasks nested deeper than 0 ran inside their parent".to_owned(), 9.0),
        ("all of this together".to_owned(), 5.0),
    ];
    assert_eq!(times, expected);
    let out = shown(End::InOrder, &changes);
    assert!(!out.contains("on which machine"), "{out}");
    assert!(out.contains("What if 0x1000 ran on one thread") && out.contains("+80.0 %"), "{out}");
}

/// A program of one thread, whose loop has these flags: four iterations of 2 ms in one chunk.
fn record_loop(path: &Path, flags: u8) {
    let mut out = RecordingWriter::create(path, 1, &RecordingWriter::plain_meta(2)).unwrap();
    let mut put = |at, record| out.put(0, at, record).unwrap();
    let (root, member, region) = (TaskId::new(0, 1), TaskId::new(0, 2), RegionId::new(0, 1));
    put(0, Record::Site(Site { site: 1, module: 0, call_site: 0x1001, function: 0 }));
    put(0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
    put(0, Record::Region(Region { region, parent: root, site: 1, threads: 1, requested: 1, level: 1 }));
    put(0, Record::Create(Create { task: member, parent: root, flags: IMPLICIT, ..Default::default() }));
    put(0, Record::Start { task: member, region });
    let (id, chunk) = (LoopId::new(0, 1), 0);
    put(0, Record::Loop(Loop { id, region, site: 1, threads: 1, lb: 0, ub: 4, step: 1, chunk, flags }));
    put(0, Record::Chunk(Chunk { id, task: member, first: 0, iterations: 4, ticks: 8 * MS, cpu: 0 }));
    put(0, Record::Run(Run { task: member, ticks: 8 * MS, region, ..Default::default() }));
    put(8 * MS, Record::RegionEnd { region });
    put(0, Record::Run(Run { task: root, ticks: 8 * MS, ..Default::default() }));
    out.end(8 * MS).unwrap();
}

#[test]
fn a_loop_that_stays_one_chunk_is_named() {
    let place = tempfile::tempdir().unwrap();
    let notes = |flags| {
        record_loop(&place.path().join("a.teff"), flags);
        let output = teff(place.path(), &["predict", "a.teff"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::remove_dir_all(place.path().join("a.teff")).unwrap();
        text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let ordered = notes(schedule::STATIC | schedule::ORDERED);
    assert!(ordered.contains("The loop at 0x1000 has 100 % of the work."), "{ordered}");
    assert!(ordered.contains("Record on 2 threads or more"), "{ordered}");
    let dealt = notes(schedule::STATIC);
    assert!(!dealt.contains("The loop at"), "{dealt}");
}

#[test]
fn absurd_wishes_are_refused_and_said_why() {
    let refused = |options: &[&str], why: &str| {
        let output = predict(End::InOrder, options);
        let message = text(&output.stderr);
        assert!(!output.status.success() && message.contains(why), "{options:?}: {message}");
        assert!(output.stdout.is_empty());
    };
    refused(&["--threads", "0"], "0 is not in 1..");
    refused(&["--threads", "1,many"], "many");
    refused(&["--threads", "99999999"], "is not in");
    refused(&["--what-if", "nowhere.c:7=0.5"], "no grains of this recording have this name");
    refused(&["--what-if", "nowhere:serial"], "no tasks, loops or parallel regions");
    refused(&["--what-if", "0x1000"], "SITE=F");
    refused(&["--what-if", "0x1000=-1"], "from 0 to 1000");
    refused(&["--merge-below", "5"], "no length of time");
    refused(&["--cutoff-depth=-1"], "cutoff-depth");
    refused(&["--machine", "server"], "libexec/teff/teff-machine, is missing");
    refused(&["--schedule", "central"], "libexec/teff/teff-machine, is missing");
    refused(&["--seed", "1"], "name one with --machine");
    refused(&["--seed=-1"], "--seed");
}

/// Teff installed in `place`, with a script in place of what models machines.
fn installed_there(place: &Path, script: &str, options: &[&str]) -> Command {
    for folder in ["bin", "libexec/teff", "share/teff/machines"] {
        fs::create_dir_all(place.join(folder)).unwrap();
    }
    fs::write(place.join("share/teff/machines/two-cores.machine"), "").unwrap();
    fs::write(place.join("share/teff/machines/abacus.machine"), "").unwrap();
    // By another process: what this one has open for writing, a child of another test has open,
    // too, and then it cannot be started.
    let install = r#"rm -f bin/teff; cp "$1" bin/teff
                     printf '#!/bin/sh\n%s\n' "$2" > libexec/teff/teff-machine; chmod 755 libexec/teff/teff-machine"#;
    let mut shell = Command::new("sh");
    let words = ["-ec", install, "sh", env!("CARGO_BIN_EXE_teff"), script];
    assert!(finish(shell.current_dir(place).args(words).stdin(Stdio::null())).status.success());
    record(&place.join("a.teff"), End::InOrder);
    let mut command = Command::new(place.join("bin/teff"));
    command.current_dir(place).args(["predict", "a.teff"]).args(options).stdin(Stdio::null());
    command
}

fn predict_there(place: &Path, script: &str, options: &[&str]) -> std::process::Output {
    finish(&mut installed_there(place, script, options))
}

const FAKE: &str = r#"
echo "$@" >> asked
case "$*" in
*--describe*) echo '{"machine": "fake", "cores": 3, "clock_mhz": 1000, "work_clock_mhz": 0}';;
*) threads=$(tee -a graphs | sed -n 's/^threads //p')
   echo '{"schedule": "work_stealing", "seed": 7, "time_ns": '$((8000000 / threads + 1000000))',
          "work_ns": 8000000, "creation_ns": 1000, "moved": '$threads', "transfers": 5}';;
esac"#;

#[test]
fn a_machine_gets_the_graph_for_each_number_of_threads() {
    let place = tempfile::tempdir().unwrap();
    let output = predict_there(
        place.path(),
        FAKE,
        &["--schedule", "work_stealing", "--seed", "7", "--cutoff-depth=0"],
    );
    let out = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(out.contains("On fake (3 cores of 1000 MHz), work_stealing, seed 7"), "{out}");
    let last = out.lines().find(|line| line.contains("80 %") && line.contains("20 %")).unwrap_or_default();
    assert_eq!(last.split_whitespace().take(3).collect::<Vec<_>>(), ["2", "5.00", "ms"], "{out}");
    let on_fake = out.lines().filter(|line| line.ends_with("on fake")).count();
    assert_eq!(on_fake, 3, "{out}");
    assert_eq!(out.matches("speed-up  limited by, or on which machine\n").count(), 1, "{out}");
    let asked = fs::read_to_string(place.path().join("asked")).unwrap();
    assert_eq!(asked.lines().count(), 1 + 2 * 3);
    assert!(
        asked.lines().all(|line| line.contains("two-cores.machine") && line.contains("--seed 7")),
        "{asked}"
    );
    let graphs = fs::read_to_string(place.path().join("graphs")).unwrap();
    let plain = "teff-taskgraph 1\nthreads 1\ncounts tasks 4 regions 0 loops 0 joins 1 locks 0 signals 0\n\
                 program w1000000 c0 c1 c2 c3 j0\n";
    assert!(graphs.contains(plain), "{graphs}"); // several are run at a time
    assert!(graphs.contains("program w9000000 j0\n"), "{graphs}");
}

/// A model that refuses on `threads` threads, and answers otherwise.
fn refusing(threads: &str) -> String {
    let refuses = "echo teff-machine: all wait >&2; exit 2";
    FAKE.replace(
        "   echo '{\"schedule\"",
        &format!("   case $threads in {threads}) {refuses};; esac\n   echo '{{\"schedule\""),
    )
}

#[test]
fn what_a_machine_refuses_leaves_all_else() {
    let predicted = |refused: &str| {
        let place = tempfile::tempdir().unwrap();
        let options = ["--machine", "abacus", "--threads", "1,2,3", "--cutoff-depth=0"];
        let output = predict_there(place.path(), &refusing(refused), &options);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let count = |out: &str, words: &str| out.lines().filter(|line| line.contains(words)).count();
    let out = predicted("2");
    assert_eq!(count(&out, "Cannot predict 2 threads: all wait."), 2, "{out}");
    assert_eq!((count(&out, "Cannot"), count(&out, "on fake")), (2, 2), "{out}");
    let out = predicted("1");
    assert_eq!(count(&out, "Cannot predict 1 thread: all wait."), 2, "{out}");
    assert!(out.lines().any(|line| line.split_whitespace().take(4).eq(["2", "5.00", "ms", "-"])), "{out}");
    let out = predicted("*");
    assert!(
        out.contains("limited by") && out.contains("On fake nothing can be predicted: all wait."),
        "{out}"
    );
}

#[test]
fn a_plain_word_is_an_installed_machine_before_it_is_a_file() {
    let place = tempfile::tempdir().unwrap();
    for file in ["abacus", "mine"] {
        fs::write(place.path().join(file), "\x7fELF").unwrap();
    }
    for (asked, file) in [
        ("abacus", "share/teff/machines/abacus.machine"),
        ("./abacus", "--machine ./abacus"),
        ("mine", "--machine mine"),
    ] {
        let output = predict_there(place.path(), FAKE, &["--machine", asked, "--threads", "1"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let log = place.path().join("asked");
        let lines = fs::read_to_string(&log).unwrap();
        assert!(lines.lines().count() > 1 && lines.lines().all(|line| line.contains(file)), "{lines}");
        fs::remove_file(log).unwrap();
    }
}

#[test]
fn what_a_machine_says_is_wrong_is_passed_on() {
    let fails = |script: &str, options: &[&str], why: &str| {
        let place = tempfile::tempdir().unwrap();
        let output = predict_there(place.path(), script, options);
        let message = text(&output.stderr);
        assert!(!output.status.success() && message.contains(why), "{options:?}: {message}");
    };
    fails(FAKE, &["--machine", "x"], "The machines are: abacus, two-cores.");
    fails(
        FAKE,
        &["--machine", "../two-cores"],
        "there is no such file, and Teff has no machine of this name",
    );
    fails(FAKE, &["--machine", "."], "--machine .: this is a folder, and Teff has no machine");
    fails(FAKE, &["--machine", "/dev/null"], "--machine /dev/null: this is no regular file");
    fails(FAKE, &["--machine", "abacus", "--threads", "4"], "fake has 3 cores");
    fails(
        "echo teff-machine: it is broken >&2; exit 2",
        &["--machine", "abacus"],
        "cannot predict: it is broken.",
    );
    fails("exit 3", &["--machine", "abacus"], "ended without an answer");
    fails("echo 5", &["--machine", "abacus"], "an answer that this teff does not know");
}

/// One that is killed takes what runs the machine along.
#[test]
fn a_machine_ends_with_who_asked() {
    const SLOW: &str = r#"
case "$*" in
*--describe*) echo '{"machine": "fake", "cores": 3, "clock_mhz": 1000, "work_clock_mhz": 0}';;
*) echo $$ > starting && mv starting runs && exec sleep 120;;
esac"#;
    let place = tempfile::tempdir().unwrap();
    let mut command = installed_there(place.path(), SLOW, &["--machine", "abacus"]);
    let mut teff = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    let until = |what: &str, done: &dyn Fn() -> bool| {
        while !done() {
            assert!(begin.elapsed() < TIME_OUT, "{what}");
            thread::sleep(Duration::from_millis(10));
        }
    };
    let runs = place.path().join("runs");
    until("the machine does not start", &|| runs.exists());
    teff.kill().unwrap();
    teff.wait().unwrap();
    let machine: i32 = fs::read_to_string(runs).unwrap().trim().parse().unwrap();
    // Its new parent may not have waited for it yet.
    let state = || fs::read_to_string(format!("/proc/{machine}/stat")).unwrap_or_default();
    until("the machine runs on", &|| state().is_empty() || state().contains(") Z "));
}

#[test]
fn what_is_not_whole_is_marked() {
    let out = shown(End::Killed, &[]);
    assert!(out.starts_with("Incomplete recording: the program did not end normally"), "{out}");
    let out = shown(End::Lost, &[]);
    assert!(out.starts_with("Records are lost: the runtime could not store 7 records"), "{out}");
}

#[test]
fn threads_without_a_processor_are_noted() {
    let words = |out: String| out.split_whitespace().collect::<Vec<_>>().join(" ");
    let out = words(shown(End::Crowded, &[]));
    assert!(out.contains("without a processor for 5.00 ms, 56 % of their time."), "{out}");
    let out = words(shown(End::InOrder, &[]));
    assert!(!out.contains("without a processor"), "{out}");
}

#[test]
fn every_field_is_documented() {
    let all = json(&["--what-if", "0x1000=2"]);
    assert_eq!((&all["schema"], &all["version"]), (&"teff-predict".into(), &1.into()));
    let mut names = Vec::new();
    collect(&all, &mut names);
    assert!(names.len() > 30, "{names:?}");
    for name in names.iter().filter(|name| !["schema", "version"].contains(&name.as_str())) {
        assert!(FORMAT.contains(&format!("`{name}`")), "{name} is not in docs/formats/predict.md");
    }
    let point = &all["points"][2];
    let ns = |name: &str| point[name].as_f64().unwrap();
    let lost: f64 = point["lost"].as_array().unwrap().iter().map(|lost| lost["ns"].as_f64().unwrap()).sum();
    let busy = ns("work_ns") + ns("creation_ns") + ns("scheduling_ns");
    assert_eq!((busy + lost, busy), (ns("threads") * ns("time_ns"), 9e6));
}

fn collect(value: &Value, names: &mut Vec<String>) {
    value.as_array().into_iter().flatten().for_each(|item| collect(item, names));
    for (name, value) in value.as_object().into_iter().flatten() {
        names.push(name.clone());
        collect(value, names);
    }
}

/// Two threads. The first creates a task of priority 1 that works 10 ms, yields until 2 ms, and
/// creates one of priority 2 that works 3 ms; then it works until 20 ms. The other thread serves.
fn record_service(path: &Path) {
    let mut out = RecordingWriter::create(path, 2, &RecordingWriter::plain_meta(2)).unwrap();
    let mut put = |stream, at, record| out.put(stream, at, record).unwrap();
    let (root, region) = (TaskId::new(0, 1), RegionId::new(0, 1));
    let members = [TaskId::new(0, 2), TaskId::new(1, 2)];
    put(0, 0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
    put(0, 0, Record::Start { task: root, region: RegionId::NONE });
    let threads = 2;
    put(
        0,
        0,
        Record::Region(Region { region, parent: root, site: 0, threads, requested: threads, level: 1 }),
    );
    for (stream, task) in (0..).zip(members) {
        put(stream, 0, Record::Create(Create { task, parent: root, flags: IMPLICIT, ..Default::default() }));
        put(stream, 0, Record::Start { task, region });
    }
    let wait =
        |task, kind, ticks| Record::Wait(Wait { kind, task, ticks, site: 0, barrier: 0, departures: 0 });
    put(0, 0, wait(members[0], WaitKind::Taskyield, 2 * MS));
    for (at, priority, start, work) in [(0, 1, 0, 10), (2, 2, 10, 3)] {
        let task = TaskId::new(0, 3 + at);
        put(0, at * MS, Record::Priority { task, priority });
        put(0, at * MS, Record::Create(Create { task, parent: members[0], site: 0, cost: 0, flags: 0 }));
        put(1, start * MS, Record::Run(Run { task, ticks: work * MS, ..Default::default() }));
    }
    put(0, 20 * MS, wait(members[0], WaitKind::RegionEnd, 0));
    put(1, 0, wait(members[1], WaitKind::RegionEnd, 20 * MS));
    for (stream, task) in (0..).zip(members) {
        put(stream, 0, Record::Run(Run { task, ticks: 20 * MS, region, ..Default::default() }));
    }
    put(0, 20 * MS, Record::RegionEnd { region });
    put(0, 0, Record::Run(Run { task: root, ticks: 20 * MS, ..Default::default() }));
    out.end(20 * MS).unwrap();
}

fn predict_service(options: &[&str]) -> std::process::Output {
    let place = tempfile::tempdir().unwrap();
    record_service(&place.path().join("a.teff"));
    teff(place.path(), &[&["predict", "a.teff"], options].concat())
}

fn service(options: &[&str]) -> String {
    let output = predict_service(options);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_recording_is_replayed_with_its_priorities() {
    let of = |options: &[&str]| -> Value {
        let all: Value = serde_json::from_str(&service(&[&["--json"], options].concat())).unwrap();
        let mut names = Vec::new();
        collect(&all["by_priority"], &mut names);
        for name in names {
            assert!(FORMAT.contains(&format!("`{name}`")), "{name} is not in docs/formats/predict.md");
        }
        all["by_priority"].clone()
    };
    let both = of(&["--preemption", "on,off", "--switch-cost", "500us"]);
    assert_eq!((&both["switch_cost_from"], &both["switch_cost_ns"]), (&"option".into(), &5e5.into()));
    assert_eq!((&both["threads"], &both["gap"]), (&2.into(), &1.into()));
    let high = |rows: &Value| {
        let row = &rows[0];
        ["priority", "tasks", "mean_ns", "preempted", "preempting"].map(|name| row[name].as_f64().unwrap())
    };
    let (off, on) = (&both["replays"][0], &both["replays"][1]);
    assert_eq!((&off["preemption"], &on["preemption"]), (&"off".into(), &"on".into()));
    assert_eq!(high(&both["recorded"]), [2.0, 1.0, 8e6, 0.0, 0.0]);
    assert_eq!(high(&off["priorities"]), [2.0, 1.0, 8e6, 0.0, 0.0]);
    assert_eq!(high(&on["priorities"]), [2.0, 1.0, 5e5, 0.0, 1.0]);
    assert_eq!(on["priorities"][1]["turnaround"]["max_ns"], 13.25e6);
    let only = of(&["--preemption", "on"]);
    assert_eq!(
        (only["replays"].as_array().unwrap().len(), &only["switch_cost_from"]),
        (1, &"default".into())
    );
}

#[test]
fn the_table_of_priorities_has_the_recorded_times_first() {
    let out = service(&["--preemption", "off,on", "--switch-cost", "500us"]);
    assert!(
        out.contains("By priority, replayed on 2 threads; a preemption costs 500 us (as asked for)\n"),
        "{out}"
    );
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let from = out.lines().position(|line| line.contains("recorded  ")).expect("the table");
    let rows: Vec<_> = out.lines().skip(from).take(6).map(words).collect();
    assert_eq!(rows[0][..5], ["2", "1", "recorded", "8.00", "ms"], "{out}");
    assert_eq!((rows[1][0].as_str(), rows[2][..3].join(" ")), ("off", "on 500 us".to_owned()), "{out}");
    assert_eq!(
        (rows[3][..3].join(" "), rows[5].last().unwrap().as_str()),
        ("1 1 recorded".to_owned(), "1"),
        "{out}"
    );
    assert!(!service(&[]).contains("By priority"));
}

#[test]
fn priorities_that_do_not_differ_are_an_error() {
    let said = predict(End::InOrder, &["--preemption", "on"]);
    let message = text(&said.stderr);
    assert!(!said.status.success() && message.contains("OMP_MAX_TASK_PRIORITY"), "{message}");
    let said = predict_service(&["--preemption", "on", "--switch-cost", "5"]);
    let message = text(&said.stderr);
    assert!(
        !said.status.success() && message.contains("--switch-cost 5: this is no length of time"),
        "{message}"
    );
    assert!(!predict_service(&["--switch-cost", "5us"]).status.success());
}

/// A host of two devices. Its thread waits for a region of 100 us on each, one after another.
fn predict_devices(options: &[&str]) -> std::process::Output {
    let place = tempfile::tempdir().unwrap();
    let meta = Meta { devices: Some(2), ..RecordingWriter::plain_meta(2) };
    let mut out = RecordingWriter::create(&place.path().join("a.teff"), 1, &meta).unwrap();
    let mut put = |at, record| out.put(0, at, record).unwrap();
    let root = TaskId::new(0, 1);
    put(0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
    for device in 0..2 {
        let at = 10_000 + 120_000 * u64::from(device);
        let region = Device {
            task: root,
            site: 0,
            device,
            bytes_to: 1_000,
            bytes_from: 0,
            waited: 0,
            prepared: 2_000,
            there: 106_000,
            received: 2_000,
            ran_ns: 100_000,
            on_device: None,
            construct: DeviceConstruct::Target,
            is_deferred: false,
        };
        put(at, Record::Device(region));
    }
    put(0, Record::Run(Run { task: root, ticks: 250_000, ..Default::default() }));
    out.end(250_000).unwrap();
    teff(place.path(), &[&["predict", "a.teff"], options].concat())
}

#[test]
fn devices_of_a_cluster_have_a_table() {
    let output = predict_devices(&["--devices", "4,1", "--network", "10us,1GB/s"]);
    let out = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(out.contains("On a modelled cluster, network 10us,1GB/s: 10.0 us, 1.0 GB/s"), "{out}");
    assert!(!out.contains("Replay on 1 thread") && !out.contains("T1/P"), "{out}");
    // Of each: 2 to prepare, 2 to send, 1 for the data, 10, 4 there and 100 of the region, 10, 2.
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    let rows: Vec<_> = out.lines().map(words).filter(|line| line.contains(" 272 us ")).collect();
    assert_eq!(rows.len(), 2, "{out}");
    assert!(rows[0].starts_with("1 292 us 272 us 1.00 74 %") && rows[0].contains(" program "), "{out}");
    assert!(rows[1].starts_with("4 292 us 272 us 1.00 18 %") && rows[1].contains(" round-robin "), "{out}");
    assert!(out.contains("The host takes 6.00 us for a construct"), "{out}");
    let output = predict_devices(&["--devices", "2", "--threads", "1", "--network", "hdr"]);
    let out = text(&output.stdout);
    assert!(out.contains("T1/P") && out.contains("network hdr: 1.30 us, 25.0 GB/s"), "{out}");
}

#[test]
fn fields_of_clusters_are_documented() {
    let output =
        predict_devices(&["--devices", "1,2", "--json", "--network", "100gbe", "--host-cost", "9us,5GB/s"]);
    let all: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let mut names = Vec::new();
    collect(&all["devices"], &mut names);
    assert!(names.len() > 30, "{names:?}");
    for name in &names {
        assert!(FORMAT.contains(&format!("`{name}`")), "{name} is not in docs/formats/predict.md");
    }
    let devices = &all["devices"];
    assert_eq!((&devices["recorded"], &devices["constructs"]), (&2.into(), &2.into()));
    assert_eq!(devices["network"]["bytes_per_s"].as_f64(), Some(12.5e9));
    assert_eq!((devices["host_ns"].as_f64(), devices["host_bytes_per_s"].as_f64()), (Some(9e3), Some(5e9)));
    assert_eq!(devices["replay"]["error"].as_f64(), Some(0.0));
    assert_eq!(all["points"], Value::Array(Vec::new()));
}

#[test]
fn what_is_no_cluster_is_refused() {
    let refused = |output: std::process::Output, what: &str| {
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(what), "{said}");
    };
    refused(predict(End::InOrder, &["--devices", "2"]), "no construct ran on a device");
    refused(predict_devices(&["--devices", "2", "--network", "token-ring"]), "hdr, 100gbe, 25gbe, 10gbe-tcp");
    refused(predict_devices(&["--devices", "2", "--network", "2us,fast"]), "this is no bandwidth");
    refused(predict_devices(&["--devices", "2", "--network", "2,1GB/s"]), "this is no length of time");
    refused(predict_devices(&["--network", "hdr"]), "--devices");
    refused(predict_devices(&["--devices", "0"]), "0");
    refused(predict_devices(&["--devices", "2", "--network", "2h,1GB/s"]), "this is no length of time");
    refused(predict_devices(&["--devices", "2", "--network", "3601s,1GB/s"]), "longer than an hour");
    refused(predict_devices(&["--devices", "2", "--network", "1e305s,1GB/s"]), "this is no length of time");
    refused(predict_devices(&["--devices", "2", "--network", "1us,NaNGB/s"]), "this is no bandwidth");
    refused(predict_devices(&["--devices", "2", "--network", "1us,1e-300GB/s"]), "from 1 byte/s");
    refused(predict_devices(&["--devices", "2", "--host-cost", "1e200s"]), "longer than a hundred years");
    for other in
        [["--what-if", "1=2"], ["--merge-below", "5us"], ["--cutoff-depth", "2"], ["--schedule", "central"]]
    {
        refused(predict_devices(&[&["--devices", "2"], &other[..]].concat()), "cannot be used with");
    }
    refused(predict_devices(&["--schedule", "central"]), "modelled machines have none");
}
