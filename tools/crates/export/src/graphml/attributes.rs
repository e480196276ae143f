// SPDX-License-Identifier: Apache-2.0
//! The attributes of nodes and edges: Teff's own, and those of the grains thesis's tool, whose
//! scripts look them up by name. docs/formats/graphml.md defines all of them.
//!
//! An attribute's key is short, because each value repeats it: the position in these tables.

use std::io::{Result, Write};

use clap::ValueEnum;
use grains::Counters;

use super::style::{Look, EDGE_GRAPHICS, NODE_GRAPHICS};
use super::xml;
use crate::mir::derive::Derived;
use crate::mir::Task;

/// Which attributes the nodes and edges have.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Attributes {
    /// Few numbers, and no colours and sizes
    Plain,
    /// Those of Teff, with colours and sizes
    Drawn,
    /// Those, and the attributes that the scripts of the grains thesis read
    All,
}

/// (key, name, type, default) of our own attributes of nodes. A value that is the default is left
/// out.
const NODE: [(&str, &str, &str, &str); 19] = [
    (KIND, "kind", "string", ""),
    (GRAIN, "grain", "long", ""),
    (GRAIN_KIND, "grain_kind", "string", "task"),
    (START, "start", "double", ""),
    (END, "end", "double", ""),
    (WORK, "work", "double", ""),
    (GRAIN_WORK, "grain_work", "double", ""),
    (CREATION, "creation", "double", ""),
    (BENEFIT, "benefit", "double", ""),
    (WORKER, "worker", "int", ""),
    (CRITICAL, "critical", "boolean", "false"),
    (SITE, "site", "string", ""),
    (FUNCTION, "function", "string", ""),
    (CONSTRUCT, "construct", "int", ""),
    (MEMBERS, "members", "int", "1"),
    (VALUE, "value", "double", ""),
    (PROBLEM, "problem", "boolean", "false"),
    (SEVERITY, "severity", "double", ""),
    (INSTRUCTIONS, "instructions", "long", ""),
];

pub const KIND: &str = "a";
pub const GRAIN: &str = "b";
pub const GRAIN_KIND: &str = "c";
pub const START: &str = "d";
pub const END: &str = "e";
pub const WORK: &str = "f";
pub const GRAIN_WORK: &str = "h";
pub const CREATION: &str = "i";
pub const BENEFIT: &str = "j";
pub const WORKER: &str = "k";
pub const CRITICAL: &str = "l";
pub const SITE: &str = "m";
pub const FUNCTION: &str = "n";
pub const CONSTRUCT: &str = "o";
pub const MEMBERS: &str = "p";
pub const VALUE: &str = "q";
pub const PROBLEM: &str = "r";
pub const SEVERITY: &str = "s";
pub const INSTRUCTIONS: &str = "t";
/// Of edges: our kind.
pub const EDGE_KIND: &str = "v";
pub const DEFAULT_EDGE_KIND: &str = "continuation";
/// Of the graph.
pub const CONSTRUCTS: &str = "w";
pub const COLOUR_BY: &str = "x";

/// The attributes of the thesis's tool; the key is `m` and the position. Its scripts read every
/// number as a double.
const MIR_NODE: [(&str, &str); 33] = [
    ("name", "string"),
    ("label", "string"),
    ("type", "string"),
    ("shape", "string"),
    ("width", "double"),
    ("height", "double"),
    ("color", "string"),
    ("border-color", "string"),
    ("on_crit_path", "double"),
    ("task", "double"),
    ("parent", "double"),
    ("joins_at", "double"),
    ("cpu_id", "double"),
    ("child_number", "double"),
    ("num_children", "double"),
    ("exec_cycles", "double"),
    ("creation_cycles", "double"),
    ("overhead_cycles", "double"),
    ("create_instant", "double"),
    ("exec_end_instant", "double"),
    ("tag", "string"),
    ("metadata", "string"),
    ("outline_function", "double"),
    ("leaf", "string"),
    ("work_cycles", "double"),
    ("source_line", "string"),
    ("sync_cycles_per_child", "double"),
    ("parallel_benefit", "double"),
    ("sibling_work_balance", "double"),
    ("sibling_scatter", "double"),
    ("last_to_finish", "string"),
    ("chunk_work_balance", "double"),
    ("chunk_work_cpu_balance", "double"),
];

const MIR_EDGE: [(&str, &str); 4] =
    [("type", "string"), ("color", "string"), ("weight", "double"), ("on_crit_path", "double")];

/// The kind of a node that says none; `is_reduced`: the fragments of a grain are one node.
pub fn default_kind(is_reduced: bool) -> &'static str {
    if is_reduced {
        "task"
    } else {
        "fragment"
    }
}

/// The key of a recorder's counter, whose name is known from the recording only.
pub fn of_counter(counter: usize) -> String {
    format!("u{counter}")
}

pub fn keys(
    out: &mut dyn Write,
    attributes: Attributes,
    is_reduced: bool,
    counters: &Counters,
) -> Result<()> {
    for (of, key) in [("node", NODE_GRAPHICS), ("edge", EDGE_GRAPHICS)] {
        writeln!(out, "<key id=\"{key}\" for=\"{of}\" yfiles.type=\"{of}graphics\"/>")?;
    }
    for (key, name) in [(CONSTRUCTS, "constructs"), (COLOUR_BY, "colour_by")] {
        self::key(out, key, "graph", name, "string", "")?;
    }
    for (key, name, kind, default) in NODE {
        let default = if key == KIND { default_kind(is_reduced) } else { default };
        self::key(out, key, "node", name, kind, default)?;
    }
    for (counter, name) in counters.names.iter().enumerate() {
        self::key(out, &of_counter(counter), "node", name, "long", "")?;
    }
    let edge_kind = if attributes == Attributes::Plain { "" } else { DEFAULT_EDGE_KIND };
    self::key(out, EDGE_KIND, "edge", "kind", "string", edge_kind)?;
    if attributes == Attributes::All {
        for (at, (name, kind)) in MIR_NODE.into_iter().enumerate() {
            self::key(out, &format!("m{at}"), "node", name, kind, "")?;
        }
        for (at, (name, kind)) in MIR_EDGE.into_iter().enumerate() {
            self::key(out, &format!("n{at}"), "edge", name, kind, "")?;
        }
    }
    Ok(())
}

/// Without a default if that is empty.
fn key(out: &mut dyn Write, id: &str, of: &str, name: &str, kind: &str, default: &str) -> Result<()> {
    write!(out, "<key id=\"{id}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"")?;
    match default {
        "" => writeln!(out, "/>"),
        _ => writeln!(out, "><default>{default}</default></key>"),
    }
}

/// The values of a table's attributes by name.
fn by_name<'a>(
    out: &mut dyn Write,
    table: &[(&str, &str)],
    start: char,
    values: impl IntoIterator<Item = (&'a str, String)>,
) -> Result<()> {
    for (name, value) in values {
        if let Some(at) = table.iter().position(|entry| entry.0 == name) {
            xml::text(out, &format!("{start}{at}"), &value)?;
        }
    }
    Ok(())
}

pub fn of_mir_node(out: &mut dyn Write, values: Vec<(&'static str, String)>) -> Result<()> {
    by_name(out, &MIR_NODE, 'm', values)
}

pub fn of_mir_edge(out: &mut dyn Write, kind: &str, color: &str, weight: u64, critical: bool) -> Result<()> {
    let values = [
        ("type", kind.to_owned()),
        ("color", color.to_owned()),
        ("weight", weight.to_string()),
        ("on_crit_path", u8::from(critical).to_string()),
    ];
    by_name(out, &MIR_EDGE, 'n', values)
}

/// The attributes of every node, for the thesis's scripts.
pub fn of_look(name: String, kind: &str, look: &Look) -> Vec<(&'static str, String)> {
    vec![
        ("name", name),
        ("label", look.label.clone()),
        ("type", kind.to_owned()),
        ("shape", look.shape.to_owned()),
        ("width", look.width.to_string()),
        ("height", look.height.to_string()),
        ("color", look.color.to_string()),
        ("border-color", look.border().to_owned()),
        ("on_crit_path", u8::from(look.critical).to_string()),
    ]
}
/// The attributes that a fragment gets from its task; `cycles` is the fragment's own length.
pub fn of_task(task: &Task, derived: &Derived, cycles: u64) -> Vec<(&'static str, String)> {
    let logical = |value: bool| if value { "TRUE" } else { "FALSE" }.to_owned();
    let mut values = vec![
        ("task", task.task.to_string()),
        ("parent", task.parent.to_string()),
        ("joins_at", task.joins_at.to_string()),
        ("cpu_id", task.cpu_id.to_string()),
        ("child_number", task.child_number.to_string()),
        ("num_children", task.num_children.to_string()),
        ("exec_cycles", cycles.to_string()),
        ("creation_cycles", task.creation_cycles.to_string()),
        ("overhead_cycles", task.overhead_cycles.to_string()),
        ("create_instant", task.create_instant.to_string()),
        ("exec_end_instant", task.exec_end_instant.to_string()),
        ("tag", task.tag.clone().into_owned()),
        ("outline_function", task.outline_function.to_string()),
        ("leaf", logical(task.num_children == 0)),
        ("work_cycles", task.work_cycles().to_string()),
        ("last_to_finish", logical(derived.last_to_finish)),
    ];
    values.extend(task.metadata.clone().map(|metadata| ("metadata", metadata)));
    values.extend(task.source_line.clone().map(|line| ("source_line", line)));
    let chunk = derived.chunk.clone().unwrap_or_default();
    let of_chunk = |value: f64| if derived.chunk.is_some() { value } else { f64::NAN };
    let numbers = [
        ("sync_cycles_per_child", derived.sync_cycles_per_child),
        ("parallel_benefit", derived.parallel_benefit),
        ("sibling_work_balance", derived.sibling_work_balance),
        ("sibling_scatter", derived.sibling_scatter),
        ("chunk_work_balance", of_chunk(chunk.chunk_work_balance)),
        ("chunk_work_cpu_balance", of_chunk(chunk.chunk_work_cpu_balance)),
    ];
    let known = numbers.into_iter().filter(|(_, value)| value.is_finite());
    values.extend(known.map(|(name, value)| (name, value.to_string())));
    values
}
