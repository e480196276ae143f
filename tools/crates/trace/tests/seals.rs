// SPDX-License-Identifier: Apache-2.0
//! Tests that the reader finds changed bytes by a chunk's checksum, and files of another run by
//! what end.json says.

use std::fs;
use std::path::Path;

use trace::layout::{CHUNK_BYTES, SEALED_BYTES_AT};
use trace::seal::checksum;
use trace::writer::{RecordingWriter, StreamWriter};
use trace::*;

fn stream() -> Vec<u8> {
    stream_from(0)
}

fn stream_from(start_ticks: u64) -> Vec<u8> {
    let mut writer = StreamWriter::new(Vec::new(), 0);
    writer.start_ticks = start_ticks;
    for at in 0..60u64 {
        if at == 30 {
            writer.next_chunk().unwrap();
        }
        let task = TaskId::new(0, at + 1);
        writer.put(at * 10, &Record::Run(Run { task, ticks: 5, ..Default::default() })).unwrap();
    }
    let mut bytes = writer.finish().unwrap();
    seal(&mut bytes[..CHUNK_BYTES]);
    let last = &mut bytes[CHUNK_BYTES..];
    let all_but_one = last.len() - 32;
    seal_first(last, all_but_one);
    bytes
}

fn seal(chunk: &mut [u8]) {
    seal_first(chunk, chunk.len());
}

fn seal_first(chunk: &mut [u8], bytes: usize) {
    let sum = checksum(&chunk[..bytes]);
    chunk[SEALED_BYTES_AT..SEALED_BYTES_AT + 8].copy_from_slice(&(bytes as u64).to_le_bytes());
    chunk[SEALED_BYTES_AT + 8..SEALED_BYTES_AT + 16].copy_from_slice(&sum.to_le_bytes());
}

fn read(bytes: &[u8]) -> Result<usize, Error> {
    let reader = StreamReader::new(bytes, Path::new("stream-0000.bin"), 0);
    reader.map(|entry| entry.map(|_| 1)).sum()
}

/// The bytes of the stream at which a change stays unseen.
fn unseen(bytes: &mut [u8], at: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut is_unseen = |&at: &usize| {
        bytes[at] ^= 1 << (at % 8);
        let is_read = read(bytes).is_ok();
        bytes[at] ^= 1 << (at % 8);
        is_read
    };
    at.filter(|at| is_unseen(at)).collect()
}

#[test]
fn every_changed_byte_is_found() {
    let mut bytes = stream();
    assert_eq!(read(&bytes).unwrap(), 60);
    assert!(unseen(&mut bytes, (0..CHUNK_BYTES).step_by(20_011)).is_empty(), "of a whole chunk");

    let mut writer = StreamWriter::new(Vec::new(), 0);
    for at in 0..9u64 {
        writer.put(at, &Record::Idle { ticks: 1, sleep: 0 }).unwrap();
    }
    let mut short = writer.finish().unwrap();
    let (end, sealed) = (short.len(), short.len() - 32);
    seal_first(&mut short, sealed);
    assert_eq!(read(&short).unwrap(), 9);
    // A header or a seal that is longer than the file reads as a stream that was cut; end.json has
    // the stream's length.
    assert_eq!(unseen(&mut short, 0..sealed), [45, 50]);
    assert!(!unseen(&mut short, sealed + 8..end).is_empty(), "the seal ends before the last record");
}

#[test]
fn a_changed_byte_of_a_first_chunk_is_no_other_run() {
    let place = tempfile::tempdir().unwrap();
    let meta = Meta { start_ticks: 7, ..RecordingWriter::plain_meta(1) };
    RecordingWriter::create(place.path(), 1, &meta).unwrap().end(9).unwrap();
    let mut bytes = stream_from(7);
    let mut open = || {
        fs::write(place.path().join("stream-0000.bin"), &bytes).unwrap();
        let recording = Recording::open(place.path()).map_err(|error| error.to_string());
        bytes[5_000] ^= 1;
        recording
    };
    assert!(open().is_ok());
    let damaged = open().unwrap();
    let message = damaged.streams[0].reader().find_map(Result::err).unwrap().to_string();
    assert!(message.contains("byte 0") && message.contains("checksum"), "{message}");
}

#[test]
fn a_chunk_that_is_cut_short_is_read_so_far_as_it_goes() {
    let bytes = stream();
    assert_eq!(read(&bytes[..bytes.len() - 64]).unwrap(), 58);
    let mut reader = StreamReader::new(&bytes[..CHUNK_BYTES], Path::new("stream-0000.bin"), 0);
    assert_eq!(reader.by_ref().count(), 30);
    assert_eq!(reader.reached(), 320 + 30 * 32);
}

#[test]
fn the_end_of_another_run_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let meta = Meta { start_ticks: 7, ..RecordingWriter::plain_meta(1) };
    let write = |start_ticks| {
        let out = RecordingWriter::create(place.path(), 1, &meta).unwrap();
        out.end_with(9, End { start_ticks, ..End::default() }).unwrap();
        fs::remove_file(place.path().join("stream-0000.bin")).unwrap();
        Recording::open(place.path())
    };
    assert!(write(None).is_ok());
    assert!(write(Some(7)).is_ok());
    let message = write(Some(8)).err().unwrap().to_string();
    assert!(message.contains("end.json") && message.contains("another run"), "{message}");
}
