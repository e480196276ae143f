// SPDX-License-Identifier: Apache-2.0
//! The recorded run on a modelled cluster: a host and a number of devices.

use grains::predict::{DevicesLimit, DevicesPoint, Network, Place, Predictor};
use grains::units::{bytes, percent, several, time};
use grains::Profile;
use rayon::prelude::*;
use serde::Serialize;
use terminal::{Failure, Result};

use super::options::parse_time;
use crate::args::{PlacedBy, PredictArgs};
use crate::report::paragraph;

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct DevicesFacts {
    pub recorded: u32,
    pub constructs: usize,
    /// Those of tasks that are not recorded.
    pub left_out: usize,
    pub network: NetworkFacts,
    /// What the host takes for a construct, and how much data it sends or receives per second.
    pub host_ns: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_bytes_per_s: Option<f64>,
    /// What a device takes for a construct besides the region.
    pub device_ns: f64,
    pub replay: DevicesReplay,
    pub points: Vec<DevicesPointFacts>,
    /// More devices than these make the program hardly faster.
    pub enough: Enough,
}

#[derive(Serialize)]
pub struct NetworkFacts {
    pub name: String,
    pub latency_ns: f64,
    /// `None`: any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_s: Option<f64>,
}

/// The recorded set-up, executed by the model without a network, beside what was measured: from the
/// first construct to the end of the last.
#[derive(Serialize)]
pub struct DevicesReplay {
    pub devices: u32,
    pub predicted_ns: f64,
    pub measured_ns: f64,
    /// predicted / measured - 1
    pub error: f64,
}

#[derive(Serialize)]
pub struct DevicesPointFacts {
    pub devices: u32,
    pub place: &'static str,
    pub time_ns: f64,
    /// From the first construct to the end of the last.
    pub in_use_ns: f64,
    /// Of the time in use, against the smallest number of devices.
    pub speedup: f64,
    /// The part of the devices' time in which regions run.
    pub efficiency: f64,
    pub ran_ns: f64,
    pub program_ns: f64,
    pub host_ns: f64,
    pub link_to_ns: f64,
    pub link_from_ns: f64,
    pub device_ns: f64,
    pub busiest_device_ns: f64,
    pub path_ns: f64,
    pub limit: &'static str,
}

#[derive(Serialize)]
pub struct Enough {
    pub devices: u32,
    pub limit: &'static str,
}

/// The latency of small messages between two programs, in ns, and the line's rate. The sources are
/// in docs/predicting.md.
const NETWORKS: [(&str, f64, f64); 4] =
    [("hdr", 1.3e3, 25e9), ("100gbe", 2e3, 12.5e9), ("25gbe", 2e3, 3.125e9), ("10gbe-tcp", 10e3, 1.25e9)];
/// Without the network.
const LOCAL: Network =
    Network { latency_ns: 0.0, bytes_per_s: f64::INFINITY, host_ns: None, host_bytes_per_s: None };
const MOST_LATENCY_NS: f64 = 3.6e12;
/// In bytes per second. What lies beyond is no network, and its times have no digits left.
const RATES: std::ops::RangeInclusive<f64> = 1.0..=1e15;
/// Within this factor of the shortest time, more devices are of no use.
const HARDLY: f64 = 1.1;

pub fn on_devices(
    args: &PredictArgs,
    profile: &Profile,
    predictor: &Predictor,
) -> Result<Option<DevicesFacts>> {
    if args.devices.is_empty() {
        return Ok(None);
    }
    let Some(model) = predictor.on_devices() else { return Err(no_constructs(args, profile)) };
    let (name, network) = network(args)?;
    let recorded = model.recorded_devices().max(1);
    let place = |devices| placed(args.place, devices, recorded);
    let mut wanted = args.devices.clone();
    wanted.sort_unstable();
    wanted.dedup();
    let predict = |devices: u32, place, network: &Network| {
        model
            .point(devices, place, network)
            .map_err(|stuck| Failure::Recording(format!("cannot predict: {stuck}")))
    };
    let points: Result<Vec<DevicesPoint>> = wanted
        .par_iter()
        .with_max_len(1)
        .map(|&devices| predict(devices, place(devices), &network))
        .collect();
    let points = points?;
    let replayed = predict(recorded, Place::Program, &LOCAL)?;
    let (predicted_ns, measured_ns) = (profile.ns(replayed.in_use), profile.ns(model.recorded_in_use()));
    let facts: Vec<_> = points.iter().map(|point| point_facts(profile, point, &points[0])).collect();
    Ok(Some(DevicesFacts {
        recorded,
        constructs: model.constructs(),
        left_out: model.strays(),
        network: NetworkFacts {
            name,
            latency_ns: network.latency_ns,
            bytes_per_s: Some(network.bytes_per_s).filter(|rate| rate.is_finite()),
        },
        host_ns: network.host_ns.unwrap_or(model.costs_ns().0),
        host_bytes_per_s: network.host_bytes_per_s.or(rate(model.costs_ns().1)),
        device_ns: model.costs_ns().2,
        replay: DevicesReplay {
            devices: recorded,
            predicted_ns,
            measured_ns,
            error: if measured_ns > 0.0 { predicted_ns / measured_ns - 1.0 } else { 0.0 },
        },
        enough: enough(&facts),
        points: facts,
    }))
}

fn no_constructs(args: &PredictArgs, profile: &Profile) -> Failure {
    let directory = args.recording.directory.display();
    Failure::Usage(match (profile.meta.device, profile.meta.devices) {
        (Some(device), _) => format!(
            "--devices: this process of {directory} is device {device}. Predict from the host: --process chooses it."
        ),
        (None, Some(_)) if profile.has_gaps() || !profile.complete => format!(
            "--devices: the host's recording in {directory} has no construct on a device: {}",
            if profile.complete { "a part of it is missing." } else { "it ends before the first one had ended." }
        ),
        _ => format!(
            "--devices: no construct ran on a device in {directory}. Record the host of a run with devices: teff record \
             -- teff run --devices 2 -- PROGRAM."
        ),
    })
}

fn rate(byte_ns: f64) -> Option<f64> {
    (byte_ns > 0.0).then(|| 1e9 / byte_ns)
}

fn placed(by: Option<PlacedBy>, devices: u32, recorded: u32) -> Place {
    match by {
        Some(PlacedBy::Program) => Place::Program,
        Some(PlacedBy::LeastLoaded) => Place::LeastLoaded,
        None if devices <= recorded => Place::Program,
        Some(PlacedBy::RoundRobin) | None => Place::RoundRobin,
    }
}

fn place_name(place: Place) -> &'static str {
    match place {
        Place::Program => "program",
        Place::RoundRobin => "round-robin",
        Place::LeastLoaded => "least-loaded",
    }
}

fn limit_name(limit: DevicesLimit) -> &'static str {
    match limit {
        DevicesLimit::Program => "program",
        DevicesLimit::Host => "host",
        DevicesLimit::LinkOut => "link-to",
        DevicesLimit::LinkBack => "link-from",
        DevicesLimit::Devices => "devices",
        DevicesLimit::OneDevice => "one-device",
        DevicesLimit::Path => "path",
    }
}

fn point_facts(profile: &Profile, point: &DevicesPoint, first: &DevicesPoint) -> DevicesPointFacts {
    let ns = |ticks| profile.ns(ticks);
    DevicesPointFacts {
        devices: point.devices,
        place: place_name(point.place),
        time_ns: ns(point.time),
        in_use_ns: ns(point.in_use),
        speedup: first.in_use.0 as f64 / point.in_use.0.max(1) as f64,
        efficiency: point.efficiency(),
        ran_ns: ns(point.ran),
        program_ns: ns(point.program),
        host_ns: ns(point.host),
        link_to_ns: ns(point.out),
        link_from_ns: ns(point.back),
        device_ns: ns(point.held),
        busiest_device_ns: ns(point.held_most),
        path_ns: ns(point.path),
        limit: limit_name(point.limit()),
    }
}

/// The first number of devices that is nearly as fast as any.
fn enough(points: &[DevicesPointFacts]) -> Enough {
    let shortest = points.iter().map(|point| point.in_use_ns).fold(f64::INFINITY, f64::min);
    let found = points.iter().find(|point| point.in_use_ns <= HARDLY * shortest);
    let last = found.or(points.last());
    Enough {
        devices: last.map_or(0, |point| point.devices),
        limit: last.map_or("devices", |point| point.limit),
    }
}

/// Its name, and the network.
fn network(args: &PredictArgs) -> Result<(String, Network)> {
    let (host_ns, host_bytes_per_s) = match args.host_cost.as_deref() {
        None => (None, None),
        Some(words) => match words.split_once(',') {
            None => (Some(parse_time("--host-cost", words)?), None),
            Some((each, rate)) => {
                (Some(parse_time("--host-cost", each)?), Some(parse_rate("--host-cost", rate)?))
            }
        },
    };
    let with = |latency_ns, bytes_per_s| Network { latency_ns, bytes_per_s, host_ns, host_bytes_per_s };
    let Some(words) = args.network.as_deref() else {
        return Ok(("none".to_owned(), with(0.0, f64::INFINITY)));
    };
    if let Some(&(name, latency_ns, rate)) = NETWORKS.iter().find(|known| known.0 == words) {
        return Ok((name.to_owned(), with(latency_ns, rate)));
    }
    let Some((latency, rate)) = words.split_once(',') else {
        let names: Vec<_> = NETWORKS.iter().map(|known| known.0).collect();
        return Err(Failure::Usage(format!(
            "--network {words}: there is no network of this name; there are {}. Or give a latency and a bandwidth: \
             2us,12.5GB/s.",
            names.join(", ")
        )));
    };
    let latency_ns = parse_time("--network", latency)?;
    if latency_ns > MOST_LATENCY_NS {
        return Err(Failure::Usage(format!("--network {words}: the latency is longer than an hour.")));
    }
    Ok((words.to_owned(), with(latency_ns, parse_rate("--network", rate)?)))
}

/// In bytes per second.
fn parse_rate(option: &str, words: &str) -> Result<f64> {
    let units = [("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9), ("Mb/s", 1.25e5), ("Gb/s", 1.25e8)];
    let found = units.iter().find_map(|(unit, factor)| {
        let number: f64 = words.strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * factor).filter(|rate| RATES.contains(rate))
    });
    found.ok_or_else(|| {
        Failure::Usage(format!(
            "{option} {words}: this is no bandwidth. Give a number with kB/s, MB/s, GB/s, Mb/s or Gb/s, from 1 byte/s to \
             1000000 GB/s: 12.5GB/s or 100Gb/s."
        ))
    })
}

fn limited_by(limit: &str) -> &'static str {
    match limit {
        "program" => "program's threads",
        "host" => "host",
        "link-to" => "link to devices",
        "link-from" => "link from devices",
        "devices" => "devices",
        "one-device" => "busiest device",
        _ => "longest path",
    }
}

pub fn render(out: &mut String, facts: &DevicesFacts) {
    let network = &facts.network;
    let line = match network.bytes_per_s {
        None => "without a network".to_owned(),
        Some(rate) => {
            format!("network {}: {}, {}/s", network.name, time(network.latency_ns), bytes(rate as u64))
        }
    };
    out.push_str(&format!("\nOn a modelled cluster, {line}\n"));
    out.push_str(&format!(
        "  {:>7} {:>9} {:>9} {:>8} {:>10} {:>6} {:>6} {:>7}  {:12} {}\n",
        "devices",
        "time",
        "in use",
        "speed-up",
        "efficiency",
        "host",
        "link",
        "busiest",
        "placed",
        "limited by"
    ));
    for point in &facts.points {
        let part = |ns: f64| percent(ns, point.in_use_ns);
        out.push_str(&format!(
            "  {:>7} {:>9} {:>9} {:>8.2} {:>10} {:>6} {:>6} {:>7}  {:12} {}\n",
            point.devices,
            time(point.time_ns),
            time(point.in_use_ns),
            point.speedup,
            percent(point.efficiency, 1.0),
            part(point.host_ns),
            part(point.link_to_ns.max(point.link_from_ns)),
            part(point.busiest_device_ns),
            point.place,
            limited_by(point.limit)
        ));
    }
    out.push('\n');
    let host = match facts.host_bytes_per_s {
        None => String::new(),
        Some(rate) => format!(", and 1 s for {} of data", bytes(rate as u64)),
    };
    paragraph(
        out,
        "  ",
        &format!(
            "The host takes {} for a construct{host}. With {} the program is within 10 % of its shortest time here; \
             it is limited by: {}. Replay on {} as recorded, without a network: {} predicted, {} measured: {:+.1} % off.",
            time(facts.host_ns),
            several(u64::from(facts.enough.devices), "device"),
            limited_by(facts.enough.limit),
            several(u64::from(facts.replay.devices), "device"),
            time(facts.replay.predicted_ns),
            time(facts.replay.measured_ns),
            facts.replay.error * 100.0
        ),
    );
    if facts.left_out > 0 {
        let (left_out, all) = (facts.left_out, several(facts.constructs as u64, "construct"));
        paragraph(
            out,
            "  ",
            &format!("{left_out} of {all} belong to tasks that are not recorded, and are left out."),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_have_units() {
        let rate = |words| parse_rate("--network", words).map_err(|error| error.to_string());
        assert_eq!([rate("12.5GB/s"), rate("100 Gb/s"), rate("1kB/s")], [Ok(12.5e9), Ok(12.5e9), Ok(1e3)]);
        for wrong in
            ["", "5", "GB/s", "-1GB/s", "0MB/s", "infGB/s", "NaNGB/s", "1e300GB/s", "1e-9kB/s", "1TB/h"]
        {
            assert!(rate(wrong).unwrap_err().contains("12.5GB/s"), "{wrong}");
        }
    }

    #[test]
    fn programs_place_what_was_recorded() {
        assert_eq!(placed(None, 4, 4), Place::Program);
        assert_eq!(placed(None, 8, 4), Place::RoundRobin);
        assert_eq!(placed(Some(PlacedBy::LeastLoaded), 4, 4), Place::LeastLoaded);
    }
}
