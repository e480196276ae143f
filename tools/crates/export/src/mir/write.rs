// SPDX-License-Identifier: Apache-2.0
//! Writes profiles as CSV: MIR's columns, and then the columns that its scripts derive.

use std::io::{self, Write};

use terminal::printable;

use super::derive::{lineage, Chunk, Derived};
use super::Task;

/// The columns in the order of the published files; docs/formats/mir.md defines them.
const COLUMNS: [&str; 35] = [
    "task",
    "parent",
    "joins_at",
    "cpu_id",
    "child_number",
    "num_children",
    "exec_cycles",
    "creation_cycles",
    "overhead_cycles",
    "queue_size",
    "create_instant",
    "exec_end_instant",
    "tag",
    "metadata",
    "outline_function",
    "wait_instants",
    "leaf",
    "work_cycles",
    "lineage",
    "parent_ind",
    "source_line",
    "parent_overhead_cycles",
    "sync_cycles_per_child",
    "parallel_benefit",
    "sibling_work_balance",
    "sibling_scatter",
    "last_to_finish",
    "num_siblings",
    "chunk_lineage",
    "idle_join",
    "parent_joins_at",
    "parent_tag",
    "chunk_work_balance",
    "chunk_work_cpu",
    "chunk_work_cpu_balance",
];

pub fn write(out: &mut dyn Write, tasks: &[Task], derived: &[Derived]) -> io::Result<()> {
    let header: Vec<String> = COLUMNS.iter().map(|name| text(Some(name))).collect();
    writeln!(out, "{}", header.join(","))?;
    for (row, (task, derived_row)) in tasks.iter().zip(derived).enumerate() {
        let lineage = lineage(row, tasks, derived);
        let values = mir(task).into_iter().chain(scripts(task, derived_row, lineage.as_deref()));
        let values = values.chain(of_chunk(task, derived_row, tasks));
        writeln!(out, "{}", values.collect::<Vec<_>>().join(","))?;
    }
    Ok(())
}

fn mir(task: &Task) -> [String; 16] {
    let waits: Vec<_> = [0].iter().chain(&task.wait_instants).map(u64::to_string).collect();
    [
        task.task.to_string(),
        task.parent.to_string(),
        task.joins_at.to_string(),
        task.cpu_id.to_string(),
        task.child_number.to_string(),
        task.num_children.to_string(),
        task.exec_cycles.to_string(),
        task.creation_cycles.to_string(),
        task.overhead_cycles.to_string(),
        whole(task.queue_size),
        task.create_instant.to_string(),
        task.exec_end_instant.to_string(),
        text(Some(&task.tag)),
        text(task.metadata.as_deref()),
        task.outline_function.to_string(),
        text(Some(&format!("[{}]", waits.join(";")))),
    ]
}

fn scripts(task: &Task, derived: &Derived, lineage: Option<&str>) -> [String; 12] {
    [
        logical(task.num_children == 0),
        task.work_cycles().to_string(),
        text(lineage),
        whole(derived.parent_ind.map(u64::from)),
        text(task.source_line.as_deref()),
        whole(derived.parent_overhead_cycles),
        number(derived.sync_cycles_per_child),
        number(derived.parallel_benefit),
        number(derived.sibling_work_balance),
        number(derived.sibling_scatter),
        logical(derived.last_to_finish),
        derived.num_siblings.to_string(),
    ]
}

fn of_chunk(task: &Task, derived: &Derived, tasks: &[Task]) -> [String; 7] {
    let chunk = derived.chunk.as_ref();
    let first = chunk.and_then(|_| task.first_iteration()).zip(derived.idle_join);
    let lineage = first.map(|(first, join)| format!("{join}-{first}"));
    let parent = derived.idle_join.and(derived.parent_row).map(|row| &tasks[row as usize]);
    let of = |value: fn(&Chunk) -> f64| number(chunk.map_or(f64::NAN, value));
    [
        text(lineage.as_deref()),
        whole(derived.idle_join),
        whole(parent.map(|parent| parent.joins_at)),
        text(parent.map(|parent| &*parent.tag)),
        of(|chunk| chunk.chunk_work_balance),
        of(|chunk| chunk.chunk_work_cpu),
        of(|chunk| chunk.chunk_work_cpu_balance),
    ]
}

fn whole(value: Option<u64>) -> String {
    value.map_or("NA".to_owned(), |value| value.to_string())
}

pub fn number(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        "NA".to_owned()
    }
}

fn logical(value: bool) -> String {
    if value { "TRUE" } else { "FALSE" }.to_owned()
}

/// The text on one line, for programs that read line by line.
fn text(value: Option<&str>) -> String {
    value.map_or("NA".to_owned(), |value| format!("\"{}\"", printable(value).replace('"', "\"\"")))
}
