// SPDX-License-Identifier: Apache-2.0
//! The comparison of ranks as text.

use grains::units::{percent, several, time};
use terminal::{printable, shell_word};

use super::facts::{Between, Facts, RankFacts};
use crate::report::{aligned_table, cut_end, paragraph, Style, WIDTH};

/// Of the slowest rank's wall time: less is the noise of any machine.
const WORTH: f64 = 0.02;
/// Of the time of a rank's threads in regions: of less, nothing is said.
const DISTURBED: f64 = 0.1;
/// More rows are not read: then the slowest and the fastest are shown.
const MOST_ROWS: usize = 32;

pub fn render(facts: &Facts, style: &Style) -> String {
    let mut out = String::new();
    for why in &facts.unreadable {
        out.push_str(&format!("{}\n", style.warning(&printable(why))));
    }
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
    disturbed(out, facts);
    let says = if between.gain_ns < WORTH * slowest.wall_ns {
        "The ranks are equal in the time that they spend in parallel regions.".to_owned()
    } else if between.gain_ns < between.uncertain_ns {
        "Other processes took so much of the ranks' time that it cannot be told which rank is the slowest."
            .to_owned()
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

/// The rank that other processes disturbed most.
fn disturbed(out: &mut String, facts: &Facts) {
    let share =
        |rank: &&RankFacts| rank.regions_others_ns / (f64::from(rank.workers) * rank.regions_ns).max(1.0);
    let Some(most) = facts.ranks.iter().max_by(|a, b| share(a).total_cmp(&share(b))) else { return };
    if share(&most) < DISTURBED {
        return;
    }
    let says = format!(
        "! {}: threads had work and did not run: other processes had the processors for {} of its threads' time in \
         parallel regions. The comparison leaves this time out, and is less certain. Run the job on quiet machines.",
        name(most),
        percent(share(&most), 1.0)
    );
    paragraph(out, "  ", &says);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::facts::tests::rank;

    fn text(ranks: [RankFacts; 2], gain_ns: f64, uncertain_ns: f64) -> String {
        let mut out = String::new();
        let between = Between {
            slowest: 1,
            regions_max_ns: 9e9,
            regions_mean_ns: 8e9,
            imbalance: 1.1,
            gain_ns,
            uncertain_ns,
        };
        let facts = Facts {
            schema: "",
            version: 0,
            command: String::new(),
            size: None,
            job: None,
            ranks: ranks.into(),
            between: None,
            notes: Vec::new(),
            unreadable: Vec::new(),
        };
        finding(&mut out, &facts, &between);
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_rank_is_named_only_if_it_is_known_to_be_slow() {
        let ranks = || [rank(0, 7e9), rank(1, 9e9)];
        assert!(text(ranks(), 1e9, 0.9e9).starts_with("Rank 1 is the slowest"));
        assert!(text(ranks(), 1e9, 1.1e9).contains("it cannot be told which rank is the slowest"));
        assert!(text(ranks(), 0.1, 0.0).starts_with("The ranks are equal"));
    }

    #[test]
    fn a_machine_that_others_used_is_told_first() {
        let mut ranks = [rank(0, 7e9), rank(1, 9e9)];
        ranks[0].regions_others_ns = 7e9;
        assert!(text(ranks, 1e9, 0.0).starts_with(
            "! Rank 0: threads had work and did not run: other processes had \
                                                   the processors for 50 % of its threads' time"
        ));
    }
}
