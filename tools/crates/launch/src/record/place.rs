// SPDX-License-Identifier: Apache-2.0
//! Where a recording goes: to the name that -o gives, or that of the program. Each rank of a job
//! has its own directory in that directory. A file beside the rank's directory says which rank it
//! is and how the rank ended.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use recordings::{ranks, Destination};
use terminal::{Failure, Result};
use trace::{RANK_FORMAT, RANK_VERSION};

use super::name::{default_name, expand, make_folders_above, Words};
use crate::args::RecordArgs;
use crate::ranks::{job, Rank};

pub struct Place {
    pub output: PathBuf,
    /// Of a rank.
    pub of_rank: Option<OfRank>,
}

pub struct OfRank {
    /// The directory of all ranks.
    pub all: PathBuf,
    says: trace::Rank,
    began: Instant,
}

impl Place {
    pub fn of(args: &RecordArgs) -> Result<Self> {
        let rank = Rank::here();
        let words = Words {
            rank: rank.as_ref().map_or(0, |rank| rank.rank),
            process: std::process::id(),
            host: host(),
            job: job().unwrap_or_default(),
        };
        if let Some(output) =
            args.output.as_deref().map(|output| expand(output, &words)).transpose()?.flatten()
        {
            make_folders_above(&output)?;
            return Ok(Self { output, of_rank: None });
        }
        let output = args.output.clone().unwrap_or_else(|| default_name(&args.command[0]));
        let Some(rank) = rank else { return Ok(Self { output, of_rank: None }) };
        let says = says(args, &rank);
        let mine = output.join(trace::Rank::directory_name(rank.rank));
        Ok(Self { output: mine, of_rank: Some(OfRank { all: output, says, began: Instant::now() }) })
    }
}

impl Place {
    /// Makes the recording's directory, and with it the file of a rank.
    pub fn begin(&mut self) -> Result<Destination> {
        let Some(rank) = &mut self.of_rank else { return Destination::make(&self.output) };
        let destination = ranks::make_destination(&rank.all, &self.output)?;
        rank.began = Instant::now();
        rank.write()?;
        Ok(destination)
    }

    /// Called when the program has ended. `recorded`: there is a recording to read.
    pub fn end(&mut self, status: ExitStatus, recorded: bool) -> Result<()> {
        if !recorded {
            self.withdraw();
            return Ok(());
        }
        let Some(rank) = &mut self.of_rank else { return Ok(()) };
        rank.says.wall_ns = rank.began.elapsed().as_nanos() as u64;
        rank.says.exit_status = status.code();
        rank.says.signal = status.signal();
        rank.write()
    }

    /// Removes the directories if no rank has recorded anything.
    pub fn withdraw(&self) {
        let Some(rank) = &self.of_rank else { return };
        let _ = fs::remove_file(rank.file());
        let _ = fs::remove_dir(&rank.all); // does nothing to one that is not empty
    }
}

impl OfRank {
    pub fn is_first(&self) -> bool {
        self.says.rank == 0
    }

    fn file(&self) -> PathBuf {
        self.all.join(trace::Rank::file_name(self.says.rank))
    }

    /// Writes the file as a whole, or leaves it as it was.
    fn write(&self) -> Result<()> {
        let file = self.file();
        let beside = file.with_extension("json.tmp");
        let text = serde_json::to_string_pretty(&self.says).expect("it is JSON");
        let done = fs::write(&beside, text + "\n").and_then(|()| fs::rename(&beside, &file));
        done.map_err(|error| Failure::io("write", &file, error))
    }
}

fn says(args: &RecordArgs, rank: &Rank) -> trace::Rank {
    let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    trace::Rank {
        format: RANK_FORMAT.to_owned(),
        version: RANK_VERSION,
        rank: rank.rank,
        size: rank.size,
        job: job(),
        host: host(),
        bound_to: bound_to(),
        command: words.into(),
        start_unix_ns: start.as_nanos() as u64,
        ..trace::Rank::default()
    }
}

fn host() -> String {
    let name = fs::read_to_string(Path::new("/proc/sys/kernel/hostname")).unwrap_or_default();
    name.trim().to_owned()
}

/// The program inherits this from us.
fn bound_to() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.unwrap_or_default().trim().to_owned()
}
