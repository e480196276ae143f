// SPDX-License-Identifier: Apache-2.0
//! The seal of a chunk: the checksum in its header, and how many bytes of the chunk it covers. The
//! checksum that ends a file of JSON.

use crate::error::Problem;
use crate::layout::{u64_at, ALIGNMENT, CHUNK_BYTES, CHUNK_HEADER_BYTES, SEALED_BYTES_AT, SEAL_BYTES};

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

fn step(sum: u64, word: u64) -> u64 {
    (sum ^ word).rotate_left(29).wrapping_mul(FACTOR)
}

fn add(sums: &mut [u64; 4], bytes: &[u8]) {
    for block in bytes.chunks(32) {
        for (sum, word) in sums.iter_mut().zip(block.chunks_exact(8)) {
            *sum = step(*sum, u64_at(word, 0));
        }
    }
}

/// Of all bytes but those of the seal itself, which count as zero. A multiple of 16 bytes, and at
/// least the header of version 1.
pub fn checksum(chunk: &[u8]) -> u64 {
    let mut sums = [1, 2, 3, 4];
    let mut first = [0; SEALED_BYTES_AT + SEAL_BYTES];
    first[..SEALED_BYTES_AT].copy_from_slice(&chunk[..SEALED_BYTES_AT]);
    add(&mut sums, &first);
    add(&mut sums, &chunk[first.len()..]);
    sums.into_iter().fold(chunk.len() as u64, step)
}

/// A chunk without a seal has none to break. One that is cut short cannot be compared: where a
/// stream is cut, its length says so.
pub(crate) fn check(chunk: &[u8]) -> Result<(), Problem> {
    let sealed = u64_at(chunk, SEALED_BYTES_AT);
    if sealed == 0 {
        return Ok(());
    }
    let can_be = (CHUNK_HEADER_BYTES as u64..=CHUNK_BYTES as u64).contains(&sealed);
    if !can_be || sealed % ALIGNMENT as u64 != 0 {
        return Err(Problem::Changed);
    }
    let covered = chunk.get(..sealed as usize);
    if covered.is_some_and(|covered| checksum(covered) != u64_at(chunk, SEALED_BYTES_AT + 8)) {
        return Err(Problem::Changed);
    }
    Ok(())
}
/// The text of a file that the recorder wrote ends with a checksum of what stands before. A text
/// without one, or with another layout, has nothing to compare.
pub(crate) fn check_text(text: &[u8]) -> Result<(), Problem> {
    const BEFORE: &[u8] = b",\n  \"checksum\": ";
    let Some(at) = text.windows(BEFORE.len()).rposition(|window| window == BEFORE) else { return Ok(()) };
    let (covered, rest) = text.split_at(at);
    let sum = covered.iter().fold(0, |sum, &byte| step(sum, u64::from(byte)));
    let expected = format!("{sum}\n}}\n");
    (&rest[BEFORE.len()..] == expected.as_bytes()).then_some(()).ok_or(Problem::ChangedText)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same text is a test of the recorder's writer.
    const WRITTEN: &str = "{\n  \"n\": 1,\n  \"checksum\": 123580254191303959\n}\n";

    #[test]
    fn each_changed_byte_before_the_checksum_is_found() {
        assert!(check_text(WRITTEN.as_bytes()).is_ok());
        let covered = WRITTEN.find(',').unwrap();
        for at in 0..covered {
            let mut text = WRITTEN.as_bytes().to_vec();
            text[at] ^= 1;
            assert!(matches!(check_text(&text), Err(Problem::ChangedText)), "byte {at}");
        }
    }

    #[test]
    fn a_text_without_a_checksum_has_nothing_to_compare() {
        assert!(check_text(b"{\n  \"n\": 1\n}\n").is_ok());
        assert!(check_text(b"{\"n\": 1, \"checksum\": 3}").is_ok());
    }
}
