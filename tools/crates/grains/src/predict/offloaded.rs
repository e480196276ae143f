// SPDX-License-Identifier: Apache-2.0
//! What a machine has besides the graph if constructs run on a cluster. `on_devices` changes it.

use std::collections::HashMap;

use crate::predict::cluster::Cluster;
use crate::predict::constructs::Constructs;
use crate::tables::GrainRow;

pub(super) struct Offloaded<'a> {
    pub constructs: &'a Constructs,
    pub cluster: Cluster<'a>,
    /// The strands that wait for a construct.
    pub waiting: HashMap<u32, u32>,
    /// Deferred constructs under way, and the longest path to each.
    pub tasks: HashMap<u32, (GrainRow, u64)>,
    /// How long the workers had been busy when the first construct was ready, and when the last one
    /// was over.
    pub busy_first: Option<u64>,
    pub busy_last: u64,
}

impl<'a> Offloaded<'a> {
    pub fn new(constructs: &'a Constructs, cluster: Cluster<'a>) -> Self {
        Self {
            constructs,
            cluster,
            waiting: HashMap::new(),
            tasks: HashMap::new(),
            busy_first: None,
            busy_last: 0,
        }
    }
}
