// SPDX-License-Identifier: Apache-2.0
//! What the user can say wherever a recording is read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What is read.
#[derive(Args)]
pub struct RecordingArgs {
    /// A recording: a directory that `teff record` wrote. Of a set of recordings (--repeat,
    /// --threads) `teff report` prints how it scales; other verbs read the median run on the most
    /// threads
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Which of several processes to read, as the report's table names it [default: the one with
    /// most work]
    #[arg(long, value_name = "PID")]
    pub process: Option<String>,
    /// Read it even if it may not fit into memory
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
