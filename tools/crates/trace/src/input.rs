// SPDX-License-Identifier: Apache-2.0
//! Opens files whose names are untrusted: a recording's own files, and the objects that the
//! recording names.
//!
//! Such a name may lead to any file. Opening a FIFO blocks until another process writes, opening a
//! device may have effects, and some files have no end. So only regular files are opened, opening
//! never blocks, and the caller gives the largest acceptable size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::ptr;

use memmap2::{Mmap, MmapOptions};

/// Each page of memory has at least this size.
const PAGE_BYTES: usize = 4096;

/// Opens `path` to read it. Anything but a regular file is an error, and is not opened.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // A look before: already opening a device can change it.
    regular(&fs::metadata(path)?)?;
    // Another file may have come into its place since: O_NONBLOCK keeps a FIFO or a lease from
    // blocking us.
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// The whole of a regular file of at most `max_bytes`.
pub fn read_regular(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The size that the system tells is no bound: the files of /proc have size 0, and others grow
    // meanwhile.
    open_regular(path)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    within(bytes.len() as u64, max_bytes)?;
    Ok(bytes)
}

/// Maps a regular file of at most `max_bytes`; `None`: it is empty, which cannot be mapped.
pub fn map_regular(path: &Path, max_bytes: u64) -> io::Result<Option<Mmap>> {
    let file = open_regular(path)?;
    let bytes = file.metadata()?.len();
    within(bytes, max_bytes)?;
    if bytes == 0 {
        return Ok(None);
    }
    // SAFETY: the mapping is read only. If a process truncates the file meanwhile, the reader gets
    // a SIGBUS, as with every tool that maps its input; copying gigabytes would be the alternative.
    unsafe { Mmap::map(&file) }.map(Some)
}

/// Maps a regular file of at most `max_bytes`, of which a process may be writing the first places
/// of a stream: what these have is copied. `None`: the file is empty.
pub(crate) fn map_of_writer(path: &Path, max_bytes: u64, places: Places) -> io::Result<Option<Mmap>> {
    const TRIES: usize = 50;
    let file = open_regular(path)?;
    for _ in 0..TRIES {
        // First of all: the file has what the places had before that.
        let before = places.headers(&file);
        let bytes = file.metadata()?.len();
        within(bytes, max_bytes)?;
        if bytes == 0 {
            return Ok(None);
        }
        // SAFETY: as in `map_regular`. A page that is stored into becomes a copy of our own.
        let mut map = unsafe { MmapOptions::new().no_reserve_swap().map_copy(&file) }?;
        map.chunks_mut(places.bytes).take(places.count).for_each(copy_place);
        // If a place has got another chunk meanwhile, some of its pages may be of the one before.
        if places.headers(&file) == before {
            return map.make_read_only().map(Some);
        }
    }
    map_regular(path, max_bytes)
}

/// Makes the pages of a place our own, up to the first one without records.
fn copy_place(place: &mut [u8]) {
    for page in place.chunks_mut(PAGE_BYTES) {
        let first = &mut page[0];
        // SAFETY: the byte is ours; the compiler must not leave out the store.
        unsafe { ptr::from_mut(first).write_volatile(*first) };
        if page.iter().all(|&byte| byte == 0) {
            return;
        }
    }
}

/// The places at the beginning of a file that a process may be writing.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    pub count: usize,
    pub bytes: usize,
}

impl Places {
    /// What tells which chunk each place has.
    fn headers(self, file: &File) -> Vec<[u8; 24]> {
        let header = |place| {
            let mut bytes = [0; 24];
            let _ = file.read_at(&mut bytes, (place * self.bytes) as u64); // a shorter file has none
            bytes
        };
        (0..self.count).map(header).collect()
    }
}

fn regular(metadata: &fs::Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    let name = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_dir() => "a directory",
        _ if kind.is_fifo() => "a FIFO",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {name}, not a regular file")))
}

fn within(bytes: u64, max_bytes: u64) -> io::Result<()> {
    if bytes <= max_bytes {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it has more than {max_bytes} bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_goes_on_to_write_does_not_show() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("stream-0000.bin");
        let places = Places { count: 2, bytes: 3 * PAGE_BYTES };
        fs::write(&path, vec![1; 8 * PAGE_BYTES]).unwrap();
        let map = map_of_writer(&path, 1 << 20, places).unwrap().unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&vec![2; 6 * PAGE_BYTES], 0).unwrap();
        assert_eq!(map.len(), 8 * PAGE_BYTES);
        assert!(map.iter().all(|&byte| byte == 1));
        fs::write(&path, "short").unwrap();
        assert_eq!(&map_of_writer(&path, 1 << 20, places).unwrap().unwrap()[..], b"short");
        fs::write(&path, "").unwrap();
        assert!(map_of_writer(&path, 1 << 20, places).unwrap().is_none());
    }
}
