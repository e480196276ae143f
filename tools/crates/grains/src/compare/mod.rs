// SPDX-License-Identifier: Apache-2.0
//! Two programs, or one before and after a change: which of their constructs are the same, what
//! each did there, and whether that is another thing than noise.
//!
//! `constructs` has what a run is made of and joins that of two, by `names` and `align`; `totals`
//! sums up what each construct did in one run; `noise` tells changes from chance. Grain by grain
//! runs are joined by [`crate::metrics::Deviation`], with the names that [`Constructs::names`]
//! gives.

mod align;
mod constructs;
mod names;
pub mod noise;
mod totals;

pub use constructs::{join, Construct, Constructs, How, Joined, Label, Pair, Role};
pub use totals::{totals, Totals};
