// SPDX-License-Identifier: Apache-2.0
//! A long task that runs while the other threads have nothing left to run.

use crate::budget::Class;
use crate::findings::producer::longest_tasks;
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::tables::{flag, GrainRow, Grains};
use crate::units::time;

/// The share of its region from which on a task may be the reason for the length of the region.
const LONG: f64 = 0.15;

pub(crate) fn task_imbalance(subject: &Subject) -> Vec<Finding> {
    (0..subject.groups.len()).filter_map(|group| of_group(subject, group)).collect()
}

fn of_group(subject: &Subject, row: usize) -> Option<Finding> {
    let profile = subject.profile;
    let grains = &profile.grains;
    let group = &subject.groups[row];
    let lost = group.ns(profile, Class::NothingReady) + group.ns(profile, Class::Imbalance);
    let at_once = subject.at_once(group.threads);
    if lost / at_once < 0.01 * subject.wall {
        return None;
    }
    let (mut first, mut split) = (0.0, 0.0);
    let mut longest: Option<GrainRow> = None;
    for (region, task) in longest_tasks(subject, row) {
        let info = &profile.regions[region];
        let sums = &subject.budget.regions[region];
        let foreign = subject.class(sums, Class::Recorder) + subject.class(sums, Class::Descheduled);
        let length = subject.ns(info.end - info.begin);
        let wall = length - foreign / f64::from(info.threads.max(1));
        let work = subject.ns(grains.work.of(task));
        if work < LONG * wall || on_a_chain(grains, task) {
            continue;
        }
        let even = (subject.class(sums, Class::Work) + subject.class(sums, Class::Creation)) / at_once;
        first += (wall - even.max(work)).max(0.0);
        split += (wall - even).max(0.0);
        if longest.is_none_or(|known| grains.work.of(task) > grains.work.of(known)) {
            longest = Some(task);
        }
    }
    let task = longest?;
    let begins_late = subject.ns(grains.start.of(task) - grains.create(task));
    let work = subject.ns(grains.work.of(task));
    let reorder = first > 0.5 * split;
    let (gain, remedy, estimate) = if reorder {
        (
            first,
            "Create the long task first (or give it a priority), so that short ones fill the other threads beside it.",
            "the longest task beside all others, evenly divided",
        )
    } else {
        (split, "Divide the long task into several.", "the region's work, evenly divided")
    };
    let mean = mean_work(subject, row);
    Some(Finding {
        rule: "task-imbalance",
        title: format!("a task of {} runs while other threads have nothing left", time(work)),
        place: grains.place[task],
        region: group.place,
        when: None,
        lost_ns: lost,
        gain_ns: gain.min(lost / at_once),
        evidence: vec![
            format!("the mean task works {}, this one {}", time(mean), time(work)),
            format!("it began {} after it was created; threads lost {}", time(begins_late), time(lost)),
        ],
        remedy: remedy.to_owned(),
        estimate: format!("{estimate} among {at_once:.0} threads"),
    })
}

/// Its own children, or what it waits for, may be why it takes long; then it is not itself.
fn on_a_chain(grains: &Grains, task: GrainRow) -> bool {
    grains.has(task, flag::INLINE)
}

fn mean_work(subject: &Subject, group: usize) -> f64 {
    let sites = subject.task_sites.iter().filter(|site| site.group as usize == group);
    let (tasks, work) = sites.fold((0.0, 0.0), |(tasks, work), site| (tasks + site.tasks, work + site.work));
    work / f64::max(tasks, 1.0)
}
