// SPDX-License-Identifier: Apache-2.0
//! The runs of a set that can be compared, and the run that represents all if a single run is
//! needed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use grains::scaling::median_row;
use grains::units::several;
use terminal::{say, shell_word, Failure, Result};
use trace::{Recording, Set, SetGroup, SetRun};

/// The runs of one number of threads.
pub struct Group {
    pub threads: Option<u32>,
    /// In the order of their repeats.
    pub runs: Vec<SetRun>,
}

pub struct Runs {
    /// By rising number of threads; none is empty.
    pub groups: Vec<Group>,
    /// Why each of the other runs is left out; or that all runs failed.
    pub notes: Vec<String>,
}

/// A run whose program failed is left out, because it did not do the same as the others. But if all
/// runs failed, all are used, because failing is what the program does.
pub fn comparable(set: &Set) -> Runs {
    let some_succeeded = set.manifest.runs.iter().any(SetRun::succeeded);
    let (mut groups, mut notes) = (Vec::new(), Vec::new());
    for SetGroup { threads, runs } in set.groups() {
        let mut kept = Vec::new();
        for run in runs {
            match why_not(set, run, some_succeeded) {
                None => kept.push(run.clone()),
                Some(why) => notes.push(format!("{} is left out: {why}.", run.directory)),
            }
        }
        if !kept.is_empty() {
            groups.push(Group { threads, runs: kept });
        }
    }
    notes.extend((!some_succeeded).then(|| all_failed(&groups)).flatten());
    Runs { groups, notes }
}

fn all_failed(groups: &[Group]) -> Option<String> {
    let statuses: BTreeSet<i32> =
        groups.iter().flat_map(|group| &group.runs).filter_map(|run| run.exit_status).collect();
    let statuses: Vec<String> = statuses.iter().map(i32::to_string).collect();
    (!statuses.is_empty()).then(|| {
        format!(
            "The program failed in all runs, with exit status {}: they count, but a program that stops early does \
             not do all its work.",
            statuses.join(", ")
        )
    })
}

fn why_not(set: &Set, run: &SetRun, some_succeeded: bool) -> Option<String> {
    if let Some(why) = set.lacks(run) {
        return Some(why.to_owned());
    }
    match (run.signal, run.exit_status) {
        (Some(signal), _) => Some(format!("signal {signal} ended the program")),
        (None, None) => Some("the program was not seen to end".to_owned()),
        (None, Some(status)) if status != 0 && some_succeeded => {
            Some(format!("the program's exit status was {status}"))
        }
        _ => None,
    }
}

/// The row of the run that represents all of these runs, of which there must be at least one: the
/// run with the median recorded time. Only runs that were recorded to their end count. If there is
/// none, all runs count.
pub fn median_run(runs: &[PathBuf]) -> usize {
    let is_whole = |recording: &Recording| recording.end.as_ref().is_some_and(|end| end.lost_records == 0);
    let wall_of = |run| Recording::open(run).ok().filter(is_whole).as_ref().and_then(wall);
    let whole = runs.iter().enumerate().filter_map(|(row, run)| Some((row, wall_of(run)?)));
    let (rows, walls): (Vec<usize>, Vec<f64>) = whole.unzip();
    median_row(&walls).map_or((runs.len() - 1) / 2, |at| rows[at])
}

/// The time from the start of a recording to its end, in ns, without reading the recording. `None`:
/// the recording has no end.
pub fn recorded_wall(recording: &Path) -> Option<f64> {
    wall(&Recording::open(recording).ok()?)
}

fn wall(recording: &Recording) -> Option<f64> {
    let end = recording.end.as_ref()?.end_monotonic_ns;
    Some(end.checked_sub(recording.meta.start_monotonic_ns)? as f64)
}

/// Which run of a set is wanted.
#[derive(Clone, Copy)]
pub enum Wanted {
    MostThreads,
    FewestThreads,
}

/// Opens one recording. For a set, this is the median run of the number of threads; a message says
/// which.
pub fn one_recording(directory: &Path, wanted: Wanted) -> Result<PathBuf> {
    if !trace::is_set(directory) {
        return Ok(directory.to_owned());
    }
    let set = Set::open(directory)?;
    let Runs { groups, notes } = comparable(&set);
    let group = match wanted {
        Wanted::MostThreads => groups.last(),
        Wanted::FewestThreads => groups.first(),
    };
    let Some(group) = group else { return Err(nothing_to_read(directory, &notes)) };
    let paths: Vec<PathBuf> = group.runs.iter().map(|run| set.path(run)).collect();
    let median = median_run(&paths);
    say(format!(
        "{} is a set of {}; this is {}, the median of its runs{}. To read another run, name its directory: {}",
        directory.display(),
        several(set.manifest.runs.len() as u64, "recording"),
        group.runs[median].directory,
        on_threads(group.threads),
        shell_word(&set.path(&set.manifest.runs[0])),
    ));
    Ok(paths[median].clone())
}

fn on_threads(threads: Option<u32>) -> String {
    threads.map_or_else(String::new, |threads| format!(" on {}", several(threads.into(), "thread")))
}

/// The failure if no run is found at all.
pub fn nothing_to_read(directory: &Path, left_out: &[String]) -> Failure {
    let mut why = vec![format!("{} has no run that can be read.", directory.display())];
    why.extend_from_slice(left_out);
    Failure::Recording(why.join(" "))
}
