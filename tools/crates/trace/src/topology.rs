// SPDX-License-Identifier: Apache-2.0
//! Where the processors of the recorded machine are: `topology.json` beside the streams, which
//! `teff record` writes when the program has ended. docs/formats/trace.md defines the file. It is
//! untrusted input; one that is not understood counts as missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::input::read_regular;

pub const TOPOLOGY_FILE: &str = "topology.json";
pub const TOPOLOGY_FILE_BESIDE: &str = "topology.json.tmp";
const FORMAT: &str = "teff-topology";
const VERSION: u32 = 1;
const MAX_BYTES: u64 = 16 << 20;

/// A processor, as the kernel numbers it, with the package (socket) and the core in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Processor {
    pub processor: u32,
    pub package: u32,
    pub core: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Topology {
    format: String,
    version: u32,
    pub processors: Vec<Processor>,
}

impl Topology {
    pub fn of(processors: Vec<Processor>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, processors }
    }

    /// `None`: the recording has none that can be read.
    pub fn read(directory: &Path) -> Option<Self> {
        let text = read_regular(&directory.join(TOPOLOGY_FILE), MAX_BYTES).ok()?;
        let topology: Self = serde_json::from_slice(&text).ok()?;
        let is_known = topology.format == FORMAT && topology.version == VERSION;
        Some(topology).filter(|topology| is_known && !topology.processors.is_empty())
    }

    /// Writes the file as a whole, or leaves none.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        let beside = directory.join(TOPOLOGY_FILE_BESIDE);
        let text = serde_json::to_string(self)?;
        fs::write(&beside, text + "\n").and_then(|()| fs::rename(&beside, directory.join(TOPOLOGY_FILE)))
    }

    /// The number of each processor's core, package by package: processors of one core have the
    /// same number, and the cores of a package follow one another.
    pub fn cores(&self) -> BTreeMap<u32, u32> {
        let cores: BTreeSet<(u32, u32)> = self.processors.iter().map(|of| (of.package, of.core)).collect();
        let number: BTreeMap<(u32, u32), u32> = cores.into_iter().zip(0..).collect();
        self.processors.iter().map(|of| (of.processor, number[&(of.package, of.core)])).collect()
    }

    /// Of the largest package.
    pub fn cores_of_a_package(&self) -> u32 {
        let mut cores: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for of in &self.processors {
            cores.entry(of.package).or_default().insert(of.core);
        }
        cores.values().map(|cores| cores.len() as u32).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_of_a_core_have_its_number_and_packages_follow_one_another() {
        // As many servers number them: first one thread of each core, by turns of the packages.
        let of = |processor, package, core| Processor { processor, package, core };
        let topology =
            Topology::of(vec![of(0, 0, 0), of(1, 1, 0), of(2, 0, 4), of(3, 1, 4), of(4, 0, 0), of(5, 1, 0)]);
        let cores: Vec<(u32, u32)> = topology.cores().into_iter().collect();
        assert_eq!(cores, [(0, 0), (1, 2), (2, 1), (3, 3), (4, 0), (5, 2)]);
        assert_eq!(topology.cores_of_a_package(), 2);
    }
}
