// SPDX-License-Identifier: Apache-2.0
//! Remembers whether a part is missing of what the figures of this program rest on: its exit
//! status says so, whatever the verb. A run that was left out of a set is no such part. Any thread
//! may note and ask.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Of a verb that has done its work with recordings of which a part is missing.
const STATUS: u8 = 3;

static SOME_PART_IS_MISSING: AtomicBool = AtomicBool::new(false);

pub fn note_missing_part() {
    SOME_PART_IS_MISSING.store(true, Ordering::Relaxed);
}

/// The status of the whole program, when the verb has succeeded with this one.
pub fn exit_code(verb: ExitCode) -> ExitCode {
    if verb == ExitCode::SUCCESS && SOME_PART_IS_MISSING.load(Ordering::Relaxed) {
        ExitCode::from(STATUS)
    } else {
        verb
    }
}
