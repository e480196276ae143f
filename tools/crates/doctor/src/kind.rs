// SPDX-License-Identifier: Apache-2.0
//! The OpenMP runtimes that are known, by the names of their files.

use std::path::{Path, PathBuf};

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// GCC's, by its own name.
    Libgomp,
    /// GCC's, under a name that a Python wheel gives its copy.
    LibgompCopy,
    /// GCC's, linked into the program's own file.
    LibgompStatic,
    /// LLVM's.
    Libomp,
    /// Intel's, which is LLVM's by another name.
    Libiomp5,
    /// NVIDIA's.
    Libnvomp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replaced {
    Yes,
    /// With glibc 2.35 or later, or where the library is preloaded.
    Preloaded,
    No,
}

/// Why a program keeps a runtime that Teff replaces in other programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The loader ignores Teff in a program with raised privileges.
    Privileges,
    /// This file needs libomptarget, which needs LLVM's own libomp.
    Devices(PathBuf),
}

impl Kept {
    pub fn words(&self) -> String {
        match self {
            Self::Privileges => "the program keeps it, because it runs with raised privileges".to_owned(),
            Self::Devices(by) => format!(
                "the program keeps it, because {} needs libomptarget, for other devices than the host",
                by.display()
            ),
        }
    }

    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Privileges => "See the finding privileges.",
            Self::Devices(_) => "Build it without -fopenmp-targets: its target regions then run on the host.",
        }
    }
}

impl Kind {
    /// Returns the kind by the name of a file, or by the name of a needed library.
    pub fn of(name: &str) -> Option<Self> {
        let is = |base: &str| name.strip_prefix(base).is_some_and(|rest| rest.starts_with(".so"));
        let is_copy = |base: &str| {
            name.strip_prefix(base).is_some_and(|rest| {
                rest.starts_with('-') && !rest.starts_with("-plugin") && rest.contains(".so")
            })
        };
        Some(match name {
            _ if is("libgomp") => Self::Libgomp,
            _ if is_copy("libgomp") => Self::LibgompCopy,
            _ if is("libomp") || is("libomp5") || is_copy("libomp") => Self::Libomp,
            _ if is("libiomp5") || is_copy("libiomp5") => Self::Libiomp5,
            _ if is("libnvomp") => Self::Libnvomp,
            _ => return None,
        })
    }

    pub fn replaced(self) -> Replaced {
        match self {
            Self::Libgomp => Replaced::Yes,
            Self::LibgompCopy | Self::Libomp | Self::Libiomp5 => Replaced::Preloaded,
            Self::LibgompStatic | Self::Libnvomp => Replaced::No,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Libgomp => "GCC's libgomp",
            Self::LibgompCopy => "a wheel's copy of GCC's libgomp",
            Self::LibgompStatic => "GCC's libgomp, linked statically",
            Self::Libomp => "LLVM's libomp",
            Self::Libiomp5 => "Intel's libiomp5",
            Self::Libnvomp => "NVIDIA's libnvomp",
        }
    }

    /// Whether Teff replaces it, unless the program keeps it.
    pub fn words(self) -> &'static str {
        match self.replaced() {
            Replaced::Yes => "Teff replaces it",
            Replaced::Preloaded => "teff run, stat and record replace it with glibc 2.35 or later",
            Replaced::No => "Teff does not replace it",
        }
    }

    /// Whether a program that needs libomptarget keeps it.
    pub fn is_for_devices(self) -> bool {
        matches!(self, Self::Libomp | Self::Libiomp5)
    }

    /// `teff` is Teff's library.
    pub fn remedy(self, teff: &Path) -> Option<String> {
        Some(match self {
            Self::Libgomp => return None,
            Self::LibgompCopy | Self::Libomp | Self::Libiomp5 => format!(
                "With an older glibc, preload Teff, in front of the verb: LD_PRELOAD={} teff record PROGRAM. Where Teff is \
                 a wheel, python -m teff record SCRIPT does so.",
                teff.display()
            ),
            Self::LibgompStatic => "Link the program without -static, and without libgomp.a.".to_owned(),
            Self::Libnvomp => "Build the program or library that needs it with GCC and -fopenmp, or choose a build that uses \
                  libgomp (conda: _openmp_mutex=*=*_gnu)."
                .to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_by_their_names() {
        let names = [
            "libgomp.so.1",
            "libgomp.so.1.0.0",
            "libgomp-a34b3233.so.1.0.0",
            "libomp.so.5",
            "libomp5.so",
            "libomp-8a2b.so",
            "libiomp5.so",
            "libnvomp.so",
        ];
        use Kind::*;
        let kinds = [Libgomp, Libgomp, LibgompCopy, Libomp, Libomp, Libomp, Libiomp5, Libnvomp];
        assert_eq!(names.map(|name| Kind::of(name).unwrap()), kinds);
        for other in ["libgomp-plugin-nvptx.so.1", "libgompx.so", "libompt.so", "libc.so.6", "libgomp.spec"] {
            assert_eq!(Kind::of(other), None, "{other}");
        }
    }
}
