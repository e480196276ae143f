// SPDX-License-Identifier: Apache-2.0
//! The free space for recordings.

use std::path::Path;

use grains::units;
use nix::sys::statvfs::statvfs;
use nix::unistd::{access, AccessFlags};

use crate::finding::Finding;
use crate::system::System;

/// docs/recording.md: 16 to 100 bytes for each grain.
const BYTES_OF_A_GRAIN: u64 = 100;
const LITTLE: u64 = 1 << 30;
/// The default size of /dev/shm in containers.
const LITTLE_SHARED: u64 = 64 << 20;

/// A folder into which files are written.
pub struct Room {
    /// In bytes, for this user; `None` if it is not known.
    pub free: Option<u64>,
    pub writable: bool,
}

impl Room {
    pub fn at(path: &Path) -> Self {
        let free = statvfs(path).ok().map(|place| place.blocks_available() * place.fragment_size());
        Self { free, writable: access(path, AccessFlags::W_OK).is_ok() }
    }
}

/// `present`: the present directory, where recordings go by default.
pub fn findings(system: &System, present: &Path) -> Vec<Finding> {
    let shared = system.path("/dev/shm");
    let there = shared.is_dir().then(|| Room::at(&shared));
    vec![of_present(&Room::at(present)), of_shared(there.as_ref())]
}

fn of_present(room: &Room) -> Finding {
    let name = "directory";
    if !room.writable {
        return Finding::problem(
            name,
            "nothing can be written into the present directory.",
            "teff record writes PROGRAM.teff there; -o names another place.",
        );
    }
    let Some(free) = room.free else { return Finding::ok(name, "its free space is not known.") };
    let grains = units::count(free / BYTES_OF_A_GRAIN);
    let says = format!("{} are free in the present directory: {grains} grains.", units::bytes(free));
    if free < LITTLE {
        let remedy =
            "Records that do not fit are left out of a recording, and counted. -o names another place.";
        return Finding::note(name, says, remedy);
    }
    Finding::ok(name, says)
}

fn of_shared(room: Option<&Room>) -> Finding {
    let name = "/dev/shm";
    let small = "MPI exchanges messages within a machine through it, and recordings can be written to it. docker run \
        --shm-size 1g";
    match room {
        None => Finding::note(name, "there is none.", small),
        Some(Room { writable: false, .. }) => Finding::note(name, "nothing can be written there.", small),
        Some(Room { free: Some(free), .. }) if *free <= LITTLE_SHARED => {
            Finding::note(name, format!("{} are free.", units::bytes(*free)), small)
        }
        Some(Room { free, .. }) => Finding::ok(
            name,
            free.map_or("its free space is not known.".to_owned(), |free| {
                format!("{} are free, of memory.", units::bytes(free))
            }),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::State;
    use crate::system::made_up::system;

    #[test]
    fn room_is_told_in_grains() {
        let found = of_present(&Room { free: Some(5_000_000_000), writable: true });
        assert_eq!(found.state, State::Ok);
        assert!(found.says.starts_with("5.0 GB are free") && found.says.contains("grains"), "{found:?}");
        assert_eq!(of_present(&Room { free: Some(1 << 20), writable: true }).state, State::Note);
        assert_eq!(of_present(&Room { free: Some(1 << 40), writable: false }).state, State::Problem);
    }

    #[test]
    fn shared_memory_may_be_small_or_missing() {
        let state = |room: Option<&Room>| of_shared(room).state;
        assert_eq!(state(None), State::Note);
        assert_eq!(state(Some(&Room { free: Some(64 << 20), writable: true })), State::Note);
        assert_eq!(state(Some(&Room { free: Some(8 << 30), writable: true })), State::Ok);
        assert_eq!(state(Some(&Room { free: Some(8 << 30), writable: false })), State::Note);
    }

    #[test]
    fn folders_are_looked_at_below_the_root() {
        let here = system(&[("/home/me/a", "")]);
        let found = findings(&here.system, &here.system.path("/home/me"));
        assert_eq!((found[0].name, found[1].name), ("directory", "/dev/shm"));
        assert_eq!(found[1].says, "there is none.");
        let absent = findings(&here.system, &here.system.path("/absent"));
        assert_eq!(absent[0].state, State::Problem);
    }
}
