// SPDX-License-Identifier: Apache-2.0
//! Programs by properties, and their autoscaling: each column with mean 0 and variance 1.

use nalgebra::DMatrix;

use crate::characterise::Property;

/// One row per program and input.
#[derive(Clone, Default)]
pub struct Table {
    pub programs: Vec<String>,
    /// In the order of [`Property::ALL`]; `None`: not known.
    pub values: Vec<[Option<f64>; Property::ALL.len()]>,
}

/// Why a property is not among those that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// Some program lacks it.
    Missing,
    /// It is the same of all.
    Constant,
}

pub struct Scale {
    pub kept: Vec<Property>,
    pub left: Vec<(Property, Left)>,
    /// The means of the kept columns. The deviation is that of a sample (n - 1).
    pub mean: Vec<f64>,
    pub deviation: Vec<f64>,
    /// A row per program, a column per property kept.
    pub values: DMatrix<f64>,
}

impl Table {
    pub fn autoscaled(&self) -> Scale {
        let mut scale = Scale {
            kept: Vec::new(),
            left: Vec::new(),
            mean: Vec::new(),
            deviation: Vec::new(),
            values: DMatrix::zeros(self.values.len(), 0),
        };
        let mut columns = Vec::new();
        for (at, property) in Property::ALL.into_iter().enumerate() {
            let column: Option<Vec<f64>> =
                self.values.iter().map(|row| row[at].filter(|value| value.is_finite())).collect();
            let Some(column) = column else {
                scale.left.push((property, Left::Missing));
                continue;
            };
            let (mean, deviation) = moments(&column);
            // What differs by rounding alone is the same.
            if deviation <= mean.abs() * 1e-12 {
                scale.left.push((property, Left::Constant));
                continue;
            }
            columns.extend(column.iter().map(|value| (value - mean) / deviation));
            scale.kept.push(property);
            scale.mean.push(mean);
            scale.deviation.push(deviation);
        }
        scale.values = DMatrix::from_vec(self.values.len(), scale.kept.len(), columns);
        scale
    }

    #[must_use]
    pub fn without(&self, program: usize) -> Self {
        let mut rest = self.clone();
        rest.programs.remove(program);
        rest.values.remove(program);
        rest
    }
}

pub(super) fn moments(column: &[f64]) -> (f64, f64) {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let squares: f64 = column.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (column.len() as f64 - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_constant_is_left_out_and_said() {
        let mut row = [Some(1.0); 10];
        let mut table = Table::default();
        for value in [1.0, 2.0, 6.0] {
            row[0] = Some(value);
            row[1] = (value > 1.0).then_some(value);
            table.programs.push(value.to_string());
            table.values.push(row);
        }
        let scale = table.autoscaled();
        assert_eq!(scale.kept, [Property::Tasks]);
        assert_eq!(scale.left[0], (Property::JoinDegree, Left::Missing));
        assert_eq!(scale.left[1], (Property::CriticalPath, Left::Constant));
        assert_eq!((scale.left.len(), scale.mean[0]), (9, 3.0));
        assert!((scale.deviation[0] - 7f64.sqrt()).abs() < 1e-12);
        assert!((scale.values[(2, 0)] - 3.0 / 7f64.sqrt()).abs() < 1e-12);
    }
}
