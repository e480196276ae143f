// SPDX-License-Identifier: Apache-2.0
//! The recordings of the ranks of a job of MPI or Slurm: a directory with, for each rank, its
//! recording `rank-N` and a file `rank-N.json`, which says what the recording does not.
//!
//! Each rank writes its own two entries alone, and asks no other rank. So a directory may still
//! have ranks of an earlier job, which had more of them: they are told by their job and by the
//! number of ranks. Like recordings, all of it is untrusted input.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command::Command;
use crate::error::{Error, Problem};
use crate::input::read_regular;
use crate::meta::{parse, Head};

pub const RANK_FORMAT: &str = "teff-rank";
pub const RANK_VERSION: u32 = 1;

const MAX_BYTES: u64 = 16 << 20;
/// More than any machine has. Names of more digits are none of ours.
const MOST_DIGITS: usize = 9;

/// What `rank-N.json` says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    pub format: String,
    pub version: u32,
    pub rank: u64,
    /// The number of ranks; `None`: the launcher did not say.
    #[serde(default)]
    pub size: Option<u64>,
    #[serde(default)]
    pub job: Option<String>,
    #[serde(default)]
    pub host: String,
    /// Those that the rank may use, as the kernel lists them ("0-3,8"); empty: not known.
    #[serde(default)]
    pub bound_to: String,
    #[serde(default)]
    pub command: Command,
    #[serde(default)]
    pub start_unix_ns: u64,
    /// How the program ended. Neither this nor `signal`: it was not seen to end.
    #[serde(default)]
    pub exit_status: Option<i32>,
    #[serde(default)]
    pub signal: Option<i32>,
    /// From its start to its end, what it did before it used OpenMP included.
    #[serde(default)]
    pub wall_ns: u64,
}

impl Rank {
    pub fn directory_name(rank: u64) -> String {
        format!("rank-{rank}")
    }

    pub fn file_name(rank: u64) -> String {
        format!("rank-{rank}.json")
    }
}

/// The ranks of the job that began last.
#[derive(Default)]
pub struct Ranks {
    /// By rising number, each with its recording, which may not be there.
    pub ranks: Vec<(Rank, PathBuf)>,
    /// Those of earlier jobs, and what is wrong with those that cannot be read.
    pub left_out: Vec<String>,
}

/// Reads all of a directory; an error where it cannot be read.
pub fn ranks(directory: &Path) -> Result<Ranks, Error> {
    let mut found = Ranks::default();
    for number in numbers(directory)? {
        match read(directory, number) {
            Ok(rank) => found.ranks.push((rank, directory.join(Rank::directory_name(number)))),
            Err(error) => found.left_out.push(format!("rank {number} is left out: {error}")),
        }
    }
    found.ranks.sort_by_key(|(rank, _)| rank.rank);
    let latest = found.ranks.iter().map(|(rank, _)| rank).max_by_key(|rank| rank.start_unix_ns).cloned();
    let Some(latest) = latest else { return Ok(found) };
    let is_of_it = |rank: &Rank| {
        rank.job == latest.job && rank.size == latest.size && latest.size.is_none_or(|size| rank.rank < size)
    };
    let (ranks, others): (Vec<_>, Vec<_>) = found.ranks.into_iter().partition(|(rank, _)| is_of_it(rank));
    found.ranks = ranks;
    let why =
        |(rank, _): (Rank, PathBuf)| format!("rank {} is of an earlier job, and is left out.", rank.rank);
    found.left_out.extend(others.into_iter().map(why));
    Ok(found)
}

/// What is said of the rank whose recording this is; `None`: it is no rank's.
pub fn rank_of(recording: &Path) -> Option<Rank> {
    let number = number(recording.file_name()?, "")?;
    read(recording.parent()?, number).ok()
}

/// Whether a directory holds the recordings of ranks.
pub fn is_ranks(directory: &Path) -> bool {
    numbers(directory).is_ok_and(|numbers| numbers.into_iter().any(|rank| read(directory, rank).is_ok()))
}

/// Whether such a directory has files of this name.
pub fn is_file_of_ranks(name: &OsStr) -> bool {
    number(name, ".json").or_else(|| number(name, ".json.tmp")).is_some()
}

/// ... directories of this name: a rank's recording, or its earlier one.
pub fn is_directory_of_a_rank(name: &OsStr) -> bool {
    number(name, "").or_else(|| number(name, ".old")).is_some()
}

/// N, if the name is `rank-N` and the suffix.
fn number(name: &OsStr, suffix: &str) -> Option<u64> {
    let digits = name.to_str()?.strip_prefix("rank-")?.strip_suffix(suffix)?;
    let is_number = digits.len() <= MOST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number: &u64| is_number && number.to_string() == digits)
}

fn numbers(directory: &Path) -> Result<Vec<u64>, Error> {
    let fail = |error| Error::new(directory, Problem::Io(error));
    let mut numbers = Vec::new();
    for entry in fs::read_dir(directory).map_err(fail)? {
        numbers.extend(number(&entry.map_err(fail)?.file_name(), ".json"));
    }
    Ok(numbers)
}

fn read(directory: &Path, number: u64) -> Result<Rank, Error> {
    let file = directory.join(Rank::file_name(number));
    let text = read_regular(&file, MAX_BYTES).map_err(|error| Error::new(&file, Problem::Io(error)))?;
    let head: Head = parse(&file, &text)?;
    if head.format != RANK_FORMAT {
        return Err(Error::new(&file, Problem::NotARecording("its format is not teff-rank")));
    }
    if head.version != u64::from(RANK_VERSION) {
        return Err(Error::new(&file, Problem::NotARecording("its version is of a later Teff")));
    }
    let rank: Rank = parse(&file, &text)?;
    if rank.rank != number {
        return Err(Error::new(&file, Problem::BadJson(format!("it is of rank {}", rank.rank))));
    }
    Ok(rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    fn put(directory: &Path, rank: u64, size: u64, job: &str, start: u64) {
        let text = format!(
            r#"{{"format": "teff-rank", "version": 1, "rank": {rank}, "size": {size}, "job": "{job}", "start_unix_ns": {start}}}"#
        );
        fs::write(directory.join(Rank::file_name(rank)), text).unwrap();
    }

    fn of(directory: &Path) -> (Vec<u64>, usize) {
        let found = ranks(directory).unwrap();
        (found.ranks.iter().map(|(rank, _)| rank.rank).collect(), found.left_out.len())
    }

    #[test]
    fn the_ranks_are_those_of_the_latest_job() {
        let place = tempdir().unwrap();
        assert!(!is_ranks(place.path()));
        for rank in [10, 2, 0, 1] {
            put(place.path(), rank, 11, "a", 100 + rank);
        }
        assert!(is_ranks(place.path()));
        let as_one = crate::Recording::open(place.path()).err().unwrap();
        assert!(matches!(as_one.problem, Problem::OfRanks));
        assert_eq!(of(place.path()), (vec![0, 1, 2, 10], 0));
        put(place.path(), 0, 2, "b", 200);
        put(place.path(), 1, 2, "b", 201);
        assert_eq!(of(place.path()), (vec![0, 1], 2));
    }

    #[test]
    fn a_recording_in_such_a_directory_is_a_rank_s() {
        let place = tempdir().unwrap();
        put(place.path(), 1, 4, "a", 100);
        let rank = |name: &str| rank_of(&place.path().join(name)).map(|rank| (rank.rank, rank.size));
        assert_eq!((rank("rank-1"), rank("rank-2"), rank("one")), (Some((1, Some(4))), None, None));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let place = tempdir().unwrap();
        put(place.path(), 0, 2, "a", 1);
        fs::write(place.path().join("rank-1.json"), "no").unwrap();
        fs::write(place.path().join("rank-2.json"), r#"{"format": "teff-rank", "version": 9}"#).unwrap();
        fs::write(place.path().join("rank-3.json"), r#"{"format": "teff-rank", "version": 1, "rank": 7}"#)
            .unwrap();
        assert_eq!(of(place.path()), (vec![0], 3));
    }

    #[test]
    fn names_of_ranks_are_told_from_others() {
        for name in ["rank-0", "rank-12", "rank-999999999.old"] {
            assert!(is_directory_of_a_rank(OsStr::new(name)), "{name}");
        }
        for name in
            ["rank-", "rank-01", "rank-1x", "rank--1", "rank-1.json", "rank-+1", "rank-1234567890", "ranks"]
        {
            assert!(!is_directory_of_a_rank(OsStr::new(name)), "{name}");
        }
        assert!(is_file_of_ranks(OsStr::new("rank-3.json")) && !is_file_of_ranks(OsStr::new("rank-3")));
    }
}
