// SPDX-License-Identifier: Apache-2.0
//! The command-line arguments of all verbs that read a recording.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The recording to read.
#[derive(Args)]
pub struct RecordingArgs {
    /// A recording: a directory that `teff record` wrote. If it is a set of recordings (--repeat,
    /// --threads), `teff report` prints how the program scales; the other verbs read the median run
    /// on the largest number of threads
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Which process to read, if several were recorded. PID is the process's name in the report's
    /// table [default: the process with the most work]
    #[arg(long, value_name = "PID")]
    pub process: Option<String>,
    /// Read the recording even if it may not fit into memory
    #[arg(long)]
    pub any_size: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Thresholds {
    Teff,
    Thesis,
    Published,
}

impl From<Thresholds> for grains::metrics::Thresholds {
    fn from(thresholds: Thresholds) -> Self {
        match thresholds {
            Thresholds::Teff => Self::Teff,
            Thresholds::Thesis => Self::Thesis,
            Thresholds::Published => Self::Published,
        }
    }
}
