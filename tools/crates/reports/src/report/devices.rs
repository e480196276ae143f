// SPDX-License-Identifier: Apache-2.0
//! What the devices of a host did, by device and by construct.

use grains::devices::{name_of_construct, Devices, OfDevice, Site, Sums};
use grains::Profile;
use serde::Serialize;
use symbols::Symbols;
use trace::{ClockFacts, DeviceConstruct};

/// Times are in nanoseconds.
#[derive(Serialize)]
pub struct DevicesFacts {
    /// How bytes are moved; empty if the recording does not say.
    pub transport: String,
    /// All of the run, also those that were not used.
    pub devices: Vec<DeviceFacts>,
    /// Over all devices, by falling time in use.
    pub sites: Vec<DeviceSite>,
    /// While no device moved data: how long something else ran beside which one could have.
    pub could_cover_ns: f64,
}

#[derive(Serialize)]
pub struct DeviceFacts {
    pub device: u32,
    #[serde(flatten)]
    pub sums: DeviceSums,
    /// `None`: its clock was not compared with the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockFacts>,
    /// For how long the shortest region ran; 0: none did.
    #[serde(skip)]
    pub shortest_ns: f64,
    /// The rest of the wall time, in which the device neither moved nor ran anything.
    pub idle_ns: f64,
    /// By falling time in use.
    pub sites: Vec<DeviceSite>,
}

/// The constructs of one kind at one line.
#[derive(Serialize)]
pub struct DeviceSite {
    pub file: String,
    pub line: u32,
    pub function: String,
    pub construct: &'static str,
    #[serde(flatten)]
    pub sums: DeviceSums,
}

#[derive(Serialize)]
pub struct DeviceSums {
    pub constructs: u64,
    /// Of data.
    pub bytes_to: u64,
    pub bytes_from: u64,
    /// Until no other construct had the device.
    pub waited_ns: f64,
    /// Until sending began; at its first use the device starts in it.
    pub prepared_ns: f64,
    /// Data and messages were under way.
    pub moving_ns: f64,
    /// Regions ran.
    pub running_ns: f64,
    /// The part of `moving_ns` in which no other device and no task of the host did anything.
    pub exposed_ns: f64,
}

impl DevicesFacts {
    pub fn of(profile: &Profile, symbols: &Symbols) -> Option<Self> {
        let devices = Devices::of(profile)?;
        let site = |row: &(Site, Sums)| DeviceSite::of(profile, symbols, row);
        let device = |device: &OfDevice| DeviceFacts {
            device: device.device,
            sums: DeviceSums::of(profile, &device.all),
            clock: profile.clocks.of_devices.get(&device.device).map(|clock| clock.facts),
            shortest_ns: shortest_ns(profile, device.device),
            idle_ns: (profile.ns(profile.wall) - profile.ns(device.all.busy())).max(0.0),
            sites: device.sites.iter().map(site).collect(),
        };
        Some(Self {
            transport: profile.meta.device_transport.clone().unwrap_or_default(),
            devices: devices.devices.iter().map(device).collect(),
            sites: devices.sites().iter().map(site).collect(),
            could_cover_ns: profile.ns(devices.could_cover),
        })
    }
}

impl DeviceSite {
    fn of(profile: &Profile, symbols: &Symbols, (site, sums): &(Site, Sums)) -> Self {
        let symbol = symbols.of(site.place);
        Self {
            file: symbol.file,
            line: symbol.line,
            function: symbol.function,
            construct: name_of_construct(site.construct),
            sums: DeviceSums::of(profile, sums),
        }
    }
}

impl DeviceSums {
    pub fn of(profile: &Profile, sums: &Sums) -> Self {
        Self {
            constructs: sums.constructs,
            bytes_to: sums.bytes_to,
            bytes_from: sums.bytes_from,
            waited_ns: profile.ns(sums.waited),
            prepared_ns: profile.ns(sums.prepared),
            moving_ns: profile.ns(sums.moving),
            running_ns: profile.ns(sums.running),
            exposed_ns: profile.ns(sums.exposed),
        }
    }
}

fn shortest_ns(profile: &Profile, device: u32) -> f64 {
    let regions = profile.device_constructs.iter();
    let regions = regions.filter(|one| one.device == device && one.construct == DeviceConstruct::Target);
    regions.map(|region| profile.ns(region.running())).reduce(f64::min).unwrap_or_default()
}
