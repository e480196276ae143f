// SPDX-License-Identifier: Apache-2.0
//! Progress of a long step, on a terminal only.

use std::io::stderr;

use grains::Step;
use indicatif::{ProgressBar, ProgressStyle};

use crate::console::is_capable;

/// A bar over the bytes of a recording.
pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(bytes: u64) -> Self {
        let bar = if is_capable(&stderr()) { ProgressBar::new(bytes) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{msg:16} {wide_bar} {bytes}/{total_bytes}");
        bar.set_style(style.expect("the template is constant"));
        bar.set_message("reading");
        Self(bar)
    }

    pub fn step(&self, step: Step) {
        match step {
            Step::Decoded(bytes) => self.0.inc(bytes),
            Step::Assembling => self.0.set_message("sorting grains"),
            Step::LayingOut => self.0.set_message("laying out"),
            Step::FindingSpan => self.0.set_message("finding the span"),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
