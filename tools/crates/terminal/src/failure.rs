// SPDX-License-Identifier: Apache-2.0
//! The errors of the command line: one message that says what was wrong, where, and what to do.

use std::fmt;
use std::path::Path;

#[derive(Debug)]
pub struct Failure(String);

pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// `what` could not be done with `path`.
    #[allow(clippy::needless_pass_by_value, reason = "as map_err gives it")]
    pub fn io(what: &str, path: &Path, error: std::io::Error) -> Self {
        Self(format!(
            "cannot {what} {}: {error}. Check the path, its permissions and the space left.",
            path.display()
        ))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<trace::Error> for Failure {
    fn from(error: trace::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<grains::Error> for Failure {
    fn from(error: grains::Error) -> Self {
        Self(error.to_string())
    }
}
