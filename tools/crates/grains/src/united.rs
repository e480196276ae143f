// SPDX-License-Identifier: Apache-2.0
//! Several addresses of one construct: where a compiler unrolls a loop or copies a function, a
//! construct of the source has a place for each copy.

use crate::row::Column;
use crate::{Place, PlaceRow, Profile};

impl Profile {
    /// Replaces each place by the one that `united` has for it. Call paths and `places` stay as
    /// they are.
    pub fn unite_places(&mut self, united: &Column<Place, PlaceRow>) {
        let replace = |place: &mut Option<PlaceRow>| *place = place.map(|row| united[row]);
        self.grains.place.iter_mut().for_each(replace);
        self.loops.iter_mut().for_each(|row| replace(&mut row.place));
        self.regions.iter_mut().for_each(|row| replace(&mut row.place));
        self.waits.iter_mut().for_each(|row| replace(&mut row.place));
        self.locks.iter_mut().for_each(|row| replace(&mut row.place));
        self.calls.iter_mut().for_each(|row| replace(&mut row.place));
    }
}
