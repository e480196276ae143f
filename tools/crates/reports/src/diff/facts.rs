// SPDX-License-Identifier: Apache-2.0
//! All results of a comparison, as data. The JSON form prints this; the text form is made from it.
//! docs/formats/diff.md defines it.

use std::mem::take;

use grains::budget::CLASSES;
use grains::compare::noise::{can_tell, Samples};
use grains::compare::{Construct, How, Label, Pair, Role};
use recordings::partial::note_missing_part;
use recordings::unlike_commands;
use serde::Serialize;
use terminal::Result;

use super::change::{Change, NamedChange};
use super::choose::{Side, Walls};
use super::devices::{self, DeviceChange};
use super::limits::LimitFacts;
use super::machine::Machine;
use super::read::{read, About, Both, Matching, ReadSide, Run};
use super::sites::{sites, SiteFacts};
use crate::limit::Limit;
use crate::report::{note_on_parts, FindingFacts, WholenessFacts};

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct Facts {
    pub schema: &'static str,
    pub version: u32,
    pub before: SideFacts,
    pub after: SideFacts,
    pub wall: Change,
    /// For two sets: for each number of threads that both have.
    pub wall_by_threads: Vec<WallFacts>,
    pub joined: JoinedFacts,
    /// Sums over all workers: work first, then the classes of the budget.
    pub totals: Vec<NamedChange>,
    /// By falling change of their times.
    pub sites: Vec<SiteFacts>,
    /// Constructs on devices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceChange>,
    pub findings: Findings,
    /// Of --fail-if, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitFacts>,
    pub notes: Vec<String>,
}

#[derive(Serialize)]
pub struct SideFacts {
    pub name: String,
    pub command: String,
    /// For a set: what OMP_NUM_THREADS asked for.
    pub threads: Option<u32>,
    pub workers: u32,
    pub processors: u32,
    pub runs: u64,
    /// The directory of the run that is compared grain by grain.
    pub median_run: String,
    /// Of that run.
    pub wholeness: WholenessFacts,
    pub grains: u64,
}

#[derive(Serialize)]
pub struct WallFacts {
    pub threads: Option<u32>,
    #[serde(flatten)]
    pub change: Change,
}

/// How much of the two was joined. Grains are those of the median runs.
#[derive(Serialize)]
pub struct JoinedFacts {
    pub constructs: u64,
    pub by_address: u64,
    pub by_line: u64,
    pub by_order: u64,
    pub only_before: u64,
    pub only_after: u64,
    /// The number of matched grains of the run after.
    pub matched: u64,
    pub unmatched: u64,
    /// Share of the work, of all that there is.
    pub matched_work_before: f64,
    pub matched_work_after: f64,
    /// Why the others after have no counterpart.
    pub no_construct: u64,
    pub no_scope: u64,
    pub other_number: u64,
    /// Work of the matched grains.
    pub matched_before_ns: f64,
    pub matched_after_ns: f64,
    /// Work deviation of the matched grains, after / before: 10 %, median, 90 %.
    pub deviation: Option<[f64; 3]>,
}

#[derive(Serialize)]
pub struct Findings {
    pub gone: Vec<FindingFacts>,
    pub came: Vec<FindingFacts>,
    pub stayed: Vec<FindingFacts>,
}

impl Facts {
    pub fn of(before: &Side, after: &Side, by_threads: Vec<Walls>, any_size: bool) -> Result<Self> {
        let mut both = read(before, after, any_size)?;
        let devices = [&mut both.before, &mut both.after].map(|side| take(&mut side.median.devices));
        let devices = devices::changes(devices);
        let (wall, totals, sites, machine) = tested(&both);
        let mut notes = notes((before, &both.before), (after, &both.after));
        notes.extend(few_matched(&both.matching));
        let of_sites = sites.iter().flat_map(|site| [&site.work, &site.creation, &site.wait]);
        let of_totals = totals.iter().map(|total| &total.change);
        notes.extend(machine.note([&wall].into_iter().chain(of_totals).chain(of_sites)));
        let by_threads = by_threads.into_iter().filter_map(|walls| walls.of(both.process.as_ref()));
        let wall_by_threads = by_threads
            .map(|(threads, before, after)| WallFacts { threads, change: Change::alone(before, after) })
            .collect();
        let [of_before, of_after] = [&both.before, &both.after].map(|side| &side.median.about);
        let are_whole = of_before.whole && of_after.whole;
        let are_of_one_part = of_before.extent == of_after.extent;
        let mut facts = Self {
            schema: "teff-diff",
            version: 1,
            before: SideFacts::of(before, &both.before),
            after: SideFacts::of(after, &both.after),
            wall,
            wall_by_threads,
            joined: JoinedFacts::of(&both),
            totals,
            sites,
            devices,
            findings: Findings::of(both),
            limits: Vec::new(),
            notes,
        };
        if !are_whole {
            note_missing_part();
        }
        if !are_whole || !are_of_one_part {
            facts.changes().for_each(Change::leave_untested);
        }
        Ok(facts)
    }

    pub fn hold_against(&mut self, limits: &[Limit]) {
        self.limits = limits.iter().map(|limit| LimitFacts::of(limit, &self.wall, &self.totals)).collect();
    }

    fn changes(&mut self) -> impl Iterator<Item = &mut Change> {
        let of_sites =
            self.sites.iter_mut().flat_map(|site| [&mut site.work, &mut site.creation, &mut site.wait]);
        let by_threads = self.wall_by_threads.iter_mut().map(|wall| &mut wall.change);
        let totals = self.totals.iter_mut().map(|total| &mut total.change);
        [&mut self.wall].into_iter().chain(by_threads).chain(totals).chain(of_sites)
    }
}

/// All that is tested is tested together: of many comparisons some differ by chance.
fn tested(both: &Both) -> (Change, Vec<NamedChange>, Vec<SiteFacts>, Machine) {
    let samples = |of: &dyn Fn(&Run) -> f64| Samples {
        before: both.before.runs.iter().map(of).collect(),
        after: both.after.runs.iter().map(of).collect(),
    };
    let whole = samples(&|run| run.whole_ns);
    let mut tested: Vec<(&'static str, Samples)> =
        vec![("wall", samples(&|run| run.wall_ns)), ("work", samples(&|run| run.work_ns))];
    for (at, class) in CLASSES.iter().enumerate().skip(2) {
        tested.push((class.name(), samples(&move |run| run.classes_ns[at])));
    }
    let of = |wanted: &str| &tested.iter().find(|(name, _)| *name == wanted).expect("all have one").1;
    let about = &both.after.median.about;
    let machine = Machine::of(of("work"), of("descheduled"), (about.workers, about.processors));
    let names: Vec<&'static str> = tested.iter().map(|(name, _)| *name).collect();
    let totals: Vec<Samples> = tested.into_iter().map(|(_, samples)| samples).collect();
    let (mut totals, sites) = sites(both, &whole, &machine, (names, totals));
    (totals.remove(0).change, totals, sites, machine)
}

impl SideFacts {
    fn of(side: &Side, read: &ReadSide) -> Self {
        let median = &read.median;
        Self {
            name: side.name.display().to_string(),
            command: median.about.command.to_string(),
            threads: side.threads,
            workers: median.about.workers,
            processors: median.about.processors,
            runs: read.runs.len() as u64,
            median_run: side.median_run().display().to_string(),
            wholeness: median.wholeness.clone(),
            grains: median.grains,
        }
    }
}

impl JoinedFacts {
    fn of(both: &Both) -> Self {
        let matching = &both.matching;
        let is_construct = |pair: &&Pair| {
            let of = |row: Option<usize>, side: &ReadSide| row.map(|row| side.median.constructs[row].role);
            of(pair.before, &both.before).or(of(pair.after, &both.after)) != Some(Role::Outside)
        };
        let pairs: Vec<&Pair> = both.joined.pairs.iter().filter(is_construct).collect();
        let number = |how: How| pairs.iter().filter(|pair| pair.how == how).count() as u64;
        let alone = pairs.iter().filter(|pair| pair.how == How::Alone);
        let why = |at: usize| matching.constructs.iter().map(|compared| compared.unmatched[at]).sum();
        let share = |part: f64, whole: f64| if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 };
        Self {
            constructs: pairs.len() as u64,
            by_address: number(How::Address),
            by_line: number(How::Line),
            by_order: number(How::Order),
            only_before: alone.clone().filter(|pair| pair.after.is_none()).count() as u64,
            only_after: alone.filter(|pair| pair.before.is_none()).count() as u64,
            matched: matching.matched,
            unmatched: matching.unmatched,
            matched_work_before: share(matching.before_ns, both.before.median.work_ns),
            matched_work_after: share(matching.after_ns, both.after.median.work_ns),
            no_construct: why(0),
            no_scope: why(1),
            other_number: why(2),
            matched_before_ns: matching.before_ns,
            matched_after_ns: matching.after_ns,
            deviation: matching.quantiles,
        }
    }
}

impl Findings {
    /// A finding is the same where its rule is, and its construct's counterpart.
    fn of(both: Both) -> Self {
        let Both { before, after, joined, .. } = both;
        let (before, after) = (before.median, after.median);
        let name = |constructs: &[Construct], pairs: &[usize], finding: &FindingFacts| {
            let is_its = |construct: &Construct| {
                let Label { file, line, function } = &construct.label;
                (file, *line, function) == (&finding.file, finding.line, &finding.function)
            };
            (finding.rule, constructs.iter().position(is_its).map(|row| pairs[row]))
        };
        let name_before = |finding: &FindingFacts| name(&before.constructs, &joined.of_before, finding);
        let name_after = |finding: &FindingFacts| name(&after.constructs, &joined.of_after, finding);
        let known: Vec<_> = before.findings.iter().map(name_before).collect();
        let is_known = |finding: &&FindingFacts| known.contains(&name_after(finding));
        let (stayed, came): (Vec<_>, Vec<_>) = after.findings.iter().partition(is_known);
        let still: Vec<_> = stayed.iter().map(|finding| name_after(finding)).collect();
        let gone = before.findings.iter().filter(|finding| !still.contains(&name_before(finding)));
        let owned = |findings: Vec<&FindingFacts>| findings.into_iter().cloned().collect();
        Self { gone: gone.cloned().collect(), came: owned(came), stayed: owned(stayed) }
    }
}

/// In whole sentences.
fn notes((before, read_before): (&Side, &ReadSide), (after, read_after): (&Side, &ReadSide)) -> Vec<String> {
    let mut notes = Vec::new();
    let (runs_before, runs_after) = (read_before.runs.len(), read_after.runs.len());
    if !can_tell(runs_before, runs_after) {
        notes.push(format!(
            "{runs_before} against {runs_after} runs cannot tell a change from noise: a single run does not show how \
             much runs differ. Record sets of at least 4 runs, better 5: teff record --repeat 5."
        ));
    }
    let same = std::fs::canonicalize(&before.name).ok() == std::fs::canonicalize(&after.name).ok();
    if same && before.threads == after.threads {
        notes.push("Before and after are the same recording.".to_owned());
    }
    let all = || read_before.runs.iter().chain(&read_after.runs).map(|run| &run.about);
    notes.extend(unlike(all));
    for side in [before, after] {
        let of_set = side.notes.iter().map(|why| format!("{}: {why}", side.name.display()));
        let new: Vec<_> = of_set.filter(|note| !notes.contains(note)).collect();
        notes.extend(new);
    }
    for read in [read_before, read_after] {
        notes.extend(
            read.median.notes.iter().filter(|note| !notes.contains(note)).cloned().collect::<Vec<_>>(),
        );
    }
    notes
}

fn unlike<'a, I: Iterator<Item = &'a About> + Clone>(all: impl Fn() -> I) -> Vec<String> {
    let mut notes = Vec::new();
    let Some(first) = all().next() else { return notes };
    notes.extend(all().find_map(|about| unlike_commands(&first.command, &about.command)));
    if let Some(other) =
        all().find(|about| (&about.host, about.processors) != (&first.host, first.processors))
    {
        notes.push(format!(
            "The runs are of different machines ({}, {} processors; {}, {} processors): times compare the machines, \
             too.",
            first.host, first.processors, other.host, other.processors
        ));
    }
    notes.extend(note_on_parts(all().map(|about| about.extent)));
    notes.extend(far_apart(all().map(|about| about.start_unix_ns)));
    if all().any(|about| !about.whole) {
        notes.push(
            "A recording is not whole: its sums are too small, and no change is told from noise.".to_owned(),
        );
    }
    if all().any(|about| about.modelled) && !all().all(|about| about.modelled) {
        notes.push("Some of the runs are modelled, others measured.".to_owned());
    }
    notes
}

const HOUR_NS: u64 = 3_600_000_000_000;

/// Repeats tell of noise while they were recorded, and of none that came since.
fn far_apart(starts: impl Iterator<Item = u64> + Clone) -> Option<String> {
    let (first, last) = (starts.clone().filter(|&start| start > 0).min()?, starts.max()?);
    let hours = (last - first) / HOUR_NS;
    (hours >= 1).then(|| {
        format!(
            "The runs were recorded up to {hours} h apart: other changes on the machine since then cannot be told from \
             the change of the program. Record both again, one after the other."
        )
    })
}

/// The share of the work: if less is matched, the grains say little.
const FEW: f64 = 0.5;

fn few_matched(matching: &Matching) -> Option<String> {
    let all = matching.matched + matching.unmatched;
    (all > 0 && (matching.matched as f64) < FEW * all as f64).then(|| {
        "Most grains have no counterpart: compare the sums of the constructs, not single grains.".to_owned()
    })
}
