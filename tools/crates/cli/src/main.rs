// SPDX-License-Identifier: Apache-2.0
//! `teff`: the command line. Each verb is one module; this file only chooses among them.

mod args;
mod console;
mod debug_bounds;
mod debug_file;
mod export;
mod failure;
mod inherited;
mod launch;
mod library_path;
mod memory;
mod open;
mod output;
mod progress;
mod record;
mod recorder;
mod report;
mod room;
mod symbols;
mod truncation;
mod units;
mod view;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    truncation::watch();
    let result = match args::Cli::parse().verb {
        args::Verb::Run(args) => launch::run(&args),
        args::Verb::Record(args) => record::record(&args),
        args::Verb::Report(args) => report::report(&args),
        args::Verb::View(args) => view::view(&args),
        args::Verb::Export(args) => export::export(&args),
    };
    result.unwrap_or_else(|failure| {
        console::say(failure);
        ExitCode::FAILURE
    })
}
