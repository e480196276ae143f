// SPDX-License-Identifier: Apache-2.0
//! What a finding can lose and gain at most, by the budget.
//!
//! Each rule's loss is time of certain classes, in the regions of the finding or in the whole run.
//! The rules compute their figures from single records, of which some are estimates. So these
//! figures can exceed what the budget says. The budget has the last word: a finding loses no more
//! than its classes have, and gains no more than that time, divided among the threads that lost it.
//! Where one thread makes all others wait by a sleep, it gains no more than the sleeps.

use std::collections::HashMap;

use crate::budget::{Class, Sums};
use crate::findings::asleep::SERIAL_SLEEP;
use crate::findings::devices::is_of_devices;
use crate::findings::faults::PAGE_FAULTS;
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::PlaceRow;

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
        // One thread sleeps, and the others have nothing to do.
        SERIAL_SLEEP => (&[Class::Serial, Class::Descheduled], false),
        // Other workers are outside of such a team, or wait for the outer region's end.
        "small-teams" => (&[Class::OutsideTeam, Class::Imbalance, Class::NothingReady], false),
        // The kernel's time counts as the program's.
        PAGE_FAULTS => (&[Class::Work], false),
        "work-inflation" => (&[Class::Inflation], false),
        "too-many-threads" | "descheduled" | "slept" => (&[Class::Descheduled], false),
        _ => (APART, true),
    }
}

/// A rule and the construct whose time of certain classes the rule's findings have lost; the whole
/// run's, if there is no construct.
type Scope = (&'static str, Option<PlaceRow>);

/// Keeps what the findings lose and gain within the budget. Those of one rule in one construct
/// share what its classes have.
pub(crate) fn keep_within(subject: &Subject, all: &mut [Finding]) {
    let mut of_scope: HashMap<Scope, Vec<&mut Finding>> = HashMap::new();
    for finding in all {
        keep_one_within(subject, finding);
        let (_, in_region) = classes(finding);
        let region = finding.region.filter(|_| in_region);
        of_scope.entry((finding.rule, region)).or_default().push(finding);
    }
    for sharing in of_scope.into_values() {
        let most = limits(subject, sharing[0]);
        share_out(most, sharing);
    }
}

/// Makes what these findings claim smaller by one factor, so that all of them together lose and
/// gain no more than `most`.
fn share_out((lost, gain): (f64, f64), sharing: Vec<&mut Finding>) {
    let lost_share = share(lost, sharing.iter().map(|finding| finding.lost_ns).sum());
    let gain_share = share(gain, sharing.iter().map(|finding| finding.gain_ns).sum());
    for finding in sharing {
        finding.lost_ns *= lost_share;
        finding.gain_ns *= gain_share;
    }
}

/// By what each of the claims that add up to `claimed` is multiplied, so that they fit.
fn share(most: f64, claimed: f64) -> f64 {
    if claimed > most {
        most / claimed
    } else {
        1.0
    }
}

fn keep_one_within(subject: &Subject, finding: &mut Finding) {
    let (lost, gain) = limits(subject, finding);
    finding.lost_ns = finding.lost_ns.min(lost);
    finding.gain_ns = finding.gain_ns.min(gain).min(most(subject, finding));
}

/// What findings of this rule in this construct lose and gain at most.
fn limits(subject: &Subject, finding: &Finding) -> (f64, f64) {
    // The budget is of the host's threads.
    if is_of_devices(finding.rule) {
        return (f64::INFINITY, subject.wall);
    }
    let (classes, in_region) = classes(finding);
    let group = subject.groups.iter().find(|group| group.place == finding.region).filter(|_| in_region);
    let workers = f64::from(subject.budget.workers);
    let (sums, threads): (&Sums, f64) =
        group.map_or((&subject.budget.total, workers), |group| (&group.sums, group.threads));
    let lost: f64 = classes.iter().map(|&class| subject.class(sums, class)).sum();
    let gain = match finding.rule {
        // One thread sleeps; what others do for the recorder meanwhile changes nothing.
        SERIAL_SLEEP => subject.class(sums, Class::Descheduled),
        _ => lost / subject.at_once(threads).max(1.0),
    };
    (lost, gain)
}

/// What any cure of this kind gains at most: nearly all leave the program's work as it is.
pub(crate) fn most(subject: &Subject, finding: &Finding) -> f64 {
    match finding.rule {
        PAGE_FAULTS => subject.wall,
        // What waits for a device counts as the program's work.
        rule if is_of_devices(rule) => subject.wall,
        // The undisturbed run has nothing of this time; the budget's class is the limit.
        "descheduled" | "slept" => f64::INFINITY,
        _ => subject.most(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(lost_ns: f64, gain_ns: f64) -> Finding {
        Finding {
            rule: "serial-part",
            title: String::new(),
            place: None,
            region: None,
            when: None,
            lost_ns,
            gain_ns,
            evidence: Vec::new(),
            remedy: String::new(),
            estimate: String::new(),
        }
    }

    #[test]
    fn findings_share_what_their_class_has() {
        let (mut long, mut short) = (finding(9.0, 3.0), finding(3.0, 1.0));
        share_out((6.0, 10.0), vec![&mut long, &mut short]);
        assert_eq!((long.lost_ns, long.gain_ns), (4.5, 3.0));
        assert_eq!((short.lost_ns, short.gain_ns), (1.5, 1.0));
    }
}
