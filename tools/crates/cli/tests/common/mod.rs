// SPDX-License-Identifier: Apache-2.0
//! Functions that the tests of the program share.
#![allow(dead_code)] // each test uses a part

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;

pub const TIME_OUT: Duration = Duration::from_secs(60);

/// `teff WORDS` in `place`, which also holds the runtime, if there is one.
pub fn teff(place: &Path, words: &[&str]) -> Output {
    finish(&mut command(place, words))
}

pub fn command(place: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_teff"));
    command.current_dir(place).args(words).env("TEFF_LIB", place).stdin(Stdio::null());
    command
}

/// Copies a program, by a process of its own. A file that this process has open for writing cannot
/// be run; another test's child, forked meanwhile, would have the file open until it runs its own
/// program.
pub fn copy_program(from: &str, to: &Path) {
    assert!(Command::new("cp").arg(from).arg(to).status().unwrap().success());
}

/// What the command printed and how it ended; one that does not end has failed.
pub fn finish(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_raw(child.id() as i32);
    let (give, take) = mpsc::channel();
    thread::spawn(move || give.send(child.wait_with_output()));
    let Ok(output) = take.recv_timeout(TIME_OUT) else {
        kill(pid, Signal::SIGKILL).unwrap();
        panic!("no end after {TIME_OUT:?}: {command:?}");
    };
    output.unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub fn mkfifo(path: &Path) {
    nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap();
}
