// SPDX-License-Identifier: Apache-2.0
//! A figure before and after, and whether noise alone would make such a change.

use grains::compare::noise::{interval, verdicts, Samples, Verdict};
use grains::metrics::median;
use serde::Serialize;

/// A time before and after: medians of the runs.
#[derive(Serialize)]
pub struct Change {
    pub before_ns: f64,
    pub after_ns: f64,
    /// after / before, of the medians.
    pub ratio: Option<f64>,
    /// Between which it lies with 95 % confidence; `null`: too few runs.
    pub ratio_low: Option<f64>,
    pub ratio_high: Option<f64>,
    /// The probability that noise gives any such change; `null`: too few runs.
    pub p: Option<f64>,
    pub verdict: Judgement,
    /// It is more than noise, and the machine may have made it (`machine.rs`).
    #[serde(skip)]
    pub may_be_of_machine: bool,
}

/// As docs/formats/diff.md has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    Change,
    Noise,
    TooFewRuns,
    NotTested,
}

#[derive(Serialize)]
pub struct NamedChange {
    pub name: &'static str,
    #[serde(flatten)]
    pub change: Change,
}

impl Change {
    pub fn of(samples: &Samples, verdict: Option<Verdict>) -> Self {
        let interval = interval(samples);
        let finite = |value: f64| value.is_finite().then_some(value);
        let (before_ns, after_ns) = (median(&mut samples.before.clone()), median(&mut samples.after.clone()));
        Self {
            before_ns,
            after_ns,
            ratio: finite(after_ns / before_ns),
            ratio_low: interval.and_then(|(low, _)| finite(low)),
            ratio_high: interval.and_then(|(_, high)| finite(high)),
            p: verdict.and_then(Verdict::p),
            verdict: match verdict {
                None => Judgement::NotTested,
                Some(Verdict::Change(_)) => Judgement::Change,
                Some(Verdict::Noise(_) | Verdict::OfMachine(_)) => Judgement::Noise,
                Some(Verdict::TooFewRuns) => Judgement::TooFewRuns,
            },
            may_be_of_machine: matches!(verdict, Some(Verdict::OfMachine(_))),
        }
    }

    pub fn alone(before: Vec<f64>, after: Vec<f64>) -> Self {
        let samples = Samples { before, after };
        let verdict = verdicts(std::slice::from_ref(&samples))[0];
        Self::of(&samples, Some(verdict))
    }

    /// Says nothing about noise: the runs cannot be compared.
    pub fn leave_untested(&mut self) {
        (self.p, self.verdict, self.may_be_of_machine) = (None, Judgement::NotTested, false);
    }

    pub fn difference(&self) -> f64 {
        self.after_ns - self.before_ns
    }
}
