// SPDX-License-Identifier: Apache-2.0
//! Builds exact recordings. One tick is one nanosecond, recordings start at 0.

use grains::{Profile, Row, Selection, Ticks};
use trace::layout::task;
use trace::writer::RecordingWriter;
use trace::*;

pub struct Golden {
    _directory: tempfile::TempDir,
    path: std::path::PathBuf,
    writer: RecordingWriter,
}

/// A type of records that is none.
const UNKNOWN: u8 = 222;

/// The task with `ordinal` on `stream`.
pub fn id(stream: u16, ordinal: u64) -> TaskId {
    TaskId::new(stream, ordinal)
}

/// For each task: the row of the wait that joined it.
pub fn joined_by(profile: &Profile) -> Vec<Option<u32>> {
    profile.joined_by.iter().map(|wait| wait.map(Row::number)).collect()
}

/// For each grain: the row of its parent.
pub fn parents(profile: &Profile) -> Vec<Option<usize>> {
    profile.grains.parent.iter().map(|parent| parent.map(Row::at)).collect()
}

/// The rows of the tasks of each dependence.
pub fn edges(profile: &Profile) -> Vec<(usize, usize)> {
    profile.edges.iter().map(|(from, to)| (from.at(), to.at())).collect()
}

pub fn region(ordinal: u64) -> RegionId {
    RegionId::new(0, ordinal)
}

impl Golden {
    pub fn new(streams: u16) -> Self {
        Self::of_version(streams, layout::VERSION)
    }

    pub fn of_version(streams: u16, version: u32) -> Self {
        Self::with_meta(streams, &Meta { version, ..RecordingWriter::plain_meta(2) })
    }

    /// By a recorder that says what its records cost: behind them, and within.
    pub fn with_costs(streams: u16, after: &[(&str, f64)], within: &[(&str, f64)]) -> Self {
        let by_name = |costs: &[(&str, f64)]| costs.iter().map(|&(n, c)| (n.to_owned(), c)).collect();
        let mut meta = RecordingWriter::plain_meta(2);
        meta.record_cost_ticks = by_name(after);
        meta.record_cost_within_ticks = by_name(within);
        Self::with_meta(streams, &meta)
    }

    pub fn with_processors(streams: u16, processors: u32) -> Self {
        Self::with_meta(streams, &Meta { processors, ..RecordingWriter::plain_meta(processors) })
    }

    /// Of a host of so many devices.
    pub fn with_devices(streams: u16, devices: u32) -> Self {
        Self::with_meta(streams, &Meta { devices: Some(devices), ..RecordingWriter::plain_meta(2) })
    }

    /// Of the first of two devices.
    pub fn device(streams: u16) -> Self {
        let meta = Meta { devices: Some(2), device: Some(0), ..RecordingWriter::plain_meta(2) };
        Self::with_meta(streams, &meta)
    }

    pub fn modelled(streams: u16, run: Modelled) -> Self {
        Self::with_meta(streams, &Meta { modelled: Some(run), ..RecordingWriter::plain_meta(2) })
    }

    fn with_meta(streams: u16, meta: &Meta) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("golden.teff");
        let writer = RecordingWriter::create(&path, streams, meta).unwrap();
        Self { _directory: directory, path, writer }
    }

    /// As a later runtime writes it, with types of records that nobody knows yet.
    pub fn later(streams: u16) -> Self {
        let mut this = Self::new(streams);
        for stream in 0..streams {
            let out = this.writer.stream(stream);
            out.sizes = out.sizes.with(UNKNOWN, Size::fixed(48));
        }
        this
    }

    pub fn unknown(&mut self, stream: u16, ticks: u64) -> &mut Self {
        self.writer.stream(stream).put_any(ticks, UNKNOWN, &[0xff; 40], &[]).unwrap();
        self
    }

    pub fn put(&mut self, stream: u16, ticks: u64, record: Record) -> &mut Self {
        self.writer.put(stream, ticks, record).unwrap();
        self
    }

    /// The initial task, on stream 0.
    pub fn initial(&mut self, task: TaskId, at: u64) -> &mut Self {
        self.implicit(task, TaskId::NONE, RegionId::NONE, at)
    }

    pub fn implicit(&mut self, task: TaskId, parent: TaskId, region: RegionId, at: u64) -> &mut Self {
        let create = Create { task, parent, flags: task::IMPLICIT, ..Default::default() };
        self.put(task.stream(), at, Record::Create(create));
        self.put(task.stream(), at, Record::Start { task, region })
    }

    pub fn create(&mut self, task: TaskId, parent: TaskId, at: u64, cost: u32) -> &mut Self {
        self.create_with(task, parent, at, cost, 0)
    }

    pub fn create_with(&mut self, task: TaskId, parent: TaskId, at: u64, cost: u32, flags: u8) -> &mut Self {
        let create = Create { task, parent, site: 1, cost, flags };
        self.put(task.stream(), at, Record::Create(create))
    }

    pub fn run(&mut self, stream: u16, task: TaskId, start: u64, end: u64, region: RegionId) -> &mut Self {
        let run = Run { task, ticks: end - start, cpu: 0, region, flags: 0 };
        self.put(stream, start, Record::Run(run))
    }

    pub fn wait(&mut self, task: TaskId, stream: u16, kind: WaitKind, start: u64, end: u64) -> &mut Self {
        self.left(task, stream, kind, start, end, 0)
    }

    /// A wait in which the task leaves its stack to others `departures` times.
    pub fn left(
        &mut self,
        task: TaskId,
        stream: u16,
        kind: WaitKind,
        start: u64,
        end: u64,
        departures: u16,
    ) -> &mut Self {
        let wait = Wait { kind, task, ticks: end - start, site: 1, barrier: 0, departures };
        self.put(stream, start, Record::Wait(wait))
    }

    /// A taskgroup of `task` from `begin`, whose end is waited for from `wait` to `end`.
    pub fn group(&mut self, task: TaskId, stream: u16, begin: u64, wait: u64, end: u64) -> &mut Self {
        self.put(stream, begin, Record::GroupBegin { task });
        self.wait(task, stream, WaitKind::Taskgroup, wait, end)
    }

    pub fn end(self, ticks: u64) -> Profile {
        self.writer.end(ticks).unwrap();
        open(&self.path)
    }

    /// What of it is selected.
    pub fn end_part(self, ticks: u64, selection: &Selection) -> Profile {
        self.writer.end(ticks).unwrap();
        Profile::of_part(Recording::open(&self.path).unwrap(), selection, &|_| {}).unwrap()
    }

    /// The same, with more in end.json.
    pub fn end_with(self, ticks: u64, more: End) -> Profile {
        self.writer.end_with(ticks, more).unwrap();
        open(&self.path)
    }

    /// Copied without the file of this stream.
    pub fn end_without(self, stream: u16, ticks: u64) -> Profile {
        self.writer.end(ticks).unwrap();
        std::fs::remove_file(self.path.join(format!("stream-{stream:04}.bin"))).unwrap();
        open(&self.path)
    }

    pub fn killed(self) -> Profile {
        self.writer.killed().unwrap();
        open(&self.path)
    }
}

fn open(path: &std::path::Path) -> Profile {
    Profile::of(Recording::open(path).unwrap(), &|_| {}).unwrap()
}

/// What `grain` does, as letters: f(ragment), c(hild), j(oin), k (chunk), r(egion), a(cquire),
/// re(l)ease, fulfil (d), s(ource), sink (w); capitals lie on the critical path.
pub fn shape(profile: &Profile, grain: usize) -> String {
    use grains::ItemKind::*;
    let letter = |at: usize| {
        let letter = match profile.items.kind[at] {
            Fragment => 'f',
            Fork => 'c',
            Join => 'j',
            Chunk => 'k',
            Region => 'r',
            Acquire => 'a',
            Release => 'l',
            Fulfil => 'd',
            Source => 's',
            Sink => 'w',
        };
        if profile.items.is_critical(at) {
            letter.to_ascii_uppercase()
        } else {
            letter
        }
    };
    profile.items.of(Row::new(grain)).map(letter).collect()
}

pub fn work(profile: &Profile) -> Vec<u64> {
    profile.grains.work.iter().map(|work| work.0).collect()
}

pub fn span(profile: &Profile) -> u64 {
    assert!(profile.span <= profile.work && profile.span > Ticks::ZERO);
    profile.span.0
}
