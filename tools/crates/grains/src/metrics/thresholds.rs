// SPDX-License-Identifier: Apache-2.0
//! Which values of the metrics are problems: a preset, and numbers that replace its limits.
//! docs/formats/metrics.md defines the presets.

use std::str::FromStr;

/// What makes a value a problem, unless a number replaces it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thresholds {
    /// A low benefit, and what else takes time: by the time lost to it.
    Teff,
    /// The values of the grains thesis.
    Thesis,
    /// Those of its code.
    Published,
}

/// The thesis flags a load balance above 1. Two times that are measured are never equal, so values
/// above 1 by less than this say nothing.
const NEARLY_BALANCED: f32 = 1.01;

/// The metrics that can be a problem, in the order of [`Limits::values`].
pub const PROBLEMS: [&str; 5] =
    ["parallel_benefit", "load_balance", "work_deviation", "instantaneous_parallelism", "scatter"];

/// The positions of these metrics in [`PROBLEMS`].
const BENEFIT: usize = 0;
const BALANCE: usize = 1;
const DEVIATION: usize = 2;
pub(super) const PARALLELISM: usize = 3;
const SCATTER: usize = 4;

/// Whether low values of the metric at this position are the problem; otherwise high ones are.
pub fn is_problem_below(problem: usize) -> bool {
    matches!(problem, BENEFIT | PARALLELISM)
}

/// A limit as a number, written as `work_deviation=1.2`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Threshold {
    problem: usize,
    value: f32,
}

impl Threshold {
    /// Only a recording with a baseline has this metric.
    pub fn needs_baseline(self) -> bool {
        self.problem == DEVIATION
    }
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, number)) = text.split_once('=') else {
            return Err("a threshold is a metric, = and a number, as in work_deviation=1.2".to_owned());
        };
        let Some(problem) = PROBLEMS.iter().position(|metric| *metric == name) else {
            return Err(format!("{name} is no metric with a threshold; these are: {}", PROBLEMS.join(", ")));
        };
        let (least, kind) = match problem {
            BALANCE => (1.0, "a ratio, so its threshold is a number from 1, without a unit"),
            PARALLELISM => (1.0, "a number of grains, so its threshold is a number from 1, without a unit"),
            SCATTER => (0.0, "a distance, so its threshold is a number from 0, without a unit"),
            _ => (f32::MIN_POSITIVE, "a ratio, so its threshold is a number above 0, without a unit"),
        };
        match number.parse::<f32>() {
            Ok(value) if value.is_finite() && value >= least => Ok(Self { problem, value }),
            _ => Err(format!("{name} is {kind}")),
        }
    }
}

/// What some limits depend on.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub workers: u32,
    /// `None`: it is not known.
    pub cores_of_a_package: Option<u32>,
}

/// The limits of all metrics.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub preset: Thresholds,
    own: [Option<f32>; PROBLEMS.len()],
}

impl Limits {
    /// Of several thresholds of one metric, the last one counts.
    pub fn of(preset: Thresholds, thresholds: &[Threshold]) -> Self {
        let mut own = [None; PROBLEMS.len()];
        for threshold in thresholds {
            own[threshold.problem] = Some(threshold.value);
        }
        Self { preset, own }
    }

    /// The value beyond which the metric at this position is a problem. None: the time lost to it
    /// decides, or the metric is never a problem.
    pub fn value(&self, problem: usize, machine: Machine) -> Option<f32> {
        self.own[problem].or_else(|| self.of_preset(problem, machine))
    }

    /// Whether any value of the metric at this position can be a problem.
    pub fn judges(&self, problem: usize, machine: Machine) -> bool {
        problem != SCATTER || self.value(problem, machine).is_some()
    }

    fn of_preset(&self, problem: usize, machine: Machine) -> Option<f32> {
        let is_thesis = match self.preset {
            // Of a hundred thousand tiny grains, each one loses next to nothing.
            Thresholds::Teff => return (problem == BENEFIT).then_some(1.0),
            Thresholds::Thesis => true,
            Thresholds::Published => false,
        };
        match problem {
            BENEFIT => Some(1.0),
            BALANCE => Some(if is_thesis { NEARLY_BALANCED } else { 2.0 }),
            DEVIATION => Some(2.0),
            PARALLELISM => Some(machine.workers as f32),
            _ if is_thesis => machine.cores_of_a_package.map(|cores| cores as f32),
            _ => Some(machine.workers as f32 / 4.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_numbers_in_the_range_of_their_metric() {
        for (right, problem, value) in [
            ("work_deviation=1.2", DEVIATION, 1.2),
            ("load_balance=1", BALANCE, 1.0),
            ("scatter=0", SCATTER, 0.0),
        ] {
            assert_eq!(right.parse(), Ok(Threshold { problem, value }), "{right}");
        }
        let wrong = |text: &str| text.parse::<Threshold>().unwrap_err();
        assert!(wrong("work_deviation").contains("as in work_deviation=1.2"));
        assert!(wrong("slack=3").contains("parallel_benefit, load_balance"), "the names are listed");
        for text in ["load_balance=0.9", "work_deviation=0", "work_deviation=2x", "scatter=-1"] {
            let name = text.split('=').next().unwrap();
            assert!(wrong(text).starts_with(&format!("{name} is a ")), "{text}");
        }
        for text in ["load_balance=nan", "scatter=inf", "parallel_benefit=", "instantaneous_parallelism=50%"]
        {
            assert!(wrong(text).contains("without a unit"), "{text}");
        }
    }

    const MACHINE: Machine = Machine { workers: 8, cores_of_a_package: None };

    #[test]
    fn a_number_replaces_the_limit_of_the_preset() {
        let own = ["load_balance=3".parse().unwrap(), "load_balance=1.5".parse().unwrap()];
        for preset in [Thresholds::Teff, Thresholds::Thesis, Thresholds::Published] {
            assert_eq!(Limits::of(preset, &own).value(BALANCE, MACHINE), Some(1.5), "the last one counts");
        }
        let of =
            |preset, machine| [0, 1, 2, 3, 4].map(|problem| Limits::of(preset, &[]).value(problem, machine));
        let values = |preset| of(preset, MACHINE);
        assert_eq!(values(Thresholds::Teff), [Some(1.0), None, None, None, None]);
        assert_eq!(values(Thresholds::Thesis), [Some(1.0), Some(1.01), Some(2.0), Some(8.0), None]);
        let of_packages = Machine { cores_of_a_package: Some(6), ..MACHINE };
        assert_eq!(of(Thresholds::Thesis, of_packages)[SCATTER], Some(6.0), "it leaves the package");
        assert_eq!(values(Thresholds::Published), [Some(1.0), Some(2.0), Some(2.0), Some(8.0), Some(2.0)]);
    }
}
