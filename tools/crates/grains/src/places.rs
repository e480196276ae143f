// SPDX-License-Identifier: Apache-2.0
//! Places in the program: the streams' own site ids become rows of one table.

use std::collections::HashMap;

use trace::layout::stack_frame;
use trace::{Record, Recording, StackFrame};

use crate::hits::RawHit;
use crate::index::{order_by_id, Index};
use crate::load::{OwnedPath, StreamEvents};
use crate::loaded_file::LoadedFile;
use crate::place::{Frame, Place, PlaceRow, PythonCode, PythonFrame, Segment, Stack};
use crate::raw_stacks::{OwnedStack, RecordedStacks};
use crate::row::{Column, Row};
use crate::tables::{Grains, LoopInfo, RegionInfo, WaitInfo};

/// The segments of what was recorded, by row; empty where no call paths were.
#[derive(Default)]
pub(crate) struct SegmentRows {
    pub tasks: Column<Grains, Option<Row<Segment>>>,
    pub regions: Column<RegionInfo, Option<Row<Segment>>>,
    pub loops: Column<LoopInfo, Option<Row<Segment>>>,
    pub waits: Column<WaitInfo, Option<Row<Segment>>>,
}

impl SegmentRows {
    pub fn note(rows: &mut Vec<Option<Row<Segment>>>, places: &Places, stream: u16, site: u32) {
        if places.have_paths() {
            rows.push(places.segment_of(stream, site));
        }
    }
}

#[derive(Default)]
pub struct Places {
    pub places: Column<Place>,
    pub modules: Column<LoadedFile>,
    /// What call paths are made of, and where samples fell, where these were recorded.
    pub frames: Column<Frame>,
    pub segments: Column<Segment>,
    /// How samples were reached, where this was recorded.
    pub stacks: Column<Stack>,
    pub codes: Column<PythonCode>,
    /// For each module: what its addresses were moved by where it was loaded first.
    pub biases: Column<LoadedFile, u64>,
    by_site: SiteIndex,
}

/// A site of a stream.
struct Site;

#[derive(Default)]
struct SiteIndex {
    sites: Index<Site>,
    /// Row of a stream's site to row of a place.
    place: Column<Site, PlaceRow>,
    /// ... to row of a segment.
    segment: Column<Site, Option<Row<Segment>>>,
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
    pub(crate) fn of(&self, stream: u16, site: u32) -> Option<PlaceRow> {
        let row = self.by_site.sites.row(u64::from(stream) << 48 | u64::from(site));
        row.map(|row| self.by_site.place[row])
    }

    /// The calls through which `stream` has come to `site`.
    pub(crate) fn segment_of(&self, stream: u16, site: u32) -> Option<Row<Segment>> {
        let row = self.by_site.sites.row(u64::from(stream) << 48 | u64::from(site));
        row.and_then(|row| self.by_site.segment[row])
    }

    /// Whether call paths were recorded.
    pub fn have_paths(&self) -> bool {
        !self.segments.is_empty()
    }
}

#[derive(Default)]
struct Collector {
    places: Places,
    place_rows: HashMap<Place, PlaceRow>,
    module_rows: HashMap<LoadedFile, Row<LoadedFile>>,
    frame_rows: HashMap<Frame, Row<Frame>>,
    segment_rows: HashMap<Segment, Row<Segment>>,
    stack_rows: HashMap<Stack, Row<Stack>>,
    code_rows: HashMap<PythonCode, Row<PythonCode>>,
}

/// A stream's modules: their rows, and their biases.
type Modules = HashMap<u32, (Row<LoadedFile>, u64)>;

fn frame_of(address: u64, module: u32, modules: &Modules) -> Frame {
    match modules.get(&module) {
        Some(&(module, bias)) => Frame { module: Some(module), address: address.wrapping_sub(bias) },
        None => Frame { module: None, address },
    }
}

impl Collector {
    fn add(&mut self, stream: &mut StreamEvents) {
        let modules: Modules =
            stream.modules.iter().map(|m| (m.module, (self.module_row(&m.file, m.bias), m.bias))).collect();
        order_by_id(&mut stream.sites, |site| u64::from(site.site));
        let mut paths: HashMap<u32, Row<Segment>> = HashMap::new();
        for path in std::mem::take(&mut stream.paths) {
            let row = self.segment_row(&path, &modules);
            paths.entry(path.site).or_insert(row);
        }
        let hits = stream.hits.raw.iter().map(|hit| self.hit_row(hit, &modules)).collect();
        stream.hits.frames = hits;
        let recorded = std::mem::take(&mut stream.stacks);
        stream.hits.stacks = self.stacks(&recorded, &modules);
        let mut ids = Vec::with_capacity(stream.sites.len());
        for site in &stream.sites {
            let place = match modules.get(&site.module) {
                Some(&(module, bias)) => Place {
                    module: Some(module),
                    call_site: site.call_site.wrapping_sub(bias),
                    function: if site.function == 0 { 0 } else { site.function.wrapping_sub(bias) },
                },
                None => Place { module: None, call_site: site.call_site, function: site.function },
            };
            ids.push(u64::from(stream.stream) << 48 | u64::from(site.site));
            let row = self.place_row(place);
            self.places.by_site.place.push(row);
            self.places.by_site.segment.push(paths.get(&site.site).copied());
        }
        self.places.by_site.sites.add_stream(stream.stream, &ids);
    }

    fn module_row(&mut self, file: &LoadedFile, bias: u64) -> Row<LoadedFile> {
        let Places { modules, biases, .. } = &mut self.places;
        *self.module_rows.entry(file.clone()).or_insert_with(|| {
            biases.push(bias);
            modules.add(file.clone())
        })
    }

    /// As if the thread had returned to the next address.
    fn hit_row(&mut self, hit: &RawHit, modules: &Modules) -> Option<Row<Frame>> {
        let frame = (hit.address != 0).then(|| frame_of(hit.address.wrapping_add(1), hit.module, modules));
        frame.map(|frame| self.frame_row(frame))
    }

    fn segment_row(&mut self, path: &OwnedPath, modules: &Modules) -> Row<Segment> {
        let frames = path.frames.iter().map(|&(address, module)| frame_of(address, module, modules));
        let frames = frames.map(|frame| self.frame_row(frame)).collect();
        let segment = Segment { frames, flags: path.flags, python: path.python.clone() };
        let segments = &mut self.places.segments;
        *self.segment_rows.entry(segment).or_insert_with_key(|segment| segments.add(segment.clone()))
    }

    /// The rows of a stream's stacks, by the stream's ids.
    fn stacks(&mut self, recorded: &RecordedStacks, modules: &Modules) -> HashMap<u32, Row<Stack>> {
        let codes: HashMap<u32, Row<PythonCode>> =
            recorded.codes.iter().map(|(id, code)| (*id, self.code_row(code))).collect();
        recorded.stacks.iter().map(|stack| (stack.id, self.stack_row(stack, modules, &codes))).collect()
    }

    fn stack_row(
        &mut self,
        stack: &OwnedStack,
        modules: &Modules,
        codes: &HashMap<u32, Row<PythonCode>>,
    ) -> Row<Stack> {
        let is_python = |frame: &&StackFrame| frame.flags & stack_frame::PYTHON != 0;
        let native = stack.frames.iter().filter(|frame| !is_python(frame));
        let frames =
            native.map(|frame| self.frame_row(frame_of(frame.address, frame.module, modules))).collect();
        let python = stack.frames.iter().filter(is_python).map(|frame| PythonFrame {
            code: codes.get(&frame.module).copied(),
            line: u32::try_from(frame.address).unwrap_or(0),
            is_entry: frame.flags & stack_frame::ENTRY != 0,
        });
        let stack = Stack { frames, python: python.collect(), flags: stack.flags };
        let stacks = &mut self.places.stacks;
        *self.stack_rows.entry(stack).or_insert_with_key(|stack| stacks.add(stack.clone()))
    }

    fn code_row(&mut self, code: &PythonCode) -> Row<PythonCode> {
        let codes = &mut self.places.codes;
        *self.code_rows.entry(code.clone()).or_insert_with(|| codes.add(code.clone()))
    }

    fn frame_row(&mut self, frame: Frame) -> Row<Frame> {
        let frames = &mut self.places.frames;
        *self.frame_rows.entry(frame).or_insert_with(|| frames.add(frame))
    }

    fn place_row(&mut self, place: Place) -> PlaceRow {
        let places = &mut self.places.places;
        *self.place_rows.entry(place).or_insert_with(|| places.add(place))
    }
}
