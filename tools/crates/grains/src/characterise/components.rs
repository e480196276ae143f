// SPDX-License-Identifier: Apache-2.0
//! Principal components: the eigenvectors of the correlation matrix, in order of decreasing
//! variance.

use nalgebra::{DMatrix, SymmetricEigen};

/// The least share of the variance that the retained components must have.
pub const LEAST_VARIANCE: f64 = 0.85;

#[derive(Clone)]
pub struct Components {
    /// For each component: its share of the variance. The sum is 1.
    pub variance: Vec<f64>,
    /// A row per property, a column per component. Columns have length 1; the largest entry of each
    /// is positive.
    pub loadings: DMatrix<f64>,
    /// A row per program, a column per component.
    pub scores: DMatrix<f64>,
    /// How many have [`LEAST_VARIANCE`].
    pub retained: usize,
}

impl Components {
    /// The components of a matrix whose columns are autoscaled.
    pub fn of(values: &DMatrix<f64>) -> Self {
        let correlations = values.tr_mul(values) / (values.nrows() as f64 - 1.0);
        let eigen = SymmetricEigen::new(correlations);
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        let sum: f64 = eigen.eigenvalues.iter().map(|value| value.max(0.0)).sum();
        let variance: Vec<f64> = order.iter().map(|&at| eigen.eigenvalues[at].max(0.0) / sum).collect();
        let columns: Vec<_> =
            order.iter().map(|&at| with_sign(eigen.eigenvectors.column(at).into_owned())).collect();
        let loadings = DMatrix::from_columns(&columns);
        let scores = values * &loadings;
        let retained = retained(&variance);
        Self { variance, loadings, scores, retained }
    }

    pub fn retained_loadings(&self) -> DMatrix<f64> {
        self.loadings.columns(0, self.retained).into_owned()
    }
}

/// An eigenvector's sign is arbitrary.
fn with_sign(column: nalgebra::DVector<f64>) -> nalgebra::DVector<f64> {
    if column[column.icamax()] < 0.0 {
        -column
    } else {
        column
    }
}

fn retained(variance: &[f64]) -> usize {
    let mut sum = 0.0;
    let reached = variance.iter().position(|part| {
        sum += part;
        sum >= LEAST_VARIANCE - 1e-12
    });
    reached.map_or(variance.len(), |at| at + 1)
}
