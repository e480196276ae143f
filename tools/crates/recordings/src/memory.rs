// SPDX-License-Identifier: Apache-2.0
//! Checks whether a recording fits into memory before it is read: a process that runs out of memory
//! is killed without a message, and on some machines other processes are killed as well.

use std::fs;
use std::path::Path;

use grains::units;
use terminal::{Failure, Result};

use crate::control_groups::{self, Controller};

/// Bytes in memory per byte of a recording: its records by kind, and the tables of grains. Measured
/// with version 1 of the format, and the whole mapping beside them: 2.4 with many dependences, 2.8
/// with tasks alone, 3.8 with chunks alone.
const BYTES_PER_BYTE: u64 = 4;

const LIMIT: Controller =
    Controller { name: "memory", file: "memory.max", old_file: "memory.limit_in_bytes" };

/// Checks that there is enough memory to read a recording of `bytes` bytes.
pub fn check_room(directory: &Path, bytes: u64) -> Result<()> {
    let needed = bytes.saturating_mul(BYTES_PER_BYTE);
    match available() {
        Some(available) if needed > available => Err(does_not_fit(directory, bytes, needed, available)),
        _ => Ok(()),
    }
}

fn does_not_fit(directory: &Path, bytes: u64, needed: u64, available: u64) -> Failure {
    Failure::Recording(format!(
        "{} has {}: reading it takes about {} of memory, and {} is available. Read it on a machine with more memory, \
         raise the memory limit if there is one, or record a shorter run (TEFF_TRACE_LIMIT bounds a recording). \
         --any-size reads it all the same.",
        directory.display(),
        units::bytes(bytes),
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
        assert!(check_room(Path::new("a.teff"), 0).is_ok());
        let message = check_room(Path::new("a.teff"), u64::MAX).unwrap_err().to_string();
        assert!(message.contains("a.teff has 18.4 EB"), "{message}");
    }

    #[test]
    fn the_system_tells_what_is_available() {
        let text = "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:    2000 kB\n";
        assert_eq!(available_on_machine(text), Some(2_048_000));
        assert_eq!(available_on_machine("MemTotal: 1 kB\n"), None);
    }
}
