// SPDX-License-Identifier: Apache-2.0
//! What the user can say to the verbs that report.

use std::path::PathBuf;

use clap::Args;
use recordings::{RecordingArgs, Thresholds};

/// Report what to change in a recorded program, and where its time went
///
/// It begins with findings: defects by the wall time that their cure would gain, with the line, the
/// evidence and what to change. The budget divides workers x wall time: each instant of each worker
/// is in one class, and the rest is what no record explains. Then come totals and sites.
///
/// Work is the time in the program's own code, summed over all grains. Span is the work on the
/// longest path of the grain graph: no number of workers can be faster, as long as loops are
/// divided into the chunks that this team made. Parallelism is work / span. Grains are all tasks
/// and chunks that were created, also those that cancellation discarded. Waiting is the time at
/// barriers, taskwaits, locks, critical and ordered regions, less the tasks that ran meanwhile.
/// Of several processes it lists all and reports on the one with most work; the program may still
/// run. Of a set of recordings it prints how the program scales: times, speed-ups, efficiency and
/// what that is made of.
/// Parallel benefit is a grain's work / what it cost its parent to create and join it (a chunk: the
/// book-keeping before it); below 1 it does not pay to run it in parallel. Times are wall-clock
/// times with their units; in the JSON they are nanoseconds.
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
    /// A recording of the same program, on one thread or elsewhere: what the same grains worked
    /// beyond that is inflation
    #[arg(long, value_name = "DIR")]
    pub baseline: Option<PathBuf>,
    /// Print at most so many sites
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub sites: usize,
    /// Also the metrics of the grains thesis: how many grains have which problem, and where; and
    /// the burdened parallelism. They take about as much memory again
    #[arg(long)]
    pub metrics: bool,
    /// Of --metrics: what is a problem. teff: by the time lost to it; thesis and published: the
    /// values of the grains thesis, and of its code
    #[arg(long, value_enum, default_value_t = Thresholds::Teff, requires = "metrics")]
    pub thresholds: Thresholds,
}

/// Compare recordings: before and after a change, or two machines
///
/// BEFORE and AFTER are recordings, or sets of them (teff record --repeat 5): then all runs on one
/// number of threads count, and each change is said to be more than noise or not. Constructs are
/// joined by address in one build of a program; in two builds by the order of the constructs in
/// their function. Grains are joined by what created them. docs/comparing.md tells how to use it
/// and what the figures mean.
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
    /// Of sets: the number of threads; N,M are N before and M after [default: the most that both
    /// have]
    #[arg(long, value_name = "N[,M]", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Vec<u32>,
    /// Print one JSON object instead of text; docs/formats/diff.md defines it
    #[arg(long)]
    pub json: bool,
    /// Print at most so many sites
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub sites: usize,
    /// Read them even if memory may not suffice
    #[arg(long)]
    pub any_size: bool,
}

/// Predict what a recorded run would take on other numbers of threads, or with changes to it
///
/// Executes the recorded grains in virtual time, on as many workers as you say: what each task and
/// chunk worked, what the runtime typically took for it, and who waits for whom, locks included.
/// The first line replays the recorded run itself: how far that is from the measured time is how
/// far to trust the rest. Then come the times with the bounds of any schedule: T1/P is all work
/// divided evenly, the span is the longest path, and no greedy scheduler takes longer than the sum
/// of both, but for locks and teams that keep their size. Speed-ups are against the prediction for
/// one thread. Each change is predicted by itself, and several also together. With --machine or
/// --schedule a modelled machine runs the grains, too, under the runtime's own scheduler, with what
/// its queues, steals and wake-ups cost there.
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
    /// SITE=F: all grains of this site take F of their time. SITE:serial: what it makes runs on one
    /// thread. A site is a function, FILE:LINE or LINE, as the report names it
    #[arg(long, value_name = "SITE=F|SITE:serial")]
    pub what_if: Vec<String>,
    /// Tasks that work less than this, with all that they create, run inside their parent; chunks
    /// are handed out together until they work as long
    #[arg(long, value_name = "TIME")]
    pub merge_below: Option<String>,
    /// Tasks nested deeper than this run inside their parent
    #[arg(long, value_name = "N")]
    pub cutoff_depth: Option<u32>,
    /// The modelled machine that runs the grains, too: the name of one that comes with Teff, or
    /// else a file as docs/formats/machine.md defines it [default, with --schedule: two-cores]
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// The policy by which it does: work_stealing, round_robin or central, as TEFF_SCHEDULE has
    /// them; locality goes by data, of which recordings know nothing [default, with --machine:
    /// work_stealing]
    #[arg(long, value_name = "POLICY")]
    pub schedule: Option<String>,
    /// Whom its idle cores look at first, from 0 to 2^64-1 [default: 1]; the same number gives the
    /// same prediction
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Make FOLDER a recording of what the machine did on the most of these threads, without
    /// changes
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Print one JSON object instead of text; docs/formats/predict.md defines it
    #[arg(long)]
    pub json: bool,
}

/// Compare what recorded programs are made of: principal components and clusters
///
/// For each program and input ten properties of its task graph and its grains, as the grains thesis
/// has them: tasks, join degree, critical path, sequential work; and, of programs built with the
/// flags of share/teff/instructions.flags, instructions, footprint, and accesses to memory and to
/// the stack. They are autoscaled; then come the principal components for 85 % of the variance,
/// clusters by Ward's method, and what becomes of both when one program is left out. Recordings of
/// the same program with the same arguments count as one. docs/characterising.md has the
/// definitions, and a recipe.
#[derive(Args)]
#[command(after_help = "Example:\n  teff characterise -o study recordings/\n  \
                  teff characterise --json fib.teff sort.teff fft.teff | jq .loadings")]
pub struct CharacteriseArgs {
    /// Recordings, or directories that hold some: at least three programs and inputs
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// Also write tables (CSV) and drawings (SVG) into this directory
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON object instead of text; docs/characterising.md defines it
    #[arg(long)]
    pub json: bool,
    /// Cut the tree into so many clusters [default: where the heights of its merges leap most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub clusters: Option<u32>,
    /// Read them even if memory may not suffice
    #[arg(long)]
    pub any_size: bool,
}
