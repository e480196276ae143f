// SPDX-License-Identifier: Apache-2.0
//! What the user can say to the verbs that report.

use std::path::PathBuf;

use clap::Args;
use recordings::{RecordingArgs, Thresholds};

/// Report what to change in a recorded program, and where its time went
///
/// The report begins with findings: defects, with the wall time that mending each would gain, its
/// line, the evidence, and what to change. The budget divides workers x wall time: each instant of
/// each worker is in one class, and the rest is what no record explains. Totals and sites follow.
///
/// Work is the time in the program's own code, summed over all grains. Span is the work on the
/// longest path of the grain graph: no number of workers can be faster, as long as loops are
/// divided into the chunks that this team made. Parallelism is work / span. Grains are all tasks
/// and chunks that were created, also those that cancellation discarded. Waiting is the time at
/// barriers, taskwaits, locks, critical and ordered regions, less the tasks that ran meanwhile. If
/// several processes were recorded, it lists all and reports on the one with most work. The program
/// may still be running. For a set of recordings it prints how the program scales: times,
/// speed-ups, efficiency, and the factors of the efficiency. Parallel benefit is a grain's work /
/// what it cost its parent to create and join it (a chunk: the book-keeping before it); below 1 it
/// does not pay to run it in parallel. Times are wall-clock times with their units; in the JSON
/// they are nanoseconds.
#[derive(Args)]
#[command(
    after_help = "Lines and names are taken from the program's files, or from their separate debug files: beside them, or in /usr/lib/debug; TEFF_DEBUG_DIR names other directories.\n\nExample:\n  teff report sort.teff\n  teff report --json sort.teff | jq .parallelism"
)]
pub struct ReportArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// Print one JSON object instead of text; docs/formats/report.md defines it
    #[arg(long)]
    pub json: bool,
    /// A recording of the same program, on one thread or elsewhere, to compare with: where the same
    /// grains work longer than there, that is inflation
    #[arg(long, value_name = "DIR")]
    pub baseline: Option<PathBuf>,
    /// Print at most N sites
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub sites: usize,
    /// Also print the metrics of the grains thesis: how many grains have which problem, and where;
    /// and the burdened parallelism. This takes about twice the memory
    #[arg(long)]
    pub metrics: bool,
    /// With --metrics: what counts as a problem. teff: by the time lost to it; thesis and
    /// published: the limits of the grains thesis, and of its published code
    #[arg(long, value_enum, default_value_t = Thresholds::Teff, requires = "metrics")]
    pub thresholds: Thresholds,
}

/// Compare recordings: before and after a change, or two machines
///
/// BEFORE and AFTER are recordings, or sets of them (teff record --repeat 5). Of sets all runs on
/// one number of threads count, and each change is marked as more than noise or not. If both
/// recordings are of one build, constructs are matched by address; else by their order in their
/// function. Grains are matched by what created them. docs/comparing.md explains the use and the
/// figures.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff record --repeat 5 --threads 1,4 -o before.teff -- ./sort\n  teff record --repeat 5 --threads 1,4 -o after.teff -- ./sort.new\n  teff diff before.teff after.teff"
)]
pub struct DiffArgs {
    /// A recording or a set
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// Another one
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// With sets: compare the runs on N threads; N,M compares N before with M after [default: the
    /// most that both have]
    #[arg(long, value_name = "N[,M]", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Vec<u32>,
    /// Print one JSON object instead of text; docs/formats/diff.md defines it
    #[arg(long)]
    pub json: bool,
    /// Print at most N sites
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub sites: usize,
    /// Read them even if they may not fit into memory
    #[arg(long)]
    pub any_size: bool,
}

/// Predict what a recorded run would take on other numbers of threads, or with changes to it
///
/// Executes the recorded grains in virtual time on the given numbers of workers. Each task and
/// chunk takes its recorded work and the runtime's typical time for it, and waits for what it
/// waited for, locks included. The first line replays the recorded run itself: its error against
/// the measured time shows how far to trust the rest. Then come the times, with the bounds of any
/// schedule: T1/P is all work divided evenly, the span is the longest path, and no greedy scheduler
/// takes longer than the sum of both, except for locks and teams that keep their size. Speed-ups
/// are relative to the prediction for one thread. Each change is predicted alone, and several also
/// together. With --machine or --schedule the grains also run on a modelled machine, under the
/// runtime's own scheduler and with the costs of its queues, steals and wake-ups there.
#[derive(Args)]
#[command(
    after_help = "docs/predicting.md says how it works and what it leaves out.\n\nExample:\n  teff predict sort.teff\n  teff predict --what-if sort.c:42=0.5 --cutoff-depth 8 --threads 2,16 sort.teff\n  teff predict --machine server --schedule central sort.teff"
)]
pub struct PredictArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// Numbers of threads, from 1 to 65536 [default: 1,2,4,8,16,32,64]; with --machine at most as
    /// many as it has cores [default: 1,2,4... and all of its cores]
    #[arg(long, value_name = "N,N...", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=i64::from(grains::predict::MOST_THREADS)))]
    pub threads: Vec<u32>,
    /// SITE=F: all grains of this site take F times their time. SITE:serial: the tasks, loops and
    /// regions of this site run on one thread. A site is a function, FILE:LINE or LINE, as the
    /// report names it
    #[arg(long, value_name = "SITE=F|SITE:serial")]
    pub what_if: Vec<String>,
    /// Tasks whose work is shorter than TIME, with all that they create, run inside their parent.
    /// Chunks are handed out together until their work is that long
    #[arg(long, value_name = "TIME")]
    pub merge_below: Option<String>,
    /// Tasks nested deeper than this run inside their parent
    #[arg(long, value_name = "N")]
    pub cutoff_depth: Option<u32>,
    /// Also run the grains on this modelled machine: the name of one that comes with Teff, or a
    /// file that docs/formats/machine.md defines [default, with --schedule: two-cores]
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// The scheduling policy on that machine: work_stealing, round_robin or central, as in
    /// TEFF_SCHEDULE. locality is not offered: it places tasks by their data, which recordings do
    /// not hold [default, with --machine: work_stealing]
    #[arg(long, value_name = "POLICY")]
    pub schedule: Option<String>,
    /// The seed that decides where idle cores look for work first, from 0 to 2^64-1 [default: 1].
    /// The same seed gives the same prediction
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a recording of what the machine did, on the largest number of threads and without
    /// changes, into FOLDER
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Print one JSON object instead of text; docs/formats/predict.md defines it
    #[arg(long)]
    pub json: bool,
}

/// Compare what recorded programs are made of: principal components and clusters
///
/// Computes ten properties of the task graph and the grains for each program and input, as the
/// grains thesis defines them: tasks, join degree, critical path, sequential work; and, for
/// programs built with the flags of share/teff/instructions.flags, instructions, footprint, and
/// accesses to memory and to the stack. It scales them and prints the principal components for 85 %
/// of the variance, clusters by Ward's method, and how both change when one program is left out.
/// Recordings of the same program with the same arguments count as one. docs/characterising.md has
/// the definitions and a recipe.
#[derive(Args)]
#[command(after_help = "Example:\n  teff characterise -o study recordings/\n  \
                  teff characterise --json fib.teff sort.teff fft.teff | jq .loadings")]
pub struct CharacteriseArgs {
    /// Recordings, or directories with recordings: at least three programs and inputs
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// Also write tables (CSV) and drawings (SVG) into this directory
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON object instead of text; docs/characterising.md defines it
    #[arg(long)]
    pub json: bool,
    /// Cut the tree into N clusters [default: where the heights of its merges increase most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub clusters: Option<u32>,
    /// Read them even if they may not fit into memory
    #[arg(long)]
    pub any_size: bool,
}
