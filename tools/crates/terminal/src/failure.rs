// SPDX-License-Identifier: Apache-2.0
//! The errors of the command line: one message that says what was wrong, where, and what to do.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why a verb failed, by kind. The texts of the first five kinds are whole sentences.
#[derive(Debug)]
pub enum Failure {
    /// The command line names something that does not exist, or combines options that exclude each
    /// other.
    Usage(String),
    /// The output cannot be written to the given place: the place is in use, occupied or invalid.
    Place(String),
    /// A part of Teff or of the system is missing or unusable.
    Missing(String),
    /// A program does not exist, cannot be run in this way, or did not respond.
    Program(String),
    /// The recording lacks the requested data, or is too large.
    Recording(String),
    /// A recording, or one of its files, is damaged.
    Trace(trace::Error),
    /// A recording cannot be analysed.
    Grains(grains::Error),
    /// `what` could not be done with `path`.
    Io { what: &'static str, path: PathBuf, error: std::io::Error },
    /// `what` could not be done; the remedy is a sentence.
    Cannot { what: String, error: Box<dyn Error + Send + Sync>, remedy: Option<String> },
}

pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn io(what: &'static str, path: &Path, error: std::io::Error) -> Self {
        Self::Io { what, path: path.to_owned(), error }
    }

    pub fn cannot(what: impl Into<String>, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Cannot { what: what.into(), error: error.into(), remedy: None }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text)
            | Self::Place(text)
            | Self::Missing(text)
            | Self::Program(text)
            | Self::Recording(text) => f.write_str(text),
            Self::Trace(error) => error.fmt(f),
            Self::Grains(error) => error.fmt(f),
            Self::Io { what, path, error } => write!(
                f,
                "cannot {what} {}: {error}. Check the path, its permissions and the space left.",
                path.display()
            ),
            Self::Cannot { what, error, remedy: None } => write!(f, "cannot {what}: {error}."),
            Self::Cannot { what, error, remedy: Some(remedy) } => {
                write!(f, "cannot {what}: {error}. {remedy}")
            }
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Usage(_) | Self::Place(_) | Self::Missing(_) | Self::Program(_) | Self::Recording(_) => {
                None
            }
            Self::Trace(error) => Some(error),
            Self::Grains(error) => Some(error),
            Self::Io { error, .. } => Some(error),
            Self::Cannot { error, .. } => Some(&**error),
        }
    }
}

impl From<trace::Error> for Failure {
    fn from(error: trace::Error) -> Self {
        Self::Trace(error)
    }
}

impl From<grains::Error> for Failure {
    fn from(error: grains::Error) -> Self {
        Self::Grains(error)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn a_kind_has_its_message_and_its_cause() {
        let refused = || std::io::Error::from(ErrorKind::PermissionDenied);
        let io = Failure::io("write", Path::new("a/b"), refused());
        let advice = "Check the path, its permissions and the space left.";
        assert_eq!(io.to_string(), format!("cannot write a/b: permission denied. {advice}"));
        assert!(io.source().is_some());
        let cannot = Failure::cannot("wait", refused());
        assert_eq!(cannot.to_string(), "cannot wait: permission denied.");
        let usage = Failure::Usage("This does not go with that.".to_owned());
        assert_eq!(usage.to_string(), "This does not go with that.");
        assert!(usage.source().is_none());
    }
}
