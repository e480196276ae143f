// SPDX-License-Identifier: Apache-2.0
//! The folder of a sweep: one set of recordings for each value, so that `teff report` and `teff
//! diff` read them like any other set. Each set has its manifest before its first run, and again
//! after each run, so an interrupted sweep loses no run that has ended.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use terminal::{Failure, Result};
use trace::{Manifest, SetRun, SET_FILE, SET_FILE_BESIDE, SET_FORMAT, SET_VERSION};

/// The set of one value.
pub struct Member {
    pub value: String,
    pub directory: PathBuf,
    pub manifest: Manifest,
    began: Instant,
}

/// Makes a folder that does not exist yet, or is empty.
pub fn make(folder: &Path) -> Result<()> {
    let failed = |error| Failure::io("make", folder, error);
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let is_empty = fs::read_dir(folder).map_err(failed)?.next().is_none();
            if is_empty {
                return Ok(());
            }
            Err(Failure::Place(format!(
                "{} is there already: choose another folder with -o, or remove it.",
                folder.display()
            )))
        }
        done => done.map_err(failed),
    }
}

impl Member {
    pub fn new(folder: &Path, number: usize, name: &str, value: &str, runs: u32) -> Self {
        Self {
            value: value.to_owned(),
            directory: folder.join(file_name(number, name, value)),
            manifest: Manifest {
                format: SET_FORMAT.to_owned(),
                version: SET_VERSION,
                repeat: runs,
                ..Manifest::default()
            },
            began: Instant::now(),
        }
    }

    /// Returns the directory of the run's recording.
    pub fn begin(&mut self, command: &[OsString]) -> Result<PathBuf> {
        if self.manifest.runs.is_empty() {
            fs::create_dir(&self.directory).map_err(|error| Failure::io("make", &self.directory, error))?;
            let words: Vec<_> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            self.manifest.command = words.into();
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            self.manifest.start_unix_ns = now.as_nanos() as u64;
        }
        let repeat = self.manifest.runs.len() as u32 + 1;
        let directory = SetRun::name(None, repeat);
        let path = self.directory.join(&directory);
        self.manifest.runs.push(SetRun { directory, repeat, ..SetRun::default() });
        self.write()?;
        self.began = Instant::now();
        Ok(path)
    }

    /// The last run has ended.
    pub fn end(&mut self, status: ExitStatus) -> Result<()> {
        let run = self.manifest.runs.last_mut().expect("a run has begun");
        run.wall_ns = self.began.elapsed().as_nanos() as u64;
        run.exit_status = status.code();
        run.signal = status.signal();
        self.manifest.complete = self.manifest.runs.len() == self.manifest.repeat as usize;
        self.write()
    }

    fn write(&self) -> Result<()> {
        let (file, beside) = (self.directory.join(SET_FILE), self.directory.join(SET_FILE_BESIDE));
        let text = serde_json::to_string_pretty(&self.manifest).expect("it is JSON");
        let done = fs::write(&beside, text + "\n").and_then(|()| fs::rename(&beside, &file));
        done.map_err(|error| Failure::io("write", &file, error))
    }
}

/// `NAME=VALUE`, if that can be the name of a file that needs no quotes; else the value's number in
/// place of the value.
fn file_name(number: usize, name: &str, value: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+,".contains(&byte);
    if value.len() <= 60 && value.bytes().all(is_plain) {
        format!("{name}={value}")
    } else {
        format!("{name}={}", number + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_names_of_files_if_they_can_be() {
        assert_eq!(file_name(0, "N", "dynamic,1"), "N=dynamic,1");
        assert_eq!(file_name(2, "N", "a/b"), "N=3");
        assert_eq!(file_name(2, "N", &"x".repeat(61)), "N=3");
    }
}
