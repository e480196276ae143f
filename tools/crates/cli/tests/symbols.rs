// SPDX-License-Identifier: Apache-2.0
//! Source lines of constructs, from an object that a compiler made.

mod common;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

use common::{mkfifo, teff, text};
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

/// Two tasks, on lines 5 and 7; no OpenMP library is needed to look at them.
const PROGRAM: &str = "void use(int *);
void work(void)
{
    int a, b;
#pragma omp task shared(a)
    use(&a);
#pragma omp task shared(b)
    use(&b);
}
";

fn compile(place: &Path, flags: &[&str]) -> PathBuf {
    let (source, object) = (place.join("work.c"), place.join("work.so"));
    std::fs::write(&source, PROGRAM).unwrap();
    let usual = ["-O1", "-fopenmp", "-shared", "-fPIC", "-Wl,--allow-shlib-undefined", "-o"];
    let done =
        Command::new("cc").current_dir(place).args(flags).args(usual).arg(&object).arg(&source).status();
    assert!(done.unwrap().success());
    object
}

/// File address of a symbol.
fn address(object: &Path, symbol: &str) -> u64 {
    let output = Command::new("nm").arg(object).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.ends_with(&format!(" {symbol}"))).unwrap();
    u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
}

const BIAS: u64 = 0x7f00_0000_0000;

/// The first site of the report on a recording of one task, whose construct stands in the object at
/// `path`.
fn reported(place: &Path, path: &Path, call_site: u64, function: u64) -> serde_json::Value {
    facts(place, path, call_site, function, 0)["sites"][0].clone()
}

/// The report on a recording that began at `start_unix_ns`.
fn facts(place: &Path, path: &Path, call_site: u64, function: u64, start_unix_ns: u64) -> serde_json::Value {
    let directory = place.join("a.teff");
    let meta = Meta { start_unix_ns, ..RecordingWriter::plain_meta(1) };
    let mut out = RecordingWriter::create(&directory, 1, &meta).unwrap();
    let task = TaskId::new(0, 1);
    let (call_site, function) = (BIAS + call_site, BIAS + function);
    let path = path.as_os_str().as_bytes();
    for record in [
        Record::Module(Module { module: 1, bias: BIAS, path, ..Default::default() }),
        Record::Site(Site { site: 1, module: 1, call_site, function }),
        Record::Create(Create { task, site: 1, ..Default::default() }),
        Record::Run(Run { task, ticks: 10, ..Default::default() }),
    ] {
        out.put(0, 0, record).unwrap();
    }
    out.end(20).unwrap();
    let output = teff(place, &["report", "--json", "a.teff"]);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}: {}", output.status, text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// ... whose one task runs the first outlined function of `object`.
fn site_in(place: &Path, object: &Path) -> serde_json::Value {
    reported(place, object, address(object, "work") + 8, address(object, "work._omp_fn.0"))
}

fn site(flags: &[&str]) -> serde_json::Value {
    let place = tempfile::tempdir().unwrap();
    site_in(place.path(), &compile(place.path(), flags))
}

fn has_line_and_function(site: &serde_json::Value) {
    assert!(site["file"].as_str().unwrap().ends_with("/work.c"), "{site}");
    assert!([5, 6].contains(&site["line"].as_u64().unwrap()), "{site}");
    assert_eq!(site["function"], "work");
}

#[test]
fn debug_information_gives_file_line_and_function() {
    has_line_and_function(&site(&["-g"]));
}

/// The view model in the page.
fn model(place: &Path) -> serde_json::Value {
    let page = text(&teff(place, &["view", "--html", "-", "a.teff"]).stdout);
    let data = page.rsplit("teff-data").find_map(|rest| rest.split_once("\">")).expect("data in the page").1;
    serde_json::from_str(data.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn report_and_page_show_a_construct_with_two_addresses_once() {
    let place = tempfile::tempdir().unwrap();
    let object = compile(place.path(), &["-g"]);
    let (work, entry) = (address(&object, "work"), address(&object, "work._omp_fn.0"));
    let directory = place.path().join("a.teff");
    let mut out = RecordingWriter::create(&directory, 1, &RecordingWriter::plain_meta(1)).unwrap();
    let path = object.as_os_str().as_bytes();
    let module = Module { module: 1, bias: BIAS, path, ..Default::default() };
    out.put(0, 0, Record::Module(module)).unwrap();
    for number in 1..=3 {
        let (call_site, function) = (BIAS + work + u64::from(number), BIAS + entry);
        let task = TaskId::new(0, number.into());
        let run = Run { task, ticks: 10, ..Default::default() };
        out.put(0, 0, Record::Site(Site { site: number, module: 1, call_site, function })).unwrap();
        out.put(0, 0, Record::Create(Create { task, site: number, ..Default::default() })).unwrap();
        out.put(0, 0, Record::Run(run)).unwrap();
    }
    out.end(20).unwrap();
    let report = teff(place.path(), &["report", "--json", "a.teff"]);
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let rows = |sites: &serde_json::Value| -> Vec<(String, u64)> {
        let row = |site: &serde_json::Value| (site["function"].to_string(), site["count"].as_u64().unwrap());
        sites.as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(rows(&report["sites"]), [("\"work\"".to_owned(), 3)]);
    assert_eq!(rows(&model(place.path())["sites"]), rows(&report["sites"]));
}

#[test]
fn barriers_of_one_line_end_one_phase() {
    let place = tempfile::tempdir().unwrap();
    let object = compile(place.path(), &["-g"]);
    let work = BIAS + address(&object, "work");
    let directory = place.path().join("a.teff");
    let mut out = RecordingWriter::create(&directory, 1, &RecordingWriter::plain_meta(1)).unwrap();
    let path = object.as_os_str().as_bytes();
    out.put(0, 0, Record::Module(Module { module: 1, bias: BIAS, path, ..Default::default() })).unwrap();
    for site in 1..=3 {
        let site = Site { site, module: 1, call_site: work + u64::from(site), function: 0 };
        out.put(0, 0, Record::Site(site)).unwrap();
    }
    let (root, member, region) = (TaskId::new(0, 1), TaskId::new(0, 2), RegionId::new(0, 1));
    out.put(0, 0, Record::Create(Create { task: root, flags: IMPLICIT, ..Default::default() })).unwrap();
    let construct = Region { region, parent: root, site: 3, threads: 1, requested: 1, level: 1 };
    out.put(0, 0, Record::Region(construct)).unwrap();
    let create = Create { task: member, parent: root, site: 3, flags: IMPLICIT, ..Default::default() };
    out.put(0, 0, Record::Create(create)).unwrap();
    out.put(0, 0, Record::Start { task: member, region }).unwrap();
    for (barrier, at) in [(1, 10), (2, 30)] {
        let wait =
            Wait { kind: WaitKind::Barrier, task: member, ticks: 5, site: barrier, barrier, departures: 0 };
        out.put(0, at, Record::Wait(wait)).unwrap();
    }
    out.put(0, 0, Record::Run(Run { task: member, ticks: 40, region, ..Default::default() })).unwrap();
    out.put(0, 40, Record::RegionEnd { region }).unwrap();
    out.put(0, 0, Record::Run(Run { task: root, ticks: 50, ..Default::default() })).unwrap();
    out.end(50).unwrap();
    let report = teff(place.path(), &["report", "--json", "a.teff"]);
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let phases = report["phases"].as_array().unwrap();
    let at_barriers: Vec<_> = phases.iter().filter(|phase| phase["ends_at"] == "barrier").collect();
    assert_eq!(at_barriers.len(), 1, "{phases:#?}");
    assert_eq!(at_barriers[0]["times"], 2, "{phases:#?}");
}

#[test]
fn debug_information_may_be_compressed_or_split() {
    has_line_and_function(&site(&["-g", "-gz=zlib"]));
    has_line_and_function(&site(&["-g", "-gsplit-dwarf"]));
    let place = tempfile::tempdir().unwrap();
    let object = compile(place.path(), &["-g"]);
    let zstd = Command::new("objcopy").arg("--compress-debug-sections=zstd").arg(&object).status().unwrap();
    assert!(zstd.success());
    has_line_and_function(&site_in(place.path(), &object));
}

#[test]
fn without_it_the_symbol_and_the_address_must_do() {
    let site = site(&["-g0"]);
    assert_eq!(site["file"], "");
    let function = site["function"].as_str().unwrap();
    assert!(function.starts_with("work at work.so+0x"), "{site}");
}

fn is_shown_as_an_address(facts: &serde_json::Value, note: &str) {
    let site = &facts["sites"][0];
    assert_eq!((&site["file"], &site["line"]), (&"".into(), &0.into()), "{site}");
    assert!(site["function"].as_str().unwrap().starts_with("work.so+0x"), "{site}");
    let notes: Vec<_> = facts["notes"].as_array().unwrap().iter().filter_map(|note| note.as_str()).collect();
    assert!(notes.iter().any(|said| said.contains("/work.so") && said.contains(note)), "{notes:?}");
}

#[test]
fn an_object_that_was_built_anew_since_has_other_lines() {
    let place = tempfile::tempdir().unwrap();
    let object = compile(place.path(), &["-g"]);
    let built = object.metadata().unwrap().modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let (call, entry) = (address(&object, "work") + 8, address(&object, "work._omp_fn.0"));
    let report = |start: u128| facts(place.path(), &object, call, entry, start as u64);
    has_line_and_function(&report(built)["sites"][0]);
    assert!(!report(built)["notes"].to_string().contains("work.so"));
    is_shown_as_an_address(&report(built - 1), "has changed");
}

#[test]
fn an_object_that_is_gone_is_named() {
    let place = tempfile::tempdir().unwrap();
    is_shown_as_an_address(
        &facts(place.path(), &place.path().join("work.so"), 0x1001, 0, 0),
        "does not exist",
    );
}

#[test]
fn the_name_of_an_object_need_not_be_utf_8() {
    let place = tempfile::tempdir().unwrap();
    let renamed = place.path().join(OsStr::from_bytes(b"work\xff.so"));
    std::fs::rename(compile(place.path(), &["-g"]), &renamed).unwrap();
    has_line_and_function(&site_in(place.path(), &renamed));
}

#[test]
fn a_name_cannot_command_the_terminal() {
    let place = tempfile::tempdir().unwrap();
    let renamed = place.path().join("work\x1b[31m.so");
    std::fs::rename(compile(place.path(), &["-g0"]), &renamed).unwrap();
    site_in(place.path(), &renamed);
    let report = text(&teff(place.path(), &["report", "a.teff"]).stdout);
    assert!(report.contains("work at work\\u{1b}[31m.so+0x"), "{report}");
    assert!(!report.contains('\x1b'), "{report}");
    // Nor can it be written in XML.
    let graph = text(&teff(place.path(), &["export", "--format", "graphml", "-o", "-", "a.teff"]).stdout);
    assert!(graph.contains("work at work\\u{1b}[31m.so+0x") && !graph.contains('\x1b'), "{graph}");
}

#[test]
fn a_name_that_leads_to_no_file_holds_nobody_up() {
    let place = tempfile::tempdir().unwrap();
    let fifo = place.path().join("fifo");
    mkfifo(&fifo);
    let no_files = ["/dev/zero", "/dev/tty", "/proc/kmsg", "/", "/proc/self/mem", fifo.to_str().unwrap()];
    for path in no_files {
        let site = reported(place.path(), Path::new(path), 0x1001, 0);
        assert!(site["function"].as_str().unwrap().ends_with("+0x1000"), "{site}");
    }
}

#[test]
fn a_split_file_that_is_no_file_holds_nobody_up() {
    let place = tempfile::tempdir().unwrap();
    let object = compile(place.path(), &["-g", "-gsplit-dwarf"]);
    let is_split = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "dwo");
    let files = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path());
    let split = files.into_iter().find(is_split).expect("a split file");
    std::fs::remove_file(&split).unwrap();
    mkfifo(&split);
    mkfifo(&place.path().join("work.so.dwp"));
    assert!(site_in(place.path(), &object)["function"].as_str().unwrap().contains("work"));
}

/// One function whose inlined calls are nested a million deep: one byte each.
const NESTED: &str = r"
    .text
    .globl work
    .type work, @function
    .size work, 64
work: .zero 64
    .section .debug_abbrev
    .byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0     # unit: low_pc addr, high_pc data8
    .byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0     # function, with children: the same
    .byte 3, 0x1d, 1, 0, 0                       # inlined call, with children: nothing
    .byte 0
    .section .debug_info
    .long end - begin
begin:
    .short 4
    .long 0
    .byte 8
    .byte 1
    .quad work, 64
    .byte 2
    .quad work, 64
    .fill 1000000, 1, 3
    .fill 1000002, 1, 0
end:
    .section .note.GNU-stack
";

#[test]
fn entries_that_nest_without_end_do_not_use_up_the_stack() {
    let place = tempfile::tempdir().unwrap();
    let (source, object) = (place.path().join("nested.s"), place.path().join("nested.so"));
    std::fs::write(&source, NESTED).unwrap();
    let built = Command::new("cc").arg("-shared").arg("-o").args([&object, &source]).status().unwrap();
    assert!(built.success());
    let at = address(&object, "work");
    let site = reported(place.path(), &object, at + 8, at + 16);
    assert!(site["function"].as_str().unwrap().starts_with("work at nested.so"), "{site}");
}

/// Units for one function, which share a line program: after a header with `@names` files, `@rows`
/// instructions that each give address and line one more. The name of their directory has
/// `@directory` bytes.
const LINES: &str = r#"
    .text
    .globl work
    .type work, @function
    .size work, 64
work: .zero 64
    .section .debug_abbrev
    .byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17         # low_pc addr, high_pc data8, stmt_list
    .byte 0x1b, 0x0e, 0, 0                                 # comp_dir strp
    .byte 0
    .section .debug_str
    .fill @directory, 1, 'd'
    .byte 0
    .section .debug_info
    .rept @units
    .long 2f - 1f
1:  .short 4
    .long 0
    .byte 8
    .byte 1
    .quad work, 64
    .long 0, 0
2:
    .endr
    .section .debug_line
    .long 4f - 1f
1:  .short 4
    .long 3f - 2f
2:  .byte 1, 1, 1, 0, 14, 13                               # special opcodes begin at 13
    .byte 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
    .byte 0                                                # no directories
    .string "work.c"
    .byte 0, 0, 0
    .rept @names
    .string "x"
    .byte 0, 0, 0
    .endr
    .byte 0
3:  .byte 0, 9, 2
    .quad work
    .fill @rows, 1, 13 + 14 + 1
    .byte 0, 1, 1                                          # end of the sequence
4:
    .section .note.GNU-stack
"#;

fn site_with_lines(units: usize, directory: usize, names: usize, rows: usize) -> serde_json::Value {
    let place = tempfile::tempdir().unwrap();
    let (source, object) = (place.path().join("lines.s"), place.path().join("lines.so"));
    let numbers = [("@units", units), ("@directory", directory), ("@names", names), ("@rows", rows)];
    let replace = |text: String, (name, number): (&str, usize)| text.replace(name, &number.to_string());
    std::fs::write(&source, numbers.into_iter().fold(LINES.to_owned(), replace)).unwrap();
    let built = Command::new("cc").arg("-shared").arg("-o").args([&object, &source]).status().unwrap();
    assert!(built.success());
    let at = address(&object, "work");
    reported(place.path(), &object, at + 8, at + 16)
}

#[test]
fn rows_and_files_of_line_tables_are_bounded() {
    for (units, names, rows) in [(1, 0, 60), (10, 100, 10_000)] {
        let site = site_with_lines(units, 3, names, rows);
        assert!(site["file"] == "ddd/work.c" && site["line"].as_u64().unwrap() > 10, "{site}");
    }
    // Rows of a unit, bytes of its header, and paths of all units.
    for (units, directory, names, rows) in
        [(1, 0, 0, 6_000_000), (1, 0, 900_000, 60), (12, 1_000_000, 100, 60)]
    {
        let site = site_with_lines(units, directory, names, rows);
        assert_eq!(site["file"], "", "{units} units, {directory} bytes, {names} names, {rows} rows");
        assert!(site["function"].as_str().unwrap().starts_with("work at lines.so"), "{site}");
    }
}

#[test]
fn very_many_objects_that_are_gone_hold_nobody_up() {
    let place = tempfile::tempdir().unwrap();
    let mut out =
        RecordingWriter::create(&place.path().join("a.teff"), 1, &RecordingWriter::plain_meta(1)).unwrap();
    for module in 1..1 << 17 {
        let path = format!("/absent/{module:06}");
        let path = path.as_bytes();
        out.put(0, 0, Record::Module(Module { module, path, ..Default::default() })).unwrap();
        out.put(0, 0, Record::Site(Site { site: module, module, call_site: 1, function: 0 })).unwrap();
    }
    let task = TaskId::new(0, 1);
    out.put(0, 0, Record::Create(Create { task, site: 1, ..Default::default() })).unwrap();
    out.put(0, 0, Record::Run(Run { task, ticks: 10, ..Default::default() })).unwrap();
    out.end(20).unwrap();
    let output = teff(place.path(), &["report", "--json", "a.teff"]);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}: {}", output.status, text(&output.stderr));
    assert!(text(&output.stdout).contains("/absent/000007 does not exist"));
}
