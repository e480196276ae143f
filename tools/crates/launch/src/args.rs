// SPDX-License-Identifier: Apache-2.0
//! The command-line arguments of the verbs that start a program.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::distribute::Spread;
use crate::over::Over;
use crate::{interval, size};

/// Run a program on the Teff runtime
///
/// Replaces GCC's libgomp, LLVM's libomp and Intel's libiomp5 in the program, in the programs that
/// it starts, and in their libraries, so that all of them share one set of threads. This includes
/// copies under other names, such as those that Python's packages contain. A program that uses
/// libomptarget keeps its libomp. With glibc before 2.35, only a libgomp.so.1 that is found through
/// LD_LIBRARY_PATH is replaced, and a program with an RPATH gets the runtime preloaded.
/// The exit status is the program's.
#[derive(Args)]
#[command(
    after_help = "The runtime is taken from ../lib/teff beside this executable (in a build tree ../lib), or from where TEFF_LIB says (a directory or the file itself).\n\nExample:\n  OMP_NUM_THREADS=4 teff run -- ./sort 1000000\n  teff run --distribute fine --at-least 512K -- ./sort 1000000\n  teff run --devices 2 -- ./heat\n  mpirun -n 3 teff run -- ./heat\n  teff run --processes 4 -- ./sort 1000000"
)]
pub struct RunArgs {
    /// Run on N processes that share no memory, instead of on threads. This is experimental, and is
    /// available only in a source tree in which `./run labs` has built the library for it.
    /// docs/processes.md says what works
    #[arg(long, value_name = "N", conflicts_with = "distribute", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub processes: Option<u32>,
    /// With --processes: how the processes send messages [default: sockets]
    #[arg(long, value_enum, requires = "processes")]
    pub transport: Option<Transport>,
    /// With --processes: print at the end what the processes sent
    #[arg(long, requires = "processes")]
    pub verbose: bool,
    /// Start N further processes of the program as devices for its target regions. Each region runs
    /// in one of them, with the data that its map clauses name. The program must be one that GCC
    /// has built, not a script that starts it. `ranks`: under mpirun or srun, the other ranks are
    /// the devices of rank 0; this is the default for a program that has target regions and does
    /// not use MPI itself. 0: no devices, each rank runs the program. docs/devices.md says what
    /// works
    #[arg(long, value_name = "N|ranks", conflicts_with_all = ["processes", "distribute", "explain"],
          value_parser = Devices::parse)]
    pub devices: Option<Devices>,
    /// With --devices: load the runtime when the program starts. For a program that does not use
    /// OpenMP itself, but loads libraries that do and that have target regions, such as Python
    #[arg(long, requires = "devices")]
    pub preload: bool,
    /// Spread big allocations over the machine's NUMA nodes, in the program and in the programs
    /// that it starts. fine: page by page over all nodes; coarse: each allocation on one node, in
    /// turn. docs/distribution.md says which memory is spread
    #[arg(long, value_enum, value_name = "SPREAD", hide_possible_values = true)]
    pub distribute: Option<Spread>,
    /// With --distribute: the smallest allocation to spread, in bytes or with K, M, G or T (1K is
    /// 1024 bytes), from 64K to 1T
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = size::of_allocation, requires = "distribute")]
    pub at_least: u64,
    /// Print, on standard error, each OpenMP runtime that the program or one of its libraries asks
    /// for, and which one it gets: Teff, or its own and why. With glibc 2.35 or later; also for the
    /// programs that the program starts
    #[arg(long)]
    pub explain: bool,
    /// The program and its arguments. All that follows the program's name is passed to the program.
    /// A -- before the name is optional
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// The devices of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Devices {
    None,
    /// Further processes on this machine.
    Processes(u32),
    /// The other ranks of the job.
    Ranks,
}

impl Devices {
    fn parse(text: &str) -> Result<Self, String> {
        const MOST: u32 = 64;
        match text.parse() {
            _ if text == "ranks" => Ok(Self::Ranks),
            Ok(0) => Ok(Self::None),
            Ok(count) if count <= MOST => Ok(Self::Processes(count)),
            _ => Err(format!("give a number up to {MOST}, or `ranks`")),
        }
    }
}

/// A kind of TEFF_TRANSPORT.
#[derive(Clone, Copy, ValueEnum)]
pub enum Transport {
    Sockets,
    Ring,
}

/// Run a program and count what each worker does
///
/// When the program ends, prints for each worker and in total: tasks created, run, undeferred and
/// stolen; queue and dependence operations, and how many of them were contended; sleeps; time in
/// the program's code and in the runtime; context switches. If tasks have several priorities, it
/// also prints, for each priority, how long tasks wait before they run, how long they take until
/// they end, and what preemptions cost and gain. The output goes to standard error.
/// docs/monitoring.md says what each figure means and costs. The exit status is the program's, or
/// 128 + n if signal n ended it. If the program succeeded, but nothing was counted because Teff
/// does not replace its OpenMP runtime, the status is 3 for another runtime (libnvomp) and 4 for
/// one that is linked in.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff stat -- ./sort 1000000\n  teff stat --events basic --json -o sort.json -- ./sort 1000000"
)]
pub struct StatArgs {
    /// Also count these events for each thread: at most 8 names of perf or PAPI events, or of sets
    /// (basic, cache, branch, software), separated by commas
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',')]
    pub events: Vec<String>,
    /// How the time of workers is measured. `sampled` samples what each worker does every 1 ms, or
    /// in longer runs less often, down to every 10 ms; `exact` reads the clock at each change of
    /// state, which costs about 40 ns per task
    #[arg(long, value_enum, value_name = "HOW", default_value = "sampled")]
    pub times: Times,
    /// Print the counters so far after each interval of length TIME
    #[arg(long, value_name = "TIME", value_parser = interval::parse)]
    pub every: Option<Duration>,
    /// Print JSON, one line for each output
    #[arg(long)]
    pub json: bool,
    /// Print into FILE instead of standard error
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The program and its arguments. All that follows the program's name is passed to the program.
    /// A -- before the name is optional
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
/// Writes a directory with one file per worker: 16 to 100 bytes per grain, dependences included. If
/// the program forks, or is a script that starts other programs, each process that uses OpenMP is
/// recorded: the first process in DIR, each further process in DIR/process-PID. If a program is
/// killed, its recording can still be read. A program that does not use OpenMP leaves no recording.
/// The exit status is the program's, or 128 + n if signal n ended it. If the program succeeded, but
/// its OpenMP runtime is one that Teff does not replace, the status is 3 for another runtime
/// (libnvomp) and 4 for one that is linked in. If another `teff record` is using the directory,
/// this `teff record` says so and exits.
///
/// Under mpirun or srun, each rank is recorded in a directory of its own, DIR/rank-N, unless the
/// name of DIR has a % in it. `teff report DIR` then compares the ranks. docs/mpi.md explains this.
///
/// A long run need not be recorded as a whole: see --delay, --duration, --every and --last,
/// and teff_record_start in teff.h, by which a program records a part of itself.
/// docs/recording.md#a-part-of-a-run explains them.
///
/// With --repeat or --threads the program runs several times, and DIR is a set of recordings, one
/// for each run. `teff report DIR` then prints how the program scales, and `teff diff` compares
/// sets. docs/comparing.md explains this.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff record -o before.teff -- ./sort 1000000\n  teff report before.teff\n  teff record --repeat 5 --threads 1,2,4 -- ./sort 1000000   # a set of 15 recordings\n  mpirun -np 2 teff record -- ./heat   # heat.teff/rank-0, heat.teff/rank-1"
)]
pub struct RecordArgs {
    /// Directory to write; an earlier recording there is moved to DIR.old [default: PROGRAM.teff in
    /// the current directory]. In the name, %r stands for the rank (0 without a launcher), %p for
    /// the process number of teff, %h for the host, %j for the job, and %% for a %
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Run the program N times on each number of threads, and record each run. The runs are
    /// interleaved: once on each number of threads, then again. Every run inherits teff's standard
    /// input and output. If the input is a file, each run reads the file from the start; if the
    /// input is a pipe, the first run consumes it. If a run fails, teff stops and exits with that
    /// run's status
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: Option<u32>,
    /// Run the program on each of these numbers of threads. This option sets OMP_NUM_THREADS. If
    /// OMP_NUM_THREADS is a list, it sets the first number. If the program sets the number of
    /// threads itself, the program's number is used, and the report says so
    #[arg(long, value_name = "N,N...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub threads: Vec<u32>,
    /// With --repeat or --threads: continue after a run that failed
    #[arg(long)]
    pub keep_going: bool,
    /// Record the path of calls that leads to each construct: at most DEPTH calls within a task, or
    /// 32 without DEPTH. This costs 0.1 us per construct, 20 ns for each call on its path, and 0.2
    /// ms for each region that Python begins
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "32",
          value_parser = clap::value_parser!(u32).range(1..=128))]
    pub call_paths: Option<u32>,
    /// Take samples of the functions in which each thread is: RATE in a second of its CPU time, or
    /// 997 without RATE. `teff report` then says where the time inside tasks, loops and serial
    /// parts goes
    #[arg(long, value_name = "RATE", num_args = 0..=1, require_equals = true, default_missing_value = "997",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub sample: Option<u32>,
    /// Take samples with the calls by which each thread got where it was, and the lines of Python
    /// (CPython 3.11): a flame graph by `teff export --format folded` or `speedscope`. The threads
    /// of the program get a signal with each sample, SIGURG
    #[arg(long)]
    pub sample_stacks: bool,
    /// Count these events in each task, chunk and serial part: at most 6 names of perf or PAPI
    /// events (page-faults, task-clock, cycles, instructions, ...), or of sets (basic, cache,
    /// branch), separated by commas. The report has a table of them, and exports have columns.
    /// docs/recording.md#counters says what can be counted and what it costs
    #[arg(long, value_name = "EVENTS", value_delimiter = ',')]
    pub counters: Vec<String>,
    /// Begin to record TIME after the program has started, with the next parallel region; until
    /// then the program runs at full speed. TIME is a number with ms, s, m or h
    #[arg(long, value_name = "TIME", value_parser = interval::parse)]
    pub delay: Option<Duration>,
    /// Record for TIME, and let the program go on at full speed after that
    #[arg(long, value_name = "TIME", value_parser = interval::parse)]
    pub duration: Option<Duration>,
    /// Record only each N-th outermost parallel region of each construct, with what the program
    /// does until its next region: a sample of a long iterative run. The report says how many
    /// regions there were
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub every: Option<u32>,
    /// Keep only the newest records: SIZE for each thread, in bytes or with K, M, G or T, from 4M
    /// to 1T. The disk space of a long run is bounded, and the report is about its end
    #[arg(long, value_name = "SIZE", value_parser = size::of_ring)]
    pub last: Option<u64>,
    /// Explain why a running process cannot be recorded, and what to do instead
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "output"])]
    pub pid: Option<u32>,
    /// The program and its arguments. All that follows the program's name is passed to the program.
    /// A -- before the name is optional
    #[arg(trailing_var_arg = true, required_unless_present = "pid", value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// Run a program with each value of an option or variable, and find the best one
///
/// If a word of the command contains {NAME}, each value is put there. Otherwise each value is set
/// as the environment variable NAME. Each run is recorded, and a table says for each value: the
/// median, shortest and longest wall time, the work, the cost of creating tasks, the time in which
/// workers had no task to run, divided by the number of grains, the number of grains, and their
/// mean length. Below the table stands the best value, and which other values are as fast, as far
/// as the runs can tell.
///
/// The recordings of each value are a set in the folder of the sweep, which `teff report` and `teff
/// diff` read. If a run fails, teff says with which value, stops, prints the table of the runs
/// until then, and exits with that run's status. docs/comparing.md explains all this.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff sweep --over OMP_NUM_THREADS=1,2,4 -- ./sort 1000000\n  teff sweep --over CUTOFF=4,8,16,32 --runs 5 -- ./sort 1000000 --cutoff {CUTOFF}\n  teff sweep --over 'OMP_SCHEDULE=static;dynamic,1;guided' --json -o schedules -- ./heat"
)]
pub struct SweepArgs {
    /// What to vary, and its values, separated by commas; or by semicolons, if values have commas
    #[arg(long, value_name = "NAME=VALUE,VALUE...")]
    pub over: Over,
    /// Run the program N times with each value. The runs are interleaved: once with each value,
    /// then again
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Continue after a run that failed
    #[arg(long)]
    pub keep_going: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Folder for the recordings, which must be new or empty [default: PROGRAM.sweep in the current
    /// directory]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The program and its arguments. All that follows the program's name is passed to the program.
    /// A -- before the name is optional
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}
