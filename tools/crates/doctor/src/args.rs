// SPDX-License-Identifier: Apache-2.0
//! What the user can say to `teff doctor`.

use std::ffi::OsString;

use clap::Args;

/// Say what a bug report needs, and what stands in the way here
///
/// Prints versions, processor, kernel, C library and compilers; then what it finds: whether the
/// runtime is there, how many processors this process may use, limits, what the kernel allows that
/// counters need, and the free space for recordings. What is worth a look has a remedy below it.
/// With a program it also says which OpenMP runtimes the program would load, and which of them Teff
/// replaces: libgomp; not libomp, nor libiomp5. It starts no program and changes nothing.
#[derive(Args)]
#[command(
    after_help = "docs/doctor.md says what each finding means.\n\nExample:\n  teff doctor\n  teff doctor -- ./sort\n  teff doctor -- python3 train.py\n  teff doctor --json | jq '.findings[] | select(.state != \"ok\")'"
)]
pub struct DoctorArgs {
    /// Print one JSON object instead of text; docs/doctor.md defines it
    #[arg(long)]
    pub json: bool,
    /// Of which program to say what it would load; its arguments do not matter
    #[arg(trailing_var_arg = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}
