// SPDX-License-Identifier: Apache-2.0
//! The data that a comparison keeps of each recording, so that only one profile is in memory at a
//! time.

use std::collections::HashMap;
use std::path::Path;

use grains::budget::{Budget, CLASSES};
use grains::compare::{join, totals, Construct, Constructs, Joined, Label, Totals};
use grains::metrics::{median, quantile_of_sorted, Baseline, Compared, Deviation, Identities};
use grains::summary::SiteKind;
use grains::Profile;
use recordings::readers;
use recordings::same_process::{open_same, OpenedSame, SameProcess};
use recordings::Purpose;
use symbols::Symbols;
use terminal::Result;
use trace::Command;

use super::choose::Side;
use super::devices::{of_devices, OfDevice};
use crate::report::{found_facts, Extent, FindingFacts, FoundFacts, InSerialParts, WholenessFacts};

pub type ByConstruct = HashMap<(usize, SiteKind), Totals>;

/// One run. Times are in nanoseconds.
pub struct Run {
    pub wall_ns: f64,
    pub work_ns: f64,
    pub whole_ns: f64,
    /// By the order of [`CLASSES`].
    pub classes_ns: Vec<f64>,
    grains: u64,
    /// By row of its side's constructs.
    pub totals: ByConstruct,
    pub about: About,
}

#[derive(Clone, Default)]
pub struct About {
    pub command: Command,
    pub host: String,
    pub processors: u32,
    pub workers: u32,
    pub start_unix_ns: u64,
    /// All of it is there.
    pub whole: bool,
    pub modelled: bool,
    pub extent: Extent,
}

/// What only the run of the median time has.
pub struct Median {
    pub about: About,
    pub wholeness: WholenessFacts,
    pub work_ns: f64,
    pub grains: u64,
    pub constructs: Vec<Construct>,
    pub findings: Vec<FindingFacts>,
    pub devices: Vec<OfDevice>,
    pub notes: Vec<String>,
}

pub struct ReadSide {
    pub runs: Vec<Run>,
    pub median: Median,
}

/// Grain by grain.
pub struct Matching {
    /// By row of the construct after.
    pub constructs: Vec<Compared>,
    /// Work deviation of the matched grains of each construct after: the median.
    pub deviation: Vec<Option<f64>>,
    /// ... of all: at 10 %, 50 % and 90 %.
    pub quantiles: Option<[f64; 3]>,
    pub matched: u64,
    pub unmatched: u64,
    /// Work of the matched grains.
    pub before_ns: f64,
    pub after_ns: f64,
}

pub struct Both {
    pub before: ReadSide,
    pub after: ReadSide,
    pub joined: Joined,
    pub matching: Matching,
    /// The process to which all figures refer.
    pub process: Option<SameProcess>,
}

pub fn read(before: &Side, after: &Side, any_size: bool) -> Result<Both> {
    let choice = &mut None;
    let first = Opened::read(before.median_run(), any_size, choice)?;
    // Names of the constructs before are their rows, in both runs.
    let names = first.constructs.names(|row| row as u64 + FIRST_NAME);
    let baseline =
        first.pool()?.install(|| Baseline::by(&first.profile, &Identities::named(&first.profile, names)));
    let first = first.reduce();
    let last = Opened::read(after.median_run(), any_size, choice)?;
    let joined = join(&first.1.constructs, &last.constructs.list);
    let matching = last.pool()?.install(|| matching(&last, &joined, &baseline));
    drop(baseline);
    let last = last.reduce();
    Ok(Both {
        before: read_others(before, first, any_size, choice),
        after: read_others(after, last, any_size, choice),
        process: choice.take(),
        joined,
        matching,
    })
}

/// Below are names with a meaning of their own.
const FIRST_NAME: u64 = 2;

/// Their rows are the same whenever the recording is read.
pub fn constructs(profile: &Profile, symbols: &Symbols) -> Constructs {
    Constructs::of(profile, |place| {
        let symbol = symbols.of(Some(place));
        Label { file: symbol.file, line: symbol.line, function: symbol.function }
    })
}

struct Opened {
    profile: Profile,
    symbols: Symbols,
    constructs: Constructs,
    left_out: Vec<String>,
    /// What its reader must know of the choice of its process.
    note: Option<String>,
}

impl Opened {
    fn read(directory: &Path, any_size: bool, choice: &mut Option<SameProcess>) -> Result<Self> {
        let OpenedSame { opened, note } = open_same(directory, any_size, Purpose::Report, choice)?;
        let left_out = opened.unreadable;
        let profile = opened.profile;
        let symbols = Symbols::resolve(&profile);
        let constructs = constructs(&profile, &symbols);
        Ok(Self { profile, symbols, constructs, left_out, note })
    }

    fn pool(&self) -> Result<rayon::ThreadPool> {
        readers(self.profile.workers as usize)
    }

    fn budget(&self) -> Budget {
        match self.pool() {
            Ok(pool) => pool.install(|| Budget::of(&self.profile)),
            Err(_) => Budget::of(&self.profile),
        }
    }

    fn reduce(self) -> (Run, Median) {
        let budget = self.budget();
        let FoundFacts { findings, .. } =
            found_facts(&self.profile, &budget, &self.symbols, None, &InSerialParts::default());
        let run = self.run(&budget);
        let devices = of_devices(&self.profile, &self.symbols);
        let mut notes = self.symbols.notes(&self.profile);
        notes.extend(self.left_out);
        notes.extend(self.note);
        let (about, work_ns, grains) = (run.about.clone(), run.work_ns, run.grains);
        let wholeness = WholenessFacts::of(&self.profile.wholeness);
        let constructs = self.constructs.list;
        (run, Median { about, wholeness, work_ns, grains, constructs, findings, devices, notes })
    }

    fn run(&self, budget: &Budget) -> Run {
        let profile = &self.profile;
        Run {
            wall_ns: profile.ns(profile.wall),
            work_ns: profile.ns(profile.work),
            whole_ns: profile.ns(budget.whole()),
            classes_ns: CLASSES.iter().map(|&class| profile.ns(budget.total.of(class))).collect(),
            grains: profile.grains.len() as u64,
            totals: totals(profile, &self.constructs),
            about: About {
                command: profile.meta.command.clone(),
                host: profile.meta.host.clone(),
                processors: profile.meta.processors,
                workers: profile.workers,
                start_unix_ns: profile.meta.start_unix_ns,
                whole: profile.wholeness.is_whole(),
                modelled: profile.meta.modelled.is_some(),
                extent: Extent::of(profile),
            },
        }
    }
}

fn matching(last: &Opened, joined: &Joined, baseline: &Baseline) -> Matching {
    let profile = &last.profile;
    let name = |row: usize| match joined.pairs[joined.of_after[row]].before {
        Some(before) => before as u64 + FIRST_NAME,
        None => 1 << 32 | row as u64,
    };
    let ids = Identities::named(profile, last.constructs.names(name));
    let found = Deviation::by(profile, &ids, baseline);
    drop(ids);
    let mut out = Matching {
        constructs: vec![Compared::default(); last.constructs.list.len()],
        deviation: Vec::new(),
        quantiles: None,
        matched: found.matched,
        unmatched: found.unmatched,
        before_ns: found.places.iter().map(|place| place.there_ns).sum(),
        after_ns: found.places.iter().map(|place| place.here_ns).sum(),
    };
    let places = profile.places.places.rows().map(Some).chain([None]);
    for (place, compared) in places.zip(&found.places) {
        out.constructs[last.constructs.of_place(place)].add(compared);
    }
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); last.constructs.list.len()];
    for (row, &ratio) in found.ratio.entries().filter(|(_, ratio)| !ratio.is_nan()) {
        ratios[last.constructs.of_place(profile.grains.place[row])].push(ratio.into());
    }
    let median_of = |ratios: &mut Vec<f64>| (!ratios.is_empty()).then(|| median(ratios));
    out.deviation = ratios.iter_mut().map(median_of).collect();
    let mut all: Vec<f64> = ratios.concat();
    if !all.is_empty() {
        out.quantiles = Some([0.1, 0.5, 0.9].map(|share| quantile_of_sorted(&mut all, share)));
    }
    out
}

/// The other runs of a side; what their constructs did is by the rows of the median run's.
fn read_others(
    side: &Side,
    (run, mut median): (Run, Median),
    any_size: bool,
    choice: &mut Option<SameProcess>,
) -> ReadSide {
    let mut first = Some(run);
    let mut runs = Vec::with_capacity(side.runs.len());
    for (row, directory) in side.runs.iter().enumerate() {
        if row == side.median {
            runs.extend(first.take());
            continue;
        }
        match Opened::read(directory, any_size, choice) {
            Ok(opened) => match other(&opened, &median.constructs) {
                run if median.about.whole && !run.about.whole => {
                    median.notes.push(format!("{} is left out: it is not whole.", directory.display()));
                }
                run => {
                    median.notes.extend(opened.note);
                    runs.push(run);
                }
            },
            Err(failure) => median.notes.push(format!("{} is left out: {failure}", directory.display())),
        }
    }
    ReadSide { runs, median }
}

fn other(opened: &Opened, constructs: &[Construct]) -> Run {
    let mut run = opened.run(&opened.budget());
    let joined = join(constructs, &opened.constructs.list);
    let row = |row: usize| joined.pairs[joined.of_after[row]].before;
    run.totals =
        run.totals.into_iter().filter_map(|((at, kind), sums)| Some(((row(at)?, kind), sums))).collect();
    run
}
