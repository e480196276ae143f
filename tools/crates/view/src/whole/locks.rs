// SPDX-License-Identifier: Apache-2.0
//! What locks cost, by the line that takes them.

use std::collections::HashMap;

use grains::{Profile, Ticks};
use serde::Serialize;
use symbols::{Symbol, Symbols};
use terminal::printable;

/// The largest number of lines; nobody would read more.
const LINES: usize = 200;

#[derive(Serialize)]
pub struct Line {
    pub file: String,
    pub line: u32,
    function: String,
    holds: u64,
    waited_ns: f64,
    held_ns: f64,
}

/// The lines with the longest waits.
pub fn of(profile: &Profile, symbols: &Symbols) -> Vec<Line> {
    let mut places: HashMap<_, (u64, Ticks, Ticks)> = HashMap::new();
    for hold in &profile.locks {
        let sum = places.entry(hold.place).or_default();
        *sum = (sum.0 + 1, sum.1 + hold.waited, sum.2 + hold.held);
    }
    let mut lines: HashMap<Symbol, (u64, Ticks, Ticks)> = HashMap::new();
    for (place, (holds, waited, held)) in places {
        let sum = lines.entry(symbols.of(place)).or_default();
        *sum = (sum.0 + holds, sum.1 + waited, sum.2 + held);
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by(|(one, a), (other, b)| (b.1, &one.file, one.line).cmp(&(a.1, &other.file, other.line)));
    lines.truncate(LINES);
    let line = |(symbol, (holds, waited, held)): (Symbol, (u64, Ticks, Ticks))| Line {
        file: printable(&symbol.file),
        line: symbol.line,
        function: printable(&symbol.function),
        holds,
        waited_ns: profile.ns(waited),
        held_ns: profile.ns(held),
    };
    lines.into_iter().map(line).collect()
}
