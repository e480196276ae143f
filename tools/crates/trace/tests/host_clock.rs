// SPDX-License-Identifier: Apache-2.0
//! Tests the line between the clocks of a host and a device: exchanges whose true offset and rate
//! are known.

use trace::{Exchange, HostClock, Rate, Stamp};

/// A device whose counter shows `at + offset(at)` when the host's shows `at`, scaled.
struct Pair<F: Fn(f64) -> f64> {
    device: F,
    seed: u64,
}

impl<F: Fn(f64) -> f64> Pair<F> {
    /// Up to `most`, and often much less.
    fn delay(&mut self, most: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let part = (self.seed >> 40) % 1_000 + 1;
        200 + most * part * part / 1_000_000
    }

    /// A message that takes up to `to`, and an answer that takes up to `from`.
    fn exchange(&mut self, sent: u64, (to, from): (u64, u64)) -> Exchange {
        let began = sent + self.delay(to);
        let ended = began + 50;
        let answered = ended + self.delay(from);
        let on_device = |host: u64| Stamp((self.device)(host as f64).round() as u64);
        Exchange {
            sent: Stamp(sent),
            began: on_device(began),
            ended: on_device(ended),
            answered: Stamp(answered),
        }
    }
}

const START: u64 = 7_000_000_000_000;
const KNOWN: Rate = Rate { rate: 1.0, error: 1e-3 };

/// The largest error of the clock at the exchanges.
fn true_error(clock: &HostClock, device: impl Fn(f64) -> f64, at: impl Iterator<Item = u64>) -> f64 {
    let error = |host: u64| {
        let shown = Stamp(device(host as f64).round() as u64);
        (clock.on_host(shown).0 as f64 - host as f64).abs()
    };
    at.map(error).fold(0.0, f64::max)
}

/// The true line and the one that was fitted to `count` exchanges, `apart` from each other.
fn errors(
    device: impl Fn(f64) -> f64 + Copy,
    count: u64,
    apart: u64,
    delays: (u64, u64),
) -> (HostClock, f64) {
    let mut pair = Pair { device, seed: count };
    let at = |number: u64| START + number * apart;
    let exchanges: Vec<_> = (0..count).map(|number| pair.exchange(at(number), delays)).collect();
    let clock = HostClock::fit(&exchanges, KNOWN).unwrap();
    let error = true_error(&clock, device, (0..count).map(at));
    (clock, error)
}

#[test]
fn offset_and_drift_are_found() {
    for ppm in [-80.0, 0.0, 40.0, 300.0] {
        let device = move |host: f64| 1e9 + (host - START as f64) * (1.0 + ppm * 1e-6);
        let (clock, error) = errors(device, 400, 5_000_000, (20_000, 20_000));
        assert!(error <= clock.error_ticks + 1.0, "{ppm}: {error} of {}", clock.error_ticks);
        assert!(clock.error_ticks < 2_000.0, "{ppm}: {}", clock.error_ticks);
        let rate = 1.0 / (1.0 + ppm * 1e-6);
        assert!((clock.rate.rate - rate).abs() <= clock.rate.error * rate + 1e-12);
        assert!(clock.rate.error < 5e-6, "{:?}", clock.rate);
        assert_eq!(clock.exchanges, 400);
    }
}

#[test]
fn the_error_holds_where_one_direction_is_slower() {
    for (to, from) in [(50_000, 100), (100, 50_000)] {
        for count in [1, 2, 17, 300] {
            let device = |host: f64| (host - START as f64) * 0.999_95 + 3e13;
            let (clock, error) = errors(device, count, 700_000, (to, from));
            assert!(error <= clock.error_ticks + 1.0, "{count}: {error} of {}", clock.error_ticks);
        }
    }
}

#[test]
fn counters_of_other_rates_are_converted() {
    let device = |host: f64| 5e8 + (host - START as f64) * 0.4;
    let mut pair = Pair { device, seed: 1 };
    let exchanges: Vec<_> = (0..50).map(|n| pair.exchange(START + n * 1_000_000, (9_000, 9_000))).collect();
    let clock = HostClock::fit(&exchanges, Rate { rate: 2.501, error: 1e-3 }).unwrap();
    let at = START + 20_000_000;
    assert!(clock.on_host(Stamp(device(at as f64) as u64)).0.abs_diff(at) < 2_000);
    assert!(clock.on_device(Stamp(at)).0.abs_diff(device(at as f64) as u64) < 1_000);
    assert!(clock.on_host(Stamp(0)) < Stamp(START), "before the first exchange, too");
}

#[test]
fn a_counter_that_is_not_steady_has_a_larger_error() {
    // Over ten seconds it loses up to 50 us, and gains them again.
    let wave = |host: f64| 50_000.0 * ((host - START as f64) / 1e10 * std::f64::consts::PI).sin();
    let device = move |host: f64| host - START as f64 + 1e12 + wave(host);
    let (clock, error) = errors(device, 1_000, 10_000_000, (5_000, 5_000));
    assert!(error <= clock.error_ticks, "{error} of {}", clock.error_ticks);
    assert!(clock.error_ticks < 60_000.0, "{}", clock.error_ticks);
}

#[test]
fn damaged_exchanges_give_some_clock_or_none() {
    assert_eq!(HostClock::fit(&[], KNOWN), None);
    let good = Exchange { sent: Stamp(1), began: Stamp(5), ended: Stamp(6), answered: Stamp(9) };
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(HostClock::fit(&[good], Rate { rate, error: 1e-3 }), None);
    }
    let backwards = Exchange { sent: Stamp(9), began: Stamp(6), ended: Stamp(5), answered: Stamp(1) };
    assert_eq!(HostClock::fit(&[backwards], KNOWN), None);
    let far = Exchange { answered: Stamp(u64::MAX), ended: Stamp(u64::MAX), ..good };
    let none = Exchange::default();
    for exchanges in [vec![good, far], vec![far, none], vec![good, good, none, far]] {
        let clock = HostClock::fit(&exchanges, KNOWN).unwrap();
        for at in [0, 7, u64::MAX / 2, u64::MAX] {
            let _ = (clock.on_host(Stamp(at)), clock.on_device(Stamp(at)));
        }
    }
}
