// SPDX-License-Identifier: Apache-2.0
//! A set: several recordings of one command, on one number of threads or on several.
//!
//! It is a directory with a manifest, `set.json`, and one directory for each run, which is an
//! ordinary recording that all tools can read. docs/formats/set.md defines the manifest. Like a
//! recording, the manifest is untrusted input: the runs that it names must be directories in the
//! set's own directory, and not links; all others count as missing.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command::Command;
use crate::error::{Error, Problem};
use crate::input::read_regular;
use crate::layout::SET_VERSION;
use crate::meta::{parse, Head};
use crate::recording::is_recording;

pub const SET_FORMAT: &str = "teff-set";
/// The name of the manifest.
pub const SET_FILE: &str = "set.json";
/// Where a manifest is written before it takes the place of the one before.
pub const SET_FILE_BESIDE: &str = "set.json.tmp";

/// As many as anybody waits for; a manifest of all of them is far smaller than [`MAX_BYTES`].
pub const MOST_RUNS: usize = 1 << 14;
const MAX_BYTES: u64 = 16 << 20;

/// What set.json says.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Manifest {
    pub format: String,
    pub version: u32,
    #[serde(default)]
    pub command: Command,
    #[serde(default)]
    pub start_unix_ns: u64,
    /// How often each number of threads was to run.
    #[serde(default)]
    pub repeat: u32,
    /// The numbers of threads; empty: as many as the program takes by itself.
    #[serde(default)]
    pub threads: Vec<u32>,
    /// All runs that were asked for have ended.
    #[serde(default)]
    pub complete: bool,
    /// In the order in which they began.
    pub runs: Vec<Run>,
}

/// One run of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its recording: the name of a directory in the set's own.
    pub directory: String,
    /// What OMP_NUM_THREADS said; `None`: nothing was said for this run.
    #[serde(default)]
    pub threads: Option<u32>,
    /// The number of the run among those of this number of threads, from 1.
    #[serde(default)]
    pub repeat: u32,
    /// How the program ended. Neither this nor `signal`: it was not seen to end.
    #[serde(default)]
    pub exit_status: Option<i32>,
    #[serde(default)]
    pub signal: Option<i32>,
    /// From its start to its end, what it did before it used OpenMP included.
    #[serde(default)]
    pub wall_ns: u64,
}

impl Run {
    pub fn name(threads: Option<u32>, repeat: u32) -> String {
        match threads {
            Some(threads) => format!("threads-{threads}-{repeat}"),
            None => format!("run-{repeat}"),
        }
    }

    /// The program ended by itself, with status 0.
    pub fn succeeded(&self) -> bool {
        self.exit_status == Some(0) && self.signal.is_none()
    }
}

/// A set, with what is there of the runs that it names.
pub struct Set {
    pub directory: PathBuf,
    pub manifest: Manifest,
}

/// The runs of one number of threads.
pub struct SetGroup<'a> {
    pub threads: Option<u32>,
    /// In the order of their repeats.
    pub runs: Vec<&'a Run>,
}

impl Set {
    /// Reads the manifest. A run that is missing or damaged is no error here.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let file = directory.join(SET_FILE);
        let text = read_regular(&file, MAX_BYTES).map_err(|error| Error::new(&file, Problem::Io(error)))?;
        let head: Head = parse(&file, &text)?;
        if head.format != SET_FORMAT {
            return Err(Error::new(&file, Problem::NotARecording("its format is not teff-set")));
        }
        if head.version != u64::from(SET_VERSION) {
            return Err(Error::new(&file, Problem::WrongSetVersion(head.version)));
        }
        let manifest: Manifest = parse(&file, &text)?;
        check(&manifest).map_err(|why| Error::new(&file, Problem::BadJson(why)))?;
        Ok(Self { directory: directory.to_owned(), manifest })
    }

    pub fn path(&self, run: &Run) -> PathBuf {
        self.directory.join(&run.directory)
    }

    /// Why the recording of a run cannot be used; `None`: it is there.
    pub fn lacks(&self, run: &Run) -> Option<&'static str> {
        let path = self.path(run);
        match fs::symlink_metadata(&path) {
            Err(_) => Some("its directory is not there"),
            Ok(there) if !there.is_dir() => Some("it is not a directory"),
            Ok(_) if is_recording(&path) => None,
            Ok(_) => Some("nothing was recorded"),
        }
    }

    /// By rising number of threads.
    pub fn groups(&self) -> Vec<SetGroup<'_>> {
        let mut runs: Vec<&Run> = self.manifest.runs.iter().collect();
        runs.sort_by_key(|run| (run.threads, run.repeat));
        let alike = runs.chunk_by(|a, b| a.threads == b.threads);
        alike.map(|runs| SetGroup { threads: runs[0].threads, runs: runs.to_vec() }).collect()
    }
}

/// Whether `directory` holds a set, of whatever version.
pub fn is_set(directory: &Path) -> bool {
    let file = directory.join(SET_FILE);
    let text = read_regular(&file, MAX_BYTES).unwrap_or_default();
    let head: Result<Head, Error> = parse(&file, &text);
    head.is_ok_and(|head| head.format == SET_FORMAT)
}

/// Whether a set has files of this name, beside the directories of its runs.
pub fn is_file_of_a_set(name: &OsStr) -> bool {
    name == SET_FILE || name == SET_FILE_BESIDE
}

/// Names that lead out of the directory, or to one recording twice, are none that we write.
fn check(manifest: &Manifest) -> Result<(), String> {
    if manifest.runs.len() > MOST_RUNS {
        return Err(format!("it names more than {MOST_RUNS} runs"));
    }
    let mut names = HashSet::new();
    for run in &manifest.runs {
        if !is_plain_name(&run.directory) {
            return Err(format!("{:?} is no name of a directory in it", run.directory));
        }
        if !names.insert(&run.directory) {
            return Err(format!("it names {:?} twice", run.directory));
        }
    }
    Ok(())
}

fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let is_one = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    is_one && name.len() <= 255 && !name.contains(['/', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use tempfile::{tempdir, TempDir};

    fn set(runs: &str) -> TempDir {
        let place = tempdir().unwrap();
        let text = format!(r#"{{"format": "teff-set", "version": 1, "runs": [{runs}]}}"#);
        fs::write(place.path().join(SET_FILE), text).unwrap();
        place
    }

    fn message(place: &TempDir) -> String {
        Set::open(place.path()).err().expect("the set must be refused").to_string()
    }

    #[test]
    fn runs_are_grouped_by_threads_in_the_order_of_their_repeats() {
        let run = |threads, repeat| {
            let name = Run::name(Some(threads), repeat);
            format!(
                r#"{{"directory": "{name}", "threads": {threads}, "repeat": {repeat}, "exit_status": 0}}"#
            )
        };
        let place = set(&[run(8, 1), run(1, 1), run(8, 2), run(1, 2)].join(","));
        let set = Set::open(place.path()).unwrap();
        let groups = set.groups();
        let names = |at: usize| groups[at].runs.iter().map(|run| &*run.directory).collect::<Vec<_>>();
        assert_eq!((groups.len(), groups[0].threads, groups[1].threads), (2, Some(1), Some(8)));
        assert_eq!(names(1), ["threads-8-1", "threads-8-2"]);
        assert!(set.manifest.runs.iter().all(Run::succeeded) && is_set(place.path()));
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let long = "x".repeat(256);
        for name in ["..", "../a.teff", "/etc", "a/b", ".", "", "a/", "a/..", "./a", &long] {
            let place = set(&format!(r#"{{"directory": "{name}"}}"#));
            assert!(message(&place).contains("no name of a directory in it"), "{name}");
        }
        let twice = set(r#"{"directory": "a"}, {"directory": "a"}"#);
        assert!(message(&twice).contains("twice"));
    }

    #[test]
    fn a_manifest_that_is_none_is_refused() {
        let place = tempdir().unwrap();
        let file = place.path().join(SET_FILE);
        assert!(message(&place).contains("cannot be read"));
        for (text, why) in [
            ("", "not the JSON"),
            ("[1]", "not the JSON"),
            (r#"{"format": "other", "version": 1}"#, "not teff-set"),
            (r#"{"format": "teff-set", "version": 7, "runs": 1}"#, "version 7"),
            (r#"{"format": "teff-set", "version": 1}"#, "not the JSON"),
            (r#"{"format": "teff-set", "version": 1, "runs": [{"directory": 1}]}"#, "not the JSON"),
        ] {
            fs::write(&file, text).unwrap();
            assert!(message(&place).contains(why), "{text}");
        }
        fs::remove_file(&file).unwrap();
        symlink("/dev/zero", &file).unwrap();
        assert!(message(&place).contains("a device") && !is_set(place.path()));
        fs::remove_file(&file).unwrap();
        fs::File::create(&file).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert!(message(&place).contains("more than"));
        let runs = vec![r#"{"directory": "a"}"#; MOST_RUNS + 1].join(",");
        assert!(message(&set(&runs)).contains("more than"));
    }

    #[test]
    fn what_is_not_there_or_behind_a_link_is_told() {
        let place = set(r#"{"directory": "gone"}, {"directory": "link"}, {"directory": "empty"}"#);
        symlink("/", place.path().join("link")).unwrap();
        fs::create_dir(place.path().join("empty")).unwrap();
        let set = Set::open(place.path()).unwrap();
        let why: Vec<_> = set.manifest.runs.iter().map(|run| set.lacks(run).unwrap()).collect();
        assert_eq!(why, ["its directory is not there", "it is not a directory", "nothing was recorded"]);
    }
}
