// SPDX-License-Identifier: Apache-2.0
//! Regions whose teams are smaller than they could be, while other workers have nothing to do.
//!
//! An if clause, num_threads, or a region inside another one with nesting off makes such a team.
//! This is a defect if the region has work that can be divided: a loop with iterations, or tasks. A
//! loop with schedule(static) may be compiled into the program, and then no record shows it. So a
//! region of one thread without a loop or tasks is treated as such a loop, and the finding says so.

use std::collections::HashSet;

use crate::budget::Class;
use crate::findings::chains::path;
use crate::findings::groups::Group;
use crate::findings::loops::{chunks_of, loop_sites, LoopSite};
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::tables::{ItemKind, RegionRow};
use crate::ticks::Ticks;
use crate::units::{count, several, time};

/// A shorter region may be better off without a fork.
const LONG_NS: f64 = 100e3;
/// What no record divides counts only in a team with fewer threads than this.
const ONE: f64 = 1.5;

pub(crate) fn small_teams(subject: &Subject) -> Vec<Finding> {
    let loops = loop_sites(subject, &chunks_of(subject));
    let groups = subject.groups.iter().enumerate();
    groups.filter_map(|(row, group)| of_group(subject, row, group, &loops)).collect()
}

fn of_group(subject: &Subject, row: usize, group: &Group, loops: &[LoopSite]) -> Option<Finding> {
    let profile = subject.profile;
    let workers = subject.at_once(f64::from(subject.budget.workers));
    let number = group.regions.len() as f64;
    if group.threads > workers - 0.5 || group.wall < LONG_NS * number {
        return None;
    }
    let loops: Vec<_> = loops.iter().filter(|site| site.region == group.place && !site.ordered).collect();
    let tasks = subject.task_sites.iter().filter(|site| site.group as usize == row);
    let tasks: f64 = tasks.map(|site| site.tasks).sum();
    let iterations: f64 = loops.iter().map(|site| site.iterations).sum();
    let is_seen = tasks + iterations > 0.0;
    if !is_seen && group.threads > ONE {
        return None;
    }
    let busy = group.busy(profile);
    let least = if is_seen { undivided(subject, row as u32, &loops) } else { 0.0 };
    let gain = (busy / group.threads - (busy / workers).max(least)).min(idle(subject, group) / workers);
    let level = group.regions.iter().map(|&region| profile.regions[region].level).max()?;
    Some(Finding {
        rule: "small-teams",
        title: format!(
            "{} in teams of {}, while {} could run",
            several(number as u64, "parallel region"),
            several(group.threads.round() as u64, "thread"),
            workers as u64
        ),
        place: group.place,
        region: group.place,
        when: None,
        lost_ns: gain * workers,
        gain_ns: gain,
        evidence: vec![
            format!("they take {}, with {} of work", time(group.wall), time(busy)),
            if is_seen {
                format!(
                    "{} and {} in them can be divided",
                    several(iterations as u64, "iteration"),
                    several(tasks as u64, "task")
                )
            } else {
                "no loop or task in them is recorded; this assumes a loop with schedule(static), which leaves no record"
                    .to_owned()
            },
        ],
        remedy: if level > 1 {
            "Regions inside regions have teams of their own only up to OMP_MAX_ACTIVE_LEVELS (also \
                     omp_set_max_active_levels): set it to the number of levels, or give this work to the outer \
                     team (taskloop)."
                .to_owned()
        } else {
            format!(
                "Look at the construct's if clause and num_threads, and at omp_set_num_threads: each region works \
                 {} on average, which is enough for more threads.",
                time(busy / number)
            )
        },
        estimate: format!(
            "the work of {} regions, as far as it can be divided, among {}",
            count(number as u64),
            several(workers as u64, "thread")
        ),
    })
}

/// What no schedule divides: the path outside of chunks, and the longest iteration of each loop.
fn undivided(subject: &Subject, group: u32, loops: &[&LoopSite]) -> f64 {
    let mean = |site: &&LoopSite| site.instances.len() as f64 * site.work / site.iterations.max(1.0);
    path(subject, group, |kind| kind == ItemKind::Fragment) + loops.iter().map(mean).sum::<f64>()
}

/// What the other workers had no work for meanwhile. Those of an outer region's team waited for its
/// end.
fn idle(subject: &Subject, group: &Group) -> f64 {
    let profile = subject.profile;
    let workers = f64::from(subject.budget.workers);
    let region = |row: &RegionRow| &profile.regions[*row];
    let outside = |threads: u32| (workers - f64::from(threads)).max(0.0);
    let beside = outside_of_teams(subject, group);
    let inner = group.regions.iter().map(region).filter(|region| region.level > 1);
    let outer = inner.filter_map(|region| subject.budget.region_of.of(region.parent));
    let outer: HashSet<RegionRow> = outer.copied().flatten().collect();
    let waited = outer.iter().map(|&row| {
        let (sums, info) = (&subject.budget.regions[row], &profile.regions[row]);
        let within = [Class::Imbalance, Class::NothingReady].map(|class| subject.class(sums, class));
        within.iter().sum::<f64>() + subject.ns(info.end - info.begin) * outside(info.threads)
    });
    beside + waited.sum::<f64>()
}

/// The time of workers that are in no team while an outermost region of the group is open. Several
/// threads of the program may have regions at the same time, each with a team of its own.
fn outside_of_teams(subject: &Subject, group: &Group) -> f64 {
    let regions = &subject.profile.regions;
    let own: HashSet<RegionRow> = group.regions.iter().copied().collect();
    // (instant, whether it ends there, region)
    let mut events: Vec<(Ticks, bool, RegionRow)> = Vec::new();
    for (row, info) in regions.entries().filter(|(_, info)| info.level <= 1 && info.begin < info.end) {
        events.extend([(info.begin, false, row), (info.end, true, row)]);
    }
    events.sort_unstable();
    let workers = u64::from(subject.budget.workers);
    let (mut sum, mut since, mut of_group, mut in_teams) = (0.0, Ticks::ZERO, 0u64, 0u64);
    for (at, ends, row) in events {
        if of_group > 0 {
            sum += subject.ns(at - since) * workers.saturating_sub(in_teams) as f64;
        }
        since = at;
        let (threads, is_own) = (u64::from(regions[row].threads), u64::from(own.contains(&row)));
        if ends {
            (of_group, in_teams) = (of_group - is_own, in_teams - threads);
        } else {
            (of_group, in_teams) = (of_group + is_own, in_teams + threads);
        }
    }
    sum
}
