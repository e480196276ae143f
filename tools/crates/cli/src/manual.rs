// SPDX-License-Identifier: Apache-2.0
//! `teff manual`, which an installation runs: it writes manual pages and shell completions from the
//! help texts of the verbs.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::roff::{roman, Roff};
use clap_mangen::Man;
use terminal::{Failure, Result};

use crate::args::{Cli, ManualArgs};

const PAGES: &str = "share/man/man1";
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/teff"),
    (Shell::Zsh, "share/zsh/site-functions/_teff"),
    (Shell::Fish, "share/fish/vendor_completions.d/teff.fish"),
];

pub fn manual(args: &ManualArgs) -> Result<ExitCode> {
    let mut command = public_command();
    command.build();
    for verb in command.get_subcommands().chain([&command]) {
        let name = verb.get_display_name().unwrap_or_else(|| verb.get_name());
        let file = args.prefix.join(PAGES).join(format!("{name}.1"));
        write(&file, |text| page(verb, text))?;
    }
    for (shell, file) in COMPLETIONS {
        write(&args.prefix.join(file), |text| {
            clap_complete::generate(shell, &mut public_command(), "teff", text);
            Ok(())
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The command without the verbs that are hidden from its users.
fn public_command() -> Command {
    let whole = Cli::command();
    let public = whole.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    Command::new("teff")
        .version(env!("CARGO_PKG_VERSION"))
        .about(whole.get_about().cloned().unwrap_or_default())
        .after_help(whole.get_after_help().cloned().unwrap_or_default())
        .args(whole.get_arguments().cloned())
        .subcommands(public)
        .subcommand_required(true)
        .disable_help_flag(true)
        .disable_help_subcommand(true)
}

fn page(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    let source = format!("teff {}", env!("CARGO_PKG_VERSION"));
    let page = Man::new(command.clone()).source(source).manual("User Commands");
    page.render_title(text)?;
    page.render_name_section(text)?;
    page.render_synopsis_section(text)?;
    page.render_description_section(text)?;
    page.render_options_section(text)?;
    if command.has_subcommands() {
        page.render_subcommands_section(text)?;
    }
    let end = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (notes, examples) = end.split_once("Example:\n").unwrap_or((&end, ""));
    section("NOTES", notes, text)?;
    section("EXAMPLES", examples, text)
}

/// The lines of the section are not changed.
fn section(heading: &str, lines: &str, text: &mut Vec<u8>) -> io::Result<()> {
    if lines.trim().is_empty() {
        return Ok(());
    }
    let mut roff = Roff::new();
    roff.control("SH", [heading]);
    for line in lines.trim_end().lines() {
        roff.text([roman(line.trim_start())]);
        roff.control("br", []);
    }
    roff.to_writer(text)
}

fn write(file: &Path, make: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Result<()> {
    let failed = |error| Failure::io("write", file, error);
    let mut text = Vec::new();
    make(&mut text).map_err(failed)?;
    fs::create_dir_all(file.parent().unwrap_or(file)).map_err(failed)?;
    fs::write(file, text).map_err(failed)
}
