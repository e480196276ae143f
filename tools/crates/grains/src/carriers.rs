// SPDX-License-Identifier: Apache-2.0
//! Threads of the runtime that carry out constructs on devices with nowait. They sleep while a
//! device works, and run nothing of the program's. So they are no workers: what they recorded of
//! themselves is left out, and the numbers of the workers are those of the other streams.

use std::collections::HashMap;

use crate::assemble::Assembled;
use crate::load::{At, StreamEvents};
use crate::raw_spans::RawSpan;
use crate::ticks::Ticks;

/// The streams of carriers.
#[derive(Default)]
pub(crate) struct Carriers {
    /// The number of each worker by that of its stream, if it is another one. Carriers come last.
    renumbered: HashMap<u16, u16>,
    /// The number of the other streams.
    pub workers: u32,
}

impl Carriers {
    /// Leaves of the carriers' streams only what is of the constructs. `carriers`: their numbers.
    pub fn set_apart(streams: &mut [StreamEvents], carriers: &[u16]) -> Self {
        let workers = (streams.len() - carriers.len()) as u32;
        if carriers.is_empty() {
            return Self { workers, ..Self::default() };
        }
        let is_carrier = |stream: u16| carriers.contains(&stream);
        let of_carriers = streams.iter_mut().filter(|stream| is_carrier(stream.stream));
        let given: Vec<_> = of_carriers.flat_map(keep_constructs).collect();
        for run in given {
            let created_by = run.record.task.stream();
            if let Some(creator) = streams.iter_mut().find(|stream| stream.stream == created_by) {
                creator.runs.push(run);
            }
        }
        // A stream that is missing keeps its number.
        let mut all: Vec<u16> = streams.iter().map(|stream| stream.stream).collect();
        all.sort_unstable();
        let (last, first): (Vec<u16>, Vec<u16>) = all.iter().partition(|&&stream| is_carrier(stream));
        let pairs = first.into_iter().chain(last).zip(all);
        Self { renumbered: pairs.filter(|(from, to)| from != to).collect(), workers }
    }

    fn renumber(&self, worker: &mut u16) {
        if let Some(&to) = self.renumbered.get(worker) {
            *worker = to;
        }
    }

    fn reorder<T: Default>(&self, by_worker: &mut [T]) {
        let moved: Vec<_> = self
            .renumbered
            .iter()
            .filter_map(|(&from, &to)| Some((to, std::mem::take(by_worker.get_mut(usize::from(from))?))))
            .collect();
        for (to, value) in moved {
            if let Some(place) = by_worker.get_mut(usize::from(to)) {
                *place = value;
            }
        }
    }

    /// From here on the numbers are those of workers.
    pub fn renumber_all(&self, all: &mut Assembled) {
        if self.renumbered.is_empty() {
            return;
        }
        let last = self.renumbered.keys().max().map_or(0, |&last| usize::from(last) + 1);
        all.grains.worker.iter_mut().for_each(|worker| self.renumber(worker));
        all.waits.iter_mut().for_each(|wait| self.renumber(&mut wait.worker));
        all.locks.iter_mut().for_each(|hold| self.renumber(&mut hold.worker));
        all.device_constructs.iter_mut().for_each(|construct| self.renumber(&mut construct.worker));
        all.samples.hits.iter_mut().for_each(|hit| self.renumber(&mut hit.worker));
        all.recorder.apart.iter_mut().for_each(|apart| self.renumber(&mut apart.worker));
        for idle in &mut all.idles {
            self.renumber(&mut idle.worker);
            idle.woken.iter_mut().for_each(|woken| self.renumber(&mut woken.by));
        }
        let recorder = &mut all.recorder.by_worker;
        recorder.resize(recorder.len().max(last), Ticks::ZERO);
        self.reorder(recorder);
        self.reorder(&mut all.slow);
        self.reorder(&mut all.switches);
        self.reorder(all.cores.by_worker_mut());
    }

    pub fn renumber_spans(&self, spans: &mut [RawSpan]) {
        for span in spans {
            self.renumber(&mut span.stream);
        }
    }
}

/// The numbers of the streams of carriers. Asked of all that was recorded: in a part of it, a
/// thread may have done nothing else.
pub(crate) fn carriers(streams: &[StreamEvents]) -> Vec<u16> {
    streams.iter().filter(|stream| is_carrier(stream)).map(|stream| stream.stream).collect()
}

/// Its thread has carried out constructs of others, and has done nothing of its own.
fn is_carrier(stream: &StreamEvents) -> bool {
    let has_done_nothing = stream.regions.is_empty()
        && stream.loops.is_empty()
        && stream.chunks.is_empty()
        && stream.creates.iter().all(|create| create.record.parent.is_none());
    let carries =
        !stream.devices.is_empty() && stream.devices.iter().all(|device| device.record.construct.is_deferred);
    carries && has_done_nothing
}

/// Returns what it ran of tasks of others. A construct whose predecessor has ended is given to its
/// device there, which takes no time of a worker.
fn keep_constructs(stream: &mut StreamEvents) -> Vec<At<trace::Run>> {
    let all = std::mem::replace(stream, StreamEvents::of_stream(stream.stream));
    stream.modules = all.modules;
    stream.sites = all.sites;
    stream.paths = all.paths;
    stream.devices = all.devices;
    stream.deps = all.deps;
    stream.fulfils = all.fulfils;
    stream.fulfilled_by = all.fulfilled_by;
    let of_others = all.runs.into_iter().filter(|run| run.record.task.stream() != stream.stream);
    of_others.map(|At { at, record }| At { at, record: trace::Run { ticks: 0, ..record } }).collect()
}
