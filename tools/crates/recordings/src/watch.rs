// SPDX-License-Identifier: Apache-2.0
//! How far the reading of a recording has come. The thread that reads notes it; any thread may ask.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use grains::Step;

const STEPS: [&str; 5] = ["reading", "sorting grains", "laying out", "finding the span", "making the page"];

/// The values are independent of each other.
#[derive(Default)]
pub struct Watch {
    read: AtomicU64,
    bytes: AtomicU64,
    step: AtomicUsize,
}

impl Watch {
    /// A recording of so many bytes begins to be read.
    pub(crate) fn begin(&self, bytes: u64) {
        self.read.store(0, Relaxed);
        self.bytes.store(bytes, Relaxed);
        self.step.store(0, Relaxed);
    }

    pub(crate) fn note(&self, step: Step) {
        match step {
            Step::Decoded(bytes) => {
                self.read.fetch_add(bytes, Relaxed);
            }
            Step::Assembling => self.step.store(1, Relaxed),
            Step::LayingOut => self.step.store(2, Relaxed),
            Step::FindingSpan => self.step.store(3, Relaxed),
        }
    }

    /// All has been read.
    pub(crate) fn end(&self) {
        self.step.store(STEPS.len() - 1, Relaxed);
    }

    /// Bytes that were read, bytes in all, and what is being done.
    pub fn now(&self) -> (u64, u64, &'static str) {
        (self.read.load(Relaxed), self.bytes.load(Relaxed), STEPS[self.step.load(Relaxed)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_tells_how_far_reading_has_come() {
        let watch = Watch::default();
        watch.begin(10);
        watch.note(Step::Decoded(4));
        watch.note(Step::Decoded(6));
        assert_eq!(watch.now(), (10, 10, "reading"));
        watch.note(Step::LayingOut);
        assert_eq!(watch.now(), (10, 10, "laying out"));
        watch.begin(20); // a further process
        assert_eq!(watch.now(), (0, 20, "reading"));
        watch.end();
        assert_eq!(watch.now(), (0, 20, "making the page"));
    }
}
