// SPDX-License-Identifier: Apache-2.0
//! What a comparison says of the limits that a change must not exceed.

use std::process::ExitCode;

use grains::units::time;
use serde::Serialize;

use super::change::{Change, Judgement, NamedChange};
use crate::limit::Limit;

/// The status of the command if a limit is exceeded.
const EXCEEDED: u8 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The metric has not grown by more than the limit.
    Held,
    /// It has grown by more than the limit, and by more than noise.
    Exceeded,
    /// It has grown by more than the limit, which may be noise or not.
    Undecided,
    NotJudged,
}

impl Outcome {
    pub fn words(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Exceeded => "exceeded",
            Self::Undecided => "undecided",
            Self::NotJudged => "not judged",
        }
    }
}

/// A limit and what came of it.
#[derive(Serialize)]
pub struct LimitFacts {
    pub limit: String,
    pub outcome: Outcome,
    /// In whole sentences.
    pub text: String,
}

impl LimitFacts {
    pub fn of(limit: &Limit, wall: &Change, totals: &[NamedChange]) -> Self {
        let total = totals.iter().find(|total| total.name == limit.metric).map(|total| &total.change);
        let (outcome, text) = match wall.verdict {
            Judgement::NotTested => (
                Outcome::NotJudged,
                "It cannot be judged, because a part of a recording is missing, or the two are of different parts of \
                 their runs."
                    .to_owned(),
            ),
            _ => judge(limit.percent, if limit.metric == Limit::WALL { Some(wall) } else { total }),
        };
        Self { limit: format!("{}>{}%", limit.metric, limit.percent), outcome, text }
    }
}

fn judge(percent: f64, change: Option<&Change>) -> (Outcome, String) {
    let Some(change) = change else { return (Outcome::Held, "Neither side has any.".to_owned()) };
    let grown = match change.ratio {
        Some(ratio) => (ratio - 1.0) * 100.0,
        None if change.after_ns > 0.0 => f64::INFINITY,
        None => 0.0,
    };
    let by = match change.ratio {
        Some(_) => format!("It changed by {grown:+.1} %"),
        None => format!("It was 0 before, and is {} now", time(change.after_ns)),
    };
    match change.verdict {
        Judgement::TooFewRuns => (
            Outcome::NotJudged,
            format!("{by}. Whether that is noise cannot be judged: record at least 4 runs of each side."),
        ),
        _ if grown <= percent => (Outcome::Held, format!("{by}.")),
        Judgement::Change => (Outcome::Exceeded, format!("{by}, which is more than noise.")),
        Judgement::Noise => (
            Outcome::Undecided,
            format!("{by}, which may be noise{}. More runs tell more.", interval(change)),
        ),
        Judgement::NotTested => (Outcome::Held, format!("{by}, but is too small to matter.")),
    }
}

/// "; with 95 % confidence it is between -19.2 % and +35.1 %"
fn interval(change: &Change) -> String {
    let (Some(low), Some(high)) = (change.ratio_low, change.ratio_high) else { return String::new() };
    let [low, high] = [low, high].map(|ratio| (ratio - 1.0) * 100.0);
    format!("; with 95 % confidence it is between {low:+.1} % and {high:+.1} %")
}

/// Noise alone gives no status: programs that are equal often differ by it. A limit that is
/// exceeded weighs more than one that cannot be judged.
pub fn exit_code(limits: &[LimitFacts]) -> ExitCode {
    let some = |outcome| limits.iter().any(|limit| limit.outcome == outcome);
    match (some(Outcome::Exceeded), some(Outcome::NotJudged)) {
        (true, _) => ExitCode::from(EXCEEDED),
        (false, true) => ExitCode::FAILURE,
        (false, false) => ExitCode::SUCCESS,
    }
}
