// SPDX-License-Identifier: Apache-2.0
//! The command-line arguments of `teff doctor`.

use std::ffi::OsString;

use clap::Args;

/// Print what a bug report needs, and check this machine for problems
///
/// Prints the versions of Teff, the kernel, the C library and the compilers, and the processor.
/// Then it checks whether the runtime is installed, how many processors this process may use, the
/// limits, the kernel permissions that counters need, and the free space for recordings. Below each
/// possible problem it prints a remedy. If a program is given, it also lists the OpenMP runtimes
/// that the program would load, and which of them Teff replaces: it replaces libgomp, but not
/// libomp or libiomp5. It starts no program and changes nothing.
#[derive(Args)]
#[command(
    after_help = "docs/doctor.md says what each finding means.\n\nExample:\n  teff doctor\n  teff doctor -- ./sort\n  teff doctor -- python3 train.py\n  teff doctor --json | jq '.findings[] | select(.state != \"ok\")'"
)]
pub struct DoctorArgs {
    /// Print one JSON object instead of text; docs/doctor.md defines it
    #[arg(long)]
    pub json: bool,
    /// The program to check; its arguments do not matter
    #[arg(trailing_var_arg = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}
