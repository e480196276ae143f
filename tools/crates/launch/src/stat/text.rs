// SPDX-License-Identifier: Apache-2.0
//! The counters as tables for people: a row for each worker, and a row for all
//! workers together.

use std::io;

use comfy_table::{presets, CellAlignment, Table};
use grains::units::{count, percent, several, time};

use super::board::{total, Board, Worker, COUNTS, STATES};
use super::moment::Moment;
use super::priorities::{Lengths, Priority, Times};

/// A column: its title, and what a worker shows there.
type Column<'a> = (&'a str, Box<dyn Fn(&Worker) -> String + 'a>);

/// A time of a worker, if it is known.
type Known = Box<dyn Fn(&Worker) -> Option<u64>>;

pub fn render(moment: &Moment) -> String {
    let mut out = String::new();
    for board in moment.boards {
        out += &render_board(board, moment);
    }
    out
}

fn render_board(board: &Board, moment: &Moment) -> String {
    let state = match (board.ended, board.runs) {
        (true, _) => "",
        (false, true) => ", so far",
        (false, false) => ", ended without notice",
    };
    let workers = several(board.workers.len() as u64, "worker");
    let wall = time(board.wall_ns as f64);
    let mut out = format!("\nprocess {}: {workers}, {wall}{state}\n", board.process);
    out += &table(
        board,
        &counts(&[
            ("created", "tasks_created"),
            ("undeferred", "tasks_undeferred"),
            ("dependent", "tasks_dependent"),
            ("run", "tasks_run"),
            ("stolen", "tasks_stolen"),
            ("cancelled", "tasks_cancelled"),
            ("run at once", "tasks_run_at_once"),
        ]),
        "tasks",
    );
    out += &table(
        board,
        &counts(&[
            ("queue takes", "queue_takes"),
            ("of priority", "priority_takes"),
            ("dependences", "dependences"),
            ("unfulfilled", "dependences_unfulfilled"),
            ("waits", "waits"),
            ("barriers", "barriers"),
            ("parks", "parks"),
            ("wakes", "wakes"),
        ]),
        "operations",
    );
    out += &table(board, &contention(), "contention");
    out += &table(board, &times(), if board.timed { "time" } else { "time, sampled" });
    out += &board.late.text(board.timed);
    out += &table(board, &system(moment.events), "system");
    out += &by_priority(&board.priorities);
    out += &preemptions(&board.priorities);
    if board.left_out != 0 {
        out += &format!("{} more are not counted\n", several(board.left_out.into(), "worker"));
    }
    for (name, &error) in moment.events.iter().zip(&board.event_errors) {
        if error != 0 {
            out += &format!("{name} is not counted here: {}\n", reason(error));
        }
    }
    out
}

/// Why an event cannot be counted, by its errno value.
pub fn reason(error: i32) -> String {
    match nix::errno::Errno::from_raw(error) {
        nix::errno::Errno::ENOENT | nix::errno::Errno::EOPNOTSUPP | nix::errno::Errno::ENODEV => {
            "this machine has no such counter".to_owned()
        }
        nix::errno::Errno::EACCES | nix::errno::Errno::EPERM => {
            "it is not allowed (see /proc/sys/kernel/perf_event_paranoid)".to_owned()
        }
        _ => io::Error::from_raw_os_error(error).to_string(),
    }
}

fn value(worker: &Worker, name: &str) -> u64 {
    COUNTS.iter().position(|known| *known == name).map_or(0, |at| worker.counts[at])
}

fn counts<'a>(columns: &[(&'a str, &'static str)]) -> Vec<Column<'a>> {
    let column = |&(title, name): &(&'a str, &'static str)| -> Column<'a> {
        (title, Box::new(move |worker| count(value(worker, name))))
    };
    columns.iter().map(column).collect()
}

/// Operations that conflicted with another worker's operation: how many, their share, and how long
/// they waited. A thief that loses a steal does not wait. A task passes a lock when it is put into
/// a queue, and again when it is taken.
fn contention() -> Vec<Column<'static>> {
    let mut columns: Vec<Column> = vec![(
        "lost steals",
        Box::new(|worker| {
            let lost = value(worker, "lost_steals");
            share(lost, lost + value(worker, "queue_takes"))
        }),
    )];
    let of_locks = [
        ("queue locks", "queue_contended", "queue_contended_ns", Some("queue_takes")),
        ("priority locks", "priority_contended", "priority_contended_ns", Some("priority_takes")),
        ("other locks", "contended_locks", "contended_locks_ns", None),
    ];
    for (title, contended, waited, takes) in of_locks {
        columns.push((
            title,
            Box::new(move |worker| {
                let contended = value(worker, contended);
                takes.map_or_else(|| count(contended), |takes| share(contended, 2 * value(worker, takes)))
            }),
        ));
        columns.push(("waited", Box::new(move |worker| time(value(worker, waited) as f64))));
    }
    columns
}

fn share(part: u64, whole: u64) -> String {
    format!("{} {:>5}", count(part), percent(part as f64, whole as f64))
}

/// The states, and the time without a processor, which together are a worker's time.
fn times() -> Vec<Column<'static>> {
    let column = |title: &'static str, of: Known| -> Column<'static> {
        (
            title,
            Box::new(move |worker| {
                let states = worker.ns.iter().chain(&worker.without_processor);
                let whole: f64 = states.map(|&ns| ns as f64).sum();
                let text = |ns: u64| format!("{} {:>5}", time(ns as f64), percent(ns as f64, whole));
                of(worker).map_or_else(|| "-".to_owned(), text)
            }),
        )
    };
    let states = STATES.iter().enumerate();
    let states = states.map(|(at, &title)| column(title, Box::new(move |worker| Some(worker.ns[at]))));
    states.chain([column("without a processor", Box::new(|worker| worker.without_processor))]).collect()
}

fn system(events: &[String]) -> Vec<Column<'_>> {
    let known = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), count);
    let mut columns: Vec<Column> = vec![
        ("voluntary context switches", Box::new(move |worker| known(worker.switches.map(|[own, _]| own)))),
        ("involuntary", Box::new(move |worker| known(worker.switches.map(|[_, forced]| forced)))),
        ("tasks preempted", Box::new(|worker| count(value(worker, "tasks_preempted")))),
    ];
    for (at, name) in events.iter().enumerate() {
        columns.push((name, Box::new(move |worker| known(worker.events.get(at).copied().flatten()))));
    }
    columns
}

/// The table of the times from ready to running, and from ready to the end.
fn by_priority(rows: &[Priority]) -> String {
    let titles = ["tasks", "to run: median", "99 %", "max", "to end: median", "99 %", "max"];
    let mut table = empty_table("priority", &titles);
    let of = |lengths: &Lengths| {
        let ns = [lengths.percentile_ns(50), lengths.percentile_ns(99), lengths.all.max_ns];
        ns.map(|ns| if lengths.all.count == 0 { "-".to_owned() } else { time(ns as f64) })
    };
    for row in rows {
        let first = [row.priority.to_string(), count(row.tasks)];
        table.add_row(first.into_iter().chain(of(&row.delay)).chain(of(&row.turnaround)));
    }
    if rows.is_empty() {
        String::new()
    } else {
        lines(&table)
    }
}

/// The table of the mean costs and gains of preemptions. Empty if no worker was asked to leave its
/// task and no task was preempted.
fn preemptions(rows: &[Priority]) -> String {
    let matters = |row: &&Priority| row.away.count + row.preempting + row.requests > 0;
    let titles = ["preempted", "away", "preempting", "switch", "max", "gained", "in all", "asked", "wasted"];
    let mut table = empty_table("preemptions", &titles);
    let of = |times: &Times, ns: u64| if times.count == 0 { "-".to_owned() } else { time(ns as f64) };
    for row in rows.iter().filter(matters) {
        table.add_row([
            format!("priority {}", row.priority),
            count(row.away.count),
            of(&row.away, row.away.mean_ns()),
            count(row.preempting),
            of(&row.to_switch, row.to_switch.mean_ns()),
            of(&row.to_switch, row.to_switch.max_ns),
            of(&row.gained, row.gained.mean_ns()),
            of(&row.gained, row.gained.sum_ns),
            count(row.requests),
            count(row.not_worth),
        ]);
    }
    if table.is_empty() {
        String::new()
    } else {
        lines(&table)
    }
}

fn empty_table(title: &str, columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header([title].iter().chain(columns));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn lines(table: &Table) -> String {
    let lines: Vec<_> = table.lines().map(|line| format!(" {}\n", line.trim_end())).collect();
    lines.concat() + "\n"
}

fn table(board: &Board, columns: &[Column], title: &str) -> String {
    let titles: Vec<_> = columns.iter().map(|(title, _)| *title).collect();
    let mut table = empty_table(title, &titles);
    let row = |name: String, worker: &Worker| -> Vec<String> {
        [name].into_iter().chain(columns.iter().map(|(_, show)| show(worker))).collect()
    };
    for worker in &board.workers {
        table.add_row(row(format!("worker {}", worker.number), worker));
    }
    if let Some(sum) = total(&board.workers) {
        table.add_row(row("total".to_owned(), &sum));
    }
    lines(&table)
}
