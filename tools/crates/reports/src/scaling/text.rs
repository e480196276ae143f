// SPDX-License-Identifier: Apache-2.0
//! The scaling table as text: first times and speed-ups, then the factors of the efficiency. The
//! page of a set has the same words.

use grains::scaling::FACTORS;
use grains::units::{several, time};
use serde::Serialize;
use terminal::{printable, shell_word};

use super::facts::{Facts, Point};
use crate::report::{cut_end, paragraph, Style, WIDTH};

/// A factor that is as near to 1 at all numbers of threads is not worth a column.
const NEAR: f64 = 0.005;

pub fn render(facts: &Facts, style: &Style) -> String {
    let mut out = format!("{}\n\n", style.bold(&cut_end(&printable(&facts.command), WIDTH)));
    times(&mut out, facts, style);
    if let Some(text) = verdict(facts) {
        out.push('\n');
        paragraph(&mut out, "  ", &text);
    }
    factors(&mut out, facts, style);
    if !facts.notes.is_empty() {
        out.push_str(&format!("\n{}\n", style.warning("How far to trust these numbers")));
    }
    for note in &facts.notes {
        paragraph(&mut out, "  - ", &printable(note));
    }
    out
}

fn times(out: &mut String, facts: &Facts, style: &Style) {
    let reference = facts.points.first().map_or(1, asked);
    let against = several(reference.into(), "thread");
    out.push_str(&format!("{}\n", style.bold(&format!("Scaling, against the median run on {against}"))));
    // If a program sets the number itself, the efficiency is based on the workers.
    let other_workers = facts.points.iter().any(|point| asked(point) != point.workers);
    let workers = |what: &str| if other_workers { format!("{what:>8}") } else { String::new() };
    out.push_str(&format!(
        "  {:>7}{} {:>5} {:>10}   {:<19} {:>8} {:>10}\n",
        "threads",
        workers("workers"),
        "runs",
        "wall time",
        "shortest..longest",
        "speed-up",
        "efficiency"
    ));
    for point in &facts.points {
        let spread = format!("{}..{}", time(point.wall_min_ns), time(point.wall_max_ns));
        out.push_str(&format!(
            "  {:>7}{} {:>5} {:>10}   {spread:<19} {:>8} {:>10}\n",
            asked(point),
            workers(&point.workers.to_string()),
            point.runs.len(),
            time(point.wall_ns),
            ratio(point.speedup),
            ratio(point.efficiency)
        ));
    }
}

/// Whether more threads help, in a sentence. `None`: there is only one number of threads.
pub fn verdict(facts: &Facts) -> Option<String> {
    let (verdict, last) = facts.verdict.as_ref().zip(facts.points.last())?;
    let limit = verdict.limited_by.map_or_else(String::new, |name| format!("; most is lost to {name}"));
    let mut text = format!(
        "The program scales {} to {}: efficiency {}{limit}.",
        verdict.scales,
        several(asked(last).into(), "thread"),
        ratio(last.efficiency)
    );
    if verdict.enough_threads < asked(last) {
        text.push_str(&format!(
            " {} {} enough: as far as the runs can tell, more are no faster.",
            several(verdict.enough_threads.into(), "thread"),
            if verdict.enough_threads == 1 { "is" } else { "are" }
        ));
    }
    Some(text)
}

fn asked(point: &Point) -> u32 {
    point.threads.unwrap_or(point.workers)
}

/// Small ratios get enough digits that the product of the printed ratios is about the printed
/// product.
fn ratio(value: Option<f64>) -> String {
    let digits = |value: f64| match value {
        value if value >= 0.0995 => 2,
        value if value >= 0.00995 => 3,
        _ => 4,
    };
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.*}", digits(value)))
}

/// A factor of the efficiency, and what it stands for.
#[derive(Clone, Copy, Serialize)]
pub struct Factor {
    pub name: &'static str,
    pub meaning: &'static str,
}

/// In the order in which they come off the time.
fn all_factors() -> impl Iterator<Item = Factor> {
    let own = FACTORS.iter().map(|factor| factor.name);
    let names = ["work"].into_iter().chain(own).chain(["reference"]);
    names.map(|name| Factor { name, meaning: meaning(name) })
}

/// The factors that differ from 1 on any number of threads, and the others.
pub fn shown_factors(facts: &Facts) -> (Vec<Factor>, Vec<Factor>) {
    let differs = |name: &str| {
        let values = facts.points.iter().map(|point| point.factors.get(name).copied().flatten());
        values.flatten().any(|value| (value - 1.0).abs() >= NEAR)
    };
    all_factors().partition(|factor| differs(factor.name))
}

fn factors(out: &mut String, facts: &Facts, style: &Style) {
    let (shown, near) = shown_factors(facts);
    if shown.is_empty() {
        return;
    }
    let title = "What the efficiency is made of: the product of these factors";
    out.push_str(&format!("\n{}\n  {:>7} {:>10}", style.bold(title), "threads", "efficiency"));
    for (at, Factor { name, .. }) in shown.iter().enumerate() {
        out.push_str(&format!(" {} {name:>width$}", if at == 0 { "=" } else { "x" }, width = width(name)));
    }
    out.push('\n');
    for point in &facts.points {
        out.push_str(&format!("  {:>7} {:>10}", asked(point), ratio(point.efficiency)));
        for Factor { name, .. } in &shown {
            let value = ratio(point.factors.get(name).copied().flatten());
            out.push_str(&format!("   {value:>width$}", width = width(name)));
        }
        out.push('\n');
    }
    out.push('\n');
    for Factor { name, meaning } in &shown {
        out.push_str(&format!("  {name:<12} {meaning}\n"));
    }
    if !near.is_empty() {
        let names: Vec<_> = near.iter().map(|factor| factor.name).collect();
        paragraph(out, "  ", &format!("Within 0.5 % of 1: {}.", names.join(", ")));
    }
    next(out, facts);
}

fn width(name: &str) -> usize {
    name.len().max("0.0001".len())
}

fn meaning(factor: &str) -> &'static str {
    match factor {
        "work" => "the same program worked longer on more threads: memory, caches, clock rate",
        "recorder" => "what recording cost",
        "processors" => "threads waited for a processor, or slept",
        "serial" => "one thread worked, in no parallel region",
        "balance" => "threads waited at barriers and ends of regions, or were in no team",
        "ready" => "threads waited, and no task was ready",
        "locks" => "threads waited for locks, critical and ordered regions",
        "runtime" => "creating tasks, getting them to run, book-keeping of loops, fork and join",
        "unexplained" => "no record explains it",
        "reference" => "what the reference itself lost to the same causes",
        _ => "",
    }
}

/// Where to look: the run whose losses are the largest.
fn next(out: &mut String, facts: &Facts) {
    let [first, .., last] = &*facts.points else { return };
    let run = |point: &Point| shell_word(&facts.directory.join(&point.run));
    let text = format!(
        "To see the source lines that lose this time, use `teff report` on {}; to see where work grew, add --baseline \
         {}.",
        run(last),
        run(first)
    );
    out.push('\n');
    paragraph(out, "  ", &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_ratios_have_more_digits() {
        let shown = [1.0, 0.1, 0.0996, 0.048, 0.0012, 23.8].map(|value| ratio(Some(value)));
        assert_eq!(shown, ["1.00", "0.10", "0.10", "0.048", "0.0012", "23.80"]);
    }
}
