// SPDX-License-Identifier: Apache-2.0
//! Where in the program a construct is, and the calls through which it was reached.

use crate::loaded_file::LoadedFile;
use crate::row::Row;

/// Addresses are those in the object's file: independent of where it was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// `None`: unknown, then the addresses are absolute.
    pub module: Option<Row<LoadedFile>>,
    /// Return address of the call into the runtime: the construct is before it.
    pub call_site: u64,
    /// The outlined function that the construct runs; 0: none.
    pub function: u64,
}

pub type PlaceRow = Row<Place>;

/// Where a call returns to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// As in a [`Place`].
    pub module: Option<Row<LoadedFile>>,
    pub address: u64,
}

/// The calls of one task through which it has come to a construct.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Segment {
    /// From the construct's function outwards.
    pub frames: Vec<Row<Frame>>,
    /// Bits of [`trace::layout::path`].
    pub flags: u8,
    /// Lines of Python above them, innermost first, as CPython's faulthandler prints them.
    pub python: Vec<u8>,
}
