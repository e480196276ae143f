// SPDX-License-Identifier: Apache-2.0
//! Finds whether a program still records into a directory without `teff record` and its lock
//! (`TEFF_TRACE=DIR ./program`).
//!
//! A program that records has its streams mapped, and thereby open for writing. If its /proc entry
//! is visible, its memory map shows the streams. A program in another PID namespace (a container)
//! is not visible; but the kernel grants no lease on a file that any process has open for writing.
//! If there are no leases (NFS, files of another user), a file that has changed recently counts as
//! being recorded. On overlayfs, a mapping alone does not prevent a lease.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use memmap2::Mmap;
use nix::errno::Errno;
use nix::libc;

/// Longer than a busy program needs to fill a page, and than the system needs to note the change.
const LATELY: Duration = Duration::from_secs(30);

/// From <fcntl.h>: sets the signal that tells the holder of a lease that another process opens the
/// file.
const F_SETSIG: i32 = 10;

/// The process that records.
#[derive(Debug, PartialEq)]
pub enum Recorder {
    Process(u32),
    /// A process that is not visible has this file open for writing.
    Unseen(PathBuf),
    /// It is not known whether a process has the file open, but the file has changed recently.
    Perhaps(PathBuf),
}

/// Examines the streams of a recording. A stream with an end is no longer being recorded.
pub fn of(directory: &Path) -> io::Result<Option<Recorder>> {
    if fs::metadata(directory.join("end.json")).is_ok_and(|end| end.len() > 0) {
        return Ok(None);
    }
    let streams = streams(directory)?;
    if let Some(process) = maps_one_of(&streams) {
        return Ok(Some(Recorder::Process(process)));
    }
    Ok(streams.into_iter().find_map(|(path, file)| match is_open_for_writing(&file) {
        Ok(true) => Some(Recorder::Unseen(path)),
        Ok(false) => None,
        Err(_) => changed_lately(&file.metadata()).then_some(Recorder::Perhaps(path)),
    }))
}

fn streams(directory: &Path) -> io::Result<Vec<(PathBuf, File)>> {
    let mut streams = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if is_stream(&entry.path()) && entry.file_type()?.is_file() {
            streams.push((entry.path(), trace::open_regular(&entry.path())?));
        }
    }
    Ok(streams)
}

fn is_stream(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "bin")
}

/// A visible process, other than this process, that has mapped one of the files for writing.
fn maps_one_of(streams: &[(PathBuf, File)]) -> Option<u32> {
    // Some file systems (btrfs) show another device in the memory map than in a file's metadata.
    // Our own mapping shows how these files appear there.
    let maps: Vec<Mmap> = streams.iter().filter_map(|(_, file)| map(file)).collect();
    let own = fs::read_to_string("/proc/self/maps").ok()?;
    let starts: Vec<String> = maps.iter().map(|map| format!("{:x}-", map.as_ptr().addr())).collect();
    let is_ours = |line: &&str| starts.iter().any(|start| line.starts_with(start));
    let files: Vec<&str> = own.lines().filter(is_ours).map(|line| Mapping::of(line).file).collect();
    let writes = |line: &str| {
        let mapping = Mapping::of(line);
        mapping.rights.starts_with("rw") && mapping.rights.ends_with('s') && files.contains(&mapping.file)
    };
    let has_one = |process: &u32| {
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        maps.lines().any(writes)
    };
    other_processes().find(has_one)
}

fn map(file: &File) -> Option<Mmap> {
    // SAFETY: nobody reads the bytes.
    unsafe { Mmap::map(file) }.ok()
}

fn other_processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|number| *number != std::process::id())
}

/// For a line: address, rights, offset, device, inode, path.
struct Mapping<'a> {
    rights: &'a str,
    /// Device and inode.
    file: &'a str,
}

impl<'a> Mapping<'a> {
    fn of(line: &'a str) -> Self {
        let mut words = line.splitn(4, ' ').skip(1);
        let rights = words.next().unwrap_or_default();
        let rest = words.nth(1).unwrap_or_default();
        let inode = rest.find(' ').map_or(rest.len(), |at| at + 1);
        let end = rest[inode..].find(' ').map_or(rest.len(), |at| inode + at);
        Self { rights, file: &rest[..end] }
    }
}

/// Asks for a lease, and gives it back. An error means that the file system has no leases, or gives
/// us none.
fn is_open_for_writing(file: &File) -> io::Result<bool> {
    let set = |command: i32, value: i32| {
        // SAFETY: the call concerns a descriptor that is open, and no memory.
        let done = unsafe { libc::fcntl(file.as_raw_fd(), command, value) };
        Errno::result(done)
    };
    // If a process opens the file while we have the lease, it waits a moment for us, and we get a
    // signal. We choose a signal that does nothing.
    set(F_SETSIG, libc::SIGURG)?;
    match set(libc::F_SETLEASE, libc::F_RDLCK) {
        Err(Errno::EAGAIN) => Ok(true),
        Err(error) => Err(error.into()),
        Ok(_) => {
            set(libc::F_SETLEASE, libc::F_UNLCK)?;
            Ok(false)
        }
    }
}

/// Returns true also if the time is not known.
fn changed_lately(metadata: &io::Result<Metadata>) -> bool {
    let changed = metadata.as_ref().ok().and_then(|metadata| metadata.modified().ok());
    let age = changed.and_then(|changed| SystemTime::now().duration_since(changed).ok());
    age.is_none_or(|age| age < LATELY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use tempfile::tempdir;
    use trace::writer::RecordingWriter;

    fn killed(directory: &Path) -> PathBuf {
        let meta = RecordingWriter::plain_meta(1);
        let mut out = RecordingWriter::create(directory, 1, &meta).unwrap();
        out.put(0, 0, trace::Record::Idle { ticks: 1, sleep: 0 }).unwrap();
        out.killed().unwrap();
        directory.join("stream-0000.bin")
    }

    fn writable(path: &Path) -> File {
        OpenOptions::new().read(true).write(true).open(path).unwrap()
    }

    #[test]
    fn an_open_stream_tells_of_a_recorder_that_is_not_seen() {
        let place = tempdir().unwrap();
        let stream = killed(place.path());
        let file = writable(&stream);
        let found = of(place.path()).unwrap().expect("a recorder");
        assert!([Recorder::Unseen(stream.clone()), Recorder::Perhaps(stream)].contains(&found), "{found:?}");
        file.set_modified(SystemTime::now() - 2 * LATELY).unwrap();
        drop(file);
        assert_eq!(of(place.path()).unwrap(), None);
    }

    #[test]
    fn a_complete_recording_is_recorded_by_nobody() {
        let place = tempdir().unwrap();
        let _file = writable(&killed(place.path()));
        fs::write(place.path().join("end.json"), "{}").unwrap();
        assert_eq!(of(place.path()).unwrap(), None);
    }

    #[test]
    fn what_changed_lately_is_perhaps_recorded() {
        let place = tempdir().unwrap();
        let file = File::create(place.path().join("file")).unwrap();
        assert!(changed_lately(&file.metadata()));
        assert!(changed_lately(&Err(io::ErrorKind::Other.into())));
        file.set_modified(SystemTime::now() - 2 * LATELY).unwrap();
        assert!(!changed_lately(&file.metadata()));
    }

    const FILE: &str = "TEFF_TEST_MAPPED_FILE";

    /// What a child process does, until its input ends.
    fn map_and_wait(path: &str) {
        let file = writable(path.as_ref());
        // SAFETY: nobody reads the bytes.
        let _map = unsafe { memmap2::MmapMut::map_mut(&file) }.unwrap();
        println!("mapped");
        let _ = io::stdin().lines().next();
    }

    #[test]
    fn a_process_that_has_a_stream_mapped_is_named() {
        if let Ok(path) = std::env::var(FILE) {
            return map_and_wait(&path);
        }
        let place = tempdir().unwrap();
        let stream = killed(place.path());
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "recorder::tests::a_process_that_has_a_stream_mapped_is_named",
            "--exact",
            "--nocapture",
        ]);
        let mut child =
            child.env(FILE, &stream).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains("mapped")));
        let found = of(place.path()).unwrap();
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
        assert_eq!(found, Some(Recorder::Process(child.id())));
    }
}
