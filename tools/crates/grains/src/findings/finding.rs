// SPDX-License-Identifier: Apache-2.0
//! The result of a rule.

use crate::{PlaceRow, Ticks};

/// The rule that finds that other processes had the processors: this is about the machine and not
/// about the program.
pub(crate) const DESCHEDULED: &str = "descheduled";

/// Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub rule: &'static str,
    pub title: String,
    /// The place to look at.
    pub place: Option<PlaceRow>,
    /// When it was, if it is about one stretch of time, or about the longest of several.
    pub when: Option<(Ticks, Ticks)>,
    /// The place of the region that it is in.
    pub region: Option<PlaceRow>,
    /// Worker time lost to it.
    pub lost_ns: f64,
    /// Wall time that the cure would gain.
    pub gain_ns: f64,
    pub evidence: Vec<String>,
    pub remedy: String,
    /// How the gain was estimated.
    pub estimate: String,
}
