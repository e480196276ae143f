// SPDX-License-Identifier: Apache-2.0
//! Opens files whose names are untrusted: a recording's own files, and the objects that the
//! recording names.
//!
//! Such a name may lead to any file. Opening a FIFO blocks until another process writes, opening a
//! device may have effects, and some files have no end. So only regular files are opened, opening
//! never blocks, and the caller gives the largest acceptable size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use memmap2::Mmap;

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

pub(crate) fn within(bytes: u64, max_bytes: u64) -> io::Result<()> {
    if bytes <= max_bytes {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it has more than {max_bytes} bytes")))
}
