// SPDX-License-Identifier: Apache-2.0
//! The signals that ask a program to end.

use nix::sys::signal::{SigHandler, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::inherited::without_ignored;

pub const END: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Restores the default effect of the signals. For a verb whose program has ended: the remaining
/// work, such as counting what was recorded, may take a while, and the user can interrupt it.
pub fn end_by_signals_again() {
    for number in without_ignored(&END) {
        if let Ok(signal) = Signal::try_from(number) {
            // SAFETY: the default action runs none of our code.
            let _ = unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) };
        }
    }
}
