// SPDX-License-Identifier: Apache-2.0
//! `teff export`: the grain graph for other programs.

mod graphml;

use std::fs::File;
use std::io::{stdout, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::args::{ExportArgs, ExportFormat};
use crate::failure::{Failure, Result};
use crate::open::open;
use crate::symbols::Symbols;

pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    let profile = open(&args.recording)?;
    let symbols = Symbols::resolve(&profile);
    let fail = |error| Failure::io("write", &args.output, error);
    let mut out = BufWriter::with_capacity(1 << 20, create(&args.output)?);
    match args.format {
        ExportFormat::Graphml => graphml::write(&mut out, &profile, &symbols).map_err(fail)?,
    }
    out.flush().map_err(fail)?;
    Ok(ExitCode::SUCCESS)
}

fn create(file: &Path) -> Result<Box<dyn Write>> {
    if file == Path::new("-") {
        return Ok(Box::new(stdout()));
    }
    let file_handle = File::create(file).map_err(|error| Failure::io("write", file, error))?;
    Ok(Box::new(file_handle))
}
