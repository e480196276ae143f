// SPDX-License-Identifier: Apache-2.0
//! The instant from which the times of a recording count: its start. If it is of a device whose
//! clock is known, the start of the host's recording. What the device did before is cut out.

use trace::{Recording, Stamp};

use crate::ticks::Ticks;
use crate::windows::{Part, Windows};

#[derive(Clone, Copy)]
pub(crate) struct Origin {
    /// Of all records of the recording, none is earlier.
    first: Stamp,
    /// From then until the origin.
    before: Ticks,
    /// From the origin until the recording began.
    pub began: Ticks,
}

impl Origin {
    pub fn of(recording: &Recording) -> Self {
        let start = recording.meta.start();
        let origin = recording.clocks.of_host.map_or(start, |device| device.clock().start());
        Self { first: start.min(origin), before: origin.since(start), began: start.since(origin) }
    }

    /// An instant of a record. It may come before the origin, so it does not count from there.
    pub fn uncut(&self, stamp: Stamp) -> Ticks {
        stamp.since(self.first)
    }

    /// The same, from the origin on.
    pub fn since(&self, uncut: Ticks) -> Ticks {
        uncut - self.before
    }

    pub fn at(&self, stamp: Stamp) -> Ticks {
        self.since(self.uncut(stamp))
    }

    /// For instants that are not cut.
    pub fn windows(&self, windows: &Windows) -> Windows {
        let later = |part: Part| Part { from: part.from + self.before, to: part.to + self.before };
        Windows::of(windows.parts().map(later).collect())
    }
}
