// SPDX-License-Identifier: Apache-2.0
//! Source lines of constructs, from an object that a compiler made.

use std::path::Path;
use std::process::Command;

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

fn compile(place: &Path, debug: &str) -> std::path::PathBuf {
    let (source, object) = (place.join("work.c"), place.join("work.so"));
    std::fs::write(&source, PROGRAM).unwrap();
    let flags = ["-O1", debug, "-fopenmp", "-shared", "-fPIC", "-Wl,--allow-shlib-undefined", "-o"];
    let status = Command::new("cc").args(flags).arg(&object).arg(&source).status().unwrap();
    assert!(status.success());
    object
}

/// File address of a symbol.
fn address(object: &Path, symbol: &str) -> u64 {
    let output = Command::new("nm").arg(object).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.ends_with(&format!(" {symbol}"))).unwrap();
    u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
}

/// The site of the report on a recording whose one task runs the first outlined function.
fn site(debug: &str) -> serde_json::Value {
    const BIAS: u64 = 0x7f00_0000_0000;
    let place = tempfile::tempdir().unwrap();
    let object = compile(place.path(), debug);
    let path = object.to_str().unwrap().as_bytes();
    let function = BIAS + address(&object, "work._omp_fn.0");
    let call_site = BIAS + address(&object, "work") + 8;
    let directory = place.path().join("a.teff");
    let mut out = RecordingWriter::create(&directory, 1, &RecordingWriter::plain_meta(1)).unwrap();
    let task = TaskId::new(0, 1);
    for record in [
        Record::Module(Module { module: 1, bias: BIAS, path }),
        Record::Site(Site { site: 1, module: 1, call_site, function }),
        Record::Create(Create { task, site: 1, ..Default::default() }),
        Record::Run(Run { task, ticks: 10, ..Default::default() }),
    ] {
        out.put(0, 0, record).unwrap();
    }
    out.end(20).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_teff")).args(["report", "--json"]).arg(&directory).output();
    let facts: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    facts["sites"][0].clone()
}

#[test]
fn debug_information_gives_file_line_and_function() {
    let site = site("-g");
    assert!(site["file"].as_str().unwrap().ends_with("/work.c"), "{site}");
    assert!([5, 6].contains(&site["line"].as_u64().unwrap()), "{site}");
    assert_eq!(site["function"], "work");
}

#[test]
fn without_it_the_symbol_and_the_address_must_do() {
    let site = site("-g0");
    assert_eq!(site["file"], "");
    let function = site["function"].as_str().unwrap();
    assert!(function.starts_with("work at work.so+0x"), "{site}");
}
