// SPDX-License-Identifier: Apache-2.0
//! The command-line arguments of the verbs that print reports.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use recordings::{RecordingArgs, ThresholdArgs};

use crate::limit::Limit;

/// Report what to change in a recorded program, and where its time went
///
/// The report begins with findings. A finding is a defect, with its line, the wall time that
/// mending it would save, the evidence, and what to change. Then the budget divides the time of all
/// workers (workers x wall time) into classes: each instant of each worker is in exactly one class,
/// and the last class holds the time that no record explains. Totals and sites follow.
///
/// Work is the time in the program's own code, summed over all grains. Span is the work on the
/// longest path of the grain graph: if the loops are divided into the same chunks, the program
/// takes at least this long on any number of workers. Parallelism is work / span. Grains are all
/// tasks and chunks that were created, including those that cancellation discarded. Waiting is the
/// time at barriers, taskwaits, locks, critical and ordered regions, minus the time of tasks that
/// ran during the wait. Parallel benefit is a grain's work divided by its parent's cost of creating
/// and joining it (for a chunk: by the book-keeping before the chunk). If it is below 1, running
/// the grain in parallel costs more than it saves. Times are wall-clock times with their units; in
/// the JSON they are nanoseconds.
///
/// If several processes were recorded, the report lists all of them and covers the one with the
/// most work. The program may still be running. For a set of recordings, `teff report` prints how
/// the program scales: times, speed-ups, efficiency, and the factors of the efficiency. For the
/// ranks of a job of MPI, and if several recordings are named, it compares them: docs/mpi.md
/// explains this.
///
/// If a part of the recording is missing, because the program was killed, the disk was full or a
/// file is damaged, the first line says what is missing, the exit status is 3, and no finding is
/// stated that could be about the missing part.
#[derive(Args)]
#[command(
    after_help = "Lines and names are taken from the program's files, or from their separate debug files: beside them, or in /usr/lib/debug; TEFF_DEBUG_DIR names other directories.\n\nExample:\n  teff report sort.teff\n  teff report --json sort.teff | jq .parallelism"
)]
pub struct ReportArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// Further recordings: the ranks of one job, each with a recording of its own
    #[arg(value_name = "DIR")]
    pub more: Vec<PathBuf>,
    /// Print one JSON object instead of text; docs/formats/report.md defines it
    #[arg(long)]
    pub json: bool,
    /// A recording of the same program to compare with, for example on one thread or on another
    /// machine. The additional time that the same grains work in DIR is reported as inflation
    #[arg(long, value_name = "DIR")]
    pub baseline: Option<PathBuf>,
    /// Print at most N sites
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub sites: usize,
    /// State the findings of an incomplete recording, too. Use this if the program was killed or
    /// still runs, and no file of the recording was cut
    #[arg(long)]
    pub partial: bool,
    /// Also print the metrics of the grains thesis: how many grains have each problem, and where,
    /// and the burdened parallelism. This needs about twice the memory
    #[arg(long)]
    pub metrics: bool,
    #[command(flatten)]
    pub limits: ThresholdArgs,
}

/// Compare recordings: before and after a change, or two machines
///
/// BEFORE and AFTER are recordings, or sets of recordings (teff record --repeat 5). For sets, all
/// runs on one number of threads are compared, and each change is marked as larger than the noise
/// or not. Constructs are matched by address if both recordings are of the same build, otherwise by
/// their order in their function. Grains are matched by the grains that created them.
/// docs/comparing.md explains how to use this and what the figures mean.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff record --repeat 5 --threads 1,4 -o before.teff -- ./sort\n  teff record --repeat 5 --threads 1,4 -o after.teff -- ./sort.new\n  teff diff before.teff after.teff\n  teff diff --fail-if 'wall>5%' --junit diff.xml before.teff after.teff"
)]
pub struct DiffArgs {
    /// A recording or a set
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The recording or set to compare with BEFORE
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// With sets: compare the runs on N threads; N,M compares the runs on N threads of BEFORE with
    /// those on M threads of AFTER [default: the largest number that both have]
    #[arg(long, value_name = "N[,M]", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Vec<u32>,
    /// Print one JSON object instead of text; docs/formats/diff.md defines it
    #[arg(long)]
    pub json: bool,
    /// Print Markdown instead of text, for a comment on a change
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print at most N sites
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub sites: usize,
    /// End with status 3 if the metric has grown by more than N % and by more than noise, and with
    /// status 1 if that cannot be judged. METRIC is wall, or a class of the budget such as work,
    /// scheduling or serial (docs/formats/report.md). May be given several times
    #[arg(long, value_name = "METRIC>N%")]
    pub fail_if: Vec<Limit>,
    /// Write the outcome of each --fail-if into FILE, as JUnit's XML
    #[arg(long, value_name = "FILE", requires = "fail_if")]
    pub junit: Option<PathBuf>,
    /// Read them even if they may not fit into memory
    #[arg(long)]
    pub any_size: bool,
}

/// Predict what a recorded run would take on other numbers of threads, or with changes to it
///
/// Executes the recorded grains in virtual time on the given numbers of workers. Each task and
/// chunk takes its recorded work plus the runtime's typical time for a task or chunk, and it waits
/// for whatever it waited for in the recording, locks included. The first line of the output
/// replays the recorded run itself; its error against the measured time shows how reliable the
/// predictions are.
///
/// Then come the predicted times, with bounds. T1/P is all work divided evenly, and the span is the
/// longest path: no schedule is faster than either. No greedy scheduler takes longer than their
/// sum, unless the program uses locks or teams of fixed size. Speed-ups are relative to the
/// prediction for one thread. Each change (--what-if, --merge-below, --cutoff-depth) is predicted
/// alone; if there are several changes, they are also predicted together. With --machine or
/// --schedule the grains also run on a modelled machine, under the runtime's own scheduler and with
/// the costs of its queues, steals and wake-ups on that machine. With --preemption the recorded run
/// is replayed with its priorities, without and with preemption.
#[derive(Args)]
#[command(
    after_help = "docs/predicting.md says how it works and what it leaves out.\n\nExample:\n  teff predict sort.teff\n  teff predict --what-if sort.c:42=0.5 --cutoff-depth 8 --threads 2,16 sort.teff\n  teff predict --machine server --schedule central sort.teff\n  teff predict --preemption off,on service.teff"
)]
pub struct PredictArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// Numbers of threads, from 1 to 65536 [default: 1,2,4,8,16,32,64]. With --machine, from 1 to
    /// the machine's number of cores [default: the powers of two below that number, and that
    /// number]
    #[arg(long, value_name = "N,N...", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=i64::from(grains::predict::MOST_THREADS)))]
    pub threads: Vec<u32>,
    /// Change a site. SITE=F: all grains of the site take F times as long. SITE:serial: the tasks,
    /// loops and regions of the site run on one thread. SITE is a function, FILE:LINE or LINE, as
    /// in the report
    #[arg(long, value_name = "SITE=F|SITE:serial")]
    pub what_if: Vec<String>,
    /// Run a task inside its parent if its work, including all tasks that it creates, is shorter
    /// than TIME. Hand out neighbouring chunks together until their work is that long
    #[arg(long, value_name = "TIME")]
    pub merge_below: Option<String>,
    /// Run tasks that are nested deeper than N inside their parent
    #[arg(long, value_name = "N")]
    pub cutoff_depth: Option<u32>,
    /// Also replay the recorded run with its priorities, on the recorded number of threads: without
    /// preemption (off), with it (on), or both. Print for each priority how long tasks are ready
    /// until they run and until they have ended, beside the recorded times
    #[arg(long, value_name = "off,on", value_delimiter = ',', value_enum, hide_possible_values = true)]
    pub preemption: Vec<Preempts>,
    /// What a preemption costs, from the request until the other task runs [default: as recorded,
    /// if enough tasks were preempted; otherwise 20us]
    #[arg(long, value_name = "TIME", requires = "preemption")]
    pub switch_cost: Option<String>,
    /// Also run the grains on a modelled machine: the name of a machine that comes with Teff, or a
    /// file in the format of docs/formats/machine.md [default with --schedule: two-cores]
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// The scheduling policy on that machine: work_stealing, round_robin or central, as in
    /// TEFF_SCHEDULE. The policy locality is not available, because it places tasks by their data,
    /// which recordings do not contain [default with --machine: work_stealing]
    #[arg(long, value_name = "POLICY")]
    pub schedule: Option<String>,
    /// The seed that decides where idle cores look for work first, from 0 to 2^64-1. The same seed
    /// gives the same prediction [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a recording of the modelled machine's run into FOLDER: the run on the largest number
    /// of threads, without changes
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Predict the program on a modelled cluster with N devices, each from 1 to 65536, instead of
    /// the curve by threads, which --threads adds. The recording must be of the host of a run with
    /// devices. Changes to the program and modelled machines cannot be combined with this.
    /// docs/predicting.md has the model
    #[arg(long, value_name = "N,N...", value_delimiter = ',', 
          conflicts_with_all = ["what_if", "merge_below", "cutoff_depth", "machine", "schedule"],
          value_parser = clap::value_parser!(u32).range(1..=i64::from(grains::predict::MOST_THREADS)))]
    pub devices: Vec<u32>,
    /// The network of that cluster: hdr, 100gbe, 25gbe or 10gbe-tcp; or the latency of a message
    /// and the bandwidth of the host's link in each direction, such as 2us,12.5GB/s (units: ns, us,
    /// ms, s; kB/s, MB/s, GB/s, Mb/s, Gb/s), at most an hour, and from 1 byte/s to 1000000 GB/s
    /// [default: no latency, any bandwidth]
    #[arg(long, value_name = "NAME|LATENCY,BANDWIDTH", requires = "devices")]
    pub network: Option<String>,
    /// What the host takes to send a construct and to receive its answer, and how many bytes of
    /// data it sends or receives per second, such as 10us,5GB/s [default: as recorded]
    #[arg(long, value_name = "TIME[,BANDWIDTH]", requires = "devices")]
    pub host_cost: Option<String>,
    /// Where regions run: on the recorded device, modulo the number of devices (program); on the
    /// devices in turn (round-robin); or on the device with the fewest unfinished constructs
    /// (least-loaded) [default: program up to the recorded number of devices, round-robin above]
    #[arg(long, value_name = "HOW", requires = "devices", value_enum, hide_possible_values = true)]
    pub place: Option<PlacedBy>,
    /// Print one JSON object instead of text; docs/formats/predict.md defines it
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlacedBy {
    Program,
    RoundRobin,
    LeastLoaded,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Preempts {
    Off,
    On,
}

/// Compare what recorded programs are made of: principal components and clusters
///
/// Computes ten properties of the task graph and the grains for each program and input, as the
/// grains thesis defines them. Tasks, join degree, critical path and sequential work come from
/// every recording. Instructions, footprint, and accesses to memory and to the stack come only from
/// programs that were built with the flags in share/teff/instructions.flags, which `./run labs`
/// makes. The verb scales the properties and prints the principal components for 85 % of the
/// variance, clusters by Ward's method, and how both change when one program is left out.
/// Recordings of the same program with the same arguments count as one. docs/characterising.md has
/// the definitions and a recipe.
#[derive(Args)]
#[command(after_help = "Example:\n  teff characterise -o study recordings/\n  \
                  teff characterise --json fib.teff sort.teff fft.teff | jq .loadings")]
pub struct CharacteriseArgs {
    /// Recordings, or directories that contain recordings. They must cover at least three different
    /// combinations of program and input
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// Also write tables (CSV) and diagrams (SVG) into this directory
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON object instead of text; docs/characterising.md defines it
    #[arg(long)]
    pub json: bool,
    /// Cut the tree of clusters into N clusters, fewer than there are programs and inputs [default:
    /// where the heights of its merges increase most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub clusters: Option<u32>,
    /// Read them even if they may not fit into memory
    #[arg(long)]
    pub any_size: bool,
}
