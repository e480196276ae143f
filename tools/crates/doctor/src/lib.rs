// SPDX-License-Identifier: Apache-2.0
//! `teff doctor`: prints what a bug report needs, and which problems this machine has.
//!
//! Each module checks one thing, and reads the system's files below a given root folder (`system`).
//! This file collects the facts that are in no file, and passes them to the modules.

mod about;
mod args;
mod cache;
mod finding;
mod kernel;
mod kind;
mod limits;
mod loader;
#[cfg(test)]
mod made_up_elf;
mod objects;
mod processors;
mod program;
mod python;
mod runtimes;
mod space;
mod system;
mod text;
mod trials;
mod unreadable;

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use terminal::{print, printable_json, Failure, Result};

use about::About;
use finding::{Finding, State};
use kernel::Trials;
use processors::Processors;
use runtimes::Runtime;
use system::System;

pub use args::DoctorArgs;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    version: u32,
    about: About,
    /// The runtimes of the given program.
    runtimes: Vec<Runtime>,
    findings: Vec<Finding>,
}

pub fn doctor(args: &DoctorArgs) -> Result<ExitCode> {
    let document = document(&args.command)?;
    let text = if args.json {
        let json = serde_json::to_string_pretty(&document);
        let json = json.map_err(|error| Failure::cannot("write JSON", error))?;
        printable_json(&json) + "\n"
    } else {
        text::render(&document.about, &document.findings)
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn document(command: &[OsString]) -> Result<Document> {
    let system = System::at("/");
    let environment: BTreeMap<String, String> = env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .collect();
    let variable = |name: &str| environment.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let processors = Processors::of(&system);
    let library = launch::find_library();
    let mut about =
        About::of(&system, &environment, &processors, c_library(), library.as_ref().ok().map(|file| &**file));
    let loadable = library.as_ref().map_or_else(
        |why| Err(why.to_string()),
        |file| launch::check_path(file).map_err(|why| why.to_string()),
    );
    let mut findings = vec![match loadable {
        Ok(()) => Finding::ok("teff run", "the runtime is there."),
        Err(why) => Finding::problem("teff run", why, "Without it no verb can start a program."),
    }];
    findings.extend(processors::findings(&processors, variable("OMP_NUM_THREADS")));
    findings.extend(limits::findings(&system, processors.default_team() as u64, variable("OMP_STACKSIZE")));
    findings.extend(kernel::findings(&system, &Trials::made()));
    findings.extend(space::findings(&system, Path::new(".")));
    unreadable::replace(&system, &mut findings);
    let mut runtimes = Vec::new();
    if let Some(name) = command.first() {
        let program::Found { program, file } = program::find(name)?;
        about.program_compilers = objects::compilers(&program);
        let rights = program::rights(name);
        runtimes = runtimes::of_program(&system, &program, variable("LD_LIBRARY_PATH"), rights.is_some());
        let form = program::form(&file, &program);
        let can_load = form.iter().all(|finding| finding.state != State::Problem);
        findings.extend(form);
        findings.extend(rights);
        if can_load || !runtimes.is_empty() {
            let teff = library.unwrap_or_else(|_| "PREFIX/lib/teff/libgomp.so.1".into());
            findings.extend(runtimes::findings(&program, &runtimes, &teff));
        }
    }
    Ok(Document { schema: "teff-doctor", version: 1, about, runtimes, findings })
}

fn c_library() -> String {
    // SAFETY: the C library returns a text that it owns and never frees.
    let version = unsafe { CStr::from_ptr(nix::libc::gnu_get_libc_version()) };
    format!("glibc {}", version.to_string_lossy())
}
