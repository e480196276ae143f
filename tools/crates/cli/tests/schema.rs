// SPDX-License-Identifier: Apache-2.0
//! Tests that the output of `teff report --json` has exactly the fields of
//! docs/formats/report.schema.json.

mod common;

use std::path::Path;

use common::{teff, text};
use serde_json::{json, Value};
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

const SCHEMA: &str = include_str!("../../../../docs/formats/report.schema.json");

/// The words of JSON Schema that ours uses. More fields than it names are wrong here, too: each is
/// to be documented.
struct Schema(Value);

impl Schema {
    fn check(&self, value: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        self.visit(&self.0, value, "", &mut wrong);
        wrong
    }

    fn visit(&self, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
        if let Some(target) = schema["$ref"].as_str() {
            let target = self.0.pointer(target.trim_start_matches('#')).expect("a definition");
            return self.visit(target, value, at, wrong);
        }
        if !has_type(&schema["type"], value) {
            return wrong.push(format!("{at} is {value}, and not of type {}", schema["type"]));
        }
        let choices = schema["enum"].as_array();
        if schema.get("const").is_some_and(|only| only != value)
            || choices.is_some_and(|all| !all.contains(value))
        {
            wrong.push(format!("{at} is {value}"));
        }
        if schema["minimum"].as_f64().zip(value.as_f64()).is_some_and(|(least, number)| number < least) {
            wrong.push(format!("{at} is {value}"));
        }
        for (number, item) in value.as_array().into_iter().flatten().enumerate() {
            self.visit(&schema["items"], item, &format!("{at}[{number}]"), wrong);
        }
        if let Some(fields) = value.as_object() {
            let required = schema["required"].as_array().into_iter().flatten();
            let missing = required.filter(|name| !fields.contains_key(name.as_str().unwrap_or_default()));
            wrong.extend(missing.map(|name| format!("{at}.{name} is missing")));
            for (name, value) in fields {
                match schema["properties"].get(name) {
                    Some(schema) => self.visit(schema, value, &format!("{at}.{name}"), wrong),
                    None => wrong.push(format!("{at}.{name} is not in docs/formats/report.schema.json")),
                }
            }
        }
    }
}

fn has_type(wanted: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        _ => value.is_number(),
    };
    match wanted {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn schema() -> Schema {
    Schema(serde_json::from_str(SCHEMA).expect("the schema is JSON"))
}

fn report(place: &Path) -> Value {
    report_with(place, &[])
}

fn report_with(place: &Path, options: &[&str]) -> Value {
    let words = [&["report", "--json", "a.teff"], options].concat();
    let output = teff(place, &words);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A region of two threads with a loop, in which tasks with priorities are created.
fn record(directory: &Path, complete: bool) {
    let mut out = RecordingWriter::create(directory, 2, &RecordingWriter::plain_meta(2)).unwrap();
    let (region, id, root) = (RegionId::new(0, 1), LoopId::new(0, 1), TaskId::new(0, 1));
    let members = [TaskId::new(0, 2), TaskId::new(1, 1)];
    let mut put = |stream, at, record| out.put(stream, at, record).unwrap();
    put(0, 0, Record::Site(Site { site: 1, module: 0, call_site: 0x1001, function: 0x2000 }));
    put(0, 0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
    let begin = Region { region, parent: root, threads: 2, requested: 2, level: 1, site: 1 };
    put(0, 1_000, Record::Region(begin));
    put(
        0,
        1_000,
        Record::Loop(Loop { id, region, site: 1, threads: 2, ub: 8, step: 1, ..Default::default() }),
    );
    for (stream, member) in (0..).zip(members) {
        let create = Create { task: member, parent: root, site: 1, flags: IMPLICIT, ..Default::default() };
        put(stream, 1_000, Record::Create(create));
        put(
            stream,
            2_000,
            Record::Chunk(Chunk { id, task: member, first: 0, iterations: 4, ticks: 3_000, cpu: 0 }),
        );
        let task = TaskId::new(stream, 10);
        put(stream, 6_000, Record::Priority { task, priority: 3 - i32::from(stream) });
        put(stream, 6_000, Record::Create(Create { task, parent: member, site: 1, cost: 500, flags: 0 }));
        let run = Run { task, ticks: 200, ..Default::default() };
        put(stream, 7_000, Record::Run(run));
        let wait = Wait {
            kind: WaitKind::RegionEnd,
            task: member,
            ticks: 4_000,
            site: 1,
            barrier: 1,
            departures: 0,
        };
        put(stream, 6_900, Record::Wait(wait));
        put(stream, 1_000, Record::Run(Run { task: member, region, ticks: 10_000, ..Default::default() }));
    }
    put(0, 12_000, Record::RegionEnd { region });
    put(0, 0, Record::Run(Run { task: root, ticks: 15_000, ..Default::default() }));
    if complete { out.end(15_000) } else { out.killed() }.unwrap();
}

/// An initial task with 7 page faults, of a thread with 9.
fn record_counts(directory: &Path, meta: &Meta) {
    let mut out = RecordingWriter::create(directory, 1, meta).unwrap();
    let root = TaskId::new(0, 1);
    let mut put = |at, record| out.put(0, at, record).unwrap();
    put(0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
    put(0, Record::Start { task: root, region: RegionId::NONE });
    put(0, Record::Counter(Counter { counter: 1, name: b"page-faults" }));
    let (seven, nine) = (7u64.to_le_bytes(), 9u64.to_le_bytes());
    let count =
        |task, flags, bytes| Record::Counts(Counts { first: 1, task, flags, bytes, ..Default::default() });
    put(50_000, count(root, layout::counts::FRAGMENT, &seven));
    put(90_000, count(TaskId::NONE, layout::counts::THREAD, &nine));
    put(0, Record::Run(Run { task: root, ticks: 90_000, ..Default::default() }));
    out.end(90_000).unwrap();
}

#[test]
fn a_host_of_devices_has_what_they_did() {
    let place = tempfile::tempdir().unwrap();
    let meta = Meta {
        devices: Some(2),
        device_transport: Some("sockets".to_owned()),
        ..RecordingWriter::plain_meta(1)
    };
    let mut out = RecordingWriter::create(&place.path().join("a.teff"), 1, &meta).unwrap();
    let task = TaskId::new(0, 1);
    let mut put = |at, record| out.put(0, at, record).unwrap();
    put(0, Record::Create(Create { task, flags: IMPLICIT, ..Default::default() }));
    let construct = DeviceConstruct::Update;
    let (bytes_to, there) = (4_000, 10_000);
    put(50_000, Record::Device(Device { task, device: 1, bytes_to, there, construct, ..Device::default() }));
    put(0, Record::Run(Run { task, ticks: 90_000, ..Default::default() }));
    out.end(90_000).unwrap();
    let report = report(place.path());
    assert_eq!(schema().check(&report), [""; 0]);
    let (devices, process) = (&report["devices"], &report["processes"][0]);
    assert_eq!((&devices["transport"], &process["devices"]), (&json!("sockets"), &json!(2)));
    assert_eq!(process.get("device"), None);
    assert_eq!(devices["devices"][0]["idle_ns"], report["wall_ns"]);
    let used = &devices["devices"][1];
    assert_eq!(
        (&used["constructs"], &used["bytes_to"], &used["moving_ns"]),
        (&json!(1), &json!(4_000), &json!(10_000.0))
    );
    assert_eq!(used["sites"], devices["sites"]);
    assert_eq!(used["sites"][0]["construct"], "update");
    let words = text(&teff(place.path(), &["report", "a.teff"]).stdout);
    assert!(
        words.contains("\nDevices, over sockets: ") && words.contains("\nConstructs on devices\n"),
        "{words}"
    );
}

/// The first thread's counters begin with its first construct.
#[test]
fn counts_of_serial_parts_are_held_back_if_a_long_one_was_not_counted() {
    let place = tempfile::tempdir().unwrap();
    let shown = |name: &str, met_cpu_ns: u64, options: &[&str]| {
        let mut meta = RecordingWriter::plain_meta(1);
        (meta.start_cpu_ns, meta.met_cpu_ns) = (2_000_000, met_cpu_ns);
        record_counts(&place.path().join(name), &meta);
        let words = [&["report", name], options].concat();
        let words = text(&teff(place.path(), &words).stdout);
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let words = shown("short.teff", 2_005_000, &[]);
    assert!(words.contains("initial 7 (in all grains) 7") && !words.contains("Counters count"), "{words}");
    let words = shown("long.teff", 2_060_000, &[]);
    assert!(words.contains("initial - (in all grains) 7"), "{words}");
    assert!(words.contains("60.0 us of CPU time in the serial part before that have no counts"), "{words}");
    let words = shown("later.teff", 2_060_000, &["--from", "10us"]);
    assert!(words.contains("initial 7 (in all grains) 7") && !words.contains("Counters count"), "{words}");
}

/// The thread counts on in the time that is left out.
#[test]
fn what_is_counted_outside_of_grains_is_known_only_of_a_whole_run() {
    let place = tempfile::tempdir().unwrap();
    record_counts(&place.path().join("a.teff"), &RecordingWriter::plain_meta(1));
    let counted = |options: &[&str]| {
        let found = report_with(place.path(), options);
        assert_eq!(schema().check(&found), [""; 0]);
        found["counters"].clone()
    };
    assert_eq!(counted(&[])["outside"], json!([2]));
    let later = counted(&["--from", "60us"]);
    assert_eq!((&later["in_grains"], &later["outside"]), (&json!([0]), &Value::Null));
    let shown = text(&teff(place.path(), &["report", "a.teff", "--from", "10us"]).stdout);
    assert!(shown.contains("(in all grains)") && !shown.contains("(outside of grains)"), "{shown}");
}

#[test]
fn reports_are_as_the_schema_says() {
    for complete in [true, false] {
        let place = tempfile::tempdir().unwrap();
        record(&place.path().join("a.teff"), complete);
        let report = report(place.path());
        assert_eq!(schema().check(&report), Vec::<String>::new());
        assert!(report["grains"]["chunks"] == 2 && report["priorities"][0]["priority"] == 3, "{report}");
    }
    let place = tempfile::tempdir().unwrap();
    let empty = RecordingWriter::create(&place.path().join("a.teff"), 1, &RecordingWriter::plain_meta(1));
    empty.unwrap().end(0).unwrap();
    assert_eq!(schema().check(&report(place.path())), Vec::<String>::new());
}

/// A task of each of two ways to the same construct, of 3 us and of 1 us.
#[test]
fn call_paths_are_as_the_schema_says() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("a.teff");
    let mut out = RecordingWriter::create(&directory, 1, &RecordingWriter::plain_meta(1)).unwrap();
    let mut put = |at, record| out.put(0, at, record).unwrap();
    let root = TaskId::new(0, 1);
    put(0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
    const CALLERS: [[u8; 16]; 2] = [
        [0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0x50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ];
    for (number, ticks, caller) in [(1, 3_000, &CALLERS[0]), (2, 1_000, &CALLERS[1])] {
        put(0, Record::Site(Site { site: number, call_site: 0x1001, ..Default::default() }));
        put(0, Record::CallPath(CallPath { site: number, flags: 2, frames: caller, python: b"" }));
        let task = TaskId::new(0, 10 + u64::from(number));
        put(10, Record::Create(Create { task, parent: root, site: number, cost: 5, flags: 0 }));
        put(u64::from(number) * 10_000, Record::Run(Run { task, ticks, ..Default::default() }));
    }
    put(0, Record::Run(Run { task: root, ticks: 90_000, ..Default::default() }));
    out.end(90_000).unwrap();
    let report = report(place.path());
    assert_eq!(schema().check(&report), Vec::<String>::new());
    let site = report["sites"].as_array().unwrap().iter().find(|site| site["kind"] == "task").unwrap();
    assert_eq!(site["count"], 2, "paths split no row");
    let paths = site["call_paths"].as_array().unwrap();
    assert_eq!((&paths[0]["work_ns"], &paths[1]["work_ns"]), (&json!(3000.0), &json!(1000.0)));
    assert_eq!((&paths[0]["calls"][0]["function"], &paths[0]["cut"]), (&json!("0x3f"), &json!(true)));
    let text = teff(place.path(), &["report", "a.teff"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("75 %  … > 0x3f\n"), "{text}");
}

/// A task of 3 us, with three samples at one address, one at another, and one in the kernel.
#[test]
fn samples_are_as_the_schema_says() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("a.teff");
    let mut out = RecordingWriter::create(&directory, 1, &RecordingWriter::plain_meta(1)).unwrap();
    let mut put = |at, record| out.put(0, at, record).unwrap();
    let (root, task) = (TaskId::new(0, 1), TaskId::new(0, 2));
    put(0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() }));
    put(0, Record::Site(Site { site: 1, call_site: 0x1001, ..Default::default() }));
    put(10, Record::Create(Create { task, parent: root, site: 1, cost: 5, flags: 0 }));
    put(1_000, Record::Run(Run { task, ticks: 3_000, ..Default::default() }));
    for (at, address, unseen) in [(1_100, 0x40, 0), (1_600, 0x50, 0), (2_600, 0x40, 1), (3_100, 0x40, 0)] {
        put(at, Record::Sample(Sample { address, unseen, period_ns: 500, ..Default::default() }));
    }
    let frames = [5u64.to_le_bytes(), (1u64 | 3 << 32).to_le_bytes()].concat(); // an entry of Python
    put(0, Record::Code(Code { code: 1, text: b"/src/a.py\nfit" }));
    put(0, Record::Stack(Stack { stack: 1, flags: 0, frames: &frames }));
    put(3_100, Record::Sampled { stack: 1 });
    put(4_000, Record::Samples(Samples { lost: 3, period_ns: 500, flags: 4 }));
    put(0, Record::Run(Run { task: root, ticks: 1_000, ..Default::default() }));
    out.end(90_000).unwrap();
    let report = report(place.path());
    assert_eq!(schema().check(&report), Vec::<String>::new());
    let sampling = &report["sampling"];
    assert_eq!(
        (&sampling["samples"], &sampling["kernel"], &sampling["lost"]),
        (&json!(5), &json!(1), &json!(3))
    );
    let site = report["sites"].as_array().unwrap().iter().find(|site| site["kind"] == "task").unwrap();
    let inside = &site["inside"];
    assert_eq!((&inside["samples"], &inside["kernel_unplaced"]), (&json!(5), &json!(1)));
    assert_eq!(
        inside["functions"].as_array().unwrap().len(),
        1,
        "nothing is known of the addresses: {inside}"
    );
    assert_eq!(inside["functions"][0]["samples"], 4);
    assert_eq!((&inside["stacks"], &inside["calls"][0]), (&json!(1), &inside["within"]));
    assert_eq!((&inside["within"]["function"], &inside["within"]["line"]), (&json!("fit"), &json!(5)));
    let text = teff(place.path(), &["report", "a.teff"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("20 %  in the kernel\n") && text.contains("3 of 8 samples were lost"), "{text}");
    let folded = teff(place.path(), &["export", "--format", "folded", "a.teff", "-o", "-"]);
    let folded = String::from_utf8_lossy(&folded.stdout).into_owned();
    assert!(
        folded.contains(";(unknown) 1500\n")
            && folded.contains(";fit a.py:5;(unknown) 500\n")
            && folded.contains(";[kernel] 500\n")
            && folded.contains(";0x1000 500\n"), // of 3000, without samples
        "{folded}"
    );
}

#[test]
fn metrics_are_there_on_request() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), true);
    assert!(report(place.path()).get("metrics").is_none());
    for thresholds in ["teff", "thesis", "published"] {
        let report = report_with(place.path(), &["--metrics", "--thresholds", thresholds]);
        assert_eq!(schema().check(&report), Vec::<String>::new());
        let metrics = &report["metrics"];
        assert_eq!(metrics["thresholds"], thresholds);
        let costly = &metrics["problems"][0];
        assert_eq!(costly["metric"], "parallel_benefit");
        assert_eq!(costly["grains"], 2, "each task works 200 ns and costs 500: {costly}");
        let spans = [&report["span_ns"], &metrics["burdened_span_ns"]].map(|span| span.as_f64().unwrap());
        assert!(spans[0] < spans[1], "{spans:?}");
    }
    let refused = teff(place.path(), &["report", "--thresholds", "thesis", "a.teff"]);
    assert!(text(&refused.stderr).contains("--metrics"), "{}", text(&refused.stderr));
    let shown = teff(place.path(), &["report", "--metrics", "a.teff"]);
    assert!(text(&shown.stdout).contains("burdened parallelism"), "{}", text(&shown.stdout));
}

#[test]
fn the_check_finds_what_is_wrong() {
    let place = tempfile::tempdir().unwrap();
    record(&place.path().join("a.teff"), true);
    let good = report(place.path());
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut report = good.clone();
        change(&mut report);
        schema().check(&report).join("; ")
    };
    assert_eq!(wrong(&|_| {}), "");
    assert!(wrong(&|report| report["wall_ns"] = json!("1 s")).contains(".wall_ns is \"1 s\""));
    assert!(wrong(&|report| report["sites"][0]["kind"] = json!("loop")).contains(".sites[0].kind is"));
    assert!(wrong(&|report| report["workers"] = json!(-1)).contains(".workers is -1"));
    assert!(wrong(&|report| report["more"] = json!(1)).contains(".more is not in docs"));
    assert!(wrong(&|report| drop(report.as_object_mut().unwrap().remove("grains")))
        .contains(".\"grains\" is missing"));
    assert!(wrong(&|report| report["version"] = json!(2)).contains(".version is 2"));
}
