// SPDX-License-Identifier: Apache-2.0
//! One task creates nearly all tasks of its region, and the other threads wait for it.

use std::collections::HashMap;

use crate::budget::Class;
use crate::findings::subject::Subject;
use crate::findings::task_sites::explicit;
use crate::findings::Finding;
use crate::tables::{GrainRow, Grains, Item, RegionRow};
use crate::ticks::Ticks;
use crate::units::{count, percent, time};
use crate::{Column, PlaceRow};

/// Share of a region's tasks that its main creator has to create.
const NEARLY_ALL: f64 = 0.9;
/// Share of the region's time in which it is busy with that.
const LONG: f64 = 0.4;

/// What one task created.
struct Creator {
    task: GrainRow,
    children: u32,
    /// Of one of them.
    place: Option<PlaceRow>,
    first: Ticks,
    last: Ticks,
}

pub(crate) fn one_producer(subject: &Subject) -> Vec<Finding> {
    let creators = creators(subject);
    (0..subject.groups.len()).filter_map(|group| of_group(subject, group, &creators)).collect()
}

/// The main creator of each region, and how many tasks the region has.
fn creators(subject: &Subject) -> HashMap<Option<RegionRow>, (Creator, u32)> {
    let grains = &subject.profile.grains;
    let mut children: Column<Grains, u32> = Column::filled(0, grains.len());
    let mut of_region: HashMap<Option<RegionRow>, (Creator, u32)> = HashMap::new();
    let parent = |row: GrainRow| grains.parent[row];
    for row in explicit(grains) {
        if let Some(number) = children.of_mut(parent(row)) {
            *number += 1;
        }
    }
    for row in explicit(grains) {
        let Some(task) = parent(row) else { continue };
        let number = children[task];
        let region = subject.budget.region_of[row];
        let creator = || Creator {
            task,
            children: number,
            place: grains.place[row],
            first: grains.create(row),
            last: grains.create(row),
        };
        let (main, tasks) = of_region.entry(region).or_insert_with(|| (creator(), 0));
        *tasks += 1;
        if number > main.children {
            *main = creator();
        } else if main.task == task {
            main.first = main.first.min(grains.create(row));
            main.last = main.last.max(grains.create(row) + grains.creation.of(row));
        }
    }
    of_region
}

fn of_group(
    subject: &Subject,
    row: usize,
    creators: &HashMap<Option<RegionRow>, (Creator, u32)>,
) -> Option<Finding> {
    let profile = subject.profile;
    let group = &subject.groups[row];
    let of_group: Vec<_> = group.regions.iter().filter_map(|&region| creators.get(&Some(region))).collect();
    let tasks: u32 = of_group.iter().map(|(_, tasks)| tasks).sum();
    let created: u32 = of_group.iter().map(|(creator, _)| creator.children).sum();
    let creating: f64 = of_group.iter().map(|(creator, _)| subject.ns(creator.last - creator.first)).sum();
    let producing: f64 = of_group.iter().map(|(creator, _)| producing(subject, creator)).sum();
    let main = of_group.iter().max_by_key(|(creator, _)| creator.children).map(|(creator, _)| creator)?;
    let enough = f64::from(created) >= NEARLY_ALL * f64::from(tasks)
        && producing >= LONG * group.own_wall(profile)
        && f64::from(created) >= 4.0 * group.threads;
    if !enough {
        return None;
    }
    let starving = group.ns(profile, Class::NothingReady) + group.ns(profile, Class::Scheduling);
    let at_once = subject.at_once(group.threads);
    let busy = group.busy(profile) + group.ns(profile, Class::Locks);
    let longest = longest_task(subject, row);
    let shared = producing * (1.0 - 1.0 / at_once);
    let gain = (group.own_wall(profile) - (busy / at_once).max(longest)).min(starving / at_once).min(shared);
    let creation = group.ns(profile, Class::Creation);
    let place = main.place;
    Some(Finding {
        rule: "one-producer",
        title: format!(
            "one task creates {} of the {} tasks, and the other threads wait for these",
            percent(f64::from(created), f64::from(tasks)),
            count(tasks.into())
        ),
        place: place.or(group.place),
        region: group.place,
        when: None,
        lost_ns: starving,
        gain_ns: gain,
        evidence: vec![
            format!(
                "it creates them during {}, {} of the region: {} for each, {} of that in the runtime",
                time(creating),
                percent(creating, group.wall),
                time(creating / f64::from(created.max(1))),
                time(creation / f64::from(tasks.max(1)))
            ),
            format!(
                "meanwhile, for {} threads had no ready task",
                time(group.ns(profile, Class::NothingReady))
            ),
        ],
        remedy: "Let several tasks create: a taskloop or a worksharing loop around the task construct, or a task for each \
                 half. Or let each task do more, so that fewer are created."
            .to_owned(),
        estimate: format!("work and creation of the region, divided among {at_once:.0} threads"),
    })
}

/// For how long the creator itself was busy from its first task to its last: what it ran of other
/// tasks meanwhile, as where too many wait, kept nobody waiting. In ns.
fn producing(subject: &Subject, creator: &Creator) -> f64 {
    let profile = subject.profile;
    let within = |at: Ticks| creator.first <= at && at <= creator.last;
    let own = profile.items.of(creator.task).map(|item| match profile.items.at(item) {
        Item::Fragment(row) if within(profile.fragments.start(row)) => profile.fragments.net(row),
        Item::Fork(row) if within(profile.grains.create(row)) => profile.grains.creation.of(row),
        _ => Ticks::ZERO,
    });
    subject.ns(own.sum())
}

/// The sum, over the regions of a group, of their longest task.
pub(crate) fn longest_task(subject: &Subject, group: usize) -> f64 {
    longest_tasks(subject, group)
        .into_values()
        .map(|row| subject.ns(subject.profile.grains.work.of(row)))
        .sum()
}

/// By region of a group: its longest explicit task.
pub(crate) fn longest_tasks(subject: &Subject, group: usize) -> HashMap<RegionRow, GrainRow> {
    let grains = &subject.profile.grains;
    let mut longest: HashMap<RegionRow, GrainRow> = HashMap::new();
    for row in explicit(grains) {
        let Some(region) = subject.budget.region_of[row] else { continue };
        if subject.group_of[region] != group as u32 {
            continue;
        }
        let known = longest.entry(region).or_insert(row);
        if grains.work.of(row) > grains.work.of(*known) {
            *known = row;
        }
    }
    longest
}
