// SPDX-License-Identifier: Apache-2.0
//! The first lines of a report of several processes: the list of processes, and which of them the
//! report covers.

use comfy_table::{presets, CellAlignment, Table};
use grains::units::{count, time};
use recordings::ProcessFacts;
use terminal::printable;

use super::style::Style;

const COMMAND_WIDTH: usize = 44;

/// Nothing where there is only one.
pub fn render(processes: &[ProcessFacts], style: &Style) -> String {
    if processes.len() < 2 {
        return String::new();
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(["process", "command", "wall time", "work", "grains", ""]);
    for at in 2..5 {
        if let Some(column) = table.column_mut(at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for process in processes {
        let remark = match (process.shown, process.complete) {
            (true, true) => "shown below",
            (true, false) => "shown below, incomplete",
            (false, true) => "",
            (false, false) => "incomplete",
        };
        table.add_row([
            process.process.clone(),
            command(process),
            time(process.wall_ns),
            time(process.work_ns),
            count(process.grains),
            remark.to_owned(),
        ]);
    }
    let title = format!("{} processes; --process chooses the one to report on", processes.len());
    let mut out = style.bold(&title) + "\n";
    for line in table.lines() {
        out.push_str(&format!(" {}\n", line.trim_end()));
    }
    out + "\n"
}

fn command(process: &ProcessFacts) -> String {
    let role = match (process.device, process.devices) {
        (Some(number), _) => format!("device {number}: "),
        (None, Some(_)) => "host: ".to_owned(),
        (None, None) => String::new(),
    };
    let command = role + &printable(&process.command);
    if command.chars().count() <= COMMAND_WIDTH {
        return command;
    }
    command.chars().take(COMMAND_WIDTH - 1).chain(['…']).collect()
}
