// SPDX-License-Identifier: Apache-2.0
//! Checks whether a recording fits into memory before it is read: a process that runs out of memory
//! is killed without a message, and on some machines other processes are killed as well.

use std::fs;
use std::path::Path;

use grains::units;
use terminal::{Failure, Result};
use trace::{Recording, StreamSums};

use crate::control_groups::{self, Controller};

/// Bytes in memory per byte of a recording and per grain, at most: its records by kind, and the
/// tables of grains. They are at most twice the peaks of reports that were measured with version 6
/// of the format. In bytes of memory per byte of a file, these were 2.7 with regions alone, 4.0
/// with loops, 4.4 with many dependences, 5.9 with barriers and static loops; per grain, 110 with
/// chunks, 120 to 170 with tasks that wait for their children, 220 with tasks that their creators
/// ran at once because a queue was full. Other verbs take more ([`Purpose`]).
const PER_BYTE: u64 = 6;
const PER_GRAIN: u64 = 130;
/// Bytes in memory per byte of a recording whose grains are not known: those of such tasks, which
/// have 16 bytes each in the file.
const PER_BYTE_AT_MOST: u64 = 14;

/// What a recording is read for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Report,
    Prediction,
    Export,
    /// An export as a profile of MIR.
    Mir,
    Page,
}

impl Purpose {
    /// The memory as a part of a report's, in percent: the largest of those that were measured with
    /// tasks that wait, floods of tasks, loops, barriers and dependences.
    const fn percent(self) -> u64 {
        match self {
            Self::Report => 100,
            Self::Prediction | Self::Export => 170,
            Self::Page => 250,
            Self::Mir => 480,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Report => "a report",
            Self::Prediction => "a prediction",
            Self::Export => "an export",
            Self::Mir => "an export of MIR",
            Self::Page => "the page",
        }
    }
}

const LIMIT: Controller =
    Controller { name: "memory", file: "memory.max", old_file: "memory.limit_in_bytes" };

/// Checks that there is enough memory to read a recording.
pub fn check_room(directory: &Path, recording: &Recording, purpose: Purpose) -> Result<()> {
    let bytes = recording.bytes();
    check(directory, bytes, purpose, needed(bytes, grains(recording), purpose), available())
}

fn check(directory: &Path, bytes: u64, purpose: Purpose, needed: u64, available: Option<u64>) -> Result<()> {
    match available {
        Some(available) if needed > available => {
            Err(does_not_fit(directory, bytes, purpose, needed, available))
        }
        _ => Ok(()),
    }
}

fn needed(bytes: u64, grains: Option<u64>, purpose: Purpose) -> u64 {
    let of_report = match grains {
        Some(grains) => bytes.saturating_mul(PER_BYTE).saturating_add(grains.saturating_mul(PER_GRAIN)),
        None => bytes.saturating_mul(PER_BYTE_AT_MOST),
    };
    (of_report / 100).saturating_mul(purpose.percent())
}

/// How many grains the recorder has counted. `None` if an earlier runtime wrote the recording, or
/// it is damaged.
fn grains(recording: &Recording) -> Option<u64> {
    recording.streams.iter().try_fold(0u64, |all, stream| {
        let sums = StreamSums::of(stream).ok()??.sums;
        Some([sums.tasks, sums.implicit_tasks, sums.chunks].into_iter().fold(all, u64::saturating_add))
    })
}

fn does_not_fit(directory: &Path, bytes: u64, purpose: Purpose, needed: u64, available: u64) -> Failure {
    Failure::Recording(format!(
        "{} has {}: {} takes up to {} of memory, and {} is available. Read it on a machine with more memory, \
         raise the memory limit if there is one, or record a shorter run (TEFF_TRACE_LIMIT bounds a recording). \
         --any-size reads it all the same.",
        directory.display(),
        units::bytes(bytes),
        purpose.name(),
        units::bytes(needed),
        units::bytes(available)
    ))
}

/// The memory that the machine and the control groups can give this process. `None` if it is not
/// known.
fn available() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let machine = available_on_machine(&read("/proc/meminfo"));
    let files = control_groups::files(Path::new("/sys/fs/cgroup"), &read("/proc/self/cgroup"), &LIMIT);
    let limits = files.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    limits.chain(machine).min()
}

fn available_on_machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_the_figures() {
        let checked =
            |available| check(Path::new("a.teff"), 2_000_000, Purpose::Report, 9_000_000, available);
        assert!(checked(Some(9_000_000)).is_ok() && checked(None).is_ok());
        let message = checked(Some(8_999_999)).unwrap_err().to_string();
        assert!(message.contains("a.teff has 2.0 MB: a report takes up to 9.0 MB"), "{message}");
    }

    #[test]
    fn the_memory_follows_from_the_bytes_and_the_grains() {
        let needed = |bytes, grains| needed(bytes, grains, Purpose::Report);
        // As many tasks of 16 bytes take about as much, whether they are known or not.
        assert_eq!(needed(16_000_000, Some(1_000_000)), 226_000_000);
        assert_eq!(needed(16_000_000, None), 224_000_000);
        assert_eq!(needed(16_000_000, Some(0)), 96_000_000);
        assert_eq!(needed(u64::MAX, Some(1)), u64::MAX / 100 * 100);
    }

    #[test]
    fn what_is_made_of_a_recording_decides_how_much_memory_it_takes() {
        let of = |purpose| needed(1_000_000, Some(0), purpose);
        let all = [Purpose::Report, Purpose::Prediction, Purpose::Export, Purpose::Page, Purpose::Mir];
        let needed = [6_000_000, 10_200_000, 10_200_000, 15_000_000, 28_800_000];
        assert_eq!(all.map(of), needed);
        let refused =
            check(Path::new("a.teff"), 1_000_000, Purpose::Page, of(Purpose::Page), Some(9_000_000));
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("a.teff has 1.0 MB: the page takes up to 15.0 MB"), "{message}");
    }

    #[test]
    fn the_system_tells_what_is_available() {
        let text = "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:    2000 kB\n";
        assert_eq!(available_on_machine(text), Some(2_048_000));
        assert_eq!(available_on_machine("MemTotal: 1 kB\n"), None);
    }
}
