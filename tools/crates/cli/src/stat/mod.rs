// SPDX-License-Identifier: Apache-2.0
//! `teff stat`: runs the program with the embedded monitor on, and prints what it counted.

mod board;
mod events;
mod json;
mod samples;
mod system;
mod text;

use std::fs;
use std::io::{stderr, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::args::{StatArgs, Times};
use crate::console::say;
use crate::failure::{Failure, Result};
use crate::{child, launch, privileges};
use board::Board;
use samples::Samples;

/// What is shown at one moment.
struct Moment<'a> {
    boards: &'a [Board],
    events: &'a [String],
    last: bool,
}

pub fn stat(args: &StatArgs) -> Result<ExitCode> {
    let program = &args.command[0];
    privileges::refuse(program, "counted")?;
    let events = events::chosen(&args.events)?;
    let folder = tempfile::Builder::new().prefix("teff-stat-").tempdir();
    let folder = folder.map_err(|error| Failure::io("make a folder in", &std::env::temp_dir(), error))?;
    let mut command = launch::command(&args.command)?;
    command.env("TEFF_STAT", folder.path());
    command.env("TEFF_STAT_TIMES", if args.times == Times::Exact { "true" } else { "false" });
    command.env_remove("TEFF_STAT_EVENTS");
    if !events.is_empty() {
        let pairs: Vec<_> = events.iter().map(events::Event::pair).collect();
        command.env("TEFF_STAT_EVENTS", pairs.join(","));
    }
    let names: Vec<_> = events.into_iter().map(|event| event.name).collect();
    let output = Output { args, place: args.output.as_deref(), names, samples: Mutex::default() };
    output.clear()?;
    let (end, ended) = mpsc::channel();
    let status = thread::scope(|scope| {
        let (output, folder) = (&output, folder.path());
        scope.spawn(move || output.watch(folder, &ended));
        let status = child::run_to_end(program, &mut command);
        drop(end);
        status
    })?;
    child::end_by_signals_again();
    let boards = output.read_boards(folder.path())?;
    if boards.is_empty() {
        say("nothing to count: the program did not use OpenMP through libgomp.so.1.");
    } else {
        output.show(&Moment { boards: &boards, events: &output.names, last: true })?;
    }
    Ok(child::exit_code(status))
}

struct Output<'a> {
    args: &'a StatArgs,
    place: Option<&'a Path>,
    names: Vec<String>,
    samples: Mutex<Samples>,
}

impl Output<'_> {
    fn read_boards(&self, folder: &Path) -> Result<Vec<Board>> {
        let mut samples = self.samples();
        samples.scan(folder);
        let mut boards = read_boards(folder, &samples)?;
        samples.fill_in(&mut boards);
        boards.iter_mut().filter(|board| board.runs).for_each(system::fill_in_switches);
        Ok(boards)
    }

    fn samples(&self) -> MutexGuard<'_, Samples> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clear(&self) -> Result<()> {
        let Some(place) = self.place else { return Ok(()) };
        fs::write(place, "").map_err(|error| Failure::io("write", place, error))
    }

    /// While the program runs.
    fn watch(&self, folder: &Path, ended: &mpsc::Receiver<()>) {
        let interval = || match self.args.times {
            Times::Sampled => self.samples().interval(),
            Times::Exact => samples::SCAN,
        };
        let mut shown = Instant::now();
        while ended.recv_timeout(interval()) == Err(RecvTimeoutError::Timeout) {
            self.samples().look(folder);
            if self.args.every.is_none_or(|every| shown.elapsed() < every) {
                continue;
            }
            shown = Instant::now();
            // A process that is just beginning is shown the next time.
            let Ok(boards) = self.read_boards(folder) else { continue };
            if boards.is_empty() {
                continue;
            }
            if let Err(failure) = self.show(&Moment { boards: &boards, events: &self.names, last: false }) {
                return say(failure);
            }
        }
    }

    /// What the program prints on standard output stays its own.
    fn show(&self, moment: &Moment) -> Result<()> {
        let text = if self.args.json { json::line(moment) } else { text::render(moment) };
        let fail = |place: &Path, error| Failure::io("write", place, error);
        let Some(place) = self.place else {
            return stderr()
                .write_all(text.as_bytes())
                .map_err(|error| fail("standard error".as_ref(), error));
        };
        let file = fs::OpenOptions::new().append(true).open(place);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| fail(place, error))
    }
}

/// In order of their begin. A process that has done nothing but fork is left out.
fn read_boards(folder: &Path, samples: &Samples) -> Result<Vec<Board>> {
    let fail = |error| Failure::io("read", folder, error);
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        paths.push(entry.map_err(fail)?.path());
    }
    let mut boards = Vec::new();
    for path in paths {
        let bytes = fs::read(&path).map_err(|error| Failure::io("read", &path, error))?;
        boards.extend(read_board(&bytes, samples).filter(Board::has_something));
    }
    boards.sort_by_key(|board| (board.start_ns, board.process));
    Ok(boards)
}

fn read_board(bytes: &[u8], samples: &Samples) -> Option<Board> {
    let running = board::running(bytes);
    let end = running.as_ref().and_then(|running| samples.end_of(running.process));
    let mut board = Board::read(bytes, end.unwrap_or_else(board::now))?;
    board.runs = end.is_none() && running.is_some();
    Some(board)
}

/// `1s`, `500ms`, `2m`, or a number of seconds.
pub fn interval(text: &str) -> std::result::Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        _ => return Err("a time is a number with ms, s or m behind it, as in 1s".to_owned()),
    };
    let value: f64 = number.parse().map_err(|_| "a time begins with a number, as in 1s".to_owned())?;
    let wanted = value * seconds;
    if (0.01..=86_400.0).contains(&wanted) {
        Ok(Duration::from_secs_f64(wanted))
    } else {
        Err("it has to be from 10 ms to a day".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_units() {
        assert_eq!(interval("1s"), Ok(Duration::from_secs(1)));
        assert_eq!(interval("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(interval("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(interval("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "s", "1h", "0s", "-1s", "1ms", "1e9s"] {
            assert!(interval(wrong).is_err(), "{wrong}");
        }
    }
}
