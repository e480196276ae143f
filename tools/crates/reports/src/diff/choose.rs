// SPDX-License-Identifier: Apache-2.0
//! Which recordings are compared: of a set, the runs on one number of threads.

use std::path::{Path, PathBuf};

use recordings::same_process::SameProcess;
use recordings::set_runs::{comparable, median_run, nothing_to_read, recorded_wall, Group, Runs};
use terminal::{Failure, Result};
use trace::{Recording, Set};

/// What the user wants to be compared.
pub struct Asked<'a> {
    /// Recordings, or sets of them.
    pub before: &'a Path,
    pub after: &'a Path,
    /// For sets: none, one number of threads for both, or one for each.
    pub threads: &'a [u32],
}

/// The recordings of one side.
pub struct Side {
    /// As the user named it.
    pub name: PathBuf,
    /// For a set: the number of threads that was asked for.
    pub threads: Option<u32>,
    pub runs: Vec<PathBuf>,
    /// Row of the run that stands for all where one is looked at.
    pub median: usize,
    /// Why others of the set are left out, and that all failed.
    pub notes: Vec<String>,
}

/// The runs on one number of threads.
pub struct Walls {
    threads: Option<u32>,
    before: Vec<PathBuf>,
    after: Vec<PathBuf>,
}

impl Side {
    /// The run that stands for all.
    pub fn median_run(&self) -> &Path {
        &self.runs[self.median]
    }
}

impl Walls {
    /// Wall times of that process, in ns; `None`: one side has none.
    pub fn of(&self, process: Option<&SameProcess>) -> Option<(Option<u32>, Vec<f64>, Vec<f64>)> {
        let of_run = |run: &PathBuf| match process {
            Some(process) => recorded_wall(&process.directory(run)),
            None => recorded_wall(run),
        };
        let all = |runs: &[PathBuf]| runs.iter().filter_map(of_run).collect::<Vec<_>>();
        let (before, after) = (all(&self.before), all(&self.after));
        (!before.is_empty() && !after.is_empty()).then_some((self.threads, before, after))
    }
}

pub struct Chosen {
    pub before: Side,
    pub after: Side,
    /// For two sets: for each number of threads that both have.
    pub by_threads: Vec<Walls>,
}

/// What the user named.
enum Source {
    Recording,
    Set(Set, Runs),
}

pub fn choose(asked: &Asked) -> Result<Chosen> {
    let (before, after) = (Source::open(asked.before)?, Source::open(asked.after)?);
    let (first, last) = threads(asked, &before, &after)?;
    let by_threads = match (&before, &after) {
        (Source::Set(..), Source::Set(..)) if first == last => walls(&before, &after),
        _ => Vec::new(),
    };
    Ok(Chosen {
        before: before.side(asked.before, first)?,
        after: after.side(asked.after, last)?,
        by_threads,
    })
}

/// Numbers of threads of the runs on either side.
fn threads(asked: &Asked, before: &Source, after: &Source) -> Result<(Option<u32>, Option<u32>)> {
    match (asked.threads, before, after) {
        ([], ..) => {}
        (_, Source::Recording, Source::Recording) => {
            return Err(Failure::Usage(
                "--threads chooses among the runs of a set, but these are two recordings. Leave it out."
                    .to_owned(),
            ))
        }
        ([both], ..) => return Ok((Some(*both), Some(*both))),
        ([first, last], ..) => return Ok((Some(*first), Some(*last))),
        _ => return Err(Failure::Usage("--threads takes one number, or one for each side.".to_owned())),
    }
    let of_recording = |path: &Path| workers(path).map(Some);
    match (before, after) {
        (Source::Recording, Source::Recording) => Ok((None, None)),
        (Source::Set(..), Source::Recording) => Ok((after_or_only(before, of_recording(asked.after)?), None)),
        (Source::Recording, Source::Set(..)) => Ok((None, after_or_only(after, of_recording(asked.before)?))),
        (Source::Set(_, first), Source::Set(_, last)) => {
            let has = |group: &&Group| last.groups.iter().any(|other| other.threads == group.threads);
            match first.groups.iter().rfind(has) {
                Some(group) => Ok((group.threads, group.threads)),
                None => Err(Failure::Usage(format!(
                    "the sets have no number of threads in common: {} has runs on {}, {} on {}. --threads N,M \
                     compares N threads before with M after.",
                    asked.before.display(),
                    numbers(first),
                    asked.after.display(),
                    numbers(last)
                ))),
            }
        }
    }
}

/// A set of one number of threads leaves no choice.
fn after_or_only(set: &Source, wanted: Option<u32>) -> Option<u32> {
    match set {
        Source::Set(_, Runs { groups, .. }) if groups.len() == 1 => groups[0].threads,
        _ => wanted,
    }
}

fn workers(recording: &Path) -> Result<u32> {
    Ok(Recording::open(recording)?.streams.len() as u32)
}

fn numbers(runs: &Runs) -> String {
    let name =
        |group: &Group| group.threads.map_or("as many as it takes".to_owned(), |number| number.to_string());
    runs.groups.iter().map(name).collect::<Vec<_>>().join(", ")
}

impl Source {
    fn open(directory: &Path) -> Result<Self> {
        if !trace::is_set(directory) {
            return Ok(Self::Recording);
        }
        let set = Set::open(directory)?;
        let runs = comparable(&set);
        if runs.groups.is_empty() {
            return Err(nothing_to_read(directory, &runs.notes));
        }
        Ok(Self::Set(set, runs))
    }

    fn side(&self, name: &Path, threads: Option<u32>) -> Result<Side> {
        let name = name.to_owned();
        let Self::Set(set, runs) = self else {
            return Ok(Side { runs: vec![name.clone()], name, threads: None, median: 0, notes: Vec::new() });
        };
        let Some(group) = runs.groups.iter().find(|group| group.threads == threads) else {
            let wanted = threads
                .map_or("as many threads as it takes".to_owned(), |number| format!("{number} threads"));
            return Err(Failure::Usage(format!(
                "{} has no run on {wanted} that can be read. It has runs on {}; --threads chooses.",
                name.display(),
                numbers(runs)
            )));
        };
        let paths: Vec<PathBuf> = group.runs.iter().map(|run| set.path(run)).collect();
        let median = median_run(&paths);
        Ok(Side { name, threads, runs: paths, median, notes: runs.notes.clone() })
    }

    fn paths(&self) -> Vec<(Option<u32>, Vec<PathBuf>)> {
        let Self::Set(set, runs) = self else { return Vec::new() };
        let of = |group: &Group| group.runs.iter().map(|run| set.path(run)).collect();
        runs.groups.iter().map(|group| (group.threads, of(group))).collect()
    }
}

fn walls(before: &Source, after: &Source) -> Vec<Walls> {
    let after = after.paths();
    let both = before.paths().into_iter().filter_map(|(threads, before)| {
        let after = after.iter().find(|(other, _)| *other == threads)?.1.clone();
        Some(Walls { threads, before, after })
    });
    both.collect()
}
