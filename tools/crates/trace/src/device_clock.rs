// SPDX-License-Identifier: Apache-2.0
//! The clock of a device in nanoseconds, against that of its host.

use serde::Serialize;

use crate::clock::Clock;
use crate::host_clock::{Exchange, HostClock, Rate};
use crate::meta::{End, Meta};
use crate::ticks::{Stamp, Ticks};

/// The rates of two clocks, each kept by its own system, differ by less than this part.
const RATE_ERROR: f64 = 1e-3;
/// The pairs by which a recording's rate is known may be wrong by this.
const PAIR_ERROR_NS: f64 = 20_000.0;
/// So may be the rate that the runtime measures at its start.
const LARGEST_RATE_ERROR: f64 = 1e-2;

/// Converts the times of a device's recording.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeviceClock {
    pub line: HostClock,
    /// The host's.
    pub host: Clock,
    pub facts: ClockFacts,
}

/// How the clock of a device differs from that of its host.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ClockFacts {
    /// What the device's CLOCK_MONOTONIC showed more than the host's when the clocks were first
    /// compared.
    pub offset_ns: i64,
    /// By how much it is faster, in parts of a million.
    pub drift_ppm: f64,
    pub drift_error_ppm: f64,
    /// The largest error of the device's times as they are shown, between the first and the last
    /// exchange.
    pub error_ns: f64,
    /// The number of times that the clocks were compared.
    pub exchanges: u64,
    /// Host and device ran on different machines.
    pub other_machine: bool,
}

impl DeviceClock {
    /// `None`: the clocks were never compared.
    pub fn of(host: (&Meta, Clock), device: (&Meta, Option<&End>), exchanges: &[Exchange]) -> Option<Self> {
        let (host_meta, host) = host;
        let (meta, end) = device;
        let own = Clock::of(meta, end, []);
        let ns_per_tick = |clock: &Clock| clock.ns(Ticks(1));
        let length = end.map_or(0, |end| end.end_monotonic_ns.saturating_sub(meta.start_monotonic_ns));
        let known = Rate {
            rate: ns_per_tick(&own) / ns_per_tick(&host),
            error: (RATE_ERROR + PAIR_ERROR_NS / length as f64).min(LARGEST_RATE_ERROR),
        };
        let line = HostClock::fit(exchanges, known)?;
        // Before the first exchange, nothing bounds the line.
        let first = line.first();
        let since = signed_ns(&own, first, meta.start());
        let host_since = signed_ns(&host, line.on_host(first), host_meta.start());
        let ahead = i128::from(meta.start_monotonic_ns) - i128::from(host_meta.start_monotonic_ns);
        let facts = ClockFacts {
            offset_ns: (ahead + (since - host_since) as i128) as i64,
            drift_ppm: (known.rate / line.rate.rate - 1.0) * 1e6,
            drift_error_ppm: line.rate.error * 1e6,
            error_ns: line.error_ticks * ns_per_tick(&host),
            exchanges: line.exchanges,
            other_machine: meta.host != host_meta.host,
        };
        Some(Self { line, host, facts })
    }

    /// For the device's recording: its times as the host's clock shows them, from the start of the
    /// host's recording on.
    pub fn clock(&self) -> Clock {
        self.host.of_device(&self.line)
    }
}

fn signed_ns(clock: &Clock, at: Stamp, since: Stamp) -> f64 {
    clock.ns(at.since(since)) - clock.ns(since.since(at))
}
