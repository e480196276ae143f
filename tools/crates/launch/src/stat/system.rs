// SPDX-License-Identifier: Apache-2.0
//! Reads what the system says of a running process.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};

use super::board::{Board, Running};

/// Returns false if the process is known to be dead. Nothing is known about processes in other
/// namespaces.
pub fn may_live(running: &Running) -> bool {
    namespace().is_none_or(|ours| ours != u64::from(running.namespace)) || lives(running)
}

fn namespace() -> Option<u64> {
    Some(fs::metadata("/proc/self/ns/pid").ok()?.ino())
}

/// Whether the process is alive. A process that has ended but has not been waited for is not alive.
/// A later process with the same number does not count.
fn lives(running: &Running) -> bool {
    const STATE: usize = 0;
    const STARTED: usize = 19;
    let Ok(line) = fs::read_to_string(format!("/proc/{}/stat", running.process)) else { return false };
    let words: Vec<_> = line.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let state = words.get(STATE).copied().unwrap_or("X");
    let started = words.get(STARTED).and_then(|word| word.parse().ok());
    !matches!(state, "Z" | "X") && (running.started == 0 || started == Some(running.started))
}

/// The file in which the kernel says for how long a thread had a processor, and had none. None:
/// there is no such file, or the process's number means another process here.
pub fn schedule_of(process: &Running, thread: u32) -> Option<File> {
    let same = namespace().is_some_and(|ours| ours == u64::from(process.namespace));
    let place = format!("/proc/{}/task/{thread}/schedstat", process.process);
    same.then(|| File::open(place).ok()).flatten()
}

/// For how long the thread had a processor, and for how long it could have run and had none. In ns.
pub fn schedule(file: &File) -> Option<[u64; 2]> {
    let mut bytes = [0; 80];
    let length = file.read_at(&mut bytes, 0).ok()?;
    let mut words = std::str::from_utf8(&bytes[..length]).ok()?.split_whitespace();
    let mut next = || words.next()?.parse().ok();
    Some([next()?, next()?])
}

/// The context switches so far, which a thread says itself only at its end.
pub fn fill_in_switches(board: &mut Board) {
    for worker in board.workers.iter_mut().filter(|worker| worker.switches.is_none()) {
        let place = format!("/proc/{}/task/{}/status", board.process, worker.thread);
        let now = fs::read_to_string(place).ok().and_then(|status| switches(&status));
        let former = worker.former_switches;
        worker.switches = now.map(|[voluntary, forced]| [former[0] + voluntary, former[1] + forced]);
    }
}

/// The numbers of voluntary and of involuntary context switches.
fn switches(status: &str) -> Option<[u64; 2]> {
    let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    Some([value("voluntary_ctxt_switches:")?, value("nonvoluntary_ctxt_switches:")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_lives() {
        let of = |process, namespace, started| Running {
            process,
            namespace,
            started,
            workers: 1,
            worker_bytes: 640,
        };
        let ours = namespace().unwrap() as u32;
        assert!(may_live(&of(std::process::id(), ours, 0)));
        assert!(!may_live(&of(std::process::id(), ours, 1)), "another that had the number");
        assert!(!may_live(&of(u32::MAX, ours, 0)));
        assert!(may_live(&of(u32::MAX, 0, 0)));
    }

    #[test]
    fn the_kernel_says_how_long_a_thread_had_a_processor() {
        let process = std::process::id();
        let ours = namespace().unwrap() as u32;
        let of = |namespace| Running { process, namespace, started: 0, workers: 1, worker_bytes: 640 };
        let [had, _] = schedule(&schedule_of(&of(ours), process).unwrap()).unwrap();
        assert!(had > 0);
        assert!(schedule_of(&of(ours + 1), process).is_none(), "there the number means another thread");
    }

    #[test]
    fn both_kinds_of_switches() {
        let status = "Name:\tsort\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t31\n";
        assert_eq!(switches(status), Some([7, 31]));
        assert_eq!(switches("voluntary_ctxt_switches:\t7\n"), None);
    }
}
