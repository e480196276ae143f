// SPDX-License-Identifier: Apache-2.0
//! The folder with the counter files of a run's processes, in the folder for temporary files.
//!
//! `teff stat` keeps the folder locked, and removes it at its end. A killed `teff stat` leaves its
//! folder behind. The next `teff stat` of the same user removes such a folder, if it is not locked
//! and contains only counter files of processes that have ended. An empty folder is not removed,
//! because it may be a new folder that is not locked yet.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg, OFlag};
use nix::unistd::geteuid;
use tempfile::TempDir;

use super::{board, system};

const PREFIX: &str = "teff-stat-";

pub struct Folder {
    folder: TempDir,
    /// `None`: the file system has no such locks. In that case no folder on it counts as abandoned.
    _lock: Option<Flock<File>>,
}

impl Folder {
    pub fn make() -> io::Result<Self> {
        let place = env::temp_dir();
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700)) // others could lock it
            .tempdir_in(&place)?;
        // Another `teff stat` may hold the lock for a moment to check whether
        // the folder is abandoned. So this one waits.
        let lock = Flock::lock(open(folder.path())?, FlockArg::LockExclusive).ok();
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            if entry.file_name().as_bytes().starts_with(PREFIX.as_bytes()) {
                let _ = remove_abandoned(&entry.path());
            }
        }
        Ok(Self { folder, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Opens a folder, but not a link to a folder.
fn open(folder: &Path) -> io::Result<File> {
    let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits()).open(folder)
}

fn remove_abandoned(folder: &Path) -> io::Result<()> {
    let opened = open(folder)?;
    if opened.metadata()?.uid() != geteuid().as_raw() {
        return Ok(());
    }
    let lock = Flock::lock(opened, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| error)?;
    // This path leads to the locked folder, even if its name now belongs to another folder.
    let inside = PathBuf::from(format!("/proc/self/fd/{}", lock.as_raw_fd()));
    let names = fs::read_dir(&inside)?.map(|entry| entry.map(|entry| entry.file_name()));
    let names: Vec<OsString> = names.collect::<io::Result<_>>()?;
    let files: Vec<PathBuf> = names.iter().map(|name| inside.join(name)).collect();
    if files.is_empty() || !files.iter().all(|file| is_over(file)) {
        return Ok(());
    }
    files.iter().try_for_each(fs::remove_file)?;
    fs::remove_dir(folder)
}

/// Whether the file is the counter file of a process that has ended.
fn is_over(file: &Path) -> bool {
    let header = || -> io::Result<_> {
        if !fs::symlink_metadata(file)?.is_file() {
            return Err(ErrorKind::InvalidInput.into());
        }
        let mut header = [0; board::HEADER_BYTES];
        trace::open_regular(file)?.read_exact_at(&mut header, 0)?;
        Ok(header)
    };
    header().is_ok_and(|header| match board::running(&header) {
        Some(running) => !system::may_live(&running),
        None => board::has_ended(&header),
    })
}
