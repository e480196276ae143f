// SPDX-License-Identifier: Apache-2.0
//! The directory of a recording that is about to be made.
//!
//! It is made before the program starts, and locked until the program has ended: of several `teff
//! record` with the same name one gets it, and the others say so. The runtime takes a directory
//! that is there if it is empty. Nothing of the user's is ever removed: an earlier recording is
//! moved to `.old`; what was there goes, if it holds nothing but a recording.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};
use trace::Recording;

use crate::failure::{Failure, Result};

/// Ours as long as this lives.
pub struct Room {
    directory: PathBuf,
    /// It was not there before.
    made: bool,
    /// `None`: the file system has no such locks (NFS has none for directories).
    lock: Option<Flock<File>>,
}

impl Room {
    pub fn make(output: &Path) -> Result<Self> {
        let directory = plain_path(output)?;
        // Somebody else may move or make the directory between two of our steps.
        for _ in 0..10 {
            let made = make_directory(&directory)?;
            let room = Self { lock: lock(&directory)?, made, directory: directory.clone() };
            if !room.is_still_there() {
                continue;
            }
            if is_empty(&directory) {
                return Ok(room);
            }
            move_away(&directory)?;
        }
        Err(Failure::new(format!(
            "{} is made and moved again and again by somebody else. Choose another place with -o DIR.",
            directory.display()
        )))
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether the directory of this name is the one that we have locked.
    fn is_still_there(&self) -> bool {
        let Some(lock) = &self.lock else { return true };
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let here = fs::metadata(&self.directory).map(identity).ok();
        here.is_some() && here == lock.metadata().map(identity).ok()
    }
}

impl Drop for Room {
    /// Leaves nothing behind where nothing was recorded.
    fn drop(&mut self) {
        if self.made && self.is_still_there() {
            let _ = fs::remove_dir(&self.directory); // does nothing to one that is not empty
        }
    }
}

/// Absolute, and without a slash at its end.
fn plain_path(output: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(output).map_err(|error| Failure::io("use", output, error))?;
    if absolute.file_name().is_none() {
        return Err(Failure::new(format!(
            "{} is no name for a new directory. Give one with -o DIR.",
            output.display()
        )));
    }
    Ok(absolute.components().collect())
}

/// False: it was there.
fn make_directory(directory: &Path) -> Result<bool> {
    match fs::create_dir(directory) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure::new(format!(
            "cannot make {}: the directory that should hold it does not exist. Make that first, or choose another \
             place with -o DIR.",
            directory.display()
        ))),
        done => done.map(|()| true).map_err(|error| Failure::io("make", directory, error)),
    }
}

fn lock(directory: &Path) -> Result<Option<Flock<File>>> {
    let flags = OFlag::O_DIRECTORY | OFlag::O_NONBLOCK;
    let file = match OpenOptions::new().read(true).custom_flags(flags.bits()).open(directory) {
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Err(not_ours(directory)),
        opened => opened.map_err(|error| Failure::io("open", directory, error))?,
    };
    match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(lock) => Ok(Some(lock)),
        Err((_, Errno::EWOULDBLOCK)) => Err(busy(directory, "another teff record")),
        Err(_) => Ok(None),
    }
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

/// Moves the recording there to `.old`, and drops the one that was there.
fn move_away(directory: &Path) -> Result<()> {
    let old = with_suffix(directory, ".old");
    if !trace::is_recording(directory) {
        return Err(not_ours(directory));
    }
    if let Some(process) = recorder(directory) {
        return Err(busy(directory, &format!("process {process}")));
    }
    if holds_the_working_directory(directory) {
        return Err(Failure::new(format!(
            "{} is or holds the working directory, so it cannot be moved away. Go elsewhere, or choose another place \
             with -o DIR.",
            directory.display()
        )));
    }
    if fs::symlink_metadata(&old).is_err() {
        return rename(directory, &old);
    }
    check_droppable(&old)?;
    // It goes only when its successor is in its place.
    let dropped = with_suffix(directory, &format!(".old.{}", std::process::id()));
    rename(&old, &dropped)?;
    if let Err(failure) = rename(directory, &old) {
        rename(&dropped, &old)?;
        return Err(failure);
    }
    fs::remove_dir_all(&dropped).map_err(|error| Failure::io("remove", &dropped, error))
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| Failure::io("move away", from, error))
}

/// The process that records into the directory right now, if one does that without our lock
/// (`TEFF_TRACE=DIR ./program`): it has a stream mapped.
fn recorder(directory: &Path) -> Option<u64> {
    let pid = Recording::open(directory).ok().filter(|recording| recording.end.is_none())?.meta.pid;
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    let streams = fs::read_dir(directory).ok()?.flatten();
    let inodes: Vec<String> =
        streams.filter_map(|entry| Some(entry.metadata().ok()?.ino().to_string())).collect();
    // address, permissions, offset, device, inode, path
    let is_stream = |line: &str| {
        let inode = line.split_whitespace().nth(4).unwrap_or_default();
        line.contains("/stream-") && inodes.iter().any(|known| known == inode)
    };
    maps.lines().any(is_stream).then_some(pid)
}

fn holds_the_working_directory(directory: &Path) -> bool {
    let (here, directory) = (std::env::current_dir(), fs::canonicalize(directory));
    here.is_ok_and(|here| directory.is_ok_and(|directory| here.starts_with(directory)))
}

fn check_droppable(old: &Path) -> Result<()> {
    if !trace::is_recording(old) {
        return Err(not_ours(old));
    }
    let entries = fs::read_dir(old).map_err(|error| Failure::io("read", old, error))?;
    let mut names = entries.flatten().map(|entry| entry.file_name());
    match names.find(|name| !trace::is_file_of_a_recording(name)) {
        None => Ok(()),
        Some(name) => Err(Failure::new(format!(
            "{} should make room for the recording before it, but it also holds {}, which is none of Teff's. Move it, \
             or choose another place with -o DIR.",
            old.display(),
            Path::new(&name).display()
        ))),
    }
}

fn with_suffix(directory: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(directory);
    name.push(suffix);
    PathBuf::from(name)
}

fn not_ours(place: &Path) -> Failure {
    Failure::new(format!(
        "{} exists and is not a Teff recording, so it is left alone. Move it, or choose another place with -o DIR.",
        place.display()
    ))
}

fn busy(directory: &Path, who: &str) -> Failure {
    Failure::new(format!(
        "{who} is recording into {}. Wait for its end, or choose another place with -o DIR.",
        directory.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;
    use trace::writer::RecordingWriter;

    fn recording(directory: &Path) {
        RecordingWriter::create(directory, 1, &RecordingWriter::plain_meta(1)).unwrap().end(1).unwrap();
    }

    fn refusal(directory: &Path) -> String {
        Room::make(directory).err().expect("no room").to_string()
    }

    #[test]
    fn an_earlier_recording_is_moved_and_the_one_before_it_dropped() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        for round in 0..3 {
            let room = Room::make(&place.path().join("a.teff/")).unwrap();
            assert_eq!(room.directory(), directory);
            assert!(is_empty(&directory));
            assert_eq!(trace::is_recording(&place.path().join("a.teff.old")), round > 0);
            recording(&directory);
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_is_not_a_recording_is_left_alone() {
        let place = tempdir().unwrap();
        let file = place.path().join("precious");
        fs::write(&file, "data").unwrap();
        let message = refusal(&file);
        assert!(message.contains("not a Teff recording") && message.contains("-o DIR"), "{message}");
        let directory = place.path().join("a.teff");
        recording(&directory);
        fs::write(place.path().join("a.teff.old"), "data").unwrap();
        assert!(refusal(&directory).contains("a.teff.old"));
        assert!(trace::is_recording(&directory));
    }

    #[test]
    fn files_of_the_user_in_an_old_recording_are_kept() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        recording(&directory);
        fs::write(directory.join("notes.txt"), "data").unwrap();
        drop(Room::make(&directory).unwrap());
        recording(&directory);
        assert!(refusal(&directory).contains("notes.txt"));
        assert!(place.path().join("a.teff.old/notes.txt").exists() && trace::is_recording(&directory));
    }

    #[test]
    fn a_name_is_given_once_at_a_time() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        let room = Room::make(&directory).unwrap();
        assert!(refusal(&directory).contains("another teff record is recording"));
        recording(&directory);
        assert!(refusal(&directory).contains("another teff record is recording"));
        drop(room);
        assert!(trace::is_recording(&directory), "what was recorded stays");
    }

    #[test]
    fn an_empty_directory_stays_where_it_is_the_users() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        drop(Room::make(&directory).unwrap());
        assert!(!directory.exists());
        fs::create_dir(&directory).unwrap();
        drop(Room::make(&directory).unwrap());
        assert!(directory.exists());
    }

    #[test]
    fn a_process_that_records_without_us_is_noticed() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        let mut meta = RecordingWriter::plain_meta(1);
        meta.pid = std::process::id().into();
        let mut out = RecordingWriter::create(&directory, 1, &meta).unwrap();
        out.put(0, 0, trace::Record::Idle { ticks: 1 }).unwrap();
        out.killed().unwrap();
        let mapped = trace::map_regular(&directory.join("stream-0000.bin"), 1 << 20).unwrap();
        assert!(refusal(&directory).contains(&format!("process {}", meta.pid)));
        drop(mapped);
        drop(Room::make(&directory).unwrap());
    }

    #[test]
    fn places_that_cannot_be_are_named() {
        let place = tempdir().unwrap();
        let message = refusal(&place.path().join("absent/a.teff"));
        assert!(message.contains("does not exist"), "{message}");
        for name in ["/", ".."] {
            assert!(refusal(Path::new(name)).contains("no name for a new directory"));
        }
    }
}
