// SPDX-License-Identifier: Apache-2.0
//! `teff import`: converts profiles of other tools to recordings.

use std::process::ExitCode;

use recordings::Destination;
use terminal::{Failure, Result};

use crate::args::{ImportArgs, ImportFormat};
use crate::mir;

/// More than a profile of a hundred million tasks.
const MOST_BYTES: u64 = 16 << 30;

pub fn import(args: &ImportArgs) -> Result<ExitCode> {
    let fail = |error| Failure::io("read", &args.file, error);
    let text = trace::read_regular(&args.file, MOST_BYTES).map_err(fail)?;
    let text = String::from_utf8_lossy(&text);
    let ImportFormat::Mir = args.format;
    let tasks = mir::read::read(&text).map_err(|error| {
        Failure::Recording(format!(
            "{}, line {}: {}. A profile is what MIR writes into mir-task-stats, or its scripts into task-stats.*.",
            args.file.display(),
            error.line,
            error.what
        ))
    })?;
    let destination = Destination::make(&args.output)?;
    mir::import::import(&tasks, destination.directory(), args.ticks_per_second)
        .map_err(|error| Failure::io("write", destination.directory(), error))?;
    Ok(ExitCode::SUCCESS)
}
