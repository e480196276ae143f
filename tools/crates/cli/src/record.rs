// SPDX-License-Identifier: Apache-2.0
//! `teff record`: makes room for the recording, runs the program, passes signals on, and says what came of it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, ExitStatus};

use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::SignalsInfo;
use signal_hook::low_level::siginfo::Cause;
use trace::{Record, Recording};

use crate::args::RecordArgs;
use crate::failure::{Failure, Result};
use crate::{launch, units};

pub fn record(args: &RecordArgs) -> Result<ExitCode> {
    let program = &args.command[0];
    let directory = args.output.clone().unwrap_or_else(|| default_name(program));
    let directory = std::path::absolute(&directory).map_err(|error| Failure::io("use", &directory, error))?;
    let mut command = launch::command(&args.command)?;
    make_room(&directory)?;
    command.env("TEFF_TRACE", &directory);
    // Caught before the program starts, so that none is missed; then the child gets its own default actions back.
    let signals = SignalsInfo::<WithOrigin>::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])
        .map_err(|error| Failure::new(format!("cannot catch signals: {error}.")))?;
    let child = command.spawn().map_err(|error| launch::cannot_start(program, &error))?;
    let status = wait(child, signals)?;
    finish(&directory, status)
}

fn default_name(program: &OsStr) -> PathBuf {
    let mut name = Path::new(program).file_name().unwrap_or(program).to_owned();
    name.push(".teff");
    PathBuf::from(name)
}

/// Leaves `directory` free: an earlier recording there goes to `.old`; anything else is the user's, and stays.
fn make_room(directory: &Path) -> Result<()> {
    if fs::symlink_metadata(directory).is_err() || is_empty_directory(directory) {
        return Ok(());
    }
    let mut old = directory.as_os_str().to_owned();
    old.push(".old");
    let old = PathBuf::from(old);
    for place in [directory, &old] {
        if fs::symlink_metadata(place).is_ok() && !trace::is_recording(place) {
            return Err(Failure::new(format!(
                "{} exists and is not a Teff recording, so it is left alone. Move it, or choose another place \
                 with -o DIR.",
                place.display()
            )));
        }
    }
    if old.exists() {
        fs::remove_dir_all(&old).map_err(|error| Failure::io("remove", &old, error))?;
    }
    fs::rename(directory, &old).map_err(|error| Failure::io("move away", directory, error))
}

fn is_empty_directory(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

/// Waits for the program while signals sent to us go on to it.
fn wait(mut child: Child, mut signals: SignalsInfo<WithOrigin>) -> Result<ExitStatus> {
    let pid = Pid::from_raw(child.id() as i32);
    let handle = signals.handle();
    let forwarder = std::thread::spawn(move || {
        for info in signals.forever() {
            // What the terminal sends (Ctrl-C) goes to the whole foreground group: the program has it already.
            if info.cause == Cause::Kernel {
                continue;
            }
            if let Ok(signal) = Signal::try_from(info.signal) {
                let _ = kill(pid, signal); // the program may just have ended
            }
        }
    });
    let status = child.wait();
    handle.close();
    let _ = forwarder.join();
    status.map_err(|error| Failure::new(format!("cannot wait for the program: {error}.")))
}

fn finish(directory: &Path, status: ExitStatus) -> Result<ExitCode> {
    let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    let shown = directory.display();
    if !trace::is_recording(directory) {
        eprintln!(
            "teff: nothing to record: the program (exit status {code}) did not use OpenMP through libgomp.so.1, so \
             there is no {shown}. If it should have, see what `ldd` says of it: libgomp.so.1 must be there (not \
             libomp.so, and not linked statically)."
        );
        return Ok(ExitCode::from(code as u8));
    }
    let recording = Recording::open(directory)?;
    let grains = units::count(count_grains(&recording)?);
    let incomplete = if recording.end.is_none() { " (incomplete)" } else { "" };
    eprintln!("teff: {grains} grains in {shown}{incomplete}. Go on with: teff report {shown}");
    Ok(ExitCode::from(code as u8))
}

fn count_grains(recording: &Recording) -> Result<u64> {
    let mut grains = 0;
    for stream in &recording.streams {
        for entry in stream.reader() {
            grains += u64::from(matches!(entry?.record, Record::Create(_) | Record::Chunk(_)));
        }
    }
    Ok(grains)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::writer::RecordingWriter;

    fn recording(directory: &Path) {
        RecordingWriter::create(directory, 1, &RecordingWriter::plain_meta(1)).unwrap().end(1).unwrap();
    }

    #[test]
    fn the_default_name_is_the_programs() {
        assert_eq!(default_name(OsStr::new("../bin/sort")), Path::new("sort.teff"));
    }

    #[test]
    fn an_earlier_recording_is_moved_and_the_one_before_it_dropped() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("a.teff");
        for _ in 0..3 {
            recording(&directory);
            make_room(&directory).unwrap();
            assert!(!directory.exists());
            assert!(trace::is_recording(&place.path().join("a.teff.old")));
        }
    }

    #[test]
    fn what_is_not_a_recording_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("precious");
        fs::write(&file, "data").unwrap();
        let message = make_room(&file).err().unwrap().to_string();
        assert!(message.contains("not a Teff recording") && message.contains("-o DIR"), "{message}");
        let directory = place.path().join("a.teff");
        recording(&directory);
        fs::write(place.path().join("a.teff.old"), "data").unwrap();
        assert!(make_room(&directory).is_err());
        assert!(trace::is_recording(&directory));
    }
}
