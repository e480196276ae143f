// SPDX-License-Identifier: Apache-2.0
//! The text's tables of what the devices of a host did.

use grains::units::{bytes, count, percent, time};

use super::devices::{DeviceFacts, DeviceSums, DevicesFacts};
use super::style::Style;
use super::tables::{aligned_table, section};

/// Two tables; nothing where the process has no devices.
pub fn devices(out: &mut String, devices: Option<&DevicesFacts>, wall_ns: f64, limit: usize, style: &Style) {
    let Some(facts) = devices else { return };
    let header = ["device", "constructs", "to it", "from it", "waited", "moving", "alone", "running", "idle"];
    let mut table = aligned_table(&header, 1);
    for device in &facts.devices {
        let number = device.device.to_string();
        let idle = percent(device.idle_ns, wall_ns);
        table.add_row([number].into_iter().chain(figures(&device.sums)).chain([idle]));
    }
    let over = if facts.transport.is_empty() { String::new() } else { format!(", over {}", facts.transport) };
    let title = format!(
        "Devices{over}: waits of constructs for the device, moving data, alone of that with nothing beside it"
    );
    section(out, style, &title, &table, 0);
    let unsure = facts.devices.iter().filter(|device| is_unsure(device)).filter_map(|device| device.clock);
    if let Some(error_ns) = unsure.map(|clock| clock.error_ns).reduce(f64::max) {
        out.push_str(&format!(
            "  the times of devices are by the host's clock, with an error of up to {}\n",
            time(error_ns)
        ));
    }
    if facts.sites.is_empty() || limit == 0 {
        return;
    }
    let header =
        ["construct", "kind", "count", "to devices", "from them", "waited", "moving", "alone", "running"];
    let mut table = aligned_table(&header, 2);
    for site in facts.sites.iter().take(limit) {
        let name = style.short_name(&site.file, site.line, &site.function);
        table.add_row([name, site.construct.to_owned()].into_iter().chain(figures(&site.sums)));
    }
    section(out, style, "Constructs on devices", &table, facts.sites.len().saturating_sub(limit));
}

/// Whether the error of the device's clock is not far below what is compared by it.
fn is_unsure(device: &DeviceFacts) -> bool {
    device.clock.is_some_and(|clock| clock.other_machine || clock.error_ns > device.shortest_ns / 10.0)
}

fn figures(sums: &DeviceSums) -> [String; 7] {
    [
        count(sums.constructs),
        bytes(sums.bytes_to),
        bytes(sums.bytes_from),
        time(sums.waited_ns),
        time(sums.moving_ns),
        time(sums.exposed_ns),
        time(sums.running_ns),
    ]
}
