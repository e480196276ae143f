// SPDX-License-Identifier: Apache-2.0
//! Whether a recording fits into memory, looked at before it is read: who runs out of memory is
//! killed without a word, and on some machines others with it.

use std::fs;
use std::path::{Path, PathBuf};

use grains::units;
use terminal::{Failure, Result};

/// Bytes in memory per byte of a recording: its mapping, its records by kind, and the tables of
/// grains. Measured with version 1 of the format: 2.4 with many dependences, 2.8 with tasks alone,
/// 3.8 with chunks alone.
const BYTES_PER_BYTE: u64 = 4;

/// That a recording of so many bytes can be read.
pub fn check_room(directory: &Path, bytes: u64) -> Result<()> {
    let needed = bytes.saturating_mul(BYTES_PER_BYTE);
    match available() {
        Some(available) if needed > available => Err(does_not_fit(directory, bytes, needed, available)),
        _ => Ok(()),
    }
}

fn does_not_fit(directory: &Path, bytes: u64, needed: u64, available: u64) -> Failure {
    Failure::new(format!(
        "{} has {}: to read it takes about {} of memory, and {} can be had. Read it on a machine with more memory, \
         raise the memory limit if there is one, or record a shorter run (TEFF_TRACE_LIMIT bounds a recording). \
         --any-size reads it all the same.",
        directory.display(),
        units::bytes(bytes),
        units::bytes(needed),
        units::bytes(available)
    ))
}

/// What the machine and the control groups of this process can give it. `None`: nobody says.
fn available() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let machine = available_on_machine(&read("/proc/meminfo"));
    let files = limit_files(Path::new("/sys/fs/cgroup"), &read("/proc/self/cgroup"));
    let limits = files.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    limits.chain(machine).min()
}

fn available_on_machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The files that may hold a limit: of the process's group and of all groups around it. In a
/// container the own group may not be there; the outermost that is has the container's limit.
fn limit_files(mount: &Path, groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => (mount.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (mount.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let relative = Path::new(group.trim_start_matches('/'));
        files.extend(relative.ancestors().map(|group| root.join(group).join(file)));
    }
    files
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

    #[test]
    fn limits_are_those_of_all_groups_around() {
        let files = |groups| -> Vec<String> {
            let files = limit_files(Path::new("/c"), groups);
            files.iter().map(|file| file.display().to_string()).collect()
        };
        assert_eq!(files("0::/a/b\n"), ["/c/a/b/memory.max", "/c/a/memory.max", "/c/memory.max"]);
        let old = files("7:cpu,cpuacct:/x\n4:memory:/a\n");
        assert_eq!(old, ["/c/memory/a/memory.limit_in_bytes", "/c/memory/memory.limit_in_bytes"]);
    }
}
