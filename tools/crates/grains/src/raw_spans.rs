// SPDX-License-Identifier: Apache-2.0
//! Finds the named spans of the program in its records: what a thread does between
//! `teff_span_begin` and `teff_span_end`.

use std::collections::{BTreeSet, HashMap};

use trace::layout::span;
use trace::{Span, TaskId};

use crate::load::{At, StreamEvents};
use crate::tables::SpanInfo;
use crate::ticks::Ticks;
use crate::windows::Windows;

/// A span in ticks since the start of the recording, before anything is cut out.
pub(crate) struct RawSpan {
    pub name: String,
    pub stream: u16,
    /// The task that began it; none: it began before the window.
    pub task: TaskId,
    pub from: Ticks,
    pub to: Ticks,
}

/// The name of spans whose names were too many.
const UNNAMED: &str = "(further spans)";

/// Those of all streams. A span without an end ends at `end`.
pub(crate) fn raw_spans(streams: &[StreamEvents], end: Ticks) -> Vec<RawSpan> {
    streams.iter().flat_map(|stream| of_stream(stream, end)).collect()
}

fn of_stream(events: &StreamEvents, end: Ticks) -> Vec<RawSpan> {
    let names: HashMap<u32, &str> =
        events.span_names.iter().map(|(number, name)| (*number, name.as_str())).collect();
    let mut done = Vec::new();
    let mut open: Vec<(At<Span>, u32)> = Vec::new();
    let mut close = |(begun, _): (At<Span>, u32), to: Ticks| {
        done.push(RawSpan {
            name: names.get(&begun.record.name).map_or(UNNAMED, |name| name).to_owned(),
            stream: events.stream,
            task: begun.record.task,
            from: begun.at,
            to,
        });
    };
    for &At { at, record } in &events.spans {
        let depth = record.depth;
        let goes_on = record.flags & span::GOES_ON != 0;
        let is_open = open.iter().any(|(begun, at)| *at == depth && begun.record.name == record.name);
        if goes_on && is_open {
            continue;
        }
        while open.last().is_some_and(|(_, inner)| *inner >= depth) {
            if let Some(inner) = open.pop() {
                close(inner, at);
            }
        }
        if record.flags & span::BEGINS != 0 {
            open.push((At { at, record }, depth));
        }
    }
    for left in open {
        close(left, end);
    }
    done
}

/// Each name once, in order.
pub(crate) fn names(spans: &[RawSpan]) -> Vec<String> {
    let names: BTreeSet<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// What lies in the windows. `is_initial`: the task is an initial one.
pub(crate) fn cut(
    spans: &[RawSpan],
    windows: &Windows,
    is_initial: impl Fn(TaskId) -> bool,
) -> Vec<SpanInfo> {
    let inside = spans.iter().filter(|span| windows.overlaps(span.from, span.to));
    inside
        .map(|span| SpanInfo {
            name: span.name.clone(),
            worker: span.stream,
            of_all: span.task.is_none() || is_initial(span.task),
            begin: windows.until(span.from),
            end: windows.until(span.to),
        })
        .collect()
}
