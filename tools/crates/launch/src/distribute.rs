// SPDX-License-Identifier: Apache-2.0
//! `teff run --distribute`: a library that is preloaded into the program asks the kernel to spread
//! its big allocations over the NUMA nodes.
//!
//! Only the library knows over which nodes it would spread memory, so the verb asks the library
//! before the program runs. If there is only one node, the library is not preloaded.

use std::ffi::{c_long, CStr, CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use clap::ValueEnum;
use nix::libc;
use terminal::{say, Failure, Result};

use crate::{launch, library_path, privileges};

const LIBRARY: &str = "libteff-distribute.so";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Spread {
    /// Page by page over all nodes
    Fine,
    /// An allocation on one node, the next one on the next
    Coarse,
}

/// The program that `command` starts, and the programs that it starts, will spread their
/// allocations of at least `at_least` bytes.
pub fn add_to(command: &mut Command, spread: Spread, at_least: u64) -> Result<()> {
    refuse_raised_rights(command.get_program())?;
    let library = launch::library_directory()?.join(LIBRARY);
    let place = ask(&library)?;
    match place.nodes {
        Ok(0..=1) => say("one NUMA node: nothing to distribute."),
        Err(error) => say(format!(
            "the system refuses to spread memory over its nodes ({error}): nothing is distributed. A container may \
             need the capability SYS_NICE for that."
        )),
        Ok(_) => {
            say_if_out_of_reach(command.get_program());
            let before = launch::variable(command, "LD_PRELOAD");
            command.env("LD_PRELOAD", launch::put_first(library.as_os_str(), before));
            command.env("TEFF_DISTRIBUTE", setting(spread, at_least, place.filters));
        }
    }
    Ok(())
}

/// The setting in the form that the library reads. If a program has more filters for its system
/// calls than we have, the library does nothing there, because another program has restricted it.
/// If our number of filters is unknown (below 0), the library does nothing in any case.
fn setting(spread: Spread, at_least: u64, filters: c_long) -> String {
    let spread = match spread {
        Spread::Fine => "fine",
        Spread::Coarse => "coarse",
    };
    format!("{spread}:{at_least}:filters={}", filters.max(0))
}

fn refuse_raised_rights(program: &OsStr) -> Result<()> {
    let name = Path::new(program).display();
    if let Some(how) = privileges::raised_by(program) {
        return Err(Failure::Program(format!(
            "{name} runs with raised privileges, by {how}: the loader preloads nothing into it, so its memory cannot \
             be distributed. Run a copy without them, or leave out --distribute."
        )));
    }
    Ok(())
}

/// Prints a message if the library cannot reach the program. The program runs all the same, because
/// it may start other programs that the library can reach.
fn say_if_out_of_reach(program: &OsStr) {
    let loader = library_path::loader(program).unwrap_or_else(|| "unknown".into());
    let how = match loader.as_str() {
        "" => "statically",
        musl if musl.contains("/ld-musl-") => "with musl",
        _ => return,
    };
    let name = Path::new(program).display();
    say(format!(
        "{name} is linked {how}: its own memory cannot be distributed, only that of the programs which it starts."
    ));
}

/// What the library determines about this process.
struct Surroundings {
    /// Over how many nodes it would spread memory, or why the system refuses to place memory.
    nodes: io::Result<c_long>,
    /// How many filters there are for system calls.
    filters: c_long,
}

fn ask(library: &Path) -> Result<Surroundings> {
    if !library.is_file() {
        return Err(Failure::Missing(format!(
            "{} is missing, which --distribute needs. Build or install it there.",
            library.display()
        )));
    }
    let [count, filters] = ask_library(library).ok_or_else(|| {
        Failure::Missing(format!("{} is not the library that --distribute needs.", library.display()))
    })?;
    let nodes = if count < 0 { Err(io::Error::from_raw_os_error(-count as i32)) } else { Ok(count) };
    Ok(Surroundings { nodes, filters })
}

/// The number of nodes and of filters. `None`: the library cannot be loaded, or is another library.
fn ask_library(library: &Path) -> Option<[c_long; 2]> {
    let path = CString::new(library.as_os_str().as_bytes()).ok()?;
    // SAFETY: the names end with a zero. When the library is loaded, its code only looks up names;
    // its symbols replace no others (RTLD_LOCAL); and the functions have this type.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        if library.is_null() {
            return None;
        }
        let ask = |name: &CStr| {
            let function = libc::dlsym(library, name.as_ptr());
            (!function.is_null())
                .then(|| std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> c_long>(function)())
        };
        Some([ask(c"teff_distribute_nodes")?, ask(c"teff_distribute_filters")?])
    }
}
