// SPDX-License-Identifier: Apache-2.0
//! The limits of this process (ulimit) that concern threads and recordings.

use std::path::Path;

use grains::units;
use recordings::control_groups::{self, Controller};

use crate::finding::Finding;
use crate::system::System;

const TASKS: Controller = Controller { name: "pids", file: "pids.max", old_file: "pids.max" };

/// A thread with a smaller stack may overflow it inside a library.
const SMALL_STACK: u64 = 1 << 20;
/// The number of threads that other programs of the user may have at a time.
const SPARE_TASKS: u64 = 64;

/// `None`: unlimited, or not known.
fn soft(system: &System, name: &str) -> Option<u64> {
    let limits = system.read("/proc/self/limits");
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// `team`: the threads of a usual team. `stack_size`: OMP_STACKSIZE.
pub fn findings(system: &System, team: u64, stack_size: Option<&str>) -> Vec<Finding> {
    let mut found = vec![stack(soft(system, "Max stack size"), stack_size), tasks(system, team)];
    if let Some(bytes) = soft(system, "Max file size") {
        found.push(Finding::note(
            "file size",
            format!("a file that this process writes may have at most {}.", units::bytes(bytes)),
            "Records that do not fit are left out of a recording, and counted. Raise the limit: ulimit -f unlimited",
        ));
    }
    found
}

fn stack(limit: Option<u64>, stack_size: Option<&str>) -> Finding {
    if let Some(size) = stack_size {
        return Finding::ok("stack", format!("OMP_STACKSIZE={size} sets the stacks of the team's threads."));
    }
    match limit {
        Some(bytes) if bytes < SMALL_STACK => Finding::problem(
            "stack",
            format!("the stacks of threads have only {}.", units::bytes(bytes)),
            "Deep recursion or large private arrays can crash the program. Raise the limit: ulimit -s 8192, or \
             OMP_STACKSIZE=8M",
        ),
        Some(bytes) => Finding::ok("stack", format!("the stacks of threads have {}.", units::bytes(bytes))),
        None => {
            Finding::ok("stack", "no limit for the first thread; the other threads get the C library's default size.")
        }
    }
}

/// Threads count as processes.
fn tasks(system: &System, team: u64) -> Finding {
    let groups = system.read("/proc/self/cgroup");
    let files = control_groups::files(Path::new("/sys/fs/cgroup"), &groups, &TASKS);
    let left = files.iter().filter_map(|file| {
        let most: u64 = system.read(file.to_str()?).trim().parse().ok()?;
        let used: u64 =
            system.read(file.with_file_name("pids.current").to_str()?).trim().parse().unwrap_or(0);
        Some(most.saturating_sub(used))
    });
    let by_groups = left.min();
    let by_user = soft(system, "Max processes");
    let what = "processes and threads";
    match (by_user, by_groups) {
        (_, Some(left)) if left < team => Finding::problem(
            "processes",
            format!("the control groups of this process allow {left} more {what}: teams will be smaller."),
            "Raise the limit: docker run --pids-limit, systemd TasksMax=.",
        ),
        (Some(most), _) if most < team + SPARE_TASKS => Finding::problem(
            "processes",
            format!("this user may have {most} {what} in all: teams may be smaller."),
            "ulimit -u, up to the hard limit; an administrator raises that in /etc/security/limits.conf.",
        ),
        (Some(most), _) => Finding::ok("processes", format!("this user may have {most} {what}.")),
        (None, _) => Finding::ok("processes", format!("no limit of {what}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::State;
    use crate::system::made_up::system;

    const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units     
Max file size             unlimited            unlimited            bytes     
Max stack size            8388608              unlimited            bytes     
Max processes             95000                95000                processes 
";

    fn found(files: &[(&str, &str)], team: u64, stack: Option<&str>) -> Vec<Finding> {
        findings(&system(files).system, team, stack)
    }

    #[test]
    fn usual_limits_are_fine() {
        let found = found(&[("/proc/self/limits", LIMITS)], 8, None);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|finding| finding.state == State::Ok), "{found:?}");
        assert!(found[0].says.contains("8.4 MB"), "{found:?}");
    }

    #[test]
    fn small_stacks_files_and_few_processes_are_told() {
        let limits = LIMITS.replace("8388608", "65536").replace("95000 ", "40 ");
        let limits = limits.replacen("unlimited", "1048576", 1);
        let found = found(&[("/proc/self/limits", &limits)], 8, None);
        let states: Vec<_> = found.iter().map(|finding| (finding.name, finding.state)).collect();
        let expected = [("stack", State::Problem), ("processes", State::Problem), ("file size", State::Note)];
        assert_eq!(states, expected);
    }

    #[test]
    fn the_runtimes_own_stack_size_comes_first() {
        let limits = LIMITS.replace("8388608", "65536");
        let found = found(&[("/proc/self/limits", &limits)], 8, Some("4M"));
        assert_eq!(found[0].state, State::Ok);
    }

    #[test]
    fn a_group_limits_the_threads() {
        let files = [
            ("/proc/self/limits", LIMITS),
            ("/proc/self/cgroup", "0::/box/in\n"),
            ("/sys/fs/cgroup/box/pids.max", "20\n"),
            ("/sys/fs/cgroup/box/pids.current", "15\n"),
            ("/sys/fs/cgroup/box/in/pids.max", "max\n"),
        ];
        let tight = found(&files, 8, None);
        assert_eq!(tight[1].state, State::Problem);
        assert!(tight[1].says.contains("allow 5 more"), "{tight:?}");
        assert_eq!(found(&files, 4, None)[1].state, State::Ok);
    }
}
