// SPDX-License-Identifier: Apache-2.0
//! `teff`: the command line. Each verb is a function of another crate; this file only chooses among
//! them.

mod args;
mod manual;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    terminal::truncation::watch();
    let result = match args::Cli::parse().verb {
        args::Verb::Run(args) => launch::run(&args),
        args::Verb::Stat(args) => launch::stat(&args),
        args::Verb::Record(args) => launch::record(&args),
        args::Verb::Sweep(args) => launch::sweep(&args),
        args::Verb::Report(args) => reports::report(&args),
        args::Verb::Diff(args) => reports::diff::diff(&args),
        args::Verb::Predict(args) => reports::predict::predict(&args),
        args::Verb::View(args) => view::view(args),
        args::Verb::Export(args) => export::export(&args),
        args::Verb::Characterise(args) => reports::characterise(&args),
        args::Verb::Import(args) => export::import(&args),
        args::Verb::Cc(args) => compile::cc(&args),
        args::Verb::Doctor(args) => doctor::doctor(&args),
        args::Verb::Manual(args) => manual::manual(&args),
    };
    match result {
        Ok(code) => recordings::partial::exit_code(code),
        Err(failure) => {
            terminal::say(failure);
            ExitCode::FAILURE
        }
    }
}
