// SPDX-License-Identifier: Apache-2.0
//! The result of the layout: the items of all grains.

use super::stretch::Stretch;
use crate::row::Column;
use crate::tables::{Fragments, Grains, Items, Share};
use crate::taskgroups::Taskgroups;

#[derive(Default)]
pub(crate) struct Timeline {
    pub fragments: Fragments,
    /// Rows of those that are an implicit task's share by its thread number, in order.
    pub shares: Vec<Share>,
    pub items: Items,
    /// For each grain: the item of its parent that forks it (its chunk or region item where it is
    /// one of those).
    pub fork_item: Column<Grains, u32>,
    pub taskgroups: Taskgroups,
    /// The stretches from which the time off the processors is subtracted, of threads that had such
    /// time.
    pub(super) stretches: Vec<Stretch>,
}
