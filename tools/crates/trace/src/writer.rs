// SPDX-License-Identifier: Apache-2.0
//! Writes recordings: for tests, and from synthetic traces and other tools' profiles. The runtime
//! has its own writer.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::encode::{encode, Encoded};
use crate::layout::{
    kind, ALIGNMENT, CHUNK_BYTES, CHUNK_HEADER_BYTES, CHUNK_HEADER_BYTES_1, MAGIC, MASK_48, SIZES_AT, VERSION,
};
use crate::meta::{End, Meta};
use crate::record::{Record, WaitKind};
use crate::size::Size;
use crate::sizes::Sizes;

/// One stream. Ticks equal nanoseconds since the start of the recording, unless the meta file says
/// otherwise.
pub struct StreamWriter<W: Write> {
    out: W,
    stream: u16,
    sequence: u64,
    /// Where the recording says that it began.
    pub start_ticks: u64,
    /// What the headers say, and how long the records are: behind the fields that are known they
    /// are filled with [`FILLER`].
    pub sizes: Sizes,
    version: u32,
    /// The current chunk; empty before the first record.
    chunk: Vec<u8>,
}

/// What a later version may have written behind the fields that are known.
const FILLER: u8 = 0xa5;

impl<W: Write> StreamWriter<W> {
    pub fn new(out: W, stream: u16) -> Self {
        let (sizes, chunk) = (Sizes::WRITTEN, Vec::new());
        Self { out, stream, sequence: 0, start_ticks: 0, sizes, version: VERSION, chunk }
    }

    /// Writes as the runtime did when the version was 1.
    pub fn of_version_1(out: W, stream: u16) -> Self {
        Self { sizes: Sizes::VERSION_1, version: 1, ..Self::new(out, stream) }
    }

    /// Writes as the runtime did when the version was 4: of its rings, a chunk has the place that
    /// its number says.
    pub fn of_version_4(out: W, stream: u16) -> Self {
        Self { version: 4, ..Self::new(out, stream) }
    }

    /// What the stream's version does not have is left out, as its runtime did.
    pub fn put(&mut self, ticks: u64, record: &Record) -> io::Result<()> {
        let mut encoded = encode(record);
        if self.version == 1 {
            encoded.flags = flags_of_version_1(&encoded);
        }
        if self.sizes.of(encoded.kind) == Size::NONE {
            return Ok(());
        }
        self.put_encoded(ticks, &encoded)
    }

    /// Any type that `sizes` has, with what follows the record's head, and what follows its fixed
    /// part.
    pub fn put_any(&mut self, ticks: u64, kind: u8, fixed: &[u8], tail: &[u8]) -> io::Result<()> {
        self.put_encoded(ticks, &Encoded { kind, flags: 0, fixed: fixed.to_vec(), tail: tail.to_vec() })
    }

    /// The same for a record with flags, and without a tail.
    pub fn put_any_flagged(&mut self, ticks: u64, kind: u8, flags: u8, fixed: &[u8]) -> io::Result<()> {
        self.put_encoded(ticks, &Encoded { kind, flags, fixed: fixed.to_vec(), tail: Vec::new() })
    }

    fn put_encoded(&mut self, ticks: u64, encoded: &Encoded) -> io::Result<()> {
        let fixed = self.sizes.of(encoded.kind).fixed_bytes();
        let size = (fixed + encoded.tail.len()).next_multiple_of(ALIGNMENT);
        if self.chunk.is_empty() || self.chunk.len() + size > CHUNK_BYTES {
            self.next_chunk()?;
        }
        let start = self.chunk.len();
        let when = ticks & MASK_48;
        self.word(u64::from(encoded.kind) | u64::from(encoded.flags) << 8 | when << 16);
        self.chunk.extend_from_slice(&encoded.fixed);
        self.chunk.resize(start + fixed, FILLER);
        self.chunk.extend_from_slice(&encoded.tail);
        self.chunk.resize(start + size, 0);
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
        self.word(u64::from(self.version) | u64::from(self.stream) << 32);
        self.word(self.sequence);
        // All chunks count from the start of the recording: records may be older than their chunk.
        self.word(self.start_ticks);
        self.word(0);
        self.end_header();
        self.sequence += 1;
        Ok(())
    }

    fn end_header(&mut self) {
        if self.version == 1 {
            return self.chunk.resize(CHUNK_HEADER_BYTES_1, 0);
        }
        self.word((CHUNK_HEADER_BYTES as u64) << 32);
        self.chunk.resize(SIZES_AT, 0);
        self.chunk.extend_from_slice(&self.sizes.to_bytes());
    }

    fn word(&mut self, value: u64) {
        self.chunk.extend_from_slice(&value.to_le_bytes());
    }
}

/// Version 1 has no kinds of dependences, and one kind of wait fewer.
fn flags_of_version_1(encoded: &Encoded) -> u8 {
    match encoded.kind {
        kind::DEP => 0,
        kind::WAIT if encoded.flags == WaitKind::RunAtOnce as u8 => WaitKind::Taskyield as u8,
        _ => encoded.flags,
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
            first_thread: 0,
            start_cpu_ns: 0,
            met_cpu_ns: 0,
            met_delay_ns: None,
            devices: None,
            device: None,
            device_transport: None,
            processors,
            environment: BTreeMap::default(),
            runtime_file: String::new(),
            other_runtimes: Vec::new(),
            record_cost_ticks: BTreeMap::default(),
            record_cost_within_ticks: BTreeMap::default(),
            modelled: None,
        }
    }

    /// Creates a recording of the version that `meta` names.
    pub fn create(directory: &Path, streams: u16, meta: &Meta) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        fs::write(directory.join("meta.json"), serde_json::to_vec(meta)?)?;
        let open = |stream| {
            let file = File::create(directory.join(format!("stream-{stream:04}.bin")))?;
            let out = BufWriter::new(file);
            let mut writer = match meta.version {
                1 => StreamWriter::of_version_1(out, stream),
                _ => StreamWriter::new(out, stream),
            };
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

    /// For records that [`RecordingWriter::put`] cannot write.
    pub fn stream(&mut self, stream: u16) -> &mut StreamWriter<BufWriter<File>> {
        &mut self.streams[usize::from(stream)]
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
        self.end_with(ticks, End::default())
    }

    /// The same, with more to say.
    pub fn end_with(self, ticks: u64, more: End) -> io::Result<()> {
        let end =
            End { end_monotonic_ns: ticks, end_ticks: ticks, streams: self.streams.len() as u32, ..more };
        fs::write(self.directory.join("end.json"), serde_json::to_vec(&end)?)?;
        self.killed()
    }
}
