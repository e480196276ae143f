// SPDX-License-Identifier: Apache-2.0
//! A recording that `teff view` keeps in memory while a page shows it, and the answers to the
//! page's requests (docs/formats/view.md). The server has no state for a page: each request is
//! complete in itself.

use grains::Profile;
use serde::Serialize;
use symbols::sites::Sites;

use super::find::{By, Search};
use super::measures::Measures;
use super::part::{Part, Source};
use super::sums::Sums;
use super::time::{About, Place, Tile, TimeIndex, BINS, MAX_WORKERS};
use super::tree::Tree;

/// The largest number of rows of grains in one answer.
const MOST_ROWS: u32 = 20_000;
const USUAL_ROWS: u32 = 2_000;
/// Rectangles of the time line that come with the model of a folded recording.
const FIRST_BINS: u32 = 1 << 16;

pub struct Kept {
    pub profile: Profile,
    pub sites: Sites,
    pub tree: Tree,
    pub measures: Measures,
    sums: Sums,
    time: TimeIndex,
}

/// The reason why a request has no answer, for the client.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong(pub &'static str);

type Answer = Result<String, Wrong>;

impl Kept {
    pub fn of(profile: Profile, sites: Sites, measures: Measures) -> Self {
        let tree = Tree::of(&profile);
        let sums = Sums::of(&profile, &measures, &tree);
        let time = TimeIndex::of(&profile);
        Self { profile, sites, tree, measures, sums, time }
    }

    pub fn source(&self) -> Source<'_> {
        let Self { profile, tree, measures, sums, sites, .. } = self;
        Source { profile, tree, measures, sums, site_of: &sites.of_grain }
    }

    /// All workers' whole run, in few rectangles.
    pub fn whole_time(&self) -> Tile {
        let workers = self.time.workers().min(MAX_WORKERS);
        let bins = (FIRST_BINS / workers.max(1)).clamp(BINS, 4 * BINS);
        let place = Place { level: 0, tile: 0, bins };
        self.time.tile(&self.about(), place, 0..workers).unwrap_or_default()
    }

    fn about(&self) -> About<'_> {
        About { profile: &self.profile, tree: &self.tree, site_of: &self.sites.of_grain }
    }

    /// `part.json?first=&count=&grain=&rows=`: the group of `count` grains from the grain `first`
    /// on, opened. If `grain` is given, that grain is shown.
    pub fn part(&self, query: &str) -> Answer {
        let query = Query(query);
        let grains = self.tree.preorder.len() as u32;
        let (first, count) = (query.number("first")?, query.number("count")?);
        let (Some(first), Some(count)) = (first, count) else {
            return Err(Wrong("first and count are needed: which group is to be opened."));
        };
        let end = first.checked_add(count).filter(|&end| count > 0 && end <= grains);
        let Some(end) = end else { return Err(Wrong("there are no such grains.")) };
        let focus = query.number("grain")?;
        if focus.is_some_and(|focus| !(first..end).contains(&focus)) {
            return Err(Wrong("the grain is not in the group."));
        }
        let rows = query.number("rows")?.unwrap_or(USUAL_ROWS).clamp(8, MOST_ROWS);
        answer(&Part::opened(&self.source(), first..end, focus, rows as usize))
    }

    /// `time.json?level=&tile=&worker=&workers=`: a tile of the time line, of some workers.
    pub fn time(&self, query: &str) -> Answer {
        let query = Query(query);
        let (level, tile) = (query.number("level")?.unwrap_or(0), query.number64("tile")?.unwrap_or(0));
        let first = query.number("worker")?.unwrap_or(0);
        let count = query.number("workers")?.unwrap_or(1);
        let end = first.checked_add(count).filter(|&end| end <= self.time.workers());
        let end = end.ok_or(Wrong("there are no such workers."))?;
        let tile = self.time.tile(&self.about(), Place { level, tile, bins: BINS }, first..end);
        answer(&tile.ok_or(Wrong("there is no such tile."))?)
    }

    /// `grains.json?site=&by=&from=&most=`: the first grains of a site, or of all, in an order.
    pub fn grains(&self, query: &str) -> Answer {
        let query = Query(query);
        let by = By::named(query.get("by").unwrap_or("work"));
        let by = by.ok_or(Wrong("by is work, wait, benefit or number."))?;
        let (site, from) = (query.number("site")?, query.number("from")?.unwrap_or(0));
        let most = query.number("most")?.unwrap_or(20) as usize;
        let Self { profile, tree, sites, .. } = self;
        answer(&Search { profile, tree, site_of: &sites.of_grain, site, by }.find(from, most))
    }
}

fn answer(value: &impl Serialize) -> Answer {
    serde_json::to_string(value).map_err(|_| Wrong("the answer cannot be written."))
}

/// The part of an address after the question mark.
struct Query<'a>(&'a str);

impl<'a> Query<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
        let fields = self.0.split('&').filter_map(|field| field.split_once('='));
        fields.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    fn number64(&self, name: &str) -> Result<Option<u64>, Wrong> {
        let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        match self.get(name) {
            None => Ok(None),
            Some(text) => {
                let number = Some(text).filter(is_number).and_then(|text| text.parse().ok());
                number.map(Some).ok_or(Wrong("a number is expected."))
            }
        }
    }

    fn number(&self, name: &str) -> Result<Option<u32>, Wrong> {
        let number = self.number64(name)?;
        number.map(|number| u32::try_from(number).map_err(|_| Wrong("a number is too large."))).transpose()
    }
}
