// SPDX-License-Identifier: Apache-2.0
//! The counters as JSON: one line for each moment.

use serde_json::{json, Map, Value};

use super::board::{total, Board, Worker, COUNTS, STATES};
use super::moment::Moment;

pub fn line(moment: &Moment) -> String {
    let processes: Vec<_> = moment.boards.iter().map(|board| process(board, moment.events)).collect();
    json!({ "version": 1, "last": moment.last, "processes": processes }).to_string() + "\n"
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
        "workers_left_out": board.left_out,
        "not_counted": missing,
        "total": total(&board.workers).map(|sum| counters(&sum, events)),
        "workers": workers.collect::<Vec<_>>(),
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
    fields.insert("context_switches".to_owned(), worker.switches.map(|[voluntary, _]| voluntary).into());
    fields.insert("preemptions".to_owned(), worker.switches.map(|[_, forced]| forced).into());
    let events: Map<_, _> =
        events.iter().cloned().zip(worker.events.iter().map(|value| (*value).into())).collect();
    fields.insert("events".to_owned(), events.into());
    fields
}
