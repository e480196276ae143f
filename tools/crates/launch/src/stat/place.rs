// SPDX-License-Identifier: Apache-2.0
//! The file that `-o` names. An existing file is kept until there are figures to write, because the
//! program may not start at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::fcntl::{fcntl, FcntlArg, OFlag};
use terminal::{output, Failure, Result};

pub struct Place<'a> {
    path: &'a Path,
    file: File,
    is_begun: AtomicBool,
}

impl<'a> Place<'a> {
    /// A pipe without a reader is an error, because to wait for a reader would delay the program.
    pub fn open(path: &'a Path) -> Result<Self> {
        output::refuse_recordings(path)?;
        let options = OFlag::O_NONBLOCK.bits();
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).custom_flags(options).open(path);
        let file = file.and_then(|file| {
            fcntl(&file, FcntlArg::F_SETFL(OFlag::empty())).map(|_| file).map_err(io::Error::from)
        });
        let file = file.map_err(|error| Failure::io("write", path, error))?;
        Ok(Self { path, file, is_begun: AtomicBool::new(false) })
    }

    /// The first call replaces the previous contents of the file.
    pub fn write(&self, text: &str) -> Result<()> {
        self.make_room()
            .and_then(|()| (&self.file).write_all(text.as_bytes()))
            .map_err(|error| Failure::io("write", self.path, error))
    }

    /// The file's name, if the file still has its previous contents.
    pub fn unwritten(&self) -> Option<&Path> {
        (!self.is_begun.load(Ordering::Relaxed)).then_some(self.path)
    }

    fn make_room(&self) -> io::Result<()> {
        let is_begun = self.is_begun.swap(true, Ordering::Relaxed);
        if is_begun || !self.file.metadata()?.is_file() {
            return Ok(());
        }
        self.file.set_len(0)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use trace::writer::RecordingWriter;

    use super::*;

    #[test]
    fn what_is_there_stays_until_there_is_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stat.json");
        fs::write(&path, "what was there before, and is longer").unwrap();
        let place = Place::open(&path).unwrap();
        assert!(fs::read_to_string(&path).unwrap().starts_with("what was"));
        assert_eq!(place.unwritten(), Some(&*path));
        place.write("one\n").unwrap();
        assert_eq!(place.unwritten(), None);
        place.write("two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn a_pipe_without_a_reader_and_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(Place::open(&pipe).is_err());
        assert!(Place::open(folder.path()).is_err());
    }

    #[test]
    fn a_recording_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let recording = folder.path().join("a.teff");
        let meta = RecordingWriter::plain_meta(1);
        RecordingWriter::create(&recording, 1, &meta).unwrap().end(100).unwrap();
        let link = folder.path().join("link");
        symlink("a.teff/stream-0000.bin", &link).unwrap();
        for path in [recording.join("meta.json"), recording.join("full"), link] {
            let message = Place::open(&path).err().unwrap().to_string();
            assert!(message.contains("is a file of a recording"), "{message}");
        }
        assert!(!recording.join("full").exists());
        Place::open(&recording.join("stat.json")).unwrap();
    }
}
