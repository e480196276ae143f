// SPDX-License-Identifier: Apache-2.0
//! Starts programs on Teff: `teff run`, `teff stat` and `teff record`.
//!
//! `launch` puts the runtime under a program, `child` waits for one and passes signals on.
//! [`elf`], [`library_path`] and [`privileges`] say what a program's file makes of that.

mod args;
mod child;
mod distribute;
pub mod elf;
mod interval;
mod launch;
pub mod library_path;
pub mod privileges;
mod record;
mod run;
mod stat;

pub use args::{RecordArgs, RunArgs, StatArgs};
pub use launch::find_library;
pub use record::record;
pub use run::run;
pub use stat::stat;
