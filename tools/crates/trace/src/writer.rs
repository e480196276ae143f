// SPDX-License-Identifier: Apache-2.0
//! Writes recordings for tests and for the generator of synthetic traces. The runtime has its own writer.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::id::TaskId;
use crate::layout::{kind, ALIGNMENT, CHUNK_BYTES, CHUNK_HEADER_BYTES, MAGIC, MASK_48, VERSION};
use crate::meta::{End, Meta};
use crate::record::Record;

/// One stream. Ticks equal nanoseconds since the start of the recording, unless the meta file says otherwise.
pub struct StreamWriter<W: Write> {
    out: W,
    stream: u16,
    sequence: u64,
    /// Where the recording says that it began.
    pub start_ticks: u64,
    /// The current chunk; empty before the first record.
    chunk: Vec<u8>,
}

impl<W: Write> StreamWriter<W> {
    pub fn new(out: W, stream: u16) -> Self {
        Self { out, stream, sequence: 0, start_ticks: 0, chunk: Vec::new() }
    }

    pub fn put(&mut self, ticks: u64, record: &Record) -> io::Result<()> {
        let (kind_byte, flags, payload) = encode(record);
        let size = (8 + payload.len()).next_multiple_of(ALIGNMENT);
        if self.chunk.is_empty() || self.chunk.len() + size > CHUNK_BYTES {
            self.next_chunk()?;
        }
        let end = self.chunk.len() + size;
        let when = ticks & MASK_48;
        self.word(u64::from(kind_byte) | u64::from(flags) << 8 | when << 16);
        self.chunk.extend_from_slice(&payload);
        self.chunk.resize(end, 0);
        Ok(())
    }

    /// Writes what is left. The last chunk is cut short where its records end.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&self.chunk)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Ends the current chunk as the runtime does: the rest of it stays zero.
    pub fn next_chunk(&mut self) -> io::Result<()> {
        if !self.chunk.is_empty() {
            self.chunk.resize(CHUNK_BYTES, 0);
            self.out.write_all(&self.chunk)?;
            self.chunk.clear();
        }
        self.word(MAGIC);
        self.word(u64::from(VERSION) | u64::from(self.stream) << 32);
        self.word(self.sequence);
        // All chunks count from the start of the recording: records may be older than their chunk.
        self.word(self.start_ticks);
        self.word(0);
        self.chunk.resize(CHUNK_HEADER_BYTES, 0);
        self.sequence += 1;
        Ok(())
    }

    fn word(&mut self, value: u64) {
        self.chunk.extend_from_slice(&value.to_le_bytes());
    }
}

/// A whole recording: meta.json, streams, end.json.
pub struct RecordingWriter {
    directory: PathBuf,
    streams: Vec<StreamWriter<BufWriter<File>>>,
}

impl RecordingWriter {
    /// Meta data with one tick per nanosecond, starting at 0.
    pub fn plain_meta(processors: u32) -> Meta {
        Meta {
            format: Meta::FORMAT.to_owned(),
            version: VERSION,
            runtime: "0.1.0".to_owned(),
            pid: 1,
            host: "test".to_owned(),
            command: vec!["./prog".to_owned(), "arg".to_owned()].into(),
            command_left_out: 0,
            start_unix_ns: 0,
            start_monotonic_ns: 0,
            start_ticks: 0,
            ticks_per_second: 1_000_000_000,
            processors,
            environment: Default::default(),
        }
    }

    pub fn create(directory: &Path, streams: u16, meta: &Meta) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        fs::write(directory.join("meta.json"), serde_json::to_vec(meta)?)?;
        let open = |stream| {
            let file = File::create(directory.join(format!("stream-{stream:04}.bin")))?;
            let mut writer = StreamWriter::new(BufWriter::new(file), stream);
            writer.start_ticks = meta.start_ticks;
            Ok(writer)
        };
        Ok(Self {
            directory: directory.to_owned(),
            streams: (0..streams).map(open).collect::<io::Result<_>>()?,
        })
    }

    pub fn put(&mut self, stream: u16, ticks: u64, record: Record) -> io::Result<()> {
        self.streams[usize::from(stream)].put(ticks, &record)
    }

    /// Ends the recording as a killed program does.
    pub fn killed(self) -> io::Result<()> {
        for stream in self.streams {
            stream.finish()?;
        }
        Ok(())
    }

    /// Ends the recording in order.
    pub fn end(self, ticks: u64) -> io::Result<()> {
        let end = End {
            end_monotonic_ns: ticks,
            end_ticks: ticks,
            streams: self.streams.len() as u32,
            lost_records: 0,
        };
        fs::write(self.directory.join("end.json"), serde_json::to_vec(&end)?)?;
        self.killed()
    }
}

/// Type byte, flags and what follows the head.
fn encode(record: &Record) -> (u8, u8, Vec<u8>) {
    let mut out = Payload(Vec::with_capacity(64));
    let (kind_byte, flags) = match record {
        Record::Site(r) => {
            out.half(r.site).half(r.module).word(r.call_site).word(r.function);
            (kind::SITE, 0)
        }
        Record::Module(r) => {
            out.half(r.module).half(r.path.len() as u32).word(r.bias).word(0);
            out.0.extend_from_slice(r.path);
            (kind::MODULE, 0)
        }
        Record::Create(r) => {
            out.task(r.task).task(r.parent).half(r.site).half(r.cost);
            (kind::CREATE, r.flags)
        }
        Record::Run(r) => {
            out.task(r.task).timed(r.ticks, r.cpu).word(r.region.0);
            (kind::RUN, r.flags)
        }
        Record::Wait(r) => {
            out.task(r.task).timed(r.ticks, 0).half(r.site).half(r.barrier);
            (kind::WAIT, r.kind as u8)
        }
        Record::Region(r) => {
            out.word(r.region.0).task(r.parent).half(r.site).half(r.threads);
            out.half(r.requested).half(r.level).word(0);
            (kind::REGION, 0)
        }
        Record::RegionEnd { region } => {
            out.word(region.0).word(0).word(0);
            (kind::REGION_END, 0)
        }
        Record::Loop(r) => {
            out.word(r.id.0).word(r.region.0).half(r.site).half(r.threads);
            out.word(r.lb as u64).word(r.ub as u64).word(r.step as u64).word(r.chunk as u64);
            (kind::LOOP, r.flags)
        }
        Record::Chunk(r) => {
            out.word(r.id.0).task(r.task).word(r.first as u64).word(r.iterations);
            out.timed(r.ticks, r.cpu);
            (kind::CHUNK, 0)
        }
        Record::LoopThread(r) => {
            out.word(r.id.0).task(r.task).word(r.ticks);
            (kind::LOOP_THREAD, 0)
        }
        Record::Dep(r) => {
            out.task(r.successor).task(r.predecessor).word(r.address);
            (kind::DEP, 0)
        }
        Record::Idle { ticks } => {
            out.word(*ticks).word(0).word(0);
            (kind::IDLE, 0)
        }
        Record::Steal { task, victim } => {
            out.task(*task).half(*victim).half(0).word(0);
            (kind::STEAL, 0)
        }
        Record::Clock(pair) => {
            out.word(pair.ticks).word(pair.ns).word(0);
            (kind::CLOCK, 0)
        }
        Record::Start { task, region } => {
            out.task(*task).word(region.0).word(0);
            (kind::START, 0)
        }
        Record::Lost { records } => {
            out.word(*records).word(0).word(0);
            (kind::LOST, 0)
        }
        Record::GroupBegin { task } => {
            out.task(*task).word(0).word(0);
            (kind::GROUP_BEGIN, 0)
        }
    };
    (kind_byte, flags, out.0)
}

struct Payload(Vec<u8>);

impl Payload {
    fn half(&mut self, value: u32) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn word(&mut self, value: u64) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn task(&mut self, task: TaskId) -> &mut Self {
        self.word(task.0)
    }

    fn timed(&mut self, ticks: u64, cpu: u16) -> &mut Self {
        self.word(ticks & MASK_48 | u64::from(cpu) << 48)
    }
}
