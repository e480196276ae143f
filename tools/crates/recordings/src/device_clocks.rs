// SPDX-License-Identifier: Apache-2.0
//! Compares the clocks of a host and its devices, by what the host has recorded of its exchanges
//! with them.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use trace::layout::CHUNK_BYTES;
use trace::{Clock, ClockPair, DeviceClock, Exchange, Process, Record, Recording, StreamFile, Ticks};

/// Those of one stream, by device.
#[derive(Default)]
struct Exchanges {
    of: HashMap<u32, Vec<Exchange>>,
    pairs: Option<(ClockPair, ClockPair)>,
}

/// By number of device. Empty unless the processes are one host and its devices; a device that was
/// never compared is left out. What cannot be read counts as not there: whoever reads the
/// recording says so.
pub fn device_clocks(processes: &[Process]) -> BTreeMap<u32, DeviceClock> {
    let mut hosts = processes.iter().filter(|one| one.meta.devices.is_some() && one.meta.device.is_none());
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return BTreeMap::new() };
    let mut devices: BTreeMap<u32, Vec<&Process>> = BTreeMap::new();
    for process in processes {
        if let Some(device) = process.meta.device {
            devices.entry(device).or_default().push(process);
        }
    }
    if devices.is_empty() {
        return BTreeMap::new();
    }
    let Ok(recording) = Recording::open(&host.directory) else { return BTreeMap::new() };
    let streams: Vec<_> = recording.streams.par_iter().map(Exchanges::of).collect();
    let pairs = streams.iter().filter_map(|stream| stream.pairs);
    let clock = Clock::of(&recording.meta, recording.end.as_ref(), pairs);
    let clock_of = |(number, of_number): (u32, Vec<&Process>)| {
        let [process] = of_number[..] else { return None }; // of several, it is not known which
        let exchanges: Vec<_> =
            streams.iter().filter_map(|stream| stream.of.get(&number)).flatten().copied().collect();
        let device = (&process.meta, process.end());
        let clock = DeviceClock::of((&recording.meta, clock), (device.0, device.1.as_ref()), &exchanges)?;
        Some((number, clock))
    };
    devices.into_iter().filter_map(clock_of).collect()
}

impl Exchanges {
    fn of(file: &StreamFile) -> Self {
        let mut this = Self::default();
        let mut reader = file.reader();
        let mut chunk = 0;
        while let Some(Ok(entry)) = reader.next() {
            let begun = entry.offset as usize / CHUNK_BYTES * CHUNK_BYTES;
            if begun != chunk {
                file.release_chunk(chunk);
                chunk = begun;
            }
            let (device, exchange) = match entry.record {
                Record::Device(construct) => {
                    let Some((began, ended)) = construct.on_device else { continue };
                    let sent = entry.stamp + Ticks(construct.waited) + Ticks(construct.prepared);
                    let answered = sent + Ticks(construct.there);
                    (construct.device, Exchange { sent, began, ended, answered })
                }
                Record::Exchange { device, ticks, began, ended } => {
                    let (sent, answered) = (entry.stamp, entry.stamp + Ticks(u64::from(ticks)));
                    (device, Exchange { sent, began, ended, answered })
                }
                _ => continue,
            };
            this.of.entry(device).or_default().push(exchange);
        }
        this.pairs = reader.clock_pairs();
        this
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use grains::{GrainKind, Profile};
    use trace::layout::task::IMPLICIT;
    use trace::writer::RecordingWriter;
    use trace::{Create, Meta, Run, Stamp, TaskId};

    use super::*;

    const AHEAD: f64 = 5e12;
    const HOST_START: u64 = 1_000_000_000;
    const DRIFT_PPM: f64 = 50.0;
    const MS: i64 = 1_000_000;

    /// What the device's counter shows, and its CLOCK_MONOTONIC, so long after the host's start.
    fn on_device(host: i64) -> u64 {
        (AHEAD + host as f64 * (1.0 + DRIFT_PPM * 1e-6)).round() as u64
    }

    fn meta(start: u64, device: Option<u32>) -> Meta {
        let (start_ticks, start_monotonic_ns) = (start, start);
        let meta = RecordingWriter::plain_meta(1);
        Meta { start_ticks, start_monotonic_ns, devices: Some(1), device, ..meta }
    }

    /// A host that compares its clock with the device's every 10 ms, and a device that began at
    /// `began` by the host's clock, and runs a task from 5 to 6 ms.
    fn record(directory: &Path, began: i64) {
        let root = TaskId::new(0, 1);
        let create =
            |task, parent, flags| Record::Create(Create { task, parent, flags, ..Create::default() });
        let run = |task, ticks: u64| Record::Run(Run { task, ticks, ..Run::default() });
        let mut host = RecordingWriter::create(directory, 1, &meta(HOST_START, None)).unwrap();
        host.put(0, 0, create(root, TaskId::NONE, IMPLICIT)).unwrap();
        for sent in (4..900).step_by(10).map(|ms| ms * MS) {
            let (began, ended) = (Stamp(on_device(sent + 2_000)), Stamp(on_device(sent + 2_100)));
            let exchange = Record::Exchange { device: 0, ticks: 7_000, began, ended };
            host.put(0, sent as u64, exchange).unwrap();
        }
        host.put(0, 0, run(root, 1_000 * MS as u64)).unwrap();
        host.end(HOST_START + 1_000 * MS as u64).unwrap();

        let start = on_device(began);
        let since = |host: i64| on_device(host) - start;
        let device = directory.join("process-2");
        let mut device = RecordingWriter::create(&device, 1, &meta(start, Some(0))).unwrap();
        let child = TaskId::new(0, 2);
        device.put(0, 0, create(root, TaskId::NONE, IMPLICIT)).unwrap();
        device.put(0, since(4 * MS), create(child, root, 0)).unwrap();
        device.put(0, since(5 * MS), run(child, since(6 * MS) - since(5 * MS))).unwrap();
        device.put(0, 0, run(root, since(900 * MS))).unwrap();
        device.end(on_device(950 * MS)).unwrap();
    }

    #[test]
    fn a_device_has_the_times_of_its_host() {
        for began in [3 * MS, -2 * MS, -10_000 * MS] {
            let place = tempfile::tempdir().unwrap();
            record(place.path(), began);
            let processes = trace::processes(place.path()).unwrap().readable;
            let clocks = device_clocks(&processes);
            let facts = clocks[&0].facts;
            let is_near = |a: f64, b: f64, error: f64| assert!((a - b).abs() <= error, "{a} {b} {facts:?}");
            assert!((1_000.0..5_000.0).contains(&facts.error_ns), "{facts:?}");
            let ahead = AHEAD - HOST_START as f64 + 4e6 * DRIFT_PPM * 1e-6; // the first exchange is at 4 ms
            is_near(facts.offset_ns as f64, ahead, facts.error_ns + 10.0);
            is_near(facts.drift_ppm, DRIFT_PPM, facts.drift_error_ppm + 1e-3);
            assert!(facts.drift_error_ppm < 10.0 && facts.exchanges == 90 && !facts.other_machine);

            let mut recording = Recording::open(&place.path().join("process-2")).unwrap();
            recording.clocks.of_host = clocks.get(&0).copied();
            let profile = Profile::of(recording, &|_| {}).unwrap();
            let grains = &profile.grains;
            let error = facts.error_ns + 100.0;
            let of = |kind| grains.task_rows().find(|&row| grains.kind[row] == kind).unwrap();
            let (initial, child) = (of(GrainKind::Initial), of(GrainKind::Task));
            is_near(profile.ns(grains.start.of(child)), 5e6, error);
            is_near(profile.ns(grains.end.of(child)), 6e6, error);
            is_near(profile.ns(grains.start.of(initial)), began.max(0) as f64, error);
            is_near(profile.ns(grains.end.of(initial)), 9e8, error);
            is_near(profile.ns(profile.wall), 9.5e8, error);
        }
    }

    #[test]
    fn without_a_host_or_with_two_devices_of_a_number_there_is_no_clock() {
        let place = tempfile::tempdir().unwrap();
        record(place.path(), MS);
        let mut processes = trace::processes(place.path()).unwrap().readable;
        processes[1].meta.device = None;
        assert!(device_clocks(&processes).is_empty(), "two hosts");
        processes[1].meta.device = Some(0);
        processes.remove(0);
        assert!(device_clocks(&processes).is_empty(), "no host");
    }
}
