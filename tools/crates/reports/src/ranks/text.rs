// SPDX-License-Identifier: Apache-2.0
//! The comparison of ranks as text.

use grains::units::{percent, several, time};
use terminal::{printable, shell_word};

use super::facts::{Between, Facts, RankFacts};
use crate::report::{aligned_table, cut_end, paragraph, Style, WIDTH};

/// Of the slowest rank's wall time: less is the noise of any machine.
const WORTH: f64 = 0.02;
/// More rows are not read: then the slowest and the fastest are shown.
const MOST_ROWS: usize = 32;

pub fn render(facts: &Facts, style: &Style) -> String {
    let mut out = String::new();
    for rank in facts.ranks.iter().filter(|rank| !rank.wholeness.text.is_empty()) {
        let text = format!("{}: {}", name(rank), rank.wholeness.text);
        out.push_str(&format!("{}\n", style.warning(&printable(&text))));
    }
    out.push_str(&format!("{}\n\n", style.bold(&cut_end(&printable(&facts.command), WIDTH))));
    if let Some(between) = &facts.between {
        finding(&mut out, facts, between);
    }
    table(&mut out, facts, style);
    if !facts.notes.is_empty() {
        out.push_str(&format!("\n{}\n", style.warning("How far to trust these numbers")));
    }
    for note in &facts.notes {
        paragraph(&mut out, "  - ", &printable(note));
    }
    out
}

fn finding(out: &mut String, facts: &Facts, between: &Between) {
    let slowest = &facts.ranks[between.slowest];
    let more = percent(between.gain_ns, between.regions_mean_ns);
    let says = if between.gain_ns < WORTH * slowest.wall_ns {
        "The ranks are equal in the time that they spend in parallel regions.".to_owned()
    } else {
        format!(
            "{} is the slowest: it is in parallel regions for {}, {more} longer than the mean of all ranks. If the \
             work were divided evenly, the job could be {} shorter. Give this rank less work, or more threads.",
            name(slowest),
            time(between.regions_max_ns),
            time(between.gain_ns)
        )
    };
    paragraph(out, "  ", &says);
    let report = shell_word(&slowest.recording);
    paragraph(out, "  ", &format!("What happens within it: teff report {report}"));
    out.push('\n');
}

fn table(out: &mut String, facts: &Facts, style: &Style) {
    let title = several(facts.ranks.len() as u64, "rank");
    out.push_str(&format!("{}\n", style.bold(&title)));
    let header = ["rank", "host", "workers", "wall time", "in parallel", "at work there", "outside OpenMP"];
    let mut table = aligned_table(&header, 2);
    let shown = shown(&facts.ranks);
    for rank in &shown {
        table.add_row([
            rank.rank.map_or_else(|| rank.recording.display().to_string(), |rank| rank.to_string()),
            printable(&rank.host),
            rank.workers.to_string(),
            time(rank.wall_ns),
            time(rank.regions_ns),
            format!("{:.2} workers", rank.at_work),
            time(rank.outside_ns),
        ]);
    }
    for line in table.lines() {
        out.push_str(&format!(" {}\n", line.trim_end()));
    }
    if shown.len() < facts.ranks.len() {
        let more = several((facts.ranks.len() - shown.len()) as u64, "more rank");
        out.push_str(&format!("  and {more} between these: see --json\n"));
    }
    paragraph(out, "  ", "Outside OpenMP is serial code, and waiting for other ranks in MPI.");
}

/// All, or the slowest and the fastest, by falling time.
fn shown(ranks: &[RankFacts]) -> Vec<&RankFacts> {
    let mut shown: Vec<_> = ranks.iter().collect();
    if shown.len() > MOST_ROWS {
        shown.sort_by(|a, b| b.regions_ns.total_cmp(&a.regions_ns));
        shown.drain(MOST_ROWS / 2..ranks.len() - MOST_ROWS / 2);
    }
    shown
}

fn name(rank: &RankFacts) -> String {
    rank.rank.map_or_else(|| rank.recording.display().to_string(), |rank| format!("Rank {rank}"))
}
