// SPDX-License-Identifier: Apache-2.0
//! How long workers do what, by looking at them again and again while the program runs. Each look
//! stands for the time since the one before it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::board::{self, Board, STATES};

pub const INTERVAL: Duration = Duration::from_millis(1);
/// Looks between two at the folder, for processes that have begun.
const SCAN: u32 = 16;

#[derive(Default)]
pub struct Samples {
    files: HashMap<PathBuf, File>,
    looks: u32,
    last: Option<Instant>,
    times: HashMap<(u32, usize), [f64; STATES.len()]>,
}

impl Samples {
    pub fn look(&mut self, folder: &Path) {
        if self.files.is_empty() || self.looks % SCAN == 0 {
            self.find_files(folder);
        }
        self.looks = self.looks.wrapping_add(1);
        let now = Instant::now();
        let passed = self.last.replace(now).map_or(INTERVAL, |last| now - last).as_nanos() as f64;
        for file in self.files.values() {
            for (process, worker, state) in states(file) {
                self.times.entry((process, worker)).or_default()[state] += passed;
            }
        }
    }

    fn find_files(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if !self.files.contains_key(&path) {
                self.files.extend(File::open(&path).ok().map(|file| (path, file)));
            }
        }
    }

    /// Fills in the times of workers that have not taken them.
    pub fn fill_in(&self, boards: &mut [Board]) {
        for board in boards.iter_mut().filter(|board| !board.timed) {
            let process = board.process;
            for worker in &mut board.workers {
                worker.ns = self.times.get(&(process, worker.number)).copied().unwrap_or_default();
            }
        }
    }
}

/// Process, worker, and what it does; nothing of a process that is over.
fn states(file: &File) -> Vec<(u32, usize, usize)> {
    let mut header = [0; board::HEADER_BYTES];
    if file.read_exact_at(&mut header, 0).is_err() {
        return Vec::new();
    }
    let Some((process, workers)) = board::running(&header) else { return Vec::new() };
    let mut blocks = vec![0; workers * board::WORKER_BYTES];
    if file.read_exact_at(&mut blocks, board::HEADER_BYTES as u64).is_err() {
        return Vec::new();
    }
    let states = blocks.chunks_exact(board::WORKER_BYTES).enumerate();
    states.filter_map(|(number, block)| Some((process, number, board::state(block)?))).collect()
}
