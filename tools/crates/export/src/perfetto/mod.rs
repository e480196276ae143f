// SPDX-License-Identifier: Apache-2.0
//! A trace for Perfetto: a track for each worker, with the fragments of grains, waits, holds of
//! locks and idleness as slices, and tracks for parallel regions.
//!
//! Each worker has a separate sequence of packets, in order of time. The first packet has the
//! values that are the same in all packets of the sequence. A name is written once; after that,
//! packets refer to it by a number. Times are relative to the previous packet.

mod file;
mod flows;
mod message;
mod regions;
mod sequence;

use std::io::{Result, Write};

use grains::summary::SiteKind;
use grains::{GrainRow, Profile, Row, Ticks};
use symbols::Symbols;
use terminal::{printable, say};

use super::names::{self, Name, Names};
use super::slices::{Cut, Event, Slices, What};
use file::{File, WORKERS};
use flows::Flows;
use sequence::{Annotation, Sequence, Text};

/// The largest file that Perfetto's page reads.
const MOST_BYTES: u64 = 2 << 30;

pub fn write(out: &mut dyn Write, profile: &Profile, symbols: &Symbols) -> Result<()> {
    let mut file = File::to(out);
    let names = Names::of(profile, symbols);
    file.process(profile)?;
    let mut slices = Slices::of(profile, Cut::Fragments);
    let workers = slices.workers();
    for &worker in &workers {
        let name = worker_name(profile, worker);
        file.track(WORKERS + u64::from(worker), u64::from(worker), &name)?;
    }
    let mut left_out = 0;
    let flows = Flows::of(profile);
    for worker in workers {
        let mut track = Track::new(profile, &names, &flows, worker);
        track.sequence.begin(&mut file)?;
        left_out += slices.of_worker(worker, |event| track.event(&mut file, event))?;
    }
    left_out += regions::write(&mut file, profile, &names)?;
    if left_out > 0 {
        say(format!(
            "{left_out} slices were left out: more than 500 were nested in each other, or overlapped."
        ));
    }
    if file.bytes() > MOST_BYTES {
        say("the trace has more than 2 GiB: Perfetto's page cannot open it by itself, but it can through \
             trace_processor. Otherwise record a shorter run.");
    }
    Ok(())
}

pub fn worker_name(profile: &Profile, worker: u16) -> String {
    let named = profile.meta.modelled.as_ref().and_then(|modelled| modelled.workers.get(usize::from(worker)));
    named.map_or_else(|| format!("worker {worker}"), |name| printable(name))
}

/// The slices of one worker.
struct Track<'a> {
    profile: &'a Profile,
    names: &'a Names,
    flows: &'a Flows<'a>,
    sequence: Sequence,
}

impl<'a> Track<'a> {
    fn new(profile: &'a Profile, names: &'a Names, flows: &'a Flows, worker: u16) -> Self {
        let sequence = Sequence::new(2 + u64::from(worker), WORKERS + u64::from(worker));
        Self { profile, names, flows, sequence }
    }

    fn event(&mut self, file: &mut File, event: Event) -> Result<()> {
        let at_ns = self.ns(event.at);
        if !event.begins {
            return self.sequence.slice_ends(file, at_ns);
        }
        let row = event.slice.row as usize;
        let (name, category, place) = self.look(event.slice.what, row);
        let mut values = Self::place(place);
        values.push(self.row(event.slice.what, row));
        let mut ends = flows::Ends::default();
        if event.slice.what == What::Fragment && event.first {
            let work = self.profile.fragments.net(self.profile.items.row[row]);
            values.push(Annotation::Number("work_ns", self.ns(work)));
            ends = self.flows.at(row);
        }
        self.sequence.slice_begins(file, at_ns, name, category, &values, &ends)
    }

    fn ns(&self, ticks: Ticks) -> u64 {
        self.profile.ns(ticks).round() as u64
    }

    fn fragment_grain(&self, item: usize) -> GrainRow {
        self.profile.fragments.grain[self.profile.items.row[item] as usize]
    }

    /// Name, category and place of a slice, with the row of the place's name.
    fn look(&self, what: What, row: usize) -> (Text<'a>, &'static str, Option<(usize, &'a Name)>) {
        let (profile, names) = (self.profile, self.names);
        let at = |place| Some((names.row_of_place(place), names.place(place)));
        match what {
            What::Fragment | What::Stay | What::Creation | What::Runtime => {
                let grain = if what == What::Fragment { self.fragment_grain(row) } else { Row::new(row) };
                let name = names.of_grain(profile, grain);
                let category = SiteKind::of_grain(profile.grains.kind[grain]).name();
                (Text::Grain(name, names.text(name)), category, at(profile.grains.place[grain]))
            }
            What::Wait | What::Departed => {
                let wait = &profile.waits[Row::new(row)];
                (Text::Plain(names::of_wait(wait.kind)), "wait", at(wait.place))
            }
            What::Hold => {
                let hold = &profile.locks[row];
                (Text::Plain(names::of_lock(hold.kind)), "lock", at(hold.place))
            }
            What::Region => (Text::Plain("region"), "region", at(profile.regions[Row::new(row)].place)),
            What::Idle => (Text::Plain("idle"), "idle", None),
        }
    }

    fn place(place: Option<(usize, &'a Name)>) -> Vec<Annotation<'a>> {
        let Some((row, name)) = place else { return Vec::new() };
        let row = row as u32;
        let mut values = vec![Annotation::Function(row, &name.function)];
        if !name.file.is_empty() {
            values.push(Annotation::Site(row, name.site()));
        }
        values
    }

    /// The row that distinguishes this slice from other slices with the same name.
    fn row(&self, what: What, row: usize) -> Annotation<'a> {
        match what {
            What::Fragment => Annotation::Number("grain", self.fragment_grain(row).number().into()),
            What::Stay | What::Creation | What::Runtime => Annotation::Number("grain", row as u64),
            What::Wait | What::Departed => {
                Annotation::Number("grain", self.profile.waits[Row::new(row)].task.number().into())
            }
            What::Hold => Annotation::Number("address", self.profile.locks[row].address),
            What::Region => Annotation::Number("region", row as u64),
            What::Idle => Annotation::Number("idle", row as u64),
        }
    }
}
