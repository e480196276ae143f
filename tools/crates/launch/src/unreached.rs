// SPDX-License-Identifier: Apache-2.0
//! Why nothing of a program that has ended was recorded or counted, as far as its file shows.
//! Either the program uses another OpenMP runtime, or its runtime is linked into the program, or it
//! uses none.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

use object::{Object, ObjectSymbol};

use crate::elf::Elf;
use crate::library_path::found;
use crate::{auditor, child};

/// No program is larger.
const MAX_PROGRAM_BYTES: u64 = 16 << 30;
/// Symbols that the runtimes of GCC and Clang define.
const OF_RUNTIMES: [&str; 2] = ["GOMP_parallel", "__kmpc_fork_call"];

#[derive(Debug, PartialEq, Eq)]
pub enum Unreached {
    /// The program asks for a runtime that Teff does not replace, of this name.
    Other(String),
    /// The program asks for libomp or libiomp5, by this name, and for libomptarget: it keeps both.
    Offloads(String),
    /// A runtime is part of the program's file.
    Within,
    /// The program loads no libraries. It is not known whether it contains a runtime.
    Static,
    /// The file does not show the reason. Either the program uses no OpenMP, or a library or
    /// another program that it starts uses it, or the program had set up a filter of system calls.
    Unknown,
}

impl Unreached {
    pub fn of(program: &OsStr) -> Self {
        let file = found(program);
        let Some(elf) = Elf::read(&file) else { return Self::Unknown };
        let needed = |names: &[&str]| {
            elf.needed.iter().find(|needed| names.iter().any(|name| is_named(needed, name))).cloned()
        };
        let libomp = needed(&["libomp", "libiomp5"]);
        let is_reached = needed(&["libgomp"]).is_some() || (libomp.is_some() && auditor::is_possible());
        match needed(&["libnvomp"]).or(libomp.clone()) {
            Some(name) if libomp.is_some() && needed(&["libomptarget"]).is_some() => Self::Offloads(name),
            Some(name) if !is_reached => Self::Other(name),
            _ if !is_reached && defines_a_runtime(&file) => Self::Within,
            _ if !elf.is_dynamic || elf.interpreter.is_none() => Self::Static,
            _ => Self::Unknown,
        }
    }

    /// In whole sentences.
    pub fn words(&self, program: &OsStr) -> String {
        let shown = Path::new(program).display();
        match self {
            Self::Other(name) => format!(
                "{shown} uses {name}, which Teff does not replace here. Teff replaces libgomp, and with glibc 2.35 or later \
                 also libomp and libiomp5. Build the program with GCC and -fopenmp, or with Clang."
            ),
            Self::Offloads(name) => format!(
                "{shown} uses {name} together with libomptarget, for other devices than the host, so it keeps both. Build it \
                 without -fopenmp-targets: its target regions then run on the host."
            ),
            Self::Within => format!(
                "{shown} has its OpenMP runtime linked in, so Teff cannot replace it. Link the program without \
                 -static, and without libgomp.a."
            ),
            Self::Static => format!(
                "{shown} is linked statically, so Teff cannot replace an OpenMP runtime in it. If it uses OpenMP, link \
                 it without -static."
            ),
            Self::Unknown => "If the runtime did not say why, the program did not use OpenMP through libgomp or libomp, or had \
                 set up a filter of system calls (seccomp) before it did, under which nothing is recorded. If it \
                 should have used OpenMP, ask `teff doctor` with the program and its arguments: it names the \
                 runtime that the program loads, and prints what to do."
                .to_owned(),
        }
    }

    /// The program's exit code. If the program succeeded although it used a runtime that Teff does
    /// not replace, the code says so.
    pub fn exit_code(&self, status: ExitStatus) -> ExitCode {
        match self {
            Self::Other(_) | Self::Offloads(_) if status.success() => ExitCode::from(3),
            Self::Within if status.success() => ExitCode::from(4),
            _ => child::exit_code(status),
        }
    }
}

/// `libomp.so.5`, `libomp-8a2b.so` and `libomp5.so` are named libomp; `libompt.so` is not.
fn is_named(name: &str, base: &str) -> bool {
    let Some(rest) = name.rsplit('/').next().and_then(|name| name.strip_prefix(base)) else { return false };
    rest.starts_with(['.', '-']) || rest.starts_with(|letter: char| letter.is_ascii_digit())
}

fn defines_a_runtime(file: &Path) -> bool {
    let Ok(Some(map)) = trace::map_regular(file, MAX_PROGRAM_BYTES) else { return false };
    let Ok(object) = object::File::parse(&*map) else { return false };
    let mut symbols = object.symbols();
    symbols
        .any(|symbol| symbol.is_definition() && symbol.name().is_ok_and(|name| OF_RUNTIMES.contains(&name)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;

    fn built(place: &Path, source: &str, flags: &[&str]) -> PathBuf {
        let program = place.join("program");
        std::fs::write(place.join("p.c"), source).unwrap();
        let mut cc = Command::new("cc");
        cc.current_dir(place).args(["-o", "program", "p.c"]).args(flags);
        assert!(cc.status().unwrap().success());
        program
    }

    /// An empty library of this name, which a program can ask for.
    fn library(place: &Path, name: &str) {
        built(place, "int omp_x;", &["-shared", "-fPIC", &format!("-Wl,-soname,{name}")]);
        std::fs::rename(place.join("program"), place.join(name)).unwrap();
    }

    #[test]
    fn a_program_that_asks_for_another_runtime_is_told_from_one_that_has_none() {
        let place = tempfile::tempdir().unwrap();
        for name in ["libnvomp.so", "libomp.so.5", "libomptarget.so.19.1"] {
            library(place.path(), name);
        }
        let main = "int main(void) { return 0; }";
        let asks = |names: &[&str]| {
            built(place.path(), main, &[&["-Wl,--no-as-needed"], names].concat()).into_os_string()
        };
        let program = asks(&["libnvomp.so"]);
        let why = Unreached::of(&program);
        assert_eq!(why, Unreached::Other("libnvomp.so".to_owned()));
        assert!(why.words(&program).contains("uses libnvomp.so"));
        assert_eq!(why.exit_code(ExitStatus::from_raw(0)), ExitCode::from(3));
        assert_eq!(why.exit_code(ExitStatus::from_raw(7 << 8)), ExitCode::from(7), "the program's own");
        let program = asks(&["libomp.so.5", "libomptarget.so.19.1"]);
        let why = Unreached::of(&program);
        assert_eq!(why, Unreached::Offloads("libomp.so.5".to_owned()));
        assert_eq!(why.exit_code(ExitStatus::from_raw(0)), ExitCode::from(3));
        assert_eq!(Unreached::of(&asks(&["libomp.so.5"])), Unreached::Unknown, "it is replaced");
        assert_eq!(Unreached::of(&asks(&[])), Unreached::Unknown);
        let words = Unreached::Unknown.words(&asks(&[]));
        assert!(words.contains("did not use OpenMP") && words.contains("seccomp"), "{words}");
        assert_eq!(Unreached::of("/absent/program".as_ref()), Unreached::Unknown);
    }

    #[test]
    fn a_runtime_within_the_program_is_seen() {
        let place = tempfile::tempdir().unwrap();
        let program = built(place.path(), "void GOMP_parallel(void) {} int main(void) { return 0; }", &[]);
        assert_eq!(Unreached::of(program.as_os_str()), Unreached::Within);
        let program = built(place.path(), "int main(void) { return 0; }", &["-static"]);
        assert_eq!(Unreached::of(program.as_os_str()), Unreached::Static);
    }

    #[test]
    fn runtimes_have_several_names() {
        for name in ["libomp.so.5", "libomp-8a2b.so", "libomp5.so", "/opt/lib/libomp.so"] {
            assert!(is_named(name, "libomp"), "{name}");
        }
        for name in ["libompt.so", "libgomp.so.1", "omp"] {
            assert!(!is_named(name, "libomp"), "{name}");
        }
    }
}
