// SPDX-License-Identifier: Apache-2.0
//! Finds what to change in the program, ordered by the wall time that the change would gain.
//!
//! A rule looks for one kind of defect in a profile and its budget. It states the cost of the
//! defect, the gain of its cure, and the computation of the gain: a simple model of the same run
//! without the defect. Counts alone are not a finding: a finding must gain a share of the wall
//! time.
//!
//! To add a rule, add a function to a module here and a line to [`RULES`] or [`RULES_OF_ABSENCE`].

mod chains;
mod chunks;
mod finding;
mod groups;
mod imbalance;
mod inflation;
mod locks;
mod loops;
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
use crate::wholeness::RestsOn;
use crate::Profile;

pub use finding::Finding;
pub use groups::Group;
pub use processors::had_processors;
pub use subject::Names;
use subject::Subject;

type Rule = fn(&Subject) -> Vec<Finding>;

const RULES: [Rule; 10] = [
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
];

/// These find what was not there: in a recording that lacks records, they would find the lack.
const RULES_OF_ABSENCE: [Rule; 5] = [
    producer::one_producer,
    chains::low_parallelism,
    tail::task_imbalance,
    serial::serial_part,
    small_teams::small_teams,
];

/// What gains less of the wall time is not worth the user's time.
const WORTH: f64 = 0.02;
/// Nor is what gains less of what the best finding does.
const WORTH_BESIDE: f64 = 0.15;
/// What the machine did to the program is another thing each time, and the data's quality tells it.
const WORTH_OF_MACHINE: f64 = 0.1;
/// Wall times of the same program differ by more, whatever is changed.
const NOISE_NS: f64 = 500e3;

/// The regions by their construct.
pub fn regions(profile: &Profile, budget: &Budget) -> Vec<Group> {
    groups::groups(profile, budget).0
}

/// By falling gain, those about the machine last. The recording's wholeness decides which rules may
/// look. `names` has the names of places.
pub fn findings(profile: &Profile, budget: &Budget, names: &dyn Names) -> Vec<Finding> {
    let subject = Subject::of(profile, budget, names);
    let of_presence = RULES.iter().map(|rule| (RestsOn::Presence, rule));
    let of_absence = RULES_OF_ABSENCE.iter().map(|rule| (RestsOn::Absence, rule));
    let allowed = of_presence.chain(of_absence).filter(|(rests_on, _)| profile.wholeness.allows(*rests_on));
    let mut all: Vec<Finding> = allowed.flat_map(|(_, rule)| rule(&subject)).collect();
    for finding in &mut all {
        finding.gain_ns = finding.gain_ns.min(subject.most());
    }
    // What the machine does is no defect of the program, however much it costs: it comes last.
    let of_machine = |finding: &Finding| finding.rule == processors::DESCHEDULED;
    let worth = |finding: &Finding| if of_machine(finding) { WORTH_OF_MACHINE } else { WORTH };
    all.retain(|finding| finding.gain_ns >= (worth(finding) * subject.wall).max(NOISE_NS));
    all.sort_by(|a, b| of_machine(a).cmp(&of_machine(b)).then(b.gain_ns.total_cmp(&a.gain_ns)));
    let best = all.first().map_or(0.0, |finding| finding.gain_ns);
    all.retain(|finding| finding.gain_ns >= WORTH_BESIDE * best);
    keep_causes(&all)
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
