// SPDX-License-Identifier: Apache-2.0
//! Tests the names of functions and lines in programs in the form in which they are shipped:
//! stripped, with separate debug information, and in C++.

mod common;

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{command, finish, text};
use tempfile::TempDir;
use trace::writer::RecordingWriter;
use trace::*;

const C: &str = "volatile int sink;
__attribute__((noinline)) static void hidden(int n) { for (int i = 0; i < n; i++) sink += i * n; sink++; }
__attribute__((noinline)) void work(int n) { hidden(n); sink += n; }
int main(int argc, char **argv) { (void)argv; work(argc); return 0; }
";

const CPP: &str = "volatile int sink;
namespace {
struct Mat { int x; __attribute__((noinline)) Mat &operator<<(int n) { x += n; sink += x; return *this; } };
template <class F, class... A> __attribute__((noinline)) int apply(F f, A... a) { sink++; return f(a...); }
__attribute__((noinline)) int deep(int n) { sink += n; return n; }
}
int main(int argc, char **) {
    Mat mat{argc};
    mat << argc;
    auto inner = [&](int n) __attribute__((noinline)) { sink += n; return deep(n); };
    return apply(inner, argc) + mat.x;
}
";

/// A program, and where its functions were before anything was taken from it.
struct Program {
    place: TempDir,
    path: PathBuf,
    symbols: Vec<(u64, u64, String)>,
}

fn run(place: &Path, words: &[&str]) {
    let status = Command::new(words[0]).current_dir(place).args(&words[1..]).status().unwrap();
    assert!(status.success(), "{words:?}");
}

impl Program {
    fn of(compiler: &str, source: &str, flags: &[&str]) -> Self {
        let place = tempfile::tempdir().unwrap();
        let file = if compiler == "c++" { "prog.cpp" } else { "prog.c" };
        fs::write(place.path().join(file), source).unwrap();
        run(place.path(), &[&[compiler, "-O1", "-o", "prog", file][..], flags].concat());
        let mut nm = Command::new("nm");
        let listed = nm.args(["-S", "--defined-only", "prog"]).current_dir(place.path()).output().unwrap();
        let listed = text(&listed.stdout);
        let path = place.path().join("prog");
        Self { symbols: listed.lines().filter_map(symbol).collect(), path, place }
    }

    fn then(&self, words: &[&str]) -> &Self {
        run(self.place.path(), words);
        self
    }

    /// Start and size of the function whose name has this in it.
    fn function(&self, part: &str) -> (u64, u64) {
        let found = self.symbols.iter().find(|(_, _, name)| name.contains(part));
        let Some(&(start, size, _)) = found else { panic!("no {part}: {:?}", self.symbols) };
        (start, size)
    }

    /// How the report names a task that was created there; `debug` is a directory with debug files.
    fn site(&self, address: u64, debug: &str) -> serde_json::Value {
        self.facts(address, debug, 0)["sites"][0].clone()
    }

    /// The report on a recording from 1970 on, of a program with this build id.
    fn facts(&self, address: u64, debug: &str, build_id: u64) -> serde_json::Value {
        let bias = 0x7f00_0000_0000;
        let start_unix_ns = u64::from(build_id != 0);
        let meta = Meta { start_unix_ns, ..RecordingWriter::plain_meta(1) };
        let mut out = RecordingWriter::create(&self.place.path().join("a.teff"), 1, &meta).unwrap();
        let task = TaskId::new(0, 1);
        let path = self.path.as_os_str().as_bytes();
        for record in [
            Record::Module(Module { module: 1, bias, build_id, path, ..Default::default() }),
            Record::Site(Site { site: 1, module: 1, call_site: bias + address + 1, function: 0 }),
            Record::Create(Create { task, site: 1, ..Default::default() }),
            Record::Run(Run { task, ticks: 10, ..Default::default() }),
        ] {
            out.put(0, 0, record).unwrap();
        }
        out.end(20).unwrap();
        let mut report = command(self.place.path(), &["report", "--json", "a.teff"]);
        let output = finish(report.env("TEFF_DEBUG_DIR", self.place.path().join(debug)));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn name(&self, address: u64) -> String {
        self.site(address, "none")["function"].as_str().unwrap().to_owned()
    }
}

fn symbol(line: &str) -> Option<(u64, u64, String)> {
    let mut words = line.split_whitespace();
    let number = |word: Option<&str>| u64::from_str_radix(word?, 16).ok();
    let (start, size) = (number(words.next())?, number(words.next())?);
    Some((start, size, words.nth(1)?.to_owned()))
}

#[test]
fn a_stripped_program_names_what_its_dynamic_symbols_hold_and_no_more() {
    let program = Program::of("cc", C, &["-rdynamic"]);
    let ((work, size), (hidden, _)) = (program.function("work"), program.function("hidden"));
    program.then(&["strip", "prog"]);
    for inside in [work, work + size - 1] {
        assert_eq!(program.name(inside), format!("work at prog+{inside:#x}"));
    }
    for outside in [hidden, hidden + 4, work + size + 0x1000] {
        assert_eq!(program.name(outside), format!("prog+{outside:#x}"));
    }
}

#[test]
fn a_program_without_any_symbols_has_addresses() {
    let program = Program::of("cc", C, &[]);
    let (work, _) = program.function("work");
    program.then(&["strip", "prog"]);
    assert_eq!(program.name(work), format!("prog+{work:#x}"));
}

#[test]
fn a_static_program_that_can_be_anywhere_has_its_names() {
    for flags in [&["-static-pie", "-fPIE", "-g"][..], &["-static-pie", "-fPIE"], &["-no-pie"]] {
        let program = Program::of("cc", C, flags);
        let (hidden, size) = program.function("hidden");
        let site = program.site(hidden + size - 1, "none");
        let function = site["function"].as_str().unwrap();
        let lines = flags.contains(&"-g");
        assert!(
            function == "hidden" || !lines && function.starts_with("hidden at prog+"),
            "{flags:?}: {site}"
        );
        assert_eq!(site["line"], if lines { 2 } else { 0 }, "{flags:?}: {site}");
    }
}

/// Takes its debug information out of the program, into `prog.debug`.
fn split() -> Program {
    let program = Program::of("cc", C, &["-g", "-Wl,--build-id=0xabcdef0123456789abcdef"]);
    program.then(&["objcopy", "--only-keep-debug", "prog", "prog.debug"]).then(&["strip", "prog"]).then(&[
        "objcopy",
        "--add-gnu-debuglink=prog.debug",
        "prog",
    ]);
    program
}

fn has_line(program: &Program, directory: &str) -> bool {
    let (hidden, _) = program.function("hidden");
    let site = program.site(hidden + 4, directory);
    if site["line"] == 0 {
        assert_eq!(site["function"], format!("prog+{:#x}", hidden + 4));
        return false;
    }
    assert!(site["file"].as_str().unwrap().ends_with("/prog.c"), "{site}");
    assert_eq!((site["line"].as_u64(), site["function"].as_str()), (Some(2), Some("hidden")));
    true
}

#[test]
fn debug_information_is_found_where_debuggers_look_for_it() {
    let program = split();
    let place = program.place.path().canonicalize().unwrap();
    let below = format!("lib{}", place.display());
    assert!(has_line(&program, "none"), "beside the program");
    let mut before = place.join("prog.debug");
    let places =
        [".debug/prog.debug", "lib/.build-id/ab/cdef0123456789abcdef.debug", &format!("{below}/prog.debug")];
    for at in places.map(|at| place.join(at)) {
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::rename(&before, &at).unwrap();
        assert!(has_line(&program, "lib"), "{}", at.display());
        before = at;
    }
    fs::remove_file(before).unwrap();
    assert!(!has_line(&program, "lib"));
}

#[test]
fn debug_information_of_another_build_is_not_taken() {
    let other = |id: &str| Program::of("cc", &format!("\n\n{C}"), &["-g", &format!("-Wl,--build-id={id}")]);
    let program = split();
    fs::copy(other("0x1234").path, program.place.path().join("prog.debug")).unwrap();
    assert!(!has_line(&program, "none"));
    // Without build ids the checksum in the link must do.
    let (program, other) = (Program::of("cc", C, &["-g", "-Wl,--build-id=none"]), other("none"));
    program.then(&["objcopy", "--only-keep-debug", "prog", "prog.debug"]).then(&["strip", "prog"]);
    program.then(&["objcopy", "--add-gnu-debuglink=prog.debug", "prog"]);
    assert!(has_line(&program, "none"));
    fs::copy(other.path, program.place.path().join("prog.debug")).unwrap();
    assert!(!has_line(&program, "none"));
}

#[test]
fn names_of_cpp_keep_all_that_tells_them_apart() {
    let program = Program::of("c++", CPP, &[]);
    for (part, expected) in [
        ("Matls", "(anonymous namespace)::Mat::operator<<"),
        ("deep", "(anonymous namespace)::deep"),
        ("5apply", "(anonymous namespace)::apply<main::{lambda(int)#1}, int>"),
        ("_ZZ4mainENK", "main::{lambda(int)#1}::operator() const"),
    ] {
        let (start, _) = program.function(part);
        assert_eq!(program.name(start), format!("{expected} at prog+{start:#x}"));
    }
}

#[test]
fn a_build_id_says_whether_it_is_the_file_that_ran() {
    let program = Program::of("cc", C, &["-g", "-Wl,--build-id=0x0123456789abcdef55"]);
    let (hidden, _) = program.function("hidden");
    // The file is younger than the recording, which counts only where no build id is known.
    let same =
        program.facts(hidden + 4, "none", u64::from_le_bytes([1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]));
    assert_eq!((&same["sites"][0]["line"], same["notes"].to_string().contains("prog")), (&2.into(), false));
    let other = program.facts(hidden + 4, "none", 0x55);
    assert_eq!(other["sites"][0]["function"], format!("prog+{:#x}", hidden + 4));
    assert!(other["notes"].to_string().contains("prog is not the build that ran"), "{other}");
}
