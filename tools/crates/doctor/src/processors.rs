// SPDX-License-Identifier: Apache-2.0
//! How many processors this process may use: by the machine, by its affinity mask, and by the
//! quotas of its control groups.

use std::path::Path;

use grains::units;
use recordings::control_groups::{self, Controller};

use crate::finding::Finding;
use crate::system::System;

const QUOTA: Controller = Controller { name: "cpu", file: "cpu.max", old_file: "cpu.cfs_quota_us" };

/// The facts by which Teff chooses the size of teams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Processors {
    pub online: usize,
    pub allowed: usize,
    /// In processors; `None`: no group has one.
    pub quota: Option<f64>,
}

impl Processors {
    pub fn of(system: &System) -> Self {
        let listed = |text: &str| Some(members(text)).filter(|&count| count > 0);
        let in_cpuinfo =
            || system.read("/proc/cpuinfo").lines().filter(|line| line.starts_with("processor")).count();
        let online = listed(&system.read("/sys/devices/system/cpu/online")).unwrap_or_else(in_cpuinfo);
        let mask = system.status("Cpus_allowed_list").unwrap_or_default();
        Self { online, allowed: listed(&mask).unwrap_or(online), quota: quota(system) }
    }

    /// The threads of a region that asks for no number, as the runtime chooses them.
    pub fn default_team(&self) -> usize {
        let quota = self.quota.map_or(usize::MAX, |quota| quota.ceil() as usize);
        self.allowed.min(quota).max(1)
    }
}

/// How many numbers a list such as `0-3,8` contains.
fn members(list: &str) -> usize {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        Some(last.checked_sub(first)? + 1)
    };
    list.trim().split(',').filter_map(range).sum()
}

fn quota(system: &System) -> Option<f64> {
    let groups = system.read("/proc/self/cgroup");
    let files = control_groups::files(Path::new("/sys/fs/cgroup"), &groups, &QUOTA);
    let quotas = files.iter().filter_map(|file| {
        let text = system.read(file.to_str()?);
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            [quota, period] => share(quota, period),
            [quota] => {
                let period = system.read(file.with_file_name("cpu.cfs_period_us").to_str()?);
                share(quota, period.trim())
            }
            _ => None,
        }
    });
    quotas.min_by(f64::total_cmp)
}

/// `None`: `max`, or -1.
fn share(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

/// `wanted`: OMP_NUM_THREADS.
pub fn findings(processors: &Processors, wanted: Option<&str>) -> Vec<Finding> {
    let mut found = vec![affinity(processors), quota_finding(processors)];
    let first = wanted.and_then(|list| list.split(',').next()?.trim().parse::<usize>().ok());
    if let Some(threads) = first.filter(|&threads| threads > processors.default_team()) {
        let usable = processors.default_team();
        let those = units::several(usable as u64, "processor");
        found.push(Finding::note(
            "threads",
            format!("OMP_NUM_THREADS asks for {threads} threads, but only {those} can be used."),
            format!("The threads then share processors. Unset OMP_NUM_THREADS, or set it to {usable}."),
        ));
    }
    found
}

fn affinity(processors: &Processors) -> Finding {
    let Processors { online, allowed, .. } = *processors;
    if allowed < online {
        return Finding::note(
            "affinity",
            format!("this process may run on {allowed} of {online} processors."),
            "Its affinity mask restricts it: see taskset -p $$, and what the batch system or container requested.",
        );
    }
    Finding::ok("affinity", format!("this process may run on all {online} processors."))
}

fn quota_finding(processors: &Processors) -> Finding {
    match processors.quota {
        Some(quota) if quota < processors.allowed as f64 => Finding::note(
            "quota",
            format!(
                "the control groups of this process give it {quota:.2} processors: a team has {} by default.",
                units::several(processors.default_team() as u64, "thread")
            ),
            "The kernel stops a larger team for a part of each period. Raise the limit (docker run --cpus, systemd \
             CPUQuota=), or leave OMP_NUM_THREADS unset.",
        ),
        Some(quota) => Finding::ok("quota", format!("{quota:.2} processors, which is no limit here.")),
        None => Finding::ok("quota", "no control group limits the processors."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::State;
    use crate::system::made_up::system;

    fn states(processors: &Processors, wanted: Option<&str>) -> Vec<(&'static str, State)> {
        findings(processors, wanted).iter().map(|finding| (finding.name, finding.state)).collect()
    }

    #[test]
    fn a_whole_machine_is_fine() {
        let here = system(&[
            ("/sys/devices/system/cpu/online", "0-3,6\n"),
            ("/proc/self/status", "Cpus_allowed_list:\t0-3,6\n"),
            ("/proc/self/cgroup", "0::/a\n"),
            ("/sys/fs/cgroup/a/cpu.max", "max 100000\n"),
        ]);
        let processors = Processors::of(&here.system);
        assert_eq!(processors, Processors { online: 5, allowed: 5, quota: None });
        assert_eq!(states(&processors, Some("4,2")), [("affinity", State::Ok), ("quota", State::Ok)]);
    }

    #[test]
    fn the_tightest_group_around_and_the_mask_limit_the_team() {
        let here = system(&[
            ("/sys/devices/system/cpu/online", "0-7\n"),
            ("/proc/self/status", "Cpus_allowed_list:\t0,2-4\n"),
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n"),
        ]);
        let processors = Processors::of(&here.system);
        assert_eq!(processors, Processors { online: 8, allowed: 4, quota: Some(1.5) });
        assert_eq!(processors.default_team(), 2);
        let found = [("affinity", State::Note), ("quota", State::Note), ("threads", State::Note)];
        assert_eq!(states(&processors, Some("8")), found);
        let threads = &findings(&processors, Some("8"))[2];
        assert!(threads.says.contains("8 threads, but only 2 processors"), "{threads:?}");
        let found = findings(&Processors { online: 8, allowed: 1, quota: Some(0.5) }, Some("8"));
        assert!(found[1].says.contains("a team has 1 thread by default"), "{found:?}");
        assert!(found[2].says.contains("only 1 processor can be used"), "{found:?}");
        assert!(found.iter().all(|finding| !finding.remedy.as_ref().unwrap().contains("  ")), "{found:?}");
    }

    #[test]
    fn quotas_of_the_first_version_have_two_files() {
        let here = system(&[
            ("/proc/cpuinfo", "processor\t: 0\nprocessor\t: 1\n"),
            ("/proc/self/cgroup", "5:cpu,cpuacct:/box\n"),
            ("/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000\n"),
            ("/sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n"),
            ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
            ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ]);
        let processors = Processors::of(&here.system);
        assert_eq!(processors, Processors { online: 2, allowed: 2, quota: Some(0.5) });
        assert_eq!(processors.default_team(), 1);
    }
}
