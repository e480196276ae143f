// SPDX-License-Identifier: Apache-2.0
//! What each worker did over time, by the classes of the budget: shares in intervals for the whole
//! run, and the stretches without a grain for a closer look.

use grains::budget::{Class, Cuts, Detail, Lane, CLASSES};
use grains::{Grains, Profile};
use serde::Serialize;

use crate::columns::Column;

/// The most intervals of all workers together, and of one worker.
const MOST_OF_ALL: usize = 32_768;
const MOST: usize = 2048;
const LEAST: usize = 256;

/// The most stretches of all workers together.
const MOST_STRETCHES: usize = 60_000;

/// What a share of 1 is in the column.
const WHOLE: f64 = 255.0;

#[derive(Serialize)]
pub struct Lanes {
    /// Length of an interval; the first interval begins with the recording.
    interval_ns: f64,
    /// The number of intervals of each worker.
    intervals: usize,
    /// The names of the classes that occur, in the order of the budget.
    classes: Vec<&'static str>,
    /// In 255ths: by worker, interval and class.
    share: Column<u8>,
    /// By worker and time.
    stretch: Stretches,
}

#[derive(Serialize, Default)]
struct Stretches {
    worker: Column<u16>,
    start: Column<f64>,
    end: Column<f64>,
    /// Position in `classes`.
    class: Column<u8>,
}

/// How detailed the lanes of a page are.
pub fn detail<'a>(profile: &Profile, cuts: &'a Cuts, site_of: &'a grains::Column<Grains, u32>) -> Detail<'a> {
    let workers = (profile.workers as usize).max(1);
    let stretches = (MOST_STRETCHES / workers).max(64);
    Detail { intervals: (MOST_OF_ALL / workers).clamp(LEAST, MOST), stretches, cuts, site_of }
}

/// `lanes`: of the workers that have a lane on the page, in order.
pub fn of(profile: &Profile, lanes: &[Lane]) -> Lanes {
    let intervals = lanes.first().map_or(0, |lane| lane.spent.len());
    let interval = profile.wall.0 as f64 / intervals.max(1) as f64;
    let occurs = |class: &Class| {
        let mut spent = lanes.iter().flat_map(|lane| &lane.spent);
        spent.any(|spent| spent[*class as usize] > 0.0)
    };
    let classes: Vec<Class> = CLASSES.into_iter().filter(occurs).collect();
    let position = |class: Class| classes.iter().position(|&other| other == class);
    let (mut share, mut stretch) = (Column::default(), Stretches::default());
    for lane in lanes {
        for spent in &lane.spent {
            for &class in &classes {
                let part = spent[class as usize] / interval.max(f64::MIN_POSITIVE);
                share.push((part * WHOLE).round().clamp(0.0, WHOLE) as u8);
            }
        }
        for one in &lane.stretches {
            let Some(class) = position(one.class) else { continue };
            stretch.worker.push(lane.worker);
            stretch.start.push(profile.ns(one.begin));
            stretch.end.push(profile.ns(one.end));
            stretch.class.push(class as u8);
        }
    }
    let interval_ns = profile.ns(profile.wall) / intervals.max(1) as f64;
    let classes = classes.into_iter().map(Class::name).collect();
    Lanes { interval_ns, intervals, classes, share, stretch }
}
