// SPDX-License-Identifier: Apache-2.0
//! Which part of a recording a profile is about.

use trace::Clock;

use crate::raw_spans::RawSpan;
use crate::ticks::Ticks;
use crate::windows::{Part, Windows};

/// Times are in nanoseconds since the start of the recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    pub from_ns: Option<f64>,
    pub to_ns: Option<f64>,
    /// Only the time in which some thread was in a span of this name.
    pub span: Option<String>,
}

impl Selection {
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// What of the recorded windows is selected.
    pub(crate) fn of(&self, recorded: &Windows, spans: &[RawSpan], clock: &Clock) -> Windows {
        let mut chosen = recorded.clone();
        if self.from_ns.is_some() || self.to_ns.is_some() {
            let from = self.from_ns.map_or(Ticks::ZERO, |ns| ticks(clock, ns));
            let to = self.to_ns.map_or(Windows::END, |ns| ticks(clock, ns));
            chosen = chosen.within(&Windows::of(vec![Part { from, to }]));
        }
        if let Some(name) = &self.span {
            let of_name = spans.iter().filter(|span| span.name == *name);
            let parts = of_name.map(|span| Part { from: span.from, to: span.to }).collect();
            chosen = chosen.within(&Windows::of(parts));
        }
        chosen
    }
}

fn ticks(clock: &Clock, ns: f64) -> Ticks {
    const MANY: Ticks = Ticks(1 << 40);
    Ticks((ns / clock.ns(MANY) * MANY.0 as f64) as u64)
}
