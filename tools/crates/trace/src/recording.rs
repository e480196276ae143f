// SPDX-License-Identifier: Apache-2.0
//! A recording on disk: finds its files and maps them. Only this module of the crate does input.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, UncheckedAdvice};

use crate::device_clock::DeviceClock;
use crate::error::{Error, Problem};
use crate::input::{map_regular, read_regular};
use crate::layout::{CHUNK_BYTES, MAX_STREAMS, VERSIONS};
use crate::live::LiveStream;
use crate::meta::{parse, End, Head, Meta};
use crate::ranks::is_ranks;
use crate::seal::check_text;
use crate::stream::StreamReader;
use crate::topology::{TOPOLOGY_FILE, TOPOLOGY_FILE_BESIDE};

/// No runtime writes more; a larger file is not ours. Linux takes at most 6 MiB of arguments and
/// environment, and JSON has at most 6 bytes for one of theirs.
const MAX_JSON_BYTES: u64 = 64 << 20;
/// More than any stream that can be read has. The reader limits the size of all streams together.
const MAX_STREAM_BYTES: u64 = 1 << 40;

pub struct Recording {
    pub directory: PathBuf,
    pub meta: Meta,
    /// `None`: the program did not end in order, the recording is incomplete.
    pub end: Option<End>,
    /// In order of their numbers.
    pub streams: Vec<StreamFile>,
    pub clocks: Clocks,
}

/// Against which other clocks those of a recording are known. By themselves they are not: whoever
/// reads several processes knows.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// Of a device: its times are shown as by the clock of its host.
    pub of_host: Option<DeviceClock>,
    /// Of a host, by number of the device.
    pub of_devices: BTreeMap<u32, DeviceClock>,
}

pub struct StreamFile {
    pub number: u16,
    path: PathBuf,
    /// `None`: the file is empty, which cannot be mapped.
    map: Option<Mmap>,
    /// All of the mapping is the file's; else some of its pages are copies.
    is_of_file: bool,
}

impl StreamFile {
    pub fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    /// Gives the memory of the chunk at this byte back, after the chunk was read. A further access
    /// reads it from the file again.
    pub fn release_chunk(&self, begin: usize) {
        let bytes = CHUNK_BYTES.min(self.bytes().len().saturating_sub(begin));
        let Some(map) = self.map.as_ref().filter(|_| self.is_of_file && bytes > 0) else { return };
        // SAFETY: the mapping is shared and read only, so its pages do not change: the system reads
        // them from the file again.
        let released = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, begin, bytes) };
        let _ = released; // then the memory is given back with the mapping
    }

    pub fn reader(&self) -> StreamReader<'_> {
        StreamReader::new(self.bytes(), &self.path, u32::from(self.number))
    }

    /// A reader of the one chunk that begins at this byte.
    pub fn reader_of_chunk(&self, begin: usize) -> StreamReader<'_> {
        StreamReader::of_chunk(self.bytes(), &self.path, u32::from(self.number), begin)
    }
}

impl Recording {
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let mut meta = read_meta(directory)?;
        let end = read_end(&directory.join("end.json"), &meta)?;
        let streams = open_streams(directory, end.is_some())?;
        if let Some(stream) = streams.iter().find(|stream| !stream.reader().began_at(meta.start())) {
            return Err(Error::new(&stream.path, Problem::OtherRun));
        }
        meta.note_runtimes(end.as_ref());
        Ok(Self { directory: directory.to_owned(), meta, end, streams, clocks: Clocks::default() })
    }

    pub fn bytes(&self) -> u64 {
        self.streams.iter().map(|stream| stream.bytes().len() as u64).sum()
    }
}

/// Whether `directory` holds a Teff recording, of whatever version.
pub fn is_recording(directory: &Path) -> bool {
    let file = directory.join("meta.json");
    let head: Result<Head, Error> = read_text(&file).and_then(|text| parse(&file, &text));
    head.is_ok_and(|head| head.format == Meta::FORMAT)
}

/// Whether a recording has files of this name.
pub fn is_file_of_a_recording(name: &OsStr) -> bool {
    const OTHERS: [&str; 10] = [
        "meta.json",
        "end.json",
        "meta.json.tmp",
        "end.json.tmp",
        "chunks",
        "full",
        "symbols.json",
        "symbols.json.tmp",
        TOPOLOGY_FILE,
        TOPOLOGY_FILE_BESIDE,
    ];
    OTHERS.iter().any(|other| name == *other)
        || counts_pid(name).is_some()
        || matches!(stream_number(Path::new(name)), Ok(Some(_)))
}

/// The process of a file of counts of instructions, `counts-PID.bin` or `counts-PID-2.bin`.
pub fn counts_pid(name: &OsStr) -> Option<u64> {
    let words = name.to_str()?.strip_prefix("counts-")?.strip_suffix(".bin")?;
    words.split_once('-').map_or(words, |(pid, _)| pid).parse().ok()
}

pub(crate) fn read_meta(directory: &Path) -> Result<Meta, Error> {
    let io = |error| Error::new(directory, Problem::Io(error));
    if !fs::metadata(directory).map_err(io)?.is_dir() {
        return Err(Error::new(directory, Problem::NotARecording("it is not a directory")));
    }
    let file = directory.join("meta.json");
    if fs::symlink_metadata(&file).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        let nothing = Problem::NotARecording("it has no meta.json");
        let problem = if is_ranks(directory) { Problem::OfRanks } else { nothing };
        return Err(Error::new(directory, problem));
    }
    let text = read_text(&file)?;
    if text.is_empty() {
        return Err(Error::new(directory, Problem::NotARecording("its meta.json is empty")));
    }
    // The version is checked before the other fields: a later version may have others.
    let head: Head = parse(&file, &text)?;
    if head.format != Meta::FORMAT {
        return Err(Error::new(&file, Problem::NotARecording("its format is not teff-trace")));
    }
    if !VERSIONS.map(u64::from).any(|version| version == head.version) {
        return Err(Error::new(&file, Problem::WrongVersion(head.version)));
    }
    check_text(&text).map_err(|problem| Error::new(&file, problem))?;
    let mut meta: Meta = parse(&file, &text)?;
    let left_out = std::mem::take(&mut meta.command_left_out);
    meta.command.left_out = meta.command.left_out.saturating_add(left_out);
    if meta.ticks_per_second == 0 {
        return Err(Error::new(&file, Problem::BadJson("ticks_per_second is 0".to_owned())));
    }
    Ok(meta)
}

/// `None`: there is no such file, or it is empty, as a program leaves it that is killed while it
/// writes it.
pub(crate) fn read_end(file: &Path, meta: &Meta) -> Result<Option<End>, Error> {
    if fs::metadata(file).is_err() {
        return Ok(None);
    }
    let text = read_text(file)?;
    if text.is_empty() {
        return Ok(None);
    }
    check_text(&text).map_err(|problem| Error::new(file, problem))?;
    let end: End = parse(file, &text)?;
    if end.start_ticks.is_some_and(|start| start != meta.start_ticks) {
        return Err(Error::new(file, Problem::OtherEnd));
    }
    Ok(Some(end))
}

fn read_text(file: &Path) -> Result<Vec<u8>, Error> {
    read_regular(file, MAX_JSON_BYTES).map_err(|error| Error::new(file, Problem::Io(error)))
}

/// The bytes of the files of all streams, before any of them is opened.
pub fn stream_bytes(directory: &Path) -> Result<u64, Error> {
    let files = stream_files(directory)?;
    Ok(files.iter().filter_map(|(_, path)| fs::metadata(path).ok()).map(|file| file.len()).sum())
}

/// `is_over`: no process writes the files any more.
fn open_streams(directory: &Path, is_over: bool) -> Result<Vec<StreamFile>, Error> {
    let files = stream_files(directory)?;
    if let Some(pair) = files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let problem = Problem::NotARecording("two of its files have the same stream number");
        return Err(Error::new(&pair[1].1, problem));
    }
    let begun = files.into_iter().map(|(number, path)| BegunStream::of(number, path, is_over));
    let begun: Vec<BegunStream> = begun.collect::<Result<_, _>>()?;
    begun.into_iter().map(BegunStream::finish).collect()
}

/// In the order of their numbers.
fn stream_files(directory: &Path) -> Result<Vec<(u16, PathBuf)>, Error> {
    let io = |error| Error::new(directory, Problem::Io(error));
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if let Some(number) = stream_number(&path)? {
            files.push((number, path));
        }
    }
    files.sort();
    Ok(files)
}

/// The number in `stream-NNNN.bin`; `None` for any other file.
fn stream_number(path: &Path) -> Result<Option<u16>, Error> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let digits = name.strip_prefix("stream-").and_then(|rest| rest.strip_suffix(".bin"));
    let Some(digits) = digits else { return Ok(None) };
    match digits.parse::<usize>() {
        Ok(number) if number < MAX_STREAMS && !digits.starts_with('+') => Ok(Some(number as u16)),
        _ => Err(Error::new(path, Problem::NotARecording("its name has no stream number"))),
    }
}

/// A file that is about to be mapped.
struct BegunStream {
    number: u16,
    path: PathBuf,
    /// `None`: no process writes it.
    live: Option<LiveStream>,
}

impl BegunStream {
    fn of(number: u16, path: PathBuf, is_over: bool) -> Result<Self, Error> {
        let mut live = None;
        if !is_over {
            let begun = LiveStream::begin(&path, MAX_STREAM_BYTES);
            let begun = begun.map_err(|error| Error::new(&path, Problem::Io(error)))?;
            live = Some(begun.ok_or_else(|| Error::new(&path, Problem::WrittenTooFast))?);
        }
        Ok(Self { number, path, live })
    }

    fn finish(self) -> Result<StreamFile, Error> {
        let Self { number, path, live } = self;
        let is_of_file = live.is_none();
        let map = match live {
            Some(live) => live.finish(),
            None => map_regular(&path, MAX_STREAM_BYTES),
        };
        let map = map.map_err(|error| Error::new(&path, Problem::Io(error)))?;
        Ok(StreamFile { number, path, map, is_of_file })
    }
}
