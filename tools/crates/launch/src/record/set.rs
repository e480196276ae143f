// SPDX-License-Identifier: Apache-2.0
//! `teff record --repeat N --threads LIST`: a set of recordings of one program.
//!
//! The runs on the different numbers of threads are interleaved, so that other load on the machine
//! affects all of them alike. The manifest is written before each run, and again after the run with
//! its outcome. So if `teff record` is interrupted, the runs recorded until then are a set.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use grains::units::{several, time};
use nix::libc;
use recordings::Destination;
use symbols::Kept;
use terminal::signals::end_by_signals_again;
use terminal::{say, shell_word, Failure, Result};
use trace::{Manifest, SetRun, MOST_RUNS, SET_FILE, SET_FILE_BESIDE, SET_FORMAT, SET_VERSION};

use super::run::{nothing_recorded, run, summary};
use crate::args::RecordArgs;
use crate::child::{self, Caught};
use crate::launch;

pub fn record(args: &RecordArgs, destination: &Destination) -> Result<ExitCode> {
    let mut manifest = planned(args);
    let plan = plan(&manifest)?;
    let mut caught = Caught::new()?;
    let mut first_failure = None;
    let mut kept = Kept::default();
    let input = Input::note();
    for (at, &(threads, repeat)) in plan.iter().enumerate() {
        manifest.runs.push(SetRun {
            directory: SetRun::name(threads, repeat),
            threads,
            repeat,
            ..SetRun::default()
        });
        write(destination.directory(), &manifest)?;
        input.rewind();
        let ended = one(args, destination.directory(), &mut manifest, &mut caught);
        // If the program cannot be started at all, nothing is left behind.
        let status = ended.inspect_err(|_| withdraw(destination.directory(), &mut manifest))?;
        say_how_it_went(destination.directory(), &manifest, (at + 1, plan.len()), status, &mut kept);
        if !status.success() {
            first_failure.get_or_insert(status);
        }
        let asked = caught.asked_to_end();
        if let Some(signal) = asked.filter(|_| status.success()) {
            first_failure.get_or_insert(ExitStatus::from_raw(signal));
        }
        let nothing = trace_of_last(args, destination.directory(), &manifest, status);
        manifest.complete = at + 1 == plan.len();
        write(destination.directory(), &manifest)?;
        if asked.is_some() || nothing || (!status.success() && !args.keep_going) {
            break;
        }
    }
    end_by_signals_again();
    conclude(destination.directory(), &mut manifest, plan.len());
    Ok(first_failure.map_or(ExitCode::SUCCESS, child::exit_code))
}

/// The manifest before the first run.
fn planned(args: &RecordArgs) -> Manifest {
    let mut threads = args.threads.clone();
    threads.sort_unstable();
    threads.dedup();
    let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Manifest {
        format: SET_FORMAT.to_owned(),
        version: SET_VERSION,
        command: words.into(),
        start_unix_ns: start.as_nanos() as u64,
        repeat: args.repeat.unwrap_or(1),
        threads,
        complete: false,
        runs: Vec::new(),
    }
}

/// Standard input, if it is a file: each run reads it from the same position.
struct Input(Option<libc::off_t>);

impl Input {
    fn note() -> Self {
        // SAFETY: the calls concern a descriptor, and no memory. For a pipe they fail.
        let at = unsafe { libc::lseek(libc::STDIN_FILENO, 0, libc::SEEK_CUR) };
        Self((at >= 0).then_some(at))
    }

    fn rewind(&self) {
        if let Some(at) = self.0 {
            // SAFETY: as above.
            unsafe { libc::lseek(libc::STDIN_FILENO, at, libc::SEEK_SET) };
        }
    }
}

/// (threads, number of the repeat) of each run, in order.
fn plan(manifest: &Manifest) -> Result<Vec<(Option<u32>, u32)>> {
    let turns: Vec<Option<u32>> = match &*manifest.threads {
        [] => vec![None],
        threads => threads.iter().copied().map(Some).collect(),
    };
    let runs = turns.len() * manifest.repeat as usize;
    if runs > MOST_RUNS {
        return Err(Failure::Usage(format!("{runs} runs are too many: a set takes {MOST_RUNS}.")));
    }
    let round = |repeat| turns.iter().map(move |&threads| (threads, repeat));
    Ok((1..=manifest.repeat).flat_map(round).collect())
}

/// Executes the last run of the manifest, and notes how the program ended.
fn one(args: &RecordArgs, set: &Path, manifest: &mut Manifest, caught: &mut Caught) -> Result<ExitStatus> {
    let noted = manifest.runs.last_mut().expect("a run was added");
    let threads = noted.threads.map(|threads| first_replaced(env::var_os("OMP_NUM_THREADS"), threads));
    let began = Instant::now();
    let command = launch::command(&args.command)?;
    let destination = Destination::make(&set.join(&noted.directory))?;
    let status = run(args, command, &destination, threads, caught)?;
    noted.wall_ns = began.elapsed().as_nanos() as u64;
    noted.exit_status = status.code();
    noted.signal = status.signal();
    Ok(status)
}

/// In a list, the first number is that of the outermost regions.
fn first_replaced(list: Option<OsString>, threads: u32) -> OsString {
    let mut new = threads.to_string().into_bytes();
    let list = list.unwrap_or_default();
    if let Some(comma) = list.as_bytes().iter().position(|&byte| byte == b',') {
        new.extend_from_slice(&list.as_bytes()[comma..]);
    }
    OsString::from_vec(new)
}

fn say_how_it_went(
    set: &Path,
    manifest: &Manifest,
    (number, of): (usize, usize),
    status: ExitStatus,
    kept: &mut Kept,
) {
    let Some(run) = manifest.runs.last() else { return };
    let on =
        run.threads.map_or_else(String::new, |threads| format!(", {}", several(threads.into(), "thread")));
    let how = match (status.code(), status.signal()) {
        (Some(0), _) => String::new(),
        (_, Some(signal)) => format!(", ended by signal {signal}"),
        (code, _) => format!(", exit status {}", code.unwrap_or(1)),
    };
    let directory = set.join(&run.directory);
    let held = if trace::is_recording(&directory) {
        summary(&directory, kept).unwrap_or_else(|failure| failure.to_string())
    } else {
        "nothing recorded".to_owned()
    };
    say(format!("run {number} of {of}{on}: {}{how}; {held}", time(run.wall_ns as f64)));
}

/// If the last run was not recorded, says why and returns true. In that case no other run would be
/// recorded either.
fn trace_of_last(args: &RecordArgs, set: &Path, manifest: &Manifest, status: ExitStatus) -> bool {
    let directory = manifest.runs.last().map(|run| set.join(&run.directory)).unwrap_or_default();
    let nothing = !trace::is_recording(&directory);
    if nothing {
        say(nothing_recorded(&args.command[0], &directory, status));
    }
    nothing
}

/// Removes the last run from the manifest. If no run is left, removes the manifest.
fn withdraw(set: &Path, manifest: &mut Manifest) {
    manifest.runs.pop();
    let done = if manifest.runs.is_empty() {
        fs::remove_file(set.join(SET_FILE)).map_err(|error| Failure::io("remove", set, error))
    } else {
        write(set, manifest)
    };
    if let Err(failure) = done {
        say(failure);
    }
}

/// Completes the set. If there is no recording, there is no set.
fn conclude(set: &Path, manifest: &mut Manifest, planned: usize) {
    let is_there = |run: &&SetRun| trace::is_recording(&set.join(&run.directory));
    let recorded = manifest.runs.iter().filter(is_there).count();
    if recorded == 0 {
        manifest.runs.clear();
        return withdraw(set, manifest);
    }
    let missing = match manifest.runs.len() {
        begun if begun == planned && recorded == planned => String::new(),
        _ => format!(" of {planned} that were asked for"),
    };
    let recorded = several(recorded as u64, "recording");
    let shown = set.display();
    say(format!("{recorded}{missing} in {shown}. Go on with: teff report {}", shell_word(set)));
}

/// Whole, or as it was before.
fn write(set: &Path, manifest: &Manifest) -> Result<()> {
    let (beside, file) = (set.join(SET_FILE_BESIDE), set.join(SET_FILE));
    let text = serde_json::to_string_pretty(manifest).expect("a manifest is JSON");
    let done = fs::write(&beside, text + "\n").and_then(|()| fs::rename(&beside, &file));
    done.map_err(|error| Failure::io("write", &file, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads_take_turns() {
        let manifest = Manifest { repeat: 2, threads: vec![1, 4], ..Manifest::default() };
        let turns = [(Some(1), 1), (Some(4), 1), (Some(1), 2), (Some(4), 2)];
        assert_eq!(plan(&manifest).unwrap(), turns);
        let alone = Manifest { repeat: 2, ..Manifest::default() };
        assert_eq!(plan(&alone).unwrap(), [(None, 1), (None, 2)]);
        let many = Manifest { repeat: 1000, threads: (1..=17).collect(), ..Manifest::default() };
        assert!(plan(&many).unwrap_err().to_string().contains("17000 runs"));
    }

    #[test]
    fn of_a_list_of_numbers_of_threads_the_first_is_replaced() {
        assert_eq!(first_replaced(None, 4), "4");
        assert_eq!(first_replaced(Some("8".into()), 4), "4");
        assert_eq!(first_replaced(Some("8,2,1".into()), 4), "4,2,1");
    }
}
