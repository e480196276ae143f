// SPDX-License-Identifier: Apache-2.0
//! Measures how components and clusters change when one program is left out, for each program in
//! turn.
//!
//! - The *congruence* of a component is the largest absolute cosine between its loadings and those
//!   of a component computed without the program, among as many components as all programs retain.
//! - The *clusters* without the program, cut into the same number, are compared by the adjusted
//!   Rand index with the clusters of all programs, from which the program is removed.
//! - The *error of prediction* by a number of components is the mean squared difference between
//!   each value and its prediction. The prediction uses the program's other values and the loadings
//!   of the other programs. Values are autoscaled by the other programs, so the error without
//!   components (the mean is the prediction) is somewhat above 1. The number of components with the
//!   least error tells how many of them describe more than the programs from which they were
//!   computed.

use nalgebra::{DMatrix, DVector};

use crate::characterise::cluster::{adjusted_rand, Clusters};
use crate::characterise::components::Components;
use crate::characterise::table::{Scale, Table};
use crate::metrics::median;

pub struct Stability {
    /// For each program left out and each retained component.
    pub congruence: Vec<Vec<f64>>,
    /// For each program left out.
    pub rand: Vec<f64>,
    /// For each program left out: how many components have the variance then.
    pub retained: Vec<usize>,
    /// By 0, 1, 2... components.
    pub error: Vec<f64>,
}

impl Stability {
    pub fn of(table: &Table, scale: &Scale, components: &Components, groups: usize) -> Self {
        let all = Clusters::of(components, Some(groups)).of;
        let mut this = Self { congruence: vec![], rand: vec![], retained: vec![], error: vec![] };
        let mut errors = Vec::new();
        for program in 0..table.programs.len() {
            let rest = Rest::without(table, scale, program);
            this.congruence.push(rest.congruence(components));
            this.retained.push(rest.components.retained);
            let mut others = all.clone();
            others.remove(program);
            let found = Clusters::of(&rest.components, Some(groups)).of;
            this.rand.push(adjusted_rand(&others, &found));
            errors.push(rest.errors(table, program));
        }
        let most = errors.iter().map(Vec::len).min().unwrap_or(0);
        let mean = |at: usize| errors.iter().map(|error| error[at]).sum::<f64>() / errors.len() as f64;
        this.error = (0..most).map(mean).collect();
        this
    }

    /// For each retained component: the least, and the median.
    pub fn congruences(&self) -> Vec<(f64, f64)> {
        let components = self.congruence.first().map_or(0, Vec::len);
        let of = |at: usize| {
            let mut column: Vec<f64> = self.congruence.iter().map(|row| row[at]).collect();
            (column.iter().copied().fold(1.0, f64::min), median(&mut column))
        };
        (0..components).map(of).collect()
    }

    pub fn mean_rand(&self) -> f64 {
        self.rand.iter().sum::<f64>() / self.rand.len() as f64
    }

    pub fn least_rand(&self) -> f64 {
        self.rand.iter().copied().fold(1.0, f64::min)
    }

    /// The number of components with the least error.
    pub fn best(&self) -> usize {
        (0..self.error.len()).min_by(|&a, &b| self.error[a].total_cmp(&self.error[b])).unwrap_or(0)
    }
}

/// All programs but one.
struct Rest {
    scale: Scale,
    components: Components,
    /// Row of each property that all programs have, in the loadings here.
    rows: Vec<Option<usize>>,
}

impl Rest {
    fn without(table: &Table, all: &Scale, program: usize) -> Self {
        let scale = table.without(program).autoscaled();
        let components = Components::of(&scale.values);
        let row = |property| scale.kept.iter().position(|kept| *kept == property);
        let rows = all.kept.iter().map(|&property| row(property)).collect();
        Self { scale, components, rows }
    }

    fn congruence(&self, all: &Components) -> Vec<f64> {
        let here = all.retained.min(self.components.loadings.ncols());
        let cosine = |one: usize, other: usize| {
            let products = self.rows.iter().enumerate().filter_map(|(row, &there)| {
                Some(all.loadings[(row, one)] * self.components.loadings[(there?, other)])
            });
            products.sum::<f64>().abs()
        };
        let best = |one| (0..here).map(|other| cosine(one, other)).fold(0.0, f64::max);
        (0..all.retained).map(|one| f64::min(best(one), 1.0)).collect()
    }

    /// Mean square, by number of components.
    fn errors(&self, table: &Table, program: usize) -> Vec<f64> {
        let kept = &self.scale.kept;
        let at = |property| super::Property::ALL.iter().position(|known| *known == property);
        let given = |i: usize| at(kept[i]).and_then(|at| table.values[program][at]).unwrap_or(f64::NAN);
        let values =
            DVector::from_fn(kept.len(), |i, _| (given(i) - self.scale.mean[i]) / self.scale.deviation[i]);
        let most = kept.len().min(table.programs.len() - 1).saturating_sub(1);
        let error = |components: usize| {
            let square = |cell: usize| (values[cell] - self.predicted(&values, cell, components)).powi(2);
            (0..kept.len()).map(square).sum::<f64>() / kept.len() as f64
        };
        (0..most).map(error).collect()
    }

    /// By least squares of the other cells.
    fn predicted(&self, values: &DVector<f64>, cell: usize, components: usize) -> f64 {
        if components == 0 {
            return 0.0;
        }
        let loadings: DMatrix<f64> = self.components.loadings.columns(0, components).into_owned();
        let (others, known) = (loadings.clone().remove_row(cell), values.clone().remove_row(cell));
        let scores = others.svd(true, true).solve(&known, 1e-9);
        scores.map_or(0.0, |scores| (loadings.row(cell) * scores)[(0, 0)])
    }
}
