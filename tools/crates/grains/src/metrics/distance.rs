// SPDX-License-Identifier: Apache-2.0
//! How far apart two grains ran (the distance of the grains thesis's scatter, section 5.4.2).
//!
//! A grain's position is the number of the core on which it began, where the recording has the
//! topology of the machine: processors of one core have the same number, and the cores of a package
//! follow one another. Without the topology it is the number of the processor and, in recordings
//! without processors, the number of the worker. The distance of two grains is the difference of
//! their positions.

use trace::Topology;

use crate::tables::{flag, Grains};
use crate::{Column, Profile};

/// What positions are numbers of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    Cores,
    Processors,
    Workers,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cores => "cores",
            Self::Processors => "processors",
            Self::Workers => "workers",
        }
    }
}

pub struct Positions {
    pub unit: Unit,
    /// In the largest package, if the recording has the topology and its processors.
    pub cores_of_a_package: Option<u32>,
    pub of: Column<Grains, u16>,
}

impl Positions {
    pub fn of(profile: &Profile) -> Self {
        let grains = &profile.grains;
        let cores = profile.topology.as_ref().map(Topology::cores);
        let mut of = Column::filled(0, grains.len());
        let mut unit = if cores.is_some() { Unit::Cores } else { Unit::Processors };
        for row in grains.rows().filter(|&row| !grains.has(row, flag::CANCELLED)) {
            let processor = profile.cores.of_grain(grains, row);
            let position = match &cores {
                Some(cores) => processor
                    .and_then(|it| cores.get(&u32::from(it)))
                    .and_then(|&core| u16::try_from(core).ok()),
                None => processor,
            };
            let Some(position) = position else {
                unit = Unit::Workers;
                break;
            };
            of[row] = position;
        }
        if unit == Unit::Workers {
            of = grains.rows().map(|row| grains.worker[row]).collect();
        }
        let topology = profile.topology.as_ref().filter(|_| unit == Unit::Cores);
        Self { unit, cores_of_a_package: topology.map(Topology::cores_of_a_package), of }
    }
}
