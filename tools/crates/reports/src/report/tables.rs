// SPDX-License-Identifier: Apache-2.0
//! Tables of the report's text, below their titles.

use comfy_table::{presets, CellAlignment, Table};
use grains::units::several;

use super::style::Style;

pub fn table(header: &[&str]) -> Table {
    aligned_table(header, 2)
}

/// The first `names` columns hold words, the others numbers.
pub fn aligned_table(header: &[&str], names: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(header);
    for at in names..header.len() {
        if let Some(column) = table.column_mut(at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

pub fn section(out: &mut String, style: &Style, title: &str, table: &Table, left_out: usize) {
    out.push_str(&format!("\n{}\n", style.bold(title)));
    for line in table.lines() {
        out.push_str(&format!(" {}\n", line.trim_end()));
    }
    if left_out > 0 {
        let more = several(left_out as u64, "more site");
        out.push_str(&format!("  and {more}: see --sites N\n"));
    }
}
