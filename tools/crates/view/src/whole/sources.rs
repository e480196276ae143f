// SPDX-License-Identifier: Apache-2.0
//! The text of the source files, in which the page shows the costs of lines.
//!
//! The names of the files come from debug information, which is untrusted, and users send pages to
//! others. So a file is read only under these conditions:
//! - its name, and the name of the file to which it links, is that of a source of a language with
//!   OpenMP;
//! - it is a plain text file, and not too long;
//! - it has the lines that the debug information names.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, SystemTime};

use grains::Profile;
use serde::Serialize;
use symbols::sites::Sites;
use symbols::{object_path, Program};
use terminal::printable;

use super::locks::Line;

const FILES: usize = 50;
/// The largest size of one file, and of all files together.
const MOST_BYTES: u64 = 512 << 10;
const MOST_BYTES_OF_ALL: u64 = 4 << 20;

/// The endings of the names of files of C, C++ and Fortran, and of files that they include.
const ENDINGS: [&str; 24] = [
    "c", "cc", "cp", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "f",
    "for", "ftn", "f77", "f90", "f95", "f03", "f08", "cu",
];

#[derive(Serialize)]
pub struct Source {
    /// The file's name in the sites.
    file: String,
    /// Empty if the text is not shown.
    text: String,
    /// Why the text is not shown, or that it may not be the source of the program that ran. Empty
    /// if neither applies.
    note: &'static str,
}

pub fn of(profile: &Profile, sites: &Sites, locks: &[Line]) -> Vec<Source> {
    // The files in the order of their work, each with the last line that is named in it.
    let mut order: Vec<&str> = Vec::new();
    let mut last: BTreeMap<&str, u32> = BTreeMap::new();
    let of_sites = sites.rows.iter().map(|row| (row.symbol.file.as_str(), row.symbol.line));
    for (file, line) in of_sites.chain(locks.iter().map(|lock| (lock.file.as_str(), lock.line))) {
        if file.is_empty() || line == 0 {
            continue;
        }
        let known = last.entry(file).or_insert_with(|| {
            order.push(file);
            0
        });
        *known = line.max(*known);
    }
    let built = built(profile);
    let mut room = MOST_BYTES_OF_ALL;
    let files = order.into_iter().take(FILES);
    files.map(|file| source(file, last[file], built, &mut room)).collect()
}

/// When the program was linked, if its file still shows that.
fn built(profile: &Profile) -> Option<SystemTime> {
    let began = Duration::from_nanos(profile.meta.start_unix_ns);
    let program = object_path(Program::of(profile), b"");
    let linked = fs::metadata(program).ok().and_then(|program| program.modified().ok());
    linked.or_else(|| (began > Duration::ZERO).then_some(SystemTime::UNIX_EPOCH + began))
}

fn source(file: &str, last: u32, built: Option<SystemTime>, room: &mut u64) -> Source {
    let (text, note) = match read(Path::new(file), last, *room) {
        Ok((text, changed)) => {
            *room -= text.len() as u64;
            let is_newer = built.is_some_and(|built| changed > built);
            (
                text,
                if is_newer { "The file is newer than the program: its lines may have moved." } else { "" },
            )
        }
        Err(why) => (String::new(), why),
    };
    Source { file: printable(file), text, note }
}

const NO_SOURCE: &str = "Not shown: its name is not that of a C, C++ or Fortran source.";
const TOO_LONG: &str = "Not shown: this file, or all files together, are too long.";

fn read(path: &Path, last: u32, room: u64) -> Result<(String, SystemTime), &'static str> {
    if !path.is_absolute() || !is_source(path) {
        return Err(NO_SOURCE);
    }
    let missing = |_: io::Error| "The file does not exist, or may not be read.";
    let file = trace::open_regular(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => "Not shown: it is no plain file.",
        _ => missing(error),
    })?;
    // The check examines the open file, not its name, because another file may have got the name
    // meanwhile.
    if !is_source(&fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(missing)?) {
        return Err(NO_SOURCE);
    }
    let most = MOST_BYTES.min(room);
    let changed = file.metadata().and_then(|file| file.modified()).map_err(missing)?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(missing)?;
    if bytes.len() as u64 > most {
        return Err(TOO_LONG);
    }
    let text = String::from_utf8(bytes).map_err(|_| "Not shown: it is not text in UTF-8.")?;
    if text.contains('\0') {
        return Err("Not shown: it is not text.");
    }
    if text.lines().count() < last as usize {
        return Err("Not shown: it has fewer lines than the debug information names: it is another file.");
    }
    Ok((text, changed))
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn note(path: &Path, last: u32) -> &'static str {
        read(path, last, MOST_BYTES).err().unwrap_or("")
    }

    #[test]
    fn only_sources_with_the_named_lines_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.c"), "one\ntwo\n").unwrap();
        fs::write(at("secret"), "one\ntwo\n").unwrap();
        fs::write(at("binary.c"), b"one\0two\n").unwrap();
        fs::write(at("latin.c"), b"one \xe9\n").unwrap();
        fs::create_dir(at("folder.c")).unwrap();
        symlink(at("secret"), at("link.c")).unwrap();
        assert_eq!(read(&at("a.c"), 2, MOST_BYTES).unwrap().0, "one\ntwo\n");
        assert!(note(&at("a.c"), 3).contains("fewer lines"));
        assert!(note(&at("none.c"), 1).contains("not exist"));
        nix::unistd::mkfifo(&at("pipe.c"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        for refused in ["secret", "link.c"] {
            assert_eq!(note(&at(refused), 1), NO_SOURCE, "{refused}");
        }
        for refused in ["folder.c", "pipe.c"] {
            assert!(note(&at(refused), 1).contains("no plain file"), "{refused}");
        }
        assert_eq!(note(Path::new("a.c"), 1), NO_SOURCE);
        assert_eq!(note(Path::new("/etc/shadow"), 1), NO_SOURCE);
        assert!(note(&at("binary.c"), 1).contains("not text"));
        assert!(note(&at("latin.c"), 1).contains("UTF-8"));
    }

    /// A process with write access to the folder of a source replaces the source while it is read.
    #[test]
    fn a_file_that_changes_places_is_not_taken_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("secret"), "secret\n").unwrap();
        fs::write(at("kept.c"), "open\n").unwrap();
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    fs::copy(at("kept.c"), at("new")).unwrap();
                    fs::rename(at("new"), at("a.c")).unwrap();
                    symlink(at("secret"), at("new")).unwrap();
                    fs::rename(at("new"), at("a.c")).unwrap();
                }
            });
            for _ in 0..2_000 {
                assert!(!read(&at("a.c"), 1, MOST_BYTES).is_ok_and(|(text, _)| text == "secret\n"));
            }
            over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }

    #[test]
    fn long_files_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.f90");
        fs::write(&path, "line\n".repeat(100)).unwrap();
        assert_eq!(read(&path, 1, 499).unwrap_err(), TOO_LONG);
        assert!(read(&path, 1, 500).is_ok());
    }

    #[test]
    fn a_file_newer_than_the_program_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.c");
        fs::write(&path, "one\n").unwrap();
        let changed = fs::metadata(&path).unwrap().modified().unwrap();
        let note = |built| source(path.to_str().unwrap(), 1, Some(built), &mut 1000).note;
        assert!(note(changed - Duration::from_secs(1)).contains("newer"));
        assert_eq!(note(changed), "");
    }
}
