// SPDX-License-Identifier: Apache-2.0
//! The files that describe the system, below a root folder: `/`, or a folder that a test has made.

use std::fs;
use std::path::{Path, PathBuf};

/// Longer than any file of /proc and /sys that is read here.
const MOST_BYTES: u64 = 4 << 20;

pub struct System {
    root: PathBuf,
}

impl System {
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where a path of the system is.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The text of a file; empty if the file does not exist.
    pub fn read(&self, path: &str) -> String {
        let bytes = fs::metadata(self.path(path)).map_or(0, |file| file.len());
        if bytes > MOST_BYTES {
            return String::new();
        }
        fs::read(self.path(path)).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
    }

    /// A file that holds one number.
    pub fn number(&self, path: &str) -> Option<i64> {
        self.read(path).trim().parse().ok()
    }

    /// The value of `key:` in /proc/self/status.
    pub fn status(&self, key: &str) -> Option<String> {
        value_of(&self.read("/proc/self/status"), key).map(str::to_owned)
    }
}

/// The value of the first line with this key, in a text of lines `key: value`.
pub fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
}

#[cfg(test)]
pub mod made_up {
    use tempfile::TempDir;

    use super::*;

    /// A system that consists of these files alone.
    pub struct MadeUp {
        pub folder: TempDir,
        pub system: System,
    }

    pub fn system(files: &[(&str, &str)]) -> MadeUp {
        let folder = tempfile::tempdir().unwrap();
        let system = System::at(folder.path());
        for (path, text) in files {
            put(&system, path, text.as_bytes());
        }
        MadeUp { folder, system }
    }

    pub fn put(system: &System, path: &str, bytes: &[u8]) {
        let file = system.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_below_the_root() {
        let here = made_up::system(&[
            ("/proc/sys/kernel/yama/ptrace_scope", "1\n"),
            ("/proc/self/status", "Name:\tteff\nSeccomp:\t2\nSeccomp_filters:\t1\n"),
        ]);
        assert_eq!(here.system.number("/proc/sys/kernel/yama/ptrace_scope"), Some(1));
        assert_eq!(here.system.number("/proc/sys/kernel/perf_event_paranoid"), None);
        assert_eq!(here.system.status("Seccomp").as_deref(), Some("2"));
        assert_eq!(here.system.status("Sec"), None);
        assert_eq!(System::at("/").path("/proc/self"), Path::new("/proc/self"));
        assert!(here.system.path("/etc").starts_with(here.folder.path()));
    }
}
