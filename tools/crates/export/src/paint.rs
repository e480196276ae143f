// SPDX-License-Identifier: Apache-2.0
//! The fill colours of grains in the drawn graphs: by construct, or by a metric (`--colour-by`), as
//! the grains thesis shows its problem views (section 5.4.3).
//!
//! In a view of a metric, a grain with the problem has a colour between yellow and red, by its
//! severity. All other nodes and edges keep their colours and are dimmed.

use std::borrow::Cow;

use clap::ValueEnum;
use grains::metrics::{is_problem_below, PROBLEMS};
use grains::{Column, GrainRow, Grains, Profile};
use terminal::{Failure, Result};

use crate::colors;
use crate::metrics::Metrics;
use crate::names::Names;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColourBy {
    Construct,
    ParallelBenefit,
    LoadBalance,
    WorkDeviation,
    InstantaneousParallelism,
    Scatter,
    Memory,
}

impl ColourBy {
    /// The name of the metric, as in the CSV; empty: none.
    pub fn metric(self) -> &'static str {
        match self {
            Self::Construct => "",
            Self::ParallelBenefit => "parallel_benefit",
            Self::LoadBalance => "load_balance",
            Self::WorkDeviation => "work_deviation",
            Self::InstantaneousParallelism => "instantaneous_parallelism",
            Self::Scatter => "scatter",
            Self::Memory => "memory_hierarchy_utilisation",
        }
    }
}

/// The thesis sees a problem where a grain computes for less than twice the time for which it waits
/// for memory.
const LEAST_MEMORY_UTILISATION: f32 = 2.0;

/// What one metric says of each grain.
pub struct View {
    pub by: ColourBy,
    /// NaN: not known.
    pub value: Column<Grains, f32>,
    /// From 0, the mildest problem, to 1, the worst; NaN: no problem.
    pub severity: Column<Grains, f32>,
}

impl View {
    pub fn of(by: ColourBy, metrics: &Metrics) -> Result<Option<Self>> {
        let grains = &metrics.profile.grains;
        if by == ColourBy::Construct {
            return Ok(None);
        }
        if by == ColourBy::Memory {
            return Self::of_memory(by, metrics.profile).map(Some);
        }
        let problem = PROBLEMS.iter().position(|&name| name == by.metric()).expect("a metric with a limit");
        let value = grains.rows().map(|row| metrics.columns.values(row, metrics.limits)[problem]).collect();
        let has = |row| metrics.columns.problems(row, metrics.limits)[problem];
        let has: Vec<bool> = grains.rows().map(has).collect();
        Ok(Some(Self::by_problem(by, value, &has, is_problem_below(problem))))
    }

    fn of_memory(by: ColourBy, profile: &Profile) -> Result<Self> {
        let rows = profile.grains.rows();
        let value: Column<Grains, f32> = rows.map(|row| memory_utilisation(profile, row)).collect();
        if value.iter().all(|value| value.is_nan()) {
            return Err(Failure::Usage(
                "--colour-by memory: the recording does not say how long grains waited for memory."
                    .to_owned(),
            ));
        }
        let has: Vec<bool> = value.iter().map(|&value| value < LEAST_MEMORY_UTILISATION).collect();
        Ok(Self::by_problem(by, value, &has, true))
    }

    /// The severity is even in the logarithm of the value.
    fn by_problem(by: ColourBy, value: Column<Grains, f32>, has: &[bool], is_below: bool) -> Self {
        let sign = if is_below { -1.0 } else { 1.0 };
        let badness = |value: f32| sign * value.max(f32::MIN_POSITIVE).ln();
        let of_problems = || value.iter().zip(has).filter(|&(_, &has)| has).map(|(&value, _)| badness(value));
        let mildest = of_problems().fold(f32::INFINITY, f32::min);
        let range = of_problems().fold(f32::NEG_INFINITY, f32::max) - mildest;
        let severity = |(&value, &has): (&f32, &bool)| match has {
            false => f32::NAN,
            true if range > 0.0 => (badness(value) - mildest) / range,
            true => 1.0,
        };
        let severity = value.iter().zip(has).map(severity).collect();
        Self { by, value, severity }
    }
}

/// Time in which the grain computed / time in which it waited for memory.
fn memory_utilisation(profile: &Profile, row: GrainRow) -> f32 {
    let Some(stall) = profile.grains.memory_stall_of(row) else { return f32::NAN };
    (profile.grains.work.of(row) - stall).0 as f32 / stall.0 as f32
}

pub struct Paint {
    names: Names,
    /// By number of the name.
    colors: Vec<String>,
    pub view: Option<View>,
}

impl Paint {
    pub fn of(names: Names, view: Option<View>) -> Self {
        Self { colors: colors::function_colors(names.texts().len()), names, view }
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    pub fn fill(&self, profile: &Profile, grain: GrainRow) -> Cow<'_, str> {
        let severity = self.view.as_ref().map_or(f32::NAN, |view| view.severity[grain]);
        if severity.is_nan() {
            self.other(&self.colors[self.names.of_grain(profile, grain) as usize])
        } else {
            let green = ((1.0 - severity) * 255.0).round() as u8;
            Cow::Owned(format!("#FF{green:02X}00"))
        }
    }

    /// The colour of what has no problem.
    pub fn other<'b>(&self, color: &'b str) -> Cow<'b, str> {
        match self.view {
            Some(_) => Cow::Owned(format!("{color}{}", colors::DIMMED)),
            None => Cow::Borrowed(color),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severity_goes_from_the_mildest_problem_to_the_worst() {
        let value: Column<Grains, f32> = [8.0, 2.0, 1.0, 4.0, f32::NAN].into_iter().collect();
        let severity = |has: [bool; 5], is_below| {
            let view = View::by_problem(ColourBy::Scatter, value.clone(), &has, is_below);
            view.severity.iter().copied().collect::<Vec<_>>()
        };
        let above = severity([true, true, false, true, false], false);
        assert!((above[0] - 1.0).abs() < 1e-6 && above[1].abs() < 1e-6 && (above[3] - 0.5).abs() < 1e-6);
        assert!(above[2].is_nan() && above[4].is_nan());
        let below = severity([false, true, true, false, false], true);
        assert!(below[1].abs() < 1e-6 && (below[2] - 1.0).abs() < 1e-6);
        assert!(
            severity([true, false, false, false, false], true)[0] == 1.0,
            "a single problem is the worst"
        );
    }
}
