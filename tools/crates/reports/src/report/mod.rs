// SPDX-License-Identifier: Apache-2.0
//! `teff report`: where the time of a recorded run went.

mod account;
mod answers;
mod counters;
mod counters_text;
mod devices;
mod devices_text;
mod facts;
mod first_text;
mod inside;
mod inside_text;
mod metrics;
mod names;
mod one_sided;
mod part;
mod part_text;
mod phases;
mod processes;
mod quality;
mod style;
mod tables;
mod templates;
mod text;

use std::io::{stdout, IsTerminal};
use std::process::ExitCode;

use recordings::{
    add_counts, baseline, budget_beside, first, open_with_processes, readers, Opened, ProcessFacts, Purpose,
};
use serde::Serialize;
use symbols::Symbols;
use terminal::{print, printable_json, shows_colours, Failure, Result};
use terminal_size::{terminal_size_of, Width};

use crate::args::ReportArgs;
use metrics::MetricsFacts;

pub use account::{found_facts, ClassFacts, FindingFacts, FoundFacts};
pub use answers::{label as class_label, nothing_found};
pub use counters::CounterFacts;
pub use counters_text::{of_sites as table_of_counters, Means};
pub use devices::DeviceSums;
pub use facts::{counted, in_regions, work_in_regions, Facts, Site, WholenessFacts};
pub use first_text::{first_screens, FirstScreen};
pub use inside::InSerialParts;
pub use metrics::{problems, Problem};
pub use part::{Extent, PartFacts};
pub use part_text::{note_on_parts, part};
pub use style::{cut_end, paragraph, Style, WIDTH};
pub use tables::{aligned_table, section};

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    facts: &'a facts::Facts,
    /// On request.
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<&'a MetricsFacts>,
    /// In the order in which they began.
    processes: &'a [ProcessFacts],
}

/// The report of one recording.
pub fn report(args: &ReportArgs) -> Result<ExitCode> {
    let limits = args.limits.limits(args.baseline.is_some())?;
    if !args.json && stdout().is_terminal() {
        print(&first_text::first_screen(&first(&args.recording), &own_style()))?;
    }
    let baseline = baseline(args.baseline.as_deref(), &args.recording)?; // one profile at a time
    let opened = open_with_processes(&args.recording, Purpose::Report)?;
    opened.note_missing_part();
    let own_clock = opened.own_clock();
    let Opened { mut profile, processes, unreadable, .. } = opened;
    if args.partial {
        profile.wholeness.accept_incomplete();
    }
    add_counts(&mut profile);
    let symbols = Symbols::resolve_and_unite(&mut profile);
    let readers = readers(profile.workers as usize)?;
    let (budget, deviation) = readers.install(|| budget_beside(&profile, baseline.as_ref()));
    let mut facts = facts::Facts::of(&profile, &budget, &symbols);
    let above: Vec<_> = unreadable.into_iter().chain(own_clock).collect();
    facts.first.extend_from_slice(&above);
    facts.notes.extend(above);
    let metrics =
        args.metrics.then(|| readers.install(|| MetricsFacts::of(&profile, deviation, &limits, &symbols)));
    let text = if args.json {
        let document = Document { facts: &facts, metrics: metrics.as_ref(), processes: &processes };
        let json = serde_json::to_string_pretty(&document);
        let json = json.map_err(|error| Failure::cannot("write JSON", error))?;
        printable_json(&json) + "\n"
    } else {
        let style = own_style();
        let metrics = metrics.map_or_else(String::new, |metrics| metrics::render(&metrics, &style));
        text::first_lines(&facts, &style)
            + &processes::render(&processes, &style)
            + &text::render(&facts, args.sites, &style)
            + &metrics
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn own_style() -> Style {
    Style { colour: shows_colours(), columns: columns() }
}

/// The width of the terminal on standard output; 80 if it is not known.
fn columns() -> Option<usize> {
    let size = || terminal_size_of(stdout()).map_or(80, |(Width(columns), _)| columns.into());
    stdout().is_terminal().then(size)
}
