// SPDX-License-Identifier: Apache-2.0
//! Constructs on devices that move more than they compute, that wait for what could go on beside
//! other work, or that leave devices without work.

use crate::devices::{Devices, Site, Sums};
use crate::findings::subject::Subject;
use crate::findings::Finding;
use crate::units::{bytes, percent, several, time};
use crate::Ticks;
use trace::DeviceConstruct;

pub(crate) const DEVICE_TRANSFERS: &str = "device-transfers";
pub(crate) const TRANSFERS_ALONE: &str = "transfers-alone";
pub(crate) const IDLE_DEVICES: &str = "idle-devices";

/// Whether the rule is one of this module.
pub(crate) fn is_of_devices(rule: &str) -> bool {
    [DEVICE_TRANSFERS, TRANSFERS_ALONE, IDLE_DEVICES].contains(&rule)
}

/// More time in transfers than in regions, on all devices together. The construct that moves for
/// the longest time beside nothing else stands for them.
pub(crate) fn device_transfers(subject: &Subject) -> Vec<Finding> {
    let Some(devices) = Devices::of(subject.profile) else { return Vec::new() };
    let all = devices.all();
    let Some((site, sums)) = most(&devices, |sums| sums.exposed).filter(|_| all.moving > all.running) else {
        return Vec::new();
    };
    let exposed = subject.ns(sums.exposed);
    vec![Finding {
        rule: DEVICE_TRANSFERS,
        title: format!(
            "the devices move data for {} and compute for {}",
            time(subject.ns(all.moving)),
            time(subject.ns(all.running))
        ),
        evidence: vec![
            format!(
                "{} here: {} to devices, {} back, {} in transfers and {} in regions",
                several(sums.constructs, "construct"),
                bytes(sums.bytes_to),
                bytes(sums.bytes_from),
                time(subject.ns(sums.moving)),
                time(subject.ns(sums.running))
            ),
            format!("for {} of that nothing else ran", time(exposed)),
        ],
        remedy: remedy(site, &sums),
        estimate:
            "the time of these transfers in which nothing else ran: as if the data stayed on the device"
                .to_owned(),
        ..plain(site, exposed, exposed)
    }]
}

/// Up to so many bytes, a construct takes the time of its two messages.
const FEW_BYTES: u64 = 4096;

fn remedy(site: Site, sums: &Sums) -> String {
    let each = (sums.bytes_to.saturating_add(sums.bytes_from)) / sums.constructs.max(1);
    let few = if each <= FEW_BYTES {
        "A construct with so little data takes the time of its two messages: have fewer of them, which do more. "
    } else {
        ""
    };
    few.to_owned() + of_construct(site.construct)
}

fn of_construct(construct: DeviceConstruct) -> &'static str {
    match construct {
        DeviceConstruct::Target => {
            "Keep data on the device from region to region: enclose the regions in target data, or use target enter \
             data and exit data. Map with to or from what need not go both ways. Or do more in a region."
        }
        DeviceConstruct::Update | DeviceConstruct::Routine => {
            "Update only what the other side has changed and needs, and do more on the device between two updates."
        }
        _ => {
            "Enter data once, before all regions that use them, and map with alloc, to or from what need not go both \
             ways. Or do more with the data while they are there."
        }
    }
}

/// A thread waits for transfers beside which other devices, or the host, could work.
pub(crate) fn transfers_alone(subject: &Subject) -> Vec<Finding> {
    let Some(devices) = Devices::of(subject.profile) else { return Vec::new() };
    let all = devices.all();
    let Some((site, sums)) = most(&devices, |sums| sums.exposed_to_wait) else { return Vec::new() };
    let (lost, cover) = (subject.ns(all.exposed_to_wait), subject.ns(devices.could_cover));
    vec![Finding {
        rule: TRANSFERS_ALONE,
        title: format!("nothing else runs for {} of the {} in which data move", time(lost), time(subject.ns(all.moving))),
        evidence: vec![
            format!(
                "{} of that in {} here, {} to devices and {} back",
                time(subject.ns(sums.exposed_to_wait)),
                several(sums.constructs, "construct"),
                bytes(sums.bytes_to),
                bytes(sums.bytes_from)
            ),
            format!("while no data move, {} for {}", beside(&devices), time(cover)),
        ],
        remedy: "Give the constructs nowait, with depend clauses for what must come in order: then data move to one \
                 device while another one, or the host, computes. A device itself carries out one construct at a time."
            .to_owned(),
        estimate: "what of these transfers that other work could cover, if nothing else hindered that".to_owned(),
        ..plain(site, lost, lost.min(cover))
    }]
}

fn beside(devices: &Devices) -> &'static str {
    if devices.devices.len() > 1 {
        "the host or a device computes"
    } else {
        "the host computes"
    }
}

/// One device is busy longer than the mean of all, and has more than one construct. Of a single
/// device, the host's own time is to blame, about which other rules speak.
pub(crate) fn idle_devices(subject: &Subject) -> Vec<Finding> {
    let Some(devices) = Devices::of(subject.profile).filter(|devices| devices.devices.len() > 1) else {
        return Vec::new();
    };
    let busy: Vec<f64> = devices.devices.iter().map(|device| subject.ns(device.all.busy())).collect();
    let longest = busy.iter().copied().fold(0.0, f64::max);
    let mean = busy.iter().sum::<f64>() / busy.len() as f64;
    let constructs = subject.profile.device_constructs.iter();
    let of_one = constructs.map(|one| subject.ns(one.moving() + one.running())).fold(0.0, f64::max);
    let Some((site, _)) = most(&devices, Sums::busy) else { return Vec::new() };
    let wall = subject.ns(subject.profile.wall);
    let shares = devices.devices.iter().zip(&busy);
    let shares = shares.map(|(device, &busy)| format!("device {} {}", device.device, percent(busy, wall)));
    let lost = busy.iter().map(|busy| longest - busy).sum();
    vec![Finding {
        rule: IDLE_DEVICES,
        title: "some devices have less to do than others".to_owned(),
        evidence: vec![format!("of the wall time, in use were {}", shares.collect::<Vec<_>>().join(", "))],
        remedy: "Divide the regions among all devices, by device clauses, or by TEFF_DEVICES=round_robin or locality. \
                 Regions run beside each other with nowait, or if several threads meet them."
            .to_owned(),
        estimate: "the busiest device's time in use, less the mean of all devices or, if that is more, the longest \
                   construct: as if the constructs were divided evenly"
            .to_owned(),
        ..plain(site, lost, longest - mean.max(of_one))
    }]
}

/// The site with the largest figure; `None` if that is 0.
fn most(devices: &Devices, figure: impl Fn(&Sums) -> Ticks) -> Option<(Site, Sums)> {
    let largest = devices.sites().into_iter().max_by_key(|(_, sums)| figure(sums));
    largest.filter(|(_, sums)| figure(sums) > Ticks::ZERO)
}

fn plain(site: Site, lost_ns: f64, gain_ns: f64) -> Finding {
    Finding {
        rule: "",
        title: String::new(),
        place: site.place,
        region: None,
        when: None,
        lost_ns,
        gain_ns,
        evidence: Vec::new(),
        remedy: String::new(),
        estimate: String::new(),
    }
}
