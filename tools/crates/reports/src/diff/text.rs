// SPDX-License-Identifier: Apache-2.0
//! A comparison as text: first the time, then what changed and where, then how reliable this is.

use std::collections::{BTreeSet, HashMap};

use grains::units::{count, percent, several, time};
use terminal::printable;

use super::change::{Change, Judgement, NamedChange};
use super::devices::{self, DeviceChange};
use super::facts::{Facts, Findings, JoinedFacts, SideFacts};
use super::limits::{LimitFacts, Outcome};
use super::sites::{GrainFacts, Place, SiteFacts};
use crate::report::{class_label, cut_end, paragraph, FindingFacts, Style, WIDTH};

pub fn render(facts: &Facts, sites: usize, style: &Style) -> String {
    let names = FileNames::of(facts);
    let mut out = String::new();
    for (which, side) in [("before", &facts.before), ("after", &facts.after)] {
        if !side.wholeness.text.is_empty() {
            out.push_str(&format!(
                "{}\n",
                style.warning(&printable(&format!("{which}: {}", side.wholeness.text)))
            ));
        }
    }
    side(&mut out, "before", &facts.before);
    side(&mut out, "after", &facts.after);
    out.push('\n');
    line(&mut out, "wall time", &facts.wall, style);
    for total in shown_totals(facts) {
        line(&mut out, &class_label(total.name), &total.change, style);
    }
    limits(&mut out, &facts.limits, style);
    by_threads(&mut out, facts, style);
    changed_sites(&mut out, facts, (sites, &names), style);
    devices::render(&mut out, &facts.devices, sites, |row| device_site(row, &names), style);
    findings(&mut out, facts, &names, style);
    joined(&mut out, &facts.joined, style);
    let mut notes = notes(facts).peekable();
    if notes.peek().is_some() {
        out.push_str(&format!("\n{}\n", style.warning("How far to trust these numbers")));
    }
    for note in notes {
        paragraph(&mut out, "  - ", &printable(note));
    }
    out
}

/// The notes that are not the first words about a side.
pub(super) fn notes(facts: &Facts) -> impl Iterator<Item = &String> {
    let sides = [&facts.before, &facts.after];
    facts.notes.iter().filter(move |note| sides.iter().all(|side| **note != side.wholeness.text))
}

fn side(out: &mut String, which: &str, side: &SideFacts) {
    let (name, command) = (printable(&side.name), printable(&side.command));
    let text = format!("{which:<7} {name} ({}): {command}", runs_on_threads(side));
    out.push_str(&format!("{}\n", cut_end(&text, WIDTH)));
}

pub(super) fn runs_on_threads(side: &SideFacts) -> String {
    let threads = side.threads.unwrap_or(side.workers);
    format!("{} on {}", several(side.runs, "run"), several(threads.into(), "thread"))
}

/// The share of workers x wall below which times are left out of the text.
const LEAST: f64 = 0.001;

fn is_shown(ns: f64, facts: &Facts) -> bool {
    let whole = |change: f64, side: &SideFacts| change * f64::from(side.workers.max(1));
    ns >= LEAST * whole(facts.wall.before_ns, &facts.before).max(whole(facts.wall.after_ns, &facts.after))
}

pub(super) fn shown_totals(facts: &Facts) -> impl Iterator<Item = &NamedChange> {
    facts.totals.iter().filter(|total| is_shown(total.change.before_ns.max(total.change.after_ns), facts))
}

fn line(out: &mut String, name: &str, change: &Change, style: &Style) {
    let text = format!(
        "  {name:<14} {:>9} -> {:>9}  {:>8}  {}",
        time(change.before_ns),
        time(change.after_ns),
        by(change),
        verdict(change, style)
    );
    out.push_str(text.trim_end());
    out.push('\n');
}

/// By how much, in per cent, or how many times.
pub(super) fn by(change: &Change) -> String {
    match change.ratio.filter(|_| is_on_both_sides(change)) {
        None => String::new(),
        Some(ratio) if (0.1..3.0).contains(&ratio) => signed(ratio),
        Some(ratio) => times(ratio),
    }
}

fn is_on_both_sides(change: &Change) -> bool {
    change.before_ns > 0.0 && change.after_ns > 0.0
}

fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 100.0 => format!("x {}", count(ratio.round() as u64)),
        ratio => format!("x {ratio:.2}"),
    }
}

fn signed(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

fn verdict(change: &Change, style: &Style) -> String {
    let interval = match (change.ratio_low, change.ratio_high) {
        _ if !is_on_both_sides(change) => String::new(),
        (Some(low), Some(high)) if high < 3.0 => format!(", 95 %: {} to {}", signed(low), signed(high)),
        (Some(low), Some(high)) => format!(", 95 %: {} to {}", times(low), times(high)),
        _ => String::new(),
    };
    match (change.verdict, change.p) {
        (Judgement::Change, Some(p)) => style.bold(&format!("more than noise (p {p:.3}{interval})")),
        (Judgement::Noise, Some(p)) => format!("noise (p {p:.2}{interval})"),
        _ => String::new(),
    }
}

fn limits(out: &mut String, limits: &[LimitFacts], style: &Style) {
    if limits.is_empty() {
        return;
    }
    out.push_str(&format!("\n{}\n", style.bold("Limits")));
    for limit in limits {
        let words = limit.outcome.words();
        let outcome = if limit.outcome == Outcome::Held { words.to_owned() } else { style.warning(words) };
        out.push_str(&format!("  {:<14} {outcome}: {}\n", limit.limit, limit.text));
    }
}

fn by_threads(out: &mut String, facts: &Facts, style: &Style) {
    if facts.wall_by_threads.len() < 2 {
        return;
    }
    out.push_str(&format!("\n{}\n", style.bold("Wall time by threads")));
    for wall in &facts.wall_by_threads {
        let threads = wall.threads.map_or_else(|| "-".to_owned(), |number| number.to_string());
        line(out, &threads, &wall.change, style);
    }
}

pub(super) fn shown_sites(facts: &Facts) -> impl Iterator<Item = &SiteFacts> {
    facts.sites.iter().filter(|site| is_shown(site.weight(), facts))
}

fn changed_sites(out: &mut String, facts: &Facts, (limit, names): (usize, &FileNames), style: &Style) {
    let matters: Vec<&SiteFacts> = shown_sites(facts).collect();
    if matters.is_empty() || limit == 0 {
        return;
    }
    let title = match matters.iter().filter(|site| site.is_change()).count() {
        0 => "Sites, by the time by which they differ",
        _ => "Sites, those that changed by more than noise first",
    };
    out.push_str(&format!("\n{}\n", style.bold(title)));
    for site in matters.iter().take(limit) {
        one_site(out, site, (facts, names), style);
    }
    if let Some(more) = matters.len().checked_sub(limit).filter(|&more| more > 0) {
        out.push_str(&format!("  and {}: see --sites N\n", several(more as u64, "more site")));
    }
}

fn one_site(out: &mut String, site: &SiteFacts, (facts, names): (&Facts, &FileNames), style: &Style) {
    let name = site_name(site, names);
    let number = |number: f64| count(number.round() as u64);
    let (first, last) = (site.before.is_some(), site.after.is_some());
    let both = |first: bool, last: bool, before: String, after: String| match (first, last) {
        (true, true) if before == after => after,
        (true, true) => format!("{before} -> {after}"),
        (true, false) => before,
        _ => after,
    };
    let many = both(first, last, number(site.count_before), number(site.count_after));
    let mean = match site.kind {
        "sync" => String::new(),
        _ => format!(", {} each", both(first, last, time(site.mean_before_ns), time(site.mean_after_ns))),
    };
    out.push_str(&format!("  {}  {}: {many}{mean}\n", style.bold(&name), site.kind));
    for (name, change) in [("work", &site.work), ("waits", &site.wait), ("creation", &site.creation)] {
        if is_shown(change.before_ns.max(change.after_ns), facts) {
            line(out, &format!("  {name}"), change, style);
        }
    }
    if let Some(grains) = &site.grains {
        same_grains(out, grains);
    }
}

pub(super) fn site_name(site: &SiteFacts, names: &FileNames) -> String {
    let before = site.before.as_ref().map(|at| place(at, &names.before));
    let after = site.after.as_ref().map(|at| place(at, &names.after));
    match (before, after) {
        (Some(before), Some(after)) if before == after => after,
        (Some(before), Some(after)) => format!("{before} -> {after}"),
        (Some(before), None) => format!("{before} (only before)"),
        (None, Some(after)) => format!("{after} (only after)"),
        (None, None) => String::new(),
    }
}

pub(super) fn device_site(row: &DeviceChange, names: &FileNames) -> String {
    let at = Place { file: row.file.clone(), line: row.line, function: row.function.clone() };
    let (names, only) = match (&row.before, &row.after) {
        (Some(_), None) => (&names.before, " (only before)"),
        (None, Some(_)) => (&names.after, " (only after)"),
        _ => (&names.after, ""),
    };
    place(&at, names) + only
}

/// For each side: how a file is shown, by its path.
pub(super) struct FileNames {
    pub before: HashMap<String, String>,
    pub after: HashMap<String, String>,
}

impl FileNames {
    pub fn of(facts: &Facts) -> Self {
        let Findings { gone, came, stayed } = &facts.findings;
        let of_sites = |side: fn(&SiteFacts) -> &Option<Place>| {
            facts.sites.iter().filter_map(move |site| side(site).as_ref()).map(|place| &*place.file)
        };
        let of_devices = || facts.devices.iter().map(|row| &*row.file);
        let before = of_sites(|site| &site.before).chain(gone.iter().map(|finding| &*finding.file));
        let after = came.iter().chain(stayed).map(|finding| &*finding.file);
        let after = of_sites(|site| &site.after).chain(after).chain(of_devices());
        Self { before: short_names(before.chain(of_devices())), after: short_names(after) }
    }
}

/// The base name, with as many folders before it as no other of the files has.
fn short_names<'a>(files: impl Iterator<Item = &'a str>) -> HashMap<String, String> {
    let files: BTreeSet<&str> = files.collect();
    let last = |file: &'a str, number: usize| {
        let start = file.rmatch_indices('/').nth(number - 1).map_or(0, |(at, _)| at + 1);
        &file[start..]
    };
    let depth = |file: &'a str| file.split('/').count();
    let mut shown: HashMap<&str, usize> = files.iter().map(|file| (*file, 1)).collect();
    for number in 1..files.iter().map(|file| depth(file)).max().unwrap_or(1) {
        let mut times: HashMap<&str, u32> = HashMap::new();
        for file in &files {
            *times.entry(last(file, number)).or_default() += 1;
        }
        for (file, shown) in shown.iter_mut().filter(|(_, shown)| **shown == number) {
            *shown += usize::from(times[last(file, number)] > 1);
        }
    }
    let name = |(file, number): (&'a str, usize)| (file.to_owned(), last(file, number).to_owned());
    shown.into_iter().map(name).collect()
}

pub(super) fn place(place: &Place, names: &HashMap<String, String>) -> String {
    if place.line == 0 || place.file.is_empty() {
        return printable(&place.function);
    }
    let file = names.get(&place.file).unwrap_or(&place.file);
    printable(&format!("{file}:{} {}", place.line, place.function))
}

/// Work deviation, where not all grains were matched or these differ otherwise than the sum.
fn same_grains(out: &mut String, grains: &GrainFacts) {
    let unmatched = grains.no_construct + grains.no_scope + grains.other_number;
    if grains.matched == 0 || grains.matched_before_ns <= 0.0 {
        return;
    }
    let deviation = grains.deviation.map_or_else(String::new, |ratio| format!(", {ratio:.2} at the median"));
    out.push_str(&format!(
        "    {:<12} {:>9} -> {:>9}  {:>8}  {} of {} grains{deviation}\n",
        "same grains",
        time(grains.matched_before_ns),
        time(grains.matched_after_ns),
        signed(grains.matched_after_ns / grains.matched_before_ns),
        count(grains.matched),
        count(grains.matched + unmatched)
    ));
}

fn findings(out: &mut String, facts: &Facts, names: &FileNames, style: &Style) {
    let Findings { gone, came, stayed } = &facts.findings;
    let all = [("gone", gone, &names.before), ("new", came, &names.after), ("still", stayed, &names.after)];
    if all.iter().all(|(_, findings, _)| findings.is_empty()) {
        return;
    }
    out.push_str(&format!("\n{}\n", style.bold("Findings of the median runs")));
    for (what, findings, names) in all {
        for finding in findings {
            let text = format!(
                "{} at {}: {} would be gained",
                finding.rule,
                place(&at(finding), names),
                time(finding.gain_ns)
            );
            paragraph(out, &format!("  {what:<6} "), &text);
        }
    }
}

pub(super) fn at(finding: &FindingFacts) -> Place {
    let function = match (finding.line, finding.function.is_empty()) {
        (0, true) => "(the whole program)".to_owned(),
        _ => finding.function.clone(),
    };
    Place { file: finding.file.clone(), line: finding.line, function }
}

fn joined(out: &mut String, joined: &JoinedFacts, style: &Style) {
    out.push_str(&format!("\n{}\n", style.bold("What was joined")));
    let ways = [
        (joined.by_address, "at the same address of the same build"),
        (joined.by_line, "at the same line"),
        (joined.by_order, "by their order in the function"),
        (joined.only_before, "only before"),
        (joined.only_after, "only after"),
    ];
    let ways: Vec<_> = ways.iter().filter(|way| way.0 > 0).map(|(n, how)| format!("{n} {how}")).collect();
    let ways = if ways.is_empty() { "none".to_owned() } else { ways.join(", ") };
    paragraph(out, "  constructs  ", &format!("{ways}."));
    let all = joined.matched + joined.unmatched;
    let mut text = format!(
        "{} of {} ({}) have a counterpart, with {} of the work before and {} after.",
        count(joined.matched),
        several(all, "grain"),
        percent(joined.matched as f64, all as f64),
        percent(joined.matched_work_before, 1.0),
        percent(joined.matched_work_after, 1.0)
    );
    let why = [
        (joined.no_construct, "are of constructs that were not there before"),
        (joined.no_scope, "were created in grains without a counterpart"),
        (
            joined.other_number,
            "are another number of grains, or other iterations, than were created there before",
        ),
    ];
    let why: Vec<_> =
        why.iter().filter(|why| why.0 > 0).map(|(n, why)| format!("{} {why}", count(*n))).collect();
    if !why.is_empty() {
        text.push_str(&format!(" Of the others {}.", why.join("; ")));
    }
    if let Some([low, middle, high]) = joined.deviation {
        text.push_str(&format!(
            " Work deviation of the same grains, after / before: {middle:.2} at the median, from {low:.2} (10 %) to \
             {high:.2} (90 %)."
        ));
    }
    paragraph(out, "  grains      ", &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_shown_where_base_names_are_not_unique() {
        let names = short_names(["/s/ta/k.c", "/s/tb/k.c", "/s/tb/m.c", "k.c", ""].into_iter());
        let shown = |file: &str| names[file].as_str();
        assert_eq!([shown("/s/ta/k.c"), shown("/s/tb/k.c"), shown("/s/tb/m.c")], ["ta/k.c", "tb/k.c", "m.c"]);
        assert_eq!([shown("k.c"), shown("")], ["k.c", ""]);
    }
}
