// SPDX-License-Identifier: Apache-2.0
//! The names of constructs in exported profiles: `function file:line`, and the kind of grain if it
//! is not a task.

use std::collections::HashMap;

use grains::{GrainKind, GrainRow, PlaceRow, Profile, Row};
use symbols::Symbols;
use terminal::printable;
use trace::{LockKind, WaitKind};

/// A place with its file, line and function.
#[derive(Clone, Default)]
pub struct Name {
    pub function: String,
    /// Empty: not known.
    pub file: String,
    pub line: u32,
}

/// The names of all places of a profile, in a form that is safe for a terminal.
pub struct Names {
    /// By row of the place; the last name is for unknown places.
    places: Vec<Name>,
    /// For grains: one number for each name.
    numbers: HashMap<String, u32>,
    names: Vec<String>,
    /// By place and kind.
    of_place: Vec<u32>,
}

const KINDS: [GrainKind; 4] = [GrainKind::Task, GrainKind::Implicit, GrainKind::Chunk, GrainKind::Initial];

impl Names {
    pub fn of(profile: &Profile, symbols: &Symbols) -> Self {
        let rows = profile.places.places.rows().map(Some).chain([None]);
        let places: Vec<Name> = rows.map(|place| name(symbols, place)).collect();
        let mut this =
            Self { places: Vec::new(), numbers: HashMap::new(), names: Vec::new(), of_place: Vec::new() };
        for place in &places {
            for kind in KINDS {
                let number = this.number(grain_name(place, kind));
                this.of_place.push(number);
            }
        }
        this.places = places;
        this
    }

    fn number(&mut self, name: String) -> u32 {
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }

    pub fn row_of_place(&self, place: Option<PlaceRow>) -> usize {
        place.map_or(self.places.len() - 1, Row::at)
    }

    pub fn place(&self, place: Option<PlaceRow>) -> &Name {
        &self.places[self.row_of_place(place)]
    }

    /// The number of a grain's name; grains of one construct have the same number.
    pub fn of_grain(&self, profile: &Profile, grain: GrainRow) -> u32 {
        let kind = KINDS.iter().position(|&kind| kind == profile.grains.kind[grain]).unwrap_or(0);
        self.of_place[self.row_of_place(profile.grains.place[grain]) * KINDS.len() + kind]
    }

    pub fn text(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    pub fn texts(&self) -> &[String] {
        &self.names
    }
}

impl Name {
    /// `file:line`; empty if it is not known.
    pub fn site(&self) -> String {
        match &*self.file {
            "" => String::new(),
            file => format!("{file}:{}", self.line),
        }
    }

    /// `function file:line`
    pub fn whole(&self) -> String {
        match &*self.file {
            "" => self.function.clone(),
            _ => format!("{} {}", self.function, self.site()),
        }
    }
}

fn name(symbols: &Symbols, place: Option<PlaceRow>) -> Name {
    let symbol = symbols.of(place);
    let known = !symbol.function.is_empty();
    let function = if known { printable(&symbol.function) } else { "(unknown)".to_owned() };
    Name { function, file: printable(&symbol.file), line: symbol.line }
}

fn grain_name(place: &Name, kind: GrainKind) -> String {
    match kind {
        GrainKind::Task => place.whole(),
        GrainKind::Implicit => format!("{} [implicit]", place.whole()),
        GrainKind::Chunk => format!("{} [chunk]", place.whole()),
        GrainKind::Initial => "(outside of parallel regions)".to_owned(),
    }
}

pub fn of_wait(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::Taskwait => "taskwait",
        WaitKind::Taskgroup => "taskgroup",
        WaitKind::Barrier => "barrier",
        WaitKind::ImplicitBarrier => "implicit barrier",
        WaitKind::RegionEnd => "end of region",
        WaitKind::Depend => "dependence",
        WaitKind::Taskyield => "taskyield",
        WaitKind::Critical => "wait for critical",
        WaitKind::Lock => "wait for lock",
        WaitKind::Ordered => "wait for ordered",
        WaitKind::RunAtOnce => "run at once",
        WaitKind::Preempted => "preempted",
    }
}

pub fn of_lock(kind: LockKind) -> &'static str {
    match kind {
        LockKind::Critical => "critical",
        LockKind::Lock => "lock",
        LockKind::NestLock => "nest lock",
        LockKind::Atomic => "atomic",
        LockKind::Ordered => "ordered",
    }
}
