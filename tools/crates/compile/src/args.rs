// SPDX-License-Identifier: Apache-2.0
//! The command-line arguments of `teff cc`.

use std::ffi::OsString;

use clap::Args;

/// Compile a program with GCC so that its static loops are recorded chunk by chunk
///
/// GCC divides a loop with schedule(static), or without a schedule, in the program itself. So a
/// recording has no chunks of it, and the loop's time belongs to its region. A program that is
/// compiled through `teff cc` asks the runtime for the chunks instead, as it does for other
/// schedules. Each thread gets the same iterations as before, and the program still runs on plain
/// libgomp. The program need not be compiled in this way as a whole.
///
/// `teff cc` passes a plugin to the compiler. It builds the plugin at its first use with a version
/// of GCC, into $XDG_CACHE_HOME/teff or ~/.cache/teff. This needs GCC's C++ compiler and the
/// headers of its plugins (Debian: gcc-12-plugin-dev for GCC 12; Fedora: gcc-plugin-devel). Without
/// -fopenmp, the compiler runs without the plugin. The exit status is the compiler's.
/// docs/recording.md#static-loops says which loops stay as they are.
#[derive(Args)]
#[command(
    after_help = "Example:\n  teff cc gcc -O2 -g -fopenmp -o heat heat.c\n  make CC=\"teff cc gcc\" CXX=\"teff cc g++\" FC=\"teff cc gfortran\"\n  cmake -D CMAKE_C_COMPILER_LAUNCHER=\"teff;cc\" -D CMAKE_CXX_COMPILER_LAUNCHER=\"teff;cc\" .."
)]
pub struct CcArgs {
    /// The compiler (gcc, g++, gfortran, or a script that calls one of them, as mpicc does) and its
    /// arguments. All that follows the compiler's name is passed to the compiler. A -- before the
    /// name is optional
    #[arg(trailing_var_arg = true, required = true, value_name = "COMPILER")]
    pub command: Vec<OsString>,
}
