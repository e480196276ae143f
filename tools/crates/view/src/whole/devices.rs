// SPDX-License-Identifier: Apache-2.0
//! The lanes of devices: when data moved to and from each of them, and when regions ran there.

use std::collections::HashMap;

use grains::devices::name_of_construct;
use grains::devices::Devices as Known;
use grains::{DeviceInfo, Profile};
use serde::Serialize;
use symbols::Symbols;
use terminal::printable;

use crate::columns::Column;

/// The largest number of pieces of all devices; the longest are kept.
const MOST: usize = 60_000;

#[derive(Serialize)]
pub struct Devices {
    /// The numbers of the devices, one for each lane.
    devices: Vec<u32>,
    places: Vec<PlaceOfConstruct>,
    /// By lane and time.
    piece: Pieces,
    /// The number of pieces that are left out because they are shorter.
    more: usize,
}

#[derive(Serialize)]
struct PlaceOfConstruct {
    construct: &'static str,
    file: String,
    line: u32,
    function: String,
}

#[derive(Serialize, Default)]
struct Pieces {
    lane: Column<u16>,
    start: Column<f64>,
    end: Column<f64>,
    kind: Column<u8>,
    place: Column<u32>,
    /// Of data that moved.
    bytes: Column<f64>,
}

/// What went on in a piece.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Kind {
    To = 0,
    Region = 1,
    From = 2,
}

/// Absent if the process is no host of devices.
pub fn of(profile: &Profile, symbols: &Symbols) -> Option<Devices> {
    let known = Known::of(profile)?;
    let devices: Vec<u32> =
        known.devices.iter().map(|device| device.device).take(usize::from(u16::MAX)).collect();
    let lanes: HashMap<u32, u16> = devices.iter().copied().zip(0..).collect();
    let (mut places, mut place_rows) = (Vec::new(), HashMap::new());
    let mut all = Vec::new();
    for construct in &profile.device_constructs {
        let Some(&lane) = lanes.get(&construct.device) else { continue };
        let place = *place_rows.entry((construct.place, construct.construct)).or_insert_with(|| {
            let symbol = symbols.of(construct.place);
            places.push(PlaceOfConstruct {
                construct: name_of_construct(construct.construct),
                file: printable(&symbol.file),
                line: symbol.line,
                function: printable(&symbol.function),
            });
            places.len() as u32 - 1
        });
        all.extend(pieces(construct).into_iter().map(|piece| (lane, place, piece)));
    }
    let more = all.len().saturating_sub(MOST);
    all.sort_by_key(|(_, _, (begin, end, ..))| std::cmp::Reverse(*end - *begin));
    all.truncate(MOST);
    all.sort_by_key(|(lane, _, (begin, ..))| (*lane, *begin));
    let mut piece = Pieces::default();
    for (lane, place, (begin, end, kind, bytes)) in all {
        piece.lane.push(lane);
        piece.start.push(profile.ns(begin));
        piece.end.push(profile.ns(end));
        piece.kind.push(kind as u8);
        piece.place.push(place);
        piece.bytes.push(bytes as f64);
    }
    Some(Devices { devices, places, piece, more })
}

type Piece = (grains::Ticks, grains::Ticks, Kind, u64);

fn pieces(construct: &DeviceInfo) -> Vec<Piece> {
    let [(sent, arrived), (finished, ended)] = construct.moves();
    let pieces = [
        (sent, arrived, Kind::To, construct.bytes_to),
        (construct.began, construct.finished, Kind::Region, 0),
        (finished, ended, Kind::From, construct.bytes_from),
    ];
    pieces.into_iter().filter(|(begin, end, ..)| begin < end).collect()
}
