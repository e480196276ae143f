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

impl Symbol {
    /// Without the address at the end, as in "memset at libc.so.6+0x1234". Empty: it is not known.
    pub(crate) fn name_of_function(&self) -> &str {
        match self.function.split_once(" at ") {
            Some((name, _)) => name,
            None if self.line == 0 => "",
            None => &self.function,
        }
    }
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

/// The functions at an address that count as functions, from that one outwards.
pub(crate) fn counted(functions: &[Symbol]) -> &[Symbol] {
    let Some(outermost) = functions.last() else { return functions };
    let counts = |function: &&Symbol| function.file == outermost.file || is_source(&function.file);
    let left_out = functions.len() - functions.iter().rev().take_while(counts).count();
    &functions[left_out..]
}

/// What is compiled on its own, unlike a header.
const SOURCES: [&str; 9] = ["c", "cc", "cpp", "cxx", "c++", "f", "for", "f90", "f95"];

fn is_source(file: &str) -> bool {
    let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| SOURCES.contains(&&*extension))
}

pub fn object_path(program: Program, path: &[u8]) -> PathBuf {
    // The loader has no name for the program itself.
    let path = if path.is_empty() { program.meta.command.program().as_bytes() } else { path };
    PathBuf::from(OsStr::from_bytes(path))
}
