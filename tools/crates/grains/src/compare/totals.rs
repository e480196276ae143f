// SPDX-License-Identifier: Apache-2.0
//! What each construct did in one run.

use std::collections::HashMap;

use super::constructs::Constructs;
use crate::summary::{sites, SiteKind};
use crate::Profile;

/// Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Grains, or waits.
    pub count: u64,
    pub work_ns: f64,
    /// Creation, or the book-keeping of chunks.
    pub creation_ns: f64,
    /// What workers lost to waits: of grains in them, of a synchronisation point there.
    pub wait_ns: f64,
}

/// By row of the construct and kind: what made grains, and where grains waited.
pub fn totals(profile: &Profile, constructs: &Constructs) -> HashMap<(usize, SiteKind), Totals> {
    let mut out: HashMap<_, Totals> = HashMap::new();
    for site in sites(profile).sites {
        if !site.has_grains() && site.kind != SiteKind::Sync {
            continue;
        }
        let sum = out.entry((constructs.of_place(site.place), site.kind)).or_default();
        sum.count += site.count;
        sum.work_ns += profile.ns(site.work);
        sum.creation_ns += profile.ns(site.creation);
        sum.wait_ns += profile.ns(site.wait);
    }
    out
}
