// SPDX-License-Identifier: Apache-2.0
//! Phases: what the threads of a team do on their own between two barriers. This is the work of
//! implicit tasks: loops with schedule(static), which compilers write into the program, single
//! constructs, and all work that belongs to no chunk and no explicit task.
//!
//! A phase is named by the barrier that ends it, or by its region if the region's end does. Phases
//! with the same names in all instances of a region's construct are summed.

use std::collections::HashMap;

use crate::budget::members;
use crate::row::none_last;
use crate::tables::{GrainRow, Item};
use crate::{PlaceRow, Profile, Ticks};

/// Between two barriers of a region, summed over the regions of one construct. Times are in ns.
#[derive(Default)]
pub struct Phase {
    /// The place of the barrier that ends the phase, or of the region.
    pub place: Option<PlaceRow>,
    pub region: Option<PlaceRow>,
    /// The region's end ends the phase.
    pub is_last: bool,
    /// Threads create tasks in the phase.
    pub creates: bool,
    pub times: u64,
    /// The sum of the longest thread's time.
    pub longest: f64,
    /// The sum of the threads' mean.
    pub mean: f64,
    /// What even shares would gain, on the processors that the process may use.
    pub gain: f64,
    /// The longest thread's time, summed over the times, if there were no more threads than
    /// processors, and each had the shares of neighbouring threads.
    pub longest_on_processors: f64,
    /// What the threads lost at the barrier: they waited and ran no task.
    pub waited: f64,
    /// The work of each thread of the team, by its number.
    pub threads: Vec<f64>,
}

impl Phase {
    pub fn work(&self) -> f64 {
        self.threads.iter().sum()
    }
}

/// In the order of the places.
pub fn phases(profile: &Profile) -> Vec<Phase> {
    let members = members(profile);
    let mut phases = HashMap::new();
    for (row, info) in profile.regions.entries() {
        add_region(profile, info.place, members.of(row), &mut phases);
    }
    let mut rows: Vec<_> = phases.into_iter().collect();
    rows.sort_unstable_by_key(|&(Key { region, place, is_last, creates }, _)| {
        (none_last(region), is_last, none_last(place), creates)
    });
    rows.into_iter().map(|(_, phase)| phase).collect()
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    region: Option<PlaceRow>,
    place: Option<PlaceRow>,
    is_last: bool,
    creates: bool,
}

/// What ends a phase.
#[derive(Clone, Copy)]
enum End {
    /// With its place.
    Barrier(Option<PlaceRow>),
    Region,
}

/// One member's own work in a phase.
struct Own {
    work: f64,
    waited: Ticks,
    end: End,
    creates: bool,
}

fn own_phases(profile: &Profile, member: GrainRow) -> Vec<Own> {
    let fragments = &profile.fragments;
    let (mut out, mut work, mut creates) = (Vec::new(), 0.0, false);
    for item in profile.items.of(member) {
        match profile.items.at(item) {
            Item::Fragment(row) => work += profile.ns(fragments.net(row)),
            Item::Join(row) if profile.waits[row].kind.is_barrier() => {
                let wait = &profile.waits[row];
                let end = match wait.kind {
                    trace::WaitKind::RegionEnd => End::Region,
                    _ => End::Barrier(wait.place),
                };
                out.push(Own { work, waited: wait.lost, end, creates });
                (work, creates) = (0.0, false);
            }
            Item::Fork(_) => creates = true,
            _ => {}
        }
    }
    if work > 0.0 {
        out.push(Own { work, waited: Ticks::ZERO, end: End::Region, creates });
    }
    out
}

/// What stands between two barriers of one region.
struct Between {
    end: End,
    /// Work by thread of the team, in ns.
    works: Vec<f64>,
    waited: Ticks,
    creates: bool,
}

/// The phases of one region, one after the other. `members`: its implicit tasks.
fn between(profile: &Profile, members: &[GrainRow]) -> Vec<Between> {
    let mut of_region: Vec<Between> = Vec::new();
    for (thread, &member) in members.iter().enumerate() {
        for (at, own) in own_phases(profile, member).into_iter().enumerate() {
            if of_region.len() <= at {
                let works = vec![0.0; members.len()];
                of_region.push(Between { end: own.end, works, waited: Ticks::ZERO, creates: false });
            }
            of_region[at].works[thread] += own.work;
            of_region[at].waited += own.waited;
            of_region[at].creates |= own.creates;
        }
    }
    of_region
}

/// The longest of `parts` equal parts of these shares, which lie one beside the other, as those of
/// a loop with schedule(static) do. A share on the border of two parts counts for both, in
/// proportion.
fn longest_of(shares: &[f64], parts: f64) -> f64 {
    let width = shares.len() as f64 / parts;
    let within = |from: f64, to: f64| -> f64 {
        let of_share = |(number, share): (usize, &f64)| {
            let (begin, end) = (number as f64, number as f64 + 1.0);
            share * (to.min(end) - from.max(begin)).max(0.0)
        };
        shares.iter().enumerate().map(of_share).sum()
    };
    (0..parts as u64).map(|part| within(part as f64 * width, (part + 1) as f64 * width)).fold(0.0, f64::max)
}

fn add_region(
    profile: &Profile,
    region: Option<PlaceRow>,
    members: &[GrainRow],
    phases: &mut HashMap<Key, Phase>,
) {
    for Between { end, works, waited, creates } in between(profile, members) {
        let (place, is_last) = match end {
            End::Barrier(place) => (place, false),
            End::Region => (region, true),
        };
        let phase = phases.entry(Key { region, place, is_last, creates }).or_insert_with(|| Phase {
            place,
            region,
            is_last,
            creates,
            ..Phase::default()
        });
        let threads = works.len() as f64;
        let (longest, total) = (works.iter().copied().fold(0.0, f64::max), works.iter().sum::<f64>());
        phase.times += 1;
        phase.longest += longest;
        phase.mean += total / threads;
        // Where threads share processors, one ends late because of the others.
        let at_once = profile.at_once(threads);
        phase.gain += (longest - total / at_once).max(0.0);
        phase.longest_on_processors += longest_of(&works, at_once);
        phase.waited += profile.ns(waited);
        if phase.threads.len() < works.len() {
            phase.threads.resize(works.len(), 0.0);
        }
        for (sum, work) in phase.threads.iter_mut().zip(&works) {
            *sum += work;
        }
    }
}
