// SPDX-License-Identifier: Apache-2.0
//! A prediction as text: how reliable it is, the curve, and the effect of each change.

use super::facts::{ChangeFacts, Facts, LimitFacts, MachineFacts, MachinePoint, PointFacts, Replay};
use super::options::short;
use super::{devices, priorities};
use grains::units::{percent, several, time};
use terminal::printable;

use crate::report::{cut_end, paragraph, part, WIDTH};

/// Columns of the curve.
const CURVE: usize = 20;
/// The share of the wall time below which a disturbance is not mentioned.
const DISTURBED: f64 = 0.01;

pub fn render(facts: &Facts) -> String {
    let mut out = String::new();
    if !facts.wholeness.text.is_empty() {
        out.push_str(&format!("{}\n\n", printable(&facts.wholeness.text)));
    }
    for line in part(&facts.part) {
        paragraph(&mut out, "", &line);
        out.push('\n');
    }
    if !facts.points.is_empty() {
        replay(&mut out, &facts.replay);
    }
    out.push_str(&format!("{}\n", cut_end(&printable(&facts.command), WIDTH)));
    if !facts.points.is_empty() {
        curve(&mut out, &facts.points);
    }
    if let Some(priorities) = &facts.by_priority {
        priorities::render(&mut out, priorities);
    }
    if let Some(machine) = &facts.machine {
        on_machine(&mut out, machine);
    }
    if let Some(devices) = &facts.devices {
        devices::render(&mut out, devices);
    }
    for change in &facts.what_if {
        changed(&mut out, change, facts);
        if let Some(machine) = &facts.machine {
            changed_on_machine(&mut out, change, machine);
        }
    }
    let mut notes = facts.notes.iter().filter(|note| **note != facts.wholeness.text).peekable();
    if notes.peek().is_some() {
        out.push_str("\nHow far to trust these numbers\n");
    }
    for note in notes {
        paragraph(&mut out, "  - ", &printable(note));
    }
    out
}

fn replay(out: &mut String, replay: &Replay) {
    let mut text = format!(
        "Replay on {} as recorded: {} predicted, {} measured: {} off",
        several(u64::from(replay.threads), "thread"),
        time(replay.predicted_ns),
        time(replay.measured_ns),
        signed(replay.error)
    );
    if replay.disturbed_ns > DISTURBED * replay.measured_ns {
        text.push_str(&format!(
            "; {} off without the {} that recording and other programs took",
            signed(replay.error_undisturbed),
            time(replay.disturbed_ns)
        ));
    }
    out.push_str(&text);
    out.push_str(".\n");
}

fn signed(part: f64) -> String {
    format!("{:+.1} %", part * 100.0)
}

fn curve(out: &mut String, points: &[PointFacts]) {
    let fastest = points.iter().map(|point| point.speedup).fold(1.0, f64::max);
    out.push_str(&format!(
        "\n  {:>7} {:>9} {:>8} {:CURVE$} {:>9} {:>9} {:>11}  {}\n",
        "threads", "time", "speed-up", "", "T1/P", "span", "T1/P + span", "limited by"
    ));
    for point in points {
        let bar = (point.speedup / fastest * CURVE as f64).round().max(1.0) as usize;
        out.push_str(&format!(
            "  {:>7} {:>9} {:>8.2} {:CURVE$} {:>9} {:>9} {:>11}  {}\n",
            point.threads,
            time(point.time_ns),
            point.speedup,
            "#".repeat(bar.min(CURVE)),
            time(point.work_law_ns),
            time(point.span_ns),
            time(point.greedy_bound_ns),
            limited_by(&point.limit)
        ));
    }
}

fn on_machine(out: &mut String, machine: &MachineFacts) {
    out.push_str(&format!(
        "\nOn {} ({} of {} MHz), {}, seed {}\n",
        printable(&machine.name),
        several(u64::from(machine.cores), "core"),
        machine.clock_mhz,
        machine.schedule,
        machine.seed
    ));
    let fastest = machine.points.iter().filter_map(|point| point.speedup).fold(1.0, f64::max);
    out.push_str(&format!(
        "  {:>7} {:>9} {:>8} {:CURVE$} {:>7} {:>8} {:>7} {:>11}\n",
        "threads", "time", "speed-up", "", "work", "creation", "other", "tasks moved"
    ));
    for point in &machine.points {
        let bar = (point.speedup.unwrap_or(0.0) / fastest * CURVE as f64).round() as usize;
        let bar = bar.max(usize::from(point.speedup.is_some()));
        let [work, creation, other] = spent(point);
        out.push_str(&format!(
            "  {:>7} {:>9} {:>8} {:CURVE$} {work:>7} {creation:>8} {other:>7} {:>11}\n",
            point.threads,
            time(point.time_ns),
            speedup(point),
            "#".repeat(bar.min(CURVE)),
            point.moved
        ));
    }
    refused(out, machine, "");
}

fn speedup(point: &MachinePoint) -> String {
    point.speedup.map_or("-".to_owned(), |speedup| format!("{speedup:.2}"))
}

fn refused(out: &mut String, machine: &MachineFacts, change: &str) {
    for refused in machine.refused.iter().filter(|refused| refused.change == change) {
        let threads = several(u64::from(refused.threads), "thread");
        paragraph(out, "  ", &printable(&format!("Cannot predict {threads}: {}.", refused.why)));
    }
}

/// The shares of the threads' time: the program's work, the creation of tasks, and the rest.
fn spent(point: &MachinePoint) -> [String; 3] {
    let whole = point.time_ns * f64::from(point.threads);
    let other = (whole - point.work_ns - point.creation_ns).max(0.0);
    [point.work_ns, point.creation_ns, other].map(|part| percent(part, whole))
}

fn changed_on_machine(out: &mut String, change: &ChangeFacts, machine: &MachineFacts) {
    for point in &change.machine_points {
        let plain = machine.points.iter().find(|plain| plain.threads == point.threads);
        let change = |plain: f64| if plain > 0.0 { point.time_ns / plain - 1.0 } else { 0.0 };
        out.push_str(&format!(
            "  {:>7} {:>9} {:>10} {:>8} {:>8}  on {}\n",
            point.threads,
            time(point.time_ns),
            plain.map_or("-".to_owned(), |plain| time(plain.time_ns)),
            plain.map_or("-".to_owned(), |plain| signed(change(plain.time_ns))),
            speedup(point),
            printable(&machine.name)
        ));
    }
    refused(out, machine, &change.change);
}

pub(super) fn limited_by(limit: &LimitFacts) -> String {
    let words = match limit.kind {
        "runtime" => "creation and scheduling",
        "serial" => "serial part",
        "producer" => "one producer",
        other => other,
    };
    printable(format!("{words} {}", short(&limit.place)).trim_end())
}

fn changed(out: &mut String, change: &ChangeFacts, facts: &Facts) {
    let last = match facts.machine {
        Some(_) => "limited by, or on which machine",
        None => "limited by",
    };
    out.push_str(&format!("\nWhat if {}\n", printable(&change.change)));
    out.push_str(&format!(
        "  {:>7} {:>9} {:>10} {:>8} {:>8}  {}\n",
        "threads", "time", "instead of", "change", "speed-up", last
    ));
    for (point, plain) in change.points.iter().zip(&facts.points) {
        let change = if plain.time_ns > 0.0 { point.time_ns / plain.time_ns - 1.0 } else { 0.0 };
        out.push_str(&format!(
            "  {:>7} {:>9} {:>10} {:>8} {:>8.2}  {}\n",
            point.threads,
            time(point.time_ns),
            time(plain.time_ns),
            signed(change),
            point.speedup,
            limited_by(&point.limit)
        ));
    }
}
