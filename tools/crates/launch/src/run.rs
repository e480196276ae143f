// SPDX-License-Identifier: Apache-2.0
//! `teff run`: replaces this process by the program, on Teff; with devices it waits for the
//! program.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use terminal::{say, Failure, Result};

use crate::args::{Devices, RunArgs, Transport};
use crate::{auditor, devices, distribute, launch, privileges};

pub fn run(args: &RunArgs) -> Result<ExitCode> {
    match args.devices {
        Some(Devices::Processes(count)) => return devices::run(args, count),
        Some(Devices::Ranks) => return devices::run_rank(args, &devices::rank_of_job()?),
        None if args.processes.is_none() && args.distribute.is_none() && !args.explain => {
            if let Some(rank) = devices::rank_by_default(&args.command[0]) {
                return devices::run_rank(args, &rank);
            }
        }
        _ => (),
    }
    if let Some(how) = privileges::raised_by(&args.command[0]) {
        let program = Path::new(&args.command[0]).display();
        say(format!(
            "{program} runs with raised privileges, by {how}: the loader does not load Teff into it, so it keeps its own \
             OpenMP runtime."
        ));
    }
    let mut command = match args.processes {
        Some(number) => on_processes(args, number)?,
        None => launch::command(&args.command)?,
    };
    if let Some(spread) = args.distribute {
        distribute::add_to(&mut command, spread, args.at_least)?;
    }
    if args.explain {
        explain(&mut command)?;
    }
    let error = command.exec(); // returns only when it fails
    Err(launch::cannot_start(&args.command[0], error))
}

/// Lets the auditor (runtime/src/audit/explain.h) print what it decides.
fn explain(command: &mut Command) -> Result<()> {
    if !auditor::is_possible() {
        return Err(Failure::Missing(
            "--explain needs glibc 2.35 or later, whose dynamic linker can be asked. Use `teff doctor` instead."
                .to_owned(),
        ));
    }
    command.env("_TEFF_EXPLAIN", "1");
    Ok(())
}

/// Runs the program on processes in place of threads. Libraries that create threads of their own
/// are told to use only one.
fn on_processes(args: &RunArgs, number: u32) -> Result<Command> {
    let beside = launch::find_library()?;
    let library = beside.parent().unwrap_or(Path::new("/")).join("processes").join(launch::LIBRARY);
    if !library.is_file() {
        return Err(Failure::Missing(format!(
            "--processes is experimental, and its runtime, {}, is not built: ./run labs builds it in a tree of Teff's \
             sources, if Zydis is installed (Debian: libzydis-dev).",
            library.display()
        )));
    }
    let mut command = launch::command_on(&library, &args.command)?;
    command.env("TEFF_PROCESSES", number.to_string());
    if env::var_os("OPENBLAS_NUM_THREADS").is_none() {
        command.env("OPENBLAS_NUM_THREADS", "1");
    }
    if let Some(transport) = args.transport {
        let name = match transport {
            Transport::Sockets => "sockets",
            Transport::Ring => "ring",
        };
        command.env("TEFF_TRANSPORT", name);
    }
    if args.verbose {
        command.env("TEFF_PROCESS_FIGURES", "true");
    }
    Ok(command)
}
