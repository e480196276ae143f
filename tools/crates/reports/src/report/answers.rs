// SPDX-License-Identifier: Apache-2.0
//! The text's first half: what to change, and where the workers' time went.

use super::account::{BudgetFacts, FindingFacts};
use super::facts::Facts;
use super::names;
use super::style::{paragraph, Style};
use super::templates::without_long_arguments;
use grains::findings::least_gain;
use grains::units::{percent, several, time};
use terminal::printable;

/// More would not be read.
const FINDINGS: usize = 5;
/// These get all of their evidence, the others the first line of it.
const WITH_EVIDENCE: usize = 2;

pub fn findings(out: &mut String, facts: &Facts, style: &Style) {
    if facts.wholeness.withholds_findings {
        out.push_str("  Findings are withheld: they could be about what the recording lacks.\n");
        return;
    }
    let (machine, program): (Vec<_>, Vec<_>) =
        facts.findings.iter().partition(|finding| finding.rule == OF_THE_MACHINE);
    for finding in &machine {
        let held_back = facts.held_back.iter().take(FINDINGS).map(held_back);
        let known: Vec<_> = finding.evidence.iter().map(|line| printable(line)).chain(held_back).collect();
        let known = known.join("; ");
        let text = format!("{}: {known}. {}", printable(&finding.title), printable(&finding.remedy));
        paragraph(out, "  ! ", &text);
        out.push('\n');
    }
    if program.is_empty() {
        if machine.is_empty() {
            paragraph(out, "  ", &nothing_found(facts));
        } else {
            out.push_str("  Nothing else found that would gain as much.\n");
        }
        return;
    }
    let title = "What to change, by the wall time that it would gain";
    out.push_str(&format!("{}\n", style.bold(title)));
    undisturbed(out, facts);
    for (at, finding) in program.iter().take(FINDINGS).enumerate() {
        one(out, at, finding, facts.undisturbed_ns, style);
    }
    if let Some(more) = program.len().checked_sub(FINDINGS).filter(|&more| more > 0) {
        out.push_str(&format!("  and {more} more: see --json\n"));
    }
}

/// The JSON form has all of it.
fn held_back(finding: &FindingFacts) -> String {
    format!("held back: {}; to gain {}", printable(&finding.title), time(finding.gain_ns))
}

/// If the program's own code ran for a smaller share of the workers' time, what is lost in it
/// cannot be seen beside what starting, recording and waiting cost.
const LEAST_WORK: f64 = 0.05;
/// If a finding would have to gain more than this share of the run, the run is too short.
const SHORT: f64 = 0.5;

/// What to say of a recording without a finding: what a finding would have had to gain, or that the
/// program did too little.
pub fn nothing_found(facts: &Facts) -> String {
    let Facts { work_ns, wall_ns, undisturbed_ns, ref budget, ref quality, .. } = *facts;
    let nothing =
        if quality.lost_records > 0 { "Nothing found in what was recorded" } else { "Nothing found" };
    let on_devices = facts.devices.iter().flat_map(|devices| &devices.devices);
    let devices_ns: f64 = on_devices.map(|device| device.sums.running_ns).sum();
    verdict(nothing, (work_ns, devices_ns), budget.whole_ns, wall_ns, undisturbed_ns)
}

/// The program's own code ran for `work_ns` on the host's threads and for `devices_ns` on devices.
fn verdict(
    nothing: &str,
    (work_ns, devices_ns): (f64, f64),
    whole_ns: f64,
    wall_ns: f64,
    undisturbed_ns: f64,
) -> String {
    if work_ns + devices_ns < LEAST_WORK * whole_ns {
        return format!(
            "Too short to judge: the program's own code ran for {}, {} of the workers' time. Record it with a larger \
             input.",
            time(work_ns),
            percent(work_ns, whole_ns)
        );
    }
    let least_ns = least_gain(undisturbed_ns);
    if least_ns >= SHORT * undisturbed_ns {
        return format!(
            "Too short to judge: without disturbances the run takes {}. Record it with a larger input.",
            time(undisturbed_ns)
        );
    }
    let without = if wall_ns - undisturbed_ns < DISTURBED * wall_ns {
        ""
    } else {
        " without the recorder and with the lost processors"
    };
    format!(
        "{nothing} that would gain {} if it were mended: {} of the {} that the run takes{without}.",
        time(least_ns),
        percent(least_ns, undisturbed_ns),
        time(undisturbed_ns)
    )
}

/// The finding that threads with work had no processor. It stands above the others.
const OF_THE_MACHINE: &str = "descheduled";
/// The share of the wall time from which on the difference is worth a line.
const DISTURBED: f64 = 0.01;

/// What the gains are shares of, if that is another time than the report's wall time.
fn undisturbed(out: &mut String, facts: &Facts) {
    let recorder_ns = facts.recorder_wall_ns;
    let others_ns = facts.wall_ns - facts.undisturbed_ns - recorder_ns;
    if facts.wall_ns - facts.undisturbed_ns < DISTURBED * facts.wall_ns {
        return;
    }
    let parts = [(recorder_ns, "the recorder"), (others_ns, "lost processors")];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|(ns, _)| *ns >= DISTURBED * facts.wall_ns / 2.0)
        .map(|(ns, what)| format!("{what} ({})", time(ns)))
        .collect();
    let text = format!(
        "of {} that the run would take without {}, instead of {}",
        time(facts.undisturbed_ns),
        parts.join(" and "),
        time(facts.wall_ns)
    );
    paragraph(out, "  ", &text);
}

fn one(out: &mut String, at: usize, finding: &FindingFacts, wall_ns: f64, style: &Style) {
    let gain = format!("{} of {}", time(finding.gain_ns), time(wall_ns));
    let gain = format!("{gain} ({})", percent(finding.gain_share, 1.0));
    out.push_str(&format!(
        "  {}. {}  {}\n",
        at + 1,
        style.warning(&gain),
        style.bold(&place(finding, style))
    ));
    let title = printable(&without_long_arguments(&finding.title));
    paragraph(out, "     ", &format!("{}: {title}.", finding.rule));
    let lines = if at < WITH_EVIDENCE { finding.evidence.len() } else { 1 };
    for line in finding.evidence.iter().take(lines) {
        paragraph(out, "     - ", &printable(&without_long_arguments(line)));
    }
    paragraph(out, "     > ", &printable(&finding.remedy));
}

/// What the gain before it leaves of a line.
const PLACE_WIDTH: usize = 62;

fn place(finding: &FindingFacts, style: &Style) -> String {
    let function = without_long_arguments(&finding.function);
    names::one(&finding.file, finding.line, &function, style.columns.map(|_| PLACE_WIDTH))
}

/// Shares of the whole below this are left out of the text.
const LEAST: f64 = 0.0005;

/// `others`: there was a runtime that was not recorded.
pub fn budget(out: &mut String, budget: &BudgetFacts, others: bool, style: &Style) {
    let title = format!(
        "Where the time of {} went: {} x {} = {}",
        several(u64::from(budget.workers), "worker"),
        budget.workers,
        time(budget.wall_ns),
        time(budget.whole_ns)
    );
    out.push_str(&format!("\n{}\n", style.bold(&title)));
    for class in budget.classes.iter().filter(|class| class.ns >= LEAST * budget.whole_ns) {
        line(out, &label(class.name), class.ns, budget.whole_ns, meaning(class.name, others));
    }
    let covered = budget.rest_ns < LEAST * budget.whole_ns;
    if !covered {
        line(out, "rest", budget.rest_ns, budget.whole_ns, "no record explains it");
    }
}

fn line(out: &mut String, name: &str, ns: f64, whole_ns: f64, meaning: &str) {
    let (value, share) = (time(ns), percent(ns, whole_ns));
    out.push_str(format!("  {name:<14} {value:>10} {share:>7}   {meaning}").trim_end());
    out.push('\n');
}

/// What the text calls a class.
pub fn label(class: &str) -> String {
    match class {
        "outside_team" => "without a team".to_owned(),
        class => class.replace('_', " "),
    }
}

fn meaning(class: &str, others: bool) -> &'static str {
    match class {
        "work" => "in the program's own code",
        "inflation" => "more work than in the baseline",
        "creation" => "creating tasks",
        "scheduling" => "getting tasks to run, book-keeping of loops, fork and join",
        "nothing_ready" => "tasks ran or were yet to come, and none was ready",
        "ready_waiting" => "a task was ready for others to take",
        "locks" => "waiting for locks, critical and ordered regions",
        "imbalance" => "at barriers and ends of regions, for the last thread",
        "serial" if others => "serial code, or in a runtime that was not recorded",
        "serial" => "no parallel region was open in the whole program",
        "outside_team" => "the team of the open region had fewer threads",
        "descheduled" => "another thread had the processor, or it slept",
        "recorder" => "what recording cost",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::verdict;

    #[test]
    fn the_least_gain_is_of_the_undisturbed_run() {
        let text = verdict("Nothing found", (80e6, 0.0), 200e6, 100e6, 50e6);
        assert!(text.starts_with("Nothing found that would gain 1.00 ms"), "{text}");
        assert!(text.contains("2.0 % of the 50.0 ms that the run takes without the recorder"), "{text}");
        let text = verdict("Nothing found", (180e6, 0.0), 200e6, 100e6, 99.5e6);
        assert!(text.ends_with("that the run takes."), "{text}");
    }

    #[test]
    fn a_short_run_has_to_gain_more_than_noise() {
        let text = verdict("Nothing found", (8e6, 0.0), 20e6, 10e6, 10e6);
        assert!(text.contains("gain 500 us if it were mended: 5.0 % of the 10.0 ms"), "{text}");
        let text = verdict("Nothing found", (84e3, 0.0), 200e3, 100e3, 84e3);
        assert!(
            text.starts_with("Too short to judge: without disturbances the run takes 84.0 us."),
            "{text}"
        );
    }

    #[test]
    fn a_program_that_did_little_is_not_judged() {
        let text = verdict("Nothing found", (460e3, 0.0), 30e6, 15e6, 6e6);
        assert_eq!(
            text,
            "Too short to judge: the program's own code ran for 460 us, 1.5 % of the workers' time. Record it with a \
             larger input."
        );
        let text = verdict("Nothing found", (460e3, 5e6), 30e6, 15e6, 6e6);
        assert!(
            text.starts_with("Nothing found that would gain 500 us"),
            "its regions ran on devices: {text}"
        );
    }
}
