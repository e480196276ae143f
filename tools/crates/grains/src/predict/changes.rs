// SPDX-License-Identifier: Apache-2.0
//! The differences from the recorded run that the user asks for.

use crate::ticks::Ticks;
use crate::PlaceRow;

/// The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Rows of places: their grains take this part of their time.
    pub factors: Vec<(PlaceRow, f64)>,
    /// Rows of places whose constructs run on one thread.
    pub serial: Vec<PlaceRow>,
    /// Tasks that work less than this, with all that they create, run inside their parent; chunks
    /// are handed out in groups whose work is that long.
    pub merge_below: Ticks,
    /// Tasks nested deeper than this run inside their parent.
    pub cutoff_depth: Option<u32>,
}
