// SPDX-License-Identifier: Apache-2.0
//! The report as text: first what to change, then where the time went and how reliable this is, and
//! then the sites. A terminal gets at most 100 columns, and colours only if it shows them.
//! Long names of sites are cut (`names`), elsewhere later than on a terminal.

use grains::units::{count, percent, several, time};
use symbols::call_paths::{in_words, shares};
use terminal::printable;

use super::answers::{budget, findings};
use super::counters_text::by_site;
use super::devices_text::devices;
use super::facts::{Facts, Site, Times};
use super::inside_text::where_inside;
use super::part_text::{part, spans};
use super::phases::{PhaseFacts, Where};
use super::quality::workers;
use super::style::{cut_end, paragraph, Style, WIDTH};
use super::tables::{aligned_table, section, table};

pub fn render(facts: &Facts, sites: usize, style: &Style) -> String {
    let mut out = String::new();
    heading(&mut out, facts, style);
    if facts.part.windows.is_empty() {
        return out; // the heading says that nothing was recorded
    }
    findings(&mut out, facts, style);
    let others = facts.runtimes.iter().any(|runtime| !runtime.recorded);
    budget(&mut out, &facts.budget, others, style);
    totals(&mut out, facts);
    quality(&mut out, facts, style);
    spans(&mut out, facts, style);
    devices(&mut out, facts.devices.as_ref(), facts.wall_ns, sites, style);
    work_by_site(&mut out, facts, sites, style);
    by_site(&mut out, facts, sites, style);
    where_inside(&mut out, facts, sites, style);
    between_barriers(&mut out, facts, sites, style);
    reached_by(&mut out, facts, sites, style);
    low_benefit(&mut out, facts, sites, style);
    by_priority(&mut out, facts, style);
    preemptions(&mut out, facts, style);
    out
}

/// What stands above all figures, if a part of the recording is missing.
pub fn first_lines(facts: &Facts, style: &Style) -> String {
    let mut lines = String::new();
    for line in &facts.first {
        lines.push_str(&format!("{}\n", style.warning(&printable(line))));
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines
}

fn heading(out: &mut String, facts: &Facts, style: &Style) {
    let command = cut_end(&printable(&facts.command), WIDTH);
    out.push_str(&format!("{}\n\n", style.bold(&command)));
    for line in part(&facts.part) {
        paragraph(out, "", &line);
        out.push('\n');
    }
}

fn totals(out: &mut String, facts: &Facts) {
    let grains = &facts.grains;
    out.push('\n');
    let mut line = |name: &str, value: String, remark: String| {
        out.push_str(format!("  {name:<12} {value:>12}   {remark}").trim_end());
        out.push('\n');
    };
    line("wall time", time(facts.wall_ns), workers(facts.workers, facts.processors, facts.quality.cpu_ns));
    if facts.regions_ns > 0.0 {
        line("in parallel", time(facts.regions_ns), in_regions(facts));
    }
    for (name, value, remark) in bounds(facts) {
        line(name, value, remark);
    }
    line("grains", count(grains.total), kinds(facts));
}

/// The span of any schedule cannot see what the compiler shared out; less than this part of the
/// work is no matter.
const UNSEEN: f64 = 0.01;

/// The bounds, and what they are bounds of: this run's schedule, and any.
fn bounds(facts: &Facts) -> [(&'static str, String, String); 2] {
    let unseen = facts.quality.unseen_static_ns > UNSEEN * facts.work_ns;
    let (most, least) = if unseen { ("at most ", "at least ") } else { ("", "") };
    let (span, parallelism) = (facts.span_any_schedule_ns, facts.parallelism_any_schedule);
    [
        (
            "span",
            time(facts.span_ns),
            format!("the longest path with this schedule; {most}{} with any", time(span)),
        ),
        (
            "parallelism",
            format!("{:.2}", facts.parallelism),
            format!("work / span with this schedule; {least}{parallelism:.2} with any"),
        ),
    ]
}

/// What lies beside the records that are lost is not known: neither what part of the wall time
/// these regions are, nor what was done in them.
fn in_regions(facts: &Facts) -> String {
    if facts.quality.lost_records > 0 {
        return "in the parallel regions that were recorded; records are lost".to_owned();
    }
    format!(
        "{} of the wall time in parallel regions; {:.2} workers at work there",
        percent(facts.regions_ns, facts.wall_ns),
        facts.regions_work_ns / facts.regions_ns
    )
}

fn kinds(facts: &Facts) -> String {
    let grains = &facts.grains;
    let kinds = [
        (grains.tasks, several(grains.tasks, "task")),
        (grains.chunks, several(grains.chunks, "chunk")),
        (grains.implicit, several(grains.implicit, "implicit task")),
        (grains.initial, format!("{} initial", count(grains.initial))),
        (grains.unfinished, format!("{} unfinished", count(grains.unfinished))),
        (grains.stolen, format!("{} stolen", count(grains.stolen))),
        (grains.discarded, format!("{} discarded", count(grains.discarded))),
    ];
    let present = kinds.into_iter().filter(|(number, _)| *number > 0);
    present.map(|(_, text)| text).collect::<Vec<_>>().join(", ")
}

fn work_by_site(out: &mut String, facts: &Facts, limit: usize, style: &Style) {
    if facts.sites.is_empty() || limit == 0 {
        return;
    }
    let mut table = table(&["site", "kind", "count", "work", "share", "mean"]);
    let shown: Vec<_> = facts.sites.iter().take(limit).collect();
    for (site, name) in shown.iter().zip(style.names(&shown)) {
        table.add_row([
            name,
            site.kind.to_owned(),
            count(site.count),
            time(site.work_ns),
            percent(site.work_ns, facts.work_ns),
            time(site.mean_ns),
        ]);
    }
    section(out, style, "Work by site", &table, facts.sites.len().saturating_sub(limit));
}

/// The share of the workers' time that the work of a phase must have to get a line.
const LEAST_SHARE: f64 = 0.01;

/// Left out if no phase matters, as in a program of tasks.
fn between_barriers(out: &mut String, facts: &Facts, limit: usize, style: &Style) {
    let matters = |phase: &&PhaseFacts| phase.work_ns > LEAST_SHARE * facts.budget.whole_ns;
    let rows: Vec<_> = facts.phases.iter().filter(matters).collect();
    if rows.is_empty() || limit == 0 {
        return;
    }
    let header = ["until", "in the region", "times", "work", "share", "mean", "longest", "waited"];
    let mut table = aligned_table(&header, 2);
    for phase in rows.iter().take(limit) {
        let until = match phase.ends_at {
            "barrier" => short_name(style, &phase.until),
            _ => "the region's end".to_owned(),
        };
        table.add_row([
            until,
            short_name(style, &phase.region),
            count(phase.times),
            time(phase.work_ns),
            percent(phase.work_ns, facts.work_ns),
            time(phase.mean_ns),
            time(phase.longest_ns),
            time(phase.waited_ns),
        ]);
    }
    let title = "Between barriers: work of the threads outside of tasks and chunks, and waits at the end";
    section(out, style, title, &table, rows.len().saturating_sub(limit));
}

fn short_name(style: &Style, place: &Where) -> String {
    style.short_name(&place.file, place.line, &place.function)
}

/// The largest number of paths of one site; more would not be read.
const PATHS: usize = 3;

/// By which calls the sites of the table before were reached; nothing where that was not recorded.
fn reached_by(out: &mut String, facts: &Facts, limit: usize, style: &Style) {
    let paths_of = |site: &&Site| site.call_paths.as_ref().is_some_and(|paths| !paths.is_empty());
    let shown: Vec<_> = facts.sites.iter().take(limit).filter(paths_of).collect();
    if shown.is_empty() {
        return;
    }
    let title = "Call paths: the calls that led to these sites, ordered by work and waits";
    out.push_str(&format!("\n{}\n", style.bold(title)));
    for (site, name) in shown.iter().zip(style.names(&shown)) {
        let paths = site.call_paths.as_deref().unwrap_or_default();
        out.push_str(&format!("  {name}\n"));
        for (path, share) in paths.iter().zip(shares(paths)).take(PATHS) {
            paragraph(out, &format!("  {share:>7}  "), &in_words(path));
        }
        if let Some(more) = paths.len().checked_sub(PATHS).filter(|&more| more > 0) {
            out.push_str(&format!("           and {}: see --json\n", several(more as u64, "more path")));
        }
    }
}

/// The share of the workers' time that the grains of low benefit of a site must cost to get a line.
/// Their number alone says little: near 1 the benefit of like grains falls to either side.
const LOW_BENEFIT_SHARE: f64 = 0.01;

fn low_benefit(out: &mut String, facts: &Facts, limit: usize, style: &Style) {
    let matters = |site: &&Site| site.low_benefit_ns > LOW_BENEFIT_SHARE * facts.budget.whole_ns;
    let mut low: Vec<_> = facts.sites.iter().filter(matters).collect();
    if low.is_empty() || limit == 0 {
        return;
    }
    low.sort_by(|a, b| b.low_benefit_ns.total_cmp(&a.low_benefit_ns));
    let mut table = table(&["site", "kind", "low", "share", "cost", "mean work", "mean cost"]);
    let shown = &low[..limit.min(low.len())];
    for (site, name) in shown.iter().zip(style.names(shown)) {
        table.add_row([
            name,
            site.kind.to_owned(),
            count(site.low_benefit),
            percent(site.low_benefit as f64, site.with_benefit as f64),
            time(site.low_benefit_ns),
            time(site.mean_ns),
            time(site.mean_cost_ns),
        ]);
    }
    let title = "Low parallel benefit: grains that cost their parent more time than they save it";
    section(out, style, title, &table, low.len().saturating_sub(limit));
}

fn by_priority(out: &mut String, facts: &Facts, style: &Style) {
    if facts.priorities.is_empty() {
        return;
    }
    let header =
        ["priority", "tasks", "to run: median", "99 %", "max", "to end: median", "99 %", "max", "overtaken"];
    let mut table = aligned_table(&header, 0);
    for row in &facts.priorities {
        table.add_row([
            row.priority.to_string(),
            count(row.tasks),
            time(row.median_ns),
            time(row.p99_ns),
            time(row.max_ns),
            time(row.turnaround.median_ns),
            time(row.turnaround.p99_ns),
            time(row.turnaround.max_ns),
            count(row.overtaken),
        ]);
    }
    let title = "By priority: how long tasks were ready until they ran, and until they had ended";
    section(out, style, title, &table, 0);
}

/// The table of preemptions. Left out if no worker was asked to leave its task and no task was
/// preempted.
fn preemptions(out: &mut String, facts: &Facts, style: &Style) {
    let rows = || facts.priorities.iter().filter(|row| row.preempted + row.preempting + row.requests > 0);
    if rows().next().is_none() {
        return;
    }
    let header = [
        "priority",
        "preempted",
        "away",
        "preempting",
        "switch",
        "99 %",
        "gained",
        "in all",
        "asked",
        "wasted",
    ];
    let mut table = aligned_table(&header, 0);
    let of = |times: &Times, ns: f64| if times.count == 0 { "-".to_owned() } else { time(ns) };
    for row in rows() {
        table.add_row([
            row.priority.to_string(),
            count(row.preempted),
            of(&row.away, row.away.median_ns),
            count(row.preempting),
            of(&row.to_switch, row.to_switch.median_ns),
            of(&row.to_switch, row.to_switch.p99_ns),
            of(&row.gained, row.gained.median_ns),
            of(&row.gained, row.gained.sum_ns),
            count(row.requests),
            count(row.not_worth),
        ]);
    }
    let title =
        "Preemptions of tasks: times away, until the switch, and gained (medians, or as the column says)";
    section(out, style, title, &table, 0);
}

/// What matters of it; nothing where all is well.
fn quality(out: &mut String, facts: &Facts, style: &Style) {
    let is_above = |note: &&String| facts.first.contains(note);
    let mut notes = facts.quality.notes.iter().chain(&facts.notes).filter(|note| !is_above(note)).peekable();
    if notes.peek().is_some() {
        out.push_str(&format!("\n{}\n", style.warning("How far to trust these numbers")));
    }
    for note in notes {
        paragraph(out, "  - ", &printable(note));
    }
}
