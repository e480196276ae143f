// SPDX-License-Identifier: Apache-2.0
//! Time that the threads of a team spend on their own between two barriers: loops with
//! schedule(static), which compilers write into the program, single constructs, and all work that
//! belongs to no chunk.

use std::collections::HashMap;

use crate::budget::{members, Class};
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::row::none_last;
use crate::tables::ItemKind;
use crate::units::{percent, several, time};
use crate::PlaceRow;

/// Between two barriers of a region, summed over the regions of one construct. Times are in ns.
#[derive(Default)]
struct Phase {
    /// Of the barrier that ends it, or of the region.
    place: Option<PlaceRow>,
    region: Option<PlaceRow>,
    times: u64,
    /// Sum of the longest thread's time.
    longest: f64,
    /// Sum of the threads' mean.
    mean: f64,
    /// What even shares would gain.
    gain: f64,
    /// By thread of the team.
    threads: Vec<f64>,
}

/// Of a region and of what ends a phase of it.
type Places = (Option<PlaceRow>, Option<PlaceRow>);

pub(crate) fn static_imbalance(subject: &Subject) -> Vec<Finding> {
    let members = members(subject.profile);
    let mut phases: HashMap<Places, Phase> = HashMap::new();
    for (row, info) in subject.profile.regions.iter().enumerate() {
        add_region(subject, info.place, members.of(row as u32), &mut phases);
    }
    let mut rows: Vec<_> = phases.into_iter().collect();
    rows.sort_unstable_by_key(|&((region, place), _)| (none_last(region), none_last(place)));
    rows.into_iter().filter_map(|(_, phase)| finding(subject, &phase)).collect()
}

/// One member's own work in a phase.
struct Own {
    work: f64,
    /// The place of the construct that ends it.
    place: Option<PlaceRow>,
    /// It created tasks there: then what the others do is no matter of this thread's share.
    creates: bool,
}

fn own_phases(subject: &Subject, member: u32, region: Option<PlaceRow>) -> Vec<Own> {
    let profile = subject.profile;
    let fragments = &profile.fragments;
    let (mut out, mut work, mut creates) = (Vec::new(), 0.0, false);
    for item in profile.items.of(member) {
        let row = profile.items.row[item] as usize;
        match profile.items.kind[item] {
            ItemKind::Fragment => work += profile.ns(fragments.net(row as u32)),
            ItemKind::Join if profile.waits[row].kind.is_barrier() => {
                let is_end = profile.waits[row].kind == trace::WaitKind::RegionEnd;
                let place = if is_end { region } else { profile.waits[row].place };
                out.push(Own { work, place, creates });
                (work, creates) = (0.0, false);
            }
            ItemKind::Fork => creates = true,
            _ => {}
        }
    }
    if work > 0.0 {
        out.push(Own { work, place: region, creates });
    }
    out
}

/// What stands between two barriers of one region.
struct Between {
    /// Of the barrier that ends it, or of the region.
    place: Option<PlaceRow>,
    /// Work by thread of the team, in ns.
    works: Vec<f64>,
    creates: bool,
}

/// The phases of one region, one after the other. `members`: its implicit tasks.
fn between(subject: &Subject, region: Option<PlaceRow>, members: &[u32]) -> Vec<Between> {
    let mut of_region: Vec<Between> = Vec::new();
    for (thread, &member) in members.iter().enumerate() {
        for (at, own) in own_phases(subject, member, region).into_iter().enumerate() {
            if of_region.len() <= at {
                of_region.push(Between { place: own.place, works: vec![0.0; members.len()], creates: false });
            }
            of_region[at].works[thread] += own.work;
            of_region[at].creates |= own.creates;
        }
    }
    of_region
}

fn add_region(
    subject: &Subject,
    region: Option<PlaceRow>,
    members: &[u32],
    phases: &mut HashMap<Places, Phase>,
) {
    for Between { place, works, creates } in between(subject, region, members) {
        if creates {
            continue;
        }
        let phase =
            phases.entry((region, place)).or_insert_with(|| Phase { place, region, ..Phase::default() });
        let threads = works.len() as f64;
        let (longest, total) = (works.iter().copied().fold(0.0, f64::max), works.iter().sum::<f64>());
        phase.times += 1;
        phase.longest += longest;
        phase.mean += total / threads;
        // Where threads share processors, one ends late because of the others.
        phase.gain += (longest - total / subject.at_once(threads)).max(0.0);
        if phase.threads.len() < works.len() {
            phase.threads.resize(works.len(), 0.0);
        }
        for (sum, work) in phase.threads.iter_mut().zip(&works) {
            *sum += work;
        }
    }
}

/// The share of the longest thread's time within which threads count as equal: even on equal
/// processors, they do not come closer together.
const APART: f64 = 0.1;
/// A thread with this share of the work counts as the only thread with work.
const ALONE: f64 = 0.9;
/// The longest thread's excess that is the same thread's each time.
const SAME: f64 = 0.5;

/// What the threads of these regions lost at barriers: where they waited elsewhere, as for a lock,
/// shares of another size would not help.
fn waited(subject: &Subject, region: Option<PlaceRow>) -> f64 {
    let classes = [Class::Imbalance, Class::NothingReady, Class::ReadyWaiting, Class::Scheduling];
    let group = subject.groups.iter().find(|group| group.place == region);
    group.map_or(0.0, |group| classes.into_iter().map(|class| group.ns(subject.profile, class)).sum())
}

fn finding(subject: &Subject, phase: &Phase) -> Option<Finding> {
    let threads = phase.threads.len() as f64;
    let gain = phase.gain.min(waited(subject, phase.region) / threads);
    if gain < (0.005 * subject.wall).max(APART * phase.longest) {
        return None;
    }
    let total: f64 = phase.threads.iter().sum();
    let (most, least) = phase
        .threads
        .iter()
        .fold((0.0f64, f64::INFINITY), |(most, least), &work| (most.max(work), least.min(work)));
    let place = phase.place.or(phase.region);
    let finding = Finding {
        rule: "static-imbalance",
        title: String::new(),
        place,
        region: phase.region,
        lost_ns: gain * threads,
        gain_ns: gain,
        evidence: Vec::new(),
        remedy: String::new(),
        estimate: "the longest thread's time less the mean of all".to_owned(),
    };
    if phase.longest >= ALONE * phase.mean * threads && threads > 1.0 {
        return Some(alone(finding, phase));
    }
    let always_same = most - total / threads > SAME * gain;
    Some(Finding {
        title: format!(
            "threads reach the barrier far apart: the longest has {}, the mean {}",
            time(phase.longest / phase.times as f64),
            time(phase.mean / phase.times as f64)
        ),
        evidence: vec![
            format!(
                "{}; over all of them a thread has between {} and {}",
                several(phase.times, "time"),
                time(least),
                time(most)
            ),
            format!(
                "{} the same thread has more: {} of the region's work is beyond the mean",
                if always_same { "each time" } else { "not always" },
                percent(gain * threads, total)
            ),
        ],
        remedy: if always_same {
            "If they divide a loop there: give it schedule(static, 1), or schedule(dynamic, N) with some ten chunks \
             per thread, so that long iterations spread over the threads. Otherwise give each thread as much work as \
             the others: work that is divided by thread number has no schedule that could balance it, but tasks have."
        } else {
            "Which thread has the long part differs. If they divide a loop there: give it schedule(dynamic, N) with some ten \
             chunks per thread. Else make tasks of what they do."
        }
        .to_owned(),
        ..finding
    })
}

fn alone(finding: Finding, phase: &Phase) -> Finding {
    Finding {
        rule: "serial-part",
        title: format!("one thread works alone for {} while the team waits", time(phase.longest)),
        evidence: vec![format!("{}, {} each", several(phase.times, "time"), time(phase.longest / phase.times as f64))],
        remedy: "Work in single, master or masked, or that one thread alone does before the barrier, makes the others \
                 wait: divide it (a loop, tasks), or let the others continue (nowait)."
            .to_owned(),
        ..finding
    }
}
