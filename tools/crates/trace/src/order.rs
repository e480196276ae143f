// SPDX-License-Identifier: Apache-2.0
//! The order in which the chunks of a stream's file are read.
//!
//! Since version 5, the chunks of a file lie in any order, and their sequence numbers tell
//! (`teff_trace.h`). Before, they were in order, except in a ring whose oldest chunks are gone.

use crate::layout::{u32_at, u64_at, CHUNK_BYTES, CHUNK_HEADER_BYTES_1, MAGIC, RING_AT, VERSIONS};
use crate::seal;

/// The first version whose files have their chunks in any order.
pub const FIRST_IN_ANY_ORDER: u32 = 5;

/// Where the chunks begin that are read.
pub struct Order {
    /// The one that is read first stands last.
    pub begins: Vec<usize>,
    /// The sequence number of the one that is read first.
    pub first: u64,
}

/// `None`: the chunks are in order from the beginning of the file on.
pub fn order(bytes: &[u8]) -> Option<Order> {
    let mut begun = (0..2).map(|place| place * CHUNK_BYTES).filter(|&at| is_chunk(bytes, at));
    match begun.next().map(|at| version(bytes, at)) {
        Some(version) if version >= FIRST_IN_ANY_ORDER && VERSIONS.contains(&version) => any_order(bytes),
        Some(_) => older_ring(bytes),
        None => None,
    }
}

fn any_order(bytes: &[u8]) -> Option<Order> {
    let mut chunks: Vec<usize> = places(bytes).filter(|&at| is_chunk(bytes, at)).collect();
    chunks.sort_by_key(|&at| sequence(bytes, at));
    // A process that was killed while it copied a chunk leaves it twice, the whole one first.
    chunks.dedup_by_key(|&mut at| sequence(bytes, at));
    let is_cut = |at: &usize| at + CHUNK_BYTES > bytes.len();
    if is_in_ring(bytes, *chunks.last()?) {
        let newest_at = chunks.pop()?;
        chunks.retain(|at| !is_cut(at));
        chunks.push(newest_at);
        chunks.reverse();
        return Some(newest(bytes, chunks));
    }
    let follow = (0..).zip(&chunks).take_while(|&(number, &at)| sequence(bytes, at) == number).count();
    let rest = chunks.split_off(follow);
    if let Some(cut) = chunks.iter().position(is_cut) {
        chunks.truncate(cut + 1); // the rest of the stream is behind what is gone
        chunks.reverse();
        return Some(Order { begins: chunks, first: 0 });
    }
    // The reader tells what is wrong with the chunk that it finds in place of the next one.
    chunks.extend(damage(bytes, chunks.is_empty(), &rest));
    chunks.reverse();
    Some(Order { begins: chunks, first: 0 })
}

/// What the stream cannot go on with. `rest`: the chunks after a gap. In a file that was cut, a gap
/// is no damage: the newest chunks may be in its first places, and those before them gone. But
/// without the stream's first chunk, nothing of it can be read.
fn damage(bytes: &[u8], lacks_first: bool, rest: &[usize]) -> Option<usize> {
    let other = places(bytes).find(|&at| !is_chunk(bytes, at) && u64_at(bytes, at) != 0);
    let is_cut = |&at: &usize| sequence(bytes, at) >= places(bytes).count() as u64;
    let is_changed = |&&at: &&usize| {
        let chunk = &bytes[at..bytes.len().min(at + CHUNK_BYTES)];
        seal::check(chunk).is_err()
    };
    let changed = rest.iter().find(is_changed).copied();
    let may_be_cut = !lacks_first && rest.last().is_some_and(is_cut);
    other.or(changed).or_else(|| rest.first().copied().filter(|_| !may_be_cut))
}

/// The order of a ring of an earlier version; `None`: no chunk was overwritten.
fn older_ring(bytes: &[u8]) -> Option<Order> {
    let count = bytes.len() / CHUNK_BYTES;
    if count < 2 {
        return None;
    }
    // A chunk has the place that its number says.
    let is_in_place = |&at: &usize| {
        u64_at(bytes, at) == MAGIC && sequence(bytes, at) % count as u64 == (at / CHUNK_BYTES) as u64
    };
    // The place of the next chunk may be empty. A file that is no ring is not looked through.
    let begins = if u64_at(bytes, 0) == 0 { is_in_place(&CHUNK_BYTES) } else { sequence(bytes, 0) > 0 };
    if !begins {
        return None;
    }
    let mut chunks: Vec<usize> = (0..count).map(|place| place * CHUNK_BYTES).filter(is_in_place).collect();
    chunks.sort_unstable_by_key(|&at| std::cmp::Reverse(sequence(bytes, at)));
    if chunks.is_empty() {
        return None;
    }
    let newest = newest(bytes, chunks);
    (newest.begins.len() >= 2 && newest.first > 0).then_some(newest)
}

/// Of a ring that is damaged, the newest chunks are taken that follow each other. `chunks` has the
/// newest first, and at least one.
fn newest(bytes: &[u8], mut chunks: Vec<usize>) -> Order {
    let sequence = |at| sequence(bytes, at);
    let follow =
        chunks.windows(2).take_while(|pair| sequence(pair[0]).checked_sub(1) == Some(sequence(pair[1])));
    let kept = follow.count() + 1;
    chunks.truncate(kept);
    let first = chunks.last().map_or(0, |&at| sequence(at));
    Order { begins: chunks, first }
}

/// Where chunks may begin: with enough bytes for their first fields.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    (0..bytes.len()).step_by(CHUNK_BYTES).filter(|&at| bytes.len() - at >= CHUNK_HEADER_BYTES_1)
}

fn is_chunk(bytes: &[u8], at: usize) -> bool {
    at + CHUNK_HEADER_BYTES_1 <= bytes.len() && u64_at(bytes, at) == MAGIC
}

fn version(bytes: &[u8], at: usize) -> u32 {
    u32_at(bytes, at + 8)
}

fn sequence(bytes: &[u8], at: usize) -> u64 {
    u64_at(bytes, at + 16)
}

/// A header that ends before this field is of no ring.
fn is_in_ring(bytes: &[u8], at: usize) -> bool {
    let header_bytes = u32_at(bytes, at + 44) as usize;
    header_bytes >= RING_AT + 4 && at + RING_AT + 4 <= bytes.len() && u32_at(bytes, at + RING_AT) != 0
}
