// SPDX-License-Identifier: Apache-2.0
//! The records of one stream, from a byte slice.
//!
//! The reader walks chunk by chunk, in the order of their numbers (`order`). A chunk has one of
//! three ends: its size, a zero type byte (nothing more was written in it), or the end of the file
//! (the last chunk may be cut short, also in the middle of a record). The chunk's header says how
//! large its records are: records of types that this reader does not know are counted and skipped.
//! After an error the iterator is finished.

use std::path::Path;

use crate::clock::ClockPair;
use crate::decode::{decode, record_bytes};
use crate::error::{Error, Problem};
use crate::head::Head;
use crate::layout::{
    kind, u32_at, u64_at, ALIGNMENT, CHUNK_BYTES, CHUNK_HEADER_BYTES, CHUNK_HEADER_BYTES_1, LONG_AGO, MAGIC,
    SIZES_AT, VERSIONS,
};
use crate::order::{order, sequence, Order, FIRST_IN_ANY_ORDER};
use crate::record::Record;
use crate::seal;
use crate::short::LastRecords;
use crate::size::Size;
use crate::sizes::Sizes;
use crate::ticks::{Stamp, Ticks};

/// One record with its place and time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry<'a> {
    /// Byte in the file.
    pub offset: u64,
    pub stamp: Stamp,
    pub record: Record<'a>,
}

pub struct StreamReader<'a> {
    bytes: &'a [u8],
    file: &'a Path,
    stream: u32,
    /// Where the current chunk ends; equal to `at` before the first chunk.
    chunk_end: usize,
    at: usize,
    /// Where in the stream the current chunk begins.
    chunk_position: u64,
    /// Where in the stream the last record ends that was read.
    reached: u64,
    sequence: u64,
    /// Where the further chunks begin, the next one last; `None`: one after the other.
    begins: Option<Vec<usize>>,
    /// Whether the stream's first chunks are gone, as in a ring.
    lacks_first: bool,
    gone: u64,
    /// Of a ring whose oldest chunks are gone: when its first chunk here was opened.
    kept_from: Option<Stamp>,
    base: Stamp,
    last: LastRecords,
    /// What the last record stands for besides, the next one last.
    further: [Option<Entry<'a>>; 2],
    /// Those of all chunks; of none before the first chunk.
    sizes: Option<Sizes>,
    passed_over: u64,
    clock: Option<(ClockPair, ClockPair)>,
    finished: bool,
}

/// What stands at some byte of a chunk.
enum Found<'a> {
    Record(Entry<'a>),
    /// A record that this reader does not know.
    Unknown,
    /// The chunk's end.
    Nothing,
}

impl<'a> StreamReader<'a> {
    /// `file` is only named in errors; `stream` is the number in its name.
    pub fn new(bytes: &'a [u8], file: &'a Path, stream: u32) -> Self {
        match order(bytes) {
            Some(Order { begins, first, gone }) => Self::of(bytes, file, stream, (Some(begins), first, gone)),
            None => Self::of(bytes, file, stream, (None, 0, 0)),
        }
    }

    /// Of the one chunk that begins at `begin`, in which a chunk stands.
    pub fn of_chunk(bytes: &'a [u8], file: &'a Path, stream: u32, begin: usize) -> Self {
        Self::of(bytes, file, stream, (Some(vec![begin]), sequence(bytes, begin), 0))
    }

    fn of(
        bytes: &'a [u8],
        file: &'a Path,
        stream: u32,
        (begins, sequence, gone): (Option<Vec<usize>>, u64, u64),
    ) -> Self {
        Self {
            bytes,
            file,
            stream,
            chunk_end: 0,
            at: 0,
            chunk_position: 0,
            reached: 0,
            sequence,
            begins,
            lacks_first: sequence > 0,
            gone,
            kept_from: None,
            base: Stamp::default(),
            last: LastRecords::default(),
            further: [None; 2],
            sizes: None,
            passed_over: 0,
            clock: None,
            finished: false,
        }
    }

    /// The earliest and the latest (ticks, ns) pair among those read so far.
    pub fn clock_pairs(&self) -> Option<(ClockPair, ClockPair)> {
        self.clock
    }

    /// How many records among those read so far are of types, or of kinds of wait, that this reader
    /// does not know.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// The byte of the stream at which the last record ends that was read: of the file, in a
    /// version whose chunks are in order.
    pub fn reached(&self) -> u64 {
        self.reached
    }

    /// Before this instant the stream has no records any more, as far as it was read; `None`: it
    /// has all.
    pub fn kept_from(&self) -> Option<Stamp> {
        self.kept_from
    }

    /// How many chunks a ring had that are gone. It has overwritten others, which do not count.
    pub fn gone(&self) -> u64 {
        self.gone
    }

    /// Whether the stream can belong to a recording that began at `start`. Its first chunk
    /// counts from there; or, where that is long ago, from [`LONG_AGO`] before the chunk was
    /// opened, which its first record tells.
    pub fn began_at(mut self, start: Stamp) -> bool {
        let long_ago = match self.next() {
            Some(Err(_)) => return true, // who reads the stream is told of the damage
            _ if self.sizes.is_none() || self.base == start => return true, // not begun yet, or there
            Some(Ok(Entry { record: Record::Clock(opened), .. })) => {
                opened.stamp.since(self.base) >= Ticks(LONG_AGO)
            }
            Some(Ok(_)) => false,
            None => true,
        };
        long_ago && self.base > start
    }

    fn note_pair(&mut self, pair: ClockPair) {
        let (first, last) = self.clock.get_or_insert((pair, pair));
        if pair.stamp < first.stamp {
            *first = pair;
        }
        if pair.stamp > last.stamp {
            *last = pair;
        }
    }

    /// Enters the chunk at `self.at`. False: the stream ends here.
    fn enter_chunk(&mut self) -> Result<bool, Error> {
        if let Some(begins) = &mut self.begins {
            let Some(next) = begins.pop() else { return Ok(false) };
            self.at = next;
        }
        let start = self.at;
        let chunk = &self.bytes[start..self.bytes.len().min(start + CHUNK_BYTES)];
        // The magic is stored last: without it the chunk was mapped, but not begun.
        if chunk.len() < CHUNK_HEADER_BYTES_1 || u64_at(chunk, 0) == 0 {
            return Ok(false);
        }
        let fail = |problem| Error::at(self.file, start as u64, problem);
        self.check_header(chunk).map_err(fail)?;
        let header_bytes = header_bytes(chunk).map_err(fail)?;
        if chunk.len() < header_bytes {
            return Ok(false);
        }
        seal::check(chunk).map_err(fail)?;
        self.sizes = Some(self.read_sizes(chunk).map_err(fail)?);
        self.base = Stamp(u64_at(chunk, 24));
        self.last = LastRecords::default();
        self.note_pair(ClockPair { stamp: self.base, ns: u64_at(chunk, 32) });
        self.chunk_position = match version(chunk) {
            FIRST_IN_ANY_ORDER.. => self.sequence.saturating_mul(CHUNK_BYTES as u64),
            _ => start as u64,
        };
        self.sequence = self.sequence.saturating_add(1);
        self.chunk_end = start + chunk.len();
        self.at = start + header_bytes;
        self.note_reached(start);
        Ok(true)
    }

    fn note_reached(&mut self, chunk_start: usize) {
        self.reached = self.chunk_position.saturating_add((self.at - chunk_start) as u64);
    }

    fn check_header(&self, chunk: &[u8]) -> Result<(), Problem> {
        let magic = u64_at(chunk, 0);
        if magic != MAGIC {
            return Err(Problem::WrongMagic(magic));
        }
        let version = version(chunk);
        if !VERSIONS.contains(&version) {
            return Err(Problem::WrongVersion(u64::from(version)));
        }
        let found = u32_at(chunk, 12);
        if found != self.stream {
            return Err(Problem::WrongStream { expected: self.stream, found });
        }
        let found = u64_at(chunk, 16);
        if found != self.sequence {
            return Err(Problem::WrongSequence { expected: self.sequence, found });
        }
        Ok(())
    }

    fn read_sizes(&self, chunk: &[u8]) -> Result<Sizes, Problem> {
        let sizes = match version(chunk) {
            1 => Sizes::VERSION_1,
            _ => Sizes::read(&chunk[SIZES_AT..CHUNK_HEADER_BYTES])?,
        };
        if let Some(so_far) = &self.sizes {
            sizes.check_same(so_far)?;
        }
        Ok(sizes)
    }

    /// What stands at `self.at`.
    fn read_record(&mut self) -> Result<Found<'a>, Error> {
        let offset = self.at as u64;
        let rest = &self.bytes[self.at..self.chunk_end];
        let head = Head::from_word(u64_at(rest, 0));
        if rest.len() < 8 || head.kind == kind::NONE {
            return Ok(Found::Nothing);
        }
        let fail = |problem| Error::at(self.file, offset, problem);
        let size = self.sizes.as_ref().map_or(Size::NONE, |sizes| sizes.of(head.kind));
        if size == Size::NONE {
            return Err(fail(Problem::UnknownRecord(head.kind)));
        }
        let Some(bytes) = record_bytes(size, rest) else {
            return self.cut_short(offset, size.fixed_bytes() as u64);
        };
        if bytes > rest.len() as u64 {
            return self.cut_short(offset, bytes);
        }
        let record = decode(head, size, &rest[..bytes as usize], &mut self.last).map_err(fail)?;
        let start = self.chunk_start();
        self.at += bytes as usize;
        self.note_reached(start);
        let Some(record) = record else { return Ok(Found::Unknown) };
        self.last.note(head, &record);
        if let Record::Clock(pair) = record {
            self.note_pair(pair);
            if self.lacks_first && self.kept_from.is_none() {
                self.kept_from = Some(pair.stamp);
            }
        }
        let stamp = self.base + Ticks(head.when);
        if let Some((after, run, wait)) = self.last.at_once(head, rest, &record) {
            let at_once = |record| Entry { offset, stamp: stamp + Ticks(after), record };
            self.further = [wait.map(at_once), Some(at_once(run))];
        }
        Ok(Found::Record(Entry { offset, stamp, record }))
    }

    /// A record goes on beyond the bytes there are: no damage where the file ends inside the chunk.
    fn cut_short(&self, offset: u64, bytes: u64) -> Result<Found<'a>, Error> {
        let full_end = (self.chunk_start() + CHUNK_BYTES) as u64;
        if offset + bytes > full_end {
            let room = full_end - offset;
            return Err(Error::at(self.file, offset, Problem::RecordTooLong { bytes, room }));
        }
        Ok(Found::Nothing)
    }

    /// Where the current chunk begins: chunks begin at multiples of their size.
    fn chunk_start(&self) -> usize {
        self.at.saturating_sub(1) / CHUNK_BYTES * CHUNK_BYTES
    }

    fn step(&mut self) -> Result<Option<Entry<'a>>, Error> {
        if let Some(entry) = self.further.iter_mut().rev().find_map(Option::take) {
            return Ok(Some(entry));
        }
        loop {
            if self.at >= self.chunk_end && !self.enter_chunk()? {
                return Ok(None);
            }
            match self.read_record()? {
                Found::Record(entry) => return Ok(Some(entry)),
                Found::Unknown => self.passed_over += 1,
                Found::Nothing => self.at = self.chunk_end,
            }
        }
    }
}

fn version(chunk: &[u8]) -> u32 {
    u32_at(chunk, 8)
}

/// The number of bytes of the header of a chunk.
fn header_bytes(chunk: &[u8]) -> Result<usize, Problem> {
    if version(chunk) == 1 {
        return Ok(CHUNK_HEADER_BYTES_1);
    }
    let bytes = u32_at(chunk, 44);
    let can_be = (CHUNK_HEADER_BYTES..=CHUNK_BYTES).contains(&(bytes as usize));
    if !can_be || bytes as usize % ALIGNMENT != 0 {
        return Err(Problem::BadHeader(bytes));
    }
    Ok(bytes as usize)
}

impl<'a> Iterator for StreamReader<'a> {
    type Item = Result<Entry<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let step = self.step();
        self.finished = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}
