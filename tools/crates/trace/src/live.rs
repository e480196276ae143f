// SPDX-License-Identifier: Apache-2.0
//! The file of a stream that a process may be writing, as the file was at one instant.
//!
//! The process fills its buffers, which are the first two places of the file, and uses them again
//! for later chunks. In a ring it also overwrites its oldest chunks. [`LiveStream::begin`] copies
//! the buffers: first the chunk that the process has left, which is whole, and then the newest one.
//! This fixes the instant. [`LiveStream::finish`] takes the other places. Those of a ring are
//! copied, and a chunk that the process has written since then is left out. So a ring may lack some
//! of its oldest chunks, and has all that follow.
//!
//! The instants of several streams are near each other if all are begun before one is finished.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use memmap2::{Mmap, MmapMut, MmapOptions};

use crate::input::{open_regular, within};
use crate::layout::CHUNK_BYTES;
use crate::order::{is_chunk, ring_places, sequence, version, FIRST_IN_ANY_ORDER};
use crate::seal;

/// Each page of memory has at least this size.
const PAGE_BYTES: usize = 4096;
const BUFFERS: usize = 2;
const PAUSE: Duration = Duration::from_millis(1);

pub(crate) struct LiveStream {
    file: File,
    bytes: usize,
    /// By place.
    buffers: [Buffer; BUFFERS],
    /// The number of the newest chunk at the instant.
    newest: u64,
}

/// The pages of a buffer up to the first one without records.
#[derive(Default)]
struct Buffer(Vec<u8>);

impl Buffer {
    fn number(&self) -> Option<u64> {
        is_chunk(&self.0, 0).then(|| sequence(&self.0, 0))
    }
}

impl LiveStream {
    /// `None`: the process writes faster than this thread reads.
    pub fn begin(path: &Path, max_bytes: u64) -> io::Result<Option<Self>> {
        const TRIES: usize = 200;
        const TRIES_FOR_A_CHUNK: usize = 10; // a cleared buffer of a process that was killed gets none
        let file = open_regular(path)?;
        for tried in 0..TRIES {
            let headers = [0, 1].map(|place| first_page(&file, place));
            let bytes = file.metadata()?.len();
            within(bytes, max_bytes)?;
            if let Some(buffers) = copy_buffers(&file, &headers) {
                let newest = newest(&buffers);
                if newest.is_some() || bytes == 0 || tried >= TRIES_FOR_A_CHUNK {
                    let newest = newest.unwrap_or(u64::MAX);
                    return Ok(Some(Self { file, bytes: bytes as usize, buffers, newest }));
                }
            }
            if tried > 0 {
                thread::sleep(PAUSE);
            }
        }
        Ok(None)
    }

    /// `None`: the file was empty, which cannot be mapped.
    pub fn finish(self) -> io::Result<Option<Mmap>> {
        if self.bytes == 0 {
            return Ok(None);
        }
        let is_ring = self.buffers.iter().any(|Buffer(bytes)| {
            is_chunk(bytes, 0) && version(bytes, 0) >= FIRST_IN_ANY_ORDER && ring_places(bytes, 0) > 0
        });
        let mut map = if is_ring { self.copy_ring()? } else { self.map()? };
        for (chunk, Buffer(bytes)) in map.chunks_mut(CHUNK_BYTES).zip(&self.buffers) {
            let bytes = &bytes[..bytes.len().min(chunk.len())];
            chunk[..bytes.len()].copy_from_slice(bytes);
        }
        map.make_read_only().map(Some)
    }

    /// The other places of such a file stay as they are.
    fn map(&self) -> io::Result<MmapMut> {
        // SAFETY: as in `map_regular`. A page that is stored into becomes a copy of our own.
        unsafe { MmapOptions::new().no_reserve_swap().len(self.bytes).map_copy(&self.file) }
    }

    fn copy_ring(&self) -> io::Result<MmapMut> {
        let mut copy = MmapMut::map_anon(self.bytes)?;
        for (place, chunk) in copy.chunks_mut(CHUNK_BYTES).enumerate().skip(BUFFERS) {
            self.copy_place(chunk, place)?;
        }
        Ok(copy)
    }

    fn copy_place(&self, chunk: &mut [u8], place: usize) -> io::Result<()> {
        const TRIES: usize = 3; // the header changes first, and tells why the rest does not fit it
        for _ in 0..TRIES {
            read_place(&self.file, chunk, place)?;
            if !is_chunk(chunk, 0) {
                return Ok(());
            }
            let number = sequence(chunk, 0);
            let is_in_buffer = self.buffers.iter().any(|buffer| buffer.number() == Some(number));
            if is_in_buffer || number > self.newest {
                chunk[..8].fill(0);
                return Ok(());
            }
            if seal::check(chunk).is_ok() {
                return Ok(());
            }
        }
        Ok(()) // it is damaged, and its reader says so
    }
}

/// `None`: there is no chunk in the first place, so that the second may hold an old one.
fn newest(buffers: &[Buffer; BUFFERS]) -> Option<u64> {
    let numbers = [0, 1].map(|place: usize| buffers[place].number());
    numbers[0].max(numbers[1]).filter(|_| numbers[0].is_some())
}

/// `headers` are the first pages that the buffers had before. `None`: one of the buffers has got
/// another chunk since.
fn copy_buffers(file: &File, headers: &[Vec<u8>; BUFFERS]) -> Option<[Buffer; BUFFERS]> {
    let number = |place: usize| is_chunk(&headers[place], 0).then(|| sequence(&headers[place], 0));
    let mut places = [0, 1];
    places.sort_by_key(|&place| number(place));
    let mut buffers = [Buffer::default(), Buffer::default()];
    for place in places {
        buffers[place] = match number(place) {
            Some(_) => copy_buffer(file, place),
            None => Buffer(headers[place].clone()), // without its records, of an earlier chunk
        };
        let has_changed = number(place).is_some() && {
            let now = first_page(file, place);
            !is_chunk(&now, 0) || number(place) != Some(sequence(&now, 0))
        };
        if has_changed {
            return None;
        }
    }
    Some(buffers)
}

fn copy_buffer(file: &File, place: usize) -> Buffer {
    let mut bytes = vec![0; CHUNK_BYTES];
    let _ = read_place(file, &mut bytes, place); // what cannot be read has no records
    let is_zero = |page: &[u8]| page.iter().all(|&byte| byte == 0);
    let used = bytes.chunks(PAGE_BYTES).position(is_zero).map_or(CHUNK_BYTES, |page| (page + 1) * PAGE_BYTES);
    bytes.truncate(used);
    Buffer(bytes)
}

fn first_page(file: &File, place: usize) -> Vec<u8> {
    let mut bytes = vec![0; PAGE_BYTES];
    let _ = read_place(file, &mut bytes, place); // a shorter file has none
    bytes
}

/// As far as the file goes.
fn read_place(file: &File, into: &mut [u8], place: usize) -> io::Result<()> {
    let mut done = 0;
    while done < into.len() {
        match file.read_at(&mut into[done..], (place * CHUNK_BYTES + done) as u64) {
            Ok(0) => break,
            Ok(bytes) => done += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::path::PathBuf;

    use super::*;
    use crate::layout::{CHUNK_HEADER_BYTES, MAGIC, RING_AT, SEALED_BYTES_AT};
    use crate::stream::StreamReader;

    const FILE: &str = "stream-0000.bin";

    /// A sealed chunk of a ring with so many places, or of none, filled with its number.
    fn chunk(number: u64, ring: u32) -> Vec<u8> {
        let mut bytes = vec![number as u8; CHUNK_BYTES];
        bytes[..CHUNK_HEADER_BYTES + 32].fill(0);
        bytes[..8].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[8..12].copy_from_slice(&FIRST_IN_ANY_ORDER.to_le_bytes());
        bytes[16..24].copy_from_slice(&number.to_le_bytes());
        bytes[44..48].copy_from_slice(&(CHUNK_HEADER_BYTES as u32 + 32).to_le_bytes());
        bytes[RING_AT..RING_AT + 4].copy_from_slice(&ring.to_le_bytes());
        let sum = seal::checksum(&bytes);
        bytes[SEALED_BYTES_AT..SEALED_BYTES_AT + 8].copy_from_slice(&(CHUNK_BYTES as u64).to_le_bytes());
        bytes[SEALED_BYTES_AT + 8..SEALED_BYTES_AT + 16].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    struct Written {
        path: PathBuf,
        ring: u32,
        _place: tempfile::TempDir,
    }

    impl Written {
        fn new(ring: u32, numbers: &[u64]) -> Self {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join(FILE);
            fs::write(&path, "").unwrap();
            let written = Self { path, ring, _place: place };
            numbers.iter().enumerate().for_each(|(place, &number)| written.put(place, number));
            written
        }

        fn put(&self, place: usize, number: u64) {
            self.put_first(CHUNK_BYTES, place, number);
        }

        /// As a process does that is still copying the chunk.
        fn put_first(&self, bytes: usize, place: usize, number: u64) {
            let file = OpenOptions::new().write(true).open(&self.path).unwrap();
            file.write_all_at(&chunk(number, self.ring)[..bytes], (place * CHUNK_BYTES) as u64).unwrap();
        }

        fn begin(&self) -> LiveStream {
            LiveStream::begin(&self.path, 1 << 30).unwrap().unwrap()
        }
    }

    /// By place; `None`: no chunk. Each chunk has what it had when it was sealed.
    fn numbers(map: &[u8]) -> Vec<Option<u64>> {
        let of = |chunk: &[u8]| {
            let number = is_chunk(chunk, 0).then(|| sequence(chunk, 0));
            number.inspect(|_| seal::check(chunk).unwrap())
        };
        map.chunks(CHUNK_BYTES).map(of).collect()
    }

    #[test]
    fn what_a_process_goes_on_to_write_into_its_buffers_does_not_show() {
        let written = Written::new(0, &[2, 3, 0, 1]);
        let live = written.begin();
        written.put(0, 4);
        let map = live.finish().unwrap().unwrap();
        written.put(1, 5);
        assert_eq!(numbers(&map), [2, 3, 0, 1].map(Some));
    }

    #[test]
    fn what_a_process_goes_on_to_write_into_a_ring_does_not_show() {
        let written = Written::new(6, &[8, 9, 4, 5, 6, 7]);
        let live = written.begin();
        // It goes on with chunks 8 to 11.
        for (place, number) in [(2, 8), (0, 10), (3, 9), (1, 11), (4, 10)] {
            written.put(place, number);
        }
        written.put_first(CHUNK_BYTES / 2, 4, 10);
        let map = live.finish().unwrap().unwrap();
        for (place, number) in [(5, 11), (0, 12)] {
            written.put(place, number);
        }
        assert_eq!(numbers(&map), [Some(8), Some(9), None, None, None, Some(7)]);
        let mut reader = StreamReader::new(&map, Path::new(FILE), 0);
        assert_eq!(reader.next().map(|entry| entry.is_err()), Some(true), "the chunks have no records");
        assert_eq!(reader.gone(), 3);
    }

    #[test]
    fn a_damaged_chunk_of_a_ring_stays_so() {
        let written = Written::new(6, &[8, 9, 4, 5, 6, 7]);
        written.put_first(CHUNK_BYTES / 2, 5, 6);
        let map = written.begin().finish().unwrap().unwrap();
        assert!(seal::check(&map[5 * CHUNK_BYTES..]).is_err());
    }

    #[test]
    fn a_buffer_that_is_being_cleared_has_no_chunk() {
        let written = Written::new(6, &[8, 9, 4, 5, 6, 7]);
        let file = OpenOptions::new().write(true).open(&written.path).unwrap();
        file.write_all_at(&[0; 8], CHUNK_BYTES as u64).unwrap();
        let map = written.begin().finish().unwrap().unwrap();
        assert_eq!(numbers(&map), [Some(8), None, Some(4), Some(5), Some(6), Some(7)]);
    }

    #[test]
    fn short_files_are_read_as_they_are() {
        let written = Written::new(0, &[]);
        assert!(written.begin().finish().unwrap().is_none());
        fs::write(&written.path, "short").unwrap();
        assert_eq!(&written.begin().finish().unwrap().unwrap()[..], b"short");
    }
}
