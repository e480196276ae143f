// SPDX-License-Identifier: Apache-2.0
//! The command-line arguments of `teff export` and `teff import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use recordings::{RecordingArgs, ThresholdArgs};

use crate::graphml::Attributes;
use crate::paint::ColourBy;
use crate::shape::Reductions;

/// Write the grain graph in a format that other programs read
///
/// graphml: fragments, forks, joins, chunks and book-keeping as nodes; creation, join, continuation
/// and dependence as edges. yEd, with the colours of the grains thesis, and Gephi open this format.
/// dot: the same graph for Graphviz. dependences: the tasks and the dependences between them, for
/// Graphviz. perfetto: a time line for ui.perfetto.dev. speedscope: a profile of each worker for
/// speedscope.app. firefox: the same profile for profiler.firefox.com, in milliseconds. folded:
/// work by path of creation, for flame graphs. parquet: a folder of tables. csv: one row for each
/// grain, with all our metrics. devices: CSV with one row for each construct on a device. mir: CSV
/// with one row for each grain, and the columns that the grains thesis's tools use. taskgraph: what
/// each task and thread does, step by step, as input of a modelled machine. Times are in
/// nanoseconds since the start of the recording. docs/formats/exports.md names the programs that
/// open each format, and defines its columns and attributes.
#[derive(Args)]
#[command(after_help = "Example:\n  teff export sort.teff --format graphml -o sort.graphml\n  \
                  teff export sort.teff --format graphml --reduce all --colour-by scatter -o sort.graphmlz\n  \
                  teff export sort.teff --format perfetto -o sort.perfetto-trace\n  \
                  teff export sort.teff --format parquet -o sort.tables\n  \
                  teff export sort.teff --format dependences --around 42 -o part.dot")]
pub struct ExportArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// The format to write
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// With taskgraph: the number of threads of the graph, from 1 to 256 [default: as recorded]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: Option<u32>,
    /// With dependences: write only this task and the tasks near it. TASK is the task's number in
    /// the whole graph
    #[arg(long, value_name = "TASK")]
    pub around: Option<u32>,
    /// With --around: how near the other tasks have to be. At most this number of dependences, in
    /// either direction, lead from TASK to each of them
    #[arg(long, value_name = "N", default_value_t = 3, requires = "around")]
    pub distance: u32,
    #[command(flatten)]
    pub graph: GraphArgs,
    /// With csv, parquet and --metrics, or --colour-by: compare the work of the grains with that in
    /// DIR, a recording of the same program
    #[arg(long, value_name = "DIR")]
    pub baseline: Option<PathBuf>,
    /// With parquet: also write the table `metrics`, which has all metrics of the CSV. This needs
    /// about twice the memory
    #[arg(long)]
    pub metrics: bool,
    #[command(flatten)]
    pub limits: ThresholdArgs,
    /// File to write; - is standard output. A file whose name ends with .gz or .graphmlz is packed
    /// with gzip. With parquet: the folder to write, which must be new or empty
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// How graphml and dot draw the grain graph.
#[derive(Args)]
pub struct GraphArgs {
    /// With graphml or dot: make the graph smaller, as the grains thesis does. `fragments` makes
    /// one node of all fragments of a grain; `forks` makes one node of all forks before the same
    /// join; `bookkeeping` makes one node of all book-keeping of a thread in a loop
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT,...")]
    pub reduce: Vec<Reduce>,
    /// With graphml or dot: colour the grains by this metric. Grains with the problem, by
    /// --thresholds and --threshold, are yellow to red, and everything else is dimmed
    #[arg(long, value_enum, default_value_t = ColourBy::Construct, value_name = "METRIC")]
    pub colour_by: ColourBy,
    /// With graphml or dot: which attributes nodes and edges have. `plain`, without colours, times
    /// and names, gives the smallest file. `all`, only with graphml, adds those that the scripts of
    /// the grains thesis read
    /// [default: drawn]
    #[arg(long, value_enum)]
    pub attributes: Option<Attributes>,
    /// With graphml, dot or folded: write everything, however large the file becomes. Without it, a
    /// file that would have more than 30 MB is written with --reduce all, then also with
    /// --attributes plain, or with fewer paths; options that are given are kept
    #[arg(long)]
    pub whole: bool,
}

/// A form in which the grain graph is written.
#[derive(Clone, Copy)]
pub struct Form {
    pub reduced: Reductions,
    pub attributes: Attributes,
    /// Options that were not given, and that the form has because the graph is large.
    pub chosen: &'static str,
}

impl GraphArgs {
    pub fn reductions(&self) -> Reductions {
        let has = |what| self.reduce.contains(&what) || self.reduce.contains(&Reduce::All);
        Reductions {
            fragments: has(Reduce::Fragments),
            forks: has(Reduce::Forks),
            bookkeeping: has(Reduce::Bookkeeping),
        }
    }

    /// The forms that the graph may have: first the one that was asked for, then smaller ones,
    /// which keep the options that were given. A plain graph has no colours.
    pub fn forms(&self) -> Vec<Form> {
        let attributes = self.attributes.unwrap_or(Attributes::Drawn);
        let mut forms = vec![Form { reduced: self.reductions(), attributes, chosen: "" }];
        let reduces = self.reduce.is_empty();
        if reduces && !self.whole {
            forms.push(Form { reduced: Reductions::ALL, attributes, chosen: "--reduce all" });
        }
        if self.attributes.is_none() && self.colour_by == ColourBy::Construct && !self.whole {
            let smallest = forms[forms.len() - 1];
            let chosen = if reduces { "--reduce all --attributes plain" } else { "--attributes plain" };
            forms.push(Form { attributes: Attributes::Plain, chosen, ..smallest });
        }
        forms
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Reduce {
    Fragments,
    Forks,
    Bookkeeping,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    Graphml,
    Dot,
    Dependences,
    Perfetto,
    Speedscope,
    Firefox,
    Folded,
    Parquet,
    Csv,
    Devices,
    Mir,
    Taskgraph,
}

/// Convert another tool's profile to a recording
///
/// mir: the task statistics of MIR, the runtime system of the grains thesis, either as MIR wrote
/// them or as processed by its scripts. The recording contains what the profile contains: which
/// task created which, what each task cost, and when and on which worker it ended. The start times
/// of tasks are computed from these figures.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff import --format mir mir-task-stats -o fib.teff\n  teff report fib.teff"
)]
pub struct ImportArgs {
    /// The profile to read
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The format of the profile
    #[arg(long, value_enum)]
    pub format: ImportFormat,
    /// Directory to write; an earlier recording there is moved to DIR.old
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// The frequency of the profile's clock, in cycles per second; by default one cycle is shown as
    /// one nanosecond
    #[arg(long, default_value_t = 1_000_000_000, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub ticks_per_second: u64,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ImportFormat {
    Mir,
}
