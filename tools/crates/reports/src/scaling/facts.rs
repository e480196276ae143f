// SPDX-License-Identifier: Apache-2.0
//! The scaling table as data. The JSON form prints this; the text form is made from it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use grains::budget::Budget;
use grains::scaling::{Account, Efficiency, FACTORS};
use grains::Profile;
use recordings::same_process::{open_same, OpenedSame, SameProcess};
use recordings::set_runs::{comparable, median_run, nothing_to_read, Group, Runs};
use recordings::{readers, Opened, Purpose};
use serde::Serialize;
use terminal::Result;
use trace::{Set, SetRun};

use crate::report::{note_on_parts, Extent};

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct Facts {
    pub schema: &'static str,
    pub version: u32,
    pub command: String,
    /// Usable by the process; the fewest of all runs.
    pub processors: u32,
    /// All runs that were asked for have ended.
    pub complete: bool,
    /// By rising number of threads; the first one is the reference of all.
    pub points: Vec<Point>,
    /// `null`: there is only one number of threads.
    pub verdict: Option<Verdict>,
    pub notes: Vec<String>,
    #[serde(skip)]
    pub directory: PathBuf,
}

/// One number of threads. All but the spread is of its median run.
#[derive(Serialize)]
pub struct Point {
    /// What OMP_NUM_THREADS asked for; `null`: nothing was asked for.
    pub threads: Option<u32>,
    pub workers: u32,
    /// Threads of the largest outermost team.
    pub team: u32,
    /// The directory of the median run.
    pub run: String,
    pub wall_ns: f64,
    pub wall_min_ns: f64,
    pub wall_max_ns: f64,
    pub work_ns: f64,
    pub speedup: Option<f64>,
    pub efficiency: Option<f64>,
    pub parallel_efficiency: Option<f64>,
    /// By name: their product is the efficiency.
    pub factors: BTreeMap<&'static str, Option<f64>>,
    pub runs: Vec<RunFacts>,
}

/// Whether more threads help.
#[derive(Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// `well`, `partly` or `poorly`: by the efficiency on the most threads, against the reference.
    pub scales: &'static str,
    /// The factor of this efficiency that is the smallest, but for that of the reference; `null`:
    /// none is below 1.
    pub limited_by: Option<&'static str>,
    /// The fewest threads with which the program is as fast as with any, as far as the runs can
    /// tell: their times overlap those of the fastest.
    pub enough_threads: u32,
}

/// At least that of `well` and of `partly`.
const WELL: f64 = 0.8;
const PARTLY: f64 = 0.5;

impl Verdict {
    fn of(points: &[Point]) -> Option<Self> {
        let [_, .., last] = points else { return None };
        let fastest = points.iter().min_by(|a, b| a.wall_ns.total_cmp(&b.wall_ns))?;
        let enough = points.iter().find(|point| point.wall_min_ns <= fastest.wall_max_ns)?;
        let factors = last.factors.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
        let smallest = factors.filter(|(name, _)| *name != "reference").min_by(|a, b| a.1.total_cmp(&b.1));
        Some(Self {
            scales: match last.efficiency? {
                efficiency if efficiency >= WELL => "well",
                efficiency if efficiency >= PARTLY => "partly",
                _ => "poorly",
            },
            limited_by: smallest.filter(|(_, value)| *value < 1.0).map(|(name, _)| name),
            enough_threads: enough.threads.unwrap_or(enough.workers),
        })
    }
}

#[derive(Serialize)]
pub struct RunFacts {
    pub run: String,
    pub exit_status: Option<i32>,
    pub wall_ns: f64,
    pub work_ns: f64,
    pub workers: u32,
    pub grains: u64,
    #[serde(skip)]
    account: Account,
    #[serde(skip)]
    team: u32,
    #[serde(skip)]
    processors: u32,
    #[serde(skip)]
    about: About,
    #[serde(skip)]
    extent: Extent,
}

/// What must be alike to be compared.
#[derive(PartialEq, Clone)]
struct About {
    command: String,
    host: String,
}

impl Facts {
    pub fn of(set: &Set, any_size: bool) -> Result<Self> {
        let Runs { groups, mut notes } = comparable(set);
        let mut points: Vec<Point> = Vec::new();
        let (mut reference, mut choice) = (None, None);
        for group in &groups {
            let runs = read_runs((set, group), any_size, &mut choice, &mut notes);
            if runs.is_empty() {
                continue;
            }
            let paths: Vec<PathBuf> = runs.iter().map(|run| set.directory.join(&run.run)).collect();
            let median = median_run(&paths);
            let account = runs[median].account.clone();
            let reference = reference.get_or_insert_with(|| account.clone());
            points.push(Point::of(group, runs, median, &account.against(reference)));
        }
        if points.is_empty() {
            return Err(nothing_to_read(&set.directory, &notes));
        }
        let all = || points.iter().flat_map(|point| &point.runs);
        let processors = all().map(|run| run.processors).min().unwrap_or(0);
        notes.extend(unlike(all().map(|run| &run.about)));
        notes.extend(note_on_parts(all().map(|run| run.extent)));
        notes.extend(points.iter().filter_map(|point| point.note(processors)));
        if !set.manifest.complete {
            notes
                .insert(0, "The set was interrupted: not all runs that were asked for are in it.".to_owned());
        }
        Ok(Self {
            schema: "teff-scaling",
            version: 1,
            command: set.manifest.command.to_string(),
            processors,
            complete: set.manifest.complete,
            verdict: Verdict::of(&points),
            points,
            notes,
            directory: set.directory.clone(),
        })
    }
}

/// One after the other: at no time is more than one in memory.
fn read_runs(
    (set, group): (&Set, &Group),
    any_size: bool,
    choice: &mut Option<SameProcess>,
    notes: &mut Vec<String>,
) -> Vec<RunFacts> {
    let mut out = Vec::new();
    for run in &group.runs {
        let read = open_same(&set.path(run), any_size, Purpose::Report, choice).and_then(
            |OpenedSame { opened, note }| {
                notes.extend(note);
                RunFacts::of(run, opened)
            },
        );
        match read {
            Ok((facts, None)) => out.push(facts),
            Ok((facts, Some(lacks))) => notes.push(format!("{} is left out: {lacks}", facts.run)),
            Err(failure) => notes.push(format!("{} is left out: {failure}", run.directory)),
        }
    }
    out
}

impl RunFacts {
    /// With what the recording lacks.
    fn of(run: &SetRun, opened: Opened) -> Result<(Self, Option<String>)> {
        let profile = opened.profile;
        let budget = readers(profile.workers as usize)?.install(|| Budget::of(&profile));
        let account = Account::of(&profile, &budget);
        let facts = Self {
            run: run.directory.clone(),
            exit_status: run.exit_status,
            wall_ns: account.wall_ns,
            work_ns: account.work_ns,
            workers: account.workers,
            grains: profile.grains.len() as u64,
            team: largest_team(&profile),
            processors: profile.meta.processors,
            about: About { command: profile.meta.command.to_string(), host: profile.meta.host.clone() },
            extent: Extent::of(&profile),
            account,
        };
        Ok((facts, profile.wholeness.line()))
    }
}

fn largest_team(profile: &Profile) -> u32 {
    let outermost = profile.regions.iter().filter(|region| region.level <= 1);
    outermost.map(|region| region.threads).max().unwrap_or(1)
}

impl Point {
    fn of(group: &Group, runs: Vec<RunFacts>, median: usize, found: &Efficiency) -> Self {
        let number = |value: f64| value.is_finite().then_some(value);
        let named = FACTORS.iter().map(|factor| factor.name).zip(found.factors);
        let factors = named.chain([("work", found.work), ("reference", found.reference)]);
        let walls = || runs.iter().map(|run| run.wall_ns);
        let of = &runs[median];
        Self {
            threads: group.threads,
            workers: of.workers,
            team: of.team,
            run: of.run.clone(),
            wall_ns: of.wall_ns,
            wall_min_ns: walls().fold(f64::INFINITY, f64::min),
            wall_max_ns: walls().fold(0.0, f64::max),
            work_ns: of.work_ns,
            speedup: number(found.speedup),
            efficiency: number(found.efficiency),
            parallel_efficiency: number(found.parallel),
            factors: factors.map(|(name, value)| (name, number(value))).collect(),
            runs,
        }
    }

    /// What the number of threads does not say.
    fn note(&self, processors: u32) -> Option<String> {
        let asked = self.threads?;
        if self.team != asked {
            return Some(format!(
                "{} asked for, and the program's largest team has {}: it sets the number itself (num_threads, \
                 omp_set_num_threads), or a limit does (OMP_THREAD_LIMIT, OMP_DYNAMIC).",
                if asked == 1 { "1 thread was".to_owned() } else { format!("{asked} threads were") },
                self.team
            ));
        }
        (processors > 0 && asked > processors).then(|| {
            format!(
                "{asked} threads shared {processors} processors: a speed-up beyond {processors} is impossible. The \
                 time for which threads waited for a processor is in the factor processors."
            )
        })
    }
}

fn unlike<'a>(mut all: impl Iterator<Item = &'a About>) -> Option<String> {
    let first = all.next()?;
    let other = all.find(|about| *about != first)?;
    Some(if first.command == other.command {
        format!("The runs are of different machines: {} and {}.", first.host, other.host)
    } else {
        format!("The runs are of different commands: {} and {}.", first.command, other.command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(threads: u32, walls: [f64; 3], efficiency: f64, factors: &[(&'static str, f64)]) -> Point {
        Point {
            threads: Some(threads),
            workers: threads,
            team: threads,
            run: String::new(),
            wall_ns: walls[1],
            wall_min_ns: walls[0],
            wall_max_ns: walls[2],
            work_ns: 1.0,
            speedup: None,
            efficiency: Some(efficiency),
            parallel_efficiency: None,
            factors: factors.iter().map(|&(name, value)| (name, Some(value))).collect(),
            runs: Vec::new(),
        }
    }

    #[test]
    fn a_verdict_names_the_loss_and_the_threads_that_are_enough() {
        let one = || point(1, [98.0, 100.0, 103.0], 1.0, &[]);
        let two = || point(2, [52.0, 55.0, 59.0], 0.9, &[("serial", 0.9)]);
        let lost = [("serial", 0.7), ("locks", 0.8), ("reference", 0.1)];
        let four = || point(4, [50.0, 53.0, 58.0], 0.47, &lost);
        let verdict = Verdict::of(&[one(), two(), four()]).unwrap();
        let expected = Verdict { scales: "poorly", limited_by: Some("serial"), enough_threads: 2 };
        assert_eq!(verdict, expected, "the times of two and four threads overlap");
        let verdict = Verdict::of(&[one(), two()]).unwrap();
        assert_eq!((verdict.scales, verdict.enough_threads), ("well", 2));
        assert_eq!(Verdict::of(&[one()]), None);
        let slower = point(4, [200.0, 210.0, 220.0], 0.6, &[("work", 1.1)]);
        let verdict = Verdict::of(&[one(), slower]).unwrap();
        assert_eq!((verdict.scales, verdict.limited_by, verdict.enough_threads), ("partly", None, 1));
    }
}
