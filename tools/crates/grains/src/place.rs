// SPDX-License-Identifier: Apache-2.0
//! The position of a construct in the program, and the calls that led to it.

use crate::loaded_file::LoadedFile;
use crate::row::Row;

/// The addresses are those in the object's file, which do not depend on where it was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// `None`: the object is unknown, and the addresses are absolute.
    pub module: Option<Row<LoadedFile>>,
    /// The return address of the call into the runtime; the construct is before it.
    pub call_site: u64,
    /// The outlined function that the construct runs; 0: none.
    pub function: u64,
}

pub type PlaceRow = Row<Place>;

/// The return address of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// As in a [`Place`].
    pub module: Option<Row<LoadedFile>>,
    pub address: u64,
}

/// The calls by which a sample was reached.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stack {
    /// From the sampled function's caller outwards.
    pub frames: Vec<Row<Frame>>,
    /// Innermost first.
    pub python: Vec<PythonFrame>,
    /// Bits of [`trace::layout::path`].
    pub flags: u8,
}

/// A function of Python that was being executed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PythonFrame {
    /// `None`: it is not known.
    pub code: Option<Row<PythonCode>>,
    /// 0: it is not known.
    pub line: u32,
    /// C code has called it.
    pub is_entry: bool,
}

/// A function of Python.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PythonCode {
    pub file: String,
    pub function: String,
}

/// The calls that are active in one task when it reaches a construct.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Segment {
    /// The frames from the construct's function outwards.
    pub frames: Vec<Row<Frame>>,
    /// Bits of [`trace::layout::path`].
    pub flags: u8,
    /// The Python lines above these frames, innermost first, as CPython's faulthandler prints them.
    pub python: Vec<u8>,
}
