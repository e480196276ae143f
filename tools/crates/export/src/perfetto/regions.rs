// SPDX-License-Identifier: Apache-2.0
//! Tracks of parallel regions: one track for each construct, and further tracks if instances of the
//! construct overlap.

use std::collections::BTreeMap;
use std::io::Result;

use grains::{Profile, RegionInfo, RegionRow, Ticks};

use super::super::names::Names;
use super::file::{File, REGIONS};
use super::flows::Ends;
use super::sequence::{Annotation, Sequence, Text};

/// The numbers of regions follow those of the workers; a recording has at most 2^16 workers.
const REGION_SEQUENCES: u64 = 1 << 20;
const REGION_RANKS: u64 = 1 << 20;

/// One of the tracks of a construct.
struct Lane {
    sequence: Sequence,
    /// The end of the last slice, which is still open in the file.
    until: Ticks,
}

/// The largest number of lanes of one construct.
const MOST_LANES: usize = 500;

/// Returns how many regions were left out because too many overlap.
pub fn write(file: &mut File, profile: &Profile, names: &Names) -> Result<u64> {
    let mut order: Vec<RegionRow> = profile.regions.rows().collect();
    order.sort_unstable_by_key(|&row| profile.regions[row].begin);
    let mut tracks = Tracks { profile, names, lanes: BTreeMap::new(), count: 0 };
    let mut left_out = 0;
    for row in order {
        match tracks.lane(file, &profile.regions[row])? {
            Some(lane) => slice(file, profile, row, lane)?,
            None => left_out += 1,
        }
    }
    for lane in tracks.lanes.values_mut().flatten() {
        lane.sequence.slice_ends(file, ns(profile, lane.until))?;
    }
    Ok(left_out)
}

struct Tracks<'a> {
    profile: &'a Profile,
    names: &'a Names,
    /// By the row of the name of the construct's place.
    lanes: BTreeMap<usize, Vec<Lane>>,
    count: u64,
}

impl Tracks<'_> {
    /// A track on which nothing is open.
    fn lane(&mut self, file: &mut File, region: &RegionInfo) -> Result<Option<&mut Lane>> {
        let lanes = self.lanes.entry(self.names.row_of_place(region.place)).or_default();
        if let Some(free) = lanes.iter().position(|lane| lane.until <= region.begin) {
            let until = ns(self.profile, lanes[free].until);
            lanes[free].sequence.slice_ends(file, until)?;
            return Ok(Some(&mut lanes[free]));
        }
        if lanes.len() == MOST_LANES {
            return Ok(None);
        }
        let name = format!("region {}", self.names.place(region.place).whole());
        file.track(REGIONS + self.count, REGION_RANKS + self.count, &name)?;
        let mut sequence = Sequence::new(REGION_SEQUENCES + self.count, REGIONS + self.count);
        sequence.begin(file)?;
        self.count += 1;
        lanes.push(Lane { sequence, until: Ticks::ZERO });
        Ok(lanes.last_mut())
    }
}

fn slice(file: &mut File, profile: &Profile, row: RegionRow, lane: &mut Lane) -> Result<()> {
    let region = &profile.regions[row];
    let values = [
        Annotation::Number("region", row.number().into()),
        Annotation::Number("threads", region.threads.into()),
        Annotation::Number("level", region.level.into()),
    ];
    lane.until = region.end.max(region.begin);
    let begin = ns(profile, region.begin);
    lane.sequence.slice_begins(file, begin, Text::Plain("region"), "region", &values, &Ends::default())
}

fn ns(profile: &Profile, ticks: Ticks) -> u64 {
    profile.ns(ticks).round() as u64
}
