// SPDX-License-Identifier: Apache-2.0
//! The lines of a report about the part of the run that it covers, and about named spans.

use grains::units::{count, percent, time};
use terminal::printable;

use super::facts::Facts;
use super::part::WindowFacts;
use super::style::Style;
use super::tables::{aligned_table, section};

/// Says which part of the run the report is about, if that is not all of it.
pub fn part_of_run(facts: &Facts) -> Option<String> {
    let is_whole = |window: &WindowFacts| window.from_ns <= 0.0 && window.to_ns >= facts.recording_ns;
    match &*facts.windows {
        [] if facts.every.as_ref().is_some_and(|every| every.recorded == Some(0)) => None, // see below
        [] => {
            Some("Nothing was recorded: the program had no parallel region after recording began.".to_owned())
        }
        [only] if is_whole(only) => None,
        [only] => {
            let (from, to) = (time(only.from_ns), time(only.to_ns));
            Some(format!("This is about {from} to {to} of a run of {}.", time(facts.recording_ns)))
        }
        [first, .., last] => Some(format!(
            "This is about {} stretches between {} and {} of a run of {}: {} in all.",
            count(facts.windows.len() as u64),
            time(first.from_ns),
            time(last.to_ns),
            time(facts.recording_ns),
            time(facts.wall_ns)
        )),
    }
}

/// Says which regions were recorded, if only some were.
pub fn some_regions(facts: &Facts) -> Option<String> {
    let every = facts.every.as_ref()?;
    let nth = every.nth;
    let (Some(all), Some(recorded)) = (every.regions, every.recorded) else {
        return Some(format!(
            "Of the outermost parallel regions of each construct, one in {nth} was recorded (--every {nth}), with what \
             follows until the next region. All counts and times are of these."
        ));
    };
    if recorded == 0 {
        return Some(format!(
            "Of the outermost parallel regions of each construct, one in {nth} was to be recorded (--every {nth}), and \
             no construct had so many: there were {} regions in all.",
            count(all)
        ));
    }
    Some(format!(
        "Of the outermost parallel regions of each construct, one in {nth} was recorded (--every {nth}), with what \
         follows until the next region: {} of {} regions. All counts and times are of these; the whole run had {:.1} \
         times as many regions.",
        count(recorded),
        count(all),
        all as f64 / recorded as f64
    ))
}

/// Left out if the program has no spans.
pub fn spans(out: &mut String, facts: &Facts, style: &Style) {
    if facts.spans.is_empty() {
        return;
    }
    let mut table = aligned_table(&["span", "count", "wall", "share", "work inside", "share"], 1);
    for span in &facts.spans {
        table.add_row([
            printable(&span.name),
            count(span.count),
            time(span.wall_ns),
            percent(span.wall_ns, facts.wall_ns),
            time(span.work_ns),
            percent(span.work_ns, facts.work_ns),
        ]);
    }
    section(out, style, "Named spans: --span NAME reports on one of them alone", &table, 0);
}
