// SPDX-License-Identifier: Apache-2.0
//! The files of counts that a program wrote beside its recording, if it was compiled to count its
//! instructions (docs/characterising.md).

use std::fs;
use std::path::{Path, PathBuf};

use grains::characterise::{Counts, GrainCounts};
use grains::Profile;
use terminal::{say, Failure, Result};

const MOST_BYTES: u64 = 4 << 30;

/// What each grain executed and accessed. Says which files are not read.
pub fn counts_of_grains(profile: &Profile) -> Result<Option<GrainCounts>> {
    let mut messages = Vec::new();
    let counts = counts_of(profile, &mut messages)?;
    messages.iter().for_each(say);
    Ok(counts.and_then(|counts| GrainCounts::of(profile, &counts)))
}

/// Adds what the program counted itself to the recording's counters, for outputs that show these.
/// Says which files are not read.
pub fn add_counts(profile: &mut Profile) {
    match counts_of_grains(profile) {
        Ok(Some(counts)) => counts.add_to(profile),
        Ok(None) => {}
        Err(failure) => say(format!("left out: the program's counts of its instructions: {failure}")),
    }
}

/// The folder of the whole recording, in which the files of all its processes are.
fn recording_of(process: &Path) -> &Path {
    let is_further = process.file_name().is_some_and(trace::is_directory_of_a_process);
    process.parent().filter(|_| is_further).unwrap_or(process)
}

/// The counts of the shown process, from all its files together.
pub fn counts_of(profile: &Profile, messages: &mut Vec<String>) -> Result<Option<Counts>> {
    // A relative name, or a symbolic link, does not tell the folder above.
    let process = fs::canonicalize(&profile.directory).unwrap_or_else(|_| profile.directory.clone());
    let directory = recording_of(&process);
    let entries = fs::read_dir(directory).map_err(|error| Failure::io("read", directory, error))?;
    let is_its = |path: &PathBuf| path.file_name().and_then(trace::counts_pid) == Some(profile.meta.pid);
    let mut all: Option<Counts> = None;
    for path in entries.flatten().map(|entry| entry.path()).filter(is_its) {
        if let Some(why) = unfit(&path)? {
            messages.push(format!("left out: {} {why}.", path.display()));
            continue;
        }
        let bytes = fs::read(&path).map_err(|error| Failure::io("read", &path, error))?;
        let counts = Counts::parse(&bytes)
            .map_err(|why| Failure::Recording(format!("{} is no file of counts: {why}.", path.display())))?;
        match &mut all {
            Some(all) => all.rows.extend(counts.rows),
            None => all = Some(counts),
        }
    }
    Ok(all)
}

/// Why it is not read as a file of counts: it comes from somebody else.
fn unfit(path: &Path) -> Result<Option<String>> {
    let about = fs::symlink_metadata(path).map_err(|error| Failure::io("read", path, error))?;
    if !about.is_file() {
        return Ok(Some("is no plain file".to_owned()));
    }
    let too_long = about.len() > MOST_BYTES;
    Ok(too_long.then(|| format!("has {} bytes, more than {MOST_BYTES}", about.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_all_processes_are_in_the_recording_s_own_folder() {
        for (process, recording) in
            [("a/b.teff", "a/b.teff"), ("a/b.teff/process-12", "a/b.teff"), ("a/process", "a/process")]
        {
            assert_eq!(recording_of(Path::new(process)), Path::new(recording));
        }
    }
}
