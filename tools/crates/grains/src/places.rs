// SPDX-License-Identifier: Apache-2.0
//! Places in the program: the streams' own site ids become rows of one table.

use std::collections::HashMap;

use trace::{Record, Recording};

use crate::index::{order_by_id, Index};
use crate::load::{OwnedPath, StreamEvents};
use crate::loaded_file::LoadedFile;
use crate::NONE;

/// Addresses are those in the object's file: independent of where it was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Row of [`Places::modules`]; [`NONE`] when unknown, then the addresses are absolute.
    pub module: u32,
    /// Return address of the call into the runtime: the construct is before it.
    pub call_site: u64,
    /// The outlined function that the construct runs; 0: none.
    pub function: u64,
}

/// Where a call returns to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// As in a [`Place`].
    pub module: u32,
    pub address: u64,
}

/// The calls of one task through which it has come to a construct.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Segment {
    /// Rows of [`Places::frames`], from the construct's function outwards.
    pub frames: Vec<u32>,
    /// Bits of [`trace::layout::path`].
    pub flags: u8,
    /// Lines of Python above them, innermost first, as CPython's faulthandler prints them.
    pub python: Vec<u8>,
}

/// The segments of what was recorded, by row; empty where no call paths were.
#[derive(Default)]
pub(crate) struct SegmentRows {
    pub tasks: Vec<u32>,
    pub regions: Vec<u32>,
    pub loops: Vec<u32>,
    pub waits: Vec<u32>,
}

impl SegmentRows {
    pub fn note(rows: &mut Vec<u32>, places: &Places, stream: u16, site: u32) {
        if places.have_paths() {
            rows.push(places.segment_of(stream, site));
        }
    }
}

#[derive(Default)]
pub struct Places {
    pub places: Vec<Place>,
    pub modules: Vec<LoadedFile>,
    /// Where call paths were recorded: what they are made of.
    pub frames: Vec<Frame>,
    pub segments: Vec<Segment>,
    /// For each module: what its addresses were moved by where it was loaded first.
    pub biases: Vec<u64>,
    by_site: SiteIndex,
}

#[derive(Default)]
struct SiteIndex {
    sites: Index,
    /// Row of a stream's site to row of a place.
    place: Vec<u32>,
    /// ... to row of a segment.
    segment: Vec<u32>,
}

impl Places {
    /// The places of a recording alone, without call paths, for who needs no profile. `each` sees
    /// every record.
    pub fn read(recording: &Recording, mut each: impl FnMut(&Record)) -> Result<Self, trace::Error> {
        let mut streams = Vec::new();
        for file in &recording.streams {
            let mut events = StreamEvents::of_stream(file.number);
            for entry in file.reader() {
                let record = entry?.record;
                each(&record);
                if let Record::Site(_) | Record::Module(_) = record {
                    events.place(record);
                }
            }
            streams.push(events);
        }
        Ok(Self::collect(&mut streams))
    }

    pub(crate) fn collect(streams: &mut [StreamEvents]) -> Self {
        let mut collector = Collector::default();
        for stream in streams {
            collector.add(stream);
        }
        collector.places
    }

    /// The place that `site` means in `stream`.
    pub(crate) fn of(&self, stream: u16, site: u32) -> u32 {
        let row = self.by_site.sites.row(u64::from(stream) << 48 | u64::from(site));
        row.map_or(NONE, |row| self.by_site.place[row as usize])
    }

    /// The calls through which `stream` has come to `site`.
    pub(crate) fn segment_of(&self, stream: u16, site: u32) -> u32 {
        let row = self.by_site.sites.row(u64::from(stream) << 48 | u64::from(site));
        row.map_or(NONE, |row| self.by_site.segment[row as usize])
    }

    /// Whether call paths were recorded.
    pub fn have_paths(&self) -> bool {
        !self.segments.is_empty()
    }
}

#[derive(Default)]
struct Collector {
    places: Places,
    place_rows: HashMap<Place, u32>,
    module_rows: HashMap<LoadedFile, u32>,
    frame_rows: HashMap<Frame, u32>,
    segment_rows: HashMap<Segment, u32>,
}

/// A stream's modules: their rows, and their biases.
type Modules = HashMap<u32, (u32, u64)>;

impl Collector {
    fn add(&mut self, stream: &mut StreamEvents) {
        let modules: Modules =
            stream.modules.iter().map(|m| (m.module, (self.module_row(&m.file, m.bias), m.bias))).collect();
        order_by_id(&mut stream.sites, |site| u64::from(site.site));
        let mut paths: HashMap<u32, u32> = HashMap::new();
        for path in std::mem::take(&mut stream.paths) {
            let row = self.segment_row(&path, &modules);
            paths.entry(path.site).or_insert(row);
        }
        let mut ids = Vec::with_capacity(stream.sites.len());
        for site in &stream.sites {
            let place = match modules.get(&site.module) {
                Some(&(module, bias)) => Place {
                    module,
                    call_site: site.call_site.wrapping_sub(bias),
                    function: if site.function == 0 { 0 } else { site.function.wrapping_sub(bias) },
                },
                None => Place { module: NONE, call_site: site.call_site, function: site.function },
            };
            ids.push(u64::from(stream.stream) << 48 | u64::from(site.site));
            let row = self.place_row(place);
            self.places.by_site.place.push(row);
            self.places.by_site.segment.push(paths.get(&site.site).copied().unwrap_or(NONE));
        }
        self.places.by_site.sites.add_stream(stream.stream, &ids);
    }

    fn module_row(&mut self, file: &LoadedFile, bias: u64) -> u32 {
        let Places { modules, biases, .. } = &mut self.places;
        *self.module_rows.entry(file.clone()).or_insert_with(|| {
            modules.push(file.clone());
            biases.push(bias);
            modules.len() as u32 - 1
        })
    }

    fn segment_row(&mut self, path: &OwnedPath, modules: &Modules) -> u32 {
        let frames = path.frames.iter().map(|&(address, module)| match modules.get(&module) {
            Some(&(module, bias)) => Frame { module, address: address.wrapping_sub(bias) },
            None => Frame { module: NONE, address },
        });
        let frames = frames.map(|frame| self.frame_row(frame)).collect();
        let segment = Segment { frames, flags: path.flags, python: path.python.clone() };
        let segments = &mut self.places.segments;
        *self.segment_rows.entry(segment).or_insert_with_key(|segment| {
            segments.push(segment.clone());
            segments.len() as u32 - 1
        })
    }

    fn frame_row(&mut self, frame: Frame) -> u32 {
        let frames = &mut self.places.frames;
        *self.frame_rows.entry(frame).or_insert_with(|| {
            frames.push(frame);
            frames.len() as u32 - 1
        })
    }

    fn place_row(&mut self, place: Place) -> u32 {
        let places = &mut self.places.places;
        *self.place_rows.entry(place).or_insert_with(|| {
            places.push(place);
            places.len() as u32 - 1
        })
    }
}
