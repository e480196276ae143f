// SPDX-License-Identifier: Apache-2.0
//! The report as text. For a terminal: at most 100 columns, colours only where it shows them.
//! Elsewhere no site is cut: what reads a pipe or a file needs all that tells sites apart.

use comfy_table::{presets, CellAlignment, Table};

use super::facts::{Facts, Site};
use crate::console::printable;
use crate::units::{count, percent, time};

const WIDTH: usize = 96;
/// What a site's name may take of it.
const NAME_WIDTH: usize = 42;

pub fn render(facts: &Facts, sites: usize, style: &Style) -> String {
    let mut out = String::new();
    heading(&mut out, facts, style);
    totals(&mut out, facts);
    work_by_site(&mut out, facts, sites, style);
    low_benefit(&mut out, facts, sites, style);
    from_ready_to_running(&mut out, facts, style);
    notes(&mut out, facts, style);
    out
}

pub struct Style {
    pub colour: bool,
    /// Sites have only so much room.
    pub cut: bool,
}

impl Style {
    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn warning(&self, text: &str) -> String {
        self.with("33", text)
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

fn heading(out: &mut String, facts: &Facts, style: &Style) {
    let state = if facts.complete { "" } else { "  (incomplete)" };
    let command = cut_end(&printable(&facts.command), WIDTH - 14);
    out.push_str(&format!("{}{}\n\n", style.bold(&command), style.warning(state)));
}

fn totals(out: &mut String, facts: &Facts) {
    let grains = &facts.grains;
    let mut line = |name: &str, value: String, remark: String| {
        out.push_str(format!("  {name:<12} {value:>12}   {remark}").trim_end());
        out.push('\n');
    };
    line("wall time", time(facts.wall_ns), workers(facts));
    if facts.regions_ns > 0.0 {
        line("in parallel", time(facts.regions_ns), in_regions(facts));
    }
    line(
        "span",
        time(facts.span_ns),
        "work on the longest path, with loops in the chunks of this run".to_owned(),
    );
    line("parallelism", format!("{:.2}", facts.parallelism), "work / span".to_owned());
    line("grains", count(grains.total), kinds(facts));
    line("", String::new(), String::new());

    let whole = facts.wall_ns * f64::from(facts.workers);
    let mut part = |name: &str, value: f64, remark: &str| {
        line(name, time(value), format!("{:>6}   {remark}", percent(value, whole)));
    };
    part("work", facts.work_ns, "in the program's own code");
    part("creation", facts.creation_ns, "creating tasks, book-keeping of chunks");
    part("waiting", facts.wait_ns, "at barriers, taskwaits, locks, critical and ordered regions");
    part("no task", facts.no_task_ns, "sequential parts of the program, ends of parallel regions");
    part("asleep", facts.idle_ns, "for want of a task; part of the two lines above");
}

fn workers(facts: &Facts) -> String {
    let (workers, processors) = (u64::from(facts.workers), u64::from(facts.processors));
    format!("{} on {}", several(workers, "worker"), several(processors, "processor"))
}

fn several(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

fn in_regions(facts: &Facts) -> String {
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
    if facts.sites.is_empty() {
        return;
    }
    let mut table = table(&["site", "kind", "count", "work", "share", "mean"]);
    for site in facts.sites.iter().take(limit) {
        table.add_row([
            name(site, style),
            site.kind.to_owned(),
            count(site.count),
            time(site.work_ns),
            percent(site.work_ns, facts.work_ns),
            time(site.mean_ns),
        ]);
    }
    section(out, style, "Work by site", &table, facts.sites.len().saturating_sub(limit));
}

fn low_benefit(out: &mut String, facts: &Facts, limit: usize, style: &Style) {
    let mut low: Vec<_> = facts.sites.iter().filter(|site| site.low_benefit > 0).collect();
    if low.is_empty() {
        return;
    }
    low.sort_by_key(|site| std::cmp::Reverse(site.low_benefit));
    let mut table = table(&["site", "kind", "low", "share", "worst", "mean work", "mean cost"]);
    for site in low.iter().take(limit) {
        let cost = site.creation_ns / site.count.max(1) as f64;
        table.add_row([
            name(site, style),
            site.kind.to_owned(),
            count(site.low_benefit),
            percent(site.low_benefit as f64, site.with_benefit as f64),
            site.worst_benefit.map_or(String::new(), |worst| format!("{worst:.2}")),
            time(site.mean_ns),
            time(cost),
        ]);
    }
    let title = "Low parallel benefit: grains that cost their parent more than they take off it";
    section(out, style, title, &table, low.len().saturating_sub(limit));
}

fn from_ready_to_running(out: &mut String, facts: &Facts, style: &Style) {
    if facts.priorities.is_empty() {
        return;
    }
    let header = ["priority", "tasks", "mean", "median", "90 %", "99 %", "preempted", "suspended"];
    let mut table = aligned_table(&header, 0);
    for row in &facts.priorities {
        table.add_row([
            row.priority.to_string(),
            count(row.tasks),
            time(row.mean_ns),
            time(row.median_ns),
            time(row.p90_ns),
            time(row.p99_ns),
            count(row.preempted),
            count(row.suspended),
        ]);
    }
    let title = "From ready to running: how long tasks waited for a worker, and how often they left it";
    section(out, style, title, &table, 0);
}

fn table(header: &[&str]) -> Table {
    aligned_table(header, 2)
}

/// The first `names` columns hold words, the others numbers.
fn aligned_table(header: &[&str], names: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(header);
    for at in names..header.len() {
        if let Some(column) = table.column_mut(at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn section(out: &mut String, style: &Style, title: &str, table: &Table, left_out: usize) {
    out.push_str(&format!("\n{}\n", style.bold(title)));
    for line in table.lines() {
        out.push_str(&format!(" {}\n", line.trim_end()));
    }
    if left_out > 0 {
        let more = several(left_out as u64, "more site");
        out.push_str(&format!("  and {more}: see --sites\n"));
    }
}

fn notes(out: &mut String, facts: &Facts, style: &Style) {
    for note in &facts.notes {
        out.push('\n');
        for (at, line) in wrap(note, WIDTH - 6).iter().enumerate() {
            let lead = if at == 0 { style.warning("note") } else { "    ".to_owned() };
            out.push_str(&format!("{lead}  {line}\n"));
        }
    }
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// `file:line function`. What is too long for a terminal keeps its ends, which say most.
fn name(site: &Site, style: &Style) -> String {
    let function = if site.function.is_empty() { "(unknown)".to_owned() } else { printable(&site.function) };
    let file = printable(&site.file);
    match (file.is_empty(), style.cut) {
        (true, false) => function,
        (true, true) => cut_middle(&function, NAME_WIDTH),
        (false, false) => format!("{file}:{} {function}", site.line),
        (false, true) => {
            let place = format!("{}:{}", cut_start(&file, NAME_WIDTH / 2), site.line);
            let room = NAME_WIDTH.saturating_sub(place.chars().count() + 1);
            format!("{place} {}", cut_middle(&function, room.max(8)))
        }
    }
}

fn cut_end(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}

fn cut_middle(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let head: String = text.chars().take(kept / 2).collect();
    let tail: String = text.chars().skip(length - (kept - kept / 2)).collect();
    format!("{head}…{tail}")
}

/// `…` and whole components from the end, as many as fit.
fn cut_start(path: &str, width: usize) -> String {
    if path.chars().count() <= width {
        return path.to_owned();
    }
    let fits = |at: &usize| path[*at..].chars().count() < width;
    match path.match_indices('/').map(|(at, _)| at).find(fits) {
        Some(at) => format!("…{}", &path[at..]),
        None => cut_middle(path.rsplit('/').next().unwrap_or(path), width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_where_they_say_least() {
        assert_eq!(cut_start("/home/user/project/src/sort.c", 14), "…/src/sort.c");
        assert_eq!(cut_start("a/quite_long_file_name.c", 10), "quit…ame.c");
        assert_eq!(cut_start("src/sort.c", 10), "src/sort.c");
        assert_eq!(cut_end("abcdef", 4), "abc…");
        assert_eq!(cut_middle("ns::tpl<double>", 9), "ns::…ble>");
        assert_eq!(cut_middle("ns::tpl<int>", 12), "ns::tpl<int>");
    }

    #[test]
    fn notes_are_wrapped_at_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    }
}
