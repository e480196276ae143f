// SPDX-License-Identifier: Apache-2.0
//! The place of a construct in the source, and the program to which it belongs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use grains::{Places, Profile};
use serde::{Deserialize, Serialize};
use trace::Meta;

/// The place of a construct in the source. Empty strings and line 0 mean: not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Symbol {
    pub file: String,
    pub line: u32,
    pub function: String,
}

/// A recorded program: its modules, and the places where something was recorded.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    pub places: &'a Places,
    pub meta: &'a Meta,
}

impl<'a> Program<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        Self { places: &profile.places, meta: &profile.meta }
    }
}

pub fn object_path(program: Program, path: &[u8]) -> PathBuf {
    // The loader has no name for the program itself.
    let path = if path.is_empty() { program.meta.command.program().as_bytes() } else { path };
    PathBuf::from(OsStr::from_bytes(path))
}
