// SPDX-License-Identifier: Apache-2.0
//! The name that -o gives: `%r`, `%p`, `%h` and `%j` in it stand for the rank, the process, the
//! host and the job.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use terminal::{Failure, Result};

/// Without -o.
pub fn default_name(program: &OsStr) -> PathBuf {
    let mut name = Path::new(program).file_name().unwrap_or(program).to_owned();
    name.push(".teff");
    PathBuf::from(name)
}

/// What the letters stand for.
pub struct Words {
    pub rank: u64,
    pub process: u32,
    pub host: String,
    /// Empty: there is none.
    pub job: String,
}

/// `None`: the name contains no `%`.
pub fn expand(pattern: &Path, words: &Words) -> Result<Option<PathBuf>> {
    let bytes = pattern.as_os_str().as_bytes();
    if !bytes.contains(&b'%') {
        return Ok(None);
    }
    let mut name = Vec::new();
    let mut rest = bytes.iter().copied();
    while let Some(byte) = rest.next() {
        match (byte, (byte == b'%').then(|| rest.next()).flatten()) {
            (b'%', Some(b'r')) => name.extend(words.rank.to_string().bytes()),
            (b'%', Some(b'p')) => name.extend(words.process.to_string().bytes()),
            (b'%', Some(b'h')) => name.extend(words.host.bytes()),
            // If the job's name contained folders, the path would lead elsewhere.
            (b'%', Some(b'j')) => name.extend(plain(&words.job).bytes()),
            (b'%', Some(b'%')) => name.push(b'%'),
            (b'%', _) => return Err(unknown(pattern)),
            (other, _) => name.push(other),
        }
    }
    Ok(Some(OsString::from_vec(name).into()))
}

fn plain(job: &str) -> String {
    if job.is_empty() {
        "0".to_owned()
    } else {
        job.replace('/', "-")
    }
}

fn unknown(pattern: &Path) -> Failure {
    Failure::Usage(format!(
        "the name {} has a % that is not %r (rank), %p (process), %h (host), %j (job) or %% (a % itself).",
        pattern.display()
    ))
}

/// Makes the folders above an expanded name, which may not exist yet.
pub fn make_folders_above(name: &Path) -> Result<()> {
    match name.parent() {
        Some(folder) => fs::create_dir_all(folder).map_err(|error| Failure::io("make", folder, error)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(pattern: &str) -> Result<Option<PathBuf>> {
        let words = Words { rank: 3, process: 77, host: "node1".to_owned(), job: "a/9".to_owned() };
        expand(Path::new(pattern), &words)
    }

    #[test]
    fn the_default_name_is_the_programs() {
        assert_eq!(default_name(OsStr::new("../bin/sort")), Path::new("sort.teff"));
    }

    #[test]
    fn letters_stand_for_rank_process_host_and_job() {
        assert_eq!(expanded("%j/%h-%r.%p.teff").unwrap().unwrap(), Path::new("a-9/node1-3.77.teff"));
        assert_eq!(expanded("100%%").unwrap().unwrap(), Path::new("100%"));
        assert_eq!(expanded("a.teff").unwrap(), None);
    }

    #[test]
    fn other_letters_are_refused() {
        for wrong in ["%x", "a%", "%R"] {
            assert!(expanded(wrong).unwrap_err().to_string().contains("%r (rank)"), "{wrong}");
        }
    }
}
