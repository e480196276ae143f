// SPDX-License-Identifier: Apache-2.0
//! The files that a program had loaded.

/// An object that the program had loaded: one build of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LoadedFile {
    /// As the program's loader named it: bytes, not always UTF-8.
    pub path: Vec<u8>,
    /// The first 8 bytes of its build id; 0: none, or not recorded.
    pub build_id: u64,
    /// Tells builds apart that have no such id; 0: not recorded.
    pub build_mark: u64,
}
