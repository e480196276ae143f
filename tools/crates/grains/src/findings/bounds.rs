// SPDX-License-Identifier: Apache-2.0
//! What a finding can lose and gain at most, by the budget.
//!
//! Each rule's loss is time of certain classes, in the regions of the finding or in the whole run.
//! The rules compute their figures from single records, of which some are estimates. So these
//! figures can exceed what the budget says. The budget has the last word: a finding loses no more
//! than its classes have, and gains no more than that time, divided among the threads that lost it.

use crate::budget::{Class, Sums};
use crate::findings::faults::PAGE_FAULTS;
use crate::findings::subject::Subject;
use crate::findings::Finding;

/// Time of threads in a region that ran nothing of the program.
const APART: &[Class] = &[Class::Imbalance, Class::NothingReady, Class::ReadyWaiting, Class::Scheduling];

/// The classes that a rule's loss is in, and whether these count in the finding's region only.
fn classes(finding: &Finding) -> (&'static [Class], bool) {
    match finding.rule {
        "tiny-tasks" | "broken-cutoff" => {
            (&[Class::Creation, Class::Scheduling, Class::NothingReady, Class::ReadyWaiting], true)
        }
        "tiny-chunks" => (&[Class::Scheduling], true),
        "one-producer" => (&[Class::NothingReady, Class::ReadyWaiting, Class::Scheduling], true),
        "low-parallelism" => (&[Class::NothingReady], true),
        "hot-lock" | "ordered-chain" => (&[Class::Locks, Class::Imbalance], true),
        "tiny-regions" => {
            const REGION: &[Class] = &[
                Class::Creation,
                Class::Imbalance,
                Class::NothingReady,
                Class::ReadyWaiting,
                Class::Scheduling,
            ];
            (REGION, true)
        }
        // In a region, one thread works while the others wait.
        "serial-part" if finding.region.is_none() => (&[Class::Serial], false),
        // Other workers are outside of such a team, or wait for the outer region's end.
        "small-teams" => (&[Class::OutsideTeam, Class::Imbalance, Class::NothingReady], false),
        // The kernel's time counts as the program's.
        PAGE_FAULTS => (&[Class::Work], false),
        "work-inflation" => (&[Class::Inflation], false),
        "too-many-threads" | "descheduled" | "slept" => (&[Class::Descheduled], false),
        _ => (APART, true),
    }
}

/// Keeps what the finding loses and gains within the budget.
pub(crate) fn keep_within(subject: &Subject, finding: &mut Finding) {
    let (classes, in_region) = classes(finding);
    let group = subject.groups.iter().find(|group| group.place == finding.region).filter(|_| in_region);
    let workers = f64::from(subject.budget.workers);
    let (sums, threads): (&Sums, f64) =
        group.map_or((&subject.budget.total, workers), |group| (&group.sums, group.threads));
    let most: f64 = classes.iter().map(|&class| subject.class(sums, class)).sum();
    finding.lost_ns = finding.lost_ns.min(most);
    let gain = most / subject.at_once(threads).max(1.0);
    finding.gain_ns = finding.gain_ns.min(gain).min(self::most(subject, finding));
}

/// What any cure of this kind gains at most: nearly all leave the program's work as it is.
pub(crate) fn most(subject: &Subject, finding: &Finding) -> f64 {
    match finding.rule {
        PAGE_FAULTS => subject.wall,
        // The undisturbed run has nothing of this time; the budget's class is the limit.
        "descheduled" | "slept" | "too-many-threads" => f64::INFINITY,
        _ => subject.most(),
    }
}
