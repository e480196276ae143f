// SPDX-License-Identifier: Apache-2.0
//! The cost of storing a record for the thread that stores it, in ticks, as the recorder measured
//! it when it started.
//!
//! The cost is not work of the program. The part that falls *after* the record's last instant is
//! subtracted from the next stretch of that thread. The part that falls *within* the interval that
//! the record states is subtracted from that interval. Neither difference goes below zero.

use std::collections::BTreeMap;

use trace::layout::kind;
use trace::Meta;

use crate::ticks::Ticks;

/// The names that meta.json has for types of records.
const NAMES: [(&str, u8); 18] = [
    ("create", kind::CREATE),
    ("run", kind::RUN),
    ("wait", kind::WAIT),
    ("region", kind::REGION),
    ("region_end", kind::REGION_END),
    ("loop", kind::LOOP),
    ("chunk", kind::CHUNK),
    ("loop_thread", kind::LOOP_THREAD),
    ("dep", kind::DEP),
    ("idle", kind::IDLE),
    ("steal", kind::STEAL),
    ("start", kind::START),
    ("group_begin", kind::GROUP_BEGIN),
    ("priority", kind::PRIORITY),
    ("fulfil", kind::FULFIL),
    ("thread", kind::THREAD),
    ("lock", kind::LOCK),
    ("doacross", kind::DOACROSS),
];

/// More than that no record costs: what a damaged meta.json says beyond is cut.
const MOST: f64 = 1e6;

#[derive(Clone, Default)]
pub(crate) struct Costs {
    after: [u32; 32],
    within: [u32; 32],
    known: bool,
}

impl Costs {
    pub fn of(meta: &Meta) -> Self {
        Self {
            after: by_kind(&meta.record_cost_ticks),
            within: by_kind(&meta.record_cost_within_ticks),
            known: !meta.record_cost_ticks.is_empty(),
        }
    }

    /// The recorder is one that says so.
    pub fn are_known(&self) -> bool {
        self.known
    }

    pub fn after(&self, kind: u8) -> Ticks {
        Ticks(u64::from(self.after[usize::from(kind)]))
    }

    /// What the records of a region cost each of its threads: its implicit task is created, begins
    /// and ends.
    pub fn of_member(&self) -> Ticks {
        let whole = |kind| self.after(kind) + self.within(kind);
        whole(kind::CREATE) + self.after(kind::CREATE) + whole(kind::RUN)
    }

    pub fn within(&self, kind: u8) -> Ticks {
        Ticks(u64::from(self.within[usize::from(kind)]))
    }
}

fn by_kind(ticks: &BTreeMap<String, f64>) -> [u32; 32] {
    let mut out = [0; 32];
    for (name, kind) in NAMES {
        let cost = ticks.get(name).copied().unwrap_or_default();
        out[usize::from(kind)] = cost.clamp(0.0, MOST).round() as u32; // NaN becomes 0
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_found_by_name_and_absurd_ones_cut() {
        let ticks = [("run", 51.6), ("wait", -3.0), ("dep", f64::NAN), ("chunk", 1e30), ("other", 5.0)];
        let costs = by_kind(&ticks.map(|(name, cost)| (name.to_owned(), cost)).into());
        let of = |kind: u8| costs[usize::from(kind)];
        assert_eq!([kind::RUN, kind::WAIT, kind::DEP, kind::CREATE].map(of), [52, 0, 0, 0]);
        assert_eq!(of(kind::CHUNK), 1_000_000);
    }
}
