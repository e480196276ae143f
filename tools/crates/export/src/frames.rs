// SPDX-License-Identifier: Apache-2.0
//! The frames of a worker's stack, for formats with stacks: a frame is a construct. Time that is
//! not the work of a grain has separate frames, so the self time of a grain's frame is the time of
//! its fragments.

use std::collections::HashMap;

use grains::{GrainKind, GrainRow, LockInfo, Profile, Row, Ticks};
use serde::Serialize;
use symbols::Symbols;
use terminal::printable;

use super::names::{self, Name, Names};
use super::slices::{Slice, What};

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Frame {
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    #[serde(skip_serializing_if = "is_unknown")]
    pub line: u32,
    #[serde(skip)]
    pub category: Category,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    Runtime,
    Task,
    Implicit,
    Initial,
    Chunk,
    Wait,
    Lock,
    Idle,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_unknown(line: &u32) -> bool {
    *line == 0
}

/// The identity of a frame: a kind of slice, its place, and the kind of its grain, wait or lock.
type Key = (What, usize, u8);

pub struct Frames<'a> {
    profile: &'a Profile,
    names: Names,
    numbers: HashMap<Key, u32>,
    /// Several places that are the same construct share one frame.
    known: HashMap<Frame, u32>,
    frames: Vec<Frame>,
}

impl<'a> Frames<'a> {
    pub fn of(profile: &'a Profile, symbols: &Symbols) -> Self {
        let (numbers, known) = (HashMap::new(), HashMap::new());
        Self { profile, names: Names::of(profile, symbols), numbers, known, frames: Vec::new() }
    }

    /// All frames that have got a number so far.
    pub fn all(&self) -> &[Frame] {
        &self.frames
    }

    /// Of a function that a sample found on the stack.
    pub fn number_of_function(&mut self, name: &str) -> u32 {
        let (name, category) = (printable(name), Category::Runtime);
        self.number_of_frame(Frame { name, file: String::new(), line: 0, category })
    }

    fn number_of_frame(&mut self, frame: Frame) -> u32 {
        let number = *self.known.entry(frame.clone()).or_insert(self.frames.len() as u32);
        if number as usize == self.frames.len() {
            self.frames.push(frame);
        }
        number
    }

    pub fn number_of(&mut self, slice: &Slice) -> u32 {
        let (profile, row) = (self.profile, slice.row as usize);
        let (place, kind) = match slice.what {
            What::Stay | What::Fragment | What::Creation | What::Runtime => {
                (profile.grains.place[GrainRow::new(row)], profile.grains.kind[GrainRow::new(row)] as u8)
            }
            What::Wait | What::Departed => {
                let wait = &profile.waits[Row::new(row)];
                (wait.place, wait.kind as u8)
            }
            What::Hold => (profile.locks[row].place, profile.locks[row].kind as u8),
            What::Region => (profile.regions[Row::new(row)].place, 0),
            What::Idle => (None, 0),
        };
        let key = (slice.what, self.names.row_of_place(place), kind);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let frame = self.new_frame(slice, self.names.place(place));
        let number = self.number_of_frame(frame);
        self.numbers.insert(key, number);
        number
    }

    fn new_frame(&self, slice: &Slice, place: &Name) -> Frame {
        let (profile, row) = (self.profile, slice.row as usize);
        let grain =
            || self.names.text(self.names.of_grain(profile, GrainRow::of_number(slice.row))).to_owned();
        let site = |what: &str| format!("{what} {}", place.site()).trim_end().to_owned();
        let (name, category) = match slice.what {
            What::Stay | What::Fragment => (grain(), of_grain(profile.grains.kind[GrainRow::new(row)])),
            What::Creation if profile.grains.kind[GrainRow::new(row)] == GrainKind::Chunk => {
                (site("loop"), Category::Runtime)
            }
            What::Creation => (format!("creation of {}", grain()), Category::Runtime),
            What::Wait | What::Departed => {
                (site(names::of_wait(profile.waits[Row::new(row)].kind)), Category::Wait)
            }
            What::Hold => (site(names::of_lock(profile.locks[row].kind)), Category::Lock),
            What::Runtime => ("runtime".to_owned(), Category::Runtime),
            What::Region => (site("parallel region"), Category::Runtime),
            What::Idle => ("idle".to_owned(), Category::Idle),
        };
        Frame { name, file: place.file.clone(), line: place.line, category }
    }
}

fn of_grain(kind: GrainKind) -> Category {
    match kind {
        GrainKind::Task => Category::Task,
        GrainKind::Implicit => Category::Implicit,
        GrainKind::Initial => Category::Initial,
        GrainKind::Chunk => Category::Chunk,
    }
}

/// The end of the recording. In a damaged recording, grains may end later than the recording.
pub fn end_of(profile: &Profile) -> Ticks {
    let Profile { waits, locks, regions, idles, .. } = profile;
    let grains = profile.grains.end.iter();
    let stays = waits.iter().map(|wait| wait.end).chain(locks.iter().map(LockInfo::released));
    let others = regions.iter().map(|region| region.end).chain(idles.iter().map(|idle| idle.end));
    grains.chain(stays).chain(others).fold(profile.wall, Ticks::max)
}
