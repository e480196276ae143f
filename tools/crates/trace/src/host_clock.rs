// SPDX-License-Identifier: Apache-2.0
//! The clock of a device, as the clock of its host shows it.
//!
//! A message takes time. So when the device read `began`, the host's clock showed `sent` or later,
//! and when the device read `ended`, it showed `answered` or earlier. Each exchange bounds the
//! host's time of these readings from one side each. If both counters are steady, a straight line
//! converts the device's readings, and it lies between the two convex hulls of all bounds (Duda,
//! Harrus, Haddad and Bernard 1987: "Estimating global time in distributed systems").
//!
//! All times are ticks. Nothing is assumed of how long a message takes in either direction.

use crate::ticks::Stamp;

/// A message from the host and its answer: the host's counter, and in between the device's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exchange {
    pub sent: Stamp,
    pub began: Stamp,
    pub ended: Stamp,
    pub answered: Stamp,
}

/// Host's ticks for each tick of the device, and how wrong this may be, as a part of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rate {
    pub rate: f64,
    pub error: f64,
}

/// Converts readings of a device's counter to the host's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HostClock {
    /// At this reading of the device's, the line is so many ticks behind that of the host's.
    device: Stamp,
    host: Stamp,
    begin: f64,
    /// With an error that is no more than that of the rate which was known before.
    pub rate: Rate,
    /// The largest error of a conversion between the first and the last exchange, in ticks of the
    /// host.
    pub error_ticks: f64,
    pub exchanges: u64,
}

/// Device's and host's ticks since the first exchange began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Point {
    device: i64,
    host: i64,
}

/// In so many parts of the time an error is looked for where no line lies between all bounds.
const PARTS: usize = 32;

/// Halves or thirds an interval so often that an f64 has nothing more to give.
const STEPS: usize = 100;

impl HostClock {
    /// `known`: what the rate was found to be otherwise. `None`: there is no exchange,
    /// or no rate.
    pub fn fit(exchanges: &[Exchange], known: Rate) -> Option<Self> {
        if !known.rate.is_normal() || known.rate < 0.0 || !(0.0..1.0).contains(&known.error) {
            return None;
        }
        let is_in_order = |one: &&Exchange| one.sent <= one.answered && one.began <= one.ended;
        let exchanges: Vec<_> = exchanges.iter().filter(is_in_order).copied().collect();
        let first = exchanges.iter().min_by_key(|one| one.began)?;
        let (device, host) = (first.began, first.sent);
        let point = |on_device: Stamp, on_host: Stamp| Point {
            device: on_device.0.wrapping_sub(device.0) as i64,
            host: on_host.0.wrapping_sub(host.0) as i64,
        };
        let bounds = Bounds {
            lower: hull(exchanges.iter().map(|one| point(one.began, one.sent)).collect(), true),
            upper: hull(exchanges.iter().map(|one| point(one.ended, one.answered)).collect(), false),
        };
        let (slopes, gap) = bounds.slopes(known);
        let rate = f64::midpoint(slopes.0, slopes.1);
        let begin = f64::midpoint(bounds.below(rate), bounds.above(rate));
        let last = exchanges.iter().map(|one| point(one.ended, one.answered).device).max()?;
        let mut clock = Self {
            device,
            host,
            begin,
            rate: Rate { rate, error: (slopes.1 - slopes.0) / 2.0 / rate },
            error_ticks: 0.0,
            exchanges: exchanges.len() as u64,
        };
        clock.error_ticks = if gap >= 0.0 {
            let at = |device: f64| bounds.error(device, begin + rate * device, slopes);
            f64::max(at(0.0), at(last as f64))
        } else {
            clock.error_by_parts(&exchanges, last)
        };
        Some(clock)
    }

    /// The device's reading when it was first compared.
    pub fn first(&self) -> Stamp {
        self.device
    }

    /// The host's reading when the device's counter shows this.
    pub fn on_host(&self, device: Stamp) -> Stamp {
        moved(self.host, self.begin + self.rate.rate * difference(device, self.device))
    }

    /// The inverse of [`Self::on_host`].
    pub fn on_device(&self, host: Stamp) -> Stamp {
        moved(self.device, (difference(host, self.host) - self.begin) / self.rate.rate)
    }

    /// If no line lies between all bounds, one of the counters was not steady. In each part of the
    /// time the error is not larger than the best exchange allows, and it changes no faster than
    /// from one part to the next.
    fn error_by_parts(&self, exchanges: &[Exchange], last: i64) -> f64 {
        let mut least = [f64::INFINITY; PARTS];
        for one in exchanges {
            let ahead = difference(self.on_host(one.began), one.sent);
            let behind = difference(one.answered, self.on_host(one.ended));
            let at = difference(one.began, self.device) / (last as f64 + 1.0) * PARTS as f64;
            let part = &mut least[(at as usize).min(PARTS - 1)];
            *part = part.min(ahead.max(behind));
        }
        let least: Vec<f64> = least.into_iter().filter(|error| error.is_finite()).collect();
        let changes = least.windows(2).map(|pair| pair[0].max(pair[1]) + (pair[0] - pair[1]).abs());
        changes.chain(least.iter().copied()).fold(0.0, f64::max)
    }
}

fn moved(from: Stamp, ticks: f64) -> Stamp {
    Stamp(from.0.saturating_add_signed(ticks.round() as i64))
}

fn difference(a: Stamp, b: Stamp) -> f64 {
    a.0.wrapping_sub(b.0) as i64 as f64
}

/// The line has to lie above all points of `lower` and below all of `upper`.
struct Bounds {
    lower: Vec<Point>,
    upper: Vec<Point>,
}

impl Bounds {
    /// Where a line of this slope has to begin at least.
    fn below(&self, slope: f64) -> f64 {
        let begin = |point: &Point| point.host as f64 - slope * point.device as f64;
        self.lower.iter().map(begin).fold(f64::NEG_INFINITY, f64::max)
    }

    /// ... at most.
    fn above(&self, slope: f64) -> f64 {
        let begin = |point: &Point| point.host as f64 - slope * point.device as f64;
        self.upper.iter().map(begin).fold(f64::INFINITY, f64::min)
    }

    /// The least and the largest slope of lines between the bounds, and how far these then are
    /// apart; below 0: there is no such line, and both are the slope of the one that passes them
    /// least.
    fn slopes(&self, known: Rate) -> ((f64, f64), f64) {
        let gap = |slope: f64| self.above(slope) - self.below(slope);
        let (least, most) = (known.rate * (1.0 - known.error), known.rate * (1.0 + known.error));
        let widest = highest(least, most, gap);
        if gap(widest) < 0.0 {
            return ((widest, widest), gap(widest));
        }
        let edge = |beyond: f64| {
            let (mut inside, mut outside) = (widest, beyond);
            if gap(beyond) >= 0.0 {
                return beyond;
            }
            for _ in 0..STEPS {
                let middle = f64::midpoint(inside, outside);
                *(if gap(middle) >= 0.0 { &mut inside } else { &mut outside }) = middle;
            }
            inside
        };
        ((edge(least), edge(most)), gap(widest))
    }

    /// How far a line between the bounds can be from this point.
    fn error(&self, device: f64, host: f64, slopes: (f64, f64)) -> f64 {
        let highest_at = |slope: f64| self.above(slope) + slope * device;
        let lowest_at = |slope: f64| -(self.below(slope) + slope * device);
        let up = highest_at(highest(slopes.0, slopes.1, highest_at)) - host;
        let down = lowest_at(highest(slopes.0, slopes.1, lowest_at)) + host;
        up.max(down)
    }
}

/// Where a concave function is highest.
fn highest(mut from: f64, mut to: f64, of: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..STEPS {
        let third = (to - from) / 3.0;
        let (left, right) = (from + third, to - third);
        if of(left) < of(right) {
            from = left;
        } else {
            to = right;
        }
    }
    f64::midpoint(from, to)
}

/// The points that alone bound a line which lies above all of them (`is_upper`), or below.
fn hull(mut points: Vec<Point>, is_upper: bool) -> Vec<Point> {
    points.sort_unstable();
    let mut hull: Vec<Point> = Vec::new();
    for point in points {
        while let [.., a, b] = hull[..] {
            let wide = |to: i64, from: i64| i128::from(to) - i128::from(from);
            let turn = wide(b.device, a.device) * wide(point.host, a.host)
                - wide(b.host, a.host) * wide(point.device, a.device);
            if if is_upper { turn < 0 } else { turn > 0 } {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull
}
