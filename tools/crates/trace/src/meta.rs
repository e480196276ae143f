// SPDX-License-Identifier: Apache-2.0
//! meta.json and end.json.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::command::Command;
use crate::error::{Error, Problem};
use crate::ticks::Stamp;

/// Written when the recording starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meta {
    pub format: String,
    pub version: u32,
    #[serde(default)]
    pub runtime: String,
    #[serde(default)]
    pub pid: u64,
    #[serde(default)]
    pub host: String,
    #[serde(default)]
    pub command: Command,
    /// Arguments that the runtime left out of it.
    #[serde(default)]
    pub command_left_out: u64,
    #[serde(default)]
    pub start_unix_ns: u64,
    pub start_monotonic_ns: u64,
    pub start_ticks: u64,
    pub ticks_per_second: u64,
    /// The thread that met the first construct, and its CPU time at the start and then, or that of
    /// the process if another thread had loaded the runtime; 0: not known.
    #[serde(default)]
    pub first_thread: u32,
    #[serde(default)]
    pub start_cpu_ns: u64,
    #[serde(default)]
    pub met_cpu_ns: u64,
    /// For how long it, and the thread that had loaded the runtime, could have run but had no
    /// processor, from their beginnings to the second instant; `None`: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met_delay_ns: Option<u64>,
    /// The devices of the run, if the process has devices or is one (`teff run --devices`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<u32>,
    /// The process is this one of them; else their host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// How bytes are moved between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_transport: Option<String>,
    /// Usable by the process.
    #[serde(default)]
    pub processors: u32,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Of the runtime that was recorded; empty in older recordings.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub runtime_file: String,
    /// The files of other OpenMP runtimes in the process, until the end where there is one: what
    /// they do is not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_runtimes: Vec<String>,
    /// By name of a record's type: what it costs to store one, in ticks. It falls behind the
    /// last instant that the record states.
    #[serde(default)]
    pub record_cost_ticks: BTreeMap<String, f64>,
    /// The same of what falls within the interval that the record states.
    #[serde(default)]
    pub record_cost_within_ticks: BTreeMap<String, f64>,
    /// Nothing of it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modelled: Option<Modelled>,
}

/// A run on a modelled machine, in virtual time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Modelled {
    #[serde(default)]
    pub machine: String,
    /// Settings of scheduling and of the placement of data.
    #[serde(default)]
    pub policy: String,
    #[serde(default)]
    pub seed: u64,
    /// Names of what sites stand for that lie in no object: their addresses count from 1.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Names of the workers, where they are more than cores; else empty.
    #[serde(default)]
    pub workers: Vec<String>,
}

/// What meta.json of any version begins with: whether it is ours to read.
#[derive(Default, Deserialize)]
pub(crate) struct Head {
    #[serde(default)]
    pub format: String,
    #[serde(default)]
    pub version: u64,
}

impl Meta {
    pub const FORMAT: &'static str = "teff-trace";

    pub fn start(&self) -> Stamp {
        Stamp(self.start_ticks)
    }

    /// The program may have loaded some after the recording had begun.
    pub(crate) fn note_runtimes(&mut self, end: Option<&End>) {
        let all = end.map(|end| &end.other_runtimes).into_iter().flatten();
        let new: Vec<_> = all.filter(|file| !self.other_runtimes.contains(file)).cloned().collect();
        self.other_runtimes.extend(new);
    }
}

impl End {
    pub fn end(&self) -> Stamp {
        Stamp(self.end_ticks)
    }
}

/// Written when the program ends in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct End {
    /// As in meta.json; `None`: an older runtime wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ticks: Option<u64>,
    pub end_monotonic_ns: u64,
    pub end_ticks: u64,
    #[serde(default)]
    pub streams: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_runtimes: Vec<String>,
    #[serde(default)]
    pub lost_records: u64,
    /// Why the runtime could not store them; empty: not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lost_because: String,
    /// By stream: the offset in its file at which its last record ended; 0: no file, or not known.
    /// Empty in older recordings. A thread that was still running may have stored more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stream_bytes: Vec<u64>,
    /// CPU time of the process; 0: not known.
    #[serde(default)]
    pub cpu_ns: u64,
    /// By stream: CPU time of the thread that has it at the end; 0: it had ended.
    #[serde(default)]
    pub thread_cpu_ns: Vec<u64>,
    /// While the process was recorded: page faults without input or output; CPU time in the kernel.
    /// 0: not known.
    #[serde(default)]
    pub minor_faults: u64,
    #[serde(default)]
    pub system_ns: u64,
    /// The most memory that the process has had at a time; 0: not known.
    #[serde(default)]
    pub most_resident_bytes: u64,
    /// By stream: how often its threads went from one task to another, or looked for one without
    /// success at a taskyield.
    #[serde(default)]
    pub turns: Vec<u64>,
    /// By stream: turns at too high a rate, and how long they took.
    #[serde(default)]
    pub hasty_turns: Vec<u64>,
    #[serde(default)]
    pub hasty_ticks: Vec<u64>,
    /// Of the outermost parallel regions of each construct, only those with a multiple of this
    /// number were recorded; 0: all. And how many there were, and how many of them were recorded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub every: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub regions_met: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub regions_recorded: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The contents of one of the files of JSON that a recording has.
pub(crate) fn parse<T: DeserializeOwned>(file: &Path, text: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(|error| Error::new(file, Problem::BadJson(error.to_string())))
}
