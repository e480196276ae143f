// SPDX-License-Identifier: Apache-2.0
//! Locks, critical and ordered regions that threads wait for.

use std::collections::HashMap;

use trace::WaitKind;

use crate::budget::Class;
use crate::findings::groups::Group;
use crate::findings::loops::{chunks_of, loop_sites, LoopSite};
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::row::none_last;
use crate::tables::RegionRow;
use crate::ticks::Ticks;
use crate::units::{percent, several, time};
use crate::PlaceRow;

/// The waits at one place. Times are in ns.
#[derive(Default)]
struct Waits {
    number: u64,
    lost: f64,
    longest: f64,
    by_worker: HashMap<u16, f64>,
    /// The region of one of them.
    region: Option<RegionRow>,
}

pub(crate) fn hot_lock(subject: &Subject) -> Vec<Finding> {
    let waits = waits(subject, |kind| matches!(kind, WaitKind::Critical | WaitKind::Lock));
    let holders = Holders::of(subject);
    waits
        .into_iter()
        .map(|(place, waits)| {
            let plain = plain(subject, place, &waits);
            let mut evidence = evidence(subject, &waits);
            evidence.extend(holders.text(subject, place));
            Finding {
                rule: "hot-lock",
                title: format!("threads wait {} for a lock or critical section", time(waits.lost)),
                evidence,
                remedy: remedy(subject, place, plain.region),
                ..plain
            }
        })
        .collect()
}

/// At a region's own line no critical section stands: there its threads bring their reductions'
/// results together.
fn remedy(subject: &Subject, place: Option<PlaceRow>, region: Option<PlaceRow>) -> String {
    let name = |place| subject.names.place(place);
    if place.is_some() && region.is_some() && name(place) == name(region) {
        "Here threads combine their parts of a reduction, one after the other. Do less in the combiner of a declared \
                 reduction, or reduce smaller data."
    } else {
        "Do less while the lock is held: compute before, then only store. A reduction, an atomic, or a copy for each \
                  thread needs no lock. With several locks, each for a part of the data, threads wait less."
    }
    .to_owned()
}

pub(crate) fn ordered_chain(subject: &Subject) -> Vec<Finding> {
    let waits = waits(subject, |kind| kind == WaitKind::Ordered);
    let loops = loop_sites(subject, &chunks_of(subject));
    let is_large = |site: &LoopSite, region: Option<PlaceRow>| {
        site.ordered && site.region == region && site.mean() > 1.5
    };
    waits.into_iter().map(|(place, waits)| {
        let plain = plain(subject, place, &waits);
        let large = loops.iter().any(|site| is_large(site, plain.region));
        let chunks = "Give the loop schedule(static, 1) or (dynamic, 1): the turn passes on at the end of a chunk, so \
                      with short chunks the next iterations can begin meanwhile. ";
        let within = "Leave in the ordered region only what must be in order, and place it as late in the iteration as \
            possible.";
        Finding {
            rule: "ordered-chain",
            title: format!("threads wait {} for their turn in an ordered region", time(waits.lost)),
            evidence: evidence(subject, &waits),
            remedy: format!("{}{within}", if large { chunks } else { "" }),
            ..plain
        }
    })
    .collect()
}

fn plain(subject: &Subject, place: Option<PlaceRow>, waits: &Waits) -> Finding {
    let region = subject.profile.regions.of(waits.region).and_then(|region| region.place);
    let at_once = subject.at_once(threads(subject, waits));
    let lost = waits.lost + late(subject, waits);
    Finding {
        rule: "",
        title: String::new(),
        place,
        region,
        when: None,
        lost_ns: lost,
        gain_ns: (lost / at_once).min(most(subject, waits)),
        evidence: Vec::new(),
        remedy: String::new(),
        estimate: format!(
            "the time lost in these waits, and where they made threads late, divided among {at_once:.0} threads"
        ),
    }
}

/// A thread that waited less than the others reached the barrier before them. Its time there is
/// lost to the lock, too.
fn late(subject: &Subject, waits: &Waits) -> f64 {
    let threads = threads(subject, waits);
    let longest = waits.by_worker.values().copied().fold(0.0, f64::max);
    let apart = (longest * threads - waits.lost).max(0.0);
    group(subject, waits).map_or(0.0, |group| apart.min(group.ns(subject.profile, Class::Imbalance)))
}

/// The region's work takes its time, with or without the lock.
fn most(subject: &Subject, waits: &Waits) -> f64 {
    let Some(group) = group(subject, waits) else { return f64::INFINITY };
    let busy = group.busy(subject.profile) / subject.at_once(group.threads);
    (group.own_wall(subject.profile) - busy).max(0.0)
}

fn group<'a>(subject: &'a Subject, waits: &Waits) -> Option<&'a Group> {
    let row = subject.group_of.of(waits.region)?;
    subject.groups.get(*row as usize)
}

/// The tasks that held a lock while others waited for it.
struct Holders(HashMap<Option<PlaceRow>, HashMap<Option<PlaceRow>, Held>>);

/// What one place held while those at another waited. In ns.
#[derive(Default)]
struct Held {
    meanwhile: f64,
    holds: f64,
}

/// A wait mostly is for the hold before; where many wait, for those of these.
const MOST_AHEAD: usize = 1000;

impl Holders {
    fn of(subject: &Subject) -> Self {
        let mut waiters: HashMap<_, HashMap<_, Held>> = HashMap::new();
        let locks = &subject.profile.locks;
        for (row, hold) in locks.iter().enumerate().filter(|(_, hold)| hold.waited > Ticks::ZERO) {
            let since = hold.had - hold.waited;
            let ahead = locks[..row].iter().rev().take(MOST_AHEAD);
            for other in ahead.take_while(|other| other.key() == hold.key() && other.released() > since) {
                let held = waiters.entry(hold.place).or_default().entry(other.place).or_default();
                held.meanwhile += subject.ns(other.released() - other.had.max(since));
                held.holds += 1.0;
            }
        }
        Self(waiters)
    }

    /// Those that those at `place` waited for most.
    fn text(&self, subject: &Subject, place: Option<PlaceRow>) -> Option<String> {
        let held = self.0.get(&place)?;
        let mut by_place: Vec<_> = held.iter().filter(|(_, held)| held.meanwhile > 0.0).collect();
        by_place.sort_by(|a, b| {
            b.1.meanwhile.total_cmp(&a.1.meanwhile).then(none_last(*a.0).cmp(&none_last(*b.0)))
        });
        let one = |(&place, held): &(&Option<PlaceRow>, &Held)| {
            let name =
                if place.is_none() { "an unknown place".to_owned() } else { subject.names.place(place) };
            let mean = held.meanwhile / held.holds;
            format!("{name} ({} in all, {} each time)", time(held.meanwhile), time(mean))
        };
        let text: Vec<_> = by_place.iter().take(3).map(one).collect();
        (!text.is_empty()).then(|| format!("meanwhile it was held at {}", text.join(", at ")))
    }
}

fn evidence(subject: &Subject, waits: &Waits) -> Vec<String> {
    let threads = threads(subject, waits);
    let mean = waits.lost / waits.number.max(1) as f64;
    vec![
        format!(
            "{}, {} on average, {} the longest",
            several(waits.number, "wait"),
            time(mean),
            time(waits.longest)
        ),
        format!("{} of the time of {threads:.0} threads", percent(waits.lost, subject.wall * threads)),
    ]
}

fn threads(subject: &Subject, waits: &Waits) -> f64 {
    let region = subject.profile.regions.of(waits.region);
    region.map_or(1.0, |region| f64::from(region.threads.max(1)))
}

fn waits(subject: &Subject, is: impl Fn(WaitKind) -> bool) -> Vec<(Option<PlaceRow>, Waits)> {
    let mut places: HashMap<_, Waits> = HashMap::new();
    for wait in subject.profile.waits.iter().filter(|wait| is(wait.kind)) {
        let lost = subject.ns(wait.lost);
        let sum = places.entry(wait.place).or_default();
        sum.number += 1;
        sum.lost += lost;
        sum.longest = sum.longest.max(lost);
        *sum.by_worker.entry(wait.worker).or_default() += lost;
        sum.region = subject.budget.region_of[wait.task];
    }
    let mut rows: Vec<_> = places.into_iter().collect();
    rows.sort_unstable_by_key(|&(place, _)| none_last(place));
    rows
}
