// SPDX-License-Identifier: Apache-2.0
//! How long workers do what, by looking at them again and again while the program runs. Each look
//! stands for the time since the one before it. And when a process was killed, which its file
//! cannot say.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::board::{self, Board, STATES};
use super::system;

const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(10);
/// A process is looked at so often before looks grow rarer: each costs the machine some 25 us.
const LOOKS: u32 = 250;
/// Between two looks at the folder, for processes that have begun, and at whether they live.
pub const SCAN: Duration = Duration::from_millis(16);

#[derive(Default)]
pub struct Samples {
    files: HashMap<PathBuf, Watched>,
    scanned: Option<Instant>,
    last: Option<Instant>,
    newest: Option<Instant>, // when a process was new
    times: HashMap<(u32, usize), [f64; STATES.len()]>,
    ends: HashMap<u32, board::Instant>,
}

struct Watched {
    file: File,
    dead: bool,
}

impl Samples {
    /// Until the next look.
    pub fn interval(&self) -> Duration {
        self.newest.map_or(SHORTEST, |newest| interval_at(newest.elapsed()))
    }

    pub fn look(&mut self, folder: &Path) {
        let now = Instant::now();
        if self.files.is_empty() || self.scanned.is_none_or(|scanned| now - scanned >= SCAN) {
            self.scan(folder);
        }
        let passed = self.last.replace(now).map_or(SHORTEST, |last| now - last).as_nanos() as f64;
        for watched in self.files.values().filter(|watched| !watched.dead) {
            for (process, worker, state) in states(&watched.file) {
                self.times.entry((process, worker)).or_default()[state] += passed;
            }
        }
    }

    /// Looks for processes that have begun, and for those that have died.
    pub fn scan(&mut self, folder: &Path) {
        self.scanned = Some(Instant::now());
        self.find_files(folder);
        self.find_dead();
    }

    fn find_files(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if !self.files.contains_key(&path) {
                let opened = File::open(&path).ok();
                self.newest = Some(Instant::now());
                self.files.extend(opened.map(|file| (path, Watched { file, dead: false })));
            }
        }
    }

    fn find_dead(&mut self) {
        for watched in self.files.values_mut().filter(|watched| !watched.dead) {
            let Some(running) = running(&watched.file) else { continue };
            watched.dead = !system::may_live(&running);
            if watched.dead {
                self.ends.insert(running.process, board::now());
            }
        }
    }

    /// When a process that has not said that it ends was found dead; None: it may be there still.
    pub fn end_of(&self, process: u32) -> Option<board::Instant> {
        self.ends.get(&process).copied()
    }

    /// Fills in the times of workers that have not taken them. A look may stand for more time than
    /// a process had.
    pub fn fill_in(&self, boards: &mut [Board]) {
        for board in boards.iter_mut().filter(|board| !board.timed) {
            let process = board.process;
            for worker in &mut board.workers {
                let ns = self.times.get(&(process, worker.number)).copied().unwrap_or_default();
                let scale = (board.wall_ns as f64 / ns.iter().sum::<f64>()).min(1.0); // of 0: 1
                worker.ns = ns.map(|ns| ns * scale);
            }
        }
    }
}

/// By the age of the youngest process.
fn interval_at(age: Duration) -> Duration {
    (age / LOOKS).clamp(SHORTEST, LONGEST)
}

fn running(file: &File) -> Option<board::Running> {
    let mut header = [0; board::HEADER_BYTES];
    file.read_exact_at(&mut header, 0).ok()?;
    board::running(&header)
}

/// Process, worker, and what it does; nothing of a process that is over.
fn states(file: &File) -> Vec<(u32, usize, usize)> {
    let Some(board::Running { process, workers, .. }) = running(file) else { return Vec::new() };
    let mut blocks = vec![0; workers * board::WORKER_BYTES];
    if file.read_exact_at(&mut blocks, board::HEADER_BYTES as u64).is_err() {
        return Vec::new();
    }
    let states = blocks.chunks_exact(board::WORKER_BYTES).enumerate();
    states.filter_map(|(number, block)| Some((process, number, board::state(block)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_grow_rarer() {
        let at = |ms| interval_at(Duration::from_millis(ms)).as_micros();
        assert_eq!(
            [at(0), at(250), at(1_000), at(2_500), at(100_000)],
            [1_000, 1_000, 4_000, 10_000, 10_000]
        );
    }

    #[test]
    fn a_new_process_is_looked_at_often() {
        let folder = tempfile::tempdir().unwrap();
        let mut samples =
            Samples { newest: Instant::now().checked_sub(LONGEST * LOOKS), ..Samples::default() };
        assert_eq!(samples.interval(), LONGEST);
        fs::write(folder.path().join("board"), "").unwrap();
        samples.look(folder.path());
        assert_eq!(samples.interval(), SHORTEST);
    }
}
