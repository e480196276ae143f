// SPDX-License-Identifier: Apache-2.0
//! The attributes of nodes and edges: Teff's own, and those of the grains thesis's tool, whose
//! scripts look them up by name. docs/formats/graphml.md defines all of them.

use std::io::{self, Write};

use quick_xml::events::BytesText;
use quick_xml::Writer;
use terminal::printable;

use super::style::Look;
use crate::mir::derive::Derived;
use crate::mir::Task;

/// (name, type) of our own attributes of nodes.
const NODE: [(&str, &str); 13] = [
    ("kind", "string"),
    ("grain", "long"),
    ("grain_kind", "string"),
    ("start", "double"),
    ("end", "double"),
    ("work", "double"),
    ("grain_work", "double"),
    ("creation", "double"),
    ("benefit", "double"),
    ("worker", "int"),
    ("critical", "boolean"),
    ("site", "string"),
    ("function", "string"),
];

/// The attributes of the thesis's tool. Its scripts read every number as a double.
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

/// (id, name, type) of the attributes of edges; the first is ours.
const EDGE: [(&str, &str, &str); 5] = [
    ("edge_kind", "kind", "string"),
    ("edge_type", "type", "string"),
    ("edge_color", "color", "string"),
    ("edge_weight", "weight", "double"),
    ("edge_on_crit_path", "on_crit_path", "double"),
];

pub fn keys<W: Write>(xml: &mut Writer<W>) -> io::Result<()> {
    for (of, kind) in [("node", "nodegraphics"), ("edge", "edgegraphics")] {
        let attributes = [("id", kind), ("for", of), ("yfiles.type", kind)];
        xml.create_element("key").with_attributes(attributes).write_empty()?;
    }
    for (name, kind) in NODE.into_iter().chain(MIR_NODE) {
        key(xml, name, "node", name, kind)?;
    }
    EDGE.into_iter().try_for_each(|(id, name, kind)| key(xml, id, "edge", name, kind))
}

fn key<W: Write>(xml: &mut Writer<W>, id: &str, of: &str, name: &str, kind: &str) -> io::Result<()> {
    let attributes = [("id", id), ("for", of), ("attr.name", name), ("attr.type", kind)];
    xml.create_element("key").with_attributes(attributes).write_empty().map(drop)
}

/// XML cannot contain control characters.
pub fn data<W: Write>(xml: &mut Writer<W>, key: &str, value: &str) -> io::Result<()> {
    xml.create_element("data")
        .with_attribute(("key", key))
        .write_text_content(BytesText::new(&printable(value)))
        .map(drop)
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
        ("color", look.color.clone()),
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
