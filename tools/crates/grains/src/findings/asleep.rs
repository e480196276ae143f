// SPDX-License-Identifier: Apache-2.0
//! Time in which the program's threads slept by what the program did: in system calls, or for locks
//! that are not OpenMP's.
//!
//! A thread that sleeps in a region keeps one thread from working, and the others can go on. A
//! thread that sleeps where no region is open keeps all of them from working, so the whole sleep is
//! wall time. More threads do not make it shorter.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::findings::finding::Finding;
use crate::findings::off::descheduled;
use crate::findings::serial::{stretches, whereabouts, Places, Stretch};
use crate::findings::subject::Subject;
use crate::ticks::Ticks;
use crate::units::{count, percent, time};
use crate::wholeness::RestsOn;
use crate::PlaceRow;

const SLEPT: &str = "slept";
pub(crate) const SERIAL_SLEEP: &str = "serial-sleep";

/// The sleeps in stretches in which no region is open. A device sleeps there until its host has
/// something for it, which is the host's matter.
pub(crate) fn serial_sleep(subject: &Subject) -> Vec<Finding> {
    if subject.profile.meta.device.is_some() {
        return Vec::new();
    }
    let workers = f64::from(subject.budget.workers);
    let finding = |((before, after), stretch): (Places, Stretch)| {
        Finding {
        rule: SERIAL_SLEEP,
        title: format!(
            "{} asleep without a parallel region, {}",
            time(stretch.slept),
            whereabouts(subject, before, after)
        ),
        place: after.or(before),
        region: None,
        when: None,
        lost_ns: stretch.slept * workers,
        gain_ns: stretch.slept,
        evidence: vec![
            match stretch.sleeps {
                1 => "in one stretch".to_owned(),
                times => format!("in {} stretches of {}", count(times), time(stretch.slept / times as f64)),
            },
            "its thread gave up its processor itself: it slept, or waited for files or for locks other than OpenMP's"
                .to_owned(),
        ],
        remedy: "More threads do not shorten this. Begin what is waited for earlier, and do other work meanwhile, or \
                 wait less."
            .to_owned(),
        estimate: "this time, as if the program did not wait".to_owned(),
    }
    };
    all_stretches(subject).into_iter().filter(|(_, stretch)| stretch.slept > 0.0).map(finding).collect()
}

/// How much the findings above are about, in ns.
pub(crate) fn in_serial_parts(subject: &Subject) -> f64 {
    all_stretches(subject).iter().map(|(_, stretch)| stretch.slept).sum()
}

/// None where it is not known that no region was open.
fn all_stretches(subject: &Subject) -> Vec<(Places, Stretch)> {
    let profile = subject.profile;
    if !profile.meta.other_runtimes.is_empty() || !profile.wholeness.allows(RestsOn::Absence) {
        return Vec::new();
    }
    stretches(subject)
}

/// What slept elsewhere than in serial parts: `slept` ns.
pub(crate) fn in_regions(subject: &Subject, slept: f64, share: String) -> Finding {
    let mut evidence = vec![share];
    evidence.push("their threads gave up their processors themselves".to_owned());
    let most = sleepers(subject).into_iter().max_by_key(|&(place, ticks)| (ticks, Reverse(place)));
    if let Some((_, ticks)) = most {
        let here = subject.ns(ticks).min(slept);
        evidence.push(format!(
            "{} of that in the grains of this place, {}",
            time(here),
            percent(here, slept)
        ));
    }
    Finding {
        rule: SLEPT,
        title: "tasks slept, or waited for files or for locks other than OpenMP's".to_owned(),
        place: most.map(|(place, _)| place),
        evidence,
        remedy: "Overlap these waits with the program's other work.".to_owned(),
        ..descheduled(subject, slept)
    }
}

/// For how long grains of regions slept, by the place where they were created, as far as the kernel
/// has told.
fn sleepers(subject: &Subject) -> BTreeMap<PlaceRow, Ticks> {
    let (grains, fragments) = (&subject.profile.grains, &subject.profile.fragments);
    let mut slept: BTreeMap<PlaceRow, Ticks> = BTreeMap::new();
    for (row, &grain) in fragments.grain.iter().enumerate() {
        let worker = grains.worker[grain] as usize;
        let Some(place) = grains.place[grain] else { continue };
        let Some(switches) = subject.profile.switches.get(worker) else { continue };
        let (begin, end) = (fragments.start(row as u32), fragments.end(row as u32));
        let offs = switches.between(begin, end).iter().filter(|off| !off.preempted);
        let ticks: Ticks = offs.map(|off| off.within(begin, end)).sum();
        if ticks > Ticks::ZERO {
            let sum = slept.entry(place).or_default();
            *sum += ticks;
        }
    }
    slept
}
