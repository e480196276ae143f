// SPDX-License-Identifier: Apache-2.0
//! Further data of each site, in addition to the list of sites: its costs, and the distribution of
//! its grains' work, in bins on a logarithmic scale.

use grains::{flag, Profile};
use serde::Serialize;
use symbols::sites::{Row, Sites};

#[derive(Serialize)]
pub struct More {
    creation_ns: f64,
    /// For grains: the time lost in their own waits. For a synchronisation point: the time lost in
    /// the waits there.
    wait_ns: f64,
    /// Grains on the critical path.
    critical: u64,
    /// Counted in its grains, by counter.
    counts: Vec<u64>,
    /// Number of the first bin below.
    first_bin: usize,
    /// Grains in bin b have a work of at least 2^(b/2) ns and less than 2^((b+1)/2) ns. Bin 0 also
    /// contains grains with less work.
    histogram: Vec<u64>,
}

/// The number of bins up to 2^64 ns.
const BINS: usize = 128;

pub fn of(profile: &Profile, sites: &Sites) -> Vec<More> {
    let grains = &profile.grains;
    let mut bins = vec![[0u64; BINS]; sites.rows.len()];
    for (row, &site) in sites.of_grain.entries() {
        if grains.flags[row] & flag::CANCELLED == 0 {
            bins[site as usize][bin(profile.ns(grains.work.of(row)))] += 1;
        }
    }
    let mut counts = vec![Vec::new(); sites.rows.len()];
    if !profile.counters.is_empty() {
        counts.fill(vec![0; profile.counters.names.len()]);
        for (site, sums) in profile.counters.sums(grains, |row| sites.of_grain[row]) {
            counts[site as usize] = sums;
        }
    }
    let rows = sites.rows.iter().zip(&bins).zip(counts);
    rows.map(|((site, bins), counts)| more(profile, site, bins, counts)).collect()
}

fn bin(ns: f64) -> usize {
    // Below 1 the logarithm is negative, and the conversion gives 0.
    ((2.0 * ns.log2()).floor() as usize).min(BINS - 1)
}

fn more(profile: &Profile, site: &Row, bins: &[u64; BINS], counts: Vec<u64>) -> More {
    let first_bin = bins.iter().position(|&count| count > 0).unwrap_or(0);
    let behind = bins.iter().rposition(|&count| count > 0).map_or(first_bin, |last| last + 1);
    More {
        creation_ns: profile.ns(site.total.creation),
        wait_ns: profile.ns(site.total.wait),
        critical: site.total.critical,
        counts,
        first_bin,
        histogram: bins[first_bin..behind].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bins_make_a_doubling() {
        assert_eq!([0.0, 0.3, 1.0, 1.3].map(bin), [0; 4]);
        assert_eq!([1.42, 2.0, 4.0, 1024.0].map(bin), [1, 2, 4, 20]);
        assert_eq!(bin(f64::INFINITY), BINS - 1);
    }
}
