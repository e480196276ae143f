// SPDX-License-Identifier: Apache-2.0
//! Converts ticks of the time-stamp counter to nanoseconds since the start of the recording.

use crate::host_clock::HostClock;
use crate::meta::{End, Meta};
use crate::ticks::{Stamp, Ticks};

/// One instant on both clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockPair {
    pub stamp: Stamp,
    /// CLOCK_MONOTONIC.
    pub ns: u64,
}

/// The line through the earliest and the latest pair of a recording.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    start: Stamp,
    ns_per_tick: f64,
}

/// Below this distance the pairs' own reading error outweighs that of the runtime's first estimate.
const MIN_BASELINE_NS: u64 = 10_000_000;

impl Clock {
    /// `ticks_per_second` is the runtime's first estimate. The line through the pairs replaces it
    /// when they are far enough apart and agree with it within a factor of two.
    pub fn new(start: Stamp, ticks_per_second: u64, first: ClockPair, last: ClockPair) -> Self {
        let estimate = 1e9 / ticks_per_second.max(1) as f64;
        let ticks = last.stamp.since(first.stamp);
        let ns = last.ns.saturating_sub(first.ns);
        let line = ns as f64 / ticks.0.max(1) as f64;
        let trusted = ns >= MIN_BASELINE_NS && line > estimate / 2.0 && line < estimate * 2.0;
        Self { start, ns_per_tick: if trusted { line } else { estimate } }
    }

    /// Of a recording; `pairs`: the first and the last one of its streams.
    pub fn of(
        meta: &Meta,
        end: Option<&End>,
        pairs: impl IntoIterator<Item = (ClockPair, ClockPair)>,
    ) -> Self {
        let start = ClockPair { stamp: meta.start(), ns: meta.start_monotonic_ns };
        let end = end.map(|end| ClockPair { stamp: end.end(), ns: end.end_monotonic_ns });
        let (mut first, mut last) = (start, start);
        for pair in pairs.into_iter().flat_map(|(first, last)| [first, last]).chain(end) {
            if pair.stamp < first.stamp {
                first = pair;
            }
            if pair.stamp >= last.stamp {
                last = pair;
            }
        }
        Self::new(start.stamp, meta.ticks_per_second, first, last)
    }

    /// That of a device, if this one is its host's and the line converts its readings.
    #[must_use]
    pub(crate) fn of_device(&self, line: &HostClock) -> Self {
        Self { start: line.on_device(self.start), ns_per_tick: self.ns_per_tick * line.rate.rate }
    }

    /// The instant from which times count.
    pub fn start(&self) -> Stamp {
        self.start
    }

    /// Ticks since the start of the recording; instants before it count as the start.
    pub fn since_start(&self, stamp: Stamp) -> Ticks {
        stamp.since(self.start)
    }

    /// The inverse of [`Clock::ns`], for a duration.
    pub fn ticks(&self, ns: u64) -> Ticks {
        Ticks((ns as f64 / self.ns_per_tick).round() as u64)
    }

    /// Length of a duration in nanoseconds; also the time of an instant given since the start.
    pub fn ns(&self, ticks: Ticks) -> f64 {
        ticks.0 as f64 * self.ns_per_tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_through_far_pairs_replaces_the_estimate() {
        let first = ClockPair { stamp: Stamp(100), ns: 0 };
        let last = ClockPair { stamp: Stamp(100 + 2_000_000_000), ns: 1_000_000_000 };
        let clock = Clock::new(Stamp(100), 2_100_000_000, first, last);
        assert_eq!(clock.ns(Ticks(2_000)), 1_000.0);
    }

    #[test]
    fn estimate_stays_when_pairs_are_near_or_absurd() {
        let origin = ClockPair::default();
        let near = ClockPair { stamp: Stamp(10), ns: 1_000 };
        assert_eq!(Clock::new(Stamp(0), 1_000_000_000, origin, near).ns(Ticks(7)), 7.0);
        let absurd = ClockPair { stamp: Stamp(u64::MAX), ns: 20_000_000 };
        assert_eq!(Clock::new(Stamp(0), 1_000_000_000, origin, absurd).ns(Ticks(7)), 7.0);
    }

    #[test]
    fn instants_before_the_start_count_as_the_start() {
        let clock = Clock::new(Stamp(1_000), 1, ClockPair::default(), ClockPair::default());
        assert_eq!(clock.since_start(Stamp(10)), Ticks::ZERO);
    }
}
