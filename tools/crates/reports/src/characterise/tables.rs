// SPDX-License-Identifier: Apache-2.0
//! The study as CSV: properties, components, scores with clusters, merges, the results of leaving
//! one program out, and counters by site.

use grains::characterise::{Property, Study};

use super::counters::Counted;
use super::programs::Programs;

pub fn all(programs: &Programs, study: &Study) -> Vec<(String, String)> {
    let files = [
        ("properties", properties(programs)),
        ("loadings", loadings(study)),
        ("scores", scores(programs, study)),
        ("merges", merges(study)),
        ("leave-one-out", leave_one_out(programs, study)),
    ];
    let counted = programs.counted.iter().any(Option::is_some).then(|| ("counters", counters(programs)));
    files.into_iter().chain(counted).map(|(name, content)| (format!("{name}.csv"), content)).collect()
}

/// As RFC 4180 has it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn table(head: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> String {
    let lines = std::iter::once(head).chain(rows);
    lines.map(|cells| cells.join(",") + "\n").collect()
}

fn heads(first: &str, components: usize) -> Vec<String> {
    std::iter::once(first.to_owned()).chain((1..=components).map(|at| format!("PC{at}"))).collect()
}

fn properties(programs: &Programs) -> String {
    let unit = if programs.in_instructions { "instructions" } else { "ns" };
    let name = |property: Property| match property {
        Property::CriticalPath | Property::SequentialWork => {
            format!("{}_{unit}", property.name().replace(' ', "_"))
        }
        Property::Footprint => "footprint_bytes".to_owned(),
        _ => property.name().replace(' ', "_"),
    };
    let head = std::iter::once("program".to_owned()).chain(Property::ALL.map(name)).collect();
    let rows = programs.table.programs.iter().zip(&programs.table.values).map(|(program, values)| {
        let cells = values.iter().map(|value| value.map_or_else(String::new, |value| value.to_string()));
        std::iter::once(quoted(program)).chain(cells).collect()
    });
    table(head, rows)
}

fn counters(programs: &Programs) -> String {
    let head = [
        "program",
        "file",
        "line",
        "function",
        "kind",
        "grains",
        "event",
        "count",
        "per_grain",
        "memory_hierarchy_utilisation",
        "computational_intensity",
    ];
    let programs = programs.table.programs.iter().zip(&programs.counted);
    let rows = programs.flat_map(|(program, counted)| {
        let rows = counted.iter().flat_map(Counted::rows);
        rows.map(move |row| std::iter::once(program).chain(&row).map(|cell| quoted(cell)).collect())
    });
    table(head.map(str::to_owned).into(), rows)
}

fn loadings(study: &Study) -> String {
    let components = &study.components;
    let all = components.variance.len();
    let row = |name: &str, value: &dyn Fn(usize) -> f64| -> Vec<String> {
        std::iter::once(name.to_owned()).chain((0..all).map(|at| value(at).to_string())).collect()
    };
    let mut rows = vec![row("variance", &|at| components.variance[at])];
    for (at, property) in study.scale.kept.iter().enumerate() {
        rows.push(row(&property.name().replace(' ', "_"), &|component| components.loadings[(at, component)]));
    }
    table(heads("property", all), rows.into_iter())
}

fn scores(programs: &Programs, study: &Study) -> String {
    let mut head = heads("program", study.components.retained);
    head.push("cluster".to_owned());
    let rows = programs.table.programs.iter().enumerate().map(|(at, program)| {
        let mut cells = vec![quoted(program)];
        cells.extend((0..study.components.retained).map(|pc| study.components.scores[(at, pc)].to_string()));
        cells.push((study.clusters.of[at] + 1).to_string());
        cells
    });
    table(head, rows)
}

fn merges(study: &Study) -> String {
    let head = ["left", "right", "height"].map(str::to_owned).into();
    let rows = study.clusters.merges.iter();
    table(
        head,
        rows.map(|merge| vec![merge.left.to_string(), merge.right.to_string(), merge.height.to_string()]),
    )
}

fn leave_one_out(programs: &Programs, study: &Study) -> String {
    let mut head = heads("without", study.components.retained);
    head.extend(["components", "adjusted_rand"].map(str::to_owned));
    let stability = &study.stability;
    let rows = programs.table.programs.iter().enumerate().map(|(at, program)| {
        let mut cells = vec![quoted(program)];
        cells.extend(stability.congruence[at].iter().map(f64::to_string));
        cells.extend([stability.retained[at].to_string(), stability.rand[at].to_string()]);
        cells
    });
    table(head, rows)
}
