// SPDX-License-Identifier: Apache-2.0
//! From time-stamp counter ticks to nanoseconds since the start of the recording.

/// One instant on both clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockPair {
    pub ticks: u64,
    /// CLOCK_MONOTONIC.
    pub ns: u64,
}

/// The line through the earliest and the latest pair of a recording.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    start_ticks: u64,
    ns_per_tick: f64,
}

/// Below this distance the pairs' own reading error outweighs that of the runtime's first estimate.
const MIN_BASELINE_NS: u64 = 10_000_000;

impl Clock {
    /// `ticks_per_second` is the runtime's first estimate. The line through the pairs replaces it
    /// when they are far enough apart and agree with it within a factor of two.
    pub fn new(start_ticks: u64, ticks_per_second: u64, first: ClockPair, last: ClockPair) -> Self {
        let estimate = 1e9 / ticks_per_second.max(1) as f64;
        let ticks = last.ticks.saturating_sub(first.ticks);
        let ns = last.ns.saturating_sub(first.ns);
        let line = ns as f64 / ticks.max(1) as f64;
        let trusted = ns >= MIN_BASELINE_NS && line > estimate / 2.0 && line < estimate * 2.0;
        Self { start_ticks, ns_per_tick: if trusted { line } else { estimate } }
    }

    /// Ticks since the start of the recording; instants before it count as the start.
    pub fn since_start(&self, absolute_ticks: u64) -> u64 {
        absolute_ticks.saturating_sub(self.start_ticks)
    }

    /// Length of a duration in nanoseconds; also the time of an instant given since the start.
    pub fn ns(&self, ticks: u64) -> f64 {
        ticks as f64 * self.ns_per_tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_through_far_pairs_replaces_the_estimate() {
        let first = ClockPair { ticks: 100, ns: 0 };
        let last = ClockPair { ticks: 100 + 2_000_000_000, ns: 1_000_000_000 };
        let clock = Clock::new(100, 2_100_000_000, first, last);
        assert_eq!(clock.ns(2_000), 1_000.0);
    }

    #[test]
    fn estimate_stays_when_pairs_are_near_or_absurd() {
        let origin = ClockPair::default();
        let near = ClockPair { ticks: 10, ns: 1_000 };
        assert_eq!(Clock::new(0, 1_000_000_000, origin, near).ns(7), 7.0);
        let absurd = ClockPair { ticks: u64::MAX, ns: 20_000_000 };
        assert_eq!(Clock::new(0, 1_000_000_000, origin, absurd).ns(7), 7.0);
    }

    #[test]
    fn instants_before_the_start_count_as_the_start() {
        let clock = Clock::new(1_000, 1, ClockPair::default(), ClockPair::default());
        assert_eq!(clock.since_start(10), 0);
    }
}
