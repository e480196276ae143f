// SPDX-License-Identifier: Apache-2.0
//! All results of a report, as data. The JSON form prints this; the text form is made from it.

use grains::budget::{Budget, Class};
use grains::findings::Disturbance;
use grains::summary;
use grains::units::time;
use grains::wholeness::{RestsOn, Wholeness};
use grains::{priorities, GrainKind, Lengths, Profile, Ticks};
use serde::Serialize;
use symbols::call_paths::{CallPaths, PathFacts};
use symbols::functions::{Functions, InsideFacts};
use symbols::sites::{Row, Sites};
use symbols::Symbols;
use trace::Meta;

use super::account::{budget_facts, found_facts, BudgetFacts, FindingFacts, FoundFacts};
use super::counters::{CounterFacts, OfSites};
use super::devices::DevicesFacts;
use super::inside::{InSerialParts, SamplingFacts};
use super::one_sided;
use super::part::{PartFacts, SpanFacts};
use super::phases::PhaseFacts;
use super::quality::QualityFacts;

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct Facts {
    pub schema: &'static str,
    pub version: u32,
    pub command: String,
    pub complete: bool,
    pub wholeness: WholenessFacts,
    /// From the start of the recording to its end.
    pub wall_ns: f64,
    /// The part of the run that this report is about: `wall_ns` is the sum of its windows.
    #[serde(flatten)]
    pub part: PartFacts,
    /// The wall time of a run without the recorder's work and with the lost processors. The
    /// findings' gains are parts of it.
    pub undisturbed_ns: f64,
    /// What the recorder took of the wall time.
    #[serde(skip)]
    pub recorder_wall_ns: f64,
    /// Time in the program's own code, summed over all grains.
    pub work_ns: f64,
    /// Work on the longest path, with this schedule.
    pub span_ns: f64,
    /// ... with any.
    pub span_any_schedule_ns: f64,
    /// work / span
    pub parallelism: f64,
    pub parallelism_any_schedule: f64,
    /// Time during which some thread of the program was in an outermost parallel region.
    pub regions_ns: f64,
    /// Work done in parallel regions: that of all grains but the initial tasks.
    pub regions_work_ns: f64,
    pub workers: u32,
    /// Usable by the process.
    pub processors: u32,
    /// How often a worker was found on another processor than at the look before; `null`: not
    /// known.
    pub processor_moves: Option<u64>,
    pub grains: Grains,
    /// Cost of creating tasks, and book-keeping of chunks.
    pub creation_ns: f64,
    /// Time that the workers lost to waits: they ran no task meanwhile.
    pub wait_ns: f64,
    /// What is left of the workers' time (`wall_ns` x `workers`): they were in no task, or not
    /// started yet.
    pub no_task_ns: f64,
    /// Time the workers slept for want of a task, in waits or in no task.
    pub idle_ns: f64,
    /// By falling work.
    pub sites: Vec<Site>,
    /// `null` if no samples were asked for.
    pub sampling: Option<SamplingFacts>,
    /// `null` if nothing was counted.
    pub counters: Option<CounterFacts>,
    /// By falling work.
    pub phases: Vec<PhaseFacts>,
    /// `null` if the process is no host of devices.
    pub devices: Option<DevicesFacts>,
    /// The named spans of the program, by falling wall time.
    pub spans: Vec<SpanFacts>,
    /// One row for each priority, in falling order. Empty if all explicit tasks had the same
    /// priority.
    pub priorities: Vec<Priority>,
    /// The OpenMP runtimes whose files were in the process, the recorded one first. Empty for
    /// recordings that do not say.
    pub runtimes: Vec<RuntimeFacts>,
    /// By falling gain.
    pub findings: Vec<FindingFacts>,
    /// Those that may be an effect of a disturbed machine.
    pub held_back: Vec<FindingFacts>,
    pub budget: BudgetFacts,
    pub quality: QualityFacts,
    pub notes: Vec<String>,
    /// Those notes that stand above all figures.
    #[serde(skip)]
    pub first: Vec<String>,
}

/// Whether the recording has all that the program did.
#[derive(Clone, Serialize)]
pub struct WholenessFacts {
    /// whole, lost, incomplete or damaged
    pub kind: &'static str,
    /// What is missing, and what follows from that; empty if the recording is whole.
    pub text: String,
    /// Whether no finding is stated for that reason.
    pub withholds_findings: bool,
}

impl WholenessFacts {
    pub fn of(wholeness: &Wholeness) -> Self {
        Self {
            kind: wholeness.kind.name(),
            text: wholeness.line().unwrap_or_default(),
            withholds_findings: !wholeness.allows(RestsOn::Presence),
        }
    }
}

#[derive(Serialize)]
pub struct Grains {
    /// All that were created: also the discarded.
    pub total: u64,
    pub tasks: u64,
    /// Tasks that were created and, by cancellation, never ran.
    pub discarded: u64,
    pub implicit: u64,
    pub initial: u64,
    pub chunks: u64,
    pub unfinished: u64,
    pub stolen: u64,
    /// Undeferred or included: they ran on top of their creator.
    pub inline: u64,
    pub low_benefit: u64,
}

/// A runtime, by its file.
#[derive(Serialize)]
pub struct RuntimeFacts {
    pub file: String,
    pub recorded: bool,
}

/// The explicit tasks of one priority.
#[derive(Serialize)]
pub struct Priority {
    pub priority: i32,
    pub tasks: u64,
    /// The times from ready to running.
    pub mean_ns: f64,
    pub median_ns: f64,
    pub p90_ns: f64,
    pub p99_ns: f64,
    pub max_ns: f64,
    /// The times from ready until the task had ended and its event was fulfilled.
    pub turnaround: Times,
    /// How many of these tasks were ready when a task of lower priority started.
    pub overtaken: u64,
    /// How often these tasks left their stack to other tasks during a wait.
    pub suspended: u64,
    /// How often these tasks were preempted, how many of them were, and how long each preemption
    /// lasted.
    pub preempted: u64,
    pub preempted_tasks: u64,
    pub away: Times,
    /// How often these tasks preempted other tasks, and how many of them did.
    pub preempting: u64,
    pub preempting_tasks: u64,
    /// For preemptions by these tasks: the time from the request until the other task left.
    pub to_switch: Times,
    /// For preemptions by these tasks: how long the other task had the worker afterwards.
    pub gained: Times,
    /// How often a worker was asked to leave its task for one of these tasks, and how many of these
    /// requests were useless.
    pub requests: u64,
    pub not_worth: u64,
}

/// A summary of durations. All values are 0 if there are none.
#[derive(Serialize)]
pub struct Times {
    pub count: u64,
    pub sum_ns: f64,
    pub median_ns: f64,
    pub p99_ns: f64,
    pub max_ns: f64,
}

/// The grains of one construct.
#[derive(Default, Serialize)]
pub struct Site {
    pub file: String,
    pub line: u32,
    pub function: String,
    pub kind: &'static str,
    pub count: u64,
    pub work_ns: f64,
    pub mean_ns: f64,
    pub creation_ns: f64,
    pub critical: u64,
    /// Grains whose parallel benefit is below 1, and those that have one at all.
    pub low_benefit: u64,
    pub with_benefit: u64,
    /// What these cost beyond their work.
    pub low_benefit_ns: f64,
    /// Mean cost, as parallel benefit counts it, of those that have a benefit.
    #[serde(skip)]
    pub mean_cost_ns: f64,
    /// `null` where no grain has a parallel benefit.
    pub worst_benefit: Option<f32>,
    /// By falling time; not there where no call paths were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_paths: Option<Vec<PathFacts>>,
    /// Where the time inside goes; not there where no samples were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<InsideFacts>,
    /// The sums over its grains, in the order of the events; not there where nothing was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<Vec<u64>>,
    /// Cycles for each cycle in which the processor waited for memory; not there where that was
    /// not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_hierarchy_utilisation: Option<f64>,
    /// Instructions for each access to memory outside of the stack; not there where the program did
    /// not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computational_intensity: Option<f64>,
}

impl Facts {
    pub fn of(profile: &Profile, budget: &Budget, symbols: &Symbols) -> Self {
        let paths = CallPaths::of(profile, symbols);
        let functions = Functions::of(profile, symbols);
        let sampling = SamplingFacts::of(profile, functions.as_ref());
        let in_serial_parts = InSerialParts::of(functions.as_ref());
        let FoundFacts { findings, held_back } =
            found_facts(profile, budget, symbols, paths.as_ref(), &in_serial_parts);
        let counters = CounterFacts::of(profile, symbols);
        let of_counters = counters.as_ref().and_then(CounterFacts::note);
        let of_samples = sampling.iter().flat_map(SamplingFacts::notes).collect::<Vec<_>>();
        let sum = |column: &Lengths<_>| profile.ns(column.iter().sum());
        let idle: Ticks = profile.idles.iter().map(|idle| idle.end - idle.start).sum();
        let wall_ns = profile.ns(profile.wall);
        let [recorder_wall_ns, others_wall_ns] = Disturbance::of(profile, budget).of_wall(profile, budget);
        let work_ns = profile.ns(profile.work);
        let wait_ns = sum(&profile.grains.wait);
        let creation_ns = sum(&profile.grains.creation);
        let accounted = work_ns + wait_ns + creation_ns;
        Self {
            schema: "teff-report",
            version: 1,
            command: profile.meta.command.to_string(),
            complete: profile.complete,
            wholeness: WholenessFacts::of(&profile.wholeness),
            wall_ns,
            part: PartFacts::of(profile),
            undisturbed_ns: (wall_ns - recorder_wall_ns - others_wall_ns).max(0.0),
            recorder_wall_ns,
            work_ns,
            span_ns: profile.ns(profile.span),
            span_any_schedule_ns: profile.ns(profile.span_any_schedule),
            parallelism: profile.parallelism(),
            parallelism_any_schedule: profile.parallelism_any_schedule(),
            regions_ns: profile.ns(in_regions(profile)),
            regions_work_ns: profile.ns(work_in_regions(profile)),
            workers: profile.workers,
            processors: profile.meta.processors,
            processor_moves: profile.cores.moves(),
            grains: count(profile),
            creation_ns,
            wait_ns,
            idle_ns: profile.ns(idle),
            no_task_ns: (wall_ns * f64::from(profile.workers) - accounted).max(0.0),
            sites: sites(profile, symbols, paths.as_ref(), functions.as_ref()),
            sampling,
            counters,
            phases: PhaseFacts::all(profile, symbols),
            devices: DevicesFacts::of(profile, symbols),
            spans: SpanFacts::all(profile),
            priorities: priorities::priorities(profile)
                .iter()
                .map(|row| priority_facts(profile, row))
                .collect(),
            runtimes: runtimes(&profile.meta),
            findings,
            held_back,
            budget: budget_facts(profile, budget, symbols),
            quality: QualityFacts::of(profile, budget),
            first: profile.wholeness.line().into_iter().collect(),
            notes: other_runtimes(profile, budget)
                .into_iter()
                .chain(of_samples)
                .chain(of_counters)
                .chain(one_sided::notes(profile, budget, symbols))
                .chain(symbols.notes(profile))
                .collect(),
        }
    }
}

fn count(profile: &Profile) -> Grains {
    let counts = summary::counts(&profile.grains);
    Grains {
        total: profile.grains.len() as u64,
        tasks: counts.tasks,
        discarded: counts.discarded,
        implicit: counts.implicit,
        initial: counts.initial,
        chunks: counts.chunks,
        unfinished: counts.unfinished,
        stolen: counts.stolen,
        inline: counts.inline,
        low_benefit: counts.low_benefit,
    }
}

fn runtimes(meta: &Meta) -> Vec<RuntimeFacts> {
    let own = Some(&meta.runtime_file).filter(|file| !file.is_empty());
    let own = own.map(|file| RuntimeFacts { file: file.clone(), recorded: true });
    let others = meta.other_runtimes.iter().map(|file| RuntimeFacts { file: file.clone(), recorded: false });
    own.into_iter().chain(others).collect()
}

/// What they did is in no record, and looks as serial code does.
fn other_runtimes(profile: &Profile, budget: &Budget) -> Option<String> {
    let others = &profile.meta.other_runtimes;
    let serial_ns = profile.ns(budget.total.of(Class::Serial));
    (!others.is_empty()).then(|| {
        format!(
            "The process also had another OpenMP runtime, of which nothing was recorded: {}. The class serial, {} of \
             the workers' time, may be serial code or time in a runtime that was not recorded. Use a build of what \
             needs it with GCC's libgomp.",
            others.join(", "),
            time(serial_ns)
        )
    })
}

/// How long some thread was in an outermost parallel region.
pub fn in_regions(profile: &Profile) -> Ticks {
    let outermost = profile.regions.iter().filter(|region| region.level <= 1);
    union_length(outermost.map(|region| (region.begin, region.end)).collect())
}

/// How much time the (begin, end) cover, together.
fn union_length(mut intervals: Vec<(Ticks, Ticks)>) -> Ticks {
    intervals.sort();
    let (mut length, mut covered) = (Ticks::ZERO, Ticks::ZERO);
    for (begin, end) in intervals {
        length += end - begin.max(covered);
        covered = covered.max(end);
    }
    length
}

/// Work of all grains but the initial tasks.
pub fn work_in_regions(profile: &Profile) -> Ticks {
    let grains = &profile.grains;
    let initial = grains.task_rows().filter(|&row| grains.kind[row] == GrainKind::Initial);
    profile.work - initial.map(|row| grains.work.of(row)).sum::<Ticks>()
}

/// What was counted: in all, and in the grains of each construct. `None`: nothing was.
pub fn counted(profile: &Profile, symbols: &Symbols) -> Option<(CounterFacts, Vec<Site>)> {
    let counters = CounterFacts::of(profile, symbols)?;
    Some((counters, sites(profile, symbols, None, None)))
}

/// The constructs that made grains, by falling work.
fn sites(
    profile: &Profile,
    symbols: &Symbols,
    paths: Option<&CallPaths>,
    functions: Option<&Functions>,
) -> Vec<Site> {
    let sites = Sites::of(profile, symbols);
    let mut paths = paths.map(|paths| paths.of_sites(&sites));
    let mut inside = functions.map(|functions| functions.of_sites(&sites));
    let mut counts = OfSites::of(profile, &sites);
    let rows = sites.rows.into_iter().enumerate();
    rows.filter(|(_, row)| row.total.has_grains() && row.total.count > 0)
        .map(|(at, row)| {
            let of_row = paths.as_mut().map(|paths| std::mem::take(&mut paths[at]));
            let inside = inside.as_mut().map(|inside| std::mem::take(&mut inside[at]));
            let site = site_facts(profile, row, of_row, inside);
            match counts.as_mut().map(|counts| counts.take(at)) {
                None => site,
                Some(counted) => Site {
                    counters: Some(counted.counts),
                    memory_hierarchy_utilisation: counted.memory_hierarchy_utilisation,
                    computational_intensity: counted.computational_intensity,
                    ..site
                },
            }
        })
        .collect()
}

fn site_facts(
    profile: &Profile,
    row: Row,
    call_paths: Option<Vec<PathFacts>>,
    inside: Option<InsideFacts>,
) -> Site {
    let Row { symbol, total } = row;
    let work_ns = profile.ns(total.work);
    Site {
        file: symbol.file,
        line: symbol.line,
        function: symbol.function,
        kind: total.kind.name(),
        count: total.count,
        work_ns,
        mean_ns: work_ns / total.count.max(1) as f64,
        creation_ns: profile.ns(total.creation),
        critical: total.critical,
        low_benefit: total.low_benefit,
        with_benefit: total.with_benefit,
        low_benefit_ns: profile.ns(Ticks(total.low_lost as u64)),
        mean_cost_ns: profile.ns(Ticks(total.cost as u64)) / total.with_benefit.max(1) as f64,
        worst_benefit: (total.with_benefit > 0).then_some(total.worst_benefit),
        call_paths,
        inside,
        counters: None,
        memory_hierarchy_utilisation: None,
        computational_intensity: None,
    }
}

fn priority_facts(profile: &Profile, row: &priorities::Priority) -> Priority {
    let percentile = |percent| profile.ns(row.delays.percentile(percent));
    Priority {
        priority: row.priority,
        tasks: row.delays.0.len() as u64,
        mean_ns: profile.ns(row.delays.mean()),
        median_ns: percentile(50),
        p90_ns: percentile(90),
        p99_ns: percentile(99),
        max_ns: percentile(100),
        turnaround: times(profile, &row.turnarounds),
        overtaken: row.overtaken,
        suspended: row.suspended,
        preempted: row.away.0.len() as u64,
        preempted_tasks: row.preempted_tasks,
        away: times(profile, &row.away),
        preempting: row.preempting,
        preempting_tasks: row.preempting_tasks,
        to_switch: times(profile, &row.to_switch),
        gained: times(profile, &row.gained),
        requests: row.requests,
        not_worth: row.not_worth,
    }
}

fn times(profile: &Profile, times: &priorities::Times) -> Times {
    let percentile = |percent| profile.ns(times.percentile(percent));
    Times {
        count: times.0.len() as u64,
        sum_ns: profile.ns(times.sum()),
        median_ns: percentile(50),
        p99_ns: percentile(99),
        max_ns: percentile(100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_several_threads_share_counts_once() {
        let ticks = |intervals: &[(u64, u64)]| intervals.iter().map(|&(a, b)| (Ticks(a), Ticks(b))).collect();
        assert_eq!(union_length(ticks(&[])), Ticks::ZERO);
        assert_eq!(union_length(ticks(&[(30, 40), (5, 10)])), Ticks(15));
        assert_eq!(union_length(ticks(&[(0, 10), (2, 5), (8, 12), (12, 20), (30, 31)])), Ticks(21));
    }
}
