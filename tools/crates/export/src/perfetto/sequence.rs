// SPDX-License-Identifier: Apache-2.0
//! A sequence of packets: the slices of one track, in order of time.

use std::collections::HashMap;
use std::io::Result;

use super::file::File;
use super::flows::Ends;
use super::message::Message;

/// Fields of perfetto.protos, by the names of their messages.
mod field {
    pub const PACKET_CLOCKS: u32 = 6;
    pub const PACKET_TIME: u32 = 8;
    pub const PACKET_EVENT: u32 = 11;
    pub const PACKET_INTERNED: u32 = 12;
    pub const PACKET_FLAGS: u32 = 13;
    pub const PACKET_DEFAULTS: u32 = 59;
    pub const CLOCKS_CLOCK: u32 = 1;
    pub const CLOCK_ID: u32 = 1;
    pub const CLOCK_TIME: u32 = 2;
    pub const CLOCK_IS_INCREMENTAL: u32 = 3;
    pub const DEFAULTS_EVENT: u32 = 11;
    pub const DEFAULTS_CLOCK: u32 = 58;
    pub const EVENT_CATEGORY: u32 = 3;
    pub const EVENT_ANNOTATION: u32 = 4;
    pub const EVENT_TYPE: u32 = 9;
    pub const EVENT_NAME: u32 = 10;
    pub const EVENT_TRACK: u32 = 11;
    pub const EVENT_FLOW: u32 = 47;
    pub const EVENT_LAST_OF_FLOW: u32 = 48;
    pub const ANNOTATION_NAME: u32 = 1;
    pub const ANNOTATION_NUMBER: u32 = 3;
    pub const ANNOTATION_TEXT: u32 = 17;
    /// The field of the number in each kind of interned text.
    pub const NUMBER: u32 = 1;
    pub const TEXT: u32 = 2;
}

/// Lists of InternedData.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum List {
    Categories = 1,
    Names = 2,
    AnnotationNames = 3,
    AnnotationTexts = 29,
}

const BEGINS: u64 = 1;
const ENDS: u64 = 2;
/// Flags of packets: from this packet on, packets do not refer to earlier packets (cleared), or the
/// packet refers to earlier packets (needs).
const STATE_CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;
/// Clocks: CLOCK_BOOTTIME, in which the page shows times, and one of the sequence's own.
const BOOTTIME: u64 = 6;
const INCREMENTAL: u64 = 64;

/// The name of a slice.
#[derive(Clone, Copy)]
pub enum Text<'a> {
    /// The name of a grain, with its number among these names.
    Grain(u32, &'a str),
    Plain(&'static str),
}

pub enum Annotation<'a> {
    Number(&'static str, u64),
    /// By row of the place.
    Function(u32, &'a str),
    Site(u32, String),
}

/// The key of a text.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Grain(u32),
    Function(u32),
    Site(u32),
    Plain(&'static str),
}

pub struct Sequence {
    number: u64,
    track: u64,
    /// The time of the previous packet.
    at_ns: u64,
    known: HashMap<(List, Key), u64>,
    /// The data that this packet defines for the first time.
    new: Message,
    event: Message,
}

impl Sequence {
    pub fn new(number: u64, track: u64) -> Self {
        let (new, event) = (Message::default(), Message::default());
        Self { number, track, at_ns: 0, known: HashMap::new(), new, event }
    }

    /// The packet before all others.
    pub fn begin(&mut self, file: &mut File) -> Result<()> {
        file.packet(self.number, |packet| {
            packet.number(field::PACKET_FLAGS, STATE_CLEARED);
            packet.message(field::PACKET_CLOCKS, |clocks| {
                for clock in [BOOTTIME, INCREMENTAL] {
                    clocks.message(field::CLOCKS_CLOCK, |message| {
                        message.number(field::CLOCK_ID, clock);
                        message.number(field::CLOCK_TIME, 0);
                        if clock == INCREMENTAL {
                            message.number(field::CLOCK_IS_INCREMENTAL, 1);
                        }
                    });
                }
            });
            packet.message(field::PACKET_DEFAULTS, |defaults| {
                defaults.number(field::DEFAULTS_CLOCK, INCREMENTAL);
                defaults.message(field::DEFAULTS_EVENT, |event| event.number(field::EVENT_TRACK, self.track));
            });
        })
    }

    pub fn slice_begins(
        &mut self,
        file: &mut File,
        at_ns: u64,
        name: Text,
        category: &'static str,
        values: &[Annotation],
        flows: &Ends,
    ) -> Result<()> {
        self.event.clear();
        self.event.number(field::EVENT_TYPE, BEGINS);
        let category = self.interned(List::Categories, Key::Plain(category), category);
        self.event.number(field::EVENT_CATEGORY, category);
        let name = match name {
            Text::Grain(number, text) => self.interned(List::Names, Key::Grain(number), text),
            Text::Plain(text) => self.interned(List::Names, Key::Plain(text), text),
        };
        self.event.number(field::EVENT_NAME, name);
        for value in values {
            self.annotation(value);
        }
        flows.through.iter().for_each(|&flow| self.event.fixed(field::EVENT_FLOW, flow));
        flows.into.iter().for_each(|&flow| self.event.fixed(field::EVENT_LAST_OF_FLOW, flow));
        self.put(file, at_ns)
    }

    pub fn slice_ends(&mut self, file: &mut File, at_ns: u64) -> Result<()> {
        self.event.clear();
        self.event.number(field::EVENT_TYPE, ENDS);
        self.put(file, at_ns)
    }

    fn annotation(&mut self, value: &Annotation) {
        let name = match value {
            Annotation::Number(name, _) => name,
            Annotation::Function(..) => "function",
            Annotation::Site(..) => "site",
        };
        let name = self.interned(List::AnnotationNames, Key::Plain(name), name);
        let (field, value) = match value {
            Annotation::Number(_, number) => (field::ANNOTATION_NUMBER, *number),
            Annotation::Function(row, text) => {
                (field::ANNOTATION_TEXT, self.interned(List::AnnotationTexts, Key::Function(*row), text))
            }
            Annotation::Site(row, text) => {
                (field::ANNOTATION_TEXT, self.interned(List::AnnotationTexts, Key::Site(*row), text))
            }
        };
        self.event.message(field::EVENT_ANNOTATION, |annotation| {
            annotation.number(field::ANNOTATION_NAME, name);
            annotation.number(field, value);
        });
    }

    /// The number of a text. If no earlier packet has defined the text, this packet defines it.
    fn interned(&mut self, list: List, key: Key, text: &str) -> u64 {
        let next = self.known.len() as u64 + 1;
        let number = *self.known.entry((list, key)).or_insert(next);
        if number == next {
            self.new.message(list as u32, |entry| {
                entry.number(field::NUMBER, number);
                entry.text(field::TEXT, text);
            });
        }
        number
    }

    fn put(&mut self, file: &mut File, at_ns: u64) -> Result<()> {
        let passed = at_ns.saturating_sub(self.at_ns);
        self.at_ns += passed;
        file.packet(self.number, |packet| {
            packet.number(field::PACKET_FLAGS, NEEDS_STATE);
            packet.number(field::PACKET_TIME, passed);
            if !self.new.bytes().is_empty() {
                packet.raw(field::PACKET_INTERNED, self.new.bytes());
            }
            packet.raw(field::PACKET_EVENT, self.event.bytes());
        })?;
        self.new.clear();
        Ok(())
    }
}
