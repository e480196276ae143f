// SPDX-License-Identifier: Apache-2.0
//! The OpenMP runtimes that are known, by the names of their files.

use std::path::Path;

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

    pub fn words(self) -> &'static str {
        match self {
            Self::Libgomp => "GCC's libgomp: Teff replaces it",
            Self::LibgompCopy => {
                "a wheel's copy of GCC's libgomp: teff run, stat and record replace it with glibc 2.35 or later"
            }
            Self::LibgompStatic => "GCC's libgomp, linked statically: Teff does not replace it",
            Self::Libomp => {
                "LLVM's libomp: teff run, stat and record replace it with glibc 2.35 or later, unless the program uses \
                 libomptarget"
            }
            Self::Libiomp5 => {
                "Intel's libiomp5: teff run, stat and record replace it with glibc 2.35 or later, unless the program uses \
                 libomptarget"
            }
            Self::Libnvomp => "NVIDIA's libnvomp: Teff does not replace it",
        }
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
