// SPDX-License-Identifier: Apache-2.0
//! `teff stat`: runs the program with the embedded monitor on, and prints what it counted.

mod board;
mod bytes;
mod delays;
mod folder;
mod json;
mod late;
mod moment;
mod place;
mod priorities;
mod samples;
mod system;
mod text;

use std::io::{stderr, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use terminal::signals::end_by_signals_again;
use terminal::{say, Failure, Result};

use crate::args::{StatArgs, Times};
use crate::unreached::Unreached;
use crate::{child, events, launch, privileges};
use board::Board;
use folder::Folder;
use moment::Moment;
use place::Place;
use samples::Samples;

pub fn stat(args: &StatArgs) -> Result<ExitCode> {
    let program = &args.command[0];
    privileges::refuse(program, "counted")?;
    let events = events::of_threads(&args.events)?;
    let folder =
        Folder::make().map_err(|error| Failure::io("make a folder in", &std::env::temp_dir(), error))?;
    let mut command = launch::command(&args.command)?;
    command.env("TEFF_STAT", folder.path());
    command.env("TEFF_STAT_TIMES", if args.times == Times::Exact { "true" } else { "false" });
    command.env_remove("TEFF_STAT_EVENTS");
    if !events.is_empty() {
        let pairs: Vec<_> = events.iter().map(events::Event::pair).collect();
        command.env("TEFF_STAT_EVENTS", pairs.join(","));
    }
    let names: Vec<_> = events.into_iter().map(|event| event.name).collect();
    let place = args.output.as_deref().map(Place::open).transpose()?;
    let output = Output { args, place, names, samples: Mutex::default() };
    let (end, ended) = mpsc::channel();
    let status = thread::scope(|scope| {
        let (output, folder) = (&output, folder.path());
        scope.spawn(move || output.watch(folder, &ended));
        let status = child::run_to_end(program, &mut command);
        drop(end);
        status
    })?;
    end_by_signals_again();
    // A failure of the program takes precedence over an error in writing the tables.
    match output.end(folder.path()) {
        Err(failure) if status.success() => Err(failure),
        Err(failure) => {
            say(failure);
            Ok(child::exit_code(status))
        }
        Ok(true) => Ok(child::exit_code(status)),
        Ok(false) => Ok(Unreached::of(program).exit_code(status)),
    }
}

struct Output<'a> {
    args: &'a StatArgs,
    place: Option<Place<'a>>,
    names: Vec<String>,
    samples: Mutex<Samples>,
}

impl Output<'_> {
    /// Called when the program has ended. Returns false if nothing was counted.
    fn end(&self, folder: &Path) -> Result<bool> {
        let boards = self.read_boards(folder);
        if !boards.is_empty() {
            self.show(&Moment { boards: &boards, events: &self.names, last: true })?;
            return Ok(true);
        }
        let unwritten = self.place.as_ref().and_then(Place::unwritten);
        let file = unwritten.map(|path| format!(" Nothing was written to {}.", path.display()));
        let program = &self.args.command[0];
        if let Some(version) = unknown_version(folder) {
            say(format!(
                "nothing was counted: the program used a library of another version of Teff, whose counters have \
                 version {version}, which this teff cannot read.{}",
                file.unwrap_or_default()
            ));
            return Ok(false);
        }
        let why = match Unreached::of(program) {
            Unreached::Unknown => {
                "the program did not use OpenMP through libgomp or libomp, or could not write to the folder for \
                                   temporary files."
                    .to_owned()
            }
            known => known.words(program),
        };
        say(format!("nothing was counted: {why}{}", file.unwrap_or_default()));
        Ok(false)
    }

    fn read_boards(&self, folder: &Path) -> Vec<Board> {
        let mut samples = self.samples();
        samples.scan(folder);
        let mut boards = read_boards(folder, &mut samples);
        boards.iter_mut().filter(|board| board.runs).for_each(system::fill_in_switches);
        boards
    }

    fn samples(&self) -> MutexGuard<'_, Samples> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// While the program runs.
    fn watch(&self, folder: &Path, ended: &mpsc::Receiver<()>) {
        let mut shown = Instant::now();
        let mut interval = self.samples().interval();
        while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
            let mut samples = self.samples();
            samples.look(folder, interval);
            interval = samples.interval();
            drop(samples);
            if self.args.every.is_none_or(|every| shown.elapsed() < every) {
                continue;
            }
            shown = Instant::now();
            let boards = self.read_boards(folder);
            if boards.is_empty() {
                continue;
            }
            if let Err(failure) = self.show(&Moment { boards: &boards, events: &self.names, last: false }) {
                return say(failure);
            }
        }
    }

    /// Standard output contains only what the program prints.
    fn show(&self, moment: &Moment) -> Result<()> {
        let text = if self.args.json { json::line(moment) } else { text::render(moment) };
        match &self.place {
            Some(place) => place.write(&text),
            None => stderr()
                .write_all(text.as_bytes())
                .map_err(|error| Failure::io("write", "standard error".as_ref(), error)),
        }
    }
}

/// The version of a file of counters that cannot be read.
fn unknown_version(folder: &Path) -> Option<u32> {
    let read = |path: PathBuf| trace::read_regular(&path, board::MOST_BYTES).ok();
    board::files(folder).filter_map(read).find_map(|bytes| board::unknown_version(&bytes))
}

/// In the order in which the processes began. A process that has done nothing but fork is left out.
fn read_boards(folder: &Path, samples: &mut Samples) -> Vec<Board> {
    let read = |path: PathBuf| {
        let mut board =
            read_board(&trace::read_regular(&path, board::MOST_BYTES).ok()?, samples.end_of(&path))?;
        samples.fill_in(&path, &mut board);
        Some(board)
    };
    let mut boards: Vec<_> = board::files(folder).filter_map(read).filter(Board::has_something).collect();
    boards.sort_by_key(|board| (board.start_ns, board.process));
    boards
}

fn read_board(bytes: &[u8], end: Option<board::Instant>) -> Option<Board> {
    let mut board = Board::read(bytes, end.unwrap_or_else(board::now))?;
    board.runs = end.is_none() && board::running(bytes).is_some();
    Some(board)
}
