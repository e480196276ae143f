// SPDX-License-Identifier: Apache-2.0
//! The result of a rule.

/// Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub rule: &'static str,
    pub title: String,
    /// Row of the place to look at; [`crate::NONE`]: there is none.
    pub place: u32,
    /// Row of the place of the region that it is in; [`crate::NONE`]: none.
    pub region: u32,
    /// Worker time lost to it.
    pub lost_ns: f64,
    /// Wall time that the cure would gain.
    pub gain_ns: f64,
    pub evidence: Vec<String>,
    pub remedy: String,
    /// How the gain was estimated.
    pub estimate: String,
}
