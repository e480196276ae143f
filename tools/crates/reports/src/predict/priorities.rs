// SPDX-License-Identifier: Apache-2.0
//! The recorded run replayed with its priorities, without and with preemption, beside what was
//! recorded.

use grains::predict::{Predictor, Preemption, Price, PriorityTimes, Stuck, USUAL_COST_NS};
use grains::priorities::{priorities, Times};
use grains::units::{count, several, time};
use grains::{Profile, Ticks};
use serde::Serialize;
use terminal::{Failure, Result};

use super::options::parse_time;
use crate::args::{PredictArgs, Preempts};

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct PrioritiesFacts {
    pub threads: u32,
    /// From the request until the other task runs.
    pub switch_cost_ns: f64,
    pub switch_cost_from: Source,
    /// By how many levels priorities must differ.
    pub gap: i32,
    pub recorded: Vec<PriorityFacts>,
    pub replays: Vec<ReplayFacts>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    Option,
    Recording,
    Default,
}

#[derive(Serialize)]
pub struct ReplayFacts {
    /// `off` or `on`.
    pub preemption: &'static str,
    /// The whole program's time.
    pub time_ns: f64,
    pub priorities: Vec<PriorityFacts>,
}

/// The explicit tasks of one priority, in the words of the report.
#[derive(Serialize)]
pub struct PriorityFacts {
    pub priority: i32,
    pub tasks: u64,
    /// The times from ready to running.
    #[serde(flatten)]
    pub delay: TimesFacts,
    /// The times from ready until the task had ended and its event was fulfilled.
    pub turnaround: TimesFacts,
    /// How often these tasks were preempted, and how often they preempted others.
    pub preempted: u64,
    pub preempting: u64,
}

#[derive(Serialize)]
pub struct TimesFacts {
    pub mean_ns: f64,
    pub median_ns: f64,
    pub p99_ns: f64,
    pub max_ns: f64,
}

/// `None` unless the user asks for it.
pub fn by_priority(
    args: &PredictArgs,
    profile: &Profile,
    predictor: &Predictor,
) -> Result<Option<PrioritiesFacts>> {
    if args.preemption.is_empty() {
        return Ok(None);
    }
    let recorded = priorities(profile);
    if recorded.is_empty() {
        return Err(Failure::Usage(
            "--preemption: all tasks of this recording have the same priority. Record the program with \
             OMP_MAX_TASK_PRIORITY set to its highest priority: the default, 0, lets the clauses have no effect."
                .to_owned(),
        ));
    }
    let (price, switch_cost_from) = price(args, profile)?;
    let threads = predictor.recorded_threads();
    let mut wanted = args.preemption.clone();
    wanted.sort_unstable();
    wanted.dedup();
    let stuck = |stuck: Stuck| Failure::Recording(format!("cannot predict: {stuck}"));
    let replay = |preempts: &Preempts| {
        let (preemption, word) = match preempts {
            Preempts::Off => (Preemption::Off, "off"),
            Preempts::On => (Preemption::On(price), "on"),
        };
        let run = predictor.with_priorities(threads, preemption).map_err(stuck)?;
        let priorities = run.rows.iter().map(|row| facts(profile, row)).collect();
        Ok(ReplayFacts { preemption: word, time_ns: profile.ns(run.time), priorities })
    };
    Ok(Some(PrioritiesFacts {
        threads,
        switch_cost_ns: profile.ns(Ticks(price.whole())),
        switch_cost_from,
        gap: price.gap,
        recorded: recorded.iter().map(|row| facts(profile, &PriorityTimes::recorded(row))).collect(),
        replays: wanted.iter().map(replay).collect::<Result<_>>()?,
    }))
}

fn price(args: &PredictArgs, profile: &Profile) -> Result<(Price, Source)> {
    if let Some(words) = &args.switch_cost {
        let ns = parse_time("--switch-cost", words)?;
        return Ok((Price::of_ns(profile, ns), Source::Option));
    }
    let recorded = Price::recorded(profile).map(|price| (price, Source::Recording));
    Ok(recorded.unwrap_or_else(|| (Price::of_ns(profile, USUAL_COST_NS), Source::Default)))
}

fn facts(profile: &Profile, row: &PriorityTimes) -> PriorityFacts {
    PriorityFacts {
        priority: row.priority,
        tasks: row.delays.0.len() as u64,
        delay: times(profile, &row.delays),
        turnaround: times(profile, &row.turnarounds),
        preempted: row.preempted,
        preempting: row.preempting,
    }
}

fn times(profile: &Profile, times: &Times) -> TimesFacts {
    let percentile = |percent| profile.ns(times.percentile(percent));
    TimesFacts {
        mean_ns: profile.ns(times.mean()),
        median_ns: percentile(50),
        p99_ns: percentile(99),
        max_ns: percentile(100),
    }
}

pub fn render(out: &mut String, facts: &PrioritiesFacts) {
    let source = match facts.switch_cost_from {
        Source::Option => "as asked for",
        Source::Recording => "as recorded",
        Source::Default => "by default",
    };
    out.push_str(&format!(
        "\nBy priority, replayed on {}; a preemption costs {} ({source})\n",
        several(u64::from(facts.threads), "thread"),
        time(facts.switch_cost_ns)
    ));
    out.push_str(&format!("{:28}{:>26}{:>27}\n", "", "ready to running", "ready to end"));
    out.push_str(&format!(
        "  {:>8} {:>7} {:8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}\n",
        "priority", "tasks", "", "mean", "median", "99 %", "mean", "median", "99 %", "preempted"
    ));
    for recorded in &facts.recorded {
        line(out, recorded, "recorded", true);
        for replay in &facts.replays {
            let same = replay.priorities.iter().find(|row| row.priority == recorded.priority);
            if let Some(row) = same {
                line(out, row, replay.preemption, false);
            }
        }
    }
}

fn line(out: &mut String, row: &PriorityFacts, run: &str, is_first: bool) {
    let (priority, tasks) =
        if is_first { (row.priority.to_string(), count(row.tasks)) } else { Default::default() };
    let [delay, end] = [&row.delay, &row.turnaround].map(|times| {
        format!("{:>8} {:>8} {:>8}", time(times.mean_ns), time(times.median_ns), time(times.p99_ns))
    });
    out.push_str(&format!("  {priority:>8} {tasks:>7} {run:8} {delay} {end} {:>9}\n", count(row.preempted)));
}
