// SPDX-License-Identifier: Apache-2.0
//! Finds the files, lines, functions and call paths of the addresses in a recording.
//!
//! [`Symbols`] has the symbols of all places of a profile. `builds` says whether an object file is
//! the file that ran. `debug_file` reads the debug information of the object, and `store` reads its
//! bytes. `kept_symbols` has the symbols that were kept in the recording. [`sites`] and
//! [`call_paths`] sum up what a program did at these places.

mod builds;
pub mod call_paths;
mod call_table;
mod cython_names;
mod debug_bounds;
mod debug_file;
mod function_names;
mod function_table;
pub mod functions;
mod kept_symbols;
mod separate_debug;
pub mod sites;
pub mod stacks;
mod store;
mod symbol;
mod symbols;
pub mod variables;

pub use kept_symbols::{Kept, KeptPlace};
pub use symbol::{object_path, Program, Symbol};
pub use symbols::{keep, Symbols};
