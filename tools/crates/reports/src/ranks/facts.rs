// SPDX-License-Identifier: Apache-2.0
//! The comparison of ranks as data. The JSON form prints this; the text form is made from it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use grains::budget::Budget;
use grains::findings::Disturbance;
use recordings::partial::note_missing_part;
use recordings::{open_with_processes, Purpose, RecordingArgs};
use serde::Serialize;
use terminal::{Failure, Result};
use trace::{Command, Rank};

use crate::args::ReportArgs;
use crate::report::{in_regions, WholenessFacts};

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct Facts {
    pub schema: &'static str,
    pub version: u32,
    pub command: String,
    /// The number of ranks of the job; `null`: it is not known.
    pub size: Option<u64>,
    pub job: Option<String>,
    /// Those that could be read, by rising number.
    pub ranks: Vec<RankFacts>,
    /// `null` where fewer than two ranks could be read, where a recording is not whole or cannot be
    /// read, or where recordings that were named by themselves are of different programs.
    pub between: Option<Between>,
    pub notes: Vec<String>,
    /// Recordings that are there and could not be read, for the first lines of the text; also among
    /// the notes.
    #[serde(skip)]
    pub unreadable: Vec<String>,
}

/// One rank. If its program has several processes, this is the one with the most work.
#[derive(Clone, Serialize)]
pub struct RankFacts {
    /// `null`: the recording was named by itself.
    pub rank: Option<u64>,
    pub recording: PathBuf,
    pub host: String,
    pub workers: u32,
    pub complete: bool,
    pub wholeness: WholenessFacts,
    pub exit_status: Option<i32>,
    pub signal: Option<i32>,
    pub wall_ns: f64,
    /// Time in which some thread was in an outermost parallel region.
    pub regions_ns: f64,
    /// The same without what the recorder did there, and other processes took.
    pub regions_undisturbed_ns: f64,
    /// For how long other processes had the processors of threads with work in parallel regions,
    /// all threads together.
    pub regions_others_ns: f64,
    /// The rest of `wall_ns`: serial code, and waits for other ranks.
    pub outside_ns: f64,
    /// Work of the threads in parallel regions, and its mean number of workers.
    pub regions_work_ns: f64,
    pub at_work: f64,
}

/// How unequal the ranks are: by their undisturbed time in parallel regions, because the others'
/// time has their waits for the slowest in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Between {
    /// The row of the slowest.
    pub slowest: usize,
    pub regions_max_ns: f64,
    pub regions_mean_ns: f64,
    /// The largest by the mean: 1 where all are equal.
    pub imbalance: f64,
    /// What the job would gain at most if all ranks took the mean.
    pub gain_ns: f64,
    /// Differences below this may be those of other processes: how long the other threads of a rank
    /// waited for one that had no processor is not known.
    pub uncertain_ns: f64,
}

impl Facts {
    pub fn of(args: &ReportArgs) -> Result<Self> {
        let (found, mut notes) = found(args)?;
        let first = found.first().and_then(|(rank, _)| rank.clone());
        let (size, job) = first.as_ref().map_or((None, None), |rank| (rank.size, rank.job.clone()));
        let mut command = first.map(|rank| rank.command.to_string());
        let (mut ranks, mut programs, mut unreadable) = (Vec::new(), BTreeSet::new(), Vec::new());
        for (rank, directory) in found {
            match read(rank.as_ref(), &directory, args.recording.any_size) {
                Ok((facts, of_recording)) => {
                    ranks.push(facts);
                    programs.insert(of_recording.program_name().to_owned());
                    command.get_or_insert_with(|| of_recording.to_string());
                }
                Err(failure) => {
                    let why = format!("{} is left out: {failure}", directory.display());
                    // A rank that uses no OpenMP has no recording.
                    if rank.is_none() || directory.exists() {
                        unreadable.push(why.clone());
                    }
                    notes.push(why);
                }
            }
        }
        if ranks.is_empty() {
            notes.insert(0, format!("{} has no rank that can be read.", args.recording.directory.display()));
            return Err(Failure::Recording(notes.join(" ")));
        }
        if !unreadable.is_empty() {
            note_missing_part();
        }
        let are_whole = unreadable.is_empty() && ranks.iter().all(|rank| !rank.wholeness.withholds_findings);
        let are_of_one = programs.len() < 2 || ranks.iter().all(|rank| rank.rank.is_some());
        if programs.len() > 1 {
            let names: Vec<_> = programs.into_iter().collect();
            notes.push(format!("These are different programs: {}.", names.join(", ")));
        }
        notes.extend(missing(&ranks, size));
        notes.extend(ranks.iter().filter_map(ended_early));
        Ok(Self {
            schema: "teff-ranks",
            version: 2,
            command: command.unwrap_or_default(),
            size,
            job,
            between: if are_whole && are_of_one { between(&ranks) } else { None },
            ranks,
            notes,
            unreadable,
        })
    }
}

type Found = Vec<(Option<Rank>, PathBuf)>;

/// Those of the directories of ranks, and the recordings that are named by themselves.
fn found(args: &ReportArgs) -> Result<(Found, Vec<String>)> {
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    for directory in std::iter::once(&args.recording.directory).chain(&args.more) {
        if !trace::is_ranks(directory) {
            found.push((None, directory.clone()));
            continue;
        }
        let ranks = trace::ranks(directory)?;
        found.extend(ranks.ranks.into_iter().map(|(rank, path)| (Some(rank), path)));
        notes.extend(ranks.left_out);
    }
    Ok((found, notes))
}

fn read(rank: Option<&Rank>, directory: &Path, any_size: bool) -> Result<(RankFacts, Command)> {
    if trace::is_set(directory) {
        return Err(Failure::Recording(
            "it is a set of recordings, which has a report of its own.".to_owned(),
        ));
    }
    let args = RecordingArgs::all_of(directory.to_owned(), None, any_size);
    let opened = open_with_processes(&args, Purpose::Report)?;
    opened.note_missing_part();
    let profile = opened.profile;
    let (wall_ns, regions_ns) = (profile.ns(profile.wall), profile.ns(in_regions(&profile)));
    let regions_work_ns = profile.ns(crate::report::work_in_regions(&profile));
    let disturbance = Disturbance::in_regions(&profile, &Budget::of(&profile));
    let foreign_ns = (disturbance.recorder_ns + disturbance.others_ns) / f64::from(profile.workers.max(1));
    let facts = RankFacts {
        rank: rank.map(|rank| rank.rank),
        recording: directory.to_owned(),
        host: profile.meta.host.clone(),
        workers: profile.workers,
        complete: profile.complete,
        wholeness: WholenessFacts::of(&profile.wholeness),
        exit_status: rank.and_then(|rank| rank.exit_status),
        signal: rank.and_then(|rank| rank.signal),
        wall_ns,
        regions_ns,
        regions_undisturbed_ns: (regions_ns - foreign_ns).max(0.0),
        regions_others_ns: disturbance.others_ns,
        outside_ns: (wall_ns - regions_ns).max(0.0),
        regions_work_ns,
        at_work: if regions_ns > 0.0 { regions_work_ns / regions_ns } else { 0.0 },
    };
    Ok((facts, profile.meta.command))
}

fn between(ranks: &[RankFacts]) -> Option<Between> {
    if ranks.len() < 2 {
        return None;
    }
    let regions = || ranks.iter().map(|rank| rank.regions_undisturbed_ns).enumerate();
    let (slowest, max) = regions().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let mean = regions().map(|(_, ns)| ns).sum::<f64>() / ranks.len() as f64;
    Some(Between {
        slowest,
        regions_max_ns: max,
        regions_mean_ns: mean,
        imbalance: if mean > 0.0 { max / mean } else { 1.0 },
        gain_ns: max - mean,
        uncertain_ns: ranks.iter().map(uncertain).fold(0.0, f64::max),
    })
}

/// The threads of a rank may have lost their processors at the same time, or one after the other.
fn uncertain(rank: &RankFacts) -> f64 {
    rank.regions_others_ns * (1.0 - 1.0 / f64::from(rank.workers.max(1)))
}

/// The numbers that are shown of ranks that are not there.
const SHOWN: usize = 10;

fn missing(ranks: &[RankFacts], size: Option<u64>) -> Option<String> {
    let is_there = |number: &u64| ranks.iter().any(|rank| rank.rank == Some(*number));
    let size = size.filter(|&size| size > ranks.len() as u64)?;
    let all = (0..size).filter(|number| !is_there(number));
    let shown: Vec<_> = all.take(SHOWN).map(|number| number.to_string()).collect();
    let more = if size - ranks.len() as u64 > SHOWN as u64 { " and more" } else { "" };
    Some(format!(
        "Of {size} ranks {} were recorded: there is nothing of {}{more}. A rank that uses no OpenMP leaves nothing.",
        ranks.len(),
        shown.join(", ")
    ))
}

fn ended_early(rank: &RankFacts) -> Option<String> {
    let name = rank.rank.map_or_else(|| rank.recording.display().to_string(), |rank| format!("Rank {rank}"));
    match (rank.signal, rank.exit_status) {
        (Some(signal), _) => Some(format!("{name} was ended by signal {signal}: its figures stop there.")),
        (None, Some(status)) if status != 0 => Some(format!("{name} ended with exit status {status}.")),
        _ if !rank.complete => {
            Some(format!("{name} is incomplete: it has not ended by itself, or still runs."))
        }
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn rank(number: u64, regions_ns: f64) -> RankFacts {
        RankFacts {
            rank: Some(number),
            recording: PathBuf::new(),
            host: String::new(),
            workers: 2,
            complete: true,
            wholeness: WholenessFacts::of(&grains::wholeness::Wholeness::default()),
            exit_status: Some(0),
            signal: None,
            wall_ns: 10.0,
            regions_ns,
            regions_undisturbed_ns: regions_ns,
            regions_others_ns: 0.0,
            outside_ns: 10.0 - regions_ns,
            regions_work_ns: regions_ns,
            at_work: 1.0,
        }
    }

    #[test]
    fn the_slowest_rank_is_the_longest_in_parallel_regions() {
        let found = between(&[rank(0, 2.0), rank(1, 6.0), rank(2, 4.0)]).unwrap();
        assert_eq!(
            (found.slowest, found.regions_mean_ns, found.imbalance, found.gain_ns),
            (1, 4.0, 1.5, 2.0)
        );
        assert_eq!(between(&[rank(0, 2.0)]), None);
        assert_eq!(between(&[rank(0, 0.0), rank(1, 0.0)]).unwrap().imbalance, 1.0);
    }

    #[test]
    fn what_other_processes_took_makes_no_rank_slow() {
        let mut ranks = [rank(0, 2.0), rank(1, 6.0)];
        (ranks[1].regions_undisturbed_ns, ranks[1].regions_others_ns) = (2.0, 8.0);
        let found = between(&ranks).unwrap();
        assert_eq!((found.gain_ns, found.uncertain_ns), (0.0, 4.0));
        ranks[1].workers = 1;
        assert_eq!(between(&ranks).unwrap().uncertain_ns, 0.0, "one thread waits for no other");
    }

    #[test]
    fn ranks_that_are_not_there_are_counted() {
        let ranks = [rank(0, 1.0), rank(2, 1.0)];
        assert!(missing(&ranks, Some(4))
            .unwrap()
            .contains("Of 4 ranks 2 were recorded: there is nothing of 1, 3."));
        assert!(missing(&ranks, Some(100)).unwrap().contains("10, 11 and more"));
        assert_eq!(missing(&ranks, Some(2)), None);
        assert_eq!(missing(&ranks, None), None);
    }

    #[test]
    fn a_rank_that_failed_is_named() {
        let mut failed = rank(3, 1.0);
        assert_eq!(ended_early(&failed), None);
        failed.exit_status = Some(7);
        assert!(ended_early(&failed).unwrap().contains("Rank 3 ended with exit status 7"));
        (failed.exit_status, failed.signal) = (None, Some(9));
        assert!(ended_early(&failed).unwrap().contains("signal 9"));
    }
}
