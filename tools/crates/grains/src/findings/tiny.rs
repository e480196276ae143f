// SPDX-License-Identifier: Apache-2.0
//! Tasks that are too short in comparison with their cost.

use crate::budget::Class;
use crate::findings::groups::Group;
use crate::findings::subject::Subject;
use crate::findings::task_sites::TaskSite;
use crate::findings::Finding;
use crate::units::{percent, several, time};

/// The work of a grain should be at least this multiple of its cost.
pub(crate) const WORTHWHILE: f64 = 20.0;

/// Fewer tasks than this are too few to combine, and their typical cost is not known.
const FEWEST: f64 = 20.0;

/// Its tasks are too short for what they cost: more of them are no cure for anything.
pub(crate) fn are_tiny(site: &TaskSite) -> bool {
    site.tasks >= FEWEST && site.mean() < WORTHWHILE * site.cost()
}

/// Tasks whose creation and scheduling cost a good part of their work.
pub(crate) fn tiny_tasks(subject: &Subject) -> Vec<Finding> {
    let sites = |row: usize| {
        let of_group = move |site: &&TaskSite| site.group as usize == row;
        subject.task_sites.iter().filter(of_group).filter(|site| are_tiny(site))
    };
    let found =
        |(row, group): (usize, &Group)| tiny_tasks_of(subject, group, &sites(row).collect::<Vec<_>>());
    subject.groups.iter().enumerate().filter_map(found).collect()
}

fn tiny_tasks_of(subject: &Subject, group: &Group, sites: &[&TaskSite]) -> Option<Finding> {
    let worst = sites.iter().max_by(|a, b| a.tasks.total_cmp(&b.tasks))?;
    let sum = |of: fn(&TaskSite) -> f64| sites.iter().map(|site| of(site)).sum::<f64>();
    let (tasks, work) = (sum(|site| site.tasks), sum(|site| site.work));
    let overhead = sum(|site| site.tasks * site.cost());
    let (mean, cost) = (work / tasks, overhead / tasks);
    let kept = (mean / (WORTHWHILE * cost)).min(1.0);
    let at_once = subject.at_once(group.threads);
    let beyond = sum(TaskSite::beyond);
    let busy = group.busy(subject.profile) + group.ns(subject.profile, Class::Scheduling);
    let after = (busy - beyond - overhead * (1.0 - kept)) / at_once;
    let before = group.own_wall(subject.profile) - beyond / group.threads.max(1.0);
    // Where the recorder stops a thread, the others may soon have nothing left.
    let stopped = group.ns(subject.profile, Class::Recorder) * (group.threads - 1.0).max(0.0);
    let starving = (group.ns(subject.profile, Class::NothingReady) - stopped).max(0.0);
    // They can have waited for these tasks only while one thread created them.
    let creating = sum(|site| site.creation.all()) * (1.0 - kept);
    let lost = overhead * (1.0 - kept) + starving.min(creating * (at_once - 1.0));
    let recursive = sum(|site| site.recursive) > 0.5 * tasks;
    let (rule, title, remedy) = if recursive {
        broken_cutoff(sites, mean, cost)
    } else {
        (
            "tiny-tasks",
            format!("tasks are too short: {} of work each, at a cost of {}", time(mean), time(cost)),
            format!(
                "Let each task do about {:.0} times as much: several iterations or items per task (a taskloop: \
                 grainsize), so that it works {} or more.",
                (1.0 / kept).ceil(),
                time(WORTHWHILE * cost)
            ),
        )
    };
    Some(Finding {
        rule,
        title,
        place: worst.place,
        region: group.place,
        when: None,
        lost_ns: lost,
        gain_ns: (before - after).min(lost / at_once),
        evidence: vec![
            format!("{}, {} of work on average", several(tasks as u64, "task"), time(mean)),
            format!(
                "creating one costs {}, getting it to run {}: together {} of its work",
                time(sum(|site| site.creation.all()) / tasks),
                time(sum(|site| site.tasks * site.fetch()) / tasks),
                percent(cost, mean)
            ),
        ],
        remedy,
        estimate: format!(
            "one task in place of {:.0}; then work and what is left of the cost, divided among {}",
            (1.0 / kept).ceil(),
            several(at_once as u64, "thread")
        ),
    })
}

fn broken_cutoff(sites: &[&TaskSite], mean: f64, cost: f64) -> (&'static str, String, String) {
    let depth = sites.iter().map(|site| site.depth).max().unwrap_or(0);
    let tasks: f64 = sites.iter().map(|site| site.tasks).sum();
    let inline: f64 = sites.iter().map(|site| site.inline).sum();
    let clause = if inline > 0.0 {
        format!(
            " {} of them were undeferred or included: an if or final clause does not save the cost of creating them.",
            percent(inline, tasks)
        )
    } else {
        String::new()
    };
    (
        "broken-cutoff",
        format!("no cutoff takes effect: tasks create tasks {depth} deep, down to {} of work", time(mean)),
        format!(
            "Below some depth or size call the function itself instead of creating a task, so that a task works {} \
             or more.{clause}",
            time(WORTHWHILE * cost)
        ),
    )
}
