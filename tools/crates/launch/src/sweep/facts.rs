// SPDX-License-Identifier: Apache-2.0
//! What the runs of a sweep took, by value, and which value is the best.

use grains::budget::Budget;
use grains::metrics::median;
use grains::scaling::{Account, FACTORS};
use grains::GrainKind;
use recordings::{open, readers, Purpose, RecordingArgs};
use serde::Serialize;
use terminal::Result;
use trace::SetRun;

use super::folder::Member;

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct Facts {
    pub schema: &'static str,
    pub version: u32,
    /// The name of what was varied.
    pub over: String,
    /// Whether it is an environment variable; otherwise a part of the command.
    pub environment: bool,
    pub command: String,
    pub folder: String,
    /// All runs that were asked for have ended with status 0.
    pub complete: bool,
    /// In the order in which the values were given.
    pub points: Vec<Point>,
    /// The value with the shortest median.
    pub best: Option<String>,
    pub notes: Vec<String>,
}

/// One value. The sums over all workers, and the wall time, are medians over its runs.
#[derive(Serialize)]
pub struct Point {
    pub value: String,
    /// A set of recordings: a folder in that of the sweep.
    pub directory: String,
    pub wall_ns: Option<f64>,
    pub wall_min_ns: Option<f64>,
    pub wall_max_ns: Option<f64>,
    pub work_ns: Option<f64>,
    pub creation_ns: Option<f64>,
    /// Workers had no task to run, for each grain.
    pub idle_ns_per_grain: Option<f64>,
    pub tasks: Option<f64>,
    /// Tasks and chunks; the implicit tasks, if there is neither.
    pub grains: Option<f64>,
    pub mean_grain_ns: Option<f64>,
    /// The share of the time of all workers that recording took.
    pub recorder: Option<f64>,
    /// As fast as the best value, as far as the runs can tell.
    pub among_the_best: bool,
    pub runs: Vec<Run>,
}

/// One run that succeeded and was recorded; others are in the notes.
#[derive(Clone, Serialize)]
pub struct Run {
    pub run: String,
    pub wall_ns: f64,
    pub work_ns: f64,
    pub creation_ns: f64,
    pub idle_ns: f64,
    pub tasks: u64,
    pub grains: u64,
    pub grain_work_ns: f64,
    pub recorder: f64,
}

/// In which workers had no task to run.
const IDLE: [&str; 3] = ["serial", "balance", "ready"];

impl Run {
    fn read(member: &Member, name: &str) -> Result<Self> {
        let profile =
            open(&RecordingArgs::all_of(member.directory.join(name), None, false), Purpose::Report)?;
        let budget = readers(profile.workers as usize)?.install(|| Budget::of(&profile));
        let account = Account::of(&profile, &budget);
        let lost = |names: &[&str]| {
            let is_it = |(factor, _): &(&grains::scaling::Factor, &f64)| names.contains(&factor.name);
            FACTORS.iter().zip(&account.lost_ns).filter(is_it).map(|(_, ns)| ns).sum::<f64>()
        };
        let grains = &profile.grains;
        let of = |kinds: &[GrainKind]| {
            let rows = grains.rows().filter(|&row| kinds.contains(&grains.kind[row]));
            rows.fold((0u64, 0.0), |(number, work), row| (number + 1, work + profile.ns(grains.work.of(row))))
        };
        let both = of(&[GrainKind::Task, GrainKind::Chunk]);
        let (number, grain_work_ns) = if both.0 > 0 { both } else { of(&[GrainKind::Implicit]) };
        Ok(Self {
            run: name.to_owned(),
            wall_ns: account.wall_ns,
            work_ns: account.work_ns,
            creation_ns: profile.ns(budget.total.of(grains::budget::Class::Creation)),
            idle_ns: lost(&IDLE).max(0.0),
            tasks: of(&[GrainKind::Task]).0,
            grains: number,
            grain_work_ns,
            recorder: lost(&["recorder"]) / account.whole_ns,
        })
    }
}

impl Point {
    /// Adds to the notes which runs are left out.
    pub fn of(name: &str, member: &Member, notes: &mut Vec<String>) -> Self {
        let mut runs = Vec::new();
        let is_there =
            |run: &&SetRun| run.succeeded() && trace::is_recording(&member.directory.join(&run.directory));
        for run in member.manifest.runs.iter().filter(is_there) {
            match Run::read(member, &run.directory) {
                Ok(run) => runs.push(run),
                Err(failure) => {
                    notes.push(format!("{name}={}: {} is left out: {failure}", member.value, run.directory));
                }
            }
        }
        let directory = member.directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::of_runs(&member.value, directory, runs)
    }

    fn of_runs(value: &str, directory: String, runs: Vec<Run>) -> Self {
        let middle = |of: &dyn Fn(&Run) -> f64| {
            let mut values: Vec<f64> = runs.iter().map(of).filter(|value| value.is_finite()).collect();
            (!values.is_empty()).then(|| median(&mut values))
        };
        let walls = || runs.iter().map(|run| run.wall_ns);
        Self {
            value: value.to_owned(),
            directory,
            wall_ns: middle(&|run| run.wall_ns),
            wall_min_ns: walls().reduce(f64::min),
            wall_max_ns: walls().reduce(f64::max),
            work_ns: middle(&|run| run.work_ns),
            creation_ns: middle(&|run| run.creation_ns),
            idle_ns_per_grain: middle(&|run| run.idle_ns / run.grains as f64),
            tasks: middle(&|run| run.tasks as f64),
            grains: middle(&|run| run.grains as f64),
            mean_grain_ns: middle(&|run| run.grain_work_ns / run.grains as f64),
            recorder: middle(&|run| run.recorder),
            among_the_best: false,
            runs,
        }
    }
}

/// Marks the values that are as fast as the best one, as far as the runs can tell: the times of
/// both overlap. Returns the row of the best one.
pub fn mark_best(points: &mut [Point]) -> Option<usize> {
    let known = points.iter().enumerate().filter_map(|(row, point)| Some((row, point.wall_ns?)));
    let (best, _) = known.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let longest = points[best].wall_max_ns;
    for point in points.iter_mut() {
        point.among_the_best = point.wall_min_ns.is_some() && point.wall_min_ns <= longest;
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(value: &str, walls: &[f64]) -> Point {
        let run = |&wall_ns: &f64| Run {
            run: "run-1".to_owned(),
            wall_ns,
            work_ns: 10.0 * wall_ns,
            creation_ns: 1.0,
            idle_ns: 8.0,
            tasks: 3,
            grains: 4,
            grain_work_ns: 40.0,
            recorder: 0.0,
        };
        Point::of_runs(value, String::new(), walls.iter().map(run).collect())
    }

    #[test]
    fn the_best_value_is_that_of_the_shortest_median_and_overlapping_ones_are_as_fast() {
        let mut points = [
            point("1", &[90.0, 95.0, 92.0]),
            point("2", &[50.0, 41.0, 60.0]),
            point("4", &[]),
            point("8", &[59.0, 70.0]),
        ];
        assert_eq!(mark_best(&mut points), Some(1));
        assert_eq!(points.each_ref().map(|point| point.among_the_best), [false, true, false, true]);
        assert_eq!(
            (points[0].wall_ns, points[0].wall_min_ns, points[0].wall_max_ns),
            (Some(92.0), Some(90.0), Some(95.0))
        );
        assert_eq!(
            (points[1].work_ns, points[1].idle_ns_per_grain, points[1].mean_grain_ns),
            (Some(500.0), Some(2.0), Some(10.0))
        );
        assert_eq!(points[2].wall_ns, None);
        assert_eq!(mark_best(&mut [point("1", &[])]), None);
    }
}
