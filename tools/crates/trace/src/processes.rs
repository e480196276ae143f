// SPDX-License-Identifier: Apache-2.0
//! The processes of a recording. The files of the first process lie in the directory itself. Each
//! further process has a directory `process-PID` in it, or `process-PID-N` if that name was taken,
//! with the same files as if it had been recorded alone. If a job's other ranks are devices of its
//! rank 0, all ranks together are the processes of one program.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Problem};
use crate::meta::{End, Meta};
use crate::ranks::{ranks, Rank};
use crate::recording::{read_end, read_meta};

/// One process of a recording: [`crate::Recording::open`] reads its directory.
pub struct Process {
    /// Its number, as the system gave it. Of several with the same number (a program that starts
    /// another in its place keeps it) those after the first have `-2`, `-3`, ... behind it. Of a
    /// rank: `rank-N`.
    pub label: String,
    pub directory: PathBuf,
    pub meta: Meta,
}

impl Process {
    /// `None`: the program did not end in order, or what it has left cannot be read.
    pub fn end(&self) -> Option<End> {
        read_end(&self.directory.join("end.json"), &self.meta).ok().flatten()
    }
}

/// What [`processes`] finds.
pub struct Processes {
    /// In the order in which they began.
    pub readable: Vec<Process>,
    /// What is wrong with each of the others.
    pub damaged: Vec<Error>,
}

/// All processes of a recording; an error where none can be read. Those that were killed before
/// they had recorded anything are left out.
pub fn processes(directory: &Path) -> Result<Processes, Error> {
    if let Some(processes) = ranks_of_one_program(directory) {
        return Ok(processes);
    }
    let further = directories_of_processes(directory)?;
    let (mut metas, mut damaged) = (Vec::new(), Vec::new());
    match read_meta(directory) {
        Ok(meta) => metas.push((directory.to_owned(), meta)),
        Err(error) if further.is_empty() || has_recorded(directory) => damaged.push(error),
        Err(_) => {}
    }
    for path in further {
        match read_meta(&path) {
            Ok(meta) => metas.push((path, meta)),
            Err(error) => damaged.push(error),
        }
    }
    if metas.is_empty() && !damaged.is_empty() {
        return Err(damaged.swap_remove(0));
    }
    metas.sort_by_key(|(_, meta)| meta.start_monotonic_ns);
    let mut seen = HashMap::new();
    let labelled = metas.into_iter().map(|(directory, meta)| {
        let of_this_number = seen.entry(meta.pid).and_modify(|number| *number += 1).or_insert(1);
        let label = match of_this_number {
            1 => meta.pid.to_string(),
            number => format!("{}-{number}", meta.pid),
        };
        Process { label, directory, meta }
    });
    Ok(Processes { readable: labelled.collect(), damaged })
}

/// Whether a directory holds the recordings of ranks that are the host of devices, and these
/// devices.
pub fn are_ranks_of_one_program(directory: &Path) -> bool {
    ranks_of_one_program(directory).is_some()
}

fn ranks_of_one_program(directory: &Path) -> Option<Processes> {
    let found = ranks(directory).ok()?;
    let mut processes = Processes { readable: Vec::new(), damaged: Vec::new() };
    for (rank, directory) in found.ranks {
        match read_meta(&directory) {
            Ok(meta) => {
                processes.readable.push(Process { label: Rank::directory_name(rank.rank), directory, meta });
            }
            Err(error) => processes.damaged.push(error),
        }
    }
    let mut metas = processes.readable.iter().map(|process| &process.meta);
    let is_host = |meta: &Meta| meta.devices.is_some() && meta.device.is_none();
    let are_one = metas.next().is_some_and(is_host) && metas.all(|meta| meta.device.is_some());
    are_one.then_some(processes)
}

/// Whether processes began that are not recorded, as the limit had been reached or the disk had no
/// room: the first of them left a file that says so.
pub fn are_some_not_recorded(directory: &Path) -> bool {
    directory.join("full").exists()
}

/// Those that hold a recording, in the order of their names.
fn directories_of_processes(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let io = |error| Error::new(directory, Problem::Io(error));
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(io)? {
        let entry = entry.map_err(io)?;
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && is_directory_of_a_process(&entry.file_name()) && has_recorded(&entry.path()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// The meta.json is what a process writes first. Without it and a stream, the process was killed
/// before it had recorded anything; with a stream alone, the file is gone.
fn has_recorded(directory: &Path) -> bool {
    let has_meta = || fs::metadata(directory.join("meta.json")).is_ok_and(|meta| meta.len() > 0);
    let is_stream = |name: &OsStr| name.as_encoded_bytes().starts_with(b"stream-");
    let mut entries = fs::read_dir(directory).into_iter().flatten().flatten();
    has_meta() || entries.any(|entry| is_stream(&entry.file_name()))
}

/// Whether a recording has directories of this name.
pub fn is_directory_of_a_process(name: &OsStr) -> bool {
    let numbers = name.to_str().and_then(|name| name.strip_prefix("process-")).unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (process, number) = numbers.split_once('-').unwrap_or((numbers, "2"));
    is_number(process) && is_number(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories_are_told_from_others() {
        for name in ["process-1", "process-4194304", "process-12-2"] {
            assert!(is_directory_of_a_process(OsStr::new(name)), "{name}");
        }
        for name in ["process-", "process-1x", "process-1-", "process-1-2-3", "processes", "process--2"] {
            assert!(!is_directory_of_a_process(OsStr::new(name)), "{name}");
        }
    }
}
