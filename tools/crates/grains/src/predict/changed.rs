// SPDX-License-Identifier: Apache-2.0
//! The differences from the recorded run, by row.

use trace::layout::schedule;

use crate::predict::changes::Changes;
use crate::predict::graph::{work_below, Graph};
use crate::predict::spent::Spent;
use crate::tables::{GrainKind, GrainRow, Grains, LoopRow};
use crate::ticks::Ticks;
use crate::{Column, Place, PlaceRow};

/// Changes, looked up by row.
pub(super) struct Changed {
    /// Empty: all are 1.
    factors: Column<Place, f64>,
    /// Empty: none is.
    serial: Column<Place, bool>,
    pub merge_below: Ticks,
    /// For each task: it runs inside its parent. Empty: none does.
    merged: Column<Grains, bool>,
}

impl Changed {
    pub fn of(graph: &Graph, changes: &Changes) -> Self {
        let profile = graph.profile;
        let places = profile.places.places.len();
        let mut factors: Column<Place, f64> =
            vec![1.0; if changes.factors.is_empty() { 0 } else { places }].into();
        for &(place, factor) in &changes.factors {
            factors.of_mut(Some(place)).into_iter().for_each(|all| *all *= factor);
        }
        let mut serial: Column<Place, bool> =
            vec![false; if changes.serial.is_empty() { 0 } else { places }].into();
        for &place in &changes.serial {
            serial.of_mut(Some(place)).into_iter().for_each(|all| *all = true);
        }
        let mut this = Self { factors, serial, merge_below: changes.merge_below, merged: Column::default() };
        this.merged = this.merged(graph, changes);
        this
    }

    fn merged(&self, graph: &Graph, changes: &Changes) -> Column<Grains, bool> {
        let grains = &graph.profile.grains;
        if self.serial.is_empty() && changes.merge_below == Ticks::ZERO && changes.cutoff_depth.is_none() {
            return Column::default();
        }
        let below = work_below(graph);
        let too_deep = |row: GrainRow| changes.cutoff_depth.is_some_and(|most| graph.depth[row] > most);
        let is = |row: GrainRow| {
            let short = below[row] < changes.merge_below;
            grains.kind[row] == GrainKind::Task
                && (short || too_deep(row) || self.is_serial(grains.place[row]))
        };
        grains.task_rows().map(is).collect()
    }

    pub fn is_merged(&self, task: GrainRow) -> bool {
        self.merged.of(Some(task)).copied().unwrap_or(false)
    }

    pub fn is_serial(&self, place: Option<PlaceRow>) -> bool {
        self.serial.of(place).copied().unwrap_or(false)
    }

    /// What becomes of the work of a grain of this place.
    pub fn work(&self, place: Option<PlaceRow>, ticks: Ticks) -> u64 {
        match self.factors.of(place) {
            Some(&factor) if factor != 1.0 => (ticks.0 as f64 * factor).round() as u64,
            _ => ticks.0,
        }
    }

    pub fn spent(&self, place: Option<PlaceRow>, spent: Spent) -> Spent {
        spent.map(|ticks| self.work(place, Ticks(ticks)))
    }

    /// Whether the threads keep the chunks of a loop that they had.
    pub fn keeps_chunks(&self, graph: &Graph, loop_row: LoopRow, threads: u32) -> bool {
        let info = &graph.profile.loops[loop_row];
        let region = graph.loop_region[loop_row];
        let is_static = info.flags & schedule::MASK == schedule::STATIC;
        region.is_none() || is_static && !graph.is_resized(region, threads) && !self.is_serial(info.place)
    }
}
