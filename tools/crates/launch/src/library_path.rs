// SPDX-License-Identifier: Apache-2.0
//! Reads from a program's file how the loader will start it: which loader starts it, and whether
//! this loader searches a built-in library path before LD_LIBRARY_PATH. That path is DT_RPATH,
//! which is used only if there is no DT_RUNPATH (see ld.so(8)).

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use crate::elf::Elf;

pub fn comes_before_ours(program: &OsStr) -> bool {
    Elf::read(&found(program)).is_some_and(|file| file.rpath.is_some() && file.runpath.is_none())
}

/// The path at which the system will find the program.
pub fn found(program: &OsStr) -> PathBuf {
    let is_name = !program.as_encoded_bytes().contains(&b'/');
    let path = env::var_os("PATH").filter(|_| is_name).unwrap_or_default();
    let mut files = env::split_paths(&path).map(|directory| directory.join(program));
    files.find(|file| file.is_file()).unwrap_or_else(|| program.into())
}

/// The loader that a program names; empty if the system starts the program without a loader.
/// `None`: the file is no program.
pub fn loader(program: &OsStr) -> Option<String> {
    Some(Elf::read(&found(program))?.interpreter.unwrap_or_default())
}
