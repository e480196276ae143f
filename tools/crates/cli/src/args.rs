// SPDX-License-Identifier: Apache-2.0
//! The command line. The arguments of each verb are defined in the crate of that verb.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};
use compile::CcArgs;
use doctor::DoctorArgs;
use export::{ExportArgs, ImportArgs};
use launch::{RecordArgs, RunArgs, StatArgs, SweepArgs};
use reports::{CharacteriseArgs, DiffArgs, PredictArgs, ReportArgs};
use view::ViewArgs;

/// Runs unmodified OpenMP programs on the Teff runtime, and shows every grain of these programs. A
/// grain is a task or a loop chunk. For each grain Teff shows what it cost and why.
#[derive(Parser)]
#[command(
    name = "teff",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_flag = true
)]
#[command(
    after_help = "Example:\n  teff record -- ./sort 1000000   # writes sort.teff/\n  teff report sort.teff\n  teff view sort.teff"
)]
pub struct Cli {
    /// Print help
    #[arg(short, long, global = true, action = ArgAction::HelpLong)]
    help: Option<bool>,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
pub enum Verb {
    Run(RunArgs),
    Stat(StatArgs),
    Record(RecordArgs),
    Sweep(SweepArgs),
    Report(ReportArgs),
    Diff(DiffArgs),
    Predict(PredictArgs),
    View(ViewArgs),
    Export(ExportArgs),
    Characterise(CharacteriseArgs),
    Import(ImportArgs),
    Cc(CcArgs),
    Doctor(DoctorArgs),
    #[command(hide = true)]
    Manual(ManualArgs),
}

/// Write the manual pages and the shell completions into an installation
///
/// Makes DIR/share/man/man1, DIR/share/bash-completion/completions,
/// DIR/share/zsh/site-functions and DIR/share/fish/vendor_completions.d.
#[derive(Args)]
pub struct ManualArgs {
    /// The directory into which Teff is installed
    #[arg(value_name = "DIR")]
    pub prefix: PathBuf,
}
