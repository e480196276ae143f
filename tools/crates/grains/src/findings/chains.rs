// SPDX-License-Identifier: Apache-2.0
//! Dependences that make a chain of tasks, and regions with too little to do for their threads.

use std::collections::HashMap;

use crate::budget::Class;
use crate::findings::groups::Group;
use crate::findings::producer::longest_task;
use crate::findings::subject::Subject;
use crate::findings::tiny::are_tiny;
use crate::findings::Finding;
use crate::row::none_last;
use crate::tables::{flag, GrainRow, Item, ItemKind};
use crate::ticks::Ticks;
use crate::units::{count, percent, several, time};
use crate::PlaceRow;

/// Share of its regions' time that a chain has to fill.
const FILLS: f64 = 0.4;
/// ... or of their part of the longest path: waking threads up may take longer than what they do.
const FILLS_PATH: f64 = 0.8;
/// In that case their work is on average no more than this, by the path: nothing ran beside it.
const ALONE: f64 = 1.5;

/// Tasks on the critical path that a dependence ties to another one there.
#[derive(Default)]
struct Chain {
    tasks: u64,
    work: f64,
    /// Work by place of the task, and by the address that ties it to the one before. In ns.
    places: HashMap<(bool, Option<PlaceRow>), f64>,
    addresses: HashMap<u64, f64>,
}

pub(crate) fn dependence_chain(subject: &Subject) -> Vec<Finding> {
    let chains = chains(subject);
    let found = |(group, chain): (u32, Chain)| of_chain(subject, group, &chain);
    chains.into_iter().filter_map(found).collect()
}

fn chains(subject: &Subject) -> HashMap<u32, Chain> {
    let profile = subject.profile;
    let grains = &profile.grains;
    let mut chains: HashMap<u32, Chain> = HashMap::new();
    let mut last = None;
    for (&(predecessor, successor), &address) in profile.edges.iter().zip(&profile.edge_addresses) {
        let critical = |row| grains.has(row, flag::CRITICAL);
        if !critical(predecessor) || !critical(successor) || Some(successor) == last {
            continue;
        }
        last = Some(successor);
        let region = subject.budget.region_of[successor];
        let Some(&group) = subject.group_of.of(region) else { continue };
        let chain = chains.entry(group).or_default();
        chain.tasks += 1;
        let work = profile.ns(grains.work.of(successor));
        chain.work += work;
        *chain.places.entry(none_last(grains.place[successor])).or_default() += work;
        *chain.addresses.entry(address).or_default() += work;
    }
    chains
}

/// What the longest path has of such items in the regions of a group, in ns.
pub(crate) fn path(subject: &Subject, group: u32, is: fn(ItemKind) -> bool) -> f64 {
    let profile = subject.profile;
    let of_group = |&row: &GrainRow| subject.group_of.of(subject.budget.region_of[row]) == Some(&group);
    let on_path = |&item: &usize| profile.items.is_critical(item) && is(profile.items.kind[item]);
    let net = |item: usize| match profile.items.at(item) {
        Item::Fragment(row) => profile.fragments.net(row),
        Item::Chunk(row) => profile.grains.work.of(row),
        _ => Ticks::ZERO,
    };
    let tasks = profile.grains.task_rows().filter(of_group);
    let items = tasks.flat_map(|row| profile.items.of(row));
    subject.ns(items.filter(on_path).map(net).sum())
}

fn fills(subject: &Subject, row: u32, chain: &Chain) -> bool {
    let group = &subject.groups[row as usize];
    if chain.work >= FILLS * group.own_wall(subject.profile) {
        return true;
    }
    let path = path(subject, row, |_| true);
    chain.work >= FILLS_PATH * path && group.busy(subject.profile) <= ALONE * path
}

fn of_chain(subject: &Subject, row: u32, chain: &Chain) -> Option<Finding> {
    let profile = subject.profile;
    let group = &subject.groups[row as usize];
    if !fills(subject, row, chain) {
        return None;
    }
    let at_once = subject.at_once(group.threads);
    let after = (group.busy(profile) / at_once).max(longest_task(subject, row as usize));
    let lost = group.ns(profile, Class::NothingReady) + group.ns(profile, Class::Imbalance);
    let (_, place) = most(&chain.places)?;
    Some(Finding {
        rule: "dependence-chain",
        title: format!("a chain of {} tasks, each waiting for the one before it", count(chain.tasks + 1)),
        place,
        region: group.place,
        when: None,
        lost_ns: lost,
        gain_ns: (group.own_wall(profile) - after).min((lost + group.ns(profile, Class::Scheduling)) / at_once),
        evidence: vec![
            format!(
                "the chain's {} of work fill {} of the region: no number of threads makes it shorter",
                time(chain.work),
                percent(chain.work, group.wall)
            ),
            variables(subject, &chain.addresses)?,
            format!("for {} threads had no ready task", time(group.ns(profile, Class::NothingReady))),
        ],
        remedy: "Check whether each task of the chain needs what the task before it wrote. If not, break the chain: \
                 use `in` instead of `inout`, a private copy, or a reduction. Otherwise divide the tasks so that parts \
                 of several steps overlap."
            .to_owned(),
        estimate: format!("work and creation of the region, divided among {}, without the chain", several(at_once as u64, "thread")),
    })
}

/// The key with the most work.
fn most<K: Copy + Ord>(work: &HashMap<K, f64>) -> Option<K> {
    work.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0))).map(|(&key, _)| key)
}

/// What the tasks of a chain depend on.
fn variables(subject: &Subject, addresses: &HashMap<u64, f64>) -> Option<String> {
    let first = most(addresses)?;
    if first == 0 {
        return Some("which variables they depend on is not recorded".to_owned());
    }
    let name = match subject.names.variable(first) {
        Some(name) => format!("\"{name}\", at {first:#x}"),
        None => format!("the variable at {first:#x}, on a stack or heap"),
    };
    Some(match addresses.len() {
        1 => format!("each depends on {name}"),
        number => format!("they depend on {} addresses, first on {name}", count(number as u64)),
    })
}

pub(crate) const LOW_PARALLELISM: &str = "low-parallelism";

pub(crate) fn low_parallelism(subject: &Subject) -> Vec<Finding> {
    subject.groups.iter().enumerate().filter_map(|(row, group)| too_little(subject, row, group)).collect()
}

fn too_little(subject: &Subject, row: usize, group: &Group) -> Option<Finding> {
    let profile = subject.profile;
    let nothing = group.ns(profile, Class::NothingReady);
    let at_once = subject.at_once(group.threads);
    let of_group = subject.task_sites.iter().filter(|site| site.group as usize == row);
    // A worker that was descheduled, or just woke up, had work.
    let with_work = (group.threads - nothing / group.wall).max(group.busy(profile) / group.wall);
    let most = of_group.max_by(|a, b| a.work.total_cmp(&b.work)).filter(|site| !are_tiny(site))?;
    Some(Finding {
        rule: LOW_PARALLELISM,
        title: format!(
            "too few tasks at a time: {with_work:.1} of {} had work",
            several(group.threads.round() as u64, "thread")
        ),
        place: most.place,
        region: group.place,
        when: None,
        lost_ns: nothing,
        gain_ns: nothing / at_once.max(group.threads),
        evidence: vec![
            format!("for {} threads had no ready task, while tasks ran or were yet to be created", time(nothing)),
            format!("{}, {} on average", several(most.tasks as u64, "task"), time(most.mean())),
        ],
        remedy: "Create more tasks before waiting for them: make them smaller (a cutoff may take effect too early), or \
                 wait later (taskwait, taskgroup)."
            .to_owned(),
        estimate: "the time lost without a ready task, divided among the threads".to_owned(),
    })
}
