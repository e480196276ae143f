// SPDX-License-Identifier: Apache-2.0
//! What a preemption costs.

use crate::preemptions::{preemptions, Preemption};
use crate::priorities::Times;
use crate::ticks::Ticks;
use crate::Profile;

/// The price in ns where neither the recording nor the user has one: what the runtime measures in a
/// virtual machine with two processors.
pub const USUAL_COST_NS: f64 = 20e3;

/// In ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Price {
    /// From a request until the asked task leaves its worker. The task works on meanwhile.
    pub signal: u64,
    /// From then until the other task runs.
    pub switch: u64,
    /// By how many levels priorities must differ.
    pub gap: i32,
}

/// Fewer preemptions than this do not say what one costs.
const ENOUGH: usize = 16;

impl Price {
    /// One half passes before the asked task leaves.
    pub fn of_ns(profile: &Profile, ns: f64) -> Self {
        let whole = ticks(profile, ns);
        Self { signal: whole / 2, switch: whole - whole / 2, gap: gap(profile) }
    }

    /// The medians of the recorded preemptions that were asked for; `None`: there are too few.
    pub fn recorded(profile: &Profile) -> Option<Self> {
        let all = preemptions(profile);
        let asked = || all.iter().filter(|one| one.to_switch.is_some());
        if asked().count() < ENOUGH {
            return None;
        }
        let median = |of: fn(&Preemption) -> Ticks| {
            let mut times = Times(asked().map(of).collect());
            times.0.sort_unstable();
            times.percentile(50).0
        };
        let signal = median(|one| one.to_switch.unwrap_or_default());
        Some(Self { signal, switch: median(|one| one.lost), gap: gap(profile) })
    }

    pub fn whole(self) -> u64 {
        self.signal + self.switch
    }
}

/// TEFF_PREEMPT_GAP when the program was recorded.
fn gap(profile: &Profile) -> i32 {
    let set = profile.meta.environment.get("TEFF_PREEMPT_GAP").and_then(|words| words.trim().parse().ok());
    set.filter(|&gap| gap > 0).unwrap_or(1)
}

/// The number of ticks in a time.
pub(super) fn ticks(profile: &Profile, ns: f64) -> u64 {
    let ns_of_tick = profile.ns(Ticks(1 << 30)) / f64::from(1 << 30);
    (ns / ns_of_tick).round() as u64
}
