// SPDX-License-Identifier: Apache-2.0
//! The command-line arguments of all verbs that read a recording.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use grains::metrics::{Limits, Threshold};
use grains::Selection;
use terminal::{Failure, Result};

/// The recording to read.
#[derive(Args)]
pub struct RecordingArgs {
    /// A recording: a directory that `teff record` wrote. If it is a set of recordings (--repeat,
    /// --threads), `teff report` prints how the program scales; the other verbs read the median run
    /// on the largest number of threads
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Which process to read, if several were recorded. PID is the process's name in the report's
    /// table [default: the host of devices, else the process with the most work]
    #[arg(long, value_name = "PID")]
    pub process: Option<String>,
    /// Read the recording even if it may not fit into memory
    #[arg(long)]
    pub any_size: bool,
    #[command(flatten)]
    pub part: PartArgs,
}

impl RecordingArgs {
    /// All of this recording.
    pub fn all_of(directory: PathBuf, process: Option<String>, any_size: bool) -> Self {
        Self { directory, process, any_size, part: PartArgs::default() }
    }
}

/// Which part of the recording.
#[derive(Args, Clone, Default)]
pub struct PartArgs {
    /// Leave out what happened before TIME, counted from the start of the recording: a number of
    /// seconds, or a number with ns, us, ms, s, m or h. What reaches into the rest counts with its
    /// part there
    #[arg(long, value_name = "TIME", value_parser = offset_ns)]
    pub from: Option<f64>,
    /// Leave out what happened after TIME
    #[arg(long, value_name = "TIME", value_parser = offset_ns)]
    pub to: Option<f64>,
    /// Leave out all time in which no thread was in a span of this name (teff_span_begin in teff.h)
    #[arg(long, value_name = "NAME")]
    pub span: Option<String>,
}

impl PartArgs {
    pub fn selection(&self) -> Selection {
        Selection { from_ns: self.from, to_ns: self.to, span: self.span.clone() }
    }
}

/// `1.5s`, `250ms`, `10us`; without a unit, seconds.
fn offset_ns(text: &str) -> std::result::Result<f64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let ns = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "" | "s" => 1e9,
        "m" => 60e9,
        "h" => 3600e9,
        _ => return Err("a time is a number followed by ns, us, ms, s, m or h, as in 1.5s".to_owned()),
    };
    let value: f64 = number.parse().map_err(|_| "a time begins with a number, as in 1.5s".to_owned())?;
    Ok(value * ns)
}

/// Which values of the metrics of grains are problems.
#[derive(Args)]
pub struct ThresholdArgs {
    /// How problems of grains are identified, in `report --metrics`, and in `export` with csv, or
    /// with parquet and --metrics. `teff` uses the time that a problem costs; `thesis` uses the
    /// limits of the grains thesis; `published` uses those of its published code
    #[arg(long, value_enum, default_value_t = Thresholds::Teff)]
    pub thresholds: Thresholds,
    /// A limit that replaces that of --thresholds, as in work_deviation=1.2. A grain has the
    /// problem if its value is below NUMBER (parallel_benefit, instantaneous_parallelism) or above
    /// it (load_balance, work_deviation, scatter). May be given several times; the last one of a
    /// metric counts
    #[arg(long, value_name = "METRIC=NUMBER")]
    pub threshold: Vec<Threshold>,
}

impl ThresholdArgs {
    /// Whether they are others than those without any option.
    pub fn are_given(&self) -> bool {
        self.thresholds != Thresholds::Teff || !self.threshold.is_empty()
    }

    /// Refuses thresholds of metrics that cannot be computed.
    pub fn limits(&self, has_baseline: bool) -> Result<Limits> {
        if !has_baseline && self.threshold.iter().any(|threshold| threshold.needs_baseline()) {
            return Err(Failure::Usage(
                "--threshold work_deviation needs a recording to compare with: name it with --baseline."
                    .to_owned(),
            ));
        }
        Ok(Limits::of(self.thresholds.into(), &self.threshold))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_units() {
        let of = |text: &str| offset_ns(text).unwrap();
        assert_eq!([of("1.5s"), of("2"), of("250ms"), of("10us"), of("7ns")], [1.5e9, 2e9, 250e6, 10e3, 7.0]);
        assert_eq!([of("2m"), of("1h"), of("0")], [120e9, 3600e9, 0.0]);
        for wrong in ["", "s", "-1s", "1d", "1.2.3s"] {
            assert!(offset_ns(wrong).is_err(), "{wrong}");
        }
    }
}
