// SPDX-License-Identifier: Apache-2.0
//! Delays: for how long the threads of one process could have run and had no processor, and what
//! their workers did at that time.
//!
//! The kernel adds a delay to a thread's sum when the delay ends. During the delay the worker
//! cannot change its state. So what the sum has grown by since the sample before belongs to the
//! state of that sample, if the delay was longer than the time between samples.

use std::collections::HashMap;
use std::fs::File;

use super::board::{Board, Look, Running, STATES};
use super::system;

/// Each worker takes a file, and each look some microseconds. Of further workers only the sum is
/// known.
const MOST: usize = 64;

#[derive(Default)]
pub struct Delays {
    workers: HashMap<usize, Worker>,
}

/// A worker with the thread that was seen last.
struct Worker {
    thread: u32,
    file: Option<File>,
    /// At the sample before: what the worker did, and what the kernel said of its thread.
    state: usize,
    kernel: [u64; 2],
    /// In ns, of all threads with this number.
    seen: [f64; STATES.len()],
}

impl Delays {
    pub fn look(&mut self, process: &Running, number: usize, look: &Look) {
        let Some(present) = look.present else { return };
        if self.workers.len() >= MOST && !self.workers.contains_key(&number) {
            return;
        }
        let worker = self.workers.entry(number).or_insert_with(Worker::new);
        if worker.thread != look.thread {
            worker.thread = look.thread;
            worker.file = system::schedule_of(process, look.thread);
            worker.kernel = [present.processor_before, present.delay_before];
            worker.state = look.state;
        }
        worker.ask();
        worker.state = look.state;
    }

    /// Before a board is shown, with its times in each state: completes the times of its threads,
    /// and takes the time without a processor out of the states.
    pub fn fill_in(&mut self, board: &mut Board) {
        let process = board.running.as_ref().filter(|_| board.runs);
        for worker in &mut board.workers {
            let watched = self.workers.get_mut(&worker.number);
            let kernel = match watched.filter(|watched| watched.thread == worker.thread) {
                Some(watched) => Some(watched.ask()),
                None => process
                    .and_then(|process| system::schedule_of(process, worker.thread))
                    .and_then(|file| system::schedule(&file)),
            };
            worker.complete(kernel);
            let seen = self.workers.get(&worker.number).map_or([0.0; STATES.len()], |watched| watched.seen);
            worker.take_out(&seen);
        }
    }
}

impl Worker {
    fn new() -> Self {
        Self { thread: 0, file: None, state: 0, kernel: [0; 2], seen: [0.0; STATES.len()] }
    }

    /// What the kernel says of the thread. A thread that has ended leaves what it said last.
    fn ask(&mut self) -> [u64; 2] {
        if let Some(kernel) = self.file.as_ref().and_then(system::schedule) {
            self.seen[self.state] += kernel[1].saturating_sub(self.kernel[1]) as f64;
            self.kernel = kernel;
        }
        self.kernel
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::Present;
    use super::*;

    #[test]
    fn a_delay_belongs_to_the_state_before_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let says = |text: &str| std::fs::write(file.path(), text).unwrap();
        let mut worker = Worker { file: File::open(file.path()).ok(), state: 1, ..Worker::new() };
        says("100 30 2\n");
        assert_eq!(worker.ask(), [100, 30]);
        worker.state = 0;
        says("150 70 3\n");
        assert_eq!(worker.ask(), [150, 70]);
        assert_eq!(worker.seen, [40.0, 30.0, 0.0, 0.0, 0.0, 0.0]);
        says("");
        assert_eq!(worker.ask(), [150, 70], "it has ended");
    }

    #[test]
    fn few_workers_are_looked_at() {
        let process = Running { process: 0, namespace: 0, started: 0, workers: 1, worker_bytes: 640 };
        let mut delays = Delays::default();
        for number in 0..2 * MOST {
            let present = Some(Present { processor_before: 0, delay_before: 0 });
            delays.look(&process, number, &Look { state: 0, thread: 1 + number as u32, present });
        }
        assert_eq!(delays.workers.len(), MOST);
    }
}
