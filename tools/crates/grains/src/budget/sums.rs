// SPDX-License-Identifier: Apache-2.0
//! The classes of the budget, and sums of time by class.

use crate::ticks::Ticks;

/// What a worker did, or why it did nothing. `docs/formats/report.md` has the definitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Class {
    Work,
    /// The part of the work that exceeds a baseline; 0 without a baseline.
    Inflation,
    Creation,
    Scheduling,
    NothingReady,
    ReadyWaiting,
    Locks,
    Imbalance,
    Serial,
    OutsideTeam,
    Descheduled,
    Recorder,
}

pub const CLASSES: [Class; 12] = [
    Class::Work,
    Class::Inflation,
    Class::Creation,
    Class::Scheduling,
    Class::NothingReady,
    Class::ReadyWaiting,
    Class::Locks,
    Class::Imbalance,
    Class::Serial,
    Class::OutsideTeam,
    Class::Descheduled,
    Class::Recorder,
];

impl Class {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Inflation => "inflation",
            Self::Creation => "creation",
            Self::Scheduling => "scheduling",
            Self::NothingReady => "nothing_ready",
            Self::ReadyWaiting => "ready_waiting",
            Self::Locks => "locks",
            Self::Imbalance => "imbalance",
            Self::Serial => "serial",
            Self::OutsideTeam => "outside_team",
            Self::Descheduled => "descheduled",
            Self::Recorder => "recorder",
        }
    }
}

#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Sums([Ticks; CLASSES.len()]);

impl Sums {
    pub fn add(&mut self, class: Class, time: Ticks) {
        self.0[class as usize] += time;
    }

    pub fn add_all(&mut self, other: &Self) {
        for (sum, &more) in self.0.iter_mut().zip(&other.0) {
            *sum += more;
        }
    }

    pub fn of(&self, class: Class) -> Ticks {
        self.0[class as usize]
    }

    /// Makes a share of the work inflation, and says how much that is.
    pub fn inflate(&mut self, share: f64) -> Ticks {
        let part = Ticks((self.of(Class::Work).0 as f64 * share) as u64);
        self.inflate_by(part);
        part
    }

    /// Never more than the work.
    pub fn inflate_by(&mut self, part: Ticks) {
        let part = part.min(self.of(Class::Work));
        self.0[Class::Work as usize] = self.of(Class::Work) - part;
        self.add(Class::Inflation, part);
    }

    pub fn sum(&self) -> Ticks {
        self.0.iter().copied().sum()
    }

    /// Time in which no program code ran, the recorder's own aside.
    pub fn lost(&self) -> Ticks {
        self.sum() - self.of(Class::Work) - self.of(Class::Inflation) - self.of(Class::Recorder)
    }
}
