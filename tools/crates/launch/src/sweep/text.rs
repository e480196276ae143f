// SPDX-License-Identifier: Apache-2.0
//! The table of a sweep, and what it says about the best value.

use std::path::Path;

use grains::units::{count, percent, time};
use terminal::{printable, shell_word};

use super::facts::{Facts, Point};

/// Below this, recording changes no decision.
const MUCH_RECORDING: f64 = 0.1;
/// Fewer runs show little of the noise.
const FEW_RUNS: usize = 3;

pub fn render(facts: &Facts) -> String {
    let mut out = format!("{}\n\n", printable(&facts.command));
    let rows: Vec<[String; 9]> = facts.points.iter().map(row).collect();
    let heads: [&str; 9] = [
        &facts.over,
        "runs",
        "wall time",
        "shortest..longest",
        "work",
        "creation",
        "idle/grain",
        "grains",
        "mean grain",
    ];
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).chain([heads[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut line = |cells: &[String]| {
        let first = format!("  {:<width$}", cells[0], width = widths[0]);
        let rest = cells[1..].iter().zip(&widths[1..]).map(|(cell, width)| format!("  {cell:>width$}"));
        out.push_str(&format!("{first}{}\n", rest.collect::<String>()));
    };
    line(&heads.map(str::to_owned));
    for row in &rows {
        line(row);
    }
    out.push('\n');
    for sentence in verdict(facts).into_iter().chain(facts.notes.iter().cloned()) {
        out.push_str(&wrapped(&printable(&sentence)));
    }
    out
}

fn row(point: &Point) -> [String; 9] {
    let of = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), time);
    let range = match (point.wall_min_ns, point.wall_max_ns) {
        (Some(least), Some(most)) => format!("{}..{}", time(least), time(most)),
        _ => "-".to_owned(),
    };
    [
        printable(&point.value),
        point.runs.len().to_string(),
        of(point.wall_ns),
        range,
        of(point.work_ns),
        of(point.creation_ns),
        of(point.idle_ns_per_grain),
        point.grains.map_or_else(|| "-".to_owned(), |grains| count(grains.round() as u64)),
        of(point.mean_grain_ns),
    ]
}

/// The best value, and how sure that is.
fn verdict(facts: &Facts) -> Vec<String> {
    let mut said = Vec::new();
    let of = |value: &str| format!("{}={value}", facts.over);
    let Some(best) = facts.points.iter().find(|point| Some(&point.value) == facts.best.as_ref()) else {
        return vec!["No run can be read, so there is no best value.".to_owned()];
    };
    let wall = best.wall_ns.map_or_else(String::new, time);
    let read = facts.points.iter().filter(|point| point.wall_ns.is_some()).count();
    let others: Vec<String> = facts
        .points
        .iter()
        .filter(|point| point.among_the_best && point.value != best.value)
        .map(|point| point.value.clone())
        .collect();
    let runs = facts.points.iter().map(|point| point.runs.len()).filter(|&runs| runs > 0).min().unwrap_or(0);
    if read == 1 {
        said.push(format!("Only {} has runs that can be read: {wall}.", of(&best.value)));
    } else if runs < FEW_RUNS {
        said.push(format!(
            "Shortest: {} with {wall}. So few runs of a value do not show what is noise: use --runs 5.",
            of(&best.value)
        ));
    } else if others.len() + 1 == read {
        said.push(format!(
            "No value is faster than another by more than noise: the times of all of them overlap. {} has the \
             shortest median, {wall}.",
            of(&best.value)
        ));
    } else if others.is_empty() {
        said.push(format!("Best: {} with {wall}. All runs of other values took longer.", of(&best.value)));
    } else {
        said.push(format!(
            "Best: {} with {wall}. As fast, as far as these runs can tell: {}; their times overlap.",
            of(&best.value),
            others.join("; ")
        ));
    }
    let share = |point: &Point| point.recorder.unwrap_or_default();
    let most = facts.points.iter().max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or(best);
    if share(most) > MUCH_RECORDING {
        said.push(format!(
            "Recording took {} of the time with {}: without it, values with many grains are faster than here.",
            percent(share(most), 1.0),
            of(&most.value)
        ));
    }
    let other = facts.points.iter().find(|point| point.wall_ns.is_some() && point.value != best.value);
    if let Some(other) = other {
        let folder = |point: &Point| shell_word(&Path::new(&facts.folder).join(&point.directory));
        said.push(format!("To compare two values: teff diff {} {}", folder(other), folder(best)));
    }
    said
}

const WIDTH: usize = 98;

/// With its further lines under the first one.
fn wrapped(sentence: &str) -> String {
    let (mut out, mut line) = (String::new(), String::from(" "));
    for word in sentence.split(' ') {
        if line.len() > 1 && line.len() + 1 + word.len() > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(word);
    }
    format!("{out}{line}\n")
}
