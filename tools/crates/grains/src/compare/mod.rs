// SPDX-License-Identifier: Apache-2.0
//! Compares two programs, or one program before and after a change: which of their constructs are
//! the same, what each construct did, and whether a difference is more than noise.
//!
//! `constructs` lists the constructs of a run and joins those of two runs, by `names` and `align`;
//! `totals` sums up what each construct did in one run; `noise` separates changes from chance.
//! [`crate::metrics::Deviation`] joins runs grain by grain, with the names that
//! [`Constructs::names`] gives.

mod align;
mod constructs;
mod names;
pub mod noise;
mod totals;

pub use constructs::{join, Construct, Constructs, How, Joined, Label, Pair, Role};
pub use totals::{totals, Totals};
