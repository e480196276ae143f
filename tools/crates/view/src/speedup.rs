// SPDX-License-Identifier: Apache-2.0
//! The speed-up that the page shows: the recording as `teff predict` executes it on other numbers
//! of threads.

use grains::predict::{Changes, Point, Predictor};
use grains::Profile;
use rayon::prelude::*;
use reports::predict::limited_by;
use serde::Serialize;
use symbols::Symbols;

const THREADS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// For larger recordings the page would take too long; use `teff predict` for these.
const MOST_GRAINS: usize = 1_000_000;

#[derive(Serialize)]
pub struct Speedup {
    threads: u32,
    time_ns: f64,
    /// Relative to the prediction for one thread.
    speedup: f64,
    /// No schedule is faster.
    bound: f64,
    limited_by: String,
    /// The program was recorded on this number of threads.
    recorded: bool,
}

/// Empty if the recording is too large, or cannot be executed to its end.
pub fn speedups(profile: &Profile, symbols: &Symbols) -> Vec<Speedup> {
    if profile.grains.len() > MOST_GRAINS {
        return Vec::new();
    }
    let predictor = Predictor::of(profile);
    let plain = Changes::default();
    let points: Result<Vec<Point>, _> =
        THREADS.par_iter().map(|&threads| predictor.point(threads, &plain)).collect();
    let Ok(points) = points else { return Vec::new() };
    let alone = profile.ns(points[0].time);
    let against = |ns: f64| if ns > 0.0 { alone / ns } else { 1.0 };
    let one = |point: &Point| Speedup {
        threads: point.threads,
        time_ns: profile.ns(point.time),
        speedup: against(profile.ns(point.time)),
        bound: against(profile.ns(point.least())),
        limited_by: limited_by(symbols, point),
        recorded: point.threads == predictor.recorded_threads(),
    };
    points.iter().map(one).collect()
}
