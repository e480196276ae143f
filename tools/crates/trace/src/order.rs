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
    /// How many chunks before that one are gone, which the ring had.
    pub gone: u64,
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

/// The chunks that follow each other: of a ring up to the newest, of other files from the first on.
fn any_order(bytes: &[u8]) -> Option<Order> {
    let mut chunks: Vec<usize> = places(bytes).filter(|&at| is_chunk(bytes, at)).collect();
    chunks.sort_by_key(|&at| sequence(bytes, at));
    // A process that was killed while it copied a chunk leaves it twice, the whole one first.
    chunks.dedup_by_key(|&mut at| sequence(bytes, at));
    let ring = ring_places(bytes, *chunks.last()?);
    if ring > 0 {
        chunks.reverse();
        let newest = newest(bytes, chunks);
        return Some(Order { gone: gone(bytes, ring, &newest), ..newest });
    }
    let begins = usize::from(sequence(bytes, chunks[0]) == 0);
    let follow = chunks.windows(2).take_while(|pair| follows(bytes, pair[0], pair[1])).count();
    let rest = chunks.split_off(begins * (1 + follow));
    // The reader tells what is wrong with the chunk that it finds in place of the next one.
    chunks.extend(damage(bytes, chunks.is_empty(), &rest));
    chunks.reverse();
    Some(Order { begins: chunks, first: 0, gone: 0 })
}

/// Whether no record is missing between these two. What a cut chunk had at its end is gone.
fn follows(bytes: &[u8], before: usize, at: usize) -> bool {
    let is_whole = before + CHUNK_BYTES <= bytes.len();
    is_whole && sequence(bytes, before).checked_add(1) == Some(sequence(bytes, at))
}

/// What the stream cannot go on with. `rest`: the chunks after a gap. In a file that was cut, a gap
/// is no damage: the newest chunks may be in its first places, and those before them gone. But
/// without the stream's first chunk, nothing of it can be read.
fn damage(bytes: &[u8], lacks_first: bool, rest: &[usize]) -> Option<usize> {
    let other = places(bytes).find(|&at| !is_chunk(bytes, at) && u64_at(bytes, at) != 0);
    let is_changed = |&&at: &&usize| {
        let chunk = &bytes[at..bytes.len().min(at + CHUNK_BYTES)];
        seal::check(chunk).is_err()
    };
    let changed = rest.iter().find(is_changed).copied();
    let may_go_on = lacks_first || !was_cut(bytes, rest);
    other.or(changed).or_else(|| rest.first().copied().filter(|_| may_go_on))
}

/// A whole file has whole places, and one for each chunk.
fn was_cut(bytes: &[u8], rest: &[usize]) -> bool {
    let lacks_places = |&at: &usize| sequence(bytes, at) >= places(bytes).count() as u64;
    bytes.len() % CHUNK_BYTES != 0 || rest.last().is_some_and(lacks_places)
}

/// How many chunks a ring with so many places had before those that are read. A ring that is full
/// has a chunk in each place; but one of the first two places may have been cleared for the next
/// chunk, and a process that was killed may have left its newest whole chunk twice.
fn gone(bytes: &[u8], ring: u64, newest: &Order) -> u64 {
    let Some(&last) = newest.begins.first() else { return 0 };
    let last = sequence(bytes, last);
    let is_cleared = [0, CHUNK_BYTES].iter().any(|&at| !is_chunk(bytes, at));
    let is_twice = |at| is_chunk(bytes, at) && sequence(bytes, at).checked_add(1) == Some(last);
    let is_copied = places(bytes).filter(|&at| is_twice(at)).count() > 1;
    let had = ring.saturating_sub(u64::from(is_cleared || is_copied)).min(last.saturating_add(1));
    had.saturating_sub(newest.begins.len() as u64)
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
    let follow = chunks.windows(2).take_while(|pair| follows(bytes, pair[1], pair[0])).count();
    chunks.truncate(follow + 1);
    let first = chunks.last().map_or(0, |&at| sequence(bytes, at));
    Order { begins: chunks, first, gone: 0 }
}

/// Where chunks may begin: with enough bytes for their first fields.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    (0..bytes.len()).step_by(CHUNK_BYTES).filter(|&at| bytes.len() - at >= CHUNK_HEADER_BYTES_1)
}

pub(crate) fn is_chunk(bytes: &[u8], at: usize) -> bool {
    at + CHUNK_HEADER_BYTES_1 <= bytes.len() && u64_at(bytes, at) == MAGIC
}

pub(crate) fn version(bytes: &[u8], at: usize) -> u32 {
    u32_at(bytes, at + 8)
}

pub(crate) fn sequence(bytes: &[u8], at: usize) -> u64 {
    u64_at(bytes, at + 16)
}

/// The places of the ring that the chunk is in; 0: it is in none. A header that ends before this
/// field is of no ring.
pub(crate) fn ring_places(bytes: &[u8], at: usize) -> u64 {
    let header_bytes = u32_at(bytes, at + 44) as usize;
    let has_field = header_bytes >= RING_AT + 4 && at + RING_AT + 4 <= bytes.len();
    if has_field {
        u64::from(u32_at(bytes, at + RING_AT))
    } else {
        0
    }
}
