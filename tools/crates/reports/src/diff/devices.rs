// SPDX-License-Identifier: Apache-2.0
//! The constructs on devices of the median runs: those of one kind at one place on one device,
//! before and after.
//!
//! Places are matched by their function, and within it in the order of their lines: so lines may
//! have moved.

use std::collections::BTreeMap;

use grains::devices::{name_of_construct, Devices, Site};
use grains::units::{bytes, count, time};
use grains::Profile;
use serde::Serialize;
use symbols::Symbols;

use crate::report::{aligned_table, section, DeviceSums, Style};

/// Of one device at one place. Times are in nanoseconds.
#[derive(Serialize)]
pub struct DeviceChange {
    pub device: u32,
    pub construct: &'static str,
    /// After; before, if it is not there after.
    pub file: String,
    pub line: u32,
    pub function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<DeviceSums>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<DeviceSums>,
}

/// A place before it is matched.
pub struct OfDevice {
    key: Key,
    file: String,
    line: u32,
    sums: DeviceSums,
}

/// The device, the kind of construct, the function, and which of its places it is.
type Key = (u32, &'static str, String, usize);

/// What the devices of a host did.
pub fn of_devices(profile: &Profile, symbols: &Symbols) -> Vec<OfDevice> {
    let Some(devices) = Devices::of(profile) else { return Vec::new() };
    let name = |site: &Site| {
        let symbol = symbols.of(site.place);
        (name_of_construct(site.construct), symbol.function, symbol.file, symbol.line)
    };
    // A construct has the same number on all devices.
    let mut lines: BTreeMap<(&str, String), Vec<(String, u32)>> = BTreeMap::new();
    for (site, _) in devices.sites() {
        let (kind, function, file, line) = name(&site);
        lines.entry((kind, function)).or_default().push((file, line));
    }
    for lines in lines.values_mut() {
        lines.sort();
    }
    let mut rows = Vec::new();
    for device in &devices.devices {
        for (site, sums) in &device.sites {
            let (kind, function, file, line) = name(site);
            let known = lines.get(&(kind, function.clone()));
            let at =
                known.and_then(|lines| lines.iter().position(|known| (&known.0, known.1) == (&file, line)));
            let key = (device.device, kind, function, at.unwrap_or(0));
            rows.push(OfDevice { key, file, line, sums: DeviceSums::of(profile, sums) });
        }
    }
    rows
}

/// By falling change of the time in which devices moved data or ran regions.
pub fn changes([before, after]: [Vec<OfDevice>; 2]) -> Vec<DeviceChange> {
    let mut rows: BTreeMap<Key, DeviceChange> = BTreeMap::new();
    let mut add = |of: OfDevice, is_after: bool| {
        let (device, construct, function, _) = of.key.clone();
        let empty = DeviceChange {
            device,
            construct,
            function,
            file: of.file.clone(),
            line: of.line,
            before: None,
            after: None,
        };
        let row = rows.entry(of.key).or_insert(empty);
        if is_after {
            (row.file, row.line, row.after) = (of.file, of.line, Some(of.sums));
        } else {
            row.before = Some(of.sums);
        }
    };
    for of in before {
        add(of, false);
    }
    for of in after {
        add(of, true);
    }
    let mut rows: Vec<_> = rows.into_values().collect();
    rows.sort_by(|a, b| b.changed().total_cmp(&a.changed()));
    rows
}

impl DeviceChange {
    fn changed(&self) -> f64 {
        let busy =
            |sums: &Option<DeviceSums>| sums.as_ref().map_or(0.0, |sums| sums.moving_ns + sums.running_ns);
        (busy(&self.after) - busy(&self.before)).abs()
    }

    /// The device, the construct, and its figures before and after.
    pub fn cells(&self) -> [String; 7] {
        let both = |of: &dyn Fn(&DeviceSums) -> String| {
            let words = |sums: &Option<DeviceSums>| sums.as_ref().map_or_else(|| "-".to_owned(), of);
            match (words(&self.before), words(&self.after)) {
                (before, after) if before == after => after,
                (before, after) => format!("{before} -> {after}"),
            }
        };
        [
            self.device.to_string(),
            self.construct.to_owned(),
            both(&|sums| count(sums.constructs)),
            both(&|sums| bytes(sums.bytes_to)),
            both(&|sums| bytes(sums.bytes_from)),
            both(&|sums| time(sums.moving_ns)),
            both(&|sums| time(sums.running_ns)),
        ]
    }
}

/// `name`: of a row's place. Nothing where neither run had devices.
pub fn render(
    out: &mut String,
    rows: &[DeviceChange],
    sites: usize,
    name: impl Fn(&DeviceChange) -> String,
    style: &Style,
) {
    if rows.is_empty() || sites == 0 {
        return;
    }
    let header = ["construct", "device", "kind", "count", "to it", "from it", "moving", "running"];
    let mut table = aligned_table(&header, 3);
    for row in rows.iter().take(sites) {
        table.add_row([name(row)].into_iter().chain(row.cells()));
    }
    section(
        out,
        style,
        "Constructs on devices, of the median runs",
        &table,
        rows.len().saturating_sub(sites),
    );
}
