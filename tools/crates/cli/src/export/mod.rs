// SPDX-License-Identifier: Apache-2.0
//! `teff export`: the grain graph for other programs.

mod graphml;
mod joins;

use std::process::ExitCode;

use crate::args::{ExportArgs, ExportFormat};
use crate::failure::Result;
use crate::open::open;
use crate::output;
use crate::symbols::Symbols;

pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    let profile = open(&args.recording)?;
    let symbols = Symbols::resolve(&profile);
    output::write(&args.output, |out| match args.format {
        ExportFormat::Graphml => graphml::write(out, &profile, &symbols),
    })?;
    Ok(ExitCode::SUCCESS)
}
