// SPDX-License-Identifier: Apache-2.0
//! Thousands of random changes of a valid stream: the reader may refuse it, but must not panic,
//! hang, or use more and more memory.

use std::path::Path;

use trace::layout::{CHUNK_BYTES, CHUNK_HEADER_BYTES, SIZES_AT};
use trace::writer::StreamWriter;
use trace::*;

/// Small generator (xorshift64*), so that every run tests the same changes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

fn two_chunks() -> Vec<u8> {
    let mut writer = StreamWriter::new(Vec::new(), 0);
    for at in 0..40u64 {
        if at == 20 {
            writer.next_chunk().unwrap();
        }
        let task = TaskId::new(0, at + 1);
        let path = b"/a/path/of/a/module";
        let module = Module { module: 1, path, ..Default::default() };
        writer.put(at * 10, &Record::Module(module)).unwrap();
        writer.put(at * 10, &Record::Create(Create { task, ..Default::default() })).unwrap();
        writer.put(at * 10, &Record::Run(Run { task, ticks: 5, ..Default::default() })).unwrap();
    }
    writer.finish().unwrap()
}

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    // Most changes fall where the records are: the head of each chunk.
    let start = if random.below(2) == 0 { 0 } else { CHUNK_BYTES };
    let at = (start + random.below(2_000)).min(bytes.len() - 1);
    match random.below(5) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.next() as u8,
        2 => bytes.truncate(at + 1),
        3 => {
            let end = (at + random.below(64)).min(bytes.len());
            bytes[at..end].fill(0xff);
        }
        _ => {
            bytes.insert(at, random.next() as u8);
        }
    }
}

#[test]
fn random_changes_never_break_the_reader() {
    let valid = two_chunks();
    let mut random = Random(0x7eff);
    let mut refused = 0;
    for _ in 0..4_000 {
        let mut bytes = valid.clone();
        for _ in 0..=random.below(4) {
            change(&mut bytes, &mut random);
        }
        let mut records = 0usize;
        for entry in StreamReader::new(&bytes, Path::new("stream-0000.bin"), 0) {
            records += 1;
            refused += usize::from(entry.is_err());
        }
        assert!(records <= bytes.len() / 32 + 1);
    }
    assert!(refused > 100, "the changes should damage something: {refused}");
}

/// What a header says of its records may be anything: whatever is given is a record that fits.
#[test]
fn random_headers_never_break_the_reader() {
    let valid = two_chunks();
    let mut random = Random(0x5_17e5);
    let (mut refused, mut passed_over) = (0, 0);
    for _ in 0..4_000 {
        let mut bytes = valid.clone();
        for _ in 0..=random.below(3) {
            let at = SIZES_AT + random.below(CHUNK_HEADER_BYTES - SIZES_AT);
            let size = random.next() as u8;
            bytes[at] = size;
            if random.below(4) != 0 {
                bytes[CHUNK_BYTES + at] = size; // in the other chunk, too
            }
            let record = CHUNK_HEADER_BYTES + 32 * random.below(100);
            bytes[record] = (at - SIZES_AT) as u8;
        }
        let mut reader = StreamReader::new(&bytes, Path::new("stream-0000.bin"), 0);
        let mut end = 0;
        for entry in &mut reader {
            match entry {
                Ok(entry) => {
                    // Several records may follow from one SHORT_TASK.
                    assert!(entry.offset >= end || entry.offset + 32 == end);
                    assert!(entry.offset % 16 == 0);
                    end = entry.offset + 32;
                }
                Err(_) => refused += 1,
            }
        }
        assert!(end <= bytes.len() as u64);
        passed_over += reader.passed_over();
    }
    assert!(refused > 100 && passed_over > 100, "refused {refused}, passed over {passed_over}");
}
