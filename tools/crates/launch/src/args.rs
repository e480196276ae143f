// SPDX-License-Identifier: Apache-2.0
//! What the user can say to the verbs that start a program.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::distribute::{self, Spread};
use crate::interval;

/// Run a program on the Teff runtime
///
/// Replaces libgomp under the program and under the programs that it starts. If the program has an
/// RPATH, which the loader prefers to LD_LIBRARY_PATH, the runtime is preloaded, also into the
/// programs that it starts: these must not use another OpenMP library (libomp). If a script or
/// another program starts a program with an RPATH, that one keeps the libgomp of its path: run it
/// directly, or name the runtime in LD_PRELOAD. The exit status is the program's.
#[derive(Args)]
#[command(
    after_help = "The runtime is taken from ../lib/teff beside this executable (in a build tree ../lib), or from where TEFF_LIB says (a directory or the file itself).\n\nExample:\n  OMP_NUM_THREADS=4 teff run -- ./sort 1000000\n  teff run --distribute fine --at-least 512K -- ./sort 1000000\n  teff run --processes 4 -- ./sort 1000000"
)]
pub struct RunArgs {
    /// Run on N processes that share no memory, instead of threads: there to study, so only in a
    /// tree where `./run labs` has built it. docs/processes.md says what works there
    #[arg(long, value_name = "N", conflicts_with = "distribute", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub processes: Option<u32>,
    /// How these processes send messages [default: sockets]
    #[arg(long, value_enum, requires = "processes")]
    pub transport: Option<Transport>,
    /// Print at the end what these processes sent
    #[arg(long, requires = "processes")]
    pub verbose: bool,
    /// Spread the program's big allocations over the machine's NUMA nodes, also those of the
    /// programs that it starts. fine: page by page over all nodes; coarse: each allocation on one
    /// node, in turn. docs/distribution.md says which memory that concerns
    #[arg(long, value_enum, value_name = "SPREAD", hide_possible_values = true)]
    pub distribute: Option<Spread>,
    /// With --distribute: leave smaller allocations as they are. In bytes, or with K, M, G or T (1K
    /// is 1024 bytes), from 64K to 1T
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = distribute::size, requires = "distribute")]
    pub at_least: u64,
    /// The program and its arguments. Everything after the program belongs to it, with or without
    /// -- before it
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// A kind of TEFF_TRANSPORT.
#[derive(Clone, Copy, ValueEnum)]
pub enum Transport {
    Sockets,
    Ring,
}

/// Run a program and count what each worker does
///
/// Prints at the end, per worker and in total: tasks created, run, undeferred and stolen; queue and
/// dependence operations and what was contended; sleeps; time in the program's code and in the
/// runtime; context switches. docs/monitoring.md says what each figure means and costs. It goes to
/// standard error. The exit status is the program's, or 128 + n if signal n ended it.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff stat -- ./sort 1000000\n  teff stat --events basic --json -o sort.json -- ./sort 1000000"
)]
pub struct StatArgs {
    /// Also count these events, for each thread: names of perf or PAPI, or sets (basic, cache,
    /// branch, software), separated by commas; at most 8
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',')]
    pub events: Vec<String>,
    /// How worker time is measured: `sampled` looks every 1 ms, and more rarely in longer runs,
    /// down to every 10 ms; `exact` reads the clock at each change, about 40 ns per task
    #[arg(long, value_enum, value_name = "HOW", default_value = "sampled")]
    pub times: Times,
    /// Print the counters so far, again after each TIME
    #[arg(long, value_name = "TIME", value_parser = interval::parse)]
    pub every: Option<Duration>,
    /// Print JSON, one line each time
    #[arg(long)]
    pub json: bool,
    /// Print into FILE instead of standard error
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The program and its arguments. Everything after the program belongs to it, with or without
    /// -- before it
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Times {
    Sampled,
    Exact,
}

/// Run a program and record every grain of it
///
/// Writes a directory with one file per worker: 30 to 100 bytes per grain, dependences included. If
/// the program forks, or is a script that starts others, each process that uses OpenMP is recorded:
/// the first in DIR, each further one in DIR/process-PID. A program that is killed leaves a
/// readable recording; one that does not use OpenMP leaves none. The exit status is the program's,
/// or 128 + n if signal n ended it. If another `teff record` is using the directory, this one
/// reports it and exits. With --repeat or --threads the program runs several times, and DIR is a
/// set of recordings, one for each run: `teff report DIR` prints how it scales, and `teff diff`
/// compares sets. docs/comparing.md explains how.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff record -o before.teff -- ./sort 1000000\n  teff report before.teff\n  teff record --repeat 5 --threads 1,2,4 -- ./sort 1000000   # a set of 15 recordings"
)]
pub struct RecordArgs {
    /// Directory to write [default: PROGRAM.teff here]; an earlier recording there is moved to
    /// DIR.old
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Run the program N times on each number of threads, and record each run; the numbers of
    /// threads take turns. Each run gets teff's input and output: from a file all runs read the
    /// same, from a pipe the first one reads everything. The first run that fails is the last, and
    /// teff exits with its status
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: Option<u32>,
    /// Run the program on each of these numbers of threads. This sets OMP_NUM_THREADS, or the first
    /// number of a list there. If the program sets the number itself, that one counts, and the
    /// report says so
    #[arg(long, value_name = "N,N...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub threads: Vec<u32>,
    /// With --repeat and --threads: go on after a run that failed
    #[arg(long)]
    pub keep_going: bool,
    /// Record the calls by which each construct was reached, at most DEPTH within a task [32]. This
    /// costs 0.1 us per construct, 20 ns per call above it, and 0.2 ms per region that Python
    /// begins
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "32",
          value_parser = clap::value_parser!(u32).range(1..=128))]
    pub call_paths: Option<u32>,
    /// The program and its arguments. Everything after the program belongs to it, with or without
    /// -- before it
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}
