// SPDX-License-Identifier: Apache-2.0
//! Compares programs by their structure instead of their speed.
//!
//! This is the study of the grains thesis (section 4.5.2): ten properties of each program and input
//! ([`Property`]), autoscaled; principal components for 85 % of the variance ([`Components`]); and
//! clusters of the autoscaled scores by Ward's method ([`Clusters`]). [`Stability`] measures how
//! components and clusters change when one program is left out. docs/characterising.md defines all
//! of these.
//!
//! Nothing here reads files: [`Counts::parse`] takes the bytes of a file of counts.

mod by_grain;
mod cluster;
mod components;
mod counts;
mod leave_out;
mod observed;
mod property;
mod table;

pub use by_grain::GrainCounts;
pub use cluster::{adjusted_rand, Clusters, Merge};
pub use components::{Components, LEAST_VARIANCE};
pub use counts::{Count, Counts};
pub use leave_out::Stability;
pub use observed::{Counted, Observed};
pub use property::Property;
pub use table::{Left, Scale, Table};

/// Fewer programs have no components.
pub const LEAST_PROGRAMS: usize = 3;

/// All of it, of one table.
pub struct Study {
    pub scale: Scale,
    pub components: Components,
    pub clusters: Clusters,
    pub stability: Stability,
}

impl Study {
    /// `None`: fewer than [`LEAST_PROGRAMS`] programs, or fewer than two properties that vary.
    /// `groups`: how many clusters; `None`: where the heights of the merges leap most.
    pub fn of(table: &Table, groups: Option<usize>) -> Option<Self> {
        if table.programs.len() < LEAST_PROGRAMS {
            return None;
        }
        let scale = table.autoscaled();
        if scale.kept.len() < 2 {
            return None;
        }
        let components = Components::of(&scale.values);
        let clusters = Clusters::of(&components, groups);
        let stability = Stability::of(table, &scale, &components, clusters.groups);
        Some(Self { scale, components, clusters, stability })
    }
}
