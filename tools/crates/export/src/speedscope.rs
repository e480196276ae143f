// SPDX-License-Identifier: Apache-2.0
//! Speedscope's own file format: a profile of events for each worker. The stack shows what the
//! worker ran, and inside which waits of which tasks. If samples have stacks, one more profile has
//! the samples of all workers: a flame graph of the program's functions.

use std::io::{Result, Write};

use grains::{Profile, Ticks};
use symbols::Symbols;
use terminal::{printable, say};

use super::frames::{end_of, Frames};
use super::json_file::JsonFile;
use super::perfetto::worker_name;
use super::sampled::{self, Sampled};
use super::slices::{Cut, Event, Slices};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

struct Writer<'a> {
    file: JsonFile<'a>,
    profile: &'a Profile,
    frames: Frames<'a>,
    end: u64,
}

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    let end = ns(profile, end_of(profile));
    let mut writer = Writer { file: JsonFile::new(out), profile, frames: Frames::of(profile, symbols), end };
    let mut slices = Slices::of(profile, Cut::Stays);
    writer.file.put(&format!("{{\"$schema\":\"{SCHEMA}\",\n\"name\":"))?;
    writer.file.put_value(&printable(&profile.meta.command.to_string()))?;
    writer.file.put(",\"exporter\":\"teff\",\"activeProfileIndex\":0,\n\"profiles\":[")?;
    let mut left_out = 0;
    for (number, worker) in slices.workers().into_iter().enumerate() {
        writer.file.put(if number > 0 { ",\n" } else { "\n" })?;
        left_out += writer.worker(&mut slices, worker)?;
    }
    let samples = sampled::of(profile, symbols, &mut writer.frames);
    if !samples.is_empty() {
        writer.samples(&samples)?;
    }
    writer.file.put("\n],\n\"shared\":{\"frames\":")?;
    writer.file.put_value(writer.frames.all())?;
    writer.file.put("}}\n")?;
    if left_out > 0 {
        say(format!("{left_out} slices were nested in more than 500 others and were left out."));
    }
    writer.file.finish();
    Ok(())
}

fn ns(profile: &Profile, ticks: Ticks) -> u64 {
    profile.ns(ticks).round() as u64
}

impl Writer<'_> {
    fn worker(&mut self, slices: &mut Slices, worker: u16) -> Result<u64> {
        self.file.put("{\"type\":\"evented\",\"name\":")?;
        self.file.put_value(&worker_name(self.profile, worker))?;
        let end = self.end;
        self.file
            .put(&format!(",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":{end},\"events\":["))?;
        let mut separator = "";
        let left_out = slices.of_worker(worker, |event| {
            self.event(separator, event)?;
            separator = ",";
            Ok(())
        })?;
        self.file.put("]}")?;
        Ok(left_out)
    }

    /// There are samples, and so there is a worker.
    fn samples(&mut self, samples: &[Sampled]) -> Result<()> {
        let end = samples.iter().map(|sample| sample.ns).sum::<u64>();
        self.file.put(&format!(
            ",\n{{\"type\":\"sampled\",\"name\":\"samples of all workers\",\"unit\":\"nanoseconds\",\"startValue\":0,\
             \"endValue\":{end},\"samples\":["
        ))?;
        for (number, sample) in samples.iter().enumerate() {
            self.file.put(if number > 0 { ",\n" } else { "\n" })?;
            self.file.put_value(&sample.frames)?;
        }
        self.file.put("],\"weights\":")?;
        self.file.put_value(&samples.iter().map(|sample| sample.ns).collect::<Vec<_>>())?;
        self.file.put("}")
    }

    fn event(&mut self, separator: &str, event: Event) -> Result<()> {
        let frame = self.frames.number_of(&event.slice);
        let kind = if event.begins { 'O' } else { 'C' };
        let at = ns(self.profile, event.at);
        self.file.put(&format!("{separator}\n{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{at}}}"))
    }
}
