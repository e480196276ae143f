// SPDX-License-Identifier: Apache-2.0
//! Finds what to change in the program, ordered by the wall time that the change would gain.
//!
//! A rule looks for one kind of defect in a profile and its budget. It states the cost of the
//! defect, the gain of its cure, and the computation of the gain: a simple model of the same run
//! without the defect. Counts alone are not a finding: a finding must gain a share of the wall
//! time.
//!
//! To add a rule, add a function to a module here and a line to [`RULES`] or [`RULES_OF_ABSENCE`].

mod alike;
mod asleep;
mod bounds;
mod chains;
mod chunks;
mod devices;
mod disturbance;
mod faults;
mod finding;
mod groups;
mod imbalance;
mod inflation;
mod locks;
mod loops;
mod off;
mod packing;
mod phases;
mod processors;
mod producer;
mod regions;
mod serial;
mod small_teams;
mod subject;
mod tail;
mod task_sites;
mod tiny;

use crate::budget::Budget;
use crate::units::time;
use crate::wholeness::RestsOn;
use crate::Profile;

pub use disturbance::{had_processors, Disturbance, Walls};
pub use finding::Finding;
pub use groups::Group;
pub use subject::Names;
use subject::Subject;
pub(crate) use tiny::WORTHWHILE;

type Rule = fn(&Subject) -> Vec<Finding>;

const RULES: [Rule; 13] = [
    tiny::tiny_tasks,
    regions::tiny_regions,
    chunks::tiny_chunks,
    chains::dependence_chain,
    imbalance::dynamic_imbalance,
    phases::static_imbalance,
    locks::hot_lock,
    locks::ordered_chain,
    inflation::work_inflation,
    processors::too_many_threads,
    faults::page_faults,
    devices::device_transfers,
    devices::transfers_alone,
];

/// These find what was not there: in a recording that lacks records, they would find the lack.
const RULES_OF_ABSENCE: [Rule; 7] = [
    producer::one_producer,
    chains::low_parallelism,
    tail::task_imbalance,
    serial::serial_part,
    asleep::serial_sleep,
    small_teams::small_teams,
    devices::idle_devices,
];

/// What gains less of the wall time is not worth the user's time.
const WORTH: f64 = 0.02;
/// Nor is what gains less of what the best finding does.
const WORTH_BESIDE: f64 = 0.15;
/// What the machine did to the program is another thing each time. Below this share, only the
/// data's quality tells it.
const WORTH_OF_MACHINE: f64 = 0.1;
/// Wall times of the same program differ by more, whatever is changed.
const NOISE_NS: f64 = 500e3;

/// The regions by their construct.
pub fn regions(profile: &Profile, budget: &Budget) -> Vec<Group> {
    groups::groups(profile, budget).0
}

/// What the rules have found.
pub struct Found {
    /// By falling gain, behind the one about a disturbed machine.
    pub findings: Vec<Finding>,
    /// Those that may be an effect of the disturbed machine, by falling gain; the first line of
    /// evidence says why.
    pub held_back: Vec<Finding>,
}

/// What is not held back.
pub fn findings(profile: &Profile, budget: &Budget, names: &dyn Names) -> Vec<Finding> {
    found(profile, budget, names).findings
}

/// The recording's wholeness decides which rules may look. `names` has the names of places.
pub fn found(profile: &Profile, budget: &Budget, names: &dyn Names) -> Found {
    let subject = Subject::of(profile, budget, names);
    let of_presence = RULES.iter().map(|rule| (RestsOn::Presence, rule));
    let of_absence = RULES_OF_ABSENCE.iter().map(|rule| (RestsOn::Absence, rule));
    let allowed = of_presence.chain(of_absence).filter(|(rests_on, _)| profile.wholeness.allows(*rests_on));
    let mut all: Vec<Finding> = allowed.flat_map(|(_, rule)| rule(&subject)).collect();
    bounds::keep_within(&subject, &mut all);
    let (machine, program): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|finding| finding.rule == finding::DESCHEDULED);
    let machine = machine.into_iter().find(|finding| worth(finding, WORTH_OF_MACHINE, &subject));
    let program = of_program(&subject, program);
    match machine {
        Some(machine) => beside(machine, program, subject.others),
        None => Found { findings: program, held_back: Vec::new() },
    }
}

fn worth(finding: &Finding, share: f64, subject: &Subject) -> bool {
    finding.gain_ns >= (share * subject.walls.of(finding)).max(NOISE_NS)
}

/// The least gain with which a change of the program is a finding, in ns: in a run that takes this
/// wall time without the recorder and with the lost processors.
pub fn least_gain(undisturbed_ns: f64) -> f64 {
    (WORTH * undisturbed_ns).max(NOISE_NS)
}

/// Those that are worth a change of the program.
fn of_program(subject: &Subject, all: Vec<Finding>) -> Vec<Finding> {
    let mut all = alike::grouped(all, subject.names);
    for finding in &mut all {
        finding.gain_ns = finding.gain_ns.min(bounds::most(subject, finding));
    }
    all.retain(|finding| worth(finding, WORTH, subject));
    all.sort_by(|a, b| b.gain_ns.total_cmp(&a.gain_ns));
    let best = all.first().map_or(0.0, |finding| finding.gain_ns);
    all.retain(|finding| finding.gain_ns >= WORTH_BESIDE * best);
    keep_causes(&all)
}

/// What other processes took of the wall time (`others`) is not shared out evenly: a thread that
/// lost its processor makes the others wait, and that looks like a defect. A finding that gains
/// less than that may be such a wait, and is held back.
fn beside(mut machine: Finding, program: Vec<Finding>, others: f64) -> Found {
    let (kept, mut held_back): (Vec<_>, Vec<_>) =
        program.into_iter().partition(|finding| finding.gain_ns >= others);
    if !held_back.is_empty() {
        let (number, each) = match held_back.len() {
            1 => ("1 finding is".to_owned(), "it"),
            more => (format!("{more} findings are"), "each of them"),
        };
        machine.evidence.push(format!(
            "{number} held back: what {each} would gain is less than what the other processes took of the wall time"
        ));
    }
    for finding in &mut held_back {
        let reason = format!(
            "held back: {} is less than the {} that other processes took of the wall time; a wait for a thread \
             that has lost its processor looks the same",
            time(finding.gain_ns),
            time(others)
        );
        finding.evidence.insert(0, reason);
    }
    Found { findings: [machine].into_iter().chain(kept).collect(), held_back }
}

/// Low parallelism in a region is reported only if no other rule explains it.
fn keep_causes(all: &[Finding]) -> Vec<Finding> {
    let explains = |finding: &Finding, symptom: &Finding| {
        finding.rule != symptom.rule
            && finding.region == symptom.region
            && finding.gain_ns > 0.3 * symptom.gain_ns
    };
    let is_symptom = |finding: &Finding| finding.rule == chains::LOW_PARALLELISM;
    let explained =
        |finding: &&Finding| is_symptom(finding) && all.iter().any(|other| explains(other, finding));
    all.iter().filter(|finding| !explained(finding)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str, gain_ns: f64) -> Finding {
        Finding {
            rule,
            title: format!("of {rule}"),
            place: None,
            region: None,
            when: None,
            lost_ns: gain_ns,
            gain_ns,
            evidence: Vec::new(),
            remedy: String::new(),
            estimate: String::new(),
        }
    }

    #[test]
    fn what_gains_less_than_others_took_is_held_back() {
        let machine = || finding(finding::DESCHEDULED, 5e6);
        let program = vec![finding("large", 9e6), finding("small", 4e6), finding("smaller", 3e6)];
        let Found { findings, held_back } = beside(machine(), program, 5e6);
        assert_eq!(findings.iter().map(|one| one.rule).collect::<Vec<_>>(), ["descheduled", "large"]);
        assert!(
            findings[0].evidence[0].starts_with("2 findings are held back"),
            "{:?}",
            findings[0].evidence
        );
        assert_eq!(held_back.iter().map(|one| one.rule).collect::<Vec<_>>(), ["small", "smaller"]);
        assert!(held_back[0].evidence[0].starts_with("held back: 4.00 ms is less than the 5.00 ms that"));
        let Found { findings, held_back } = beside(machine(), vec![finding("large", 9e6)], 5e6);
        assert_eq!((findings.len(), findings[0].evidence.len(), held_back.len()), (2, 0, 0));
    }
}
