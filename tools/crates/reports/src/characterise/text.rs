// SPDX-License-Identifier: Apache-2.0
//! The study as text.

use comfy_table::{presets, CellAlignment, Table};
use grains::characterise::{Left, Property, Study, LEAST_VARIANCE};

use super::programs::Programs;

pub fn of(programs: &Programs, study: &Study) -> String {
    let mut out = format!(
        "{} programs and inputs, {} recordings\n\nProperties\n",
        programs.table.programs.len(),
        programs.recordings
    );
    properties(&mut out, programs);
    left_out(&mut out, study);
    components(&mut out, study);
    clusters(&mut out, programs, study);
    stability(&mut out, programs, study);
    for (name, counted) in programs.table.programs.iter().zip(&programs.counted) {
        if let Some(counted) = counted {
            counted.text(&mut out, name);
        }
    }
    out
}

/// Three digits or more, and thousands as k, M, G, T.
pub fn short(value: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")];
    let step = STEPS.into_iter().find(|(least, _)| value >= *least);
    let Some((least, letter)) = step else { return format!("{}", (value * 10.0).round() / 10.0) };
    let scaled = value / if letter == "k" { 1e3 } else { least };
    match scaled {
        scaled if scaled >= 100.0 => format!("{scaled:.0}{letter}"),
        scaled => format!("{scaled:.1}{letter}"),
    }
}

fn new_table(first: &str, others: impl Iterator<Item = String>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(std::iter::once(first.to_owned()).chain(others));
    table
}

fn finish(out: &mut String, mut table: Table) {
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    for line in table.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn properties(out: &mut String, programs: &Programs) {
    let heads = Property::ALL.map(|property| property.name().replace(' ', "\n"));
    let mut table = new_table("program", heads.into_iter());
    for (name, row) in programs.table.programs.iter().zip(&programs.table.values) {
        let cells = row.iter().map(|value| value.map_or("-".to_owned(), short));
        table.add_row(std::iter::once(name.clone()).chain(cells));
    }
    finish(out, table);
    let unit = if programs.in_instructions { "in instructions" } else { "in ns" };
    out.push_str(&format!(
        "Critical path and sequential work are {unit}, footprints in bytes; from instructions on, medians over grains.\n"
    ));
}

fn left_out(out: &mut String, study: &Study) {
    for (property, why) in &study.scale.left {
        let why = match why {
            Left::Missing => "not all programs have it: it needs a recording with counts of instructions",
            Left::Constant => "it is the same of all",
        };
        out.push_str(&format!("Left out: {}; {why}.\n", property.name()));
    }
}

fn components(out: &mut String, study: &Study) {
    let (components, retained) = (&study.components, study.components.retained);
    let share: f64 = components.variance[..retained].iter().sum();
    out.push_str(&format!(
        "\nPrincipal components: {retained} have {:.1} % of the variance (at least {:.0} %)\n",
        share * 100.0,
        LEAST_VARIANCE * 100.0
    ));
    let mut table = new_table("loadings", (1..=retained).map(|at| format!("PC{at}")));
    for (row, property) in study.scale.kept.iter().enumerate() {
        let cells = (0..retained).map(|at| format!("{:+.2}", components.loadings[(row, at)]));
        table.add_row(std::iter::once(property.name().to_owned()).chain(cells));
    }
    let parts = (0..retained).map(|at| format!("{:.1} %", components.variance[at] * 100.0));
    table.add_row(std::iter::once("variance".to_owned()).chain(parts));
    finish(out, table);
}

fn clusters(out: &mut String, programs: &Programs, study: &Study) {
    out.push_str(&format!("\nClusters (Ward, of autoscaled scores): {}\n", study.clusters.groups));
    for group in 0..study.clusters.groups {
        let members = (0..programs.table.programs.len()).filter(|&at| study.clusters.of[at] == group);
        let names: Vec<&str> = members.map(|at| programs.table.programs[at].as_str()).collect();
        out.push_str(&format!("  {}  {}\n", group + 1, names.join(", ")));
    }
}

fn stability(out: &mut String, programs: &Programs, study: &Study) {
    let stability = &study.stability;
    out.push_str("\nLeaving one program out, each in turn\n");
    for (at, (least, middle)) in stability.congruences().into_iter().enumerate() {
        out.push_str(&format!(
            "  PC{}: congruence of loadings {middle:.3} at the median, {least:.3} at the least\n",
            at + 1
        ));
    }
    let fewest = stability.retained.iter().min().copied().unwrap_or(0);
    let most = stability.retained.iter().max().copied().unwrap_or(0);
    out.push_str(&format!("  components for the same variance: {fewest} to {most}\n"));
    let worst = (0..stability.rand.len()).min_by(|&a, &b| stability.rand[a].total_cmp(&stability.rand[b]));
    out.push_str(&format!(
        "  clusters: adjusted Rand index {:.3} on average, {:.3} at the least (without {})\n",
        stability.mean_rand(),
        stability.least_rand(),
        worst.map_or("", |at| programs.table.programs[at].as_str())
    ));
    let errors: Vec<String> = stability.error.iter().map(|error| short_error(*error)).collect();
    out.push_str(&format!(
        "  error of prediction by 0, 1, 2... components: {}; least with {}\n",
        errors.join(" "),
        stability.best()
    ));
}

fn short_error(error: f64) -> String {
    if error < 1000.0 {
        format!("{error:.2}")
    } else {
        short(error)
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        let all = [0.0, 1.5, 9999.0, 12_345.0, 1.5e6, 7.77e8, 3e12].map(short);
        assert_eq!(all, ["0", "1.5", "9999", "12.3k", "1.5M", "777M", "3.0T"]);
    }
}
