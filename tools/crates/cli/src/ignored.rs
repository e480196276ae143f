// SPDX-License-Identifier: Apache-2.0
//! Signals that we were started to ignore (`nohup`, `&` in a script). Who asked for that does not
//! expect us, or the program that we start, to obey them.

use std::fs;

/// Those of `signals` that are not ignored.
pub fn without_ignored(signals: &[i32]) -> impl Iterator<Item = i32> + '_ {
    let ignored = ignored();
    signals.iter().copied().filter(move |signal| ignored >> (signal - 1) & 1 == 0)
}

/// As a set of bits, from the lowest for signal 1.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
}
