// SPDX-License-Identifier: Apache-2.0
//! Regions of several threads in which one thread ran nearly all explicit tasks, although others
//! had the time: what it costs to give a task to another thread is then not in the recording.

use std::collections::{HashMap, HashSet};

use crate::budget::{Budget, Class};
use crate::findings::WORTHWHILE;
use crate::predict;
use crate::ready_since::ReadySince;
use crate::tables::{flag, GrainKind, GrainRow, RegionInfo, RegionRow};
use crate::{Column, PlaceRow, Profile, Ticks};

/// All regions of one construct.
pub struct OneSided {
    pub region: Option<PlaceRow>,
    /// Where most of the tasks were created.
    pub place: Option<PlaceRow>,
    pub threads: u32,
    pub tasks: u64,
    /// Those that the busiest thread of each region ran.
    pub by_one: u64,
    /// Those that had begun before a second thread did.
    pub alone: u64,
    /// Of the tasks' work.
    pub median: Ticks,
    /// What a task costs beside its work, even on the thread that created it.
    pub cost: Ticks,
}

/// Fewer tasks may go to one thread by chance.
const MANY: u64 = 100;
const NEARLY_ALL: f64 = 0.95;
/// The share of their time for which the other threads must have been free.
const FREE: f64 = 0.5;
/// Regions with less work in tasks than this end before other threads can be expected.
const SHORTEST_NS: f64 = 20e3;

impl OneSided {
    /// Whether it works for less than a task should, by what it costs.
    pub fn is_short(&self) -> bool {
        (self.median.0 as f64) < WORTHWHILE * self.cost.0 as f64
    }
}

/// The tasks of one region.
#[derive(Default)]
struct Team {
    /// Number of tasks, by worker.
    tasks: HashMap<u16, u64>,
    main: Option<u16>,
    work: Ticks,
    /// How long tasks were ready and did not run.
    waited: Ticks,
    /// What the threads other than `main` did, tasks or not, creating included.
    others_work: Ticks,
    /// When the second thread began.
    second: Option<Ticks>,
}

/// By the place of the region's construct, in no order that matters.
pub fn one_sided(profile: &Profile, budget: &Budget) -> Vec<OneSided> {
    let teams = teams(profile, budget);
    let mut rows: Vec<_> = teams.keys().copied().collect();
    rows.sort_unstable();
    let mut groups: Vec<(Option<PlaceRow>, Vec<RegionRow>)> = Vec::new();
    let mut known = HashMap::new();
    for row in rows {
        let place = profile.regions[row].place;
        let at = *known.entry(place).or_insert_with(|| {
            groups.push((place, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(row);
    }
    groups.into_iter().filter_map(|(place, rows)| of_group(profile, budget, place, &rows, &teams)).collect()
}

/// Tasks that any thread of the team could have run.
fn tasks(profile: &Profile) -> impl Iterator<Item = GrainRow> + '_ {
    let grains = &profile.grains;
    let left_out = flag::INLINE | flag::CANCELLED | flag::UNFINISHED;
    let any = move |&row: &GrainRow| grains.kind[row] == GrainKind::Task && !grains.has(row, left_out);
    grains.task_rows().filter(any)
}

/// Of regions with several threads and no region inside.
fn teams(profile: &Profile, budget: &Budget) -> HashMap<RegionRow, Team> {
    let grains = &profile.grains;
    let region = |row: Option<GrainRow>| budget.region_of.of(row).copied().flatten();
    let outer: HashSet<_> = profile.regions.iter().filter_map(|info| region(info.parent)).collect();
    let is_team = |row: &RegionRow| profile.regions[*row].threads > 1 && !outer.contains(row);
    let mut teams: HashMap<RegionRow, Team> = HashMap::new();
    let ready = ReadySince::of(profile);
    for row in tasks(profile) {
        let Some(at) = region(Some(row)).filter(is_team) else { continue };
        let team = teams.entry(at).or_default();
        *team.tasks.entry(grains.worker[row]).or_default() += 1;
        team.work += grains.work.of(row);
        team.waited += grains.start.of(row) - ready.of_task(row);
    }
    for team in teams.values_mut() {
        team.main =
            team.tasks.iter().max_by_key(|&(&worker, &tasks)| (tasks, worker)).map(|(&worker, _)| worker);
    }
    for row in grains.rows() {
        let Some(team) = region(grains.task_of(row)).and_then(|at| teams.get_mut(&at)) else { continue };
        let creator = grains.parent[row].map(|parent| grains.worker[parent]);
        if creator != team.main {
            team.others_work += grains.creation.of(row);
        }
        if Some(grains.worker[row]) == team.main {
            continue;
        }
        team.others_work += grains.work.of(row);
        let start = grains.start.of(row);
        team.second = Some(team.second.map_or(start, |known| known.min(start)));
    }
    teams
}

fn of_group(
    profile: &Profile,
    budget: &Budget,
    region: Option<PlaceRow>,
    rows: &[RegionRow],
    teams: &HashMap<RegionRow, Team>,
) -> Option<OneSided> {
    let of_group = || rows.iter().map(|row| &teams[row]);
    let all: u64 = of_group().flat_map(|team| team.tasks.values()).sum();
    let by_one: u64 = of_group().filter_map(|team| team.tasks.values().max()).sum();
    let work: Ticks = of_group().map(|team| team.work).sum();
    let waited: Ticks = of_group().map(|team| team.waited).sum();
    // On average, one more task was ready while one ran: there was something to take.
    let could_share = waited >= work && profile.at_once(2.0) > 1.0;
    let is_long = profile.ns(work) >= SHORTEST_NS * rows.len() as f64;
    if all < MANY || (by_one as f64) < NEARLY_ALL * all as f64 || !could_share || !is_long {
        return None;
    }
    if free_share(profile, budget, rows, teams) < FREE {
        return None;
    }
    let grains = &profile.grains;
    let own: HashSet<_> = rows.iter().copied().collect();
    let (mut works, mut places, mut alone) = (Vec::new(), HashMap::<Option<PlaceRow>, u64>::new(), 0);
    for row in tasks(profile) {
        let Some(at) = budget.region_of[row].filter(|at| own.contains(at)) else { continue };
        works.push(grains.work.of(row));
        *places.entry(grains.place[row]).or_default() += 1;
        alone += u64::from(teams[&at].second.is_none_or(|second| grains.start.of(row) < second));
    }
    let middle = works.len() / 2;
    let (_, &mut median, _) = works.select_nth_unstable(middle);
    drop(works); // many, and the cost below takes memory, too
    let place = places.into_iter().max_by_key(|&(place, tasks)| (tasks, place)).and_then(|(place, _)| place);
    let threads = rows.iter().map(|&row| profile.regions[row].threads).max()?;
    let cost = predict::of_a_task(profile);
    Some(OneSided { region, place, threads, tasks: all, by_one, alone, median, cost })
}

/// For what share of their time the other threads neither worked nor lacked a processor.
fn free_share(
    profile: &Profile,
    budget: &Budget,
    rows: &[RegionRow],
    teams: &HashMap<RegionRow, Team>,
) -> f64 {
    let regions: &Column<RegionInfo, _> = &profile.regions;
    let (mut whole, mut taken) = (0.0, 0.0);
    for &row in rows {
        let info = &regions[row];
        whole += profile.ns(info.end - info.begin) * f64::from(info.threads - 1);
        taken += profile.ns(teams[&row].others_work + budget.regions[row].of(Class::Descheduled));
    }
    1.0 - taken / whole.max(1.0)
}
