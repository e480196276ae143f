// SPDX-License-Identifier: Apache-2.0
//! The directory in which each rank of a job makes a recording of its own. The ranks begin at the
//! same time and do not know of each other: the first rank to come makes the directory, and moves
//! away what was there before. A rank that has recorded nothing removes the directory at its end if
//! it is empty, and another rank may begin after that.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use terminal::{Failure, Result};

use crate::Destination;

/// How long to wait while another rank moves an earlier recording away.
const PATIENCE: (u32, Duration) = (100, Duration::from_millis(20));

/// Makes the directory of one rank in the `directory` of all.
pub fn make_destination(directory: &Path, of_rank: &Path) -> Result<Destination> {
    let mut tries = 0..PATIENCE.0;
    loop {
        make_directory(directory)?;
        match Destination::make(of_rank) {
            // Another rank may have ended, and have removed the directory of all.
            Err(_) if tries.next().is_some() => {}
            made => return made,
        }
    }
}

/// Makes the directory, if no other rank has done so. A recording or a set of that name is moved to
/// `.old`.
fn make_directory(directory: &Path) -> Result<()> {
    let mut tries = 0..PATIENCE.0;
    loop {
        match fs::create_dir(directory) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(Failure::io("make", directory, error));
            }
            _ => {}
        }
        let is_in_the_way = |directory: &Path| trace::is_recording(directory) || trace::is_set(directory);
        if !is_in_the_way(directory) {
            return Ok(());
        }
        // Another rank may have made room since, and have begun to record.
        match Destination::make_where(directory, is_in_the_way) {
            Ok(made) => made.into_iter().for_each(Destination::leave),
            Err(failure) if tries.next().is_none() => return Err(failure),
            Err(_) => sleep(PATIENCE.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use tempfile::tempdir;
    use trace::writer::RecordingWriter;

    #[test]
    fn ranks_that_come_together_move_one_recording_away() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        RecordingWriter::create(&directory, 1, &RecordingWriter::plain_meta(1)).unwrap().end(1).unwrap();
        thread::scope(|scope| {
            for rank in 0..8 {
                let directory = &directory;
                scope.spawn(move || {
                    make_directory(directory).unwrap();
                    fs::create_dir(directory.join(format!("rank-{rank}"))).unwrap();
                });
            }
        });
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 8);
        assert!(trace::is_recording(&place.path().join("a.teff.old")));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }

    #[test]
    fn ranks_that_end_with_nothing_take_no_directory_from_another() {
        let place = tempdir().unwrap();
        let directory = place.path().join("a.teff");
        thread::scope(|scope| {
            for rank in 0..4 {
                let directory = &directory;
                scope.spawn(move || {
                    for _ in 0..500 {
                        drop(make_destination(directory, &directory.join(format!("rank-{rank}"))).unwrap());
                        let _ = fs::remove_dir(directory);
                    }
                });
            }
        });
        assert!(!directory.exists());
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_named() {
        let place = tempdir().unwrap();
        let message = make_directory(&place.path().join("absent/a.teff")).unwrap_err().to_string();
        assert!(message.contains("absent/a.teff"), "{message}");
    }
}
