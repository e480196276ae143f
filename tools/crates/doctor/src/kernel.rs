// SPDX-License-Identifier: Apache-2.0
//! What the kernel allows: counters, looking at other processes, and system calls.

use std::io;

use nix::errno::Errno;

use crate::finding::Finding;
use crate::system::System;

/// The result of a system call that was tried: `Err` holds its errno value.
pub type Tried = Result<(), i32>;

/// The results of system calls that have to be tried, because filters and capabilities also decide
/// whether they work.
#[derive(Clone, Copy)]
pub struct Trials {
    /// A counter of the kernel for this thread, and one of the processor.
    pub software_counter: Tried,
    pub hardware_counter: Tried,
    pub membarrier: Tried,
    /// Whether memory can be placed on NUMA nodes.
    pub memory_policy: Tried,
}

const SECCOMP_FILTER: &str = "2";

pub fn findings(system: &System, trials: &Trials) -> Vec<Finding> {
    let mut found = vec![counters(system, trials), tracing(system), filters(system)];
    found.extend(hidden_processes(system));
    if let Err(error) = trials.membarrier {
        found.push(Finding::note(
            "membarrier",
            format!("the kernel refuses membarrier ({}).", words(error)),
            "Each taking and stealing of a task then needs a fence, which costs some nanoseconds. Allow the call in \
             the container's seccomp profile.",
        ));
    }
    if let Err(error) = trials.memory_policy {
        found.push(Finding::note(
            "memory policy",
            format!("the kernel refuses to report or set the node of memory ({}).", words(error)),
            "teff run --distribute and the routines for distribution then have no effect. A container needs the \
             capability SYS_NICE: docker run --cap-add SYS_NICE.",
        ));
    }
    found
}

fn words(error: i32) -> String {
    io::Error::from_raw_os_error(error).to_string()
}

fn counters(system: &System, trials: &Trials) -> Finding {
    let name = "counters";
    let level = system.number("/proc/sys/kernel/perf_event_paranoid");
    let setting = level.map_or_else(String::new, |level| format!(" (perf_event_paranoid is {level})"));
    let refused = trials.software_counter.err().map(Errno::from_raw);
    match refused {
        Some(Errno::EACCES | Errno::EPERM) if level.is_some_and(|level| level > 2) => Finding::problem(
            name,
            format!("counting is not allowed{setting}: teff stat --events counts nothing."),
            "sudo sysctl kernel.perf_event_paranoid=2, or give the container the capability PERFMON.",
        ),
        Some(Errno::EACCES | Errno::EPERM) => Finding::problem(
            name,
            format!("counting is not allowed{setting}: teff stat --events counts nothing."),
            "A filter for system calls denies perf_event_open to this process; containers have such a filter by \
             default. Use docker run --cap-add PERFMON, or a seccomp profile that allows the call.",
        ),
        Some(error) => Finding::problem(
            name,
            format!("the kernel has no counters ({}): teff stat --events counts nothing.", words(error as i32)),
            "Counting needs a kernel with CONFIG_PERF_EVENTS.",
        ),
        None => match trials.hardware_counter {
            Ok(()) => Finding::ok(name, format!("kernel and processor count{setting}.")),
            Err(_) => Finding::note(
                name,
                format!("the kernel's events can be counted{setting}, but the processor's counters are not available."),
                "teff stat --events software works; cycles, instructions and cache misses need a machine, or a \
                 virtual machine, with a performance monitoring unit.",
            ),
        },
    }
}

/// Teff itself attaches to no process.
fn tracing(system: &System) -> Finding {
    let name = "ptrace";
    match system.number("/proc/sys/kernel/yama/ptrace_scope") {
        None | Some(0) => Finding::ok(name, "debuggers may attach to this user's processes."),
        Some(level) => Finding::note(
            name,
            format!("debuggers may not attach to a running program (ptrace_scope is {level})."),
            match level {
                3.. => "Recording and counting do not need this. The setting stays until the machine is restarted.",
                _ => {
                    "Recording and counting do not need this, but gdb -p does, to examine a hang: sudo sysctl \
                     kernel.yama.ptrace_scope=0"
                }
            },
        ),
    }
}

fn filters(system: &System) -> Finding {
    let name = "seccomp";
    if system.status("Seccomp").as_deref() != Some(SECCOMP_FILTER) {
        return Finding::ok(name, "no filter for system calls.");
    }
    let count = system.status("Seccomp_filters");
    let count = count.map_or_else(|| "a filter".to_owned(), |count| format!("{count} filters"));
    Finding::note(
        name,
        format!("{count} for system calls, as in containers: it depends on them what works here."),
        "The calls that they deny to Teff are among these findings. If there is a filter already, the recorder does \
         not notice a filter that the program adds: docs/recording.md.",
    )
}

fn hidden_processes(system: &System) -> Option<Finding> {
    let mounts = system.read("/proc/self/mountinfo");
    let of_proc = mounts.lines().rfind(|line| line.split(' ').nth(4) == Some("/proc"))?;
    let option = of_proc.split([' ', ',']).find_map(|word| word.strip_prefix("hidepid="))?;
    (!matches!(option, "0" | "off")).then(|| {
        Finding::note(
            "hidepid",
            "/proc hides the processes of other users.",
            "teff record then judges by the times of files whether another user's program still records into a \
             directory.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::State;
    use crate::system::made_up::system;

    const ALL: Trials = Trials {
        software_counter: Ok(()),
        hardware_counter: Ok(()),
        membarrier: Ok(()),
        memory_policy: Ok(()),
    };
    const REFUSED: Tried = Err(Errno::EACCES as i32);

    fn found(files: &[(&str, &str)], trials: Trials) -> Vec<Finding> {
        findings(&system(files).system, &trials)
    }

    fn named<'a>(found: &'a [Finding], name: &str) -> &'a Finding {
        found.iter().find(|finding| finding.name == name).unwrap()
    }

    #[test]
    fn a_machine_that_allows_all_has_nothing_to_mend() {
        let files = [
            ("/proc/sys/kernel/perf_event_paranoid", "2\n"),
            ("/proc/sys/kernel/yama/ptrace_scope", "0\n"),
            ("/proc/self/status", "Seccomp:\t0\n"),
            ("/proc/self/mountinfo", "22 1 0:20 / /proc rw,nosuid - proc proc rw\n"),
        ];
        let found = found(&files, ALL);
        assert_eq!(found.len(), 3);
        assert!(
            found.iter().all(|finding| finding.state == State::Ok && finding.remedy.is_none()),
            "{found:?}"
        );
    }

    #[test]
    fn counters_are_kept_by_the_setting_or_by_a_filter() {
        let trials = Trials { software_counter: REFUSED, hardware_counter: REFUSED, ..ALL };
        let remedy = |level: &str| {
            let found = found(&[("/proc/sys/kernel/perf_event_paranoid", level)], trials);
            let counters = named(&found, "counters");
            assert_eq!(counters.state, State::Problem);
            assert!(counters.says.contains(level.trim()), "{counters:?}");
            counters.remedy.clone().unwrap()
        };
        assert!(remedy("3\n").contains("sysctl kernel.perf_event_paranoid=2"));
        assert!(remedy("2\n").contains("--cap-add PERFMON"));
        let trials = Trials { software_counter: Err(Errno::ENOSYS as i32), ..ALL };
        let found = found(&[], trials);
        assert!(named(&found, "counters").says.contains("Function not implemented"), "{found:?}");
    }

    #[test]
    fn a_virtual_machine_without_counters_of_the_processor_is_told() {
        let found = found(&[], Trials { hardware_counter: Err(Errno::ENOENT as i32), ..ALL });
        assert_eq!(named(&found, "counters").state, State::Note);
    }

    #[test]
    fn tracing_is_for_debuggers_alone() {
        let scope = |level: &str| {
            let found = found(&[("/proc/sys/kernel/yama/ptrace_scope", level)], ALL);
            let finding = named(&found, "ptrace").clone();
            (finding.state, finding.remedy.unwrap_or_default())
        };
        assert_eq!(scope("0").0, State::Ok);
        assert_eq!(scope("1").0, State::Note);
        assert!(scope("2").1.contains("ptrace_scope=0"));
        assert!(scope("3").1.contains("restarted"));
    }

    #[test]
    fn filters_and_what_they_refuse_are_told() {
        let files = [("/proc/self/status", "Seccomp:\t2\nSeccomp_filters:\t3\n")];
        let refused = Trials { membarrier: REFUSED, memory_policy: REFUSED, ..ALL };
        let found = found(&files, refused);
        assert!(named(&found, "seccomp").says.starts_with("3 filters"), "{found:?}");
        assert!(named(&found, "membarrier").says.contains("Permission denied"));
        assert!(named(&found, "memory policy").remedy.as_ref().unwrap().contains("SYS_NICE"));
    }

    #[test]
    fn hidden_processes_are_told() {
        let mounts = "22 1 0:20 / /proc rw,nosuid shared:5 - proc proc rw,hidepid=invisible\n";
        let found = found(&[("/proc/self/mountinfo", mounts)], ALL);
        assert_eq!(named(&found, "hidepid").state, State::Note);
    }
}
