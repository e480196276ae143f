// SPDX-License-Identifier: Apache-2.0
//! Files that are written for the user, either completely or not at all.
//!
//! A file is written beside its final path and moved to this path when it is complete. So if the
//! disk is full, or the program is interrupted, the previous file still exists. The new file gets
//! the owner, group and permissions of the file that it replaces. If it cannot get them, the data
//! is written directly into the previous file. The data is also written directly into a target that
//! is not a regular file (a device, a pipe); the reader of a pipe may stop early.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::{fchown, MetadataExt, PermissionsExt};
use std::path::Path;

use nix::sys::signal::{SigHandler, Signal};
use tempfile::NamedTempFile;

use crate::console::standard_output;
use crate::failure::{Failure, Result};
use crate::unfinished::Unfinished;

/// `content` writes what `path` shall hold; `-` is standard output.
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    refuse_recordings(path)?;
    let_limits_be_errors();
    let done = if path == Path::new("-") {
        standard_output().and_then(|out| through_buffer(out, content)).map(drop)
    } else {
        write_file(path, content)
    };
    match done {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::io("write", path, error)),
        _ => Ok(()),
    }
}

/// At a limit on the size of files, a signal would end us before unfinished files are removed. Only
/// for verbs that start no program, because the program would inherit that the signal is ignored.
pub fn let_limits_be_errors() {
    // SAFETY: none of our code runs when the signal arrives.
    let _ = unsafe { nix::sys::signal::signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

/// An export could otherwise overwrite the recording that it reads.
pub fn refuse_recordings(path: &Path) -> Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (Some(directory), Some(name)) = (target.parent(), target.file_name()) else { return Ok(()) };
    let of_a_recording = || trace::is_file_of_a_recording(name) && trace::is_recording(directory);
    let of_a_set = || trace::is_file_of_a_set(name) && trace::is_set(directory);
    if !of_a_recording() && !of_a_set() {
        return Ok(());
    }
    let shown = path.display();
    Err(Failure::Place(format!("{shown} is a file of a recording: choose another place.")))
}

/// For a verb that chooses the names of its files: inside a recording, these files would not belong
/// to the recording.
pub fn refuse_inside_recordings(directory: &Path) -> Result<()> {
    if !trace::is_recording(directory) && !trace::is_set(directory) {
        return Ok(());
    }
    Err(Failure::Place(format!("{} is a recording: choose another place.", directory.display())))
}

fn write_file(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()); // where a link leads to
    match new_beside(&target)? {
        Some((file, _unfinished)) => {
            let file = through_buffer(file, content)?;
            file.persist(&target).map(drop).map_err(|error| error.error)
        }
        None => through_buffer(open(&target)?, content).map(drop),
    }
}

fn through_buffer<W: Write>(out: W, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<W> {
    let mut out = BufWriter::with_capacity(1 << 20, out);
    content(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// A file that can replace `target`, with its owner and permissions. `None`: `target` is no regular
/// file, or belongs to a user for whom we cannot make files, or is in a directory in which we may
/// not make files.
fn new_beside(target: &Path) -> io::Result<Option<(NamedTempFile, Unfinished)>> {
    let there = fs::symlink_metadata(target).ok();
    match &there {
        Some(there) if there.is_file() => {
            OpenOptions::new().write(true).open(target)?; // what we may not write, we do not replace
        }
        Some(_) => return Ok(None),
        None => {}
    }
    let directory = target.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    fs::metadata(directory)?; // its own error, which names no file beside
    let mut builder = tempfile::Builder::new();
    let mode = if there.is_some() { 0o600 } else { 0o666 }; // through the umask
    builder.prefix(".teff-").permissions(Permissions::from_mode(mode));
    let made = match Unfinished::of(|| builder.tempfile_in(directory), NamedTempFile::path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(None),
        made => made?,
    };
    let alike = there.is_none_or(|there| make_alike(made.0.as_file(), &there).is_ok());
    Ok(alike.then_some(made))
}

/// Permissions come last: a new owner clears some of them.
fn make_alike(file: &File, there: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (there.uid(), there.gid()) {
        fchown(file, Some(there.uid()), Some(there.gid()))?;
    }
    file.set_permissions(there.permissions())
}

fn open(target: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).open(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use tempfile::tempdir;

    fn text(bytes: &'static [u8]) -> impl FnOnce(&mut dyn Write) -> io::Result<()> {
        move |out| out.write_all(bytes)
    }

    fn fails(out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"half a page")?;
        Err(io::Error::from_raw_os_error(nix::libc::ENOSPC))
    }

    #[test]
    fn what_fails_leaves_what_was_there() {
        let place = tempdir().unwrap();
        let file = place.path().join("page.html");
        let message = write(&file, fails).unwrap_err().to_string();
        assert!(message.contains("page.html") && message.contains("space left"), "{message}");
        assert!(!file.exists());
        write(&file, text(b"old")).unwrap();
        assert!(write(&file, fails).is_err());
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_and_permissions_stay() {
        let place = tempdir().unwrap();
        let (file, link) = (place.path().join("page.html"), place.path().join("link.html"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink("page.html", &link).unwrap();
        write(&link, text(b"new")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        write(Path::new("/dev/null"), text(b"x")).unwrap();
        let message = write(Path::new("/dev/full"), text(b"x")).unwrap_err().to_string();
        assert!(message.contains("/dev/full: No space left"), "{message}");
    }

    #[test]
    fn places_where_nothing_can_be_written_are_named() {
        let place = tempdir().unwrap();
        for path in [place.path().to_owned(), place.path().join("absent/page.html")] {
            let message = write(&path, text(b"x")).unwrap_err().to_string();
            assert!(message.contains(path.to_str().unwrap()) && !message.contains(".teff-"), "{message}");
        }
    }
}
