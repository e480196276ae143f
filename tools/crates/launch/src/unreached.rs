// SPDX-License-Identifier: Apache-2.0
//! Why nothing of a program that has ended was recorded or counted, as far as its file shows.
//! Either the program uses another OpenMP runtime, or its runtime is linked into the program, or it
//! uses none.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

use object::{Object, ObjectSymbol};

use crate::child;
use crate::elf::Elf;
use crate::library_path::found;

/// No program is larger.
const MAX_PROGRAM_BYTES: u64 = 16 << 30;
/// Symbols that the runtimes of GCC and Clang define.
const OF_RUNTIMES: [&str; 2] = ["GOMP_parallel", "__kmpc_fork_call"];

#[derive(Debug, PartialEq, Eq)]
pub enum Unreached {
    /// The program asks for another runtime, of this name.
    Other(String),
    /// A runtime is part of the program's file.
    Within,
    /// The program loads no libraries. It is not known whether it contains a runtime.
    Static,
    /// The file does not show the reason. Either the program uses no OpenMP, or a library or
    /// another program that it starts uses it.
    Unknown,
}

impl Unreached {
    pub fn of(program: &OsStr) -> Self {
        let file = found(program);
        let Some(elf) = Elf::read(&file) else { return Self::Unknown };
        let is_other =
            |name: &&String| ["libomp", "libiomp5", "libnvomp"].iter().any(|of| is_named(name, of));
        let has_libgomp = elf.needed.iter().any(|name| is_named(name, "libgomp"));
        match elf.needed.iter().find(is_other) {
            Some(other) if !has_libgomp => Self::Other(other.clone()),
            _ if !has_libgomp && defines_a_runtime(&file) => Self::Within,
            _ if !elf.is_dynamic || elf.interpreter.is_none() => Self::Static,
            _ => Self::Unknown,
        }
    }

    /// In whole sentences.
    pub fn words(&self, program: &OsStr) -> String {
        let shown = Path::new(program).display();
        match self {
            Self::Other(name) => format!(
                "{shown} uses {name}, which is not the OpenMP runtime that Teff replaces: it was built by Clang, or by \
                 a compiler of its family. Build it with GCC and -fopenmp."
            ),
            Self::Within => format!(
                "{shown} has its OpenMP runtime linked in, so Teff cannot replace it. Link the program without \
                 -static, and without libgomp.a."
            ),
            Self::Static => format!(
                "{shown} is linked statically, so Teff cannot replace an OpenMP runtime in it. If it uses OpenMP, link \
                 it without -static."
            ),
            Self::Unknown => "If the runtime did not say why, the program did not use OpenMP through libgomp. If it \
                 should have, ask `teff doctor` with the program and its arguments: it names the runtime that the \
                 program loads, and prints what to do."
                .to_owned(),
        }
    }

    /// The program's exit code. If the program succeeded although it used a runtime that Teff does
    /// not replace, the code says so.
    pub fn exit_code(&self, status: ExitStatus) -> ExitCode {
        match self {
            Self::Other(_) if status.success() => ExitCode::from(3),
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

    #[test]
    fn a_program_that_asks_for_another_runtime_is_told_from_one_that_has_none() {
        let place = tempfile::tempdir().unwrap();
        built(place.path(), "int omp_x;", &["-shared", "-fPIC", "-Wl,-soname,libomp.so.5"]);
        std::fs::rename(place.path().join("program"), place.path().join("libomp.so.5")).unwrap();
        let main = "int main(void) { return 0; }";
        let program = built(place.path(), main, &["-Wl,--no-as-needed", "libomp.so.5"]);
        let why = Unreached::of(program.as_os_str());
        assert_eq!(why, Unreached::Other("libomp.so.5".to_owned()));
        assert!(why.words(program.as_os_str()).contains("uses libomp.so.5"));
        assert_eq!(why.exit_code(ExitStatus::from_raw(0)), ExitCode::from(3));
        assert_eq!(why.exit_code(ExitStatus::from_raw(7 << 8)), ExitCode::from(7), "the program's own");
        let program = built(place.path(), main, &[]);
        assert_eq!(Unreached::of(program.as_os_str()), Unreached::Unknown);
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
