// SPDX-License-Identifier: Apache-2.0
//! What the system says of a process that still runs.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::board::{Board, Running};

/// Does it live, as far as is known? Of another namespace nothing is.
pub fn may_live(running: &Running) -> bool {
    namespace().is_none_or(|ours| ours != u64::from(running.namespace)) || lives(running.process)
}

fn namespace() -> Option<u64> {
    Some(fs::metadata("/proc/self/ns/pid").ok()?.ino())
}

/// Is there such a process? One that has ended and is not waited for is none.
fn lives(process: u32) -> bool {
    let Ok(words) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    let state = words.rfind(')').and_then(|end| words[end + 1..].trim_start().chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// The context switches so far, which a thread says itself only at its end.
pub fn fill_in_switches(board: &mut Board) {
    for worker in board.workers.iter_mut().filter(|worker| worker.switches.is_none()) {
        let place = format!("/proc/{}/task/{}/status", board.process, worker.thread);
        worker.switches = fs::read_to_string(place).ok().and_then(|status| switches(&status));
    }
}

/// Voluntary ones, and preemptions.
fn switches(status: &str) -> Option<[u64; 2]> {
    let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    Some([value("voluntary_ctxt_switches:")?, value("nonvoluntary_ctxt_switches:")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_lives() {
        assert!(lives(std::process::id()));
        assert!(!lives(u32::MAX));
        let of = |namespace| Running { process: u32::MAX, namespace, workers: 1 };
        assert!(!may_live(&of(namespace().unwrap() as u32)));
        assert!(may_live(&of(0)));
    }

    #[test]
    fn both_kinds_of_switches() {
        let status = "Name:\tsort\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t31\n";
        assert_eq!(switches(status), Some([7, 31]));
        assert_eq!(switches("voluntary_ctxt_switches:\t7\n"), None);
    }
}
