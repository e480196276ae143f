// SPDX-License-Identifier: Apache-2.0
//! Handles a file that is cut short while it is mapped. The system would end a program that reads
//! such a file with SIGBUS. With this module, the program prints what has happened.

use nix::libc;
use signal_hook::consts::SIGBUS;
use signal_hook::low_level::register;

const MESSAGE: &[u8] =
    b"teff: a file of the recording, or an object that it names, was cut short while it was \
    read. If the program still runs, wait for its end; else record again.\n";

/// From now on, reading such a file ends the program with a message.
pub fn watch() {
    // SAFETY: write and _exit may be called in a signal handler.
    let watching = unsafe {
        register(SIGBUS, || {
            libc::write(2, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(1);
        })
    };
    let _ = watching; // without the handler, the system's own message must do
}

#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions};
    use std::process::Command;

    use super::*;

    const FILE: &str = "TEFF_TEST_TRUNCATED_FILE";

    /// The action of a child process, because a test can get a SIGBUS only in a child process.
    fn read_what_is_cut_short(path: &str) {
        watch();
        let map = trace::map_regular(path.as_ref(), 1 << 20).unwrap().unwrap();
        OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap();
        panic!("the file has gone, yet its first byte is {}", std::hint::black_box(map[0]));
    }

    #[test]
    fn it_is_said_in_words() {
        if let Ok(path) = std::env::var(FILE) {
            return read_what_is_cut_short(&path);
        }
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("stream");
        File::create(&path).unwrap().set_len(8192).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["truncation::tests::it_is_said_in_words", "--exact", "--nocapture"]).env(FILE, &path);
        let output = child.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(output.stderr.ends_with(MESSAGE), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
