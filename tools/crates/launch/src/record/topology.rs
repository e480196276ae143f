// SPDX-License-Identifier: Apache-2.0
//! Where the processors of this machine are, as /sys says.

use std::fs;
use std::path::Path;

use trace::topology::Processor;
use trace::Topology;

const PROCESSORS: &str = "/sys/devices/system/cpu";

/// `None`: the system does not say it.
pub fn here() -> Option<Topology> {
    of(Path::new(PROCESSORS))
}

fn of(folder: &Path) -> Option<Topology> {
    let mut processors = Vec::new();
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let name = entry.file_name();
        let Some(number) = name.to_str().and_then(|name| name.strip_prefix("cpu")?.parse().ok()) else {
            continue;
        };
        let said = |what: &str| {
            let text = fs::read_to_string(entry.path().join("topology").join(what)).ok()?;
            text.trim().parse::<u32>().ok() // a virtual machine may say -1
        };
        // A processor that is off has no topology.
        if let (Some(package), Some(core)) = (said("physical_package_id"), said("core_id")) {
            processors.push(Processor { processor: number, package, core });
        }
    }
    processors.sort_by_key(|of| of.processor);
    (!processors.is_empty()).then(|| Topology::of(processors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_that_are_off_are_left_out() {
        let place = tempfile::tempdir().unwrap();
        for (name, package, core) in
            [("cpu10", "1", "3"), ("cpu2", "0", "3"), ("cpu3", "-1", "0"), ("cpufreq", "0", "0")]
        {
            let folder = place.path().join(name).join("topology");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("physical_package_id"), format!("{package}\n")).unwrap();
            fs::write(folder.join("core_id"), format!("{core}\n")).unwrap();
        }
        fs::create_dir(place.path().join("cpu4")).unwrap();
        let found = of(place.path()).unwrap().processors;
        let expected =
            [(2, 0, 3), (10, 1, 3)].map(|(processor, package, core)| Processor { processor, package, core });
        assert_eq!(found, expected);
        assert!(of(&place.path().join("none")).is_none());
    }
}
