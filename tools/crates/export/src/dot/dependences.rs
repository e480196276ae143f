// SPDX-License-Identifier: Apache-2.0
//! The dependences of a run, drawn as a monitor inside GCC's runtime drew them. Each task is a
//! node, with the letter of the worker that ran the task, the task's number, and when it began. A
//! black edge leads from a task to a task that depends on it, and a grey edge from a task to each
//! task that it created. An excerpt has only the tasks near a given task.

use std::io::{Result, Write};

use grains::summary::SiteKind;
use grains::{Column, GrainRow, Grains, Profile};
use symbols::Symbols;

use super::text::{quoted, say_too_large};
use crate::names::Names;
use crate::slices::is_never_run;

const DEPENDENCE: &str = "black";
const PARENT: &str = "grey";

/// The tasks from which at most `distance` dependences, in either direction, lead to `around`.
#[derive(Clone, Copy)]
pub struct Excerpt {
    pub around: GrainRow,
    pub distance: u32,
}

pub fn write(
    out: &mut dyn Write,
    profile: &Profile,
    symbols: &Symbols,
    excerpt: Option<Excerpt>,
) -> Result<()> {
    let names = Names::of(profile, symbols);
    let drawn = match excerpt {
        Some(excerpt) => near(excerpt, profile.grains.tasks, &profile.edges),
        None => Column::filled(true, profile.grains.tasks),
    };
    let is_drawn = |task: GrainRow| drawn[task];
    let tasks = || profile.grains.task_rows().filter(|&task| is_drawn(task));
    writeln!(out, "digraph dependences {{")?;
    writeln!(out, "  node [fontname=\"Helvetica\", fontsize=10];")?;
    for task in tasks() {
        node(out, profile, &names, task)?;
    }
    let mut edges = 0;
    for task in tasks() {
        if let Some(parent) = parent_task(profile, task).filter(|&parent| is_drawn(parent)) {
            edges += 1;
            let (parent, task) = (parent.number(), task.number());
            writeln!(out, "  t{parent} -> t{task} [kind=parent, color={PARENT}];")?;
        }
    }
    for (row, &(predecessor, successor)) in profile.edges.iter().enumerate() {
        if is_drawn(predecessor) && is_drawn(successor) {
            edges += 1;
            let (predecessor, successor) = (predecessor.number(), successor.number());
            let address =
                profile.edge_addresses.get(row).map(|address| format!(", address=\"{address:#x}\""));
            let address = address.unwrap_or_default();
            writeln!(
                out,
                "  t{predecessor} -> t{successor} [kind=dependence, color={DEPENDENCE}{address}];"
            )?;
        }
    }
    writeln!(out, "}}")?;
    say_too_large(tasks().count() as u64, edges);
    Ok(())
}

/// For each task, whether it is in the excerpt.
fn near(excerpt: Excerpt, tasks: usize, edges: &[(GrainRow, GrainRow)]) -> Column<Grains, bool> {
    let mut reached = Column::filled(false, tasks);
    reached[excerpt.around] = true;
    for _ in 0..excerpt.distance {
        let before = reached.clone();
        for &(one, other) in edges {
            if before[one] != before[other] {
                reached[one] = true;
                reached[other] = true;
            }
        }
        if reached == before {
            break;
        }
    }
    reached
}

fn node(out: &mut dyn Write, profile: &Profile, names: &Names, task: GrainRow) -> Result<()> {
    let grains = &profile.grains;
    let worker = grains.worker[task];
    let kind = SiteKind::of_grain(grains.kind[task]).name();
    let tip = quoted(names.text(names.of_grain(profile, task)));
    let number = task.number();
    if is_never_run(profile, task) {
        let label = quoted(&format!("{number}\nnever ran"));
        return writeln!(out, "  t{number} [label={label}, kind={kind}, tooltip={tip}];");
    }
    let start_ns = profile.ns(grains.start.of(task));
    let label = quoted(&format!("{} {number}\n{:.6}", letters(worker), start_ns / 1e9));
    let start_ns = start_ns.round();
    writeln!(
        out,
        "  t{number} [label={label}, kind={kind}, worker={worker}, start_ns={start_ns}, tooltip={tip}];"
    )
}

/// For a task that was created in a chunk: the task that ran the chunk.
fn parent_task(profile: &Profile, task: GrainRow) -> Option<GrainRow> {
    profile.grains.task_of(profile.grains.parent[task]?)
}

/// A to Z, and then AA, AB...
fn letters(worker: u16) -> String {
    let mut letters = Vec::new();
    let mut rest = u32::from(worker) + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use grains::Row;

    #[test]
    fn an_excerpt_follows_dependences_in_both_directions() {
        let edges = [(0, 1), (1, 2), (2, 3), (4, 2), (4, 5)].map(|(from, to)| (Row::new(from), Row::new(to)));
        let numbers = |distance| {
            let reached = near(Excerpt { around: Row::new(1), distance }, 7, &edges);
            (0..7).filter(|&task| reached[Row::new(task)]).collect::<Vec<_>>()
        };
        assert_eq!(numbers(0), [1]);
        assert_eq!(numbers(1), [0, 1, 2]);
        assert_eq!(numbers(2), [0, 1, 2, 3, 4]);
        assert_eq!(numbers(9), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn workers_have_letters_as_columns_of_a_table_have() {
        assert_eq!([0, 3, 25, 26, 27, 702].map(letters), ["A", "D", "Z", "AA", "AB", "AAA"]);
    }
}
