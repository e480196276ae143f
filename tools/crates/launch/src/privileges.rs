// SPDX-License-Identifier: Apache-2.0
//! Determines whether a program gets privileges that its caller does not have. If so, the loader
//! ignores LD_LIBRARY_PATH and paths in LD_PRELOAD, so the program keeps its own OpenMP runtime.
//! Teff's runtime also writes to no file that the caller names.
//!
//! The system raises privileges by the file's set-user-ID and set-group-ID bits, or by its
//! capabilities. It does not do so for a script, on a file system that is mounted nosuid, or if the
//! caller has given up gaining privileges (no_new_privs).

use std::ffi::{CString, OsStr};
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::libc;
use nix::sys::statvfs::{statvfs, FsFlags};
use nix::unistd::{getgid, getuid};
use terminal::{Failure, Result};

use crate::library_path::found;

const SET_USER: u32 = libc::S_ISUID;
/// Without the right to execute, the bit means something else.
const SET_GROUP: u32 = libc::S_ISGID | libc::S_IXGRP;

/// What `raised_by` returns.
pub const SET_USER_BIT: &str = "its set-user-ID bit";
pub const SET_GROUP_BIT: &str = "its set-group-ID bit";

/// What raises the program's privileges; `None`: nothing does.
pub fn raised_by(program: &OsStr) -> Option<&'static str> {
    let file = found(program);
    if is_script(&file) || without_effect(&file) {
        return None;
    }
    let metadata = fs::metadata(&file).ok()?;
    by_mode(&metadata, getuid().as_raw(), getgid().as_raw())
        .or_else(|| (!getuid().is_root() && has_capabilities(&file)).then_some("its capabilities"))
}

/// Refuses a program that would run without the runtime, so that nothing would be recorded or
/// counted. `done` is "recorded" or "counted".
pub fn refuse(program: &OsStr, done: &str) -> Result<()> {
    let Some(how) = raised_by(program) else { return Ok(()) };
    Err(Failure::Program(format!(
        "{} runs with raised privileges, by {how}: the loader does not load the runtime into such programs, so nothing \
         can be {done}. Use a copy of the program, which has no such privileges, or run it as the user whose \
         privileges it takes.",
        Path::new(program).display()
    )))
}

fn by_mode(file: &impl Mode, user: u32, group: u32) -> Option<&'static str> {
    let (mode, owner, owner_group) = file.mode_and_owners();
    if mode & SET_USER != 0 && owner != user {
        return Some(SET_USER_BIT);
    }
    (mode & SET_GROUP == SET_GROUP && owner_group != group).then_some(SET_GROUP_BIT)
}

trait Mode {
    /// The mode, the owner and the group of a file.
    fn mode_and_owners(&self) -> (u32, u32, u32);
}

impl Mode for Metadata {
    fn mode_and_owners(&self) -> (u32, u32, u32) {
        (self.mode(), self.uid(), self.gid())
    }
}

fn is_script(file: &Path) -> bool {
    let mut begin = [0; 2];
    let read =
        trace::open_regular(file).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut begin));
    read.is_ok() && begin == *b"#!"
}

fn without_effect(file: &Path) -> bool {
    // SAFETY: the arguments and the result of the call are numbers.
    let gave_up = unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) } == 1;
    gave_up || statvfs(file).is_ok_and(|system| system.flags().contains(FsFlags::ST_NOSUID))
}

fn has_capabilities(file: &Path) -> bool {
    let Ok(path) = CString::new(file.as_os_str().as_bytes()) else { return false };
    // SAFETY: both names end with a zero, and nothing is written where there is no room.
    unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Mode for (u32, u32, u32) {
        fn mode_and_owners(&self) -> (u32, u32, u32) {
            *self
        }
    }

    #[test]
    fn bits_raise_the_rights_of_others_than_the_owner() {
        assert_eq!(by_mode(&(0o4755, 7, 7), 8, 7), Some("its set-user-ID bit"));
        assert_eq!(by_mode(&(0o4755, 7, 7), 7, 8), None);
        assert_eq!(by_mode(&(0o2755, 7, 7), 7, 8), Some("its set-group-ID bit"));
        assert_eq!(by_mode(&(0o2745, 7, 7), 7, 8), None, "no right to execute, no effect");
        assert_eq!(by_mode(&(0o755, 7, 7), 8, 8), None);
    }
}
