// SPDX-License-Identifier: Apache-2.0
//! Files of the system that cannot be read here, as in a chroot without /proc. If such a file
//! counted as empty, the conclusions of the other modules would be wrong.

use crate::finding::Finding;
use crate::system::System;

/// A file or folder that represents a part of the system, and the findings that need this part.
const SOURCES: [(&str, &str, &[&str]); 3] = [
    ("/proc", "/proc/self/status", &["affinity", "quota", "threads", "stack", "processes", "seccomp"]),
    ("/proc/sys", "/proc/sys/kernel/osrelease", &["ptrace"]),
    ("/sys/fs/cgroup", "/sys/fs/cgroup", &["quota"]),
];

/// Replaces the findings that depend on an unreadable part of the system by one finding that names
/// this part.
pub fn replace(system: &System, findings: &mut Vec<Finding>) {
    for (part, file, names) in SOURCES {
        let is_there = system.path(file).is_dir() || !system.read(file).is_empty();
        let unknown: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| findings.iter().any(|finding| finding.name == *name))
            .collect();
        if is_there || unknown.is_empty() {
            continue;
        }
        findings.retain(|finding| !names.contains(&finding.name));
        findings.push(Finding::note(
            part,
            format!("it cannot be read, so these are not known: {}.", unknown.join(", ")),
            "Mount it, as with mount -t proc proc /proc in a chroot. Without it, Teff does not know the limits either.",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::made_up::{system, MadeUp};

    fn left(here: &MadeUp) -> Vec<(&'static str, String)> {
        let mut findings: Vec<_> =
            ["affinity", "quota", "ptrace", "directory"].map(|name| Finding::ok(name, "fine.")).into();
        replace(&here.system, &mut findings);
        findings.into_iter().map(|finding| (finding.name, finding.says)).collect()
    }

    #[test]
    fn nothing_is_said_of_what_cannot_be_read() {
        let found = left(&system(&[]));
        let names: Vec<_> = found.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["directory", "/proc", "/proc/sys"]);
        assert!(found[1].1.ends_with("not known: affinity, quota."), "{found:?}");
    }

    #[test]
    fn what_can_be_read_stays() {
        let files = [
            ("/proc/self/status", "Name:\tteff\n"),
            ("/proc/sys/kernel/osrelease", "6.1\n"),
            ("/sys/fs/cgroup/cpu.max", "max 100000\n"),
        ];
        assert_eq!(left(&system(&files)).len(), 4);
        let found = left(&system(&files[..2]));
        assert_eq!(found.last().unwrap().0, "/sys/fs/cgroup");
    }
}
