// SPDX-License-Identifier: Apache-2.0
//! Tests how the reader treats the files themselves: files of other kinds, large files, and two
//! runs in one directory.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use trace::layout::LONG_AGO;
use trace::writer::{RecordingWriter, StreamWriter};
use trace::*;

fn recording(directory: &Path, start_ticks: u64, streams: u16) {
    let meta = Meta { start_ticks, ..RecordingWriter::plain_meta(1) };
    let mut out = RecordingWriter::create(directory, streams, &meta).unwrap();
    for stream in 0..streams {
        out.put(stream, 0, Record::Idle { ticks: 1, sleep: 0 }).unwrap();
    }
    out.end(9).unwrap();
}

fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    recording(place.path(), 0, 1);
    place
}

fn message(place: &Path) -> String {
    Recording::open(place).err().expect("the recording must be refused").to_string()
}

type Maker = fn(&Path);

/// Things that block or never end when they are opened or read as a file.
const NO_FILES: [(&str, Maker); 5] = [
    ("a FIFO", |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success())),
    ("a socket", |path| drop(UnixListener::bind(path).unwrap())),
    ("a device", |path| symlink("/dev/zero", path).unwrap()),
    ("a device", |path| symlink("/dev/tty", path).unwrap()),
    ("a directory", |path| fs::create_dir(path).unwrap()),
];

/// The value of `work`, unless that takes too long: then the test has failed, and the thread is
/// left behind.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (give, take) = mpsc::channel();
    thread::spawn(move || give.send(work()));
    take.recv_timeout(Duration::from_secs(60)).expect("an end within a minute")
}

#[test]
fn what_is_no_regular_file_is_refused_and_not_waited_for() {
    for name in ["meta.json", "end.json", "stream-0000.bin"] {
        for (kind, make) in NO_FILES {
            let place = place();
            let file = place.path().join(name);
            fs::remove_file(&file).unwrap();
            make(&file);
            let path = place.path().to_owned();
            let (message, known) = in_time(move || (message(&path), is_recording(&path)));
            assert!(message.contains(name) && message.contains(kind), "{message}");
            assert_eq!(known, name != "meta.json");
        }
    }
}

#[test]
fn links_that_lead_nowhere_are_named() {
    let place = place();
    let file = place.path().join("stream-0007.bin");
    symlink("stream-0007.bin", &file).unwrap();
    assert!(message(place.path()).contains("stream-0007.bin: cannot be read"));
    fs::remove_file(&file).unwrap();
    fs::remove_file(place.path().join("meta.json")).unwrap();
    symlink("gone", place.path().join("meta.json")).unwrap();
    assert!(message(place.path()).contains("meta.json: cannot be read"));
}

#[test]
fn a_command_line_of_any_length_is_read() {
    let place = tempfile::tempdir().unwrap();
    // As long as Linux allows, with characters that take six bytes in JSON.
    let mut meta = RecordingWriter::plain_meta(1);
    meta.command = vec!["\u{1}".repeat(120_000); 50].into();
    meta.command_left_out = 7; // by the runtime
    RecordingWriter::create(place.path(), 1, &meta).unwrap().end(1).unwrap();
    assert!(fs::metadata(place.path().join("meta.json")).unwrap().len() > 30 << 20);
    let command = Recording::open(place.path()).unwrap().meta.command;
    assert!(command.to_string().len() < 100_000);
    assert_eq!(command.left_out, 50 + 7);
    assert!(is_recording(place.path()));
}

#[test]
fn a_meta_file_that_no_runtime_writes_is_refused_before_it_fills_the_memory() {
    let place = place();
    let file = fs::OpenOptions::new().write(true).open(place.path().join("meta.json")).unwrap();
    file.set_len(1 << 40).unwrap(); // no blocks behind it
    assert!(message(place.path()).contains("more than 67108864 bytes"), "{}", message(place.path()));
}

#[test]
fn streams_of_two_runs_in_one_directory_are_told_apart() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    for (start, of_other) in [(1_000, 2_000), (2_000, 1_000)] {
        recording(&one, start, 1);
        recording(&other, of_other, 2);
        fs::copy(other.join("stream-0001.bin"), one.join("stream-0001.bin")).unwrap();
        let message = message(&one);
        assert!(message.contains("stream-0001.bin") && message.contains("another run"), "{message}");
        fs::remove_dir_all(&one).unwrap();
    }
}

#[test]
fn a_stream_that_began_long_after_its_recording_belongs_to_it() {
    let started = |base: u64, opened: u64| {
        let mut writer = StreamWriter::new(Vec::new(), 0);
        writer.start_ticks = base;
        writer.put(0, &Record::Clock(ClockPair { stamp: Stamp(opened), ns: 0 })).unwrap();
        let bytes = writer.finish().unwrap();
        StreamReader::new(&bytes, Path::new("stream-0000.bin"), 0).began_at(Stamp(500))
    };
    assert!(started(500, 700));
    assert!(started(600, 600 + LONG_AGO));
    assert!(!started(600, 700) && !started(400, 400 + LONG_AGO));
}

#[test]
fn names_are_numbers_without_a_sign() {
    let place = place();
    fs::write(place.path().join("stream-+001.bin"), "").unwrap();
    assert!(message(place.path()).contains("no stream number"));
}

/// A recording of a process with this number.
fn process(directory: &Path, pid: u64, start_monotonic_ns: u64) {
    let meta = Meta { pid, start_monotonic_ns, ..RecordingWriter::plain_meta(1) };
    RecordingWriter::create(directory, 1, &meta).unwrap().end(9).unwrap();
}

#[test]
fn the_processes_of_a_recording_are_found_in_their_order() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("a.teff");
    process(&directory, 20, 100);
    process(&directory.join("process-30"), 30, 400);
    process(&directory.join("process-25"), 25, 200);
    process(&directory.join("process-20"), 20, 300);
    fs::create_dir(directory.join("process-40")).unwrap(); // killed before it had recorded anything
    fs::create_dir(directory.join("mine")).unwrap();
    let found = processes(&directory).unwrap().readable;
    let labels: Vec<_> = found.iter().map(|process| process.label.as_str()).collect();
    assert_eq!(labels, ["20", "25", "20-2", "30"]);
    assert_eq!(found[0].directory, directory);
    for process in &found {
        assert_eq!(Recording::open(&process.directory).unwrap().meta.pid, process.meta.pid);
    }
}

#[test]
fn a_damaged_process_leaves_the_others() {
    let place = tempfile::tempdir().unwrap();
    for pid in [7, 8] {
        process(&place.path().join(format!("process-{pid}")), pid, pid);
    }
    fs::write(place.path().join("process-7/meta.json"), "{").unwrap();
    let found = processes(place.path()).unwrap();
    assert_eq!(found.readable.len(), 1);
    let [damaged] = &*found.damaged else { panic!("{} are damaged", found.damaged.len()) };
    assert!(damaged.to_string().contains("process-7"), "{damaged}");
    fs::write(place.path().join("process-8/meta.json"), "[]").unwrap();
    assert!(processes(place.path()).is_err(), "then nothing is left");
}

#[test]
fn a_recording_whose_first_process_was_killed_early_has_the_others() {
    let place = tempfile::tempdir().unwrap();
    process(&place.path().join("process-7"), 7, 1);
    assert_eq!(processes(place.path()).unwrap().readable.len(), 1);
    fs::remove_dir_all(place.path().join("process-7")).unwrap();
    let message = processes(place.path()).err().unwrap().to_string();
    assert!(message.contains("no meta.json"), "{message}");
}

#[test]
fn a_chunk_whose_memory_was_given_back_can_be_read_again() {
    let place = place();
    let recording = Recording::open(place.path()).unwrap();
    let stream = &recording.streams[0];
    let records = || stream.reader().collect::<Result<Vec<_>, _>>().unwrap();
    let before = records();
    stream.release_chunk(0);
    stream.release_chunk(7 * trace::layout::CHUNK_BYTES); // behind the end
    assert_eq!(before.len(), 1);
    assert_eq!(records(), before);
}
