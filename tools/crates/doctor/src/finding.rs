// SPDX-License-Identifier: Apache-2.0
//! A finding: a sentence about this machine, and a remedy.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Ok,
    /// Something is missing or smaller than it could be, but Teff works.
    Note,
    /// A feature of Teff does not work here.
    Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub name: &'static str,
    pub state: State,
    pub says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    pub fn ok(name: &'static str, says: impl Into<String>) -> Self {
        Self { name, state: State::Ok, says: says.into(), remedy: None }
    }

    pub fn note(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, state: State::Note, says: says.into(), remedy: Some(remedy.into()) }
    }

    pub fn problem(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, state: State::Problem, says: says.into(), remedy: Some(remedy.into()) }
    }
}
