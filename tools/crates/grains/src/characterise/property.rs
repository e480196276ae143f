// SPDX-License-Identifier: Apache-2.0
//! The properties by which programs are compared.

/// What is known of a program and input. The first six are medians over its grains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    Instructions,
    MemoryReads,
    MemoryWrites,
    StackReads,
    StackWrites,
    Footprint,
    Tasks,
    JoinDegree,
    CriticalPath,
    SequentialWork,
}

impl Property {
    pub const ALL: [Self; 10] = [
        Self::Tasks,
        Self::JoinDegree,
        Self::CriticalPath,
        Self::SequentialWork,
        Self::Instructions,
        Self::Footprint,
        Self::MemoryReads,
        Self::MemoryWrites,
        Self::StackReads,
        Self::StackWrites,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::MemoryReads => "memory reads",
            Self::MemoryWrites => "memory writes",
            Self::StackReads => "stack reads",
            Self::StackWrites => "stack writes",
            Self::Footprint => "footprint",
            Self::Tasks => "tasks",
            Self::JoinDegree => "join degree",
            Self::CriticalPath => "critical path",
            Self::SequentialWork => "sequential work",
        }
    }
}
