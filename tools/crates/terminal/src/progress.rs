// SPDX-License-Identifier: Apache-2.0
//! Progress of a long step, on a terminal only.

use std::io::stderr;
use std::time::Duration;

use grains::Step;
use indicatif::{ProgressBar, ProgressStyle};

use crate::console::is_capable;
use crate::unfinished::show;

fn bar(length: u64, template: &'static str, message: &'static str) -> ProgressBar {
    let bar = if is_capable(&stderr()) { ProgressBar::new(length) } else { ProgressBar::hidden() };
    if !bar.is_hidden() {
        show(&bar);
    }
    bar.set_style(ProgressStyle::with_template(template).expect("templates are constant"));
    bar.set_message(message);
    bar
}

/// A bar over the bytes of a recording.
pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(bytes: u64) -> Self {
        Self(bar(bytes, "{msg:16} {wide_bar} {bytes}/{total_bytes}", "reading"))
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

/// A bar over runs of a model. It is not known how long a run takes, so the bar also shows the
/// elapsed time.
pub struct Runs(ProgressBar);

impl Runs {
    pub fn new(runs: u64) -> Self {
        let bar = bar(runs, "{msg:16} {wide_bar} {pos} of {len} runs, {elapsed}", "modelling");
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    pub fn finish_one(&self) {
        self.0.inc(1);
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
