// SPDX-License-Identifier: Apache-2.0
//! Speedscope's own file format: a profile of events for each worker.
//!
//! A frame is a construct: the stack says in which wait of which task the worker ran what. What is
//! none of a grain's work has frames of its own: what is left of a grain's frame are its fragments.

use std::collections::HashMap;
use std::io::{Result, Write};

use grains::{GrainKind, Profile, Ticks};
use serde::Serialize;

use super::names::{self, Name, Names};
use super::perfetto::worker_name;
use super::slices::{Cut, Event, Slice, Slices, What};
use crate::console::{printable, say};
use crate::symbols::Symbols;

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";
/// The longest text of which a browser makes one string.
const MOST_BYTES: u64 = 512 << 20;

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct Frame {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    file: String,
    #[serde(skip_serializing_if = "is_unknown")]
    line: u32,
}

fn is_unknown(line: &u32) -> bool {
    *line == 0
}

/// What has a frame: a kind of slice at a place, and of which kind of grain, wait or lock.
type Key = (What, usize, u8);

struct File<'a> {
    out: &'a mut dyn Write,
    profile: &'a Profile,
    names: Names,
    numbers: HashMap<Key, usize>,
    frames: Vec<Frame>,
    bytes: u64,
}

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    let names = Names::of(profile, symbols);
    let mut file = File { out, profile, names, numbers: HashMap::new(), frames: Vec::new(), bytes: 0 };
    let slices = Slices::of(profile, Cut::Stays);
    file.put(&format!("{{\"$schema\":{},\n", json(SCHEMA)?))?;
    let command = printable(&profile.meta.command.to_string());
    file.put(&format!("\"name\":{},\"exporter\":\"teff\",\"activeProfileIndex\":0,\n", json(&command)?))?;
    file.put("\"profiles\":[")?;
    let mut left_out = 0;
    for (number, worker) in slices.workers().into_iter().enumerate() {
        file.put(if number > 0 { ",\n" } else { "\n" })?;
        left_out += file.worker(&slices, worker)?;
    }
    let frames = json(&file.frames)?;
    file.put(&format!("\n],\n\"shared\":{{\"frames\":{frames}}}}}\n"))?;
    if left_out > 0 {
        say(format!("{left_out} slices lay above 500 others and were left out."));
    }
    if file.bytes > MOST_BYTES {
        say("the file has more than 512 MiB: browsers cannot open it. Record a shorter run.");
    }
    Ok(())
}

fn json(value: &(impl Serialize + ?Sized)) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

impl File<'_> {
    fn put(&mut self, text: &str) -> Result<()> {
        self.bytes += text.len() as u64;
        self.out.write_all(text.as_bytes())
    }

    fn worker(&mut self, slices: &Slices, worker: u16) -> Result<u64> {
        let name = json(&worker_name(self.profile, worker))?;
        let end = self.ns(self.end());
        self.put(&format!(
            "{{\"type\":\"evented\",\"name\":{name},\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":{end},\"events\":["
        ))?;
        let mut separator = "";
        let left_out = slices.of_worker(worker, |event| {
            self.event(separator, event)?;
            separator = ",";
            Ok(())
        })?;
        self.put("]}")?;
        Ok(left_out)
    }

    /// Of a damaged recording grains may end behind its end.
    fn end(&self) -> Ticks {
        let Profile { waits, locks, regions, idles, .. } = self.profile;
        let grains = self.profile.grains.end.iter().copied();
        let stays = waits.iter().map(|wait| wait.end).chain(locks.iter().map(|hold| hold.released()));
        let others = regions.iter().map(|region| region.end).chain(idles.iter().map(|idle| idle.end));
        grains.chain(stays).chain(others).fold(self.profile.wall, Ticks::max)
    }

    fn ns(&self, ticks: Ticks) -> u64 {
        self.profile.ns(ticks).round() as u64
    }

    fn event(&mut self, separator: &str, event: Event) -> Result<()> {
        let frame = self.frame(&event.slice);
        let kind = if event.begins { 'O' } else { 'C' };
        let at = self.ns(event.at);
        self.put(&format!("{separator}\n{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{at}}}"))
    }

    fn frame(&mut self, slice: &Slice) -> usize {
        let (profile, row) = (self.profile, slice.row as usize);
        let (place, kind) = match slice.what {
            What::Stay | What::Fragment | What::Creation | What::Runtime => {
                (profile.grains.place[row], profile.grains.kind[row] as u8)
            }
            What::Wait | What::Departed => (profile.waits[row].place, profile.waits[row].kind as u8),
            What::Hold => (profile.locks[row].place, profile.locks[row].kind as u8),
            What::Region => (profile.regions[row].place, 0),
            What::Idle => (grains::NONE, 0),
        };
        let key = (slice.what, self.names.row_of_place(place), kind);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let frame = self.new_frame(slice, self.names.place(place));
        self.numbers.insert(key, self.frames.len());
        self.frames.push(frame);
        self.frames.len() - 1
    }

    fn new_frame(&self, slice: &Slice, place: &Name) -> Frame {
        let (profile, row) = (self.profile, slice.row as usize);
        let grain = || self.names.text(self.names.of_grain(profile, slice.row)).to_owned();
        let site = |what: &str| format!("{what} {}", place.site()).trim_end().to_owned();
        let name = match slice.what {
            What::Stay | What::Fragment => grain(),
            What::Creation if profile.grains.kind[row] == GrainKind::Chunk => site("loop"),
            What::Creation => format!("creation of {}", grain()),
            What::Wait | What::Departed => site(names::of_wait(profile.waits[row].kind)),
            What::Hold => site(names::of_lock(profile.locks[row].kind)),
            What::Runtime => "runtime".to_owned(),
            What::Region => site("parallel region"),
            What::Idle => "idle".to_owned(),
        };
        Frame { name, file: place.file.clone(), line: place.line }
    }
}
