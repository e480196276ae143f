// SPDX-License-Identifier: Apache-2.0
//! The metrics of the grains thesis for each grain, computed on demand from a profile.
//!
//! Each file has one metric with its definition. docs/formats/metrics.md lists all metrics, with
//! units and sources. A column has one entry per grain row. The caller that asks for a column also
//! drops it. Columns are large for a recording of 16 million grains, and the report keeps none of
//! them.

mod columns;
mod deviation;
mod distance;
mod identity;
mod instantaneous;
mod quantiles;
mod siblings;
mod slack;
mod thresholds;

pub use columns::Columns;
pub use deviation::{Baseline, Compared, Deviation, Inflation, Reason};
pub use distance::{Positions, Unit};
pub use identity::Identities;
pub use instantaneous::{by_intervals, exact, Interval, Overlap, Parallelism};
pub use quantiles::{median, quantile_of_sorted};
pub use siblings::Siblings;
pub use slack::{burdened_span, slack};
pub use thresholds::{is_problem_below, Limits, Machine, Threshold, Thresholds, PROBLEMS};
