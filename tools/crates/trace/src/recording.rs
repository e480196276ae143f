// SPDX-License-Identifier: Apache-2.0
//! A recording on disk: finds its files and maps them. The only place of this crate that does input.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use serde::de::DeserializeOwned;

use crate::error::{Error, Problem};
use crate::layout::{MAX_STREAMS, VERSION};
use crate::meta::{End, Meta};
use crate::stream::StreamReader;

/// No runtime writes more; a larger file is not ours.
const MAX_JSON_BYTES: u64 = 4 << 20;

pub struct Recording {
    pub directory: PathBuf,
    pub meta: Meta,
    /// `None`: the program did not end in order, the recording is incomplete.
    pub end: Option<End>,
    /// In order of their numbers.
    pub streams: Vec<StreamFile>,
}

pub struct StreamFile {
    pub number: u16,
    path: PathBuf,
    /// `None`: the file is empty, which cannot be mapped.
    map: Option<Mmap>,
}

impl StreamFile {
    pub fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    pub fn reader(&self) -> StreamReader<'_> {
        StreamReader::new(self.bytes(), &self.path, u32::from(self.number))
    }
}

impl Recording {
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let meta = read_meta(directory)?;
        let end = match fs::metadata(directory.join("end.json")) {
            Ok(_) => read_json(&directory.join("end.json"))?,
            Err(_) => None,
        };
        Ok(Self { directory: directory.to_owned(), meta, end, streams: open_streams(directory)? })
    }

    pub fn bytes(&self) -> u64 {
        self.streams.iter().map(|stream| stream.bytes().len() as u64).sum()
    }
}

/// Whether `directory` holds a Teff recording, of whatever version.
pub fn is_recording(directory: &Path) -> bool {
    let meta: Result<Option<serde_json::Value>, Error> = read_json(&directory.join("meta.json"));
    matches!(meta, Ok(Some(meta)) if meta["format"] == Meta::FORMAT)
}

fn read_meta(directory: &Path) -> Result<Meta, Error> {
    let io = |error| Error::new(directory, Problem::Io(error));
    if !fs::metadata(directory).map_err(io)?.is_dir() {
        return Err(Error::new(directory, Problem::NotARecording("it is not a directory")));
    }
    let file = directory.join("meta.json");
    if !file.exists() {
        return Err(Error::new(directory, Problem::NotARecording("it has no meta.json")));
    }
    // The version is checked before the other fields: a later version may have others.
    let value: serde_json::Value = read_json(&file)?
        .ok_or_else(|| Error::new(directory, Problem::NotARecording("its meta.json is empty")))?;
    if value["format"] != Meta::FORMAT {
        return Err(Error::new(&file, Problem::NotARecording("its format is not teff-trace")));
    }
    let version = value["version"].as_u64().unwrap_or(0);
    if version != u64::from(VERSION) {
        return Err(Error::new(&file, Problem::WrongVersion(version as u32)));
    }
    let bad = |why: String| Error::new(&file, Problem::BadJson(why));
    let meta: Meta = serde_json::from_value(value).map_err(|error| bad(error.to_string()))?;
    if meta.ticks_per_second == 0 {
        return Err(bad("ticks_per_second is 0".to_owned()));
    }
    Ok(meta)
}

/// `None`: the file is empty, as a program leaves it that is killed while it writes it.
fn read_json<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, Error> {
    let io = |error| Error::new(file, Problem::Io(error));
    let mut text = Vec::new();
    let input = File::open(file).map_err(io)?;
    input.take(MAX_JSON_BYTES).read_to_end(&mut text).map_err(io)?;
    if text.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|error| Error::new(file, Problem::BadJson(error.to_string())))
}

fn open_streams(directory: &Path) -> Result<Vec<StreamFile>, Error> {
    let io = |error| Error::new(directory, Problem::Io(error));
    let mut streams = Vec::new();
    for entry in fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if let Some(number) = stream_number(&path)? {
            streams.push(open_stream(path, number)?);
        }
    }
    streams.sort_by_key(|stream| stream.number);
    if let Some(pair) = streams.windows(2).find(|pair| pair[0].number == pair[1].number) {
        let problem = Problem::NotARecording("two of its files have the same stream number");
        return Err(Error::new(&pair[1].path, problem));
    }
    Ok(streams)
}

/// The number in `stream-NNNN.bin`; `None` for any other file.
fn stream_number(path: &Path) -> Result<Option<u16>, Error> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let digits = name.strip_prefix("stream-").and_then(|rest| rest.strip_suffix(".bin"));
    let Some(digits) = digits else { return Ok(None) };
    match digits.parse::<usize>() {
        Ok(number) if number < MAX_STREAMS => Ok(Some(number as u16)),
        _ => Err(Error::new(path, Problem::NotARecording("its name has no stream number"))),
    }
}

fn open_stream(path: PathBuf, number: u16) -> Result<StreamFile, Error> {
    let map = map_file(&path).map_err(|error| Error::new(&path, Problem::Io(error)))?;
    Ok(StreamFile { number, path, map })
}

fn map_file(path: &Path) -> std::io::Result<Option<Mmap>> {
    let file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    // SAFETY: the mapping is private to this process and read only. Who truncates the file while it is
    // read gets a SIGBUS, as with every tool that maps its input; copying gigabytes would be the alternative.
    unsafe { Mmap::map(&file) }.map(Some)
}
