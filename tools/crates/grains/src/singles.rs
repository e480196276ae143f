// SPDX-License-Identifier: Apache-2.0
//! Tells the body of a `single` from the shares of loops that follow it without a barrier.
//!
//! A compiler does not say where the body ends. So up to the next barrier the thread that runs it
//! counts as alone, until this module has seen its team. What the others divide behind the same
//! barrier, this thread has a share of, too: as much as the largest of theirs. The rest is the
//! body. Where no other member has a share, all of it is.
//!
//! This module owns nothing: the profile hands over the shares once all fragments are cut.

use std::collections::HashMap;

use crate::csr::Groups;
use crate::row::Column;
use crate::sparse::Sparse;
use crate::tables::{
    BarrierRow, Fragments, GrainRow, Grains, Item, ItemKind, Items, RegionInfo, RegionRow, Share, WaitInfo,
};
use crate::ticks::Ticks;

/// What the profile hands over.
pub(crate) struct Known<'a> {
    pub(crate) regions: &'a Column<RegionInfo>,
    pub(crate) member_of: &'a Sparse<Grains, Option<RegionRow>>,
    pub(crate) fragments: &'a Fragments,
    pub(crate) shares: &'a [Share],
    pub(crate) items: &'a Items,
    pub(crate) barrier_of: &'a Column<WaitInfo, Option<BarrierRow>>,
}

/// Consecutive shares of one member.
struct Run {
    /// How many barriers it met before, and which of its runs behind the last one this is.
    at: (u32, u32),
    /// Its rows of the shares, in order.
    rows: Vec<usize>,
}

/// The shares without the bodies.
pub(crate) fn told_apart(known: &Known) -> Vec<Share> {
    let mut shares = known.shares.to_vec();
    if shares.iter().any(|share| share.alone > Ticks::ZERO) {
        let members = Groups::new(known.regions.len(), known.member_of.iter().copied());
        for region in known.regions.rows() {
            of_team(known, members.of(region), &mut shares);
        }
        shares.retain(|share| share.alone == Ticks::ZERO || share.divided(known.fragments) > Ticks::ZERO);
    }
    shares
}

fn of_team(known: &Known, members: &[GrainRow], shares: &mut [Share]) {
    let runs: Vec<Run> = members.iter().flat_map(|&member| runs(known, member)).collect();
    let divided = |run: &Run, shares: &[Share]| -> Ticks {
        run.rows.iter().map(|&row| shares[row].divided(known.fragments)).sum()
    };
    let has_body = |run: &Run, shares: &[Share]| run.rows.iter().any(|&row| shares[row].alone > Ticks::ZERO);
    let mut most: HashMap<(u32, u32), Ticks> = HashMap::new();
    for run in runs.iter().filter(|run| !has_body(run, shares)) {
        let usual = most.entry(run.at).or_default();
        *usual = (*usual).max(divided(run, shares));
    }
    for run in &runs {
        let usual = most.get(&run.at).copied().unwrap_or_default();
        let mut left = usual - usual.min(divided(run, shares));
        // The body comes first.
        for &row in run.rows.iter().rev() {
            let part = shares[row].alone.min(left);
            shares[row].alone = shares[row].alone - part;
            left = left - part;
        }
    }
}

fn runs(known: &Known, member: GrainRow) -> Vec<Run> {
    let items = known.items;
    let mut runs: Vec<Run> = Vec::new();
    let (mut at, mut is_open) = ((0, 0), false);
    for item in items.of(member) {
        let share = match items.kind[item] {
            ItemKind::Fragment => {
                known.shares.binary_search_by_key(&items.row[item], |share| share.fragment).ok()
            }
            _ => None,
        };
        match share {
            Some(row) if is_open => runs.last_mut().into_iter().for_each(|run| run.rows.push(row)),
            Some(row) => {
                runs.push(Run { at, rows: vec![row] });
                at.1 += 1;
            }
            None if matches!(items.at(item), Item::Join(wait) if known.barrier_of[wait].is_some()) => {
                at = (at.0 + 1, 0);
            }
            None => {}
        }
        is_open = share.is_some();
    }
    runs
}
