// SPDX-License-Identifier: Apache-2.0
//! The directory of a recording that is about to be made.
//!
//! The directory is made before the program starts, and locked until the program has ended. If
//! several `teff record` use the same name, one of them gets the directory, and the others report
//! that it is in use. The runtime accepts an existing directory if it is empty. Files of the user
//! are never removed. An earlier recording is moved to `.old`. An earlier `.old` is removed file by
//! file, if it contains only the files of a recording and of its further processes, of a set of
//! recordings, or of the ranks of a job. Neither is touched while a program may still record into
//! it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};
use terminal::{Failure, Result};
use trace::Set;

use crate::recorder::{self, Recorder};

/// The longest path that the runtime accepts in TEFF_TRACE. With the names of the files inside it,
/// the system accepts no longer path.
const MAX_PATH_BYTES: usize = 4000;

/// A directory that belongs to us as long as this object exists.
pub struct Destination {
    directory: PathBuf,
    /// The directory did not exist before.
    made: bool,
    /// `None`: the file system has no such locks (NFS has none for directories).
    lock: Option<Flock<File>>,
}

impl Destination {
    pub fn make(output: &Path) -> Result<Self> {
        Self::make_where(output, |_| true)?.ok_or_else(|| not_ours(output))
    }

    /// `None`: there is a directory that `may_go` keeps from being moved away. `may_go` is asked
    /// while we have the lock, so no other `teff record` moves or makes the directory meanwhile.
    pub fn make_where(output: &Path, may_go: impl Fn(&Path) -> bool) -> Result<Option<Self>> {
        let directory = plain_path(output)?;
        // Another process may move or make the directory between two of our steps.
        for _ in 0..10 {
            let made = make_directory(&directory)?;
            let destination = Self { lock: lock(&directory)?, made, directory: directory.clone() };
            if !destination.is_still_there() {
                continue;
            }
            if is_empty(&directory) {
                return Ok(Some(destination));
            }
            if !may_go(&directory) {
                return Ok(None);
            }
            move_away(&directory)?;
        }
        Err(Failure::Place(format!(
            "another process keeps making and moving {}. Choose another place with -o DIR.",
            directory.display()
        )))
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The identity by which the processes that record here recognise each other: the directory's
    /// device and inode.
    pub fn session(&self) -> Result<String> {
        let here =
            fs::metadata(&self.directory).map_err(|error| Failure::io("use", &self.directory, error))?;
        Ok(format!("{}:{}", here.dev(), here.ino()))
    }

    /// Leaves the directory in place, even if nothing was recorded.
    pub fn leave(mut self) {
        self.made = false;
    }

    /// Whether the directory with this name is the directory that we have locked.
    fn is_still_there(&self) -> bool {
        let Some(lock) = &self.lock else { return true };
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let here = fs::metadata(&self.directory).map(identity).ok();
        here.is_some() && here == lock.metadata().map(identity).ok()
    }
}

impl Drop for Destination {
    /// Removes the directory if nothing was recorded.
    fn drop(&mut self) {
        if self.made && self.is_still_there() {
            let _ = fs::remove_dir(&self.directory); // does nothing to one that is not empty
        }
    }
}

/// Absolute, and without a slash at its end.
fn plain_path(output: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(output).map_err(|error| Failure::io("use", output, error))?;
    let bytes = absolute.as_os_str().len();
    if bytes > MAX_PATH_BYTES {
        return Err(Failure::Place(format!(
            "the path of {} has {bytes} bytes, but the runtime accepts at most {MAX_PATH_BYTES}. Choose a shorter one \
             with -o DIR.",
            output.display()
        )));
    }
    if absolute.file_name().is_none() {
        return Err(Failure::Place(format!(
            "{} is no name for a new directory. Give one with -o DIR.",
            output.display()
        )));
    }
    Ok(absolute.components().collect())
}

/// Returns false if the directory already existed.
fn make_directory(directory: &Path) -> Result<bool> {
    match fs::create_dir(directory) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) if error.kind() == ErrorKind::NotFound && !is_in_a_directory(directory) => Err(Failure::Place(format!(
            "cannot make {}: the directory that should contain it does not exist. Make that directory first, or choose \
             another place with -o DIR.",
            directory.display()
        ))),
        done => done.map(|()| true).map_err(|error| Failure::io("make", directory, error)),
    }
}

/// File systems like /proc say "not found" when they take no new directory.
fn is_in_a_directory(directory: &Path) -> bool {
    directory.parent().is_some_and(Path::is_dir)
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

/// Moves the present recording to `.old`, and removes the previous `.old`.
fn move_away(directory: &Path) -> Result<()> {
    let old = with_suffix(directory, ".old");
    if !is_ours(directory) {
        return Err(not_ours(directory));
    }
    check_finished(directory)?;
    if holds_the_working_directory(directory) {
        return Err(Failure::Place(format!(
            "{} is or contains the working directory, so it cannot be moved away. Change to another directory, or \
             choose another place with -o DIR.",
            directory.display()
        )));
    }
    if fs::symlink_metadata(&old).is_err() {
        return rename(directory, &old);
    }
    let files = droppable_files(&old)?;
    check_finished(&old)?;
    // The previous `.old` is removed only when the new `.old` is in place.
    let dropped = with_suffix(directory, &format!(".old.{}", std::process::id()));
    rename(&old, &dropped)?;
    if let Err(failure) = rename(directory, &old) {
        rename(&dropped, &old)?;
        return Err(failure);
    }
    drop_recording(&dropped, &files)
}

/// If other files have been put into the directory meanwhile, they and the directory are not
/// removed.
fn drop_recording(directory: &Path, files: &Files) -> Result<()> {
    for file in files.names.iter().map(|name| directory.join(name)) {
        fs::remove_file(&file).map_err(|error| Failure::io("remove", &file, error))?;
    }
    for (name, files) in &files.directories {
        drop_recording(&directory.join(name), files)?;
    }
    fs::remove_dir(directory).map_err(|error| Failure::io("remove", directory, error))
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| Failure::io("move away", from, error))
}

/// Checks that no other process is recording into the directory without our lock.
fn check_finished(directory: &Path) -> Result<()> {
    for run in runs_of(directory)?.iter().map(|name| directory.join(name)).filter(|run| run.is_dir()) {
        // `teff record` locks the set, and each run while it lasts.
        check_finished(&run)?;
    }
    if trace::is_ranks(directory) {
        for rank in directories_in(directory, trace::is_directory_of_a_rank)? {
            check_finished(&rank)?;
        }
    }
    check_finished_process(directory)?;
    for process in directories_in(directory, trace::is_directory_of_a_process)? {
        check_finished_process(&process)?;
    }
    Ok(())
}

fn is_ours(directory: &Path) -> bool {
    trace::is_recording(directory) || trace::is_set(directory) || trace::is_ranks(directory)
}

/// The names of a set's recordings, whatever these directories contain; empty if this is no set.
fn runs_of(directory: &Path) -> Result<Vec<OsString>> {
    if !trace::is_set(directory) {
        return Ok(Vec::new());
    }
    let runs = Set::open(directory)?.manifest.runs;
    Ok(runs.into_iter().map(|run| run.directory.into()).collect())
}

/// The directories with such a name, whatever they contain.
fn directories_in(directory: &Path, is_wanted: impl Fn(&OsStr) -> bool) -> Result<Vec<PathBuf>> {
    let fail = |error| Failure::io("read", directory, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let is_directory = entry.file_type().map_err(fail)?.is_dir();
        if is_directory && is_wanted(&entry.file_name()) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn check_finished_process(directory: &Path) -> Result<()> {
    let recorder = recorder::of(directory).map_err(|error| Failure::io("read", directory, error))?;
    Err(match recorder {
        None => return Ok(()),
        Some(Recorder::Process(process)) => busy(directory, &format!("process {process}")),
        Some(Recorder::Unseen(file)) => busy(
            directory,
            &format!("{} is open for writing: a process that cannot be seen from here", file.display()),
        ),
        Some(Recorder::Perhaps(file)) => Failure::Place(format!(
            "{} is not complete, and {} has changed lately: perhaps a process that cannot be seen from here is still \
             recording. Try again in a minute, move the directory, or choose another place with -o DIR.",
            directory.display(),
            file.display()
        )),
    })
}

fn holds_the_working_directory(directory: &Path) -> bool {
    let (here, directory) = (std::env::current_dir(), fs::canonicalize(directory));
    here.is_ok_and(|here| directory.is_ok_and(|directory| here.starts_with(directory)))
}

/// The names of the files and directories of a recording.
#[derive(Default)]
struct Files {
    names: Vec<OsString>,
    /// The directories of further processes, of the runs of a set, or of ranks.
    directories: Vec<(OsString, Files)>,
}

/// The files of a directory, if it contains only files of a recording or of a set.
fn droppable_files(old: &Path) -> Result<Files> {
    let is_link = fs::symlink_metadata(old).map_err(|error| Failure::io("read", old, error))?.is_symlink();
    if is_link || !is_ours(old) {
        return Err(not_ours(old));
    }
    if trace::is_ranks(old) {
        files_of_ranks(old)
    } else {
        files_of_one(old)
    }
}

/// Of a recording or a set.
fn files_of_one(old: &Path) -> Result<Files> {
    if trace::is_set(old) {
        files_of_a_set(old)
    } else {
        files_of_a_recording(old)
    }
}

fn files_of_ranks(old: &Path) -> Result<Files> {
    let mut files = files_in(old, trace::is_file_of_ranks, trace::is_directory_of_a_rank)?;
    for (name, files) in &mut files.directories {
        *files = files_of_one(&old.join(name))?;
    }
    Ok(files)
}

fn files_of_a_set(old: &Path) -> Result<Files> {
    let runs = runs_of(old)?;
    let mut files = files_in(old, trace::is_file_of_a_set, |name| runs.iter().any(|run| run == name))?;
    for (name, files) in &mut files.directories {
        *files = files_of_a_recording(&old.join(name))?;
    }
    Ok(files)
}

fn files_of_a_recording(old: &Path) -> Result<Files> {
    let mut files = files_in(old, trace::is_file_of_a_recording, trace::is_directory_of_a_process)?;
    for (name, files) in &mut files.directories {
        *files = files_in(&old.join(name), trace::is_file_of_a_recording, |_| false)?;
    }
    Ok(files)
}

fn files_in(
    directory: &Path,
    is_file: impl Fn(&OsStr) -> bool,
    is_directory: impl Fn(&OsStr) -> bool,
) -> Result<Files> {
    let fail = |error| Failure::io("read", directory, error);
    let mut files = Files::default();
    for entry in fs::read_dir(directory).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let (name, kind) = (entry.file_name(), entry.file_type().map_err(fail)?);
        if is_file(&name) && kind.is_file() {
            files.names.push(name);
        } else if is_directory(&name) && kind.is_dir() {
            files.directories.push((name, Files::default()));
        } else {
            return Err(holds_more(directory, &name));
        }
    }
    Ok(files)
}

fn holds_more(old: &Path, name: &OsStr) -> Failure {
    Failure::Place(format!(
        "{} would be replaced by the earlier recording, but it also contains {}, which Teff did not write. Move it, or \
         choose another place with -o DIR.",
        old.display(),
        Path::new(name).display()
    ))
}

fn with_suffix(directory: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(directory);
    name.push(suffix);
    PathBuf::from(name)
}

fn not_ours(place: &Path) -> Failure {
    Failure::Place(format!(
        "{} exists and is not a Teff recording, so it is left alone. Move it, or choose another place with -o DIR.",
        place.display()
    ))
}

fn busy(directory: &Path, who: &str) -> Failure {
    Failure::Place(format!(
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
        Destination::make(directory).err().expect("no destination").to_string()
    }

    #[test]
    fn a_missing_directory_is_told_from_one_that_takes_none() {
        let place = tempdir().unwrap();
        let message = refusal(&place.path().join("missing/a.teff"));
        assert!(message.contains("does not exist"), "{message}");
        let message = refusal(Path::new("/proc/a.teff"));
        assert!(message.contains("/proc/a.teff") && !message.contains("does not exist"), "{message}");
    }

    #[test]
    fn an_earlier_recording_is_moved_and_the_one_before_it_dropped() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        for round in 0..3 {
            let destination = Destination::make(&place.path().join("a.teff/")).unwrap();
            assert_eq!(destination.directory(), directory);
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
        drop(Destination::make(&directory).unwrap());
        recording(&directory);
        assert!(refusal(&directory).contains("notes.txt"));
        assert!(place.path().join("a.teff.old/notes.txt").exists() && trace::is_recording(&directory));
    }

    #[test]
    fn further_processes_go_with_their_recording_unless_something_else_lies_there() {
        let place = tempdir().unwrap();
        let (directory, old) = (place.path().join("a.teff"), place.path().join("a.teff.old"));
        recording(&directory);
        recording(&directory.join("process-7"));
        fs::create_dir(directory.join("process-8")).unwrap(); // killed before it had recorded
        drop(Destination::make(&directory).unwrap());
        recording(&directory);
        fs::write(old.join("process-7/notes.txt"), "data").unwrap();
        assert!(
            refusal(&directory).contains("process-7, which") || refusal(&directory).contains("notes.txt")
        );
        fs::remove_file(old.join("process-7/notes.txt")).unwrap();
        drop(Destination::make(&directory).unwrap());
        assert!(trace::is_recording(&old) && !old.join("process-7").exists());
    }

    fn set(directory: &Path, runs: &[&str]) {
        for run in runs {
            recording(&directory.join(run));
        }
        let names: Vec<_> = runs.iter().map(|run| format!(r#"{{"directory": "{run}"}}"#)).collect();
        let text = format!(r#"{{"format": "teff-set", "version": 1, "runs": [{}]}}"#, names.join(","));
        fs::write(directory.join(trace::SET_FILE), text).unwrap();
    }

    #[test]
    fn what_may_not_go_stays() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        fs::create_dir_all(directory.join("rank-0")).unwrap();
        assert!(Destination::make_where(&directory, trace::is_recording).unwrap().is_none());
        assert!(directory.join("rank-0").exists() && !place.path().join("a.teff.old").exists());
    }

    #[test]
    fn a_set_makes_room_like_a_recording_unless_it_holds_something_else() {
        let place = tempdir().unwrap();
        let (directory, old) = (place.path().join("a.teff"), place.path().join("a.teff.old"));
        fs::create_dir(&directory).unwrap();
        set(&directory, &["threads-1-1", "threads-2-1"]);
        drop(Destination::make(&directory).unwrap());
        assert!(trace::is_set(&old) && trace::is_recording(&old.join("threads-2-1")));
        recording(&directory);
        recording(&old.join("mine"));
        assert!(refusal(&directory).contains("mine, which Teff did not write"));
        fs::rename(old.join("mine"), place.path().join("mine")).unwrap();
        let file = going_on(&old.join("threads-1-1"));
        fs::remove_file(old.join("threads-1-1/end.json")).unwrap();
        assert!(refusal(&directory).contains("cannot be seen from here"));
        drop(file);
        fs::remove_dir_all(old.join("threads-1-1")).unwrap();
        drop(Destination::make(&directory).unwrap());
        assert!(trace::is_recording(&old) && !trace::is_set(&old), "the set is gone");
    }

    #[test]
    fn a_name_is_given_once_at_a_time() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        let destination = Destination::make(&directory).unwrap();
        assert!(refusal(&directory).contains("another teff record is recording"));
        recording(&directory);
        assert!(refusal(&directory).contains("another teff record is recording"));
        drop(destination);
        assert!(trace::is_recording(&directory), "what was recorded stays");
    }

    #[test]
    fn an_empty_directory_stays_where_it_is_the_users() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        drop(Destination::make(&directory).unwrap());
        assert!(!directory.exists());
        fs::create_dir(&directory).unwrap();
        drop(Destination::make(&directory).unwrap());
        assert!(directory.exists());
    }

    #[test]
    fn what_bears_the_name_of_a_stream_and_is_no_file_is_kept() {
        let place = tempdir().unwrap();
        let (directory, old) = (place.path().join("a.teff"), place.path().join("a.teff.old"));
        recording(&old);
        recording(&directory);
        let stream = old.join("stream-0005.bin");
        fs::create_dir(&stream).unwrap();
        fs::write(stream.join("thesis.txt"), "data").unwrap();
        assert!(refusal(&directory).contains("stream-0005.bin, which Teff did not write"));
        assert!(stream.join("thesis.txt").exists() && trace::is_recording(&directory));
        fs::rename(&stream, place.path().join("mine")).unwrap();
        std::os::unix::fs::symlink("../mine", &stream).unwrap();
        assert!(refusal(&directory).contains("stream-0005.bin, which Teff did not write"));
    }

    #[test]
    fn a_link_to_a_recording_is_no_recording_to_be_dropped() {
        let place = tempdir().unwrap();
        let (directory, kept) = (place.path().join("a.teff"), place.path().join("kept.teff"));
        recording(&kept);
        recording(&directory);
        std::os::unix::fs::symlink("kept.teff", place.path().join("a.teff.old")).unwrap();
        assert!(refusal(&directory).contains("a.teff.old exists and is not a Teff recording"));
        assert!(trace::is_recording(&kept));
    }

    #[test]
    fn what_comes_while_a_recording_is_dropped_stays() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        recording(&directory);
        let files = droppable_files(&directory).unwrap();
        fs::write(directory.join("notes.txt"), "data").unwrap();
        assert!(drop_recording(&directory, &files).is_err());
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }

    /// A recording without end, and one of its files open for writing.
    fn going_on(directory: &Path) -> File {
        let mut out = RecordingWriter::create(directory, 1, &RecordingWriter::plain_meta(1)).unwrap();
        out.put(0, 0, trace::Record::Idle { ticks: 1, sleep: 0 }).unwrap();
        out.killed().unwrap();
        OpenOptions::new().write(true).open(directory.join("stream-0000.bin")).unwrap()
    }

    #[test]
    fn what_is_still_recorded_is_neither_moved_nor_dropped() {
        let place = tempdir().unwrap();
        let (directory, old) = (place.path().join("a.teff"), place.path().join("a.teff.old"));
        let file = going_on(&directory);
        assert!(refusal(&directory).contains("cannot be seen from here"));
        drop(file);
        fs::remove_dir_all(&directory).unwrap();
        recording(&directory);
        let _file = going_on(&old);
        assert!(refusal(&directory).contains("cannot be seen from here"));
        assert!(trace::is_recording(&directory) && trace::is_recording(&old));
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
