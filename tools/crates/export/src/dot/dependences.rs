// SPDX-License-Identifier: Apache-2.0
//! The dependences of a run, drawn as a monitor inside GCC's runtime drew them. Each task is a
//! node, with the letter of the worker that ran the task, the task's number, and when it began. A
//! black edge leads from a task to a task that depends on it, and a grey edge from a task to each
//! task that it created.

use std::io::{Result, Write};

use grains::summary::SiteKind;
use grains::{GrainKind, Profile, NONE};
use symbols::Symbols;

use super::text::{quoted, say_too_large};
use crate::names::Names;
use crate::slices::is_never_run;

const DEPENDENCE: &str = "black";
const PARENT: &str = "grey";

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    let names = Names::of(profile, symbols);
    let tasks = profile.grains.tasks as u32;
    writeln!(out, "digraph dependences {{")?;
    writeln!(out, "  node [fontname=\"Helvetica\", fontsize=10];")?;
    for task in 0..tasks {
        node(out, profile, &names, task)?;
    }
    let mut edges = profile.edges.len() as u64;
    for task in 0..tasks {
        if let Some(parent) = parent_task(profile, task) {
            edges += 1;
            writeln!(out, "  t{parent} -> t{task} [kind=parent, color={PARENT}];")?;
        }
    }
    for &(predecessor, successor) in &profile.edges {
        writeln!(out, "  t{predecessor} -> t{successor} [kind=dependence, color={DEPENDENCE}];")?;
    }
    writeln!(out, "}}")?;
    say_too_large(tasks.into(), edges);
    Ok(())
}

fn node(out: &mut dyn Write, profile: &Profile, names: &Names, task: u32) -> Result<()> {
    let (grains, row) = (&profile.grains, task as usize);
    let worker = grains.worker[row];
    let kind = SiteKind::of_grain(grains.kind[row]).name();
    let tip = quoted(names.text(names.of_grain(profile, task)));
    if is_never_run(profile, task) {
        let label = quoted(&format!("{task}\nnever ran"));
        return writeln!(out, "  t{task} [label={label}, kind={kind}, tooltip={tip}];");
    }
    let start_ns = profile.ns(grains.start[row]);
    let label = quoted(&format!("{} {task}\n{:.6}", letters(worker), start_ns / 1e9));
    let start_ns = start_ns.round();
    writeln!(
        out,
        "  t{task} [label={label}, kind={kind}, worker={worker}, start_ns={start_ns}, tooltip={tip}];"
    )
}

/// For a task that was created in a chunk: the task that ran the chunk.
fn parent_task(profile: &Profile, task: u32) -> Option<u32> {
    let parent = |grain: u32| Some(profile.grains.parent[grain as usize]).filter(|&row| row != NONE);
    parent(task).and_then(|row| match profile.grains.kind[row as usize] {
        GrainKind::Chunk => parent(row),
        _ => Some(row),
    })
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

    #[test]
    fn workers_have_letters_as_columns_of_a_table_have() {
        assert_eq!([0, 3, 25, 26, 27, 702].map(letters), ["A", "D", "Z", "AA", "AB", "AAA"]);
    }
}
