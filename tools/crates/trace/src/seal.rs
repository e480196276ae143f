// SPDX-License-Identifier: Apache-2.0
//! The seal of a chunk: the checksum in its header, and how many bytes of the chunk it covers.

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
