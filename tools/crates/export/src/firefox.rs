// SPDX-License-Identifier: Apache-2.0
//! The Firefox profiler's processed format: a thread for each worker. Samples are not taken at
//! fixed intervals: there is one sample for each stretch of time in which the worker's stack stays
//! the same, and the sample's weight is the length of the stretch. If samples of the program have
//! stacks, one more thread has those of all workers, one after the other: a flame graph of the
//! program's functions, by CPU time.
//!
//! The format is stored column by column, so the slices of a worker are traversed once for each
//! column, and memory does not grow with the number of samples. The page can read older versions of
//! the format; this file writes the first version in which threads share their tables.

use std::io::{Result, Write};

use grains::{Profile, Ticks, NONE};
use serde::Serialize;
use serde_json::{json, Value};
use symbols::Symbols;
use terminal::{printable, say};

use super::frames::{end_of, Category, Frame, Frames};
use super::json_file::JsonFile;
use super::paths::{Node, Paths};
use super::perfetto::worker_name;
use super::sampled::{self, Sampled};
use super::slices::{Cut, Slice, Slices};

const VERSION: u32 = 61;
const MOST_STACKS: usize = 1 << 20;
const NS_PER_MS: f64 = 1e6;

/// The categories of `Category`, in its order, in colours that the page knows. The page uses the
/// first grey category for everything without a category. On request, it leaves out the category
/// called Idle.
const CATEGORIES: [(&str, &str); 8] = [
    ("Runtime", "grey"),
    ("Task", "blue"),
    ("Implicit task", "green"),
    ("Initial task", "brown"),
    ("Chunk", "lightblue"),
    ("Wait", "orange"),
    ("Lock", "magenta"),
    ("Idle", "transparent"),
];

struct Writer<'a> {
    file: JsonFile<'a>,
    profile: &'a Profile,
    slices: Slices<'a>,
    frames: Frames<'a>,
    stacks: Stacks,
    end_ns: u64,
}

/// The different stacks. If there are too many, further stacks have only their last frame, so the
/// self time of a function is exact in any case.
struct Stacks {
    paths: Paths,
    shortened: u64,
}

impl Stacks {
    fn below(&mut self, stack: u32, frame: u32) -> u32 {
        let Some(found) = self.paths.below(stack, frame) else {
            self.shortened += 1;
            return self.paths.root(frame);
        };
        found
    }
}

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    let mut writer = Writer {
        file: JsonFile::new(out),
        profile,
        slices: Slices::of(profile, Cut::Stays),
        frames: Frames::of(profile, symbols),
        stacks: Stacks { paths: Paths::new(u32::MAX, MOST_STACKS), shortened: 0 },
        end_ns: ns(profile, end_of(profile)),
    };
    writer.file.put("{\"meta\":")?;
    writer.file.put_value(&meta(profile))?;
    writer.file.put(",\n\"libs\":[],\"pages\":[],\n\"threads\":[")?;
    let mut left_out = 0;
    let samples = sampled::of(profile, symbols, &mut writer.frames);
    let workers = writer.slices.workers();
    if workers.is_empty() {
        say("no worker did anything: the Firefox profiler does not open a profile without threads.");
    }
    for (number, worker) in workers.into_iter().enumerate() {
        writer.file.put(if number > 0 { ",\n" } else { "\n" })?;
        left_out += writer.worker(worker, number == 0)?;
    }
    if !samples.is_empty() {
        writer.samples(&samples)?;
    }
    writer.file.put("\n],\n\"shared\":")?;
    writer.shared()?;
    writer.file.put("}\n")?;
    if left_out > 0 {
        say(format!("{left_out} slices were nested in more than 500 others and were left out."));
    }
    if writer.stacks.shortened > 0 {
        say(format!(
            "there are more than {MOST_STACKS} different stacks: {} slices have no stack, so that the slices around \
             them are not shown.",
            writer.stacks.shortened
        ));
    }
    writer.file.finish();
    Ok(())
}

fn meta(profile: &Profile) -> Value {
    let categories: Vec<Value> = CATEGORIES
        .iter()
        .map(|(name, color)| json!({"name": name, "color": color, "subcategories": ["Other"]}))
        .collect();
    json!({
        "preprocessedProfileVersion": VERSION,
        "version": 24,
        "product": printable(&profile.meta.command.to_string()),
        "importedFrom": "Teff",
        "startTime": profile.meta.start_unix_ns as f64 / NS_PER_MS,
        "interval": 1.0 / NS_PER_MS,
        "processType": 0,
        "stackwalk": 1,
        "debug": false,
        "symbolicated": true,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "categories": categories,
        "markerSchema": [],
    })
}

/// A step in the traversal of a worker's samples.
enum Step {
    Enter(Slice),
    Leave,
    /// From here on the stack stays the same for this time.
    Sample {
        at_ns: u64,
        length_ns: u64,
    },
}

impl Writer<'_> {
    fn worker(&mut self, worker: u16, is_first: bool) -> Result<u64> {
        self.begin_thread(&worker_name(self.profile, worker), u32::from(worker), is_first)?;
        let left_out = self.stack_column(worker)?;
        self.file.put("],\n\"time\":[")?;
        self.column(worker, |at_ns, _| at_ns as f64 / NS_PER_MS)?;
        self.file.put("],\n\"weight\":[")?;
        let length = self.column(worker, |_, length_ns| length_ns as f64 / NS_PER_MS)?;
        self.file.put(&format!("],\n\"length\":{length}}}}}"))?;
        Ok(left_out)
    }

    /// Begins a thread, up to the column of its stacks.
    fn begin_thread(&mut self, name: &str, number: u32, is_first: bool) -> Result<()> {
        let process = printable(&self.profile.meta.command.to_string());
        let markers: [u32; 0] = [];
        let head = json!({
            "name": name,
            "isMainThread": is_first,
            "processName": process,
            "processType": "default",
            "pid": self.profile.meta.pid.to_string(),
            "tid": number,
            "processStartupTime": 0,
            "processShutdownTime": null,
            "registerTime": 0,
            "unregisterTime": null,
            "pausedRanges": [],
            "markers": {
                "length": 0, "category": markers, "data": markers, "name": markers, "phase": markers,
                "startTime": markers, "endTime": markers,
            },
        });
        let head = serde_json::to_string(&head)?;
        self.file.put(&head[..head.len() - 1])?;
        self.file.put(",\n\"samples\":{\"weightType\":\"tracing-ms\",\n\"stack\":[")
    }

    fn samples(&mut self, samples: &[Sampled]) -> Result<()> {
        self.file.put(",\n")?;
        self.begin_thread("samples of all workers", u32::from(u16::MAX) + 1, false)?;
        let stacks = samples
            .iter()
            .map(|sample| sample.frames.iter().fold(NONE, |below, &frame| self.stacks.below(below, frame)));
        let stacks: Vec<u32> = stacks.collect();
        let ms: Vec<f64> = samples.iter().map(|sample| sample.ns as f64 / NS_PER_MS).collect();
        let begins = ms.iter().scan(0.0, |at, ms| Some(std::mem::replace(at, *at + ms)));
        let rows = [json!(stacks), json!(begins.collect::<Vec<f64>>()), json!(ms)];
        let [stacks, begins, ms] = rows.map(|column| column.to_string());
        let inside = |column: &str| column[1..column.len() - 1].to_owned();
        self.file.put(&format!(
            "{}],\n\"time\":{begins},\n\"weight\":{ms},\n\"length\":{}}}}}",
            inside(&stacks),
            samples.len()
        ))
    }

    fn stack_column(&mut self, worker: u16) -> Result<u64> {
        let mut open = Vec::new();
        let mut separator = "";
        let Self { file, profile, slices, frames, stacks, end_ns } = self;
        steps(profile, slices, worker, *end_ns, |step| {
            match step {
                Step::Enter(slice) => {
                    let below = open.last().copied().unwrap_or(NONE);
                    open.push(stacks.below(below, frames.number_of(&slice)));
                }
                Step::Leave => drop(open.pop()),
                Step::Sample { .. } => {
                    file.put(separator)?;
                    file.put_value(&open.last())?;
                    separator = ",";
                }
            }
            Ok(())
        })
    }

    /// The tables that the threads share: some small tables, and the table of stacks, which may be
    /// large.
    fn shared(&mut self) -> Result<()> {
        let tables = serde_json::to_string(&tables(self.frames.all()))?;
        self.file.put(&tables[..tables.len() - 1])?;
        let nodes = &self.stacks.paths.nodes;
        self.file.put(&format!(",\n\"stackTable\":{{\"length\":{},\n\"prefix\":", nodes.len()))?;
        let prefix = |node: &Node| (node.parent != NONE).then_some(node.parent);
        self.file.put_value(&nodes.iter().map(prefix).collect::<Vec<_>>())?;
        self.file.put(",\n\"frame\":")?;
        self.file.put_value(&nodes.iter().map(|node| node.name).collect::<Vec<_>>())?;
        self.file.put("}}")
    }

    /// The number of samples.
    fn column(&mut self, worker: u16, value: impl Fn(u64, u64) -> f64) -> Result<u64> {
        let mut samples = 0;
        let Self { file, profile, slices, end_ns, .. } = self;
        steps(profile, slices, worker, *end_ns, |step| {
            if let Step::Sample { at_ns, length_ns } = step {
                file.put(if samples > 0 { "," } else { "" })?;
                file.put_value(&value(at_ns, length_ns))?;
                samples += 1;
            }
            Ok(())
        })?;
        Ok(samples)
    }
}

fn ns(profile: &Profile, ticks: Ticks) -> u64 {
    profile.ns(ticks).round() as u64
}

/// Calls `each` with the worker's samples, one after the other until the end of the run; the last
/// sample has no length. Returns the number of slices that were left out.
fn steps(
    profile: &Profile,
    slices: &mut Slices,
    worker: u16,
    end_ns: u64,
    mut each: impl FnMut(Step) -> Result<()>,
) -> Result<u64> {
    let mut last = 0;
    let mut sample_until = |at: u64, each: &mut dyn FnMut(Step) -> Result<()>| {
        let (at_ns, length_ns) = (last, at.saturating_sub(last));
        last = last.max(at);
        if length_ns == 0 {
            return Ok(());
        }
        each(Step::Sample { at_ns, length_ns })
    };
    let left_out = slices.of_worker(worker, |event| {
        sample_until(ns(profile, event.at), &mut each)?;
        each(if event.begins { Step::Enter(event.slice) } else { Step::Leave })
    })?;
    sample_until(end_ns, &mut each)?;
    each(Step::Sample { at_ns: end_ns, length_ns: 0 })?;
    Ok(left_out)
}

/// A column with the same value in all rows.
fn same<T: Clone + Serialize>(value: T, rows: usize) -> Value {
    json!(vec![value; rows])
}

/// A function and its frame have the same number.
fn tables(frames: &[Frame]) -> Value {
    let mut sources: Vec<&str> =
        frames.iter().map(|frame| &*frame.file).filter(|file| !file.is_empty()).collect();
    sources.sort_unstable();
    sources.dedup();
    let strings: Vec<&str> = frames.iter().map(|frame| &*frame.name).chain(sources.iter().copied()).collect();
    let rows = frames.len();
    let line = |frame: &Frame| (frame.line != 0).then_some(frame.line);
    let lines: Vec<Option<u32>> = frames.iter().map(line).collect();
    let source = |frame: &Frame| sources.binary_search(&&*frame.file).ok();
    let empty: [u32; 0] = [];
    json!({
        "stringArray": strings,
        "frameTable": {
            "length": rows,
            "address": same(-1, rows),
            "inlineDepth": same(0, rows),
            "category": frames.iter().map(|frame| frame.category as u8).collect::<Vec<_>>(),
            "subcategory": same(0, rows),
            "func": (0..rows).collect::<Vec<_>>(),
            "nativeSymbol": same(Value::Null, rows),
            "innerWindowID": same(0, rows),
            "line": lines,
            "column": same(Value::Null, rows),
        },
        "funcTable": {
            "length": rows,
            "name": (0..rows).collect::<Vec<_>>(),
            "isJS": same(false, rows),
            "relevantForJS": same(false, rows),
            "resource": same(-1, rows),
            "source": frames.iter().map(source).collect::<Vec<_>>(),
            "lineNumber": lines,
            "columnNumber": same(Value::Null, rows),
        },
        "sources": {
            "length": sources.len(),
            "id": same(Value::Null, sources.len()),
            "filename": (rows..rows + sources.len()).collect::<Vec<_>>(),
            "startLine": same(1, sources.len()),
            "startColumn": same(1, sources.len()),
            "sourceMapURL": same(Value::Null, sources.len()),
        },
        "resourceTable": {"length": 0, "type": empty, "name": empty, "lib": empty, "host": empty},
        "nativeSymbols": {"length": 0, "libIndex": empty, "address": empty, "name": empty, "functionSize": empty},
    })
}

const _: () = assert!(Category::Idle as usize + 1 == CATEGORIES.len());
