// SPDX-License-Identifier: Apache-2.0
//! Starts programs on Teff: `teff run`, `teff stat`, `teff record` and `teff sweep`.
//!
//! `launch` starts a program on the runtime; `auditor` makes the loader load the runtime; `child`
//! waits for a program and passes signals on to it; `devices` starts its devices. [`elf`],
//! [`library_path`] and [`privileges`] read from a program's file how the loader will treat it.

mod args;
mod auditor;
mod child;
mod devices;
mod distribute;
pub mod elf;
mod events;
mod hydra;
mod interval;
mod launch;
pub mod library_path;
mod over;
pub mod privileges;
mod ranks;
mod record;
mod run;
mod size;
mod stat;
mod sweep;
mod unreached;

pub use args::{RecordArgs, RunArgs, StatArgs, SweepArgs};
pub use launch::{check_path, find_library};
pub use record::record;
pub use run::run;
pub use stat::stat;
pub use sweep::sweep;
