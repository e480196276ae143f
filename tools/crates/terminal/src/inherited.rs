// SPDX-License-Identifier: Apache-2.0
//! The signals and descriptors with which this process was started, and how a program that this
//! process starts gets the same. A program that only helps this process ends together with this
//! process instead.
//!
//! The caller of `teff` may have signals ignored (`nohup`, `&` in a script, a service of systemd),
//! signals blocked, and standard descriptors closed. Rust's runtime ignores SIGPIPE and opens
//! /dev/null on closed standard descriptors before `main`; `teff record` catches signals. So the
//! loader calls [`note`] before all of that, and [`pass_on`] restores for a program what was noted.
//! After [`note`] nothing here is written, so any thread may read it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nix::libc;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{getpid, getppid};

/// A set of numbers from 1 to 64, the lowest bit for 1.
struct Set(AtomicU64);

impl Set {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    fn put(&self, number: i32, is_in: bool) {
        self.0.fetch_or(u64::from(is_in) << (number - 1), Relaxed);
    }

    fn has(&self, number: i32) -> bool {
        self.0.load(Relaxed) >> (number - 1) & 1 == 1
    }
}

static IGNORED: Set = Set::new();
static BLOCKED: Set = Set::new();
/// The closed descriptors among 0 to 2, each as its number + 1.
static CLOSED: Set = Set::new();

const SIGNALS: std::ops::RangeInclusive<i32> = 1..=64;
const STANDARD_DESCRIPTORS: std::ops::Range<i32> = 0..3;

/// The loader calls the functions in this section before `main`.
#[used]
#[link_section = ".init_array"]
static BEFORE_MAIN: extern "C" fn() = note;

extern "C" fn note() {
    // SAFETY: the calls write only to memory that we own, and do not need Rust's runtime.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut mask);
        for signal in SIGNALS {
            let mut action: libc::sigaction = std::mem::zeroed();
            let known = libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0;
            IGNORED.put(signal, known && action.sa_sigaction == libc::SIG_IGN);
            BLOCKED.put(signal, libc::sigismember(&raw const mask, signal) == 1);
        }
        for descriptor in STANDARD_DESCRIPTORS {
            CLOSED.put(descriptor + 1, libc::fcntl(descriptor, libc::F_GETFD) == -1);
        }
    }
}

/// Those of `signals` that we have not ignored since our start. A caller that made us ignore a
/// signal does not expect us to obey it.
pub fn without_ignored(signals: &[i32]) -> impl Iterator<Item = i32> + '_ {
    signals.iter().copied().filter(|&signal| !IGNORED.has(signal))
}

/// Whether output to standard output is lost without an error.
pub fn has_no_output() -> bool {
    CLOSED.has(libc::STDOUT_FILENO + 1)
}

/// The program will start as it would if it were started in our place.
pub fn pass_on(command: &mut Command) {
    // SAFETY: between fork and exec `restore` calls only what a signal handler may call.
    unsafe { command.pre_exec(restore) };
}

/// The mask is restored last: a signal that is pending by then has the effect that it would have on
/// the program.
#[allow(clippy::unnecessary_wraps, reason = "pre_exec wants it")]
fn restore() -> io::Result<()> {
    // SAFETY: none of the calls allocates or takes a lock.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        for signal in SIGNALS {
            // Fails for signals that no program can set: SIGKILL, SIGSTOP and the C library's own.
            libc::signal(signal, if IGNORED.has(signal) { libc::SIG_IGN } else { libc::SIG_DFL });
            if BLOCKED.has(signal) {
                libc::sigaddset(&raw mut mask, signal);
            }
        }
        for descriptor in STANDARD_DESCRIPTORS.filter(|descriptor| CLOSED.has(descriptor + 1)) {
            libc::close(descriptor);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const mask, std::ptr::null_mut());
    }
    Ok(())
}

/// For programs that we start for ourselves: the program ends together with the thread that starts
/// it, however that thread ends.
pub fn end_with_us(command: &mut Command) {
    let parent = getpid();
    let bind = move || {
        set_pdeathsig(Signal::SIGKILL)?;
        // If the parent has already ended, no signal arrives.
        if getppid() == parent {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(libc::ESRCH))
        }
    };
    // SAFETY: between fork and exec `bind` calls only what a signal handler may call.
    unsafe { command.pre_exec(bind) };
}
