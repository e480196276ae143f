// SPDX-License-Identifier: Apache-2.0
//! Parts that all verbs of teff share: messages and failures, the signals and descriptors with
//! which teff was started, progress of long steps, and files that are written completely or not at
//! all.

mod console;
mod failure;
pub mod inherited;
pub mod output;
pub mod progress;
pub mod signals;
pub mod truncation;
pub mod unfinished;

pub use console::{
    is_capable, print, printable, printable_json, say, shell_word, shows_colours, standard_output,
};
pub use failure::{Failure, Result};
