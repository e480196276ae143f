// SPDX-License-Identifier: Apache-2.0
//! The first part of the page: the report's findings, its budget, and its notes on the quality of
//! the data.

use reports::report::{nothing_found, ClassFacts, Facts, FindingFacts};
use serde::Serialize;
use terminal::printable;

/// The largest number of findings on the page; nobody would read more.
const FINDINGS: usize = 5;

#[derive(Serialize)]
pub struct Answers {
    findings: Vec<Finding>,
    /// Those that may be an effect of a disturbed machine.
    held_back: Vec<Finding>,
    /// What to say if there are none.
    none: String,
    /// What gains are parts of, except that of `descheduled`.
    undisturbed_ns: f64,
    /// Findings that are left out.
    more: usize,
    whole_ns: f64,
    classes: Vec<Class>,
    quality: Vec<String>,
}

#[derive(Serialize)]
struct Finding {
    rule: &'static str,
    title: String,
    file: String,
    line: u32,
    function: String,
    gain_ns: f64,
    gain_share: f64,
    evidence: Vec<String>,
    remedy: String,
    estimate: String,
    /// Both 0: it is not about a stretch of time.
    begin_ns: f64,
    end_ns: f64,
}

#[derive(Serialize)]
struct Class {
    name: &'static str,
    ns: f64,
}

impl Answers {
    /// `more`: further sentences on the quality of the page's data.
    pub fn of(facts: &Facts, more: &[String]) -> Self {
        let budget = &facts.budget;
        let classes = budget.classes.iter().map(|&ClassFacts { name, ns }| Class { name, ns });
        Self {
            findings: facts.findings.iter().take(FINDINGS).map(finding).collect(),
            held_back: facts.held_back.iter().take(FINDINGS).map(finding).collect(),
            none: nothing_found(facts),
            undisturbed_ns: facts.undisturbed_ns,
            more: facts.findings.len().saturating_sub(FINDINGS),
            whole_ns: budget.whole_ns,
            classes: classes.chain([Class { name: "rest", ns: budget.rest_ns }]).collect(),
            quality: facts.quality.notes.iter().chain(more).map(|note| printable(note)).collect(),
        }
    }
}

fn finding(facts: &FindingFacts) -> Finding {
    let (begin_ns, end_ns) = facts.when_ns.unwrap_or_default();
    Finding {
        rule: facts.rule,
        title: printable(&facts.title),
        file: printable(&facts.file),
        line: facts.line,
        function: printable(&facts.function),
        gain_ns: facts.gain_ns,
        gain_share: facts.gain_share,
        evidence: facts.evidence.iter().map(|line| printable(line)).collect(),
        remedy: printable(&facts.remedy),
        estimate: printable(&facts.estimate),
        begin_ns,
        end_ns,
    }
}
