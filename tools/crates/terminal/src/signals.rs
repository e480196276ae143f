// SPDX-License-Identifier: Apache-2.0
//! The signals that ask a program to end.

use nix::sys::signal::{SigHandler, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::inherited::without_ignored;

pub const END: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// They do again what they do by default. For a verb whose program has ended: what is left, as to
/// count what was recorded, may take a while, and can be broken off.
pub fn end_by_signals_again() {
    for number in without_ignored(&END) {
        if let Ok(signal) = Signal::try_from(number) {
            // SAFETY: the default action runs no code of ours.
            let _ = unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) };
        }
    }
}
