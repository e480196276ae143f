// SPDX-License-Identifier: Apache-2.0
//! The counters as JSON: one line for each moment.

use serde_json::{json, Map, Value};

use super::board::{total, Board, Worker, COUNTS, STATES};
use super::moment::Moment;
use super::priorities::{Lengths, Priority, Times};

pub fn line(moment: &Moment) -> String {
    let processes: Vec<_> = moment.boards.iter().map(|board| process(board, moment.events)).collect();
    json!({ "version": 3, "last": moment.last, "processes": processes }).to_string() + "\n"
}

fn process(board: &Board, events: &[String]) -> Value {
    let workers = board.workers.iter().map(|worker| {
        let mut fields = counters(worker, events);
        fields.insert("worker".to_owned(), worker.number.into());
        fields.insert("thread".to_owned(), worker.thread.into());
        Value::Object(fields)
    });
    let missing = events.iter().zip(&board.event_errors).filter(|(_, &error)| error != 0);
    let missing: Map<_, _> =
        missing.map(|(name, &error)| (name.clone(), super::text::reason(error).into())).collect();
    json!({
        "process": board.process,
        "ended": board.ended,
        "runs": board.runs,
        "wall_ns": board.wall_ns,
        "times": if board.timed { "exact" } else { "sampled" },
        "samples": {
            "count": board.late.samples,
            "late": board.late.late,
            "late_sum_ns": board.late.sum_ns,
            "late_max_ns": board.late.most_ns,
        },
        "workers_left_out": board.left_out,
        "not_counted": missing,
        "total": total(&board.workers).map(|sum| counters(&sum, events)),
        "workers": workers.collect::<Vec<_>>(),
        "priorities": board.priorities.iter().map(priority).collect::<Vec<_>>(),
    })
}

/// The counters of one priority. For priority 0, `ready_to_running` and `turnaround` are 0, because
/// tasks of priority 0 are not timed.
fn priority(row: &Priority) -> Value {
    let lengths = |lengths: &Lengths| {
        json!({
            "count": lengths.all.count,
            "sum_ns": lengths.all.sum_ns,
            "median_ns": lengths.percentile_ns(50),
            "p99_ns": lengths.percentile_ns(99),
            "max_ns": lengths.all.max_ns,
        })
    };
    let times =
        |times: &Times| json!({ "count": times.count, "sum_ns": times.sum_ns, "max_ns": times.max_ns });
    json!({
        "priority": row.priority,
        "tasks": row.tasks,
        "ready_to_running": lengths(&row.delay),
        "turnaround": lengths(&row.turnaround),
        "preempted": row.away.count,
        "away": times(&row.away),
        "preempting": row.preempting,
        "to_switch": times(&row.to_switch),
        "gained": times(&row.gained),
        "requests": row.requests,
        "not_worth": row.not_worth,
    })
}

fn counters(worker: &Worker, events: &[String]) -> Map<String, Value> {
    let mut fields = Map::new();
    for (name, count) in COUNTS.iter().zip(worker.counts) {
        fields.insert((*name).to_owned(), count.into());
    }
    for (name, ns) in STATES.iter().zip(worker.ns) {
        fields.insert(format!("{name}_ns"), ns.into());
    }
    fields.insert("without_processor_ns".to_owned(), worker.without_processor.into());
    fields.insert("with_processor_ns".to_owned(), worker.with_processor.into());
    let [voluntary, involuntary] = [0, 1].map(|kind| worker.switches.map(|switches| switches[kind]));
    fields.insert("voluntary_context_switches".to_owned(), voluntary.into());
    fields.insert("involuntary_context_switches".to_owned(), involuntary.into());
    let events: Map<_, _> =
        events.iter().cloned().zip(worker.events.iter().map(|value| (*value).into())).collect();
    fields.insert("events".to_owned(), events.into());
    fields
}
