// SPDX-License-Identifier: Apache-2.0
//! Samples the workers' states while the program runs, to estimate how long workers are in each
//! state: a sample stands for the time since the previous sample. Samples also the time for which
//! each worker's thread had no processor (`delays`), to learn in which state that was. Also notes
//! when a process was killed, which the process's file cannot show.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::board::{self, Board, Look, Running, STATES};
use super::delays::Delays;
use super::late::Late;
use super::system;

const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(10);
/// The number of samples of a process before samples become rarer. Each sample costs the machine
/// some 25 us.
const LOOKS: u32 = 250;
/// The time between two checks of the folder for new processes, and of whether the known processes
/// are alive.
pub const SCAN: Duration = Duration::from_millis(16);

#[derive(Default)]
pub struct Samples {
    files: HashMap<PathBuf, Watched>,
    scanned: Option<Instant>,
    last: Option<Instant>,
    newest: Option<Instant>, // when a process was new
}

/// A process, by its file.
#[derive(Default)]
struct Watched {
    file: Option<File>, // None: there is no more to be seen
    times: HashMap<usize, [f64; STATES.len()]>,
    delays: Delays,
    late: Late,
    end: Option<board::Instant>,
    shown: Option<Board>, // last
}

impl Samples {
    /// The time until the next sample.
    pub fn interval(&self) -> Duration {
        self.newest.map_or(SHORTEST, |newest| interval_at(newest.elapsed()))
    }

    /// `asked`: the time that was to pass since the sample before.
    pub fn look(&mut self, folder: &Path, asked: Duration) {
        let now = Instant::now();
        if self.files.is_empty() || self.scanned.is_none_or(|scanned| now - scanned >= SCAN) {
            self.scan(folder);
        }
        let passed = self.last.replace(now).map_or(SHORTEST, |last| now - last);
        for watched in self.files.values_mut() {
            watched.look(passed, asked);
        }
    }

    /// Looks for processes that have begun, and for those that have ended.
    pub fn scan(&mut self, folder: &Path) {
        self.scanned = Some(Instant::now());
        self.find_files(folder);
        self.files.values_mut().for_each(Watched::find_end);
    }

    fn find_files(&mut self, folder: &Path) {
        for path in board::files(folder) {
            if !self.files.contains_key(&path) {
                let file = trace::open_regular(&path).ok();
                self.newest = Some(Instant::now());
                self.files.insert(path, Watched { file, ..Watched::default() });
            }
        }
    }

    /// When a process that did not end normally was found to be dead. None: it may still be alive.
    pub fn end_of(&self, file: &Path) -> Option<board::Instant> {
        self.files.get(file)?.end
    }

    /// Called before a board is shown: fills in the times of workers that do not measure them.
    pub fn fill_in(&mut self, file: &Path, board: &mut Board) {
        let Some(watched) = self.files.get_mut(file) else { return };
        if !board.timed {
            watched.fill_in(board);
        }
        watched.delays.fill_in(board);
        board.late = watched.late;
        if let Some(shown) = &watched.shown {
            board.go_on_from(shown);
        }
        watched.shown = Some(board.clone());
    }
}

impl Watched {
    fn look(&mut self, passed: Duration, asked: Duration) {
        let Some((process, looks)) = self.file.as_ref().and_then(looks) else { return };
        self.late.add(passed, asked);
        for (worker, look) in looks {
            self.times.entry(worker).or_default()[look.state] += passed.as_nanos() as f64;
            self.delays.look(&process, worker, &look);
        }
    }

    /// A sample may represent more time than the process has run.
    fn fill_in(&self, board: &mut Board) {
        for worker in &mut board.workers {
            let ns = self.times.get(&worker.number).copied().unwrap_or_default();
            let scale = (board.wall_ns as f64 / ns.iter().sum::<f64>()).min(1.0); // of 0: 1
            worker.ns = ns.map(|ns| (ns * scale) as u64);
        }
    }

    /// Closes the files of processes that have ended in any way, because there may be thousands of
    /// them.
    fn find_end(&mut self) {
        let Some(header) = self.file.as_ref().and_then(header) else { return };
        if let Some(running) = board::running(&header) {
            if !system::may_live(&running) {
                self.end = Some(board::now());
                self.file = None;
            }
        } else if board::has_ended(&header) {
            self.file = None;
        }
    }
}

/// Depends on the age of the youngest process.
fn interval_at(age: Duration) -> Duration {
    (age / LOOKS).clamp(SHORTEST, LONGEST)
}

fn header(file: &File) -> Option<[u8; board::HEADER_BYTES]> {
    let mut header = [0; board::HEADER_BYTES];
    file.read_exact_at(&mut header, 0).ok()?;
    Some(header)
}

/// What each worker does, by its number. None: the process is over.
fn looks(file: &File) -> Option<(Running, Vec<(usize, Look)>)> {
    let running = board::running(&header(file)?)?;
    let mut blocks = vec![0; running.workers * running.worker_bytes];
    file.read_exact_at(&mut blocks, board::HEADER_BYTES as u64).ok()?;
    let blocks = blocks.chunks_exact(running.worker_bytes).enumerate();
    let looks = blocks.filter_map(|(number, block)| Some((number, board::look(block)?))).collect();
    Some((running, looks))
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        samples.look(folder.path(), LONGEST);
        assert_eq!(samples.interval(), SHORTEST);
    }
}
