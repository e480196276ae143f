// SPDX-License-Identifier: Apache-2.0
//! Removes the file, or folder of files, that is being written when a signal ends the program, and
//! the line of a bar of progress from the terminal.
//!
//! The unfinished file lies beside the file that it will replace (`output`), under a temporary
//! name. From the first unfinished file or bar until the end of the program, a thread waits for
//! signals. On a signal, the thread removes the file and the line, and then does what the signal
//! does by default.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use indicatif::ProgressBar;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::inherited::without_ignored;
use crate::signals::{end_by_signals_again, END};

static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);
static WATCH: Once = Once::new();

/// As long as this object exists, a signal removes the file.
pub struct Unfinished;

impl Unfinished {
    /// `make` makes the file, and `path` says where it is. No signal arrives between the two calls.
    pub fn of<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> &Path,
    ) -> Result<(T, Self), E> {
        WATCH.call_once(watch);
        let mut unfinished = unfinished();
        let file = make()?;
        *unfinished = Some(path(&file).to_owned());
        Ok((file, Self))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        *unfinished() = None;
    }
}

/// From now on, a signal removes the line of this bar, which replaces the one before. It may have
/// ended since.
pub(crate) fn show(bar: &ProgressBar) {
    WATCH.call_once(watch);
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

fn remove_line() {
    if let Some(bar) = &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        bar.finish_and_clear();
    }
}

fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// If signals cannot be caught, they end the program as before, and the file is not removed.
fn watch() {
    let Ok(mut signals) = Signals::new(without_ignored(&END)) else { return };
    let watcher = thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            let unfinished = unfinished();
            if let Some(path) = unfinished.as_ref() {
                // The file may just have got its final name.
                let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
            remove_line();
            let _ = emulate_default_handler(signal);
        }
    });
    if watcher.is_err() {
        end_by_signals_again();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_removes_the_line_of_the_bar() {
        remove_line(); // none is shown
        let bar = ProgressBar::hidden();
        show(&bar);
        assert!(!bar.is_finished());
        remove_line();
        assert!(bar.is_finished());
    }
}
