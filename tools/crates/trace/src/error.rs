// SPDX-License-Identifier: Apache-2.0
//! The errors of recordings: what is wrong, in which file, at which byte, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::layout::{SET_VERSION, VERSIONS};
use crate::size::Size;

#[derive(Debug)]
pub struct Error {
    pub file: PathBuf,
    /// Byte in the file, where there is one.
    pub offset: Option<u64>,
    pub problem: Problem,
}

#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The directory or one of its files cannot be read.
    Io(io::Error),
    NotARecording(&'static str),
    /// The directory has a recording for each rank of a job.
    OfRanks,
    /// meta.json or end.json is not what it should be.
    BadJson(String),
    WrongVersion(u64),
    /// The unknown version of a set's manifest.
    WrongSetVersion(u64),
    WrongMagic(u64),
    WrongStream {
        expected: u32,
        found: u32,
    },
    WrongSequence {
        expected: u64,
        found: u64,
    },
    /// The stream counts its time from another start than meta.json names.
    OtherRun,
    /// end.json names another start than meta.json.
    OtherEnd,
    /// No consistent copy could be made of a stream that a process is writing.
    WrittenTooFast,
    /// The bytes of a chunk do not give its checksum.
    Changed,
    /// A file of JSON does not give its checksum.
    ChangedText,
    /// The invalid size in the header of a chunk.
    BadHeader(u32),
    /// What the header of a chunk says of a type's records is not what the reader knows of them, or
    /// not what the header before said.
    WrongSize {
        kind: u8,
        found: Size,
        expected: Size,
    },
    /// The header of the chunk does not name the type.
    UnknownRecord(u8),
    /// A record would cross the end of its chunk.
    RecordTooLong {
        bytes: u64,
        room: u64,
    },
    /// A field has a value that no runtime writes.
    BadField {
        record: &'static str,
        field: &'static str,
        value: u64,
    },
}

impl Error {
    pub fn new(file: &Path, problem: Problem) -> Self {
        Self { file: file.to_owned(), offset: None, problem }
    }

    pub fn at(file: &Path, offset: u64, problem: Problem) -> Self {
        Self { file: file.to_owned(), offset: Some(offset), problem }
    }

    /// What the user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self.problem {
            Problem::Io(_) => "Check the path and its permissions.",
            Problem::NotARecording(_) => "Name a directory that `teff record` wrote.",
            Problem::OfRanks => {
                "Name one of them, for example the rank-0 in it; `teff report` alone reads all ranks."
            }
            Problem::WrongVersion(_) | Problem::WrongSetVersion(_) => {
                "Read it with the version of Teff that recorded it, or record again."
            }
            Problem::OtherRun | Problem::OtherEnd => "Record again, each run into a directory of its own.",
            Problem::WrittenTooFast => "Read it again when the program has ended, or while it is stopped.",
            _ => "The file is damaged; record again.",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(offset) = self.offset {
            write!(f, ", byte {offset}")?;
        }
        write!(f, ": {} {}", self.problem, self.remedy())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot be read: {error}."),
            Self::NotARecording(why) => write!(f, "is not a Teff recording: {why}."),
            Self::OfRanks => f.write_str("has a recording for each rank of a job."),
            Self::BadJson(why) => write!(f, "is not the JSON it should be: {why}."),
            Self::WrongVersion(found) => write!(
                f,
                "has format version {found}, this program reads versions {} to {}.",
                VERSIONS.start(),
                VERSIONS.end()
            ),
            Self::WrongSetVersion(found) => {
                write!(f, "has set version {found}, this program reads version {SET_VERSION}.")
            }
            Self::WrongMagic(found) => {
                write!(f, "a chunk should start here, but its magic is {found:#018x}.")
            }
            Self::WrongStream { expected, found } => {
                write!(f, "the chunk says stream {found}, the file's name says {expected}.")
            }
            Self::WrongSequence { expected, found } => {
                write!(f, "the chunk has number {found} where {expected} should stand.")
            }
            Self::OtherRun => f.write_str(
                "belongs to another run than meta.json: two programs were recorded into one directory.",
            ),
            Self::WrittenTooFast => f.write_str("the program writes it faster than it can be read."),
            Self::OtherEnd => f.write_str("belongs to another run than meta.json."),
            Self::Changed => f.write_str(
                "the chunk that begins here has changed since it was recorded: it does not give its checksum.",
            ),
            Self::ChangedText => f.write_str("has changed since it was recorded: it does not give its checksum."),
            Self::BadHeader(bytes) => write!(f, "a chunk's header cannot have {bytes} bytes."),
            Self::WrongSize { kind, found, expected } => {
                write!(f, "the chunk gives records of type {kind} {found} where {expected} is expected.")
            }
            Self::UnknownRecord(kind) => write!(f, "unknown record type {kind}."),
            Self::RecordTooLong { bytes, room } => {
                write!(f, "a record of {bytes} bytes does not fit the {room} bytes left in its chunk.")
            }
            Self::BadField { record, field, value } => {
                write!(f, "{record} record: {field} is {value}, which no runtime writes.")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}
