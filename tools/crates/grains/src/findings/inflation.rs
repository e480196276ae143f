// SPDX-License-Identifier: Apache-2.0
//! Grains that work longer than in a baseline. That threads compete for the memory follows only if
//! the baseline did the same on fewer threads.

use super::subject::Subject;
use super::Finding;
use crate::budget::Class;
use crate::metrics::Inflation;
use crate::units::{percent, time};

/// The place with the largest inflation.
pub(crate) fn work_inflation(subject: &Subject) -> Vec<Finding> {
    let Some(inflation) = &subject.budget.inflation else { return Vec::new() };
    let places = inflation.places.iter().enumerate();
    let Some((row, &(inflated, before))) = places.max_by(|a, b| a.1 .0.total_cmp(&b.1 .0)) else {
        return Vec::new();
    };
    if inflated <= 0.0 {
        return Vec::new();
    }
    let place = subject.profile.places.places.rows().nth(row);
    let at_once = subject.at_once(f64::from(subject.budget.workers));
    let all = subject.class(&subject.budget.total, Class::Inflation);
    let times = (inflated + before) / before.max(1.0);
    vec![Finding {
        rule: "work-inflation",
        title: format!("the same grains take {times:.2} times as long as in the baseline"),
        place,
        region: None,
        when: None,
        lost_ns: inflated,
        gain_ns: inflated / at_once,
        evidence: [
            Some(format!(
                "work of {} where the baseline, on {}, has {}",
                time(inflated + before),
                workers(inflation.baseline_workers),
                time(before)
            )),
            Some(format!(
                "{} of inflation in all; grains that are also in the baseline have {} of the work",
                time(all),
                percent(inflation.matched_work, 1.0)
            )),
            inflation
                .other_command
                .as_ref()
                .map(|command| format!("the baseline is of another command: {command}")),
        ]
        .into_iter()
        .flatten()
        .collect(),
        remedy: remedy(inflation, subject.budget.workers).to_owned(),
        estimate: format!("the work beyond the baseline's, divided among {at_once:.0} threads"),
    }]
}

fn remedy(inflation: &Inflation, workers: u32) -> &'static str {
    if inflation.other_command.is_some() {
        return "The baseline ran another command, so these grains may have had other work to do. Record a baseline \
                with the same command line, on fewer threads.";
    }
    if inflation.baseline_workers >= workers {
        return "Why is not known: the baseline has no fewer threads, so it may be the program, its data or the \
                machine that differs. A baseline of the same program on fewer threads shows whether threads slow \
                each other down in the memory.";
    }
    "Threads slow each other down in the memory: look for data of different threads in one cache line (false sharing: \
     pad the data or make them private), for shared data that all threads write, for memory that one thread touched \
     first, and for data that exceed the caches' size or the memory's bandwidth."
}

fn workers(number: u32) -> String {
    format!("{number} worker{}", if number == 1 { "" } else { "s" })
}
