// SPDX-License-Identifier: Apache-2.0
//! The file: a message for each packet, and the tracks to which packets belong.

use std::io::{Result, Write};

use grains::Profile;
use terminal::printable;

use super::message::Message;

/// Fields of perfetto.protos, by the names of their messages.
mod field {
    pub const TRACE_PACKET: u32 = 1;
    pub const PACKET_SEQUENCE: u32 = 10;
    pub const PACKET_TRACK: u32 = 60;
    pub const TRACK_UUID: u32 = 1;
    pub const TRACK_NAME: u32 = 2;
    pub const TRACK_PROCESS: u32 = 3;
    pub const TRACK_PARENT: u32 = 5;
    pub const TRACK_ORDERING: u32 = 11;
    pub const TRACK_RANK: u32 = 12;
    pub const PROCESS_PID: u32 = 1;
    pub const PROCESS_NAME: u32 = 6;
}

/// The order of the children of a track: by their ranks.
const BY_RANK: u64 = 3;
const PROCESS: u64 = 1;
pub const WORKERS: u64 = 1 << 8;
pub const REGIONS: u64 = 1 << 32;

/// The trace file, which is written packet by packet.
pub struct File<'a> {
    out: &'a mut dyn Write,
    packet: Message,
    bytes: u64,
}

impl<'a> File<'a> {
    pub fn to(out: &'a mut dyn Write) -> Self {
        Self { out, packet: Message::default(), bytes: 0 }
    }

    /// The number of bytes written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn packet(&mut self, sequence: u64, fields: impl FnOnce(&mut Message)) -> Result<()> {
        self.packet.clear();
        self.packet.message(field::TRACE_PACKET, |packet| {
            packet.number(field::PACKET_SEQUENCE, sequence);
            fields(packet);
        });
        self.bytes += self.packet.bytes().len() as u64;
        self.out.write_all(self.packet.bytes())
    }

    /// A track below the process.
    pub fn track(&mut self, uuid: u64, rank: u64, name: &str) -> Result<()> {
        self.packet(PROCESS, |packet| {
            packet.message(field::PACKET_TRACK, |track| {
                track.number(field::TRACK_UUID, uuid);
                track.number(field::TRACK_PARENT, PROCESS);
                track.text(field::TRACK_NAME, name);
                track.number(field::TRACK_RANK, rank);
            });
        })
    }

    pub fn process(&mut self, profile: &Profile) -> Result<()> {
        let command = printable(&profile.meta.command.to_string());
        self.packet(PROCESS, |packet| {
            packet.message(field::PACKET_TRACK, |track| {
                track.number(field::TRACK_UUID, PROCESS);
                track.message(field::TRACK_PROCESS, |process| {
                    process.number(field::PROCESS_PID, profile.meta.pid.clamp(1, i32::MAX as u64));
                    process.text(field::PROCESS_NAME, &command);
                });
                track.number(field::TRACK_ORDERING, BY_RANK);
            });
        })
    }
}
