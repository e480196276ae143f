// SPDX-License-Identifier: Apache-2.0
//! The first screen of a large recording: what the recorder's sums say, while the recording is
//! read.

use grains::units::{bytes, count, percent, several, time};
use recordings::{FirstCounts, FirstFacts, FirstTimes};
use serde::Serialize;
use terminal::printable;

use super::quality::workers;
use super::style::{cut_end, paragraph, Style, WIDTH};

/// What stands on the first screen about one process: also in the page of `teff view`.
#[derive(Serialize)]
pub struct FirstScreen {
    pub title: String,
    /// What the figures are, and how good.
    pub about: String,
    /// Name, value, and remark.
    pub rows: Vec<[String; 3]>,
}

/// Empty if there is nothing to say yet.
pub fn first_screen(processes: &[FirstFacts], style: &Style) -> String {
    let mut out = String::new();
    for screen in first_screens(processes) {
        out.push_str(&format!("{}\n\n", style.bold(&cut_end(&screen.title, WIDTH))));
        paragraph(&mut out, "  ", &screen.about);
        out.push('\n');
        for [name, value, remark] in &screen.rows {
            out.push_str(format!("  {name:<14} {value:>12}   {remark}").trim_end());
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

pub fn first_screens(processes: &[FirstFacts]) -> Vec<FirstScreen> {
    processes.iter().map(|facts| FirstScreen::of(facts, processes.len() > 1)).collect()
}

impl FirstScreen {
    fn of(facts: &FirstFacts, is_one_of_several: bool) -> Self {
        let name = if is_one_of_several { format!("process {}: ", facts.process) } else { String::new() };
        let threads = u32::try_from(facts.workers).unwrap_or(u32::MAX);
        let wall = facts.wall_ns.map_or_else(|| "not known".to_owned(), time);
        let mut rows = vec![("wall time", wall, workers(threads, facts.processors, facts.cpu_ns))];
        if let Some(counts) = &facts.counts {
            rows.push(("grains", count(counts.tasks + counts.implicit + counts.chunks), kinds(counts)));
            rows.push(("constructs", count(counts.regions + counts.loops), constructs(counts)));
        }
        if let Some(times) = &facts.times {
            let parts = parts(times).into_iter();
            rows.extend(parts.map(|(name, ns, what)| {
                (name, percent(ns, times.whole_ns), format!("{}   {what}", time(ns)))
            }));
        }
        Self {
            title: printable(&format!("{name}{}", facts.command)),
            about: what_follows(facts),
            rows: rows.into_iter().map(|(name, value, remark)| [name.to_owned(), value, remark]).collect(),
        }
    }
}

fn what_follows(facts: &FirstFacts) -> String {
    let size = bytes(facts.bytes);
    match &facts.times {
        Some(times) => format!(
            "{size} are being read; the rest follows. Until then, these are sums that the recorder kept. Counts are \
             exact. The times include what recording took, and time without a processor: they are good to {}, {} of \
             the workers' time.",
            time(times.error_ns),
            percent(times.error_ns, times.whole_ns)
        ),
        None if facts.counts.is_some() => format!(
            "{size} are being read; the rest follows. Until then, these are counts that the recorder kept. {}",
            facts.without_times
        ),
        None => format!("{size} are being read; the rest follows. {}", facts.without_times),
    }
}

fn parts(times: &FirstTimes) -> [(&'static str, f64, &'static str); 4] {
    [
        ("program", times.work_ns, "in the program's code: tasks, loops and serial parts"),
        ("creation", times.creation_ns, "creating tasks, and taking chunks of loops"),
        ("rest", times.rest_ns, "waiting, or without a task"),
        ("of it asleep", times.asleep_ns, "of the rest"),
    ]
}

fn kinds(counts: &FirstCounts) -> String {
    let kinds = [(counts.tasks, "task"), (counts.chunks, "chunk"), (counts.implicit, "implicit task")];
    several_of(&kinds)
}

fn constructs(counts: &FirstCounts) -> String {
    several_of(&[(counts.regions, "parallel region"), (counts.loops, "loop")])
}

fn several_of(kinds: &[(u64, &str)]) -> String {
    let present = kinds.iter().filter(|(number, _)| *number > 0);
    present.map(|(number, noun)| several(*number, noun)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> FirstFacts {
        FirstFacts {
            process: "7".to_owned(),
            command: "./sort 9".to_owned(),
            bytes: 758_000_000,
            workers: 2,
            processors: 2,
            wall_ns: Some(1e9),
            cpu_ns: Some(1.5e9),
            counts: Some(FirstCounts {
                tasks: 16_000_000,
                implicit: 3,
                regions: 1,
                ..FirstCounts::default()
            }),
            times: Some(FirstTimes {
                whole_ns: 2e9,
                work_ns: 1e9,
                creation_ns: 4e8,
                rest_ns: 6e8,
                asleep_ns: 1e8,
                error_ns: 2e7,
            }),
            without_times: String::new(),
        }
    }

    #[test]
    fn the_first_screen_says_what_it_is_and_how_good() {
        let text = first_screen(&[facts()], &Style { colour: false, columns: Some(80) });
        for part in [
            "758 MB are being read; the rest follows.",
            "they are good to 20.0 ms, 1.0 % of the workers' time.",
            "2 workers on 2 processors; 1.50 s of CPU time",
            "16,000,000 tasks, 3 implicit tasks",
            "1 parallel region",
            "50 %   1.00 s   in the program's code",
        ] {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(&part.split_whitespace().collect::<Vec<_>>().join(" ")), "{part}: {text}");
        }
    }

    #[test]
    fn what_the_sums_do_not_know_is_left_out_with_its_reason() {
        let why = "The program did not end in order.".to_owned();
        let without = FirstFacts { times: None, wall_ns: None, without_times: why.clone(), ..facts() };
        let two = [without.clone(), FirstFacts { counts: None, process: "8".to_owned(), ..without }];
        let text = first_screen(&two, &Style { colour: false, columns: Some(80) });
        assert!(text.contains("process 8: ./sort 9") && text.contains(&why), "{text}");
        assert!(!text.contains("creation") && text.matches("16,000,000 tasks").count() == 1, "{text}");
    }
}
