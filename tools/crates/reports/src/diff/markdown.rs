// SPDX-License-Identifier: Apache-2.0
//! A comparison as Markdown: for a comment on a change in a forge.

use grains::units::time;
use terminal::printable;

use super::change::{Change, Judgement};
use super::facts::{Facts, SideFacts};
use super::limits::Outcome;
use super::text::{
    at, by, device_site, notes, place, runs_on_threads, shown_sites, shown_totals, site_name, FileNames,
};
use crate::report::class_label;

pub fn render(facts: &Facts, sites: usize) -> String {
    let names = FileNames::of(facts);
    let mut out = String::from("### teff diff\n\n");
    for (which, side) in [("before", &facts.before), ("after", &facts.after)] {
        out.push_str(&format!("- {which}: {}\n", about(side)));
    }
    table(&mut out, "", |out| {
        row(out, "wall time", &facts.wall);
        shown_totals(facts).for_each(|total| row(out, &class_label(total.name), &total.change));
    });
    limits(&mut out, facts);
    if shown_sites(facts).next().is_some() && sites > 0 {
        table(&mut out, "site: work and waits", |out| {
            for site in shown_sites(facts).take(sites) {
                let name = format!("{}, {}", code(&site_name(site, &names)), site.kind);
                [("work", &site.work), ("waits", &site.wait)]
                    .into_iter()
                    .filter(|(_, change)| change.before_ns.max(change.after_ns) > 0.0)
                    .for_each(|(what, change)| row(out, &format!("{name}: {what}"), change));
            }
        });
    }
    devices(&mut out, facts, sites, &names);
    findings(&mut out, facts, &names);
    let mut notes = notes(facts).peekable();
    if notes.peek().is_some() {
        out.push_str("\n**How far to trust these numbers**\n\n");
    }
    notes.for_each(|note| out.push_str(&format!("- {}\n", plain(note))));
    out
}

fn devices(out: &mut String, facts: &Facts, sites: usize, names: &FileNames) {
    if facts.devices.is_empty() || sites == 0 {
        return;
    }
    out.push_str(
        "\n| construct on a device | device | kind | count | to it | from it | moving | running |\n",
    );
    out.push_str("|:--|--:|:--|--:|--:|--:|--:|--:|\n");
    for row in facts.devices.iter().take(sites) {
        let cells = row.cells().join(" | ");
        out.push_str(&format!("| {} | {cells} |\n", code(&device_site(row, names))));
    }
}

fn about(side: &SideFacts) -> String {
    let whole = match &*side.wholeness.text {
        "" => String::new(),
        text => format!(". {}", plain(text)),
    };
    let (name, command) = (code(&side.name), code(&side.command));
    format!("{name} ({}): {command}{whole}", runs_on_threads(side))
}

fn table(out: &mut String, title: &str, rows: impl FnOnce(&mut String)) {
    out.push_str(&format!(
        "\n| {title} | before | after | change | more than noise |\n|:--|--:|--:|--:|:--|\n"
    ));
    rows(out);
}

fn row(out: &mut String, name: &str, change: &Change) {
    let judgement = match (change.verdict, change.p) {
        (Judgement::Change, Some(p)) => format!("**yes** (p {p:.3})"),
        (Judgement::Noise, Some(p)) => format!("no (p {p:.2})"),
        _ => String::new(),
    };
    let (before, after) = (time(change.before_ns), time(change.after_ns));
    out.push_str(&format!("| {name} | {before} | {after} | {} | {judgement} |\n", by(change)));
}

fn limits(out: &mut String, facts: &Facts) {
    if !facts.limits.is_empty() {
        out.push('\n');
    }
    for limit in &facts.limits {
        let mark = if limit.outcome == Outcome::Held { "" } else { "**" };
        let outcome = format!("{mark}{}{mark}", limit.outcome.words());
        out.push_str(&format!("- {} {outcome}: {}\n", code(&limit.limit), limit.text));
    }
}

fn findings(out: &mut String, facts: &Facts, names: &FileNames) {
    let all = [("gone", &facts.findings.gone, &names.before), ("new", &facts.findings.came, &names.after)];
    if all.iter().any(|(_, findings, _)| !findings.is_empty()) {
        out.push('\n');
    }
    for (what, findings, names) in all {
        for finding in findings {
            let place = code(&place(&at(finding), names));
            out.push_str(&format!("- finding {what}: {} at {place}\n", finding.rule));
        }
    }
}

/// A name of the program's in code, where no character but the table's has a meaning.
fn code(name: &str) -> String {
    format!("`{}`", printable(name).replace('`', "'").replace('|', "\\|"))
}

/// Prose that may contain a name of the program's.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for letter in printable(text).chars() {
        if "\\`*_<>[]|#".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_a_table_or_become_markup() {
        assert_eq!(code("a|b`c"), "`a\\|b'c`");
        assert_eq!(plain("<img> of *p [x]"), "\\<img\\> of \\*p \\[x\\]");
    }
}
