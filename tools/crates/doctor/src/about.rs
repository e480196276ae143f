// SPDX-License-Identifier: Apache-2.0
//! What a bug report needs: versions, and the settings that OpenMP runtimes read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::objects;
use crate::processors::Processors;
use crate::system::{value_of, System};

#[derive(Debug, Serialize)]
pub struct About {
    pub teff: &'static str,
    /// The runtime's file. `None`: it is missing.
    pub library: Option<PathBuf>,
    /// The compilers that made the runtime.
    pub library_compilers: Vec<String>,
    pub distribution: String,
    pub kernel: String,
    pub architecture: &'static str,
    pub c_library: String,
    pub processor: String,
    /// 0: not known.
    pub processors_online: usize,
    pub processors_allowed: usize,
    /// In processors.
    pub quota: Option<f64>,
    pub memory_kib: Option<u64>,
    /// The environment variables of OpenMP, of its runtimes and of the loader.
    pub variables: BTreeMap<String, String>,
    /// The compilers that made the given program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub program_compilers: Vec<String>,
}

const OF_INTEREST: [&str; 6] = ["OMP_", "GOMP_", "KMP_", "TEFF_", "LD_PRELOAD", "LD_LIBRARY_PATH"];

impl About {
    pub fn of(
        system: &System,
        environment: &BTreeMap<String, String>,
        processors: &Processors,
        c_library: String,
        library: Option<&Path>,
    ) -> Self {
        let is_of_interest = |name: &str| OF_INTEREST.iter().any(|begin| name.starts_with(begin));
        let variables = environment.iter().filter(|(name, _)| is_of_interest(name));
        let memory = system.read("/proc/meminfo");
        Self {
            teff: env!("CARGO_PKG_VERSION"),
            library: library.map(Path::to_owned),
            library_compilers: library.map_or_else(Vec::new, objects::compilers),
            distribution: distribution(&system.read("/etc/os-release")),
            kernel: system.read("/proc/sys/kernel/osrelease").trim().to_owned(),
            architecture: std::env::consts::ARCH,
            c_library,
            processor: processor(&system.read("/proc/cpuinfo")),
            processors_online: processors.online,
            processors_allowed: processors.allowed,
            quota: processors.quota,
            memory_kib: value_of(&memory, "MemTotal")
                .and_then(|text| text.strip_suffix("kB")?.trim().parse().ok()),
            variables: variables.map(|(name, value)| (name.clone(), value.clone())).collect(),
            program_compilers: Vec::new(),
        }
    }
}

fn distribution(release: &str) -> String {
    let line = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    line.unwrap_or("unknown").trim_matches('"').to_owned()
}

fn processor(cpuinfo: &str) -> String {
    // Processors other than x86 have no line `model name`.
    let names = ["model name", "CPU part"];
    names.iter().find_map(|name| value_of(cpuinfo, name)).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::made_up::system;

    #[test]
    fn it_is_read_from_the_systems_files() {
        let here = system(&[
            ("/etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            ("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
            ("/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 7763\n"),
            ("/proc/meminfo", "MemTotal:       24000000 kB\n"),
        ]);
        let variables =
            [("OMP_NUM_THREADS", "4"), ("HOME", "/root"), ("LD_PRELOAD", "x.so"), ("OMPI_X", "1")];
        let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let processors = Processors { online: 4, allowed: 2, quota: Some(1.5) };
        let about = About::of(&here.system, &environment, &processors, "glibc 2.36".to_owned(), None);
        assert_eq!(about.distribution, "Debian GNU/Linux 12 (bookworm)");
        assert_eq!((&*about.kernel, &*about.processor), ("6.1.0-18-amd64", "AMD EPYC 7763"));
        assert_eq!(about.memory_kib, Some(24_000_000));
        assert_eq!(about.variables.keys().collect::<Vec<_>>(), ["LD_PRELOAD", "OMP_NUM_THREADS"]);
        assert!(about.library.is_none() && about.library_compilers.is_empty());
    }

    #[test]
    fn what_is_not_there_is_unknown() {
        let here = system(&[]);
        let processors = Processors::of(&here.system);
        let about = About::of(&here.system, &BTreeMap::new(), &processors, String::new(), None);
        assert_eq!((&*about.distribution, &*about.processor), ("unknown", "unknown"));
        assert_eq!((about.memory_kib, about.processors_online), (None, 0));
    }
}
