// SPDX-License-Identifier: Apache-2.0
//! The command-line arguments of `teff view`.

use std::path::PathBuf;

use clap::Args;
use recordings::{RecordingArgs, ThresholdArgs};

/// Show the grain graph and the time line in a browser, a set of runs, or two runs side by side
///
/// Serves the page on this machine until interrupted (Ctrl-C), or writes it into one file that
/// needs no server. The printed address contains a key: the server gives the page only to those who
/// know the whole address. To see the page on another machine, forward the port, for example with
/// ssh -L. If there are more than 200,000 grains, the smallest subtrees are folded into groups.
/// Times are shown in ns, us, ms or s. For a set (teff record --repeat 5 --threads 1,2), the page
/// shows how the program scales, as teff report does, and leads to the median run of each number of
/// threads. With a second recording, AFTER, the page shows both
/// recordings on one time scale, with the results of teff diff (see docs/comparing.md). If both are
/// sets (teff record --repeat 5), the page draws the median run of each set, and its figures cover
/// all runs.
#[derive(Args)]
#[command(after_help = "Example:\n  teff view sort.teff\n  teff view --html sort.html sort.teff\n  \
                  teff view before.teff after.teff\n  \
                  teff view --no-open --port 8080 sort.teff   # elsewhere: ssh -L 8080:127.0.0.1:8080 HOST")]
pub struct ViewArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    #[command(flatten)]
    pub limits: ThresholdArgs,
    /// Another recording or set, to be shown beside the first one
    #[arg(value_name = "AFTER", conflicts_with = "process")]
    pub after: Option<PathBuf>,
    /// With two sets: show the runs on N threads; N,M shows the run of the first set on N threads
    /// and that of the second set on M threads [default: the largest number that both have]
    #[arg(long, value_name = "N[,M]", value_delimiter = ',', requires = "after",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Vec<u32>,
    /// Write a self-contained page to FILE and exit; - is standard output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Port on loopback [default: any free port]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", conflicts_with = "html")]
    pub port: u16,
    /// Only print the address; do not open a browser
    #[arg(long, conflicts_with = "html")]
    pub no_open: bool,
    /// Leave the text of the program's source out of the page
    #[arg(long)]
    pub no_source: bool,
    /// A recording of the same program to compare with, as for teff report: the page shows how much
    /// longer grains worked than the same grains in that recording
    #[arg(long, value_name = "DIR", conflicts_with = "after")]
    pub baseline: Option<PathBuf>,
}
