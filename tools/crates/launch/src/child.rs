// SPDX-License-Identifier: Apache-2.0
//! The program as a child process, for the verbs that wait until it ends. Signals are passed on to
//! it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};

use nix::sys::signal::{kill, SigSet, SigmaskHow, Signal};
use nix::unistd::{getpgid, getpgrp, Pid};
use signal_hook::consts::{SIGCHLD, SIGUSR1, SIGUSR2};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::SignalsInfo;
use signal_hook::low_level::siginfo::{Cause, Origin};
use terminal::inherited::without_ignored;
use terminal::signals::END;
use terminal::{Failure, Result};

use crate::launch;

/// Starts the program, passes signals on, and waits for its end.
pub fn run_to_end(program: &OsStr, command: &mut Command) -> Result<ExitStatus> {
    Caught::new()?.run_to_end(program, command)
}

/// Catches the signals that are sent to us from now on, and passes them on to the running program,
/// if there is one.
pub struct Caught {
    signals: SignalsInfo<WithOrigin>,
    asked_to_end: Option<i32>,
}

impl Caught {
    pub fn new() -> Result<Self> {
        let signals = signals().map_err(|error| Failure::cannot("catch signals", error))?;
        Ok(Self { signals, asked_to_end: None })
    }

    /// Signals are caught before the program starts, so that none is missed. In the program, their
    /// default actions are restored.
    pub fn run_to_end(&mut self, program: &OsStr, command: &mut Command) -> Result<ExitStatus> {
        let child = spawn(command).map_err(|error| launch::cannot_start(program, error))?;
        self.wait(child)
    }

    /// The signal that asked us or the program to end, if there was one.
    pub fn asked_to_end(&mut self) -> Option<i32> {
        let pending: Vec<Origin> = self.signals.pending().collect();
        for info in &pending {
            self.note(info);
        }
        self.asked_to_end
    }

    /// Waits for the program, and passes on to it the signals that are sent to us meanwhile.
    fn wait(&mut self, mut child: Child) -> Result<ExitStatus> {
        let fail = |error| Failure::cannot("wait for the program", error);
        let pid = Pid::from_raw(child.id() as i32);
        loop {
            if let Some(status) = child.try_wait().map_err(fail)? {
                return Ok(status);
            }
            let came: Vec<Origin> = self.signals.wait().collect();
            for info in came {
                self.note(&info);
                pass_on(&info, pid);
            }
        }
    }

    fn note(&mut self, info: &Origin) {
        if END.contains(&info.signal) {
            self.asked_to_end = Some(info.signal);
        }
    }
}

/// The program's exit code, or 128 + n if signal n ended the program.
pub fn status_of_shells(status: ExitStatus) -> u8 {
    status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1) as u8
}

pub fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status_of_shells(status))
}

/// The signals that are passed on, and the signal that reports the program's end.
fn signals() -> io::Result<SignalsInfo<WithOrigin>> {
    let others = without_ignored(&[SIGUSR1, SIGUSR2]);
    SignalsInfo::new(without_ignored(&END).chain(others).chain([SIGCHLD]))
}

/// Starts the program with signals blocked. Otherwise a signal that arrives in the new process
/// before the program has its own actions would be handled by ours, and be lost.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let child = command.spawn();
    before.thread_set_mask()?;
    child
}

fn pass_on(info: &Origin, pid: Pid) {
    // The terminal sends its signals (Ctrl-C) to the whole foreground group. So the program has
    // already got the signal, unless it has made a separate group, as `timeout` does.
    let has_it = info.cause == Cause::Kernel && getpgid(Some(pid)) == Ok(getpgrp());
    if info.signal == SIGCHLD || has_it {
        return;
    }
    if let Ok(signal) = Signal::try_from(info.signal) {
        let _ = kill(pid, signal); // the program may just have ended
    }
}
