// SPDX-License-Identifier: Apache-2.0
//! Threads of a team that reach a barrier far apart, with what they did on their own since the
//! barrier before: loops with schedule(static), which compilers write into the program, single
//! constructs, and all work that belongs to no chunk.

use crate::budget::Class;
use crate::findings::serial::SERIAL_PART;
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::phases::{phases, Phase};
use crate::units::{percent, several, time};
use crate::PlaceRow;

pub(crate) fn static_imbalance(subject: &Subject) -> Vec<Finding> {
    // Where a phase creates tasks, what the others do is no matter of this thread's share.
    let phases = phases(subject.profile).into_iter().filter(|phase| !phase.creates);
    phases.filter_map(|phase| finding(subject, &phase)).collect()
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
        when: None,
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
                "{} the same thread has more: the longest has {} more than the mean",
                if always_same { "each time" } else { "not always" },
                percent(phase.longest - phase.mean, phase.mean)
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
        rule: SERIAL_PART,
        title: format!("one thread works alone for {} while the team waits", time(phase.longest)),
        evidence: vec![format!("{}, {} each", several(phase.times, "time"), time(phase.longest / phase.times as f64))],
        remedy: "Work in single, master or masked, or that one thread alone does before the barrier, makes the others \
                 wait: divide it (a loop, tasks), or let the others continue (nowait)."
            .to_owned(),
        ..finding
    }
}
